"""A scenario file: what its tables mean, and the one line that says what is wrong with it."""

from __future__ import annotations

import pytest
from voicetui.engine.errors import UsageError
from voicetui.engine.events import Committed, Floor, Source, TurnKind
from voicetui.engine.policy import OnSpeech
from voicetui.engine.scenario import parse_scenario, read_scenario
from voicetui.engine.scenario.script import (
    Backchannel,
    BargeIn,
    Cough,
    Ears,
    Echo,
    End,
    Hear,
    Interrupt,
    Microphone,
    Pause,
    RecogniserError,
    ReplyScript,
    Say,
    Stimulus,
    Typed,
    VoiceScript,
    When,
)

SAY = '[[user]]\nsay = "hello"\n'


def only_stimulus(lines):
    (stimulus,) = parse_scenario(f"[[user]]\n{lines}\n").stimuli
    return stimulus


@pytest.mark.parametrize(
    ("lines", "act"),
    [
        ('say = "hello there"', Say(("hello there",))),
        ('say = ["a", "b", "c"]\ngaps_s = 0.7\nword_s = 0.2', Say(("a", "b", "c"), (0.7, 0.7), (0.2,) * 3)),
        ('say = ["a", "b"]\ngaps_s = 0.7\nword_s = [0.2, 0.3]', Say(("a", "b"), (0.7,), (0.2, 0.3))),
        ('say = ["a", "b", "c"]\ngaps_s = [1, 2.5]', Say(("a", "b", "c"), (1.0, 2.5))),
        ("cough_s = 0.18", Cough(0.18)),
        ('backchannel = "mm-hm"', Backchannel("mm-hm")),
        ("echo = true", Echo()),
        ("barge_in_s = 1", BargeIn(1.0)),
        ("pause_s = 3", Pause(3.0)),
        ('typed = "hello"', Typed("hello", Source.KEY)),
        ('typed = "hello"\nsource = "http"', Typed("hello", Source.HTTP)),
        ('interrupt = "key"', Interrupt(Source.KEY)),
        ('microphone = "lost"', Microphone(back=False)),
        ('microphone = "back"', Microphone(back=True)),
        ('recogniser_error = "died"', RecogniserError("died")),
        ('recogniser_error = "died"\nfatal = true', RecogniserError("died", fatal=True)),
        (
            'hear = "committed"\ntext = ""\nuser_turn = false\nturn_kind = "noise"',
            Hear(Committed(text="", user_turn=False, turn_kind=TurnKind.NOISE)),
        ),
        ('end = "goodbye"', End("goodbye")),
    ],
)
def test_what_happens(lines, act):
    assert only_stimulus(lines).act == act


@pytest.mark.parametrize(
    ("lines", "when"),
    [
        ("", When()),
        ("at_s = 2", When(at_s=2.0)),
        ("wait_s = 0.5", When(wait_s=0.5)),
        ('after = "previous"\nwait_s = 0.5', When(wait_s=0.5)),
        ('after = "thinking"', When(floor=Floor.THINKING)),
        ('after = "speaking"\nwait_s = 0.25', When(floor=Floor.SPEAKING, wait_s=0.25)),
    ],
)
def test_when_it_happens(lines, when):
    assert only_stimulus(f'say = "a"\n{lines}').when == when


def test_a_stimulus_knows_its_place():
    scenario = parse_scenario(f'title = "x"\n\n{SAY}\n[[user]] # the second\nend = "x"\n', "a.toml")
    assert [stimulus.place for stimulus in scenario.stimuli] == ["a.toml:3: [[user]] 1", "a.toml:6: [[user]] 2"]


def test_without_tables_the_parts_are_plain():
    scenario = parse_scenario(SAY)
    assert scenario.replies == (ReplyScript(),)
    assert (scenario.voice, scenario.ears) == (VoiceScript(), Ears())
    assert scenario.stimuli == (Stimulus(Say(("hello",)), place="scenario:1: [[user]] 1"),)


def test_the_parts_follow_their_tables():
    scenario = parse_scenario(
        """
        limit_s = 20
        [policy]
        barge_in_grace_s = 0
        on_speech = "duck"
        [ears]
        eager_s = 0.3
        [voice]
        first_pcm_s = 0
        sentence_s = 0.2
        failing_sentences = [2]
        [model]
        token_s = 0.5
        failure = "out of memory"
        replies = ["Yes.", { text = "No.", token_s = 0.1, fail_after_tokens = 0 }, { thinking = "hm" }]
        [[user]]
        say = "hello"
        """
    )
    assert scenario.limit_s == 20
    assert scenario.policy.barge_in_grace_s == 0
    assert scenario.policy.on_speech is OnSpeech.DUCK
    assert scenario.ears == Ears(eager_s=0.3)
    assert scenario.voice == VoiceScript(first_pcm_s=0, sentence_s=0.2, failing_sentences=frozenset({2}))
    assert scenario.replies == (
        ReplyScript("Yes.", token_s=0.5, failure="out of memory"),
        ReplyScript("No.", token_s=0.1, failure="out of memory", fail_after_tokens=0),
        ReplyScript("", token_s=0.5, failure="out of memory", thinking="hm"),
    )


def test_ears_that_die_are_outlived_only_by_what_follows():
    dies = '[[user]]\nrecogniser_error = "died"\nfatal = true\n'
    assert not parse_scenario(SAY + dies).outlives_ears
    assert parse_scenario(dies + '[[user]]\ntyped = "hello"\n').outlives_ears


def test_what_is_heard_as_it_is_gets_its_place_and_moment_from_the_ears():
    act = only_stimulus('hear = "committed"\ntext = "a"').act
    assert act == Hear(Committed(text="a", marks=None))
    with pytest.raises(UsageError, match="'turn_index' means nothing here"):
        only_stimulus('hear = "committed"\ntext = "a"\nturn_index = 3')


WRONG = [
    ("[[user]\n", "a.toml: this is not TOML: Expected ']]' at the end of an array declaration (at line 1, c"),
    ("", "a.toml:1: nothing happens: it needs at least one [[user]] table"),
    (
        f'titel = "x"\n{SAY}',
        "a.toml:1: 'titel' means nothing here; what does: policy, ears, model, voice, user, expect, ",
    ),
    (f"{SAY}[polcy]\n", "a.toml:3: 'polcy' means nothing here; what does: policy, ears"),
    (f"title = 3\n{SAY}", "a.toml:1: title is 3, it must be a text"),
    (f"limit_s = -1\n{SAY}", "a.toml:1: limit_s is -1, it must be seconds, 0 or more"),
    (f"policy = 3\n{SAY}", "a.toml:1: policy is 3, it must be a table: [policy]"),
    ("user = 3", "a.toml:1: user is 3, it must be a list of tables: [[user]]"),
    (
        f"{SAY}[policy]\ngrace = 1\n",
        "a.toml:4: [policy]: 'grace' means nothing here; what does: allow_barge_in, barge_",
    ),
    (
        f'{SAY}[policy]\nbarge_in_grace_s = "soon"\n',
        "a.toml:4: [policy]: barge_in_grace_s is 'soon', it must be seconds, 0 or more",
    ),
    (
        f'{SAY}[policy]\non_speech = "shout"\n',
        "a.toml:4: [policy]: on_speech is 'shout', it must be one of pause, stop, d",
    ),
    (
        f"{SAY}[policy]\nmax_reply_sentences = 1.5\n",
        "a.toml:4: [policy]: max_reply_sentences is 1.5, it must be 0 or mo",
    ),
    (f"{SAY}[policy]\nallow_barge_in = 1\n", "a.toml:4: [policy]: allow_barge_in is 1, it must be bool"),
    (f"{SAY}[ears]\nword_s = nan\n", "a.toml:4: [ears]: word_s is nan, it must be seconds, 0 or more"),
    (f"{SAY}[ears]\nword_s = true\n", "a.toml:4: [ears]: word_s is True, it must be seconds, 0 or more"),
    (
        f"{SAY}[voice]\nsilent_sentences = [0]\n",
        "a.toml:4: [voice]: silent_sentences is [0], it must be a list of whole",
    ),
    (
        f"{SAY}[voice]\nsilent = true\n",
        "a.toml:4: [voice]: 'silent' means nothing here; what does: first_pcm_s, word_s",
    ),
    (f"{SAY}[model]\necho = -1\n", "a.toml:4: [model]: echo is -1, it must be a whole number, 0 or more"),
    (
        f'{SAY}[model]\nreplies = "a"\n',
        "a.toml:4: [model]: replies is 'a', it must be a list of texts, or of tables with",
    ),
    (
        f"{SAY}[model]\nreplies = []\n",
        "a.toml:4: [model]: replies is [], it must be a list of texts, or of tables with a",
    ),
    (f'{SAY}[model]\necho = 1\nreplies = ["a"]\n', "a.toml:4: [model]: give either `echo` or `replies`"),
    (
        f'{SAY}[model]\nreplies = ["a", {{ txt = "b" }}]\n',
        "a.toml: [model.replies 2]: 'txt' means nothing here; what do",
    ),
    (
        "[[user]]\nat_s = 1\n",
        "a.toml:1: [[user]] 1: nothing happens in it: it needs one of say, cough_s, backchannel, ec",
    ),
    (f"{SAY}[[user]]\ncoff_s = 1\n", "a.toml:3: [[user]] 2: nothing happens in it: it needs one of say, cough_s, "),
    (f"{SAY}cough_s = 1\n", "a.toml:1: [[user]] 1: it says say and cough_s at once: it needs one of say, "),
    (
        f"{SAY}[[user]]\nsay = ''\n",
        "a.toml:4: [[user]] 2: say is '', it must be a text with at least one word, or a list",
    ),
    (f"{SAY}[[user]]\nsay = '...'\n", "a.toml:4: [[user]] 2: say is '...', it must be a text with at least one word"),
    (
        "[[user]]\nsay = []\n",
        "a.toml:2: [[user]] 1: say is [], it must be a text with at least one word, or a list of su",
    ),
    ("[[user]]\nsay = ['a', 'b']\n", "a.toml:1: [[user]] 1: it needs gaps_s: the silence between the phrases of `say`"),
    (
        "[[user]]\nsay = ['a', 'b']\ngaps_s = [1, 2]\n",
        "a.toml:3: [[user]] 1: gaps_s is [1, 2], it must be one number, or 1: one between",
    ),
    (
        f"{SAY}wait = 1\n",
        "a.toml:3: [[user]] 1: 'wait' means nothing here; what does: say, gaps_s, word_s, at_s, after, w",
    ),
    (
        f"{SAY}after = 'talking'\n",
        "a.toml:3: [[user]] 1: after is 'talking', it must be one of listening, thinking, spe",
    ),
    (f"{SAY}at_s = 1\nwait_s = 1\n", "a.toml:3: [[user]] 1: give either `at_s`, or `after` and `wait_s`"),
    (f"{SAY}at_s = -0.5\n", "a.toml:3: [[user]] 1: at_s is -0.5, it must be seconds, 0 or more"),
    ("[[user]]\ncough_s = 'x'\n", "a.toml:2: [[user]] 1: cough_s is 'x', it must be seconds, 0 or more"),
    ("[[user]]\necho = false\n", "a.toml:2: [[user]] 1: echo is False, it must be true"),
    ("[[user]]\ntyped = ' '\n", "a.toml:2: [[user]] 1: typed is ' ', it must be a text with at least one word"),
    (
        "[[user]]\ninterrupt = 'shout'\n",
        "a.toml:2: [[user]] 1: interrupt is 'shout', it must be one of voice, key, http",
    ),
    ("[[user]]\nmicrophone = 'gone'\n", "a.toml:2: [[user]] 1: microphone is 'gone', it must be one of lost, back"),
    (
        "[[user]]\nhear = 'floor'\n",
        "a.toml:2: [[user]] 1: hear is 'floor', it must be one of speech_start, speech_end, ",
    ),
    ("[[user]]\nhear = 'draft'\n", "a.toml:1: [[user]] 1: draft needs text"),
    ("[[user]]\nend = 'x'\n[[user]]\nsay = 'b'\n", "a.toml:2: [[user]] 1: nothing can follow the end"),
    (
        f"{SAY}[[expect]]\ncount = 1\n",
        "a.toml:3: [[expect]] 1: it expects nothing: it needs one of event, order, floor, ",
    ),
    (
        f"{SAY}[[expect]]\nevent = 'stopp'\n",
        "a.toml:4: [[expect]] 1: event is 'stopp', it must be one of floor, speech_s",
    ),
    (
        f"{SAY}[[expect]]\nevent = 'stop'\nhas = {{ silent = 1 }}\n",
        "a.toml:5: [[expect]] 1: has: stop has no 'silent'; it has seq, at_s, source, discarded_s, silent_ms",
    ),
    (
        f"{SAY}[[expect]]\nevent = 'stop'\nhas = {{ silent_ms = {{ most = 1 }} }}\n",
        "a.toml:5: [[expect]] 1: has: silent_ms is {'most': 1}, it must be a value, or bounds: min, max",
    ),
    (
        f"{SAY}[[expect]]\nevent = 'stop'\nhas = {{ silent_ms = {{ max = 'x' }} }}\n",
        "a.toml:5: [[expect]] 1: has: silent_ms is {'max': 'x'}, it must be a value, or bounds: min, max",
    ),
    (
        f"{SAY}[[expect]]\nevent = 'stop'\nwhere = 3\n",
        "a.toml:5: [[expect]] 1: where is 3, it must be a table of fields",
    ),
    (f"{SAY}[[expect]]\nevent = 'stop'\nwithin_s = 3\n", "a.toml:5: [[expect]] 1: `within_s` and `until` need `after`"),
    (
        f"{SAY}[[expect]]\nevent = 'stop'\ncount = 1\nnever = true\n",
        "a.toml:3: [[expect]] 1: give one of `count`, `neve",
    ),
    (
        f"{SAY}[[expect]]\nevent = 'stop'\nat_least = 2\nat_most = 1\n",
        "a.toml:6: [[expect]] 1: at_most is less than at",
    ),
    (f"{SAY}[[expect]]\norder = ['stop']\n", "a.toml:4: [[expect]] 1: order is ['stop'], it must be a list of two"),
    (
        f"{SAY}[[expect]]\norder = ['stop', 3]\n",
        "a.toml:4: [[expect]] 1: order is ['stop', 3], it must be an event's k",
    ),
    (
        f"{SAY}[[expect]]\nfloor = ['user']\n",
        "a.toml:4: [[expect]] 1: floor is ['user'], it must be a list of idle, lis",
    ),
    (f"{SAY}[[expect]]\ntranscript = 3\n", "a.toml:4: [[expect]] 1: transcript is 3, it must be a list of texts"),
    (
        f"{SAY}[[expect]]\nheard = ['a']\ncount = 2\n",
        "a.toml:5: [[expect]] 1: 'count' means nothing here; what does: h",
    ),
    ("user = [{ say = 3 }]", "a.toml: [[user]] 1: say is 3, it must be a text with at least one word"),
]


@pytest.mark.parametrize(("text", "line"), WRONG, ids=range(len(WRONG)))
def test_a_wrong_file_is_one_line_that_says_where_and_what_is_accepted(text, line):
    with pytest.raises(UsageError) as error:
        parse_scenario(text, "a.toml")
    assert line in str(error.value)
    assert "\n" not in str(error.value)


def test_a_header_inside_a_text_is_not_taken_for_a_line_of_the_file():
    text = '[[user]]\nsay = """\n[[user]]\nhello"""\ncoff = 1\n'
    with pytest.raises(UsageError, match=r"^a\.toml: \[\[user\]\] 1: 'coff' means nothing"):
        parse_scenario(text, "a.toml")


def test_a_file_that_cannot_be_read_is_one_line(tmp_path):
    with pytest.raises(UsageError, match=r"gone\.toml: No such file"):
        read_scenario(tmp_path / "gone.toml")
    (tmp_path / "latin.toml").write_bytes('title = "é"'.encode("latin-1"))
    with pytest.raises(UsageError, match=r"latin\.toml: this is not a text in UTF-8"):
        read_scenario(tmp_path / "latin.toml")
    with pytest.raises(UsageError, match=r"Is a directory|Permission denied"):
        read_scenario(tmp_path)
