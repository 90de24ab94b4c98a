"""How much of a conversation a model is given."""

from voicetui.engine.think.history import estimated_tokens, exchanges, newer_half, newest
from voicetui.engine.think.prompt import PROMPTS, demo_prompt, system_prompt, with_prompt


def said(role, text):
    return {"role": role, "content": text}


CUT = said("system", "The user cut you off there.")
DIALOGUE = [
    said("user", "one"),
    said("assistant", "1"),
    CUT,
    said("user", "two"),
    said("assistant", "2"),
    said("user", "three"),
]


def test_an_exchange_begins_with_the_user_and_keeps_its_notes():
    assert exchanges(DIALOGUE) == [DIALOGUE[:3], DIALOGUE[3:5], DIALOGUE[5:]]


def test_what_precedes_the_first_word_of_the_user_is_an_exchange_of_its_own():
    greeting = said("assistant", "Good morning.")
    assert exchanges([greeting, *DIALOGUE[:2]]) == [[greeting], DIALOGUE[:2]]


def test_all_of_it_is_kept_where_there_is_room():
    assert newest(DIALOGUE, 1000) == DIALOGUE


def test_the_oldest_whole_exchanges_go_first():
    room = estimated_tokens(DIALOGUE[3:])
    assert newest(DIALOGUE, room) == DIALOGUE[3:]
    assert newest(DIALOGUE, room - 1) == DIALOGUE[5:]


def test_what_the_user_has_just_said_is_always_kept():
    assert newest(DIALOGUE, 0) == DIALOGUE[5:]
    assert newest([], 0) == []


def test_the_newer_half_is_less_until_nothing_is_left():
    assert newer_half(DIALOGUE) == DIALOGUE[5:]
    assert newer_half(DIALOGUE[5:]) == []


def test_the_prompt_is_in_the_language_of_the_user():
    assert system_prompt("fr-CA") == system_prompt("fr") == PROMPTS["fr"]
    assert system_prompt("") == system_prompt("fi") == PROMPTS["en"]


def test_a_dialogue_with_a_prompt_of_its_own_keeps_it():
    own = [said("system", "Be brief."), *DIALOGUE]
    assert with_prompt(own, demo_prompt()) == own
    assert with_prompt(DIALOGUE, demo_prompt()) == demo_prompt() + DIALOGUE
