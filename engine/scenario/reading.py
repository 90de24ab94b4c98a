"""A scenario from its TOML file (the format is described in `docs/scenarios.md`)."""

from __future__ import annotations

import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

from voicetui.engine.errors import UsageError
from voicetui.engine.policy import Policy
from voicetui.engine.scenario import read_expect, read_user
from voicetui.engine.scenario.script import LIMIT_S, Ears, ReplyScript, Scenario, VoiceScript
from voicetui.engine.scenario.table import Source, Table

SHIPPED = Path(__file__).parent / "shipped"
TABLES = ("policy", "ears", "model", "voice")
LISTS = ("user", "expect")


def shipped() -> list[str]:
    """Return the names of the scenarios that come with the package."""
    return sorted(path.stem for path in SHIPPED.glob("*.toml"))


def find_scenario(name: str) -> Path:
    """Return the shipped scenario's file where there is one of that name and no file is called so, else the file's."""
    if name in shipped() and not Path(name).exists():
        return SHIPPED / f"{name}.toml"
    return Path(name)


def read_scenario(path: str | Path) -> Scenario:
    """Read a scenario file. Raises `UsageError` with file, line and table on anything wrong in it."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as err:
        raise UsageError(f"{path}: {err.strerror or err}") from err
    except ValueError as err:  # a NUL in the name, or bytes that are no UTF-8
        raise UsageError(f"{path}: this is not a text in UTF-8") from err
    return parse_scenario(text, str(path))


def parse_scenario(text: str, name: str = "scenario") -> Scenario:
    """Make a scenario of a TOML text; `name` is what messages call it. Raises `UsageError`."""
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as err:
        raise UsageError(f"{name}: this is not TOML: {err}") from err
    source = Source(name, text)
    top = Table(source, "", data)
    policy, ears, model, voice = (_table(top, key) for key in TABLES)
    user, expect = (_tables(top, key) for key in LISTS)
    title = top.text("title", "")
    limit_s = top.seconds("limit_s", LIMIT_S)
    top.finish()
    if not user:
        top.fail("nothing happens: it needs at least one [[user]] table")
    return Scenario(
        stimuli=read_user.stimuli(user),
        expectations=tuple(read_expect.expectation(table) for table in expect),
        title=title,
        policy=_policy(policy),
        replies=_replies(model),
        voice=_voice(voice),
        ears=_ears(ears),
        limit_s=limit_s,
    )


def _table(top: Table, key: str) -> Table:
    value = top.take(key)
    if not isinstance(value, dict | None):
        top.wrong(key, f"a table: [{key}]")
    return Table(top.source, key, value or {}, count=0 if value is None else 1)


def _tables(top: Table, key: str) -> list[Table]:
    value = top.take(key)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        top.wrong(key, f"a list of tables: [[{key}]]")
    return [Table(top.source, key, item, n, len(value), listed=True) for n, item in enumerate(value, 1)]


def _policy(table: Table) -> Policy:
    given = {f.name: value for f in fields(Policy) if (value := table.take(f.name)) is not None}
    table.finish()
    try:
        return Policy(**given)
    except UsageError as err:
        message = err.message.removeprefix("policy: ")
        table.fail(message, message.split(maxsplit=1)[0])


def _ears(table: Table) -> Ears:
    given = {f.name: table.seconds(f.name, getattr(Ears(), f.name)) for f in fields(Ears)}
    table.finish()
    return Ears(**given)


def _voice(table: Table) -> VoiceScript:
    plain = VoiceScript()
    voice = VoiceScript(
        first_pcm_s=table.seconds("first_pcm_s", plain.first_pcm_s),
        word_s=table.seconds("word_s", plain.word_s),
        sentence_s=table.seconds("sentence_s", None),
        failing_sentences=table.numbers("failing_sentences"),
        silent_sentences=table.numbers("silent_sentences"),
        failure=table.text("failure", plain.failure),
    )
    table.finish()
    return voice


def _replies(table: Table) -> tuple[ReplyScript, ...]:
    every = _reply(table, ReplyScript())
    given = table.take("replies")
    table.finish()
    if given is None:
        return (every,)
    if "echo" in table.data:
        table.fail("give either `echo` or `replies`", "echo")
    if not isinstance(given, list) or not given or not all(isinstance(reply, str | dict) for reply in given):
        table.wrong("replies", "a list of texts, or of tables with a `text`")
    return tuple(_one_reply(table, n, reply, every) for n, reply in enumerate(given, 1))


def _one_reply(table: Table, number: int, reply: str | dict[str, Any], every: ReplyScript) -> ReplyScript:
    data = {"text": reply} if isinstance(reply, str) else reply
    one = Table(table.source, f"model.replies {number}", data, count=0)
    script = _reply(one, every, text=one.text("text", ""))
    one.finish()
    return script


def _reply(table: Table, plain: ReplyScript, text: str | None = None) -> ReplyScript:
    return ReplyScript(
        text=text,
        echo=table.whole("echo", 0, plain.echo) if text is None else plain.echo,
        first_token_s=table.seconds("first_token_s", plain.first_token_s),
        token_s=table.seconds("token_s", plain.token_s),
        thinking=table.text("thinking", plain.thinking),
        fail_after_tokens=table.whole("fail_after_tokens", 0, plain.fail_after_tokens),
        hang_after_tokens=table.whole("hang_after_tokens", 0, plain.hang_after_tokens),
        failure=table.text("failure", plain.failure),
    )
