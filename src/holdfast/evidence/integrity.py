"""Integrity: are the files installed for agents what was installed, and is `ck` the pinned one?

Three answers for each thing: it is so, it is not, or it could not be looked at. Only the first
passes. A file counts as right when its digest is the recorded one, and the recorded one is that of
the package or of an override: a list of digests that was rewritten together with a file is found
out. What was never installed is not missed. Digests that another framework keeps in the same list
are verified when asked for, and counted when not.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from holdfast.evidence.checksums import NAME as CHECKSUMS
from holdfast.evidence.checksums import Checksums
from holdfast.evidence.installing import FileState, Installation, Local
from holdfast.evidence.pinned import Program, check_program
from holdfast.evidence.shipped import read_bytes, shipped, strays
from holdfast.kernel.errors import CouldNotLook
from holdfast.version import __version__

Answer: TypeAlias = Literal["ok", "note", "drift", "could_not_look"]

_INSTALL: Final = "`holdfast protocols install`"


class Finding(msgspec.Struct, frozen=True):
    """What was found about one thing, and what to do about it."""

    subject: str
    answer: Answer
    detail: str
    remedy: str = ""


class IntegrityReport(msgspec.Struct, frozen=True):
    """Everything that was looked at."""

    enforcement: str
    installed: str | None
    """The version whose files are installed, None when none are."""
    findings: tuple[Finding, ...]
    unverified: int = 0
    """Digests of others in the same list that were not looked at."""

    @property
    def ok(self) -> bool:
        """Tell whether nothing drifted, and everything could be looked at."""
        return all(one.answer in ("ok", "note") for one in self.findings)

    @property
    def halts(self) -> bool:
        """Tell whether work must not begin."""
        return self.enforcement == "strict" and not self.ok

    @property
    def faults(self) -> tuple[Finding, ...]:
        """Return what did not pass."""
        return tuple(one for one in self.findings if one.answer in ("drift", "could_not_look"))


def verify_installed(
    installation: Installation, overrides: Path, *, enforcement: str, everything: bool = False
) -> IntegrityReport:
    """Look at the installed files and at the pinned programs."""
    try:
        checksums, local = installation.checksums(), installation.local()
        states, stray = installation.states(), strays(overrides)
    except CouldNotLook as error:
        unread = Finding(CHECKSUMS, "could_not_look", error.what, error.remedy)
        return IntegrityReport(enforcement, None, (unread,))
    findings = [*_lists(checksums, local), *_files(installation, states, checksums)]
    findings += [_stray(name) for name in stray]
    others = checksums.others
    if everything:
        findings += [_other(installation.root, *one) for one in others.items()]
    findings += [_program(one) for one in check_program(installation.root, local.ck)]
    version = None if checksums.ours is None else checksums.ours.version
    return IntegrityReport(enforcement, version, tuple(findings), 0 if everything else len(others))


def _lists(checksums: Checksums, local: Local) -> list[Finding]:
    """Hold the list of digests against what this machine remembers of it."""
    recorded = {} if checksums.ours is None else checksums.ours.files
    if not local.files:
        return []
    if checksums.ours is None:
        detail = "it no longer says what holdfast installed here"
        return [Finding(CHECKSUMS, "drift", detail, f"{_INSTALL} writes it anew.")]
    if any(recorded.get(path, digest) != digest for path, digest in local.files.items()):
        detail = "it was rewritten since holdfast installed its files here"
        remedy = f"See what changed in git; {_INSTALL} takes the files as they are to be."
        return [Finding(CHECKSUMS, "drift", detail, remedy)]
    return [Finding(CHECKSUMS, "ok", "as it was written")]


def _files(
    installation: Installation, states: list[FileState], checksums: Checksums
) -> list[Finding]:
    if checksums.ours is None:
        return []
    ours = checksums.ours
    right = {(one.path, one.sha256) for one in (*shipped(), *installation.wanted())}
    same_version = ours.version == __version__
    return [
        _file(state, vouched=not same_version or (state.path, ours.files[state.path]) in right)
        for state in states
        if state.path in ours.files
    ]


def _file(state: FileState, *, vouched: bool) -> Finding:
    match state.state:
        case "current":
            return Finding(state.path, "ok", f"the {state.source}'s")
        case "outdated" if vouched:
            detail = "another version than the one that counts now is installed, unchanged"
            return Finding(state.path, "note", detail, f"{_INSTALL} brings it up to date.")
        case "outdated":
            detail = "its digest is recorded, but it is neither the package's nor an override's"
            return Finding(state.path, "drift", detail, _CHOOSE)
        case "changed" | "foreign":
            return Finding(state.path, "drift", "it was edited since it was installed", _CHOOSE)
        case "missing" | "absent":
            return Finding(state.path, "drift", "it is gone", f"{_INSTALL} puts it back.")
        case "link" | "unreadable":
            remedy = "Put a plain file in its place that can be read."
            return Finding(state.path, "could_not_look", state.note, remedy)


_CHOOSE: Final = (
    f"{_INSTALL[:-1]} --keep-mine` makes it your override; with --restore ours comes back and "
    "yours is kept aside."
)


def _stray(name: str) -> Finding:
    detail = "it stands in for nothing that is installed"
    return Finding(f"overrides/{name}", "note", detail, "`holdfast protocols status` names them.")


def _other(root: Path, path: str, digest: str) -> Finding:
    """Verify a digest that another framework keeps."""
    if path.startswith("/") or ".." in path.split("/"):
        return Finding(path, "could_not_look", "its path leaves the project", "Correct the list.")
    try:
        content = read_bytes(root / path)
    except CouldNotLook as error:
        return Finding(path, "could_not_look", error.what, error.remedy)
    if content is None:
        return Finding(path, "drift", "it is gone", "Bring it back from git.")
    if sha256(content).hexdigest() != digest:
        return Finding(path, "drift", "it is not what the list says", "See what changed in git.")
    return Finding(path, "ok", "as listed")


def _program(one: Program) -> Finding:
    return Finding(one.name, one.answer, one.detail, one.remedy)
