"""HTML in a model's text: tags are dropped, entities spoken as what they stand for, `a < b` is left alone."""

from __future__ import annotations

import html
import re

_LONGEST = 300
_ATTRIBUTE = r"\s+[\w:-]+\s*=\s*(?:\"[^\"<>\n]*\"|'[^'<>\n]*'|[^\s\"'<>=]+)"
_TAG = re.compile(rf"</?([A-Za-z][A-Za-z0-9]*)(?:{_ATTRIBUTE})*\s*/?>")
_TAG_BEGUN = re.compile(
    rf"</?(?:([A-Za-z][A-Za-z0-9]*)(?:{_ATTRIBUTE})*"
    r"(?:\s*/?|\s+[\w:-]*(?:\s*=\s*(?:\"[^\"<>\n]*\"?|'[^'<>\n]*'?|[^\s\"'<>=]*))?))?"
)
_COMMENT = re.compile(r"<!--[^\n]*?-->")
_COMMENT_BEGUN = re.compile(r"<(?:!(?:-(?:-[^\n]*)?)?)?")
_ADDRESS = re.compile(r"<((?:https?://|mailto:)[^\s<>]+)>", re.IGNORECASE)
_ADDRESS_BEGUN = re.compile(
    r"<(?:h|ht|htt|https?|https?:/?|https?://[^\s<>]*|m[ailto]{0,5}|mailto:[^\s<>]*)", re.IGNORECASE
)
_ENTITY = re.compile(r"&(?:#[xX]?[0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_ENTITY_BEGUN = re.compile(r"&(?:#[xX]?[0-9a-fA-F]{0,6}|[A-Za-z][A-Za-z0-9]{0,30})?")

_LINE_TAGS = frozenset(
    """br p div li ul ol tr table h1 h2 h3 h4 h5 h6 hr blockquote pre section dl dt dd""".split()  # noqa: SIM905 - reads best so
)
_INLINE_TAGS = frozenset(
    """a b i u s em strong code kbd sub sup span del ins mark small big font center abbr cite q tt var samp td th thead
    tbody caption img input button label details summary nobr wbr html head body""".split()  # noqa: SIM905 - as above
)
_NAMES = _LINE_TAGS | _INLINE_TAGS
_PREFIXES = frozenset(name[:end] for name in _NAMES for end in range(1, len(name) + 1))


def may_be_markup(held: str) -> bool:
    """Whether `held`, which begins with `<`, may still become a tag, a comment or an address."""
    if len(held) > _LONGEST:
        return False
    begun = _TAG_BEGUN.fullmatch(held)
    if begun is not None:
        name = (begun[1] or "").lower()
        return not name or name in (_PREFIXES if held.lower().endswith(name) else _NAMES)
    return bool(_COMMENT_BEGUN.fullmatch(held) and not _COMMENT.fullmatch(held)) or bool(_ADDRESS_BEGUN.fullmatch(held))


def markup_at(held: str) -> tuple[int, str] | None:
    """Return the length of the mark-up that `held` begins with and what is spoken of it; None of plain text."""
    if (tag := _TAG.match(held)) and tag[1].lower() in _NAMES:
        return tag.end(), "\n" if tag[1].lower() in _LINE_TAGS else ""
    if comment := _COMMENT.match(held):
        return comment.end(), ""
    if address := _ADDRESS.match(held):
        return address.end(), address[1].removeprefix("mailto:")
    return None


def may_be_entity(held: str) -> bool:
    """Whether `held`, which begins with `&`, may still become an entity."""
    return _ENTITY_BEGUN.fullmatch(held) is not None


def entity_at(held: str) -> tuple[int, str] | None:
    """Return the length of the entity that `held` begins with and its text on one line; None where there is none."""
    entity = _ENTITY.match(held)
    if entity is None or (text := html.unescape(entity[0])) == entity[0]:
        return None
    return entity.end(), "".join(
        " " if char.isspace() else char for char in text if char.isspace() or char.isprintable()
    )
