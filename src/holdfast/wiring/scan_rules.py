"""What is not looked at for changed files: whole homes, and what git ignores."""

from __future__ import annotations

import os
import pwd
from contextlib import suppress
from pathlib import Path
from typing import Final

from holdfast.evidence.file_scan import Ask
from holdfast.wiring.code_files import is_ignored, run_git
from holdfast.wiring.watching import IGNORED_FOLDERS

LEFT_OUT: Final = IGNORED_FOLDERS | frozenset(
    {".direnv", ".eggs", ".gradle", ".ipynb_checkpoints", ".next", ".nox", ".nuxt", ".parcel-cache"}
    | {".svelte-kit", ".terraform", ".turbo", ".yarn", "__pypackages__", "bower_components"}
)
"""Folders of caches and of what was fetched, by names that are used for nothing else."""

_HOMES: Final = (Path("/home"), Path("/Users"), Path("/var/home"))
_CHECK: Final = ("check-ignore", "-z", "--stdin")
_TOLD: Final = (0, 1)
_INSIDE: Final = ("rev-parse", "--is-inside-work-tree")


def refusal(root: Path) -> str:
    """Say why a folder is never looked at as a whole; nothing when it may be."""
    real = Path(os.path.realpath(root))
    if real == Path(real.anchor):
        return "It is the root of the file system."
    homes = {Path(os.path.realpath(home)) for home in _own_homes()}
    if real in homes or real.parent in _HOMES:
        return "It is somebody's home folder."
    if real in _HOMES or any(real in home.parents for home in homes):
        return "It holds home folders."
    return ""


def git_rules(root: Path) -> Ask | None:
    """Return who can be asked what is ignored; None where git does not speak for a folder."""
    inside = run_git(root, _INSIDE)
    if inside is None or inside.stdout.strip() != b"true" or is_ignored(root):
        return None
    return asking_git(root)


def asking_git(root: Path) -> Ask:
    """Return who is asked in a folder that git speaks for."""
    return lambda paths: _ignored(root, paths)


def _ignored(root: Path, paths: list[str]) -> set[str]:
    """Ask git which paths it ignores; one that it cannot tell about counts as not ignored."""
    if not paths:
        return set()
    given = b"".join(os.fsencode(path) + b"\0" for path in paths)
    done = run_git(root, _CHECK, given)
    if done is None:
        return set()
    if done.returncode not in _TOLD and len(paths) > 1:
        # It stops at a path that it does not like, such as one behind a link that is new.
        half = len(paths) // 2
        return _ignored(root, paths[:half]) | _ignored(root, paths[half:])
    return {os.fsdecode(path) for path in done.stdout.split(b"\0") if path}


def _own_homes() -> list[str]:
    """Return what the environment and the system call the user's home; either may be odd."""
    homes = [os.path.expanduser("~")]  # noqa: PTH111 - it may not be there at all
    with suppress(KeyError):
        homes.append(pwd.getpwuid(os.getuid()).pw_dir)
    return [home for home in homes if home.startswith("/") and home != "/"]
