"""`.claude/checksums.json`: what was installed, each file with its digest.

    {"algorithm": "sha256", "files": {".claude/protocols/x.md": "9f86…"},
     "holdfast": {"version": "0.1.0", "files": [".claude/protocols/x.md"],
                  "folders": [".claude/protocols"]}}

Another framework may keep its own digests in the same file. They stay as they are: ours are added
to `files`, and `holdfast` says which are ours. Nothing here writes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import msgspec

from holdfast.evidence.shipped import TARGET, read_bytes
from holdfast.kernel.errors import CouldNotLook

NAME: Final = f"{TARGET}/checksums.json"
_OURS: Final = "holdfast"


class Recorded(msgspec.Struct, frozen=True):
    """What the file says about our part."""

    version: str
    files: dict[str, str]
    """Digests by path."""
    folders: tuple[str, ...] = ()
    """Folders that the install made, and that go when it is undone and they are empty."""


class Checksums(msgspec.Struct, frozen=True):
    """The file as it stands: its bytes, all of its content, and our part."""

    content: bytes | None
    document: dict[str, Any]
    ours: Recorded | None

    @property
    def others(self) -> dict[str, str]:
        """Digests that are not ours, by path."""
        mine = set() if self.ours is None else self.ours.files.keys()
        return {path: digest for path, digest in _files(self.document).items() if path not in mine}


def read_checksums(root: Path) -> Checksums:
    """Read the file of a project; one that is not what it should be could not be looked at."""
    content = read_bytes(root / NAME)
    if content is None:
        return Checksums(None, {}, None)
    try:
        document = json.loads(content)
        if not isinstance(document, dict):
            raise ValueError("it is no JSON object")
        _files(document)
        return Checksums(content, document, _ours(document))
    except (ValueError, RecursionError, msgspec.ValidationError) as error:
        raise CouldNotLook(
            f"{root / NAME} is not a list of checksums: {error}.",
            meaning="The installed files were not verified, and nothing was written.",
            remedy="Bring that file back from git, or move it away, and `holdfast protocols "
            "install` writes its part anew.",
        ) from error


def merged(document: dict[str, Any], ours: Recorded, before: Recorded | None) -> bytes:
    """Return the file with our part in it."""
    kept = _without(document, before)
    files = {**_files(kept), **ours.files}
    part = {"version": ours.version, "files": sorted(ours.files), "folders": sorted(ours.folders)}
    return _spelled({"algorithm": "sha256", **kept, "files": files, _OURS: part})


def without_ours(checksums: Checksums) -> bytes | None:
    """Return the file without our part, None when nothing else is in it."""
    kept = _without(checksums.document, checksums.ours)
    if not _files(kept) and not kept.keys() - {"algorithm", "files"}:
        return None
    return _spelled(kept)


def _ours(document: dict[str, Any]) -> Recorded | None:
    part = document.get(_OURS)
    if part is None:
        return None
    listed = msgspec.convert(part, _Part)
    files = _files(document)
    return Recorded(
        listed.version, {path: files.get(path, "") for path in listed.files}, listed.folders
    )


class _Part(msgspec.Struct, frozen=True):
    version: str
    files: tuple[str, ...]
    folders: tuple[str, ...] = ()


def _files(document: dict[str, Any]) -> dict[str, str]:
    return msgspec.convert(document.get("files", {}), dict[str, str])


def _without(document: dict[str, Any], ours: Recorded | None) -> dict[str, Any]:
    mine = set() if ours is None else ours.files.keys()
    kept = {key: value for key, value in document.items() if key != _OURS}
    if "files" in kept:
        kept["files"] = {k: v for k, v in _files(kept).items() if k not in mine}
    return kept


def _spelled(document: dict[str, Any]) -> bytes:
    return json.dumps(document, indent=2, ensure_ascii=False).encode() + b"\n"
