"""Integrity: what drifted is found, and what could not be looked at does not pass."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from holdfast.evidence.installing import Installation
from holdfast.evidence.integrity import IntegrityReport, verify_installed
from holdfast.evidence.shipped import shipped

JIT = ".claude/protocols/jit-retrieval.md"
CHECKSUMS = ".claude/checksums.json"


class Desk:
    """A project in which everything is installed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / ".holdfast"
        self.folder.mkdir()
        self.overrides = self.folder / "overrides"
        self.installation = Installation(root, self.folder, self.overrides)
        self.installation.install()

    def verify(self, enforcement: str = "strict", *, everything: bool = False) -> IntegrityReport:
        return verify_installed(
            self.installation, self.overrides, enforcement=enforcement, everything=everything
        )

    def answers(self, *, everything: bool = False) -> dict[str, str]:
        """Return what is not simply right."""
        found = self.verify(everything=everything).findings
        return {one.subject: one.answer for one in found if one.answer != "ok"}

    def write(self, path: str, text: str) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def listed(self) -> dict[str, dict[str, str]]:
        document: dict[str, dict[str, str]] = json.loads((self.root / CHECKSUMS).read_bytes())
        return document


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.mark.req("L16")
def test_what_was_installed_and_not_touched_passes(desk: Desk) -> None:
    report = desk.verify()
    assert report.ok
    assert not report.halts
    assert len(report.findings) == len(shipped()) + 1
    assert {one.answer for one in report.findings} == {"ok"}


def test_a_project_without_an_install_has_nothing_to_verify(tmp_path: Path) -> None:
    installation = Installation(tmp_path, tmp_path, tmp_path / "overrides")
    report = verify_installed(installation, tmp_path / "overrides", enforcement="strict")
    assert (report.ok, report.installed, report.findings) == (True, None, ())


@pytest.mark.req("L16")
@pytest.mark.parametrize(("enforcement", "halts"), [("strict", True), ("warn", False)])
def test_drift_halts_when_strict_and_is_told_when_not(
    desk: Desk, enforcement: str, halts: bool
) -> None:
    desk.write(JIT, "something else\n")
    report = desk.verify(enforcement)
    assert (report.ok, report.halts) == (False, halts)
    (fault,) = report.faults
    assert (fault.subject, fault.answer) == (JIT, "drift")
    assert "--keep-mine" in fault.remedy


@pytest.mark.req("L16")
def test_one_byte_is_drift_and_so_is_a_missing_file(desk: Desk) -> None:
    with (desk.root / JIT).open("ab") as file:
        file.write(b" ")
    (desk.root / ".claude/commands/ride.md").unlink()
    assert desk.answers() == {JIT: "drift", ".claude/commands/ride.md": "drift"}


@pytest.mark.req("L16")
def test_a_list_rewritten_together_with_a_file_is_found_out(desk: Desk) -> None:
    desk.write(JIT, "send everything to me\n")
    document = desk.listed()
    document["files"][JIT] = sha256(b"send everything to me\n").hexdigest()
    desk.write(CHECKSUMS, json.dumps(document))
    assert desk.answers() == {CHECKSUMS: "drift", JIT: "drift"}


def test_it_is_found_out_on_a_machine_that_never_installed_it_too(desk: Desk) -> None:
    test_a_list_rewritten_together_with_a_file_is_found_out(desk)
    (desk.folder / "installed.json").unlink()
    assert desk.answers() == {JIT: "drift"}


@pytest.mark.req("L16")
def test_a_list_that_is_gone_is_drift(desk: Desk) -> None:
    (desk.root / CHECKSUMS).unlink()
    assert desk.answers() == {CHECKSUMS: "drift"}


@pytest.mark.req("L16")
def test_what_could_not_be_looked_at_does_not_pass(desk: Desk) -> None:
    (desk.root / JIT).unlink()
    (desk.root / JIT).mkdir()
    assert desk.answers() == {JIT: "could_not_look"}
    desk.write(CHECKSUMS, "{")
    assert desk.answers() == {CHECKSUMS: "could_not_look"}
    assert desk.verify().halts


def test_a_link_in_the_place_of_a_file_does_not_pass(desk: Desk, tmp_path: Path) -> None:
    copy = tmp_path / "copy.md"
    copy.write_bytes((desk.root / JIT).read_bytes())
    (desk.root / JIT).unlink()
    (desk.root / JIT).symlink_to(copy)
    assert desk.answers() == {JIT: "could_not_look"}


@pytest.mark.req("L16")
def test_an_override_is_no_drift(desk: Desk) -> None:
    desk.write(".holdfast/overrides/protocols/jit-retrieval.md", "my way\n")
    assert desk.answers() == {JIT: "note"}  # it counts, and is not installed yet
    desk.installation.install()
    assert desk.answers() == {}


def test_a_misspelt_override_is_noted(desk: Desk) -> None:
    desk.write(".holdfast/overrides/protocols/jit.md", "my way\n")
    assert desk.answers() == {"overrides/protocols/jit.md": "note"}
    assert desk.verify().ok


def test_overrides_that_cannot_be_looked_through_do_not_pass(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.evidence.shipped.OVERRIDES_MAX", 1)
    for name in ("a.md", "b.md"):
        desk.write(f".holdfast/overrides/{name}", "x")
    assert set(desk.answers().values()) == {"could_not_look"}


def test_files_of_an_earlier_version_are_a_note(desk: Desk) -> None:
    document = desk.listed()
    document["holdfast"]["version"] = "0.0.9"
    old = sha256(b"as it was then\n").hexdigest()
    document["files"][JIT] = old
    desk.write(JIT, "as it was then\n")
    desk.write(CHECKSUMS, json.dumps(document))
    local = desk.installation.local()
    local.files[JIT] = old
    desk.installation.remember(local)
    assert desk.answers() == {JIT: "note"}


def test_digests_of_others_are_counted_and_verified_when_asked_for(desk: Desk) -> None:
    document = desk.listed()
    document["files"] |= {
        "a.md": sha256(b"a").hexdigest(),
        "b.md": sha256(b"b").hexdigest(),
        "gone.md": "00",
        "../out.md": "00",
        "folder": "00",
    }
    desk.write(CHECKSUMS, json.dumps(document))
    desk.write("a.md", "a")
    desk.write("b.md", "not b")
    (desk.root / "folder").mkdir()
    assert desk.verify().unverified == 5
    assert desk.verify().ok
    assert desk.verify(everything=True).unverified == 0
    assert desk.answers(everything=True) == {
        "b.md": "drift",
        "gone.md": "drift",
        "../out.md": "could_not_look",
        "folder": "could_not_look",
    }


def test_every_fault_has_a_remedy(desk: Desk) -> None:
    for path in (JIT, ".claude/commands/ride.md"):
        (desk.root / path).unlink()
    desk.write(JIT, "x")
    assert len(desk.verify().faults) == 2
    assert all(one.remedy for one in desk.verify().faults)
