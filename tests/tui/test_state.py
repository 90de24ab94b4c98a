"""The screen's data: the engine's events folded one by one, over whole conversations of the real loop."""

from __future__ import annotations

import pytest
from support.harness import hold
from support.screen import rehearsed
from voicetui.engine import Floor, Policy, ScriptedListener, ScriptedResponder, SilentVoice, Source, Wait
from voicetui.engine import events as ev
from voicetui.tui.spans import STRIP_S
from voicetui.tui.state import PAUSE_S, Shown, TalkState


def folded(events):
    state = TalkState()
    for event in events:
        state.apply(event)
    return state


def states(events):
    """Yield the state after each event."""
    state = TalkState()
    for event in events:
        state.apply(event)
        yield event, state


def words(state):
    return [(turn.speaker, turn.heard, turn.unheard) for turn in state.turns]


def recorded(held):
    return [(turn.speaker, turn.text, turn.unheard_text) for turn in held.conversation.utterances]


FOUR = "One is here.\nTwo is here.\nThree is here.\nFour is here.\n"


ASKED = ("tell me", Wait(4.0))


def cut_at(when, script=ASKED, **options):
    def cut(held):
        held.talk.interrupt(Source.KEY)

    responder = options.pop("responder", None) or ScriptedResponder([FOUR, "Fine."], first_token_s=0.2, token_s=0.1)
    voice = options.pop("voice", None) or SilentVoice(first_pcm_s=0.2, sentence_s=0.5)
    return hold(script, responder, voice, acts={when: cut}, **options)


# -- the transcript -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("after_s", [0.05, 0.2, 0.31, 0.45, 0.7, 1.1, 1.6, 2.4])
@pytest.mark.parametrize("floor", ["thinking", "speaking"])
def test_the_transcript_is_the_record_wherever_the_reply_is_cut(floor, after_s):
    held = cut_at((floor, after_s))
    state = folded(held.events)
    assert words(state) == recorded(held)
    assert not any(turn.live for turn in state.turns)


@pytest.mark.parametrize("after_s", [0.05, 0.3, 0.39])
def test_a_reply_cut_before_any_word_was_heard_leaves_no_turn(after_s):
    held = cut_at(("thinking", after_s))
    after = [state for event, state in states(held.events) if event.kind == "stop"]
    assert after
    for event, state in states(held.events):
        if event.kind == "stop":
            assert [turn.speaker for turn in state.turns] == ["user"]


class MuteVoice(SilentVoice):
    """A fake that never says what was heard of a sentence that was stopped."""

    async def speak(self, sentence):
        spoken = await super().speak(sentence)
        return spoken if not spoken.cut else type(spoken)("", 0.0, None, True)


def test_a_reply_of_which_the_voice_heard_nothing_does_not_stay_as_a_live_turn():
    held = cut_at(("speaking", 0.1), script=("tell me", Wait(3.0), "again"), voice=MuteVoice(sentence_s=0.5))
    state = folded(held.events)
    assert words(state) == recorded(held)
    assert [turn.speaker for turn in state.turns if turn.live] == []


def test_a_draft_is_live_until_its_turn_is_over():
    events = [e for e in rehearsed() if e.at_s < 2.5]
    turn = folded(events).turns[-1]
    assert (turn.speaker, turn.heard, turn.live, turn.committed) == ("user", "what's the weather in Lyon", True, False)
    turn = folded([e for e in rehearsed() if e.at_s < 3.0]).turns[-1]
    assert (turn.live, turn.committed) == (False, True)


def test_words_not_spoken_yet_stand_apart():
    turn = folded([e for e in rehearsed() if e.at_s < 12.0]).turns[-1]
    assert turn.heard == "The mistral is a strong, cold, north-westerly wind that blows down the Rhône valley."
    assert turn.unheard.startswith("It can last for days")
    assert turn.live


def test_a_cut_turn_says_how_much_was_heard_and_how_soon_it_was_silent():
    turn = next(turn for turn in folded(rehearsed()).turns if turn.cut)
    spoken = [e for e in rehearsed() if e.kind == "spoken" and e.cut]
    stop = next(e for e in rehearsed() if e.kind == "stop")
    assert turn.cut.heard_s == pytest.approx(sum(e.played_s for e in spoken))
    assert turn.cut.total_s == pytest.approx(turn.cut.heard_s + stop.discarded_s)
    assert turn.cut.silent_ms == stop.silent_ms
    assert turn.heard == spoken[0].heard_text


def test_an_acknowledgement_is_no_turn():
    assert "mm-hm" not in [turn.heard for turn in folded(rehearsed()).turns]
    during = [state.turns[-1].heard for event, state in states(rehearsed()) if event.kind == "draft"]
    assert "mm-hm" in during


def test_turns_that_wait_for_their_answer_keep_their_order():
    script = ["first", Wait(0.3, Floor.SPEAKING), ev.SpeechStart(turn_index=1), ev.Draft(turn_index=1, text="second")]
    script += [ev.Committed(turn_index=1, text="second"), ev.SpeechStart(turn_index=2)]
    script += [ev.Draft(turn_index=2, text="third"), ev.Committed(turn_index=2, text="third"), Wait(8.0)]
    held = hold(script, ScriptedResponder(["One.", "Two.", "Three."]), policy=Policy(allow_barge_in=False))
    state = folded(held.events)
    assert words(state) == recorded(held)
    assert [turn.heard for turn in state.turns if turn.speaker == "user"] == ["first", "second", "third"]


def test_a_draft_that_came_to_nothing_is_gone_at_the_end():
    events = [e for e in rehearsed() if e.at_s < 2.0]
    state = folded([*events, ev.Ended(reason="closed", at_s=2.0)])
    assert state.turns == []
    assert state.ended == "closed"


def test_counts_are_those_of_the_record():
    state = folded(rehearsed())
    assert (state.transcript.by_user, state.transcript.cut) == (3, 1)


# -- the floor -------------------------------------------------------------------------------------------------------


def test_the_words_of_the_floor_follow_the_events():
    seen = []
    for _, state in states(rehearsed()):
        if not seen or seen[-1] is not state.shown:
            seen.append(state.shown)
    listening, thinking, speaking = Shown.LISTENING, Shown.THINKING, Shown.SPEAKING
    first = [listening, thinking, speaking, Shown.GIVING_WAY, speaking, listening]
    second = [thinking, speaking, Shown.GIVING_WAY, speaking, Shown.INTERRUPTED]
    assert seen == [*first, *second, thinking, speaking, listening, Shown.IDLE]


def test_the_interruption_stays_until_the_turn_goes_on():
    state = TalkState(floor=Floor.LISTENING, interrupted=True)
    assert state.shown is Shown.INTERRUPTED
    state.apply(ev.SpeechStart(turn_index=1))
    assert state.shown is Shown.LISTENING


# -- exchanges --------------------------------------------------------------------------------------------------------


def test_exchanges_have_the_numbers_of_the_engine():
    for event, state in states(rehearsed()):
        if event.kind in ("reply", "speaking"):
            assert state.exchange.number == event.exchange
        if event.kind == "timing":
            assert state.exchange.number == event.breakdown["exchange"]
            assert state.exchange.timing is event.breakdown


def test_a_late_timing_does_not_reach_the_next_exchange():
    state = TalkState(floor=Floor.LISTENING)
    for number in (1, 2):
        state.apply(ev.Committed(turn_index=number, text="go on"))
        state.apply(ev.FloorPassed(floor=Floor.THINKING, cause="committed"))
    state.apply(ev.TimingMeasured(breakdown={"exchange": 1}))
    assert state.exchange.number == 2
    assert state.exchange.timing is None
    assert state.timings == [{"exchange": 1}]


def test_the_ears_marks_are_taken_over_at_once():
    marks = ev.HearingMarks(last_voice=100.0, decided=100.45, final_text=100.54)
    state = TalkState(floor=Floor.LISTENING)
    state.apply(ev.Committed(turn_index=0, text="go on", marks=marks, at_s=7.0))
    state.apply(ev.FloorPassed(floor=Floor.THINKING, cause="committed", at_s=7.0))
    assert state.exchange.last_voice_s == pytest.approx(6.46)
    assert state.exchange.decided_s == pytest.approx(6.91)
    assert state.exchange.final_text_s == pytest.approx(7.0)


def test_a_silence_after_speech_begins_to_count_and_is_forgotten_when_speech_goes_on():
    state = TalkState(floor=Floor.LISTENING)
    state.apply(ev.SpeechEnd(turn_index=0, at_s=3.0))
    assert state.current(3.2).last_voice_s == 3.0
    state.apply(ev.SpeechStart(turn_index=0, at_s=3.4))
    assert state.current(3.5).last_voice_s is None


def test_a_cough_does_not_count_for_ever():
    state = TalkState(floor=Floor.LISTENING)
    state.apply(ev.SpeechEnd(turn_index=0, at_s=3.0))
    assert state.current(3.0 + PAUSE_S).last_voice_s is None


def test_a_reply_begun_early_is_known_only_if_it_was_for_these_words():
    for text, expected in (("go on", 2.0), ("go on then", None)):
        state = TalkState(floor=Floor.LISTENING)
        state.apply(ev.EagerEndOfTurn(turn_index=0, text="go on", at_s=2.0))
        state.apply(ev.Committed(turn_index=0, text=text, at_s=2.4))
        state.apply(ev.FloorPassed(floor=Floor.THINKING, cause="committed", at_s=2.4))
        assert state.exchange.eager_s == expected


def test_which_exchanges_were_cut_is_kept_with_the_time_to_silence():
    stop = next(e for e in rehearsed() if e.kind == "stop")
    assert folded(rehearsed()).cuts == {2: stop.silent_ms}


# -- problems ---------------------------------------------------------------------------------------------------------


def test_a_part_that_works_again_is_no_problem_any_more():
    state = TalkState()
    for part in ("listen", "think", "speak"):
        state.apply(ev.PartFailed(part=part, message="broken"))
    assert len(state.problems) == 3
    state.apply(ev.Committed(turn_index=0, text="go on"))
    state.apply(ev.ReplySentence(exchange=1, text="Yes."))
    state.apply(ev.Speaking(exchange=1, sentence=0, text="Yes."))
    assert state.problems == []


def test_one_problem_a_part_and_what_is_over_is_only_remarked():
    state = TalkState()
    state.apply(ev.DeviceChanged(part="listen", message="the microphone is gone", fix="plug it in again"))
    state.apply(ev.DeviceChanged(part="listen", message="the microphone is gone", fix="plug it in again"))
    assert len(state.problems) == 1
    state.apply(ev.DeviceChanged(part="listen", message="the microphone is back", recovered=True, at_s=4.0))
    assert state.problems == []
    assert (state.remark.message, state.remark.at_s) == ("the microphone is back", 4.0)


# -- who spoke when -----------------------------------------------------------------------------------------------


def test_spans_are_those_of_the_sounds():
    spans = [(span.speaker, round(span.from_s, 2), round(span.to_s, 2)) for span in folded(rehearsed()).spans]
    at = {kind: [round(e.at_s, 2) for e in rehearsed() if e.kind == kind] for kind in ("speech_start", "speech_end")}
    assert [span[1] for span in spans if span[0] == "user"] == at["speech_start"]
    assert [span[2] for span in spans if span[0] == "user"] == at["speech_end"]
    assert sum(span[0] == "agent" for span in spans) == 4  # the first reply paused for the acknowledgement


def test_old_spans_are_forgotten():
    state = TalkState()
    for at_s in range(0, 1000, 10):
        state.apply(ev.SpeechStart(turn_index=0, at_s=float(at_s)))
        state.apply(ev.SpeechEnd(turn_index=0, at_s=at_s + 1.0))
    assert len(state.spans.all) <= STRIP_S / 10 + 2
    assert state.spans.all[0].to_s >= 990 - STRIP_S


# -- length -------------------------------------------------------------------------------------------------------


def test_an_event_costs_no_more_after_eight_hours():
    """The fold looks at no more than the last few turns, whatever came before."""

    class Watched(list):
        looked = 0

        def __getitem__(self, key):
            Watched.looked += len(range(*key.indices(len(self)))) if isinstance(key, slice) else 1
            return super().__getitem__(key)

        def __iter__(self):
            raise AssertionError("the whole transcript was walked through")

    state = TalkState()
    state.transcript.all = Watched()
    listener = ScriptedListener(["go on"] * 2)
    held = hold(listener, ScriptedResponder(["Yes. And so on."]), SilentVoice(sentence_s=0.3))
    for event in [*held.events[:-2]] * 50:
        state.apply(event)
    Watched.looked = 0
    for event in held.events[:-2]:
        state.apply(event)
    assert Watched.looked <= len(held.events) * 2 * 32
