"""What goes wrong in a part, in the words that the user is shown."""

from __future__ import annotations


class VoicetuiError(Exception):
    """Something that a user can mend: what failed and why, in one line, and how to mend it.

    `message` says what failed and why; `fix` is the one command or action that mends it ("" where there is none).
    """

    def __init__(self, message: str, *, fix: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix

    def __str__(self) -> str:
        return f"{self.message} ({self.fix})" if self.fix else self.message


class UsageError(VoicetuiError):
    """A flag, file or setting that cannot be used as given: the command line exits with 2."""


class PartError(VoicetuiError):
    """A part (`listen`, `think`, `speak`, `play`) is missing or failed: the command line exits with 1.

    `code` names the failure for programs, in lower case with hyphens (`missing`, `no-answer`, `died`, …).
    """

    def __init__(self, part: str, message: str, *, fix: str = "", code: str = "failed") -> None:
        super().__init__(message, fix=fix)
        self.part = part
        self.code = code


def as_part_error(error: Exception, part: str, what: str) -> PartError:
    """Return what a part raised as its failure, `what` being what failed; a user's own part may raise anything."""
    return error if isinstance(error, PartError) else PartError(part, f"{what}: {type(error).__name__}: {error}")
