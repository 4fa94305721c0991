"""Git by its plumbing: objects and refs, nothing else.

No checkout, no index, no work tree, no network, no hook, no program that a repository's settings
name. A caller's own `GIT_` variables, which would point it at another repository, are left out.
Whatever git cannot do is `CouldNotLook`, with what git said.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from holdfast.evidence.programs import find as find_program
from holdfast.kernel.errors import CouldNotLook
from holdfast.kernel.limits import GIT_BLOB_BYTES_MAX, GIT_OUTPUT_BYTES_MAX, GIT_TIMEOUT_S

PROGRAM: Final = "git"

_QUIET: Final = (
    *("--no-pager", "--no-optional-locks", "--literal-pathspecs"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.logAllRefUpdates=false"),
    *("-c", "gc.auto=0"),
)
_ENVIRONMENT: Final = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_SAID_CHARS_MAX: Final = 200


class Blob(msgspec.Struct, frozen=True):
    """A file in a tree."""

    oid: str
    size: int


class Git:
    """One repository, seen from a folder in it."""

    def __init__(self, folder: Path, *, timeout_s: float = GIT_TIMEOUT_S) -> None:
        self._folder = folder
        self._program: str | None = None
        self._timeout_s = timeout_s

    def keep(self, content: bytes) -> str:
        """Put a file among the objects, byte for byte; return its name."""
        return self._line("hash-object", "-w", "--stdin", stdin=content)

    def make_tree(self, files: Mapping[str, str], trees: Mapping[str, str] | None = None) -> str:
        """Make a tree of files and of other trees, each by its name in it; return its own."""
        rows = [f"100644 blob {oid}\t{name}" for name, oid in files.items()]
        rows += [f"040000 tree {oid}\t{name}" for name, oid in (trees or {}).items()]
        return self._line("mktree", "-z", stdin=b"".join(os.fsencode(row) + b"\0" for row in rows))

    def commit(self, tree: str, message: str, *, parents: Sequence[str], when: str) -> str:
        """Make a commit that is on no branch; return its name."""
        words = [word for parent in parents for word in ("-p", parent)]
        who = {
            f"GIT_{role}_{what}": said
            for role in ("AUTHOR", "COMMITTER")
            for what, said in (("NAME", "holdfast"), ("EMAIL", "holdfast"), ("DATE", when))
        }
        return self._line("commit-tree", tree, *words, stdin=message.encode(), env=who)

    def move_ref(self, ref: str, new: str, *, old: str | None) -> bool:
        """Let a ref name another commit, if it still names the old one; tell whether it does."""
        done = self._run("update-ref", "--no-deref", ref, new, old or "")
        if done.returncode == 0:
            return True
        if self.resolve(ref) == old:
            raise _failed("update-ref", done.stderr)
        return False

    def is_there(self) -> bool:
        """Tell whether the folder is in a repository that git may use."""
        return self._run("rev-parse", "--git-dir").returncode == 0

    def resolve(self, name: str) -> str | None:
        """Return the object that a ref or an expression names; None when there is none."""
        done = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", name)
        found = done.stdout.decode("ascii", "replace").strip()
        return found if done.returncode == 0 and found else None

    def read(self, name: str, *, bytes_max: int = GIT_BLOB_BYTES_MAX) -> bytes | None:
        """Return the bytes of a file by an expression such as `HEAD:./NOTES.md`; None for none."""
        oid = self.resolve(name)
        if oid is None or self._line("cat-file", "-t", oid) != "blob":
            return None
        size = int(self._line("cat-file", "-s", oid))
        if size > bytes_max:
            raise _failed("cat-file", f"{size:,} bytes are more than is read".encode())
        return self._done("cat-file", "blob", oid, bytes_max=bytes_max)

    def files(self, tree: str) -> dict[str, Blob]:
        """Return the files below a tree, by their paths in it."""
        if self.resolve(tree) is None:
            return {}
        rows = self._done("ls-tree", "-r", "-z", "-l", "--full-tree", tree).split(b"\0")
        return dict(_blobs(rows))

    def trees(self, tree: str) -> dict[str, str]:
        """Return the folders right in a tree, by their names in it."""
        if self.resolve(tree) is None:
            return {}
        rows = self._done("ls-tree", "-d", "-z", "--full-tree", tree).split(b"\0")
        split = (os.fsdecode(row).partition("\t") for row in rows if row)
        return {name: about.split()[2] for about, _, name in split}

    def history(self, ref: str, path: str | None = None, *, commits_max: int) -> list[str]:
        """Return the newest commits behind a ref, or those of them that changed a path."""
        if self.resolve(ref) is None:
            return []
        words = [] if path is None else ["--", path]
        found = self._done("rev-list", f"--max-count={commits_max}", ref, *words)
        return found.decode("ascii").split()

    def _line(self, *words: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> str:
        return self._done(*words, stdin=stdin, env=env).decode("ascii", "replace").strip()

    def _done(
        self,
        *words: str,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        bytes_max: int = GIT_OUTPUT_BYTES_MAX,
    ) -> bytes:
        done = self._run(*words, stdin=stdin, env=env)
        if done.returncode != 0:
            raise _failed(words[0], done.stderr)
        if len(done.stdout) > bytes_max:
            raise _failed(words[0], b"it said more than is read")
        return done.stdout

    def _run(
        self, *words: str, stdin: bytes = b"", env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        program = self._program = self._program or find_program(PROGRAM, self._folder)
        if program is None:
            raise _failed(words[0], b"it is not installed")
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        try:
            return subprocess.run(
                [program, *_QUIET, *words],
                cwd=self._folder,
                env={**kept, **_ENVIRONMENT, **(env or {})},
                input=stdin,
                capture_output=True,
                check=False,
                timeout=self._timeout_s,
            )
        except subprocess.TimeoutExpired as error:
            said = f"it took more than {self._timeout_s:g} s"
            raise _failed(words[0], said.encode()) from error
        except OSError as error:
            raise _failed(words[0], str(error.strerror).encode()) from error


def find(folder: Path, *, timeout_s: float = GIT_TIMEOUT_S) -> Git | str:
    """Return the repository that a folder is in; or why there is none to be used."""
    git = Git(folder, timeout_s=timeout_s)
    try:
        return git if git.is_there() else "this is not in a git repository"
    except CouldNotLook as problem:
        return problem.what.rstrip(".")


def _blobs(rows: Sequence[bytes]) -> Iterator[tuple[str, Blob]]:
    for row in rows:
        about, _, name = row.partition(b"\t")
        words = about.split()
        if len(words) == 4 and words[1] == b"blob":
            yield os.fsdecode(name), Blob(words[2].decode(), int(words[3]))


def _failed(word: str, said: bytes) -> CouldNotLook:
    told = " ".join(said.decode("utf-8", "replace").split())[:_SAID_CHARS_MAX]
    return CouldNotLook(
        f"git {word} did not work: {told or 'it said nothing'}.",
        meaning="Nothing of the repository was changed.",
        remedy="The ledger has everything; git only keeps a copy of its text.",
    )
