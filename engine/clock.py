"""Time as a port: the running loop's own, or a virtual one on which a ten-minute conversation takes milliseconds.

All logic runs on asyncio and asks only its loop for the time: a loop with another clock is all that a simulation needs.
"""

from __future__ import annotations

import asyncio
import selectors
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

T = TypeVar("T")


class LoopClock:
    """The time of the running asyncio loop: `time.monotonic()` on a real loop, simulated on a `VirtualLoop`."""

    def __init__(self, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self._loop = loop or asyncio.get_running_loop()

    def now(self) -> float:
        """Return the present moment in seconds; may be called from any thread."""
        return self._loop.time()


STEPS_AT_ONE_MOMENT = 100_000
"""More steps than any work takes without a moment passing: tasks that go on waking each other run in a circle."""


class StalledError(RuntimeError):
    """On a virtual clock nothing can ever come of it: every task waits for ever, or they run in a circle."""


class _VirtualSelector(selectors.DefaultSelector):
    """A selector that never waits: where a real one would sleep, it moves the virtual time on."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.steps = 0
        self.on_step: Callable[[int], None] | None = None
        self._since_moved = 0
        self._told = False

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if not self._told:
            self.steps += 1
            self._since_moved += 1
            if self.on_step is not None:
                self.on_step(self.steps)
                self._told = timeout != 0  # what the hook started comes before any time passes
        else:
            self._told = False
        ready = super().select(0)
        if ready or timeout == 0 or self._told:
            if self._since_moved > STEPS_AT_ONE_MOMENT:
                raise StalledError("tasks wake each other in a circle and no time passes")
            return ready
        if timeout is None:
            raise StalledError("every task waits for something that can never come")
        self.now += timeout
        self._since_moved = 0
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """An asyncio loop on a virtual clock that starts at 0 and jumps to the next timer whenever nothing is ready.

    It runs on one thread: code that waits for another thread or process stalls it, and `StalledError` says so.
    """

    def __init__(self) -> None:
        self._virtual = _VirtualSelector()
        super().__init__(self._virtual)
        self._clock_resolution = 1e-9

    def time(self) -> float:
        """Return the virtual time in seconds."""
        return self._virtual.now

    @property
    def steps(self) -> int:
        """How often the loop has looked for work: one step runs everything that was ready."""
        return self._virtual.steps

    def each_step(self, hook: Callable[[int], None] | None) -> None:
        """Call `hook(step)` between any two steps, the place of every `await`; None takes it away."""
        self._virtual.on_step = hook


def run_virtual(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end on a fresh `VirtualLoop` and return its result."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
