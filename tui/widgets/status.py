"""The status line: the session at the left; at the right what was just done, or the figures of the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from voicetui.tui.text import Row, one_line, row_len, shorten
from voicetui.tui.widgets.lines import Lines

if TYPE_CHECKING:
    from voicetui.tui.view import View

REMARK_S = 6.0
"""How long it is said that something went wrong and is over."""


def session_words(view: View) -> list[str]:
    """Return what is said of the session, the most important last."""
    state = view.state
    turns, cut = state.transcript.by_user, state.transcript.cut
    words = [f"session {view.session}"] if view.session else []
    words.append(_clock(view.now_s if state.begun else 0.0))
    words.append(f"{turns} {'turn' if turns == 1 else 'turns'}")
    return [*words, f"{cut} interrupted"] if cut else words


def _clock(seconds: float) -> str:
    whole = max(0, int(seconds))
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"


def right_words(view: View) -> tuple[str, str]:
    """Return what stands at the right, and its ink."""
    state = view.state
    if view.notice:
        return one_line(view.notice), "notice"
    if state.ended is not None:
        return f"over: {one_line(state.ended)}", "notice"
    remark = state.remark
    if remark is not None and view.now_s - remark.at_s < REMARK_S:
        return f"{remark.part}: {one_line(remark.message)}", "notice"
    off = [] if view.barge_in else ["barge-in off"]
    xruns = view.gauges.xruns()
    figures = [f"{xruns} {'xrun' if xruns == 1 else 'xruns'}", f"ui {view.fps} fps"]
    if view.engine_share is not None:
        figures.append(f"engine {view.engine_share:.0%}".replace("%", " %"))
    return f" {view.glyphs.dot} ".join([*off, *figures]), "faint"


class StatusLine(Lines):
    """One row."""

    def rows(self, width: int, height: int) -> list[Row]:  # noqa: ARG002 - it is one row high
        """Return the row; the session's words give way to those at the right."""
        glyphs = self.view.glyphs
        text, ink = right_words(self.view)
        text = shorten(text, width - 2, glyphs.ellipsis)
        words = session_words(self.view)
        while words:
            left: Row = [(f" {f' {glyphs.dot} '.join(words)}", "label")]
            space = width - row_len(left) - row_len([(text, ink)]) - 1
            if space >= 2:
                return [[*left, (" " * space, "faint"), (text, ink), (" ", "faint")]]
            words.pop(0)
        return [[(" ", "faint"), (text, ink)]]
