"""Looking up types, checking data against them, reading old versions."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

import msgspec

from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged, InvalidInput, NewerFormat
from holdfast.kernel.types.model import Model

Upcast: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]


class TypeSpec(msgspec.Struct, frozen=True):
    """A type: its model, and one upcast for each older version, oldest first."""

    name: str
    model: type[Model]
    upcasts: tuple[Upcast, ...] = ()

    @property
    def version(self) -> int:
        """The version written today; versions start at 1."""
        return len(self.upcasts) + 1


class Registry:
    """A closed set of types. There is no way to add one at run time."""

    def __init__(self, *specs: TypeSpec) -> None:
        self._specs: Mapping[str, TypeSpec] = {spec.name: spec for spec in specs}
        self._reading = {
            spec.name: (spec.version, msgspec.json.Decoder(spec.model).decode) for spec in specs
        }
        self._newest = {spec.name: (spec.model, spec.version) for spec in specs}

    def __iter__(self) -> Iterator[str]:
        return iter(self._specs)

    def spec(self, name: str) -> TypeSpec:
        """Return the type called `name`, or refuse naming the nearest ones."""
        if found := self._specs.get(name):
            return found
        near = difflib.get_close_matches(name, self._specs, n=1)
        raise InvalidInput(
            f"There is no entry type {name[:60]!r}.",
            meaning="Nothing was recorded.",
            remedy=f"Did you mean {near[0]!r}?" if near else f"Known: {', '.join(self._specs)}.",
        )

    def check(self, name: str, data: Mapping[str, Any]) -> int:
        """Check data against its type and return the version it is written as."""
        if name not in self._newest:
            self.spec(name)  # refuses it
        model, version = self._newest[name]
        try:
            msgspec.convert(data, model)
        except msgspec.ValidationError as error:
            raise InvalidInput(
                f"The data of this {name} does not fit: {error}.",
                meaning="Nothing was recorded.",
                remedy=f"A {name} needs: {', '.join(_needed(model)) or 'no field'}.",
            ) from error
        return version

    def read(self, entry: Entry) -> Model:
        """Return an entry's data as its model, upcast from the version it was written in.

        An unknown type or a version from the future is a hard failure, never skipped.
        """
        version, decode = self._reading.get(entry.type, _NOBODYS)
        if entry.v != version:
            self.check_known(entry)
            return self._upcast(entry, self._specs[entry.type])
        try:
            return decode(entry.data)
        except _UNREADABLE as error:
            raise _damaged(entry, error) from error

    def check_known(self, entry: Entry) -> None:
        """Refuse an entry of an unknown type, or of a version that is none or from the future."""
        version, _ = self._reading.get(entry.type, _NOBODYS)
        if entry.v == version:
            return
        spec = self.spec(entry.type)
        if entry.v > spec.version:
            raise NewerFormat(
                f"Entry {entry.seq} is a {entry.type} of version {entry.v}; "
                f"this holdfast knows {spec.version}.",
                meaning="The ledger is untouched.",
                remedy="Use the newer holdfast that wrote it.",
            )
        if entry.v < 1:
            raise Damaged(
                f"Entry {entry.seq} is a {entry.type} of version {entry.v}; versions start at 1.",
                meaning="What is true now cannot be worked out past this entry.",
                remedy="Run `holdfast verify`; restore the ledger from a backup if it fails.",
            )

    def _upcast(self, entry: Entry, spec: TypeSpec) -> Model:
        """Read data that was written in an older version."""
        try:
            data: dict[str, Any] = entry.value()
            for upcast in spec.upcasts[entry.v - 1 :]:
                data = upcast(data)
            return msgspec.convert(data, spec.model)
        except _UNREADABLE as error:
            raise _damaged(entry, error) from error


def _unread(_data: object) -> Model:
    raise AssertionError("a type that nobody knows is refused before its data is read")


_NOBODYS: Final = (-1, _unread)
"""The version that no entry has, for types that nobody knows."""

_UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError)


def _damaged(entry: Entry, error: Exception) -> Damaged:
    return Damaged(
        f"Entry {entry.seq} does not hold a {entry.type}: {error}.",
        meaning="What is true now cannot be worked out past this entry.",
        remedy="Run `holdfast verify`; restore the ledger from a backup if it fails.",
    )


def _needed(model: type[Model]) -> Iterator[str]:
    """Yield the names of the fields that must be there."""
    for field in msgspec.structs.fields(model):
        if field.required:
            yield field.encode_name
