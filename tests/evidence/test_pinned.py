"""The pins of `ck`: by version and by digest, from the project and from this machine."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from holdfast.evidence.pinned import Program, check_program, meets, pins_of
from holdfast.kernel.errors import CouldNotLook, NotFound


class Machine:
    """A project, and a folder for programs that is all of the search path."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.bin = folder / "bin"
        self.root.mkdir()
        self.bin.mkdir()

    def ck(self, says: str = "ck 0.8.1", code: int = 0) -> str:
        """Install a `ck`; return the digest of it."""
        program = self.bin / "ck"
        program.write_text(f"#!/bin/sh\n[ \"$1\" = --version ] && echo '{says}'\nexit {code}\n")
        program.chmod(0o755)
        return sha256(program.read_bytes()).hexdigest()

    def project(self, version: str = "", digest: str = "", **more: Any) -> None:
        document = {
            "framework_version": "1.5.0",
            "dependencies": {"ck": {"version": version, "purpose": "search", **more}},
            "binary_fingerprints": {"ck": digest, "comment": "updated post-install"},
        }
        (self.root / ".loa-version.json").write_text(json.dumps(document))

    def check(self, **local: str) -> list[str]:
        return [one.answer for one in self.found(**local)]

    def found(self, **local: str) -> list[Program]:
        return check_program(self.root, local)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine(tmp_path)
    monkeypatch.setenv("PATH", f"{made.bin}:/usr/bin:/bin")
    return made


def test_without_pins_nothing_is_looked_for(machine: Machine) -> None:
    machine.ck(code=1)
    assert machine.check() == []
    machine.project("any")
    assert machine.check() == []


@pytest.mark.req("L16")
@pytest.mark.parametrize(
    ("version", "answer"),
    [(">=0.7.0", "ok"), ("0.8.1", "ok"), (">=0.9", "drift"), ("0.8", "drift")],
)
def test_the_version_is_held_against_the_projects_pin(
    machine: Machine, version: str, answer: str
) -> None:
    machine.ck()
    machine.project(version)
    assert machine.check() == [answer]


@pytest.mark.req("L16")
def test_the_digest_is_held_against_the_projects_pin(machine: Machine) -> None:
    digest = machine.ck()
    machine.project("", digest.upper())
    assert machine.check() == ["ok"]
    machine.ck("ck 0.8.1 ")
    assert machine.check() == ["drift"]


@pytest.mark.req("L16")
def test_the_digest_is_held_against_what_was_pinned_here(machine: Machine) -> None:
    digest = machine.ck()
    pins = pins_of(machine.root)
    assert pins == {"version": "0.8.1", "sha256": digest}
    assert machine.check(**pins) == ["ok"]
    machine.ck("ck 0.8.2")
    (found,) = machine.found(**pins)
    assert found.answer == "drift"
    assert "--pin" in found.remedy


def test_both_pins_must_hold(machine: Machine) -> None:
    pins = {"version": "0.8.1", "sha256": machine.ck()}
    machine.project(">=0.9.0", "0" * 64)
    assert machine.check(**pins) == ["drift", "drift"]


def test_the_version_of_a_pinned_digest_is_known_without_running_it(machine: Machine) -> None:
    machine.project(">=0.7.0")
    assert machine.check(version="0.8.1", sha256=machine.ck(code=3)) == ["ok", "ok"]


def test_a_program_that_is_not_there_is_noted_unless_it_is_needed(machine: Machine) -> None:
    machine.project(">=0.7.0")
    assert machine.check() == ["note"]
    machine.project(">=0.7.0", optional=False)
    assert machine.check() == ["drift"]
    with pytest.raises(NotFound, match="no program ck"):
        pins_of(machine.root)


@pytest.mark.req("L16")
@pytest.mark.parametrize(
    ("says", "code"), [("no number here", 0), ("ck 0.8.1", 1), ("", 0), ("x" * 100_000, 0)]
)
def test_a_version_that_cannot_be_had_does_not_pass(machine: Machine, says: str, code: int) -> None:
    machine.ck(says, code)
    machine.project(">=0.7.0")
    assert machine.check() == ["could_not_look"]


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"dependencies": 1}',
        '{"dependencies": {"ck": {"version": 1}}}',
        '{"binary_fingerprints": {"ck": "not hex"}}',
    ],
)
def test_pins_that_cannot_be_read_do_not_pass(machine: Machine, text: str) -> None:
    machine.ck()
    (machine.root / ".loa-version.json").write_text(text)
    assert machine.check() == ["could_not_look"]


def test_a_program_inside_the_project_is_never_run(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = machine.root / "ck"
    program.write_text("#!/bin/sh\ntouch ran\necho 9.9.9\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(machine.root))
    machine.project(">=0.7.0")
    assert machine.check() == ["could_not_look"]
    assert not (machine.root / "ran").exists()


@pytest.mark.parametrize(
    ("version", "wanted", "met"),
    [
        ("0.8.1", ">=0.7.0", True),
        ("0.10.0", ">=0.9.0", True),
        ("0.7.0", ">0.7", False),
        ("0.7", "0.7.0", True),
        ("0.7.1", "==0.7.0", False),
        ("1.2.3", "<=1.2.3", True),
        ("1.2.3", "<1.2.3", False),
        ("1.9.0", "^1.2", True),
        ("2.0.0", "^1.2", False),
        ("0.8.9", "^0.8.1", True),
        ("0.9.0", "^0.8.1", False),
        ("0.8.9", "~0.8.1", True),
        ("0.9.0", "~0.8.1", False),
        ("0.8.1", "v0.8.1", True),
    ],
)
def test_requirements_are_read_as_their_signs_say(version: str, wanted: str, met: bool) -> None:
    assert meets(version, wanted) is met


def test_a_requirement_that_cannot_be_read_is_no_answer() -> None:
    with pytest.raises(CouldNotLook, match="cannot be read"):
        meets("1.0", "newest")
