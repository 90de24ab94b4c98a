"""`voicetui models` and the first start's offer, with models of the user's own so that nothing is fetched from afar."""

from __future__ import annotations

import json
import threading
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from voicetui.engine.models import catalogue
from voicetui.engine.parts.options import TalkOptions
from voicetui.tui.commands import first_start
from voicetui.tui.commands.first_start import offer_missing
from voicetui.tui.commands.progress import ProgressLine, megabytes

CONTENT = bytes(2_000_000)


@pytest.fixture
def tiny(own_models):
    """A model `tiny` on a web server on the loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", str(len(CONTENT)))
            self.end_headers()
            self.wfile.write(CONTENT)

        def log_message(self, *args):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), name="web")
    thread.start()
    own_models(
        f"""
        [[model]]
        id = "tiny"
        purpose = "think"
        runtime = "llama"
        title = "Tiny"
        licence = "MIT"
        languages = ["en"]
        entry = "weights.bin"
        files = [{{ name = "weights.bin", size = {len(CONTENT)}, sha256 = "{sha256(CONTENT).hexdigest()}" }}]
        sources = [{{ url = "http://127.0.0.1:{server.server_port}/" }}]
        """
    )
    yield catalogue().find("tiny")
    server.shutdown()
    thread.join()
    server.server_close()


def test_get_list_and_remove(voicetui, tiny, folders):
    said = voicetui("models", "get", "tiny")
    assert (said.code, said.out) == (0, "")
    path = folders / "models" / "tiny" / "weights.bin"
    assert said.err.splitlines()[0] == f"tiny: 262.1 kB of 2 MB ({tiny.sources[0].url}weights.bin)"
    assert said.err.splitlines()[-1] == f"tiny: fetched: {path}"
    assert voicetui("models", "get", "tiny").err == f"tiny: is here, checked: {path}\n"
    assert "  tiny                         en       2 MB  MIT\n" in voicetui("models", "list").out
    (listed,) = [m for m in json.loads(voicetui("models", "list", "--json").out) if m["id"] == "tiny"]
    assert (listed["installed"], listed["path"], listed["removable"]) == (True, str(path), True)
    assert voicetui("models", "remove", "tiny", "--yes").out == "tiny removed.\n"
    assert voicetui("models", "remove", "tiny", "--yes").out == "tiny is not here.\n"


def test_removing_asks_first(voicetui, tiny, monkeypatch):
    voicetui("models", "get", "tiny")
    assert voicetui("models", "remove", "tiny").err == (
        "voicetui: models remove asks first; without a terminal say --yes\n"
    )
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda question: "")
    assert voicetui("models", "remove", "tiny").out == "tiny stays.\n"
    monkeypatch.setenv("VOICETUI_YES", "1")
    assert voicetui("models", "remove", "tiny").out == "tiny removed.\n"


def test_a_failed_fetch_is_one_line_and_the_next_model_is_still_fetched(voicetui, tiny, own_models, folders):
    own = (folders / "config" / "voicetui" / "models.toml").read_text()
    own_models(own + '\n[[model]]\nid = "gone"\npurpose = "think"\nruntime = "llama"\nsources = []\n')
    said = voicetui("models", "get", "gone", "tiny")
    assert said.code == 1
    assert said.err.startswith("voicetui: gone is not here and there is nowhere to fetch it from\n")
    assert catalogue().find("tiny").locate()


@pytest.fixture
def needing(tiny, monkeypatch):
    """A conversation that needs `tiny` and nothing else."""

    def missing(options):
        return [] if tiny.locate() else [tiny]

    monkeypatch.setattr(first_start, "needed_models", missing)
    monkeypatch.setattr("voicetui.engine.parts.needed_models", missing)
    return tiny


OFFER = "A conversation here needs one more model:\n  tiny: Tiny, 2 MB, licence MIT, from http://127.0.0.1"


def test_the_offer_says_size_licence_and_source_and_fetches_after_a_yes(needing, capsys):
    asked = []
    missing = offer_missing(
        TalkOptions(), interactive=True, assume_yes=False, ask=lambda question: asked.append(question) or "y"
    )
    assert missing == []
    assert asked == ["Fetch now? [Y/n] "]
    assert capsys.readouterr().err.startswith(OFFER)
    assert needing.locate()


def test_a_no_leaves_it_and_names_the_command(needing, capsys):
    missing = offer_missing(TalkOptions(), interactive=True, assume_yes=False, ask=lambda _: "n")
    assert missing == [needing]
    assert capsys.readouterr().err.endswith("Later: voicetui models get tiny\n")
    assert needing.locate() is None


def test_without_a_terminal_nothing_is_fetched_unasked(needing, capsys):
    missing = offer_missing(TalkOptions(), interactive=False, assume_yes=False)
    assert missing == [needing]
    assert capsys.readouterr().err.endswith("To fetch it: voicetui models get tiny\n")


@pytest.mark.parametrize("by", ["flag", "environment"])
def test_a_yes_in_advance_fetches_without_asking(needing, monkeypatch, by):
    if by == "environment":
        monkeypatch.setenv("VOICETUI_YES", "1")
    assert offer_missing(TalkOptions(), interactive=False, assume_yes=by == "flag") == []
    assert needing.locate()


def test_all_needed_fetches_what_is_missing_and_then_nothing(voicetui, needing):
    assert voicetui("models", "get", "--all-needed").code == 0
    assert needing.locate()
    assert voicetui("models", "get", "--all-needed").err == "Nothing to fetch: what a conversation needs is here.\n"


def test_on_a_terminal_one_line_is_rewritten(voicetui, tiny, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    first, last, _ = voicetui("models", "get", "tiny").err.split("\n")
    drawn = first.split("\r")[1:]
    assert drawn[-1].rstrip() == "tiny [####################] 100% 2 MB of 2 MB"
    assert all(len(line) < 60 for line in drawn)
    assert last.startswith("tiny: fetched: ")


def test_a_dumb_terminal_gets_plain_lines(voicetui, tiny, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "dumb")
    assert "\r" not in voicetui("models", "get", "tiny").err


@pytest.mark.parametrize(
    ("size", "words"), [(98_362_432, "98 MB"), (4_794, "4.8 kB"), (12, "12 bytes"), (264_364_726, "264 MB")]
)
def test_sizes_are_read_as_people_do(size, words):
    assert megabytes(size) == words


def test_progress_of_unknown_size_says_how_much_there_is(capsys, tiny):
    from voicetui.engine.models import Progress

    line = ProgressLine()
    line(Progress(tiny, "fetch", 3_000_000, 0, "somewhere"))
    line.end()
    assert capsys.readouterr().err == "tiny: 3 MB (somewhere)\n"
