"""Every command and flag. Nothing here is heavy, so that `--help` and `--version` answer at once."""

from __future__ import annotations

import argparse
import sys
from typing import Any, NoReturn

from voicetui.tui.commands.values import loudspeaker, scenario_file, seconds, wav_file, whole_number

SESSIONS = ("list", "show", "export", "replay", "delete")


class Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one line, then the usage, and exits with 2."""

    def error(self, message: str) -> NoReturn:
        """Report wrong usage."""
        sys.stderr.write(f"voicetui: {message}\n{self.format_usage()}")
        self.exit(2)


class _Version(argparse.Action):
    """Print the version, which is looked up only then."""

    def __init__(self, option_strings: list[str], dest: str, **_: object) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from voicetui.tui.commands.version import version

        sys.stdout.write(f"voicetui {version()}\n")
        parser.exit()


def build_parser() -> Parser:
    """Return the parser; its result has `command`, the module in `voicetui.tui.commands` whose `run` is called."""
    parser = Parser(
        prog="voicetui",
        description="Hold a spoken conversation at the terminal. Without a command: talk at the microphone.",
        epilog="Everything runs on this machine; nothing is sent anywhere.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=Parser)
    _talk(commands)
    _rehearse(commands)
    _doctor_and_devices(commands)
    _models(commands)
    _config(commands)
    _bench(commands)
    _later(commands)
    return parser


def _add(commands: Any, name: str, text: str, *, module: str = "") -> argparse.ArgumentParser:  # noqa: ANN401
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=text, description=f"{text[0].upper()}{text[1:]}.", allow_abbrev=False
    )
    parser.set_defaults(command=module or name, name=name)
    return parser


def _talk(commands: Any) -> None:  # noqa: ANN401 - argparse does not name the type
    add = _add(commands, "talk", "talk at the microphone (what happens without a command)").add_argument
    add("--voice", metavar="V", help="a voice of `voicetui models list`, or the path of a Piper voice (.onnx)")
    add("--language", metavar="L", help="the language spoken: en, fr, … (default en)")
    add("--model", metavar="M", help="an Ollama model, a model of `voicetui models list`, or the path of a .gguf file")
    add("--device", metavar="NAME", help="the microphone: its name or number in `voicetui devices`")
    add("--speaker", metavar="NAME", type=loudspeaker("--speaker"), help="the loudspeaker; or none, or a .wav to write")
    add(
        "--wav",
        metavar="FILE",
        type=wav_file("--wav"),
        action="append",
        help="stream this WAV as the microphone, in real time; may be given more than once",
    )
    add("--record", metavar="DIR", help="write both sides into this folder, as a stereo WAV")
    _floor_flags(add)
    add(
        "--silence-timeout",
        metavar="S",
        type=seconds("--silence-timeout"),
        help="end after so long a silence (0: never)",
    )
    add("--json", action="store_true", help="print one JSON report at the end")
    add("--events", action="store_true", help="print every event to standard error, a line of JSON each")
    add("--plain", action="store_true", help="no full screen: a line for whatever happens, as for screen readers")
    add("--yes", action="store_true", help="fetch missing models without asking (or VOICETUI_YES=1)")


def _floor_flags(add: Any) -> None:  # noqa: ANN401 - a bound method of argparse
    add("--no-barge-in", dest="barge_in", action="store_false", default=None, help="speech does not stop the agent")
    add(
        "--grace",
        metavar="S",
        type=seconds("--grace"),
        help="speech that ends so soon after first audio does not stop the agent (default 0.35)",
    )
    add(
        "--max-sentences",
        metavar="N",
        type=whole_number("--max-sentences"),
        help="a reply ends after so many sentences (default 0: no limit)",
    )


def _rehearse(commands: Any) -> None:  # noqa: ANN401
    add = _add(
        commands, "rehearse", "the same loop on scripted parts: no microphone, model, sound card or network"
    ).add_argument
    add("turns", metavar="TURN", nargs="*", help="what the user says, a turn each (default bonjour)")
    add("--sentences", metavar="N", type=whole_number("--sentences", 1), help="sentences a reply (default 3)")
    add(
        "--interrupt-after",
        metavar="S",
        type=seconds("--interrupt-after"),
        help="cut in so long after the first audio of the first reply",
    )
    _floor_flags(add)
    add(
        "--scenario",
        metavar="FILE",
        type=scenario_file("--scenario"),
        help="play this TOML of stimuli, or a scenario that comes with voicetui, and check its expectations",
    )
    add("--json", action="store_true", help="print the JSON report")
    add("--tui", action="store_true", help="play it in the application, in real time")


def _doctor_and_devices(commands: Any) -> None:  # noqa: ANN401
    doctor = _add(commands, "doctor", "what can run here, part by part, and the command that mends what cannot")
    doctor.add_argument("--json", action="store_true", help="print it as JSON")
    doctor.epilog = (
        "Exits with 0 where `voicetui` holds a conversation: it can hear, think and speak. Without a microphone it "
        "talks to the bundled question, without a loudspeaker the reply goes to a file; both are said."
    )
    devices = _add(commands, "devices", "list microphones and loudspeakers")
    devices.add_argument("--json", action="store_true", help="print them as JSON")
    devices.add_argument("--test", action="store_true", help="play a tone and show the level")


def _models(commands: Any) -> None:  # noqa: ANN401
    parser = _add(commands, "models", "list, fetch and remove models")
    parser.set_defaults(action="list", json=False)
    actions = parser.add_subparsers(metavar="[list|get|remove]", parser_class=Parser)
    listing = actions.add_parser("list", help="what there is and what is here", allow_abbrev=False)
    listing.add_argument("--json", action="store_true", help="print it as JSON")
    listing.set_defaults(action="list")
    get = actions.add_parser("get", help="fetch and check models", allow_abbrev=False)
    get.add_argument("ids", metavar="ID", nargs="*", help="ids of `voicetui models list`")
    get.add_argument("--all-needed", action="store_true", help="what a conversation needs here and is missing")
    get.add_argument("--language", metavar="L", help="with --all-needed: for this language")
    get.set_defaults(action="get")
    remove = actions.add_parser("remove", help="remove fetched models", allow_abbrev=False)
    remove.add_argument("ids", metavar="ID", nargs="+", help="ids of `voicetui models list`")
    remove.add_argument("--yes", action="store_true", help="without asking (or VOICETUI_YES=1)")
    remove.set_defaults(action="remove")


def _config(commands: Any) -> None:  # noqa: ANN401
    parser = _add(commands, "config", "the settings file: where it is, what holds, edit it")
    parser.add_argument("action", nargs="?", choices=("path", "show", "edit"), default="show")


def _bench(commands: Any) -> None:  # noqa: ANN401
    bench = _add(commands, "bench", "measure the loop: each figure, how it was made, and what it has to beat")
    bench.add_argument("names", metavar="NAME", nargs="*", help="names of `voicetui bench --list` (default: all)")
    bench.add_argument("--json", action="store_true", help="print a line of JSON a figure")
    bench.add_argument("--list", action="store_true", help="what there is to measure")


def _later(commands: Any) -> None:  # noqa: ANN401
    serve = _add(commands, "serve", "HTTP, WebSocket, MCP and the browser page (not in this version)", module="later")
    serve.add_argument("--host", default="127.0.0.1")
    serve.add_argument("--port", metavar="N", type=whole_number("--port", 0, 65535), default=8090)
    serve.add_argument("--token", metavar="T")
    _add(commands, "calibrate", "measure this room and these devices (not in this version)", module="later")
    sessions = _add(commands, "sessions", "earlier conversations (not in this version)", module="later")
    sessions.add_argument("action", nargs="?", choices=SESSIONS, default="list")
    sessions.add_argument("rest", metavar="ARG", nargs="*")
