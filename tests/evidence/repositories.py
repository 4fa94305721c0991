"""Git repositories for tests, and all of one that a user would notice a change of."""

from __future__ import annotations

import os
import subprocess
from hashlib import sha256
from pathlib import Path

ENVIRONMENT = {
    "GIT_AUTHOR_EMAIL": "tests",
    "GIT_AUTHOR_NAME": "tests",
    "GIT_COMMITTER_EMAIL": "tests",
    "GIT_COMMITTER_NAME": "tests",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


def git(folder: Path, *words: str) -> str:
    """Run git as a user would."""
    done = subprocess.run(
        ["git", *words],
        cwd=folder,
        env={**os.environ, **ENVIRONMENT},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def repository(folder: Path, *, commits: int = 1) -> Path:
    """Make a repository with some commits and a file that is not committed."""
    folder.mkdir(exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    for number in range(commits):
        (folder / "a.txt").write_text(f"{number}\n")
        git(folder, "add", "a.txt")
        git(folder, "commit", "-q", "-m", f"number {number}")
    (folder / "b.txt").write_text("staged\n")
    git(folder, "add", "b.txt")
    (folder / "c.txt").write_text("not known\n")
    return folder


def seen(folder: Path) -> dict[str, str]:
    """Return what a user sees of a repository: all but objects and the private ref."""
    inside = Path(git(folder, "rev-parse", "--absolute-git-dir"))
    shared = Path(git(folder, "rev-parse", "--path-format=absolute", "--git-common-dir"))
    found = {
        "status": git(folder, "status", "--porcelain=v2", "--branch", "--ignored"),
        "refs": git(folder, "for-each-ref", "refs/heads", "refs/tags", "refs/remotes"),
        "stash": git(folder, "stash", "list"),
    }
    for base in {inside, shared}:
        for path in sorted(base.rglob("*")):
            name = path.relative_to(base).as_posix()
            if path.is_file() and not name.startswith(("objects/", "refs/holdfast/")):
                found[f"{base.name}/{name}"] = sha256(path.read_bytes()).hexdigest()
    return found
