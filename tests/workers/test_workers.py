"""A worker: a model in a child process that is streamed from, cancelled, and replaced. The targets are fakes."""

import asyncio
import contextlib
import gc
import os
import select
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from voicetui.engine import worker_process, workers
from voicetui.engine.errors import PartError
from voicetui.engine.workers import Worker

GUARD_S = 60  # no assertion: a test that waits for ever is ended


@pytest.fixture(autouse=True)
def nothing_is_left(monkeypatch):
    """Let the child find the fakes; afterwards there are no more threads and open files than before."""
    monkeypatch.syspath_prepend(Path(__file__).parent)
    files, threads = open_files(), set(threading.enumerate())
    yield
    for thread in set(threading.enumerate()) - threads:
        thread.join(5)
        assert not thread.is_alive(), thread.name
    gc.collect()
    assert open_files() <= files


def open_files():
    return len(list(Path("/dev/fd").iterdir()))


def run(test):
    """Run `test(start)` on a loop; `start(target, config)` makes a worker. No task may be left at the end."""

    async def main():
        async with asyncio.timeout(GUARD_S), contextlib.AsyncExitStack() as closing:

            def make(target="scripted", config=None, **options):
                worker = Worker("speak", f"fake_targets:{target}", config or {}, **options)
                closing.push_async_callback(worker.aclose)
                return worker

            await test(make)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


async def numbers(worker, **request):
    return [answer["number"] async for answer, _ in worker.stream(request)]


async def numbers_until_error(worker, request, **options):
    """Return the answers that came, and the error that ended them."""
    got = []
    try:
        async for answer, _ in worker.stream(request, **options):
            got.append(answer["number"])
    except PartError as error:
        return got, error
    raise AssertionError("no error")


def is_gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


async def replaced(worker):
    """Return a future of the reason for the next replacement."""
    future = asyncio.get_running_loop().create_future()
    worker.on_replaced = future.set_result
    return future


def test_answers_arrive_in_order():
    async def test(make):
        assert await numbers(make(), do="count", to=1000) == list(range(1000))

    run(test)


def test_a_request_may_have_no_answer():
    async def test(make):
        worker = make()
        assert await numbers(worker, do="nothing") == []
        with pytest.raises(PartError) as caught:
            await worker.call({"do": "nothing"})
        assert caught.value.code == "no-answer"

    run(test)


def test_ten_megabytes_go_there_and_back_unharmed():
    async def test(make):
        payload = os.urandom(1 << 20) * 10
        answer, data = await make().call({"do": "echo"}, payload)
        assert answer == {"length": len(payload)}
        assert data == payload

    run(test)


def test_start_returns_when_the_model_is_ready_and_names_the_process():
    async def test(make):
        worker = make()
        assert worker.pid is None
        await asyncio.gather(worker.start(), worker.start())
        pid = worker.pid
        await worker.start()
        assert worker.pid == pid
        await worker.aclose()
        assert worker.pid is None
        assert is_gone(pid)

    run(test)


def test_closing_the_iterator_cancels_in_the_child(tmp_path):
    async def test(make):
        worker, trace = make(), tmp_path / "trace"
        async with contextlib.aclosing(worker.stream({"do": "wait_for_cancel", "leaves": str(trace)})) as answers:
            await anext(answers)
        assert await numbers(worker, do="count", to=2) == [0, 1]
        assert trace.read_text() == "cancelled"

    run(test)


def test_cancelling_the_task_that_reads_cancels_in_the_child(tmp_path):
    async def test(make):
        worker, trace, first = make(), tmp_path / "trace", asyncio.Event()

        async def read():
            async for _ in worker.stream({"do": "wait_for_cancel", "leaves": str(trace)}):
                first.set()

        reading = asyncio.create_task(read())
        await first.wait()
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        assert await numbers(worker, do="count", to=2) == [0, 1]
        assert trace.read_text() == "cancelled"

    run(test)


def test_answers_of_a_cancelled_request_never_reach_the_next_one():
    async def test(make):
        worker = make()
        for _ in range(20):
            async with contextlib.aclosing(worker.stream({"do": "count_for_ever"})) as answers:
                await anext(answers)
            assert await numbers(worker, do="count", to=3) == [0, 1, 2]

    run(test)


def test_concurrent_requests_are_served_one_at_a_time_in_order():
    async def test(make):
        worker, log = make(), []

        async def ask(name):
            async for answer, _ in worker.stream({"do": "count", "to": 3}):
                log.append((name, answer["number"]))

        await asyncio.gather(*(ask(name) for name in "abcd"))
        assert log == [(name, number) for name in "abcd" for number in range(3)]

    run(test)


def test_a_handler_that_raises_fails_its_request_only():
    async def test(make):
        worker = make()
        await worker.start()
        pid = worker.pid
        with pytest.raises(PartError, match="ValueError: a bad request") as caught:
            await numbers(worker, do="fail")
        assert caught.value.part == "speak"
        assert await numbers(worker, do="count", to=2) == [0, 1]
        assert worker.pid == pid

    run(test)


def test_a_child_that_dies_in_mid_stream_is_replaced_and_its_last_words_are_kept():
    async def test(make):
        worker = make()
        reason = await replaced(worker)
        got, error = await numbers_until_error(worker, {"do": "die"})
        assert got == [0]
        assert error.code == "died"
        assert str(error) == "the voice's process died (killed by SIGKILL): the model ran out of tape"
        assert await numbers(worker, do="count", to=2) == [0, 1]
        assert (await reason).message == error.message

    run(test)


def test_a_child_that_dies_while_idle_is_replaced():
    async def test(make):
        worker = make()
        reason = await replaced(worker)
        await worker.start()
        pid = worker.pid
        os.kill(pid, signal.SIGKILL)
        assert (await reason).message == "the voice's process died (killed by SIGKILL)"
        assert worker.pid not in (None, pid)
        assert await numbers(worker, do="count", to=2) == [0, 1]

    run(test)


def test_requests_that_wait_for_a_turn_survive_the_death_of_the_child():
    async def test(make):
        worker = make()
        dying, *others = await asyncio.gather(
            numbers(worker, do="leave"),
            *(numbers(worker, do="count", to=2) for _ in range(3)),
            return_exceptions=True,
        )
        assert isinstance(dying, PartError)
        assert dying.message == "the voice's process died (exit code 3)"
        assert others == [[0, 1]] * 3

    run(test)


def test_a_child_that_hangs_is_killed_and_replaced():
    async def test(make):
        worker = make()
        await worker.start()
        pid, reason = worker.pid, await replaced(worker)
        got, error = await numbers_until_error(worker, {"do": "hang"}, stall_s=0.2)
        assert got == [0]
        assert error.code == "stalled"
        assert error.message == "the voice's process gave no answer for 0.2 s"
        assert (await reason).code == "stalled"
        assert is_gone(pid)
        assert await numbers(worker, do="count", to=2) == [0, 1]

    run(test)


def test_a_child_that_ignores_a_cancel_is_replaced_before_the_next_request(monkeypatch):
    monkeypatch.setattr(worker_process, "CANCEL_LIMIT_S", 0.05)

    async def test(make):
        worker = make()
        reason = await replaced(worker)
        async with contextlib.aclosing(worker.stream({"do": "hang"})) as answers:
            await anext(answers)
        assert await numbers(worker, do="count", to=2) == [0, 1]
        assert (await reason).message == "the voice's process did not stop when told to"

    run(test)


def test_time_spent_waiting_for_a_turn_is_no_stall(tmp_path):
    async def test(make):
        worker = make()
        first = worker.stream({"do": "wait_for_cancel", "leaves": str(tmp_path / "trace")})
        await anext(first)
        second = asyncio.create_task(worker.call({"do": "count", "to": 1}, stall_s=0.3))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.shield(second), 0.5)
        await first.aclose()
        assert (await second)[0] == {"number": 0}

    run(test)


@pytest.mark.parametrize(
    ("target", "code", "message"),
    [
        ("dies_loading", "died", "the voice's process died (killed by SIGABRT): weights.bin: unexpected end of file"),
        ("surprised", "failed", "KeyError: 'no such key'"),
        ("missing_part", "missing", "piper-tts is not installed"),
        ("no_such_factory", "failed", "AttributeError: module 'fake_targets' has no attribute 'no_such_factory'"),
    ],
)
def test_a_child_that_fails_at_start_says_why(target, code, message):
    async def test(make):
        worker = make(target)
        for _ in range(2):  # it may be tried again
            with pytest.raises(PartError) as caught:
                await worker.start()
            assert (caught.value.code, caught.value.message) == (code, message)
        assert worker.pid is None

    run(test)


def test_what_mends_a_missing_part_crosses_the_pipe():
    async def test(make):
        with pytest.raises(PartError) as caught:
            await make("missing_part").start()
        assert caught.value.fix == "pip install 'voicetui[speak]'"

    run(test)


def test_a_child_that_does_not_get_ready_is_given_up():
    async def test(make):
        worker = make("never_ready", start_limit_s=0.3)
        with pytest.raises(PartError) as caught:
            await worker.start()
        assert caught.value.code == "stalled"
        assert worker.pid is None

    run(test)


def test_an_executable_that_cannot_be_run_is_an_error_in_words(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no python"))

    async def test(make):
        with pytest.raises(PartError, match="the voice's process cannot be started"):
            await make().start()

    run(test)


def test_replacements_that_fail_are_tried_again_and_requests_are_told_meanwhile(monkeypatch, tmp_path):
    monkeypatch.setattr(workers, "BACK_OFF_S", (0.0, 0.0, 0.01))

    async def test(make):
        mark = tmp_path / "mark"
        worker = make("fails_after_first", {"mark": str(mark)})
        reason = await replaced(worker)
        with pytest.raises(PartError, match="exit code 3"):
            await worker.call({"do": "leave"})
        with pytest.raises(PartError, match=r"exit code 1\): no memory"):
            await worker.call({"do": "count", "to": 1})
        mark.unlink()
        assert (await reason).message == "the voice's process died (exit code 3)"
        assert await numbers(worker, do="count", to=2) == [0, 1]

    run(test)


def test_what_libraries_print_on_standard_output_harms_nothing():
    async def test(make):
        worker = make()
        assert await numbers(worker, do="write_to_1") == [0]
        assert await numbers(worker, do="count", to=2) == [0, 1]

    run(test)


def test_standard_input_of_the_child_is_empty():
    async def test(make):
        assert await make().call({"do": "read_from_0"}) == ({"length": 0}, b"")

    run(test)


def test_the_child_ignores_ctrl_c():
    async def test(make):
        worker = make()
        await worker.start()
        pid = worker.pid
        os.kill(pid, signal.SIGINT)
        assert await numbers(worker, do="count", to=2) == [0, 1]
        assert worker.pid == pid

    run(test)


def test_the_child_imports_neither_asyncio_nor_numpy():
    async def test(make):
        answer, _ = await make().call({"do": "list_modules"})
        assert not {"asyncio", "numpy", "voicetui.engine.discussion"} & set(answer["modules"])

    run(test)


def test_closing_ends_requests_under_way_and_waiting():
    async def test(make):
        worker = make()
        first = worker.stream({"do": "hang"})
        await anext(first)
        pid = worker.pid
        reading = asyncio.create_task(anext(first))
        waiting = asyncio.create_task(numbers(worker, do="count", to=2))
        await asyncio.sleep(0)
        await asyncio.gather(worker.aclose(), worker.aclose())
        for task in (reading, waiting):
            with pytest.raises(PartError) as caught:
                await task
            assert caught.value.code == "closed"
        assert is_gone(pid)
        with pytest.raises(PartError, match="closed"):
            await worker.start()

    run(test)


def test_closing_a_worker_that_never_started_is_nothing():
    async def test(make):
        await make().aclose()

    run(test)


@pytest.mark.parametrize("turns", [*range(1, 12), 20, 50])
def test_closing_while_starting_leaves_nothing(turns):
    async def test(make):
        worker = make("never_ready")
        starting = asyncio.create_task(worker.start())
        for _ in range(turns):
            await asyncio.sleep(0)
        await worker.aclose()
        with pytest.raises(PartError) as caught:
            await starting
        assert caught.value.code == "closed"

    run(test)


def test_closing_kills_a_child_that_does_not_terminate(tmp_path):
    async def test(make):
        os.mkfifo(tmp_path / "ready")
        worker = make("deaf", {"ready": str(tmp_path / "ready")})
        starting = asyncio.create_task(worker.start())
        await asyncio.to_thread((tmp_path / "ready").read_text)
        pid = worker.pid
        await worker.aclose()
        assert is_gone(pid)
        with pytest.raises(PartError):
            await starting

    run(test)


def test_closing_during_a_replacement_leaves_nothing():
    async def test(make):
        worker = make()
        with pytest.raises(PartError):
            await worker.call({"do": "leave"})
        waiting = asyncio.create_task(worker.start())
        await asyncio.sleep(0)
        await worker.aclose()
        with pytest.raises(PartError, match="closed"):
            await waiting

    run(test)


def test_giving_up_the_wait_for_a_start_harms_nothing():
    async def test(make):
        worker = make()
        starting = asyncio.create_task(worker.start())
        await asyncio.sleep(0)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        assert await numbers(worker, do="count", to=2) == [0, 1]

    run(test)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waiting for a process that is not a child needs Linux")
@pytest.mark.parametrize("target", ["scripted", "never_ready"])
def test_the_child_ends_when_its_parent_is_killed(target):
    script = f"""if True:
        import asyncio, sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from voicetui.engine.workers import Worker

        async def main():
            worker = Worker("speak", "fake_targets:{target}", {{}})
            starting = asyncio.ensure_future(worker.start())
            while worker.pid is None:
                await asyncio.sleep(0)
            if "{target}" == "scripted":
                await starting
                answers = worker.stream({{"do": "hang"}})
                await anext(answers)
            print(worker.pid, flush=True)
            await asyncio.Event().wait()

        asyncio.run(main())
    """
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as parent:
        child = os.pidfd_open(int(parent.stdout.readline()))
        parent.kill()
    try:
        ended, _, _ = select.select([child], [], [], GUARD_S)
    finally:
        os.close(child)
    assert ended
