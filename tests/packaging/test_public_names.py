"""What a library user meets says what it is for."""

from __future__ import annotations

import inspect

import pytest
import voicetui
import voicetui.engine

NAMES = [name for name in voicetui.engine.__all__ if inspect.isclass(getattr(voicetui.engine, name))]
FUNCTIONS = [name for name in voicetui.engine.__all__ if inspect.isroutine(getattr(voicetui.engine, name))]


def own_members(cls):
    for name, member in vars(cls).items():
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property | classmethod)):
            yield name, member


@pytest.mark.parametrize("name", NAMES + FUNCTIONS)
def test_a_public_name_has_a_docstring(name):
    doc = (
        vars(getattr(voicetui.engine, name)).get("__doc__") if name in NAMES else getattr(voicetui.engine, name).__doc__
    )
    assert doc
    assert not doc.startswith(f"{name}("), "a dataclass's own signature is no docstring"


@pytest.mark.parametrize("name", NAMES)
def test_its_methods_have_docstrings(name):
    cls = getattr(voicetui.engine, name)
    silent = [member for member, value in own_members(cls) if not inspect.getdoc(getattr(cls, member, value))]
    assert silent == []


def test_the_package_has_the_names_of_its_engine():
    for name in voicetui.engine.__all__:
        assert getattr(voicetui, name) is getattr(voicetui.engine, name)
    assert set(voicetui.engine.__all__) <= set(dir(voicetui))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        voicetui.no_such_name  # noqa: B018
