"""Beads by its program `bd`: every word an argument, every answer JSON, every write read back.

History goes to comments, one for each decision and handoff. Never `update --notes`: it replaces
what people wrote there.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from holdfast.evidence.beads.port import (
    FIELDS,
    OURS,
    Found,
    Issue,
    Wanted,
    compare,
    differing,
    gone,
)
from holdfast.evidence.beads.shapes import error_of, issue_of, rows
from holdfast.evidence.programs import Ran, find, run
from holdfast.kernel.errors import CouldNotLook, HoldfastError, StorageFailed
from holdfast.kernel.limits import BEADS_OUTPUT_BYTES_MAX, BEADS_TIMEOUT_S
from holdfast.ledger.tasks import PRIORITY_DEFAULT

FOLDER: Final = ".beads"
_AUTHOR: Final = "holdfast"
_ELSEWHERE: Final = ("BEADS_DB", "BD_DB", "BEADS_DIR", "BD_JSON_ENVELOPE")
"""Variables that would lead to another database, or to an answer of another shape."""

_FLAGS: Final = {name: name for name in FIELDS} | {"issue_type": "type"}
_ANYWAY: Final = "--force"
"""Lets an id have another prefix than the database's, and a task be closed though others block it
there: what is so was decided here. Neither takes anything away."""

_ABSENT: Final = re.compile(
    r"no issues? found|issue .*not found|issue not found|ambiguous id", re.I
)
_LOST: Final = re.compile(r"database|server|workspace|connect", re.I)
"""What is said of an id that nothing has, or that is the beginning of several; and of a database
that cannot be reached, which is something else."""


def find_program(root: Path) -> str | None:
    """Return where `bd` is, None when it is not on the path; one inside the project is not run."""
    return find("bd", root)


class Program:
    """A driver that runs `bd` in a project."""

    name: Final = "bd"

    def __init__(
        self,
        root: Path,
        program: str,
        *,
        env: Mapping[str, str] | None = None,
        timeout_s: float = BEADS_TIMEOUT_S,
        bytes_max: int = BEADS_OUTPUT_BYTES_MAX,
    ) -> None:
        self._root = root
        self._program = program
        given = os.environ if env is None else env
        kept = {name: value for name, value in given.items() if name not in _ELSEWHERE}
        self._env = kept | {"BEADS_DIR": str(root / FOLDER)}
        self._timeout_s = timeout_s
        self._bytes_max = bytes_max
        self._is_ours = False

    def issues(self) -> Found:
        """Return all issues. None at all, where an export has some, is another database."""
        self._check_place()
        # Without a limit it would list the first fifty, and say nothing of the others.
        found = [issue_of(row) for row in rows(self._ask("list", "--all", "--limit", "0"))]
        issues = [issue for issue in found if issue is not None]
        if not issues:
            self._doubt_nothing()
        odd = len(found) - len(issues)
        return Found(issues, [f"{odd} answers without an id and a title"] if odd else [])

    def issue(self, id: str) -> Issue | None:
        """Return one issue; `bd` also takes the beginning of an id, which is not asked for here."""
        self._check_place()
        ran = self._run("show", id)
        answer = _decoded(ran)
        problem = _problem(ran, answer)
        if problem is not None:
            if _ABSENT.search(problem) and not _LOST.search(problem.partition(id)[0]):
                return None
            raise self._could_not("show", problem)
        for row in rows(answer):
            issue = issue_of(row)
            if issue is not None and issue.id == id:
                return issue
        return None

    def put(self, wanted: Wanted) -> Issue:
        """Let an issue be as it should be: each difference is one command, then all is read."""
        known = self.issue(wanted.id)
        if known is None:
            self._create(wanted)
            known = self.issue(wanted.id)
            if known is None:
                return compare(self.name, None, wanted)
        dropped = gone(known, wanted)
        self._change(known, wanted)
        self._link(known, wanted, dropped)
        self._remark(wanted)
        found = self.issue(wanted.id)
        if found is not None:
            found = msgspec.structs.replace(found, comments=self._comments(wanted.id))
        return compare(self.name, found, wanted, dropped)

    def _create(self, wanted: Wanted) -> None:
        self._tell(
            "create",
            f"--title={wanted.title}",
            f"--id={wanted.id}",
            _ANYWAY,
            f"--description={wanted.description}",
            f"--priority={PRIORITY_DEFAULT if wanted.priority is None else wanted.priority}",
            f"--type={wanted.issue_type or 'task'}",
        )

    def _change(self, known: Issue, wanted: Wanted) -> None:
        changed = differing(known, wanted)
        words = [
            f"--{_FLAGS[name]}={getattr(wanted, name)}"
            for name in changed
            if (name, wanted.status) != ("status", "closed")
        ]
        # Some versions put it in the place of what is there, others merge: so all of it is given.
        metadata = known.metadata | {OURS: wanted.ours}
        with tempfile.TemporaryDirectory() as folder:
            if metadata != known.metadata:
                file = Path(folder, "metadata.json")
                file.write_bytes(msgspec.json.encode(metadata))
                words.append(f"--metadata=@{file}")
            if words:
                self._tell("update", wanted.id, *words)
        if "status" in changed and wanted.status == "closed":
            reason = wanted.close_reason or "closed"
            self._tell("close", wanted.id, f"--reason={reason}", _ANYWAY)

    def _link(self, known: Issue, wanted: Wanted, dropped: Iterable[str]) -> None:
        for other in wanted.depends_on:
            if other not in known.depends_on:
                self._tell("dep", "add", wanted.id, other, "--type", "blocks")
        for other in dropped:
            self._tell("dep", "remove", wanted.id, other)

    def _remark(self, wanted: Wanted) -> None:
        said = self._comments(wanted.id) if wanted.remarks else []
        for remark in wanted.remarks:
            if any(remark.mark in text for text in said):
                continue
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder, "comment.txt")
                file.write_text(remark.text, encoding="utf-8")
                self._tell("comments", "add", wanted.id, f"--file={file}", f"--author={_AUTHOR}")

    def _comments(self, id: str) -> list[str]:
        texts = (row.get("text") for row in rows(self._ask("comments", id)))
        return [text for text in texts if isinstance(text, str)]

    def _check_place(self) -> None:
        """Make sure once that `bd` looks into this project, as far as it can tell."""
        if self._is_ours:
            return
        ran = self._run("where")
        answer = _decoded(ran)
        if (problem := _problem(ran, answer)) is not None:
            if "unknown command" not in problem:
                raise self._could_not("where", problem)
        else:
            for row in rows(answer):
                self._check_path(row)
        self._is_ours = True

    def _check_path(self, row: dict[str, Any]) -> None:
        mine = os.path.realpath(self._root / FOLDER)
        named = [
            row[name] for name in ("path", "redirected_from") if isinstance(row.get(name), str)
        ]
        if named and mine not in map(os.path.realpath, named):
            raise CouldNotLook(
                f"`bd` looks into {named[0]}, which is not this project's.",
                meaning="No task was read or written there.",
                remedy="`bd where` tells why; its variables or a redirect may lead there.",
            )

    def _doubt_nothing(self) -> None:
        from holdfast.evidence.beads.exported import Exported

        try:
            exported = len(Exported(self._root).issues().issues)
        except HoldfastError:
            return  # nothing was exported, so nothing speaks against it
        if exported:
            raise CouldNotLook(
                f"`bd` lists no issue, and {FOLDER}/ has an export with {exported}.",
                meaning="It may look into another database. That is not the same as no tasks.",
                remedy="`bd where` shows it; `holdfast task import FILE` reads a file instead.",
            )

    def _ask(self, *words: str) -> Any:
        """Return the answer to a question."""
        ran = self._run(*words)
        answer = _decoded(ran)
        if (problem := _problem(ran, answer)) is not None:
            raise self._could_not(words[0], problem)
        return answer

    def _tell(self, *words: str) -> None:
        """Let `bd` write something. What came of it is seen when it is read back."""
        try:
            ran = self._run(*words)
            problem = None if ran.code == 0 else _problem(ran, _decoded(ran))
        except CouldNotLook as error:
            problem = str(error)
        if problem is not None:
            raise StorageFailed(
                f"`bd {words[0]}` failed: {problem}",
                meaning="The task stands in the ledger; Beads may have a part of the change.",
                remedy="The next change of the task is mirrored again, with what is missing.",
            )

    def _run(self, *words: str) -> Ran:
        # A NUL ends an argument, so none can hold one.
        argv = [word.replace("\0", "\N{REPLACEMENT CHARACTER}") for word in words]
        return run(
            [self._program, *argv, "--json"],
            folder=self._root,
            env=self._env,
            timeout_s=self._timeout_s,
            bytes_max=self._bytes_max,
        )

    def _could_not(self, verb: str, problem: str) -> CouldNotLook:
        return CouldNotLook(
            f"`bd {verb}` could not answer: {problem}",
            meaning="That is not the same as no tasks. Nothing was changed.",
            remedy="Run `bd where` to see which database it uses.",
        )


def _decoded(ran: Ran) -> Any:
    """Return the JSON that was printed; bytes that are none where it is not JSON."""
    for said in (ran.out, ran.err):
        try:
            return msgspec.json.decode(said.strip())
        except msgspec.DecodeError:
            continue
    return ran.out


def _problem(ran: Ran, answer: Any) -> str | None:
    """Return what went wrong, None when nothing did."""
    if (told := error_of(answer)) is not None:
        return _first_line(told)
    if ran.code != 0:
        said = (ran.err or ran.out).decode("utf-8", "replace")
        return _first_line(said) or f"it ended with {ran.code}"
    if isinstance(answer, bytes):
        return f"it printed no JSON: {_first_line(answer.decode('utf-8', 'replace'))!r}"
    return None


def _first_line(said: str) -> str:
    """Return what an error says, without advice: some of it makes a new, empty database."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    first = lines[0].removeprefix("Error: ") if lines else ""
    return first.partition("bd init")[0][:200].rstrip(" ,;:('`\"")
