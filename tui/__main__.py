"""The command line: finds the command, runs it, and turns whatever goes wrong into one line and an exit code.

Exit codes: 0 done, and 0 on Ctrl-C after a clean stop; 1 a part is missing or failed; 2 wrong usage.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBADF)
"""What writing to standard output fails with where its disk or its terminal is at fault."""


def main(argv: list[str] | None = None) -> int:
    """Run `voicetui` with these arguments (without the program's name) and return the exit code."""
    _accept_any_text()
    try:
        try:
            code = _run(sys.argv[1:] if argv is None else argv)
        finally:
            _flush()
    except KeyboardInterrupt:
        return 0
    except BrokenPipeError:  # the reader, `head` for one, has seen enough
        _drop_output(sys.stdout, sys.stderr)
        return 0
    except SystemExit as end:  # argparse, after `--help` or wrong usage
        return end.code if isinstance(end.code, int) else 0
    except OSError as error:
        if error.errno not in UNWRITABLE or error.filename is not None:
            return _report(error)
        _drop_output(sys.stdout)
        _say(f"voicetui: the output cannot be written: {error.strerror}")
        return 1
    except Exception as error:  # the top: everything else is reported here
        if os.environ.get("VOICETUI_DEBUG"):
            raise
        return _report(error)
    return code


def _run(argv: list[str]) -> int:
    from voicetui.tui.commands.parser import build_parser

    parser = build_parser()
    args = parser.parse_args(argv)
    if not hasattr(args, "command"):
        args = parser.parse_args([*argv, "talk"])
    code: int = import_module(f"voicetui.tui.commands.{args.command}").run(args)
    return code


def _report(error: Exception) -> int:
    errors = sys.modules.get("voicetui.engine.errors")  # imported by whoever raised one of them
    if errors and isinstance(error, errors.UsageError):
        _say(f"voicetui: {error}")
        return 2
    if errors and isinstance(error, errors.VoicetuiError):
        _say(f"voicetui: {error.message}")
        if error.fix:
            _say(f"  mend it: {error.fix}")
        return 1
    from voicetui.tui.commands.crash import write_details

    _say(f"voicetui: this should not have happened: {_one_line(error)}; {write_details(error)}")
    return 1


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _say(line: str) -> None:
    with contextlib.suppress(OSError, ValueError):  # standard error is closed: nobody to tell
        print(line, file=sys.stderr, flush=True)


def _accept_any_text() -> None:
    """Let a terminal that cannot show a letter show `?` for it, instead of an error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and not stream.closed:
            stream.flush()


def _drop_output(*streams: TextIO) -> None:
    """Point standard output or error at nothing, so that Python's last flush does not complain."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            os.dup2(nothing, stream.fileno())


if __name__ == "__main__":
    sys.exit(main())
