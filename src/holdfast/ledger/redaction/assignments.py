"""Secrets told by the name they are assigned to, in text and in mappings.

`NAME = value`, `name: value`, `"name": "value"`, `--name value`, `?name=value&…`. A password is any
value that is not a reference, a placeholder or code; a token or key must also look random.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from holdfast.ledger.redaction import looks, names
from holdfast.ledger.redaction.rules import Span

PASSWORD_CHARS_MIN: Final = 6
TOKEN_CHARS_MIN: Final = 16
NAME_HEAD_CHARS_MAX: Final = 64
QUOTED_CHARS_MAX: Final = 4096

_NAME_CHARS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")
_AFTER_CORE: Final = (
    r"(?P<tail>[A-Za-z0-9_.-]{0,40}+)(?:\\{0,3}[\"'`])?\]?"
    r"(?::[ \t]{1,4}[\w.\[\]|]{1,40}+[ \t]{1,4}(?==[^=]))?"
    r"(?P<sep>[ \t]{0,8}(?:=>|:=|={1,3}|:(?!:|//))[ \t]{0,8}|[ \t]{1,8})"
)
_QUOTE = re.compile(r"[fFrRbBuU]{0,2}(?P<quote>\\{0,3}[\"'`])")
_QUOTED = re.compile(
    rf"(?P<quote>\\{{0,3}}[\"'`])(?P<value>(?:\\.|[^\\\r\n]){{1,{QUOTED_CHARS_MAX}}}?)(?P=quote)"
)
_RUN = re.compile(r"[^\s\"'`,;<>\\]+")
_NEXT_PARAMETER = re.compile(r"&[A-Za-z0-9_.%-]{1,64}+=")
_CLOSERS: Final = frozenset(")]}.:")
_PROSE = re.compile(r"[A-Za-z][a-z]+\Z")
_WORDS_FOLLOW = re.compile(r"[ \t]{1,4}[A-Za-z]")
_SPACE = re.compile(r"\s")
_SCHEME = re.compile(r"(?i:bearer|basic|token)[ \t]+")


class Assignments:
    """Find the values that are secret because of their names."""

    hints: tuple[str, ...]
    precise_hints: tuple[str, ...]
    own_names: tuple[str, ...]

    def __init__(self, own_names: tuple[str, ...], *, builtin: bool) -> None:
        cores = ([names.CORE] if builtin else []) + [f"(?i:{re.escape(n)})" for n in own_names]
        self.hints = (names.NAME_HINTS if builtin else ()) + own_names
        self.precise_hints = (names.PRECISE_HINTS if builtin else ()) + own_names
        self.own_names = own_names
        self._builtin = builtin
        core = f"(?P<core>{'|'.join(cores)})" if cores else r"(?P<core>(?!))"
        self._head = re.compile(core + _AFTER_CORE, re.ASCII)

    def kind_of(self, name: str) -> str | None:
        """Return the kind of secret a name announces, or None."""
        lowered = name.lower()
        if any(own in lowered for own in self.own_names):
            return "secret"
        return names.kind_of(name) if self._builtin else None

    def spans(self, text: str) -> Iterator[Span]:
        """Yield the secret values assigned in a text, left to right."""
        position, runs = 0, _Runs(text)
        while head := self._head.search(text, position):
            position = head.end("core")
            name = _whole_name(text, head)
            kind = self.kind_of(name)
            if kind is None or (head["sep"].isspace() and not name.startswith("--")):
                continue
            position = head.end()
            quoted = _find_quoted(text, position)
            if quoted is not None:
                start, end = quoted
                secret = is_secret(kind, text[start:end])
            else:
                start, end = runs.at(position)
                secret = _is_unquoted_secret(kind, name, head, (start, end))
            if secret:
                yield start, end, kind
                position = end

    def span_under(self, name: str, value: str) -> Span | None:
        """Return what is secret of a value because of the key it stands under."""
        kind = self.kind_of(name) if len(name) <= NAME_HEAD_CHARS_MAX else None
        if kind is None:
            return None
        scheme = _SCHEME.match(value) if kind == "authorization" else None
        start = scheme.end() if scheme else 0
        secret = value[start:]
        if scheme:
            given = not (looks.is_reference(secret) or looks.is_placeholder(secret))
            return (
                (start, len(value), kind) if given and len(secret) >= PASSWORD_CHARS_MIN else None
            )
        return (0, len(value), kind) if is_secret(kind, secret) else None


def is_secret(kind: str, value: str) -> bool:
    """Judge a value that stands in quotes or is a whole string."""
    if looks.is_reference(value) or looks.is_path(value) or looks.is_placeholder(value):
        return False
    if kind in names.KEPT_BY_NAME_ALONE:
        return len(value) >= PASSWORD_CHARS_MIN
    if len(value) < TOKEN_CHARS_MIN or _SPACE.search(value, 0, looks.LOOK_CHARS_MAX):
        return False
    return looks.is_random(value)


def _is_unquoted_secret(kind: str, name: str, head: re.Match[str], span: tuple[int, int]) -> bool:
    text, (start, end) = head.string, span
    value = text[start : min(end, start + looks.LOOK_CHARS_MAX)]
    if not value or looks.is_code(value) or text.startswith("(", end):
        return False
    in_environment = head["sep"] == "=" and name.upper() == name
    if looks.is_variable(value, in_environment=in_environment):
        return False
    is_prose = ":" in head["sep"] and _PROSE.match(value) and _WORDS_FOLLOW.match(text, end)
    return not is_prose and is_secret(kind, value)


def _whole_name(text: str, head: re.Match[str]) -> str:
    start = head.start()
    floor = max(0, start - NAME_HEAD_CHARS_MAX)
    while start > floor and text[start - 1] in _NAME_CHARS:
        start -= 1
    return text[start : head.end("tail")]


def _find_quoted(text: str, position: int) -> tuple[int, int] | None:
    opening = _QUOTE.match(text, position)
    if opening is None:
        return None
    quoted = _QUOTED.match(text, opening.start("quote"))
    return quoted.span("value") if quoted else None


class _Runs:
    """Find unquoted values in one text.

    Where a run ends does not depend on where it is entered, so the ends last seen are used again:
    without that, `token=token=…` would take quadratic time.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._run_end = 0
        self._value_end = 0

    def at(self, position: int) -> tuple[int, int]:
        """Return the span of the value at `position`; positions MUST NOT go back."""
        text = self._text
        if opening := _QUOTE.match(text, position):
            position = opening.end()
        if position >= self._run_end:
            run = _RUN.match(text, position)
            self._run_end = run.end() if run else position
        if position >= self._value_end:
            cut = _NEXT_PARAMETER.search(text, position, self._run_end)
            end = cut.start() if cut else self._run_end
            while end > position and text[end - 1] in _CLOSERS:
                end -= 1
            self._value_end = end
        return position, self._value_end
