"""What does not fit into an entry goes to the vault, and a reference stays in its place.

One reference, `{"$artifact": sha256, "bytes": n, "form": …}`, in five forms:
  text      a string over 32 KiB, kept as UTF-8
  json      an array or object over 32 KiB, kept as canonical JSON
  raw-text  a string with lone surrogates, kept as UTF-8 with them
  raw-json  what canonical JSON cannot hold (a huge integer, duplicate keys), kept as its JSON text
  bytes     a file, kept as it is
The raw forms carry `why`. All come back as they were given, but for a file: that stays a reference
wherever data is looked at, and is had by its hash. What is marked `Verbatim` goes to the vault
whatever its size, in the form text; what is marked `Content`, in the form bytes.
A user's own `$artifact` key gets one more `$`, and loses it again on the way out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol, TypeAlias

import msgspec

from holdfast.kernel import canonical
from holdfast.kernel.errors import Damaged, InvalidInput
from holdfast.kernel.hashing import artifact_hash
from holdfast.kernel.limits import (
    INLINE_BYTES_MAX,
    INPUT_BYTES_MAX,
    INTEGER_MAX,
    JSON_DEPTH_MAX,
)

KEY: Final = "$artifact"
_ESCAPED: Final = re.compile(r"\$+artifact")
_DOLLAR: Final = ord("$")

Artifacts: TypeAlias = dict[str, bytes]


class Cleaner(Protocol):
    """Replaces secrets, and says how many."""

    def clean(self, value: Any) -> tuple[Any, int]:
        """Look at a whole value, with its names."""

    def clean_text(self, text: str) -> tuple[str, int]:
        """Look at a text alone."""

    def finds_secret(self, content: bytes) -> str | None:
        """Return the kind of a certain secret in what is not to be altered."""


class RawJSON(msgspec.Struct, frozen=True):
    """JSON text from elsewhere, to be recorded whatever it holds.

    It is recorded as the value it spells when canonical JSON can hold that, else as raw bytes.
    """

    text: bytes


class Verbatim(msgspec.Struct, frozen=True):
    """A text that is kept as it is, in the vault, or not at all: code that a quote stands in.

    Secrets in it are not replaced. Where a certain one is found, `instead` is kept; without that,
    its hash and size say what was withheld. With `beside`, an object of those fields and `text`
    stands in its place.
    """

    text: str
    beside: Mapping[str, Any] = {}
    instead: Verbatim | None = None


class Content(msgspec.Struct, frozen=True):
    """What a file held: kept as it is, in the vault, or not at all.

    Where a certain secret is found, its hash and size say what was withheld.
    """

    content: bytes


def has_reserved_key(encoded: bytes) -> bool:
    """Tell whether canonical bytes may hold a key that must be escaped."""
    return _DOLLAR in encoded and b'$artifact":' in encoded  # one byte is found much sooner


def escape(value: Any) -> Any:
    """Give every key that could be read as a reference one more `$`."""
    match value:
        case dict():
            return {_escaped(key): escape(part) for key, part in value.items()}
        case list() | tuple():
            return [escape(part) for part in value]
        case _:
            return value


def set_aside(value: Any, artifacts: Artifacts, cleaner: Cleaner) -> tuple[Any, int]:
    """Replace what canonical JSON cannot hold by references to its raw bytes, and escape keys.

    Secrets are replaced on the way, for raw bytes are not looked at again; how many is returned.
    """
    aside = _Aside(artifacts, cleaner)
    return aside.walk(aside.clean(value), 0), aside.redactions


def lift(value: Any, artifacts: Artifacts) -> Any:
    """Replace every part over 32 KiB by a reference, innermost first; the outermost stays."""
    match value:
        case dict():
            return {key: _lift(part, artifacts) for key, part in value.items()}
        case list() | tuple():
            return [_lift(part, artifacts) for part in value]
        case _:
            return value


def resolve(
    value: Any, load: Callable[[str], bytes | None], is_erased: Callable[[str], bool] | None = None
) -> Any:
    """Put the vault's content back in the place of each reference.

    JSON text that has no one meaning comes back as RawJSON: its bytes, not a guess. A part that was
    erased on request, as `is_erased` tells, stays a reference and says so: `"erased": true`. A
    file stays one, too.
    """
    match value:
        case {"$artifact": str(sha256), "form": "bytes"}:
            erased = is_erased is not None and is_erased(sha256) and load(sha256) is None
            return {**value, "erased": True} if erased else value
        case {"$artifact": str(), "form": str()}:
            return _resolved(value, load, is_erased)
        case dict():
            parts = ((key, resolve(part, load, is_erased)) for key, part in value.items())
            return {key[1:] if _ESCAPED.fullmatch(key) else key: part for key, part in parts}
        case list():
            return [resolve(part, load, is_erased) for part in value]
        case _:
            return value


def references(value: Any) -> list[tuple[str, bool]]:
    """List the hashes of all references in stored data, and whether each may hold further ones."""
    match value:
        case {"$artifact": str(sha256)}:
            return [(sha256, value.get("form") == "json")]
        case dict():
            return [found for part in value.values() for found in references(part)]
        case list():
            return [found for part in value for found in references(part)]
        case _:
            return []


class Reference(msgspec.Struct, frozen=True):
    """What stands in the place of a part that went to the vault."""

    sha256: str
    bytes: int
    nests: bool
    """Whether the part may hold further references."""


def named_in(value: Any) -> list[Reference]:
    """List all references in stored data, with the size of what they stand for."""
    match value:
        case {"$artifact": str(sha256), "bytes": int(size)}:
            return [Reference(sha256, size, value.get("form") == "json")]
        case dict():
            return [found for part in value.values() for found in named_in(part)]
        case list():
            return [found for part in value for found in named_in(part)]
        case _:
            return []


def _resolved(
    reference: dict[str, Any],
    load: Callable[[str], bytes | None],
    is_erased: Callable[[str], bool] | None,
) -> Any:
    sha256, form = reference[KEY], reference["form"]
    content = load(sha256)
    if content is None and is_erased is not None and is_erased(sha256):
        return {**reference, "erased": True}
    if content is None:
        raise Damaged(
            f"Artifact {sha256[:12]} is not in the vault.",
            meaning="The entry that names it is whole; this part of its data is gone.",
            remedy="Run `holdfast verify`, then take the artifact from a backup.",
        )
    match form:
        case "text":
            return content.decode()
        case "json":
            return resolve(msgspec.json.decode(content), load, is_erased)
        case "raw-text":
            return content.decode("utf-8", "surrogatepass")
        case _:
            return _read_raw(content)


def _read_raw(text: bytes) -> Any:
    try:
        return canonical.decode(text)
    except InvalidInput:
        return RawJSON(text)


def _lift(value: Any, artifacts: Artifacts) -> Any:
    if isinstance(value, str):
        if len(value) * 4 <= INLINE_BYTES_MAX:
            return value
        content = value.encode()
        return _keep(content, "text", artifacts) if len(content) > INLINE_BYTES_MAX else value
    if not isinstance(value, (dict, list, tuple)):
        return value
    lighter = lift(value, artifacts)
    encoded = canonical.encode(lighter)
    return _keep(encoded, "json", artifacts) if len(encoded) > INLINE_BYTES_MAX else lighter


class _Aside:
    """Walks through a value once, escaping its keys and setting aside what has no spelling."""

    def __init__(self, artifacts: Artifacts, cleaner: Cleaner) -> None:
        self.redactions = 0
        self._artifacts = artifacts
        self._cleaner = cleaner

    def clean(self, value: Any) -> Any:
        """Replace secrets while the names beside them can still be seen."""
        _check_keys(value, 0)
        cleaned, found = self._cleaner.clean(value)
        self.redactions += found
        return cleaned

    def walk(self, value: Any, depth: int) -> Any:
        """Return the value as it can be stored; what is still odd, canonical JSON refuses."""
        if depth > JSON_DEPTH_MAX:
            return value
        match value:
            case RawJSON():
                return self._walk_text(value.text, depth)
            case Verbatim():
                return self._keep_verbatim(value)
            case Content():
                return self._kept_or_withheld(value.content, "bytes")
            case dict():
                if any(_has_surrogate(key) for key in value):
                    return self._keep_raw(_spelled(value, depth), "a key with a lone surrogate")
                return {_escaped(key): self.walk(part, depth + 1) for key, part in value.items()}
            case list() | tuple():
                return [self.walk(part, depth + 1) for part in value]
            case int() | float() if INTEGER_MAX < abs(value) < math.inf:
                return self._keep_raw(_spelled(value, depth), "a number beyond 2^53-1")
            case str() if _has_surrogate(value):
                content = self._clean_text(value).encode("utf-8", "surrogatepass")
                kept = _keep(content, "raw-text", self._artifacts)
                return {**kept, "why": "text with a lone surrogate"}
            case _:
                return value

    def _walk_text(self, text: bytes, depth: int) -> Any:
        try:
            value = canonical.decode(text)
        except InvalidInput as reason:
            return self._keep_raw(text, reason.what)
        if _is_deeper(value, JSON_DEPTH_MAX - depth):
            return self._keep_raw(text, f"nested deeper than {JSON_DEPTH_MAX} levels")
        return self.walk(self.clean(value), depth)

    def _keep_verbatim(self, value: Verbatim) -> dict[str, Any]:
        content = value.text.encode("utf-8", "surrogatepass")
        form = "raw-text" if _has_surrogate(value.text) else "text"
        kept = self._kept_or_withheld(content, form)
        if KEY not in kept and value.instead is not None:
            return self._keep_verbatim(value.instead)
        return {**value.beside, "text": kept} if value.beside else kept

    def _kept_or_withheld(self, content: bytes, form: str) -> dict[str, Any]:
        if self._cleaner.finds_secret(content) is None:
            return _keep(content, form, self._artifacts)
        return {"withheld": "secret", "sha256": artifact_hash(content), "bytes": len(content)}

    def _keep_raw(self, content: bytes, why: str) -> dict[str, Any]:
        if len(content) > INPUT_BYTES_MAX:
            raise _refusal(
                f"A part of the data is {len(content):,} bytes; at most {INPUT_BYTES_MAX:,} fit.",
                "Record it in several entries, or keep it in a file and record its hash.",
            )
        text = content.decode("utf-8", "surrogateescape")
        cleaned = self._clean_text(text)
        kept = content if cleaned is text else cleaned.encode("utf-8", "surrogateescape")
        return {**_keep(kept, "raw-json", self._artifacts), "why": why}

    def _clean_text(self, text: str) -> str:
        cleaned, found = self._cleaner.clean_text(text)
        self.redactions += found
        return cleaned if found else text


def _keep(content: bytes, form: str, artifacts: Artifacts) -> dict[str, Any]:
    sha256 = artifact_hash(content)
    artifacts[sha256] = content
    return {KEY: sha256, "bytes": len(content), "form": form}


def _spelled(value: Any, depth: int) -> bytes:
    """Spell as JSON what canonical JSON does not allow; what JSON itself lacks is refused."""
    import json

    match value:
        case RawJSON():
            return value.text
        case dict() if depth <= JSON_DEPTH_MAX:
            parts = ((json.dumps(key), part) for key, part in value.items())
            members = [key.encode() + b":" + _spelled(part, depth + 1) for key, part in parts]
            return b"{" + b",".join(members) + b"}"
        case list() | tuple() if depth <= JSON_DEPTH_MAX:
            return b"[" + b",".join([_spelled(part, depth + 1) for part in value]) + b"]"
        case str():
            return json.dumps(value).encode()
        case int() | float() if INTEGER_MAX < abs(value) < math.inf:
            return _spelled_number(value)
        case _:
            return canonical.encode(value)


def _spelled_number(number: float) -> bytes:
    try:
        return repr(number).encode()
    except ValueError:  # Python writes no more digits than its limit
        raise _refusal(
            "The data holds an integer of thousands of digits.", "Give it as a string."
        ) from None


def _has_surrogate(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text)


def _escaped(key: str) -> str:
    return "$" + key if _ESCAPED.fullmatch(key) else key


def _check_keys(value: Any, depth: int) -> None:
    """Refuse keys that are no strings, which nothing further on could handle."""
    if depth > JSON_DEPTH_MAX:
        raise _refusal(
            f"The data is nested deeper than {JSON_DEPTH_MAX} levels, or holds itself.",
            "Flatten it.",
        )
    match value:
        case dict():
            for key, part in value.items():
                if type(key) is not str:
                    raise _refusal(
                        f"The data has a key of type {type(key).__name__}; a JSON key is a string.",
                        "Make the key a str (not a subclass) first.",
                    )
                _check_keys(part, depth + 1)
        case list() | tuple():
            for part in value:
                _check_keys(part, depth + 1)
        case _:
            return


def _is_deeper(value: Any, levels: int) -> bool:
    match value:
        case dict():
            return levels < 1 or any(_is_deeper(part, levels - 1) for part in value.values())
        case list():
            return levels < 1 or any(_is_deeper(part, levels - 1) for part in value)
        case _:
            return False


def _refusal(what: str, remedy: str) -> InvalidInput:
    return InvalidInput(what, meaning="Nothing was recorded.", remedy=remedy)
