"""Replace the secrets in a value by markers, leaving every other character as it was."""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, Protocol, TypeAlias, TypeVar, cast

from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import JSON_DEPTH_MAX
from holdfast.ledger.redaction.assignments import Assignments
from holdfast.ledger.redaction.configs import first_secret
from holdfast.ledger.redaction.names import NOT_AFTER, custom_names
from holdfast.ledger.redaction.prefilter import Prefilter
from holdfast.ledger.redaction.rules import RULES, Span
from holdfast.ledger.redaction.traces import Traces

FINGERPRINT_HEX_CHARS: Final = 12
PASSES_MAX: Final = 8
"""Sweeps over one text. The second finds something only where a secret hid a boundary."""

_MARKER = re.compile(r"(\[REDACTED:[a-z0-9-]{1,32}:[0-9a-f]{12}\])")
_BROAD_HINTS: Final = ("@", "curl", "authorization", "key", "secret")
"""What the rules without a long run have in them."""

LONG_BYTES_MIN: Final = 1024
"""From here on one pattern for everything is faster than the look by hints before it."""

TRACED_TOGETHER_MAX: Final = 16
"""Entries of a batch that one look for traces is for: about one in a hundred has one."""

KEYS_KEPT_MAX: Final = 2048
KEY_KEPT_BYTES_MAX: Final = 64
"""Keys of which it is remembered whether they tell: the same ones come in every entry."""

T = TypeVar("T")

Terms: TypeAlias = tuple[bytes, tuple[str, ...], bool]
"""The key, the secret names and whether entropy counts: another process makes the same redactor of
them."""


class _Finder(Protocol):
    @property
    def hints(self) -> tuple[str, ...]: ...

    def spans(self, text: str) -> Iterator[Span]: ...


class Redactor:
    """Find secrets under one ledger's key.

    `entropy=False` leaves out what is told by a name and the look of its value; known formats,
    headers, passwords in URLs and the `secret_names` given are redacted all the same.
    """

    def __init__(
        self, key: bytes, *, secret_names: Sequence[str] = (), entropy: bool = True
    ) -> None:
        if not key:
            raise InvalidInput(
                "The redaction key is empty.",
                meaning="Fingerprints could be guessed, so nothing was recorded.",
                remedy="Give the ledger's own random key of 32 bytes.",
            )
        self._key = key
        self.terms: Terms = (key, tuple(secret_names), entropy)
        self._assignments = Assignments(custom_names(secret_names), builtin=entropy)
        self._finders: tuple[_Finder, ...] = (*RULES, self._assignments)
        formats = [hint for rule in RULES for hint in rule.hints]
        self._prefilter = Prefilter(
            [*_BROAD_HINTS, *self._assignments.hints],
            [*formats, *self._assignments.precise_hints],
            NOT_AFTER,
        )
        self._tells_known = lru_cache(KEYS_KEPT_MAX)(self._prefilter.suspects)
        self._traces = Traces(self._assignments.own_names, builtin=entropy)

    def suspects(self, encoded: bytes) -> bool:
        """Look at a value's canonical JSON; False means `clean` would change nothing."""
        if len(encoded) >= LONG_BYTES_MIN and self._traces.are_ready(len(encoded)):
            return self._traces.found(encoded)
        return self._prefilter.suspects(encoded) and self._traces.found(encoded)

    def suspects_each(self, lines: Sequence[bytes]) -> list[bool]:
        """Look at the canonical JSON of several values; most are passed over many at a time."""
        size = sum(map(len, lines))
        if self._traces.are_ready(size):
            together = TRACED_TOGETHER_MAX
        else:
            # By hints one in three long entries is suspected: then each is looked at anyway.
            together = len(lines) if size < len(lines) * LONG_BYTES_MIN else 1
        result: list[bool] = []
        for at in range(0, len(lines), together):
            some = lines[at : at + together]
            if len(some) > 1 and not self.suspects(b"\n".join(some)):
                result += [False] * len(some)
            else:
                result += map(self.suspects, some)
        return result

    def clean(self, value: T) -> tuple[T, int]:
        """Return the value without its secrets, and how many markers were put in.

        The same object comes back when there was nothing to replace.
        """
        cleaned, count = self._clean(value, "", 0)
        return cast("T", cleaned), count

    def clean_text(self, text: str) -> tuple[str, int]:
        """Return the text without its secrets, and how many markers were put in."""
        # In a text every hint and every trace stands as in the entry's bytes.
        if not self.suspects(text.encode("utf-8", "surrogatepass")):
            return text, 0
        return self.clean_slowly(text)

    def clean_slowly(self, text: str) -> tuple[str, int]:
        """Do what `clean_text` does, without a first look: the reference it is tested against."""
        lowered = text.lower()
        finders = [f for f in self._finders if any(hint in lowered for hint in f.hints)]
        parts, count = _MARKER.split(text), 0
        for _ in range(PASSES_MAX):
            found = 0
            for finder in finders:
                parts, more = self._replace(finder, parts)
                found += more
            if not found:
                break
            count += found
        return ("".join(parts), count) if count else (text, 0)

    def finds_secret(self, content: bytes) -> str | None:
        """Return the kind of the first certain secret in a file, or None."""
        is_utf16 = content.startswith((b"\xff\xfe", b"\xfe\xff"))
        text = content.decode("utf-16", "replace") if is_utf16 else content.decode("latin-1")
        lowered = text.lower()
        found: list[tuple[int, str]] = []
        for rule in RULES:
            if rule.certain and any(hint in lowered for hint in rule.hints):
                place = rule.first_in_file(text)
                if place is not None:
                    found.append((place, rule.kind))
        return min(found)[1] if found else None

    def finds_assigned(self, content: bytes) -> str | None:
        """Return the kind of a secret that a file of settings holds by the look of it, or None."""
        is_utf16 = content.startswith((b"\xff\xfe", b"\xfe\xff"))
        text = content.decode("utf-16" if is_utf16 else "utf-8", "replace")
        own = Assignments(self._assignments.own_names, builtin=False)
        return first_secret(text, self._finders, own)

    def _clean(self, value: object, name: str, depth: int) -> tuple[object, int]:
        if isinstance(value, str):
            return self._clean_named(name, value) if name else self.clean_text(value)
        if not isinstance(value, dict | list | tuple):
            return value, 0
        if depth >= JSON_DEPTH_MAX:
            raise InvalidInput(
                f"The value is nested deeper than {JSON_DEPTH_MAX} levels.",
                meaning="It was not searched for secrets, so it was not recorded.",
                remedy="Record it as a text, or in parts.",
            )
        if isinstance(value, dict):
            return self._clean_mapping(value, depth + 1)
        return self._clean_sequence(value, name, depth + 1)

    def _clean_mapping(self, mapping: dict[str, Any], depth: int) -> tuple[dict[str, Any], int]:
        result: dict[str, Any] = {}
        count = 0
        for key, value in mapping.items():
            if not self._tells(key):
                result[key], in_value = self._clean(value, "", depth)
                count += in_value
                continue
            clean_key, in_key = self.clean_text(key)
            kept_key = _unused(clean_key, result, mapping) if in_key else key
            result[kept_key], in_value = self._clean(value, _MARKER.sub("", clean_key), depth)
            count += in_key + in_value
        return (result, count) if count else (mapping, 0)

    def _clean_sequence(
        self, items: list[Any] | tuple[Any, ...], name: str, depth: int
    ) -> tuple[list[Any] | tuple[Any, ...], int]:
        pairs = [self._clean(item, name, depth) for item in items]
        count = sum(more for _, more in pairs)
        if not count:
            return items, 0
        return type(items)(item for item, _ in pairs), count

    def _clean_named(self, name: str, value: str) -> tuple[str, int]:
        """Clean a string that stands under a key: what has a format of its own keeps its kind."""
        text, count = self.clean_text(value)
        span = self._assignments.span_under(name, _MARKER.sub("", text))
        if span is None:
            return text, count
        whole = self._assignments.span_under(name, value) or (0, len(value), span[2])
        start, end, kind = whole
        return value[:start] + self._mark(kind, value[start:end]) + value[end:], 1

    def _tells(self, key: str) -> bool:
        """Tell whether a key may be secret or announce a secret; alone it leaves no trace."""
        spelled = key.encode("utf-8", "surrogatepass")
        known = len(spelled) <= KEY_KEPT_BYTES_MAX
        return self._tells_known(spelled) if known else self._prefilter.suspects(spelled)

    def _replace(self, finder: _Finder, parts: list[str]) -> tuple[list[str], int]:
        """Replace in the texts; `parts` are text, marker, text, … and markers are not looked at."""
        result: list[str] = []
        for index, part in enumerate(parts):
            if index % 2:
                result.append(part)
                continue
            last = 0
            for start, end, kind in finder.spans(part):
                result += (part[last:start], self._mark(kind, part[start:end]))
                last = end
            result.append(part[last:])
        return result, (len(result) - len(parts)) // 2

    def _mark(self, kind: str, secret: str) -> str:
        digest = hmac.digest(self._key, secret.encode("utf-8", "surrogatepass"), "sha256")
        return f"[REDACTED:{kind}:{digest.hex()[:FINGERPRINT_HEX_CHARS]}]"


def _unused(key: str, *mappings: dict[str, Any]) -> str:
    """Return the key, numbered if it is taken: no value is lost to a clash."""
    number, candidate = 1, key
    while any(candidate in mapping for mapping in mappings):
        number += 1
        candidate = f"{key}~{number}"
    return candidate
