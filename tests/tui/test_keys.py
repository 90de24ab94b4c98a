"""Keys: the user's choice is checked, and the interrupt is never lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from voicetui.tui.keys import (
    ALL_KEYS,
    ALWAYS_INTERRUPTS,
    BAR,
    FIRST_IN_BAR,
    INTERRUPT,
    check_keymap,
    read_keymap,
    shown,
)

IDS = [key.id for key in ALL_KEYS]


def keys_after(keymap):
    """Return the keys of every action once the keymap is set."""
    return {key.id: [k for k in keymap.get(key.id, key.keys).split(",") if k] for key in ALL_KEYS}


def test_every_action_has_an_id_of_its_own_and_no_key_means_two_things():
    assert len(set(IDS)) == len(IDS)
    keys = [key for names in keys_after({}).values() for key in names]
    assert len(set(keys)) == len(keys)


def test_the_bar_shows_actions_that_there_are():
    labels = {key.id: key.label for key in ALL_KEYS}
    assert all(labels[name] for name in BAR)
    assert set(FIRST_IN_BAR) <= set(BAR)


@pytest.mark.parametrize(
    ("wanted", "keymap"),
    [
        ({"mute": "x"}, {"mute": "x"}),
        ({"mute": "x, ctrl+x"}, {"mute": "x,ctrl+x"}),
        ({"help": "!"}, {"help": "exclamation_mark"}),
        ({"settings": ","}, {}),
        ({"mute": "b", "barge-in": "m"}, {"mute": "b", "barge-in": "m"}),
        ({"interrupt": "f5"}, {"interrupt": "f5,escape"}),
        ({"interrupt": "f5", "mute": "space"}, {"interrupt": "f5,escape", "mute": "space"}),
    ],
)
def test_a_wish_that_harms_nothing_is_granted(wanted, keymap):
    assert check_keymap(wanted) == (keymap, [])


@pytest.mark.parametrize(
    ("wanted", "complaint"),
    [
        ({"mute": "b"}, "mute cannot have b, which is for barge-in"),
        ({"mute": "space"}, "mute cannot have space, which is for interrupt"),
        ({"quit": "escape"}, "quit cannot have escape, which is for interrupt"),
        ({"nothing": "x"}, "there is no action 'nothing'"),
        ({"mute": ""}, "it must be a key"),
        ({"mute": 5}, "it must be a key"),
        ({"mute": "blurp"}, "there is no key 'blurp'"),
    ],
)
def test_a_wish_that_does_is_said_and_the_usual_keys_stay(wanted, complaint):
    keymap, complaints = check_keymap(wanted)
    assert keymap == {}
    assert len(complaints) == 1
    assert complaint in complaints[0]


KEYS = st.sampled_from(["space", "escape", "m", "b", "x", "f1", "ctrl+q", "enter", ",", "blurp", ""])
WISHES = st.dictionaries(st.sampled_from([*IDS, "nothing"]), st.lists(KEYS, min_size=1, max_size=3).map(",".join))


@given(WISHES)
def test_whatever_is_wished_the_interrupt_keeps_a_key_and_no_key_means_two_things(wanted):
    keys = keys_after(check_keymap(wanted)[0])
    assert ALWAYS_INTERRUPTS in keys[INTERRUPT]
    everything = [key for names in keys.values() for key in names]
    assert len(set(everything)) == len(everything)


def test_the_keymap_is_read_from_the_settings_file(tmp_path):
    file = tmp_path / "config.toml"
    file.write_text('language = "en"\n[keys]\nmute = "x"\nquit = "escape"\n')
    keymap, complaints = read_keymap(file)
    assert keymap == {"mute": "x"}
    assert len(complaints) == 1


@pytest.mark.parametrize(("text", "said"), [("[keys\n", "cannot be read"), ("keys = 3\n", "is a table")])
def test_a_file_that_cannot_be_read_leaves_the_usual_keys(tmp_path, text, said):
    file = tmp_path / "config.toml"
    file.write_text(text)
    keymap, complaints = read_keymap(file)
    assert keymap == {}
    assert said in complaints[0]


def test_no_file_is_no_fault(tmp_path):
    assert read_keymap(tmp_path / "none.toml") == ({}, [])


@pytest.mark.parametrize(
    ("key", "written"),
    [("space", "space"), ("ctrl+p", "^p"), ("f1", "F1"), ("comma", ","), ("slash", "/"), ("question_mark", "?")],
)
def test_keys_are_written_as_on_the_keyboard(key, written):
    assert shown(key) == written
