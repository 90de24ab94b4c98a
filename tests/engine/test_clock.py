"""The virtual clock: time that jumps, an end that is seen, and a hook between any two steps."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest
from voicetui.engine import LoopClock, StalledError, VirtualLoop, run_virtual


def run(main):
    """Run `main(loop)` on a virtual loop."""
    loop = VirtualLoop()
    try:
        return loop.run_until_complete(main(loop))
    finally:
        loop.close()


def test_a_virtual_hour_ends_on_the_second():
    async def main():
        clock = LoopClock()
        await asyncio.sleep(3600)
        return clock.now()

    assert run_virtual(main()) == 3600


def test_a_virtual_loop_starts_at_zero():
    async def main():
        return LoopClock().now()

    assert run_virtual(main()) == 0


def test_timers_fire_in_their_order_each_at_its_moment():
    fired = []

    async def main():
        loop = asyncio.get_running_loop()
        for name, at in (("late", 2.0), ("early", 1.0), ("first", 0.5)):
            loop.call_at(at, lambda name=name: fired.append((name, loop.time())))
        await asyncio.sleep(3)

    run_virtual(main())
    assert fired == [("first", 0.5), ("early", 1.0), ("late", 2.0)]


def test_limits_expire_in_virtual_time():
    async def main():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(5):
                await asyncio.Event().wait()
        return asyncio.get_running_loop().time()

    assert run_virtual(main()) == 5


def test_waiting_for_what_can_never_come_is_an_error_and_no_hang():
    async def main(loop):
        await asyncio.Event().wait()

    with pytest.raises(StalledError, match="never come"):
        run(main)


def test_tasks_that_wake_each_other_for_ever_are_an_error_and_no_hang():
    async def main(loop):
        def again():
            loop.call_soon(again)

        again()
        await asyncio.Event().wait()

    with pytest.raises(StalledError, match="in a circle"):
        run(main)


def test_the_hook_is_called_before_every_step():
    async def main(loop):
        steps = []
        loop.each_step(steps.append)
        for _ in range(3):
            await asyncio.sleep(0)
        await asyncio.sleep(1)
        loop.each_step(None)
        count = len(steps)
        await asyncio.sleep(0)
        assert steps == list(range(steps[0], steps[0] + count))
        assert loop.steps > steps[-1]
        return count

    assert run(main) >= 4


def test_what_a_hook_starts_comes_before_time_moves_on():
    async def main(loop):
        began = []

        async def work():
            began.append(loop.time())

        def hook(step):
            if not tasks and loop.time() == 0 and sleeping:
                tasks.append(loop.create_task(work()))

        tasks, sleeping = [], []
        loop.each_step(hook)
        sleeping.append(True)
        await asyncio.sleep(10)
        await asyncio.gather(*tasks)
        return began

    assert run(main) == [0]


def test_the_steps_of_the_same_work_are_the_same_each_time():
    async def main(loop):
        await asyncio.gather(*(asyncio.sleep(n / 10) for n in range(5)))
        return loop.steps

    assert run(main) == run(main)


def test_a_call_from_another_thread_reaches_a_virtual_loop():
    async def main(loop):
        came = asyncio.Event()
        thread = threading.Thread(target=loop.call_soon_threadsafe, args=(came.set,), name="caller")
        thread.start()
        thread.join()
        await came.wait()
        return loop.time()

    assert run(main) == 0


def test_on_a_real_loop_the_clock_is_the_machines_own_monotonic_time():
    async def main():
        before = time.monotonic()
        now = LoopClock().now()
        assert before <= now <= time.monotonic()

    asyncio.run(main())
