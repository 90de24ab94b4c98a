"""What models write, and what a person would read out of it."""

from __future__ import annotations

import pytest
from speech_text.feeding import pieces, spoken, written

READ = [
    # Lists, headings, emphasis
    (
        "Sure! Here are 3 tips:\n\n1. **Sleep**: Get 7–9 hours.\n2. *Eat* well.\n   - Fruit\n   - _Nuts_\n",
        ["Sure!", "Here are 3 tips:", "1, Sleep: Get 7–9 hours.", "2, Eat well.", "Fruit", "Nuts"],
    ),
    ("# One\n## Two ##\n###### Six\n#hashtag, C# and #1", ["One", "Two", "Six", "hashtag, C# and #1"]),
    ("Title\n=====\nOther\n-----\n***\n* * *\ntext", ["Title", "Other", "text"]),
    ("- [ ] wash\n- [x] dry", ["wash", "dry"]),
    ("* a\n+ b\n• c\n– d\n1) e\n(2) f\nB. g\niv. h", ["a", "b", "c", "d", "1, e", "(2) f", "B. g", "iv. h"]),
    ("> Quote one.\n>> Quote two.", ["Quote one.", "Quote two."]),
    ("***Both*** and **bold _nested_ text** and __bold__.", ["Both and bold nested text and bold."]),
    ("**Note:** Don't. **Why?** Because! *Really.*", ["Note: Don't.", "Why?", "Because!", "Really."]),
    ("**Are you sure?** Yes. **I am.**", ["Are you sure?", "Yes.", "I am."]),
    ("**bo**ld and ~~old~~ new", ["bold and old new"]),
    ("snake_case_name, __init__ and 2*3", ["snake case name, init and 2 × 3"]),
    ("\\*no\\* emphasis, 1\\. no list", ["no emphasis, 1. no list"]),
    ("Steps: 1. Mix 2. Bake 3. Eat.", ["Steps: 1. Mix 2. Bake 3. Eat."]),
    ("1. First. 2. Second. 3. Third.", ["1, First.", "2. Second.", "3. Third."]),
    ("Dear [Name],\n\nI am off.\n\nBest regards,\nAnn", ["Dear Name,", "I am off.", "Best regards,", "Ann"]),
    # Links and addresses
    ("See ![A cat](http://x.y/c.png) and [the (old) site](http://a.b/(c)).", ["See A cat and the (old) site."]),
    ("Text[^1] and fact[2] and [ref][3].\n\n[^1]: A note.\n[3]: http://a.b", ["Text and fact and ref."]),
    ("Go! [Here](http://x.y). [Look! There](z) now.", ["Go!", "Here.", "Look!", "There now."]),
    ("[text](http://never.closed and more\nNext line.", ["text", "Next line."]),
    ("Visit https://www.example.com/a.b?c=1. Then stop.", ["Visit example.com.", "Then stop."]),
    ("Is it (https://example.com/x)? Or <https://foo.org/y>?", ["Is it (example.com)?", "Or foo.org?"]),
    ("Mail <joe@example.com> now.", ["Mail joe@example.com now."]),
    # Code
    ("Use `my_var` and ``a`b``. Then `x = 1. # y`.", ["Use my var and a b.", "Then x = 1. # y."]),
    ("Use `main.py`. It runs. `List[int]` too.", ["Use main.py.", "It runs.", "List int too."]),
    ("Run: ```sh\nls\n```\nDone.", ["Run:", "Done."]),
    ("```print(1)``` inline.", ["print(1) inline."]),
    ("- item\n  ```sh\n  ls\n  ```\n- next", ["item", "next"]),
    ("> ```\n> ls\n> ```\nafter", ["after"]),
    ("a ` alone. Then more.\nNext. Line.", ["a alone. Then more.", "Next.", "Line."]),
    # Tables
    ("| Name | Age |\n|------|:---:|\n| Bob | 5 |", ["Name, Age", "Bob, 5"]),
    ("a | b\n--|--\n1 | 2", ["a, b", "1, 2"]),
    # HTML
    ("<b>bold</b> a<br>b <p class=\"x\">c</p> <!-- no --> d", ["bold a", "b", "c", "d"]),
    ("3 < 5, a<b and c>d, I <3 you, <your name>.", ["3 < 5, a<b and c>d, I <3 you, your name."]),
    ("AT&amp;T &lt;x&gt; caf&eacute; &copy;&nbsp;1 Q&A. R&D; done.", ["AT&T x café 1 Q&A.", "R&D; done."]),
    ("The `<div>` tag.", ["The div tag."]),
    # Emoji and symbols
    ("I love 🍕 pizza 🎉! Great 👍🏽. 🇫🇷 1️⃣ It is 22 °C ♥", ["I love pizza!", "Great.", "1 It is 22 °C"]),
    ("Hello! 👋 How are you? 😊", ["Hello!", "How are you?"]),
    ("Windows™ and Linux® © 2024 ℹ️", ["Windows and Linux 2024"]),
    ("A → B => C -> D", ["A, B, C, D"]),
    ("Wait -- what --- no. Use --help or -v.", ["Wait — what — no.", "Use help or -v."]),
    ("\\(x^2\\) is \\frac{1}{2} \\times 4, so \\boxed{2}. $$y$$", ["x^2 is 1 / 2 × 4, so 2.", "y"]),
    ("zero\u200bwidth, soft\u00adhyphen", ["zerowidth, softhyphen"]),
    # White space and control characters
    ("One\r\nTwo\rThree\u2028Four\x0bFive", ["One", "Two", "Three", "Four", "Five"]),
    ("\x1b[31mred\x1b[0m \x1b]0;title\x07ok a\x00b c\x08 \u202eevil\u202c \ud800x\ufeff", ["red ok ab c evil x"]),
    ("\x9b2Jgone \x1b(Bas is \x1bPq#1\x1b\\well", ["gone as is well"]),
    # What templates leak
    ("Hello <|im_end|> there<｜end▁of▁sentence｜>.", ["Hello there."]),
    ("Use `<think>` tags. Yes.", ["Use think tags.", "Yes."]),
    ("<think>a<think>b</think>c</think>Go on. <THINK>x</THINK>Good day</think>.", ["Go on.", "Good day."]),
    ("<thinking mode=\"x\">no</thinking>Yes. <reasoning>no</think>no</reasoning>Done.", ["Yes.", "Done."]),
    ("<think>`</think>Seen. </reasoning>Too. <thi", ["Seen.", "Too."]),
    ("x <think>a <reasoning>b</think> c", ["x c"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "read"), READ, ids=range(len(READ)))
def test_it_is_read_as_a_person_would(text, read):
    assert spoken(text) == read
    assert spoken(text, 1) == read
    assert spoken(text, 3) == read


def test_nothing_that_is_shown_has_control_characters():
    found = pieces("\x1b[31mred\x1b[0m \x1b]0;title\x07ok\x00 \x1b[2J\x9b1m\u202e!\ud800")
    assert written(found) == "red ok !"


def test_an_unfinished_escape_sequence_swallows_no_more_than_its_line():
    assert spoken("\x1b]0;never ended\nStill here.") == ["Still here."]


def test_marks_and_emoji_stay_in_what_is_shown():
    text = "**Bold** 🎉 [link](http://a.b)!\n\n| a | b |\n|---|---|\n- `x`"
    assert written(pieces(text)) == text


def test_lines_without_a_full_stop_are_pieces():
    assert spoken("Roses are red\nViolets are blue\n\nSugar is sweet") == [
        "Roses are red",
        "Violets are blue",
        "Sugar is sweet",
    ]
