"""What holdfast wrote into a project since the files were last looked at: no change of an agent's.

By digest: of every path, what stood there before we wrote and what stands there since. So a look
can tell a file that only we wrote from one that somebody else edited, before or after us. It lies
beside the intake and is derived: where it is lost, our own files are taken for somebody else's.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from holdfast.evidence.seen_files import ANY, Record, is_text
from holdfast.kernel.limits import OWN_WRITES_BYTES_MAX
from holdfast.wiring.scan_turns import FOLDER, turn

if TYPE_CHECKING:
    from holdfast.wiring.places import Place

NAME: Final = "own-files"


class OwnWrite(msgspec.Struct, frozen=True, array_like=True):
    """What became of one file by our hand; digests are None where there is no file."""

    before: str | None
    after: str | None
    size: int = 0
    whole: bool = True
    """Nobody else wrote in between."""


class Verdict(msgspec.Struct, frozen=True):
    """Whose a change is."""

    own: bool
    before: Record | None
    """What the file was before whoever else changed it, as far as that can be told."""
    mixed: bool = False
    """Both wrote, and what is whose cannot be told."""


def judge(
    own: OwnWrite | None, before: Record | None, after: str | None, *, lost: bool = False
) -> Verdict:
    """Tell whose the change of a file is, from what was remembered of it to what is there.

    `lost` is for a look that remembers nothing: then what we wrote last is taken for ours.
    """
    was = None if before is None else before[4].hex()
    if own is None or was == own.after:
        return Verdict(False, before)
    only_us = own.whole and was == own.before
    if after == own.after:
        return Verdict(only_us or lost, before, not (only_us or lost))
    if not only_us:
        return Verdict(False, before, True)
    ours = None if own.after is None else (own.size, ANY, 0, 0, bytes.fromhex(own.after))
    return Verdict(False, ours)


@contextmanager
def writing(place: Place, paths: Iterable[Path]) -> Iterator[None]:
    """Note what happens to files meanwhile as written by us; nobody looks for changes till then."""
    root = place.project
    if root is None:
        yield
        return
    below = [path for path in paths if path.is_relative_to(root)]
    with turn(place):
        before = [_content(path) for path in below]
        try:
            yield
        finally:
            for path, was in zip(below, before, strict=True):
                note(place, path.relative_to(root).as_posix(), was, _content(path))


def note(
    place: Place, path: str, before: bytes | None, after: bytes | None, *, whole: bool = True
) -> None:
    """Remember that we wrote a file, for the next look; only within a `turn`."""
    if before == after or not is_text(path):
        return
    known = load(place)
    was, now = _hex(before), _hex(after)
    first = known.get(path)
    if first is None:
        first = OwnWrite(was, was)
    size = 0 if after is None else len(after)
    known[path] = OwnWrite(first.before, now, size, whole and first.whole and first.after == was)
    keep(place, known)


def load(place: Place) -> dict[str, OwnWrite]:
    """Return what was written since the last look, by path from the root."""
    try:
        with (place.folder / FOLDER / NAME).open("rb") as file:
            content = file.read(OWN_WRITES_BYTES_MAX + 1)
        return _decoder.decode(content)
    except (OSError, msgspec.DecodeError):
        return {}


def keep(place: Place, known: dict[str, OwnWrite]) -> None:
    """Remember these, and no others; where that fails, a look takes ours for somebody else's."""
    path = place.folder / FOLDER / NAME
    draft = path.with_name(f"{NAME}.{os.urandom(4).hex()}.new")
    content = _encoder.encode(known)
    with suppress(OSError):
        if known and len(content) <= OWN_WRITES_BYTES_MAX:
            handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with open(handle, "wb") as file:  # noqa: PTH123 - a descriptor
                file.write(content)
            draft.replace(path)
        else:
            path.unlink(missing_ok=True)


def _content(path: Path) -> bytes | None:
    """Return what a file holds; None where there is none, or none that can be read."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        with open(handle, "rb", closefd=False) as file:  # of a folder it would not close it
            return file.read()
    except OSError:
        return None
    finally:
        os.close(handle)


def _hex(content: bytes | None) -> str | None:
    return None if content is None else sha256(content).hexdigest()


_encoder: Final = msgspec.json.Encoder()
_decoder: Final = msgspec.json.Decoder(dict[str, OwnWrite])
