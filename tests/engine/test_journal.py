"""The journal: every follower gets every event, once and in order."""

from __future__ import annotations

import asyncio

import pytest
from voicetui.engine import LoopClock, run_virtual
from voicetui.engine import events as ev
from voicetui.engine.journal import Journal


def draft(text):
    return ev.Draft(text=text)


def texts(events):
    return [event.text for event in events if isinstance(event, ev.Draft)]


def with_journal(main):
    """Run `main(journal)` on the virtual clock, in a conversation that has begun."""

    async def start():
        journal = Journal(LoopClock())
        journal.begin()
        return await main(journal)

    return run_virtual(start())


async def all_of(journal):
    return [event async for event in journal.follow()]


def test_events_are_numbered_from_zero_and_stamped_with_the_time_of_the_conversation():
    async def main(journal):
        seen = []
        journal.subscribe(seen.append)
        await asyncio.sleep(1.5)
        journal.add(draft("a"))
        journal.add(draft("b"))
        await asyncio.sleep(1)
        journal.add(ev.Ended(reason="over"))
        return [(event.seq, event.at_s) for event in seen]

    assert with_journal(main) == [(0, 1.5), (1, 1.5), (2, 2.5)]


def test_before_the_conversation_begins_its_time_is_zero():
    async def main():
        journal = Journal(LoopClock())
        await asyncio.sleep(5)
        early = journal.add(draft("typed early"))
        journal.begin()
        await asyncio.sleep(1)
        return early.at_s, journal.add(draft("later")).at_s, journal.since(5.5)

    assert run_virtual(main()) == (0.0, 1.0, 0.5)


def test_two_followers_each_get_all_events_in_order():
    async def main(journal):
        followers = [asyncio.create_task(all_of(journal)) for _ in range(2)]
        await asyncio.sleep(0)
        for n in range(100):
            journal.add(draft(str(n)))
        journal.add(ev.Ended(reason="over"))
        return await asyncio.gather(*followers)

    one, other = with_journal(main)
    assert one == other
    assert texts(one) == [str(n) for n in range(100)]
    assert [event.seq for event in one] == list(range(101))


def test_a_follower_that_comes_late_gets_what_happens_from_then_on():
    async def main(journal):
        journal.add(draft("before"))
        late = asyncio.create_task(all_of(journal))
        await asyncio.sleep(0)
        journal.add(draft("after"))
        journal.add(ev.Ended(reason="over"))
        return await late

    events = with_journal(main)
    assert texts(events) == ["after"]
    assert [event.seq for event in events] == [1, 2]


def test_one_that_comes_after_the_end_gets_the_end_alone():
    async def main(journal):
        journal.add(draft("said"))
        journal.add(ev.Ended(reason="over"))
        return await all_of(journal)

    assert [(event.kind, event.seq) for event in with_journal(main)] == [("ended", 1)]


def test_nothing_is_told_after_the_end():
    async def main(journal):
        seen = []
        journal.subscribe(seen.append)
        journal.add(ev.Ended(reason="over"))
        journal.add(draft("too late"))
        journal.add(ev.Ended(reason="again"))
        return [event.kind for event in seen]

    assert with_journal(main) == ["ended"]


def test_who_unsubscribed_hears_no_more_and_the_others_do():
    async def main(journal):
        gone, stays = [], []
        leave = journal.subscribe(gone.append)
        journal.subscribe(stays.append)
        journal.add(draft("a"))
        leave()
        leave()
        journal.add(draft("b"))
        return texts(gone), texts(stays)

    assert with_journal(main) == (["a"], ["a", "b"])


def test_a_follower_that_stops_following_is_forgotten():
    async def main(journal):
        events = journal.follow()
        first = asyncio.ensure_future(anext(events))
        await asyncio.sleep(0)
        journal.add(draft("a"))
        await first
        await events.aclose()
        return len(journal._followers)

    assert with_journal(main) == 0


def test_what_a_follower_adds_comes_after_what_it_is_told_for_every_follower():
    async def main(journal):
        orders = [[], [], []]

        def answers(event):
            if event.text == "question":
                journal.add(draft("answer"))

        journal.subscribe(lambda event: orders[0].append(event.text))
        journal.subscribe(answers)
        journal.subscribe(lambda event: orders[1].append(event.text))
        journal.subscribe(lambda event: orders[2].append(event.seq))
        journal.add(draft("question"))
        return orders

    assert with_journal(main) == [["question", "answer"], ["question", "answer"], [0, 1]]


def test_a_follower_that_fails_is_reported_and_harms_nobody_else():
    async def main(journal):
        problems, seen = [], []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: problems.append(context))

        def broken(event):
            raise ZeroDivisionError("a follower's own fault")

        journal.subscribe(broken)
        journal.subscribe(seen.append)
        journal.add(draft("a"))
        journal.add(draft("b"))
        return texts(seen), [type(problem["exception"]) for problem in problems]

    assert with_journal(main) == (["a", "b"], [ZeroDivisionError, ZeroDivisionError])


@pytest.mark.parametrize("moment", [None, 7.0])
def test_a_moment_of_the_clock_becomes_seconds_of_the_conversation(moment):
    async def main():
        await asyncio.sleep(4)
        journal = Journal(LoopClock())
        journal.begin()
        return journal.since(moment)

    assert run_virtual(main()) == (None if moment is None else 3.0)
