"""Secrets in files of settings: values under telling names that look like more than a word.

A file is kept as it is or not at all, so this asks for more than the marks in a text do: a password
must be mixed, not `postgres` or `change-me`, and a manifest of Kubernetes that says it is a Secret
must hold a value. Which files are files of settings is for whoever calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, Protocol

from holdfast.ledger.redaction import looks
from holdfast.ledger.redaction.names import KEPT_BY_NAME_ALONE
from holdfast.ledger.redaction.rules import Span

MIXED_CHARS_MIN: Final = 8
MIXED_BITS_MIN: Final = 2.5
MANIFEST_VALUE_CHARS_MIN: Final = 4

_CLASSES = (
    re.compile("[a-z]"),
    re.compile("[A-Z]"),
    re.compile("[0-9]"),
    re.compile("[^a-zA-Z0-9]"),
)
_KIND = re.compile(
    r"^[ \t]{0,64}[\"']?kind[\"']?[ \t]{0,8}:[ \t]{0,8}[\"']?Secret[\"']?[ \t,\r]*$", re.M
)
_DATA = re.compile(r"([ \t]{0,64})[\"']?(?:data|stringData)[\"']?[ \t]{0,8}:[ \t\r{|]*\Z")
_ITEM = re.compile(
    r"([ \t]{1,64})[\"']?[\w.-]{1,253}[\"']?[ \t]{0,8}:[ \t]{1,8}[\"']?([^\"'\r\n]*)"
)


class Finder(Protocol):
    """Finds what is secret in a text."""

    @property
    def hints(self) -> tuple[str, ...]:
        """Return what a text holds in lowercase where anything is found."""

    def spans(self, text: str) -> Iterator[Span]:
        """Yield the secrets, left to right."""


def first_secret(text: str, finders: Iterable[Finder], own: Finder) -> str | None:
    """Return the kind of the first secret that settings hold, or None.

    What `own` finds, by the user's own names, is secret whatever it looks like.
    """
    lowered = text.lower()
    if any(hint in lowered for hint in own.hints) and next(own.spans(text), None) is not None:
        return "secret"
    found: list[tuple[int, str]] = []
    for finder in finders:
        if any(hint in lowered for hint in finder.hints):
            spans = (one for one in finder.spans(text) if _is_real(one[2], text[one[0] : one[1]]))
            found += [(start, kind) for start, _, kind in spans][:1]
    if found:
        return min(found)[1]
    return "kubernetes-secret" if _is_manifest(text) else None


def _is_real(kind: str, value: str) -> bool:
    """Tell whether a value is more than a word that somebody put there for the time being."""
    if kind not in KEPT_BY_NAME_ALONE and kind not in _OF_PEOPLE:
        return True
    head = value[: looks.LOOK_CHARS_MAX]
    if len(head) < MIXED_CHARS_MIN or looks.entropy_bits(head) < MIXED_BITS_MIN:
        return False
    if any(character.isspace() for character in head):
        return False
    kinds = sum(one.search(head) is not None for one in _CLASSES)
    return kinds > 1 and not _WORDS.match(head)


_OF_PEOPLE: Final = frozenset({"url-password", "curl-password", "authorization", "api-key"})
"""Kinds of rules that take any value."""

_WORDS = re.compile(r"[A-Za-z]?[a-z]*(?:[-_./: ][A-Za-z]?[a-z]*)*\Z")


def _is_manifest(text: str) -> bool:
    """Tell whether a text is a Secret of Kubernetes that holds something."""
    if _KIND.search(text) is None:
        return False
    deeper = None
    for line in text.split("\n"):
        if data := _DATA.match(line):
            deeper = len(data[1])
            continue
        item = _ITEM.match(line)
        if deeper is None or item is None or len(item[1]) <= deeper:
            deeper = None if line.strip() and not line.startswith((" ", "\t")) else deeper
            continue
        value = item[2].strip()
        if len(value) >= MANIFEST_VALUE_CHARS_MIN and not looks.is_reference(value):
            return True
    return False
