"""The scripted mind and voice fail as they are told, and keep a record."""

from __future__ import annotations

import pytest
from voicetui.engine import events as ev
from voicetui.engine.scenario import parse_scenario, play


def played(parts, stimuli='[[user]]\nsay = "hello there"\n[[user]]\nsay = "once more"\nafter = "listening"\n'):
    return play(parse_scenario(f"{parts}\n{stimuli}"))


def heard(record):
    return [u.text for u in record.conversation.utterances if u.speaker == "agent"]


def errors(record):
    return [(e.part, e.message) for e in record.events if isinstance(e, ev.PartFailed)]


def test_replies_come_an_exchange_each_and_the_last_one_again_and_again():
    again = '[[user]]\nsay = "third time"\nafter = "listening"\n[[user]]\nsay = "fourth time"\nafter = "listening"'
    record = played(f'[model]\nreplies = ["One.", "Two."]\n[[user]]\nsay = "first time"\n{again}', "")
    assert heard(record) == ["One.", "Two.", "Two."]
    assert [request.exchange for request in record.requests] == [1, 2, 3]


def test_a_prepared_reply_belongs_to_the_exchange_that_it_prepares():
    record = played('[ears]\neager_s = 0.2\n[model]\nreplies = ["One.", "Two."]')
    assert heard(record) == ["One.", "Two."]
    assert [request.exchange for request in record.requests] == [1, 2]


def test_the_model_takes_its_time():
    record = played("[model]\nfirst_token_s = 2.5\necho = 1")
    assert [timing.stages()["think"] for timing in record.conversation.timings] == pytest.approx([2.5, 2.5])


def test_hidden_reasoning_is_in_no_reply():
    record = played('[model]\nthinking = "a secret plan. It is long."\nreplies = ["Yes.", "No."]')
    assert heard(record) == ["Yes.", "No."]


def test_an_empty_reply_is_said_to_be_one():
    record = played('[model]\nreplies = ["", "Well."]')
    assert heard(record) == ["Well."]
    assert errors(record) == [("think", "the model's reply was empty")]


@pytest.mark.parametrize("tokens", [1, 2])
def test_a_model_that_fails_in_its_only_sentence_leaves_none_of_it_as_a_finished_reply(tokens):
    failing = f'{{ text = "Not to be finished.", fail_after_tokens = {tokens} }}'
    record = played(f'[model]\nreplies = [{failing}, "Well."]')
    assert [u.incomplete for u in record.conversation.utterances if u.text.startswith("Not")] in ([], [True])
    assert errors(record) == [("think", "the model broke off")]
    assert heard(record)[-1] == "Well."


def test_failing_after_more_tokens_than_there_are_fails_at_the_end():
    record = played('[model]\nreplies = [{ text = "All of it.", fail_after_tokens = 99 }, "Well."]')
    assert heard(record) == ["All of it.", "Well."]
    assert errors(record) == [("think", "the model broke off")]


def test_a_request_that_is_dropped_is_recorded_as_cancelled():
    stimuli = '[[user]]\nsay = "hello there"\n[[user]]\ninterrupt = "key"\nafter = "thinking"\nwait_s = 0.2\n'
    (request,) = played("[model]\nfirst_token_s = 1.0", stimuli).requests
    assert (request.cancelled, request.complete) == (True, False)


def test_a_voice_that_fails_is_an_error_and_the_next_turn_is_spoken():
    record = played('[voice]\nfailing_sentences = [1]\nfailure = "no voice"\n[model]\nreplies = ["One.", "Two."]')
    assert errors(record) == [("speak", "no voice")]
    assert heard(record) == ["Two."]


def test_a_voice_without_a_sample_is_an_error_and_the_next_turn_is_spoken():
    record = played('[policy]\nvoice_limit_s = 2\n[voice]\nsilent_sentences = [1]\n[model]\nreplies = ["One.", "Two."]')
    assert [part for part, _ in errors(record)] == ["speak"]
    assert heard(record) == ["Two."]
