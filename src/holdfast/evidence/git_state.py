"""The text of a ledger's state, kept in git: a commit on a ref of its own, on no branch.

    refs/holdfast/state
        <ledger id>/NOTES.md
        <ledger id>/state/CURRENT_STATE.json
        <ledger id>/trajectory/2026-11-15.jsonl
        <ledger id>/tasks.jsonl
        <ledger id>/TREE_HEAD            size:root of the ledger's tree

Several ledgers in one repository have a folder each, and a commit of one carries the others along.
The ref moves only from the commit that was read; whoever comes second joins its files to the new
one. What was written is read back and compared before it is called kept. The user's branches,
index, work tree, reflogs and settings are not touched, and nothing is pushed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from holdfast.evidence.git import Blob, Git
from holdfast.kernel.errors import Busy, StorageFailed
from holdfast.kernel.limits import GIT_STATE_COMMITS_READ

REF: Final = "refs/holdfast/state"
TREE_HEAD: Final = "TREE_HEAD"

_TRIES: Final = 8
"""How often the files are joined to what another process has just put there."""


class StateKept(msgspec.Struct, frozen=True):
    """What is in git now."""

    commit: str
    files: int
    written: int
    """Files that were not in the commit before."""
    changed: bool = True
    """False when all of it was there already."""


class Version(msgspec.Struct, frozen=True):
    """A file as a commit has it."""

    commit: str
    content: bytes


def keep(
    git: Git,
    ledger: str,
    files: Mapping[str, bytes],
    *,
    message: str,
    when: str,
    unchanged: frozenset[str] = frozenset(),
) -> StateKept:
    """Commit files to the ledger's folder on the ref. What is not among them leaves the folder.

    `unchanged` names files that stay as the last commit has them, and are not in `files`.
    """
    for _ in range(_TRIES):
        parent = git.resolve(REF)
        before = {} if parent is None else git.files(f"{REF}:{ledger}")
        blobs = {name: before[name].oid for name in unchanged if name in before}
        blobs |= {name: git.keep(content) for name, content in files.items()}
        tree = _joined(git, parent, ledger, _tree(git, blobs))
        if parent is not None and git.resolve(f"{parent}^{{tree}}") == tree:
            return StateKept(parent, len(blobs), 0, changed=False)
        parents = [] if parent is None else [parent]
        commit = git.commit(tree, message, parents=parents, when=when)
        if git.move_ref(REF, commit, old=parent):
            _compare(git, commit, ledger, files)
            return StateKept(commit, len(blobs), _fresh(blobs, before))
    raise Busy(
        f"Others kept moving {REF}.",
        meaning="The state of this ledger is not in git as of now. The ledger has everything.",
        remedy="The next end of a session tries again.",
    )


def newest(git: Git, ledger: str) -> dict[str, Blob]:
    """Return the files that are kept of a ledger, by their names."""
    return git.files(f"{REF}:{ledger}") if git.resolve(REF) is not None else {}


def versions(git: Git, ledger: str, name: str) -> Iterator[Version]:
    """Yield a file as the newest commits have it, each content once."""
    seen = set()
    for commit in git.history(REF, commits_max=GIT_STATE_COMMITS_READ):
        content = git.read(f"{commit}:{ledger}/{name}")
        if content is not None and content not in seen:
            seen.add(content)
            yield Version(commit, content)


def _tree(git: Git, blobs: Mapping[str, str]) -> str:
    """Make a tree of files in folders."""
    here: dict[str, str] = {}
    below: dict[str, dict[str, str]] = {}
    for name, oid in blobs.items():
        folder, _, rest = name.partition("/")
        if rest:
            below.setdefault(folder, {})[rest] = oid
        else:
            here[name] = oid
    return git.make_tree(here, {folder: _tree(git, inner) for folder, inner in below.items()})


def _joined(git: Git, parent: str | None, ledger: str, tree: str) -> str:
    """Put a ledger's folder beside those of others."""
    others = {} if parent is None else git.trees(parent)
    return git.make_tree({}, others | {ledger: tree})


def _fresh(blobs: Mapping[str, str], before: Mapping[str, Blob]) -> int:
    known = {name: blob.oid for name, blob in before.items()}
    return sum(known.get(name) != oid for name, oid in blobs.items())


def _compare(git: Git, commit: str, ledger: str, files: Mapping[str, bytes]) -> None:
    """Read back what was written: what git says it keeps is looked at, not believed."""
    for name, content in files.items():
        if git.read(f"{commit}:{ledger}/{name}", bytes_max=len(content)) != content:
            raise StorageFailed(
                f"git does not give {name} back as it was written.",
                meaning=f"Do not count on {REF}. The ledger has everything.",
                remedy="Run `git fsck` in the project; the next end of a session tries again.",
            )
