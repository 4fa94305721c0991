"""The outside of a campaign file: a ZIP of one shape only.

Members follow each other without gaps and are stored as they are; sizes and places stand in ZIP64
fields, always; dates, versions and rights are the same in every file. So the headers follow from
the names, sizes and checksums alone, and a reader writes them again and compares every byte: what
no header holds, a member does, and what no member holds cannot be there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from struct import Struct
from typing import Final, NoReturn

import msgspec

from holdfast.kernel.errors import BootFailed
from holdfast.kernel.limits import CAMPAIGN_MEMBERS_MAX
from holdfast.storage.archives import container
from holdfast.storage.archives.container import Frame, Unreadable

NAME_BYTES_MAX: Final = 64

_FULL_16: Final = 0xFFFF
_FULL_32: Final = 0xFFFFFFFF
_VERSION: Final = 45
_MADE_BY: Final = 3 << 8 | _VERSION  # Unix
_DATE: Final = 0x0021  # 1 January 1980, the first day there is
_FILE: Final = 0o100644 << 16

# Signature, needs, flags, method, time, date, checksum, sizes, lengths of name and extra field.
_LOCAL: Final = Struct("<4sHHHHHIIIHH")
_LOCAL_EXTRA: Final = Struct("<HHQQ")
# Signature, made by, needs, flags, method, time, date, checksum, sizes, lengths of name, extra
# field and comment, disk, attributes inside and outside, place.
_ROW: Final = Struct("<4sHHHHHHIIIHHHHHII")
_ROW_EXTRA: Final = Struct("<HHQQQ")
_END_64: Final = Struct("<4sQHHIIQQQQ")
_LOCATOR: Final = Struct("<4sIQI")
_END: Final = Struct("<4sHHHHIIH")
_TAIL_BYTES: Final = _END_64.size + _LOCATOR.size + _END.size

LOCAL_BYTES: Final = _LOCAL.size + _LOCAL_EXTRA.size
"""What stands before a member, besides its name."""


class Member(msgspec.Struct, frozen=True, gc=False):
    """A member: what its headers say."""

    name: str
    crc: int
    bytes: int
    offset: int
    """Where its header begins."""

    @property
    def start(self) -> int:
        """Where its bytes begin."""
        return self.offset + LOCAL_BYTES + len(self.name)

    @property
    def stop(self) -> int:
        """Where its bytes end."""
        return self.start + self.bytes


def header(member: Member) -> bytes:
    """Return what stands before a member."""
    name = member.name.encode("ascii")
    fixed = (_VERSION, 0, 0, 0, _DATE, member.crc, _FULL_32, _FULL_32)
    extra = _LOCAL_EXTRA.pack(1, 16, member.bytes, member.bytes)
    return _LOCAL.pack(b"PK\x03\x04", *fixed, len(name), len(extra)) + name + extra


def directory(members: Sequence[Member]) -> bytes:
    """Return what stands behind the last member: the list of all, and the end of the file."""
    rows = b"".join(map(_row, members))
    start = members[-1].stop if members else 0
    count = len(members)
    sizes = (count, count, len(rows), start)
    end_64 = _END_64.pack(b"PK\x06\x06", _END_64.size - 12, _MADE_BY, _VERSION, 0, 0, *sizes)
    locator = _LOCATOR.pack(b"PK\x06\x07", 0, start + len(rows), 1)
    return rows + end_64 + locator + _end()


def _row(member: Member) -> bytes:
    name = member.name.encode("ascii")
    extra = _ROW_EXTRA.pack(1, 24, member.bytes, member.bytes, member.offset)
    fixed = (_MADE_BY, _VERSION, 0, 0, 0, _DATE, member.crc, _FULL_32, _FULL_32)
    rest = (len(name), len(extra), 0, 0, 0, _FILE, _FULL_32)
    return _ROW.pack(b"PK\x01\x02", *fixed, *rest) + name + extra


def _end() -> bytes:
    return _END.pack(b"PK\x05\x06", 0, 0, _FULL_16, _FULL_16, _FULL_32, _FULL_32, 0)


def read(handle: int, size: int) -> list[Member]:
    """Return the members of a file whose every byte outside of them is as we would write it."""
    tail = _read_at(handle, size - _TAIL_BYTES, _TAIL_BYTES, "its end")
    if tail[-_END.size :] != _end():
        refuse("the file does not end as a campaign does; it may be cut short, or no campaign")
    signature, *_, count, _, length, start = _END_64.unpack_from(tail)
    row_max = _ROW.size + _ROW_EXTRA.size + NAME_BYTES_MAX
    if signature != b"PK\x06\x06" or not 0 < count <= CAMPAIGN_MEMBERS_MAX:
        refuse("the list of its members cannot be found")
    if length > count * row_max or start + length + _TAIL_BYTES != size:
        refuse("there are bytes before, between or behind its parts, or some are missing")
    listed = _read_at(handle, start, length, "the list of its members")
    members = list(_members(listed, count))
    if members[-1].stop != start:
        refuse(f"the member {members[-1].name} does not end where the list of members begins")
    _compare_headers(handle, members)
    if directory(members) != listed + tail:
        refuse("the list of its members is not as it was written")
    return members


def _members(listed: bytes, count: int) -> Iterator[Member]:
    """Yield what the list says; what is odd in a way that can be named is named."""
    at = expected = 0
    seen: set[str] = set()
    for number in range(count):
        if at + _ROW.size > len(listed):
            refuse(f"the list of its members ends at number {number}")
        row = _ROW.unpack_from(listed, at)
        name_bytes, extra_bytes = row[10], row[11]
        at += _ROW.size
        raw = listed[at : at + name_bytes]
        name = _name(raw, number)
        at += name_bytes
        if name in seen:
            refuse(f"two members are called {name}")
        seen.add(name)
        _check_row(name, row)
        if extra_bytes != _ROW_EXTRA.size or at + extra_bytes > len(listed):
            refuse(f"the member {name} is not listed as it was written")
        *_, size, _, offset = _ROW_EXTRA.unpack_from(listed, at)
        at += extra_bytes
        if offset != expected:
            refuse(f"the member {name} does not begin where the one before it ends")
        member = Member(name, row[7], size, offset)
        expected = member.stop
        yield member


def _name(raw: bytes, number: int) -> str:
    """Return a member's name; which names there may be is for the manifest to say."""
    name = raw.decode("ascii", "replace")
    if not 0 < len(raw) <= NAME_BYTES_MAX or not raw.isascii() or not name.isprintable():
        refuse(f"member {number} has the name {name[:NAME_BYTES_MAX]!r}")
    if name.startswith(("/", "\\")) or "\\" in name or ":" in name or ".." in name.split("/"):
        refuse(f"the name of the member {name!r} leads out of the file")
    return name


def _check_row(name: str, row: tuple[int, ...]) -> None:
    flags, method, outside = row[3], row[4], row[15]
    if flags & 1:
        refuse(f"the member {name} is encrypted")
    if method:
        refuse(f"the member {name} is compressed by method {method}")
    if outside != _FILE:
        refuse(f"the member {name} is not a plain file")


def _compare_headers(handle: int, members: Sequence[Member]) -> None:
    for member in members:
        written = header(member)
        if _read_at(handle, member.offset, len(written), member.name) != written:
            refuse(f"the header of the member {member.name} is not as it was written")


def _read_at(handle: int, offset: int, length: int, what: str) -> bytes:
    try:
        return container.read_at(handle, Frame(offset, length))
    except (Unreadable, OSError, OverflowError):
        refuse(f"{what} cannot be read: the file is too short")


def refuse(why: str, *, step: int = 1, expected: str = "", found: str = "") -> NoReturn:
    """Say what is wrong with a campaign file."""
    raise BootFailed(
        f"The campaign file cannot be used: {why}.",
        step=step,
        expected=expected or "a campaign file as it was written",
        found=found or why,
        remedy="Copy it again from where it was made, or save the campaign anew.",
    )
