"""Packs: the artifacts that an archive's entries name, one frame each, found by their hash.

A frame's name is the SHA-256 of what it holds, so a pack whose index is gone can still be read, and
nothing is ever returned that is not what was asked for.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256 as hash_of
from typing import Final

import msgspec

from holdfast.kernel.errors import Damaged, StorageFailed
from holdfast.kernel.limits import (
    ARCHIVES_KEPT_INDEXES,
    INPUT_BYTES_MAX,
    PACK_ARTIFACTS_MAX,
    PACK_BYTES_MAX,
    PACK_INDEX_BYTES_MAX,
)
from holdfast.storage.archives import container, names
from holdfast.storage.archives.container import Frame, Unreadable
from holdfast.storage.archives.kept import Kept
from holdfast.storage.files import Files, replace

VERSION: Final = 1
LEVEL: Final = 9
"""Artifacts are large and few; above this the time grows more than the bytes shrink."""

TOTAL_MAX: Final = PACK_BYTES_MAX + INPUT_BYTES_MAX
"""What a pack may hold: its share, and one entry more whose artifacts stay together."""


class Named(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Where an artifact's frame stands."""

    sha256: str
    offset: int
    length: int


class Index(msgspec.Struct, frozen=True):
    """What a pack says it holds."""

    artifacts: tuple[Named, ...]
    pack: int


_decoder = msgspec.json.Decoder(Index)


def encode(artifacts: Mapping[str, bytes]) -> bytes:
    """Return the bytes of a pack."""
    order = sorted(artifacts)
    contents = [artifacts[name] for name in order]
    sizes = [len(content) for content in contents]
    return _assemble(order, container.compress(contents, LEVEL), sizes)


def _assemble(order: Sequence[str], frames: Sequence[bytes], sizes: Sequence[int]) -> bytes:
    named = zip(order, container.places(frames), strict=True)
    index = Index(tuple(Named(name, one.offset, one.length) for name, one in named), VERSION)
    return container.assemble(frames, sizes, msgspec.json.encode(index))


def artifacts_in(path: str) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of the artifacts of a pack; what is damaged is left out."""
    try:
        with container.opened(path) as handle:
            for named in _looked_up(handle):
                try:
                    yield named.sha256, _content(handle, named)
                except Unreadable:
                    continue
    except OSError:
        return


def _looked_up(handle: int) -> Sequence[Named]:
    """Return what a pack holds: by its index or, without one, by its whole frames."""
    try:
        return _read_index(handle)
    except Unreadable:
        return _walked_index(handle)


def _read_index(handle: int) -> Sequence[Named]:
    written = container.read_index(handle, PACK_ARTIFACTS_MAX + 1, PACK_INDEX_BYTES_MAX)
    try:
        index = _decoder.decode(written)
    except container.NOT_JSON as error:
        raise Unreadable("the index is damaged") from error
    ends = 0
    for named in index.artifacts:
        # Each starts where the one before ends: no byte of the file is out of the index's sight.
        if named.offset != ends or named.length <= 0:
            raise Unreadable("the index contradicts itself")
        ends += named.length
    if index.pack != VERSION:
        raise Unreadable("the index is not one of a pack")
    return index.artifacts


def _walked_index(handle: int) -> Sequence[Named]:
    found = []
    walked = container.walk(handle, INPUT_BYTES_MAX, TOTAL_MAX)
    for _, frame in zip(range(PACK_ARTIFACTS_MAX), walked, strict=False):
        try:
            content = container.decompress(container.read_at(handle, frame), INPUT_BYTES_MAX)
        except Unreadable:
            continue
        found.append(Named(hash_of(content).hexdigest(), frame.offset, frame.length))
    return found


def _content(handle: int, named: Named) -> bytes:
    """Return an artifact, proved by its name."""
    held = container.read_at(handle, Frame(named.offset, named.length))
    content = container.decompress(held, INPUT_BYTES_MAX)
    if hash_of(content).hexdigest() != named.sha256:
        raise Unreadable("an artifact is not what its name says")
    return content


class Packs:
    """The packs of a folder."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._kept: Kept[dict[str, Named]] = Kept(ARCHIVES_KEPT_INDEXES)

    def find(self, sha256: str) -> bytes | None:
        """Return an artifact from whichever pack has it whole."""
        for path in self._paths(drafts=False):
            try:
                named = self._index(path).get(sha256)
                if named is not None:
                    with container.opened(path) as handle:
                        return _content(handle, named)
            except (OSError, Unreadable):
                continue
        return None

    def erase(self, sha256: str, files: Files | None = None) -> int:
        """Rewrite every pack that holds an artifact without it; return how many did.

        A pack that cannot be read whole may hold it unseen: it is named, after all others are done.
        The caller holds the lock of sealing.
        """
        done, unseen = 0, []
        for path in self._paths(drafts=True):
            try:
                done += _erase(path, sha256, files)
            except Unreadable:
                unseen.append(os.path.basename(path))  # noqa: PTH119
            except OSError as error:
                raise _not_erased(path, error) from error
        if unseen:
            raise Damaged(
                f"{len(unseen)} of the packs cannot be read whole: {', '.join(unseen[:5])}"
                f"{', …' if len(unseen) > 5 else ''}.",
                meaning="Whether they still hold the artifact cannot be told; no other pack does.",
                remedy="Put them back from a backup, then try again.",
            )
        return done

    def _index(self, path: str) -> dict[str, Named]:
        identity = container.identity_of(path)
        index = self._kept.get(identity)
        if index is None:
            with container.opened(path) as handle:
                index = {named.sha256: named for named in _looked_up(handle)}
            self._kept.put(identity, index)
        return index

    def _paths(self, *, drafts: bool) -> list[str]:
        try:
            found = sorted(os.listdir(self._folder))  # noqa: PTH208
        except FileNotFoundError:
            return []
        except OSError as error:
            raise StorageFailed(
                f"The folder of the archives cannot be read: {error.strerror}.",
                meaning="What its packs hold cannot be told.",
                remedy="Check the folder's permissions and the disk.",
            ) from error
        wanted = (n for n in found if names.is_pack(n) or (drafts and names.is_pack_draft(n)))
        return [os.path.join(self._folder, name) for name in wanted]  # noqa: PTH118


def _erase(path: str, sha256: str, files: Files | None) -> int:
    """Copy a pack's other frames as they are, damaged ones too: they may be all that is left."""
    try:
        left = _without(path, sha256)
    except (OSError, Unreadable) as error:
        if not names.is_pack_draft(path):
            raise Unreadable("the pack cannot be read whole") from error
        left = {}  # a draft that a kill cut short is nobody's, and may hold anything
    if left is None:
        return 0
    frames = list(left.values())
    sizes = [container.stated_size(frame) for frame in frames]
    replace(path, _assemble(list(left), frames, sizes), files)
    return 1


def _without(path: str, sha256: str) -> dict[str, bytes] | None:
    """Return the frames of a pack's other artifacts; None when it does not hold this one."""
    with container.opened(path) as handle:
        index = _read_index(handle)
        if all(named.sha256 != sha256 for named in index):
            return None
        return {
            named.sha256: container.read_at(handle, Frame(named.offset, named.length))
            for named in index
            if named.sha256 != sha256
        }


def _not_erased(path: str, error: OSError) -> StorageFailed:
    return StorageFailed(
        f"The pack {os.path.basename(path)} could not be rewritten: {error.strerror}.",  # noqa: PTH119
        meaning="It is as it was and may still hold the artifact.",
        remedy="Check the disk, its free space and the file's permissions, then try again.",
    )
