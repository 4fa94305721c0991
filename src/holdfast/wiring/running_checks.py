"""Checks that somebody asks for here and now, recorded with how they came out.

None is ever taken from the text of a ledger, of a transcript or of a file: what is run is what the
caller named.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from holdfast.code.patterns import compiled, engine
from holdfast.evidence import running
from holdfast.evidence.running import Ran
from holdfast.kernel.errors import CouldNotLook, InvalidInput, NotFound
from holdfast.kernel.limits import PATTERN_CHARS_MAX
from holdfast.wiring.grounding import Grounding

if TYPE_CHECKING:
    from holdfast.evidence.project_files import ProjectFile, ProjectFiles
    from holdfast.ledger.ledger import Receipt
    from holdfast.wiring.project import Project


class Recorded(msgspec.Struct, frozen=True):
    """A check that was run, and its entry."""

    receipt: Receipt
    passed: bool
    data: dict[str, Any]


class Checks:
    """Run checks and record them; `decision` names what they speak for."""

    def __init__(self, project: Project, files: ProjectFiles, decision: str | None = None) -> None:
        self._project = project
        self._files = files
        self._decision: str | None = None
        if decision is not None:
            project.views.fold_up(project.ledger.reader)
            self._decision = Grounding(project, files).find(decision)

    def file_exists(self, given: str) -> Recorded:
        """Look whether a file of the project is there."""
        path = self._files.locate(given)
        passed = self._files.has(given)
        file = self._read(given) if passed else None
        return self._record("file_exists", passed=passed, path=path, file=_digest(file))

    def grep(self, pattern: str, given: str) -> Recorded:
        """Count the lines of a file that a pattern is found in; none means that it failed."""
        path = self._files.locate(given)
        found = _pattern(pattern)
        try:
            file = self._files.read(given)
        except NotFound:
            return self._record("grep", passed=False, path=path, pattern=pattern, matches=0)
        lines = file.text.replace("\r\n", "\n").split("\n")
        matches = sum(1 for line in lines if found.search(line))
        return self._record(
            "grep",
            passed=matches > 0,
            path=path,
            pattern=pattern,
            matches=matches,
            file=_digest(file),
        )

    def run(self, argv: Sequence[str], *, test: bool, timeout_s: float) -> tuple[Recorded, Ran]:
        """Run a command in the current folder; it passes when its exit code is 0."""
        ran = running.run(argv, folder=Path.cwd(), timeout_s=timeout_s)
        recorded = self._record(
            "test" if test else "command",
            passed=ran.passed,
            command=shlex.join(argv),
            exit_code=ran.exit_code,
            output=ran.output,
        )
        return recorded, ran

    def _read(self, given: str) -> ProjectFile | None:
        try:
            return self._files.read(given)
        except (CouldNotLook, NotFound):
            return None  # it is there; only its hash is not known

    def _record(
        self,
        kind: Literal["file_exists", "grep", "command", "test"],
        *,
        passed: bool,
        **found: Any,
    ) -> Recorded:
        data = {"kind": kind, "passed": passed, "decision": self._decision, **found}
        data = {name: value for name, value in data.items() if value is not None}
        receipt = self._project.ledger.append("evidence_recorded", data)
        return Recorded(receipt, passed, data)


def _pattern(pattern: str) -> Any:
    """Return a pattern ready to match: of an engine that takes linear time whatever it is."""
    if len(pattern) > PATTERN_CHARS_MAX:
        raise _no_pattern(f"It has more than {PATTERN_CHARS_MAX} characters.")
    failed: type[Exception] = engine().error
    try:
        return compiled(pattern)
    except failed as error:
        reason = error.args[0] if error.args else ""
        said = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise _no_pattern(f"{said}.") from error


def _no_pattern(why: str) -> InvalidInput:
    return InvalidInput(
        f"The pattern cannot be used. {why}",
        meaning="Nothing was looked at, and nothing was recorded.",
        remedy="Patterns are those of RE2: no look-around, no back references.",
    )


def _digest(file: ProjectFile | None) -> str | None:
    return None if file is None else sha256(file.text.encode()).hexdigest()
