"""Themes: those that come with voicetui are legible, the user's are checked, and a bad one harms nothing."""

from __future__ import annotations

import pytest
from textual.color import Color
from voicetui.tui.inks import INKS, VARIABLES, defaults, styles
from voicetui.tui.themes import DARK, FEW_COLOURS, LIGHT, ThemeError, Themes, first_choice, load, parse_theme

OURS = load()
NAMES = ["contrast", "day", "night", "phosphor", "terminal"]
GOOD = 'name = "mine"\nbackground = "#101010"\nforeground = "#eeeeee"\nprimary = "#88aaff"\n'


def luminance(colour):
    """Return the relative luminance of WCAG 2."""
    channels = [channel / 255 for channel in colour.rgb]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    """Return the contrast ratio of WCAG 2, from 1 to 21."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_our_themes_are_there_and_good():
    assert sorted(OURS.by_name) == NAMES
    assert OURS.complaints == []


@pytest.mark.parametrize("name", [name for name in NAMES if name != FEW_COLOURS])
def test_every_word_is_legible(name):
    """4.5 to 1 for whatever says something (WCAG 2, AA); frames and empty cells of a meter say nothing."""
    theme = OURS.by_name[name]
    variables = {**defaults(theme), **theme.variables}
    ground = Color.parse(theme.background)
    least = {"talk-frame": 1.3, "level-off": 1.3}
    for variable in VARIABLES:
        ratio = contrast(Color.parse(variables[variable]), ground)
        assert ratio >= least.get(variable, 4.5), (variable, round(ratio, 2))


def test_high_contrast_is_high():
    theme = OURS.by_name["contrast"]
    variables = {**defaults(theme), **theme.variables}
    ground = Color.parse(theme.background)
    assert all(contrast(Color.parse(variables[v]), ground) >= 7 for v in VARIABLES if v != "level-off")


def test_the_terminals_own_colours_stay_its_own():
    theme = OURS.by_name[FEW_COLOURS]
    assert theme.ansi
    assert all(value.startswith("ansi_") for value in defaults(theme).values())


@pytest.mark.parametrize("name", NAMES)
def test_every_ink_has_its_variable(name):
    theme = OURS.by_name[name]
    assert set(styles({**defaults(theme), **theme.variables}, flat=theme.ansi)) == set(INKS)


def test_a_theme_of_the_users_gets_the_defaults():
    theme = parse_theme(GOOD)
    assert set(defaults(theme)) == set(VARIABLES)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('accent = "blurple"', "accent is 'blurple', which is no colour"),
        ("accent = 5", "accent is 5, which is no colour"),
        ('dark = "yes"', "dark is 'yes', it must be true or false"),
        ('colour = "#ffffff"', "there is no colour 'colour'"),
        ('[variables]\nfloor-speaking = "bold"', "floor-speaking is 'bold', which is no colour"),
        ('[variables]\nbutton-color = "#ffffff"', "there is no colour 'button-color'"),
        ("variables = 3", "variables is a table"),
        ("accent", "no TOML"),
    ],
)
def test_what_is_wrong_with_a_theme_is_said(line, said):
    with pytest.raises(ThemeError, match=said.replace("[", r"\[")):
        parse_theme(GOOD + line)


@pytest.mark.parametrize("needed", ["name", "background", "foreground", "primary"])
def test_what_a_theme_lacks_is_said(needed):
    text = "\n".join(line for line in GOOD.splitlines() if not line.startswith(needed))
    with pytest.raises(ThemeError, match=needed):
        parse_theme(text)


@pytest.fixture
def own_themes(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    folder = tmp_path / "voicetui" / "themes"
    folder.mkdir(parents=True)
    return folder


def test_the_users_themes_are_found_and_bad_ones_passed_over(own_themes):
    (own_themes / "mine.toml").write_text(GOOD)
    (own_themes / "bad.toml").write_text(GOOD + 'accent = "blurple"')
    (own_themes / "bytes.toml").write_bytes(b"\xff\xfe")
    (own_themes / "notes.txt").write_text("no theme")
    themes = load()
    assert sorted(themes.by_name) == sorted([*NAMES, "mine"])
    assert [line.partition(" is passed over")[0] for line in themes.complaints] == [
        "themes/bad.toml",
        "themes/bytes.toml",
    ]


def test_a_theme_of_the_users_takes_the_place_of_ours(own_themes):
    (own_themes / "night.toml").write_text(GOOD.replace("mine", "night"))
    assert load().by_name["night"].background == "#101010"


@pytest.mark.parametrize(
    ("wanted", "few", "environ", "chosen"),
    [
        ("", False, {}, DARK),
        ("", False, {"COLORFGBG": "15;0"}, DARK),
        ("", False, {"COLORFGBG": "0;15"}, LIGHT),
        ("", True, {}, FEW_COLOURS),
        ("phosphor", True, {}, "phosphor"),
        ("nothing", False, {}, DARK),
    ],
)
def test_the_first_theme_suits_the_terminal(wanted, few, environ, chosen):
    themes = Themes(dict(OURS.by_name))
    assert first_choice(wanted, themes, few_colours=few, environ=environ) == chosen
    assert len(themes.complaints) == (wanted == "nothing")
