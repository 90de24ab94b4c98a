"""One simulated conversation from its seed, and what asyncio has to say about it."""

from __future__ import annotations

import asyncio
import warnings
from typing import TYPE_CHECKING, Any

from voicetui.engine.clock import VirtualLoop
from voicetui.engine.simulation.course import Course, Disturbance
from voicetui.engine.simulation.seen import Seen

if TYPE_CHECKING:
    from collections.abc import Coroutine


def converse(seed: int, disturbance: Disturbance | None = None) -> Seen:
    """Hold the conversation of a seed, perhaps disturbed at one step, and return what was seen of it."""
    loop = VirtualLoop()
    course = Course(seed, disturbance)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _run(loop, course)
    seen = course.seen
    seen.faults += [f"{warning.category.__name__}: {warning.message}" for warning in caught]
    return seen


def _run(loop: VirtualLoop, course: Course) -> None:
    tasks = course.tasks

    def make(made_by: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any], **more: Any) -> asyncio.Task[Any]:  # noqa: ANN401
        task = asyncio.Task(work, loop=made_by, **more)
        tasks.append(task)
        return task

    faults = course.seen.faults

    def complain(_: asyncio.AbstractEventLoop, told: dict[str, Any]) -> None:
        if "simulated" not in str(told.get("exception")):
            faults.append(f"{told['message']}: {told.get('exception')!r}")

    loop.set_task_factory(make)  # type: ignore[arg-type]  # what else a task is made with differs between Pythons
    loop.set_exception_handler(complain)
    loop.each_step(course.step)
    try:
        loop.run_until_complete(course.hold())
    except Exception as err:  # noqa: BLE001 - whatever escapes is what is looked for
        faults.append(f"escaped: {type(err).__name__}: {err}")
    finally:
        course.seen.steps = loop.steps
        loop.each_step(None)
        faults += [f"never looked at: {task!r}" for task in tasks if getattr(task, "_log_traceback", False)]
        _end(loop, tasks)


def _end(loop: VirtualLoop, tasks: list[asyncio.Task[Any]]) -> None:
    """Let everything go, so that nothing complains once more."""
    left = [task for task in tasks if not task.done()]
    for task in left:
        task.cancel()
    for task in tasks:
        task._log_traceback = False  # noqa: SLF001
    loop.set_exception_handler(lambda *_: None)
    try:
        if left:
            loop.run_until_complete(asyncio.wait(left, timeout=60))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()
