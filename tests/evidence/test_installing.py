"""Installing below `.claude/`: idempotent, nobody's file is touched, and undone byte for byte."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from holdfast.evidence import installing
from holdfast.evidence.installing import Installation
from holdfast.evidence.shipped import Shipped, shipped
from holdfast.evidence.shipped import wanted as shipped_wanted
from holdfast.kernel.errors import CouldNotLook, InvalidInput, NewerFormat
from holdfast.version import __version__

JIT = ".claude/protocols/jit-retrieval.md"
RIDE = ".claude/commands/ride.md"
CHECKSUMS = ".claude/checksums.json"
OTHERS = (
    b'{\n "generated": "2026-01-01T00:00:00Z",\n "algorithm": "sha256",\n'
    b' "files": {".claude/x": "00"}}'
)


class Desk:
    """A project with a folder for its ledger."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / ".holdfast"
        self.folder.mkdir()
        self.overrides = self.folder / "overrides"
        self.installation = Installation(root, self.folder, self.overrides)

    def write(self, path: str, text: str | bytes) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode() if isinstance(text, str) else text)

    def read(self, path: str) -> bytes:
        return (self.root / path).read_bytes()

    def tree(self, *, below: str = "") -> dict[str, bytes | None]:
        """Return everything but the ledger's folder: bytes of files, None for folders."""
        return {
            path.relative_to(self.root).as_posix(): None if path.is_dir() else path.read_bytes()
            for path in sorted((self.root / below).rglob("*"))
            if ".holdfast" not in path.parts
        }

    def states(self) -> dict[str, str]:
        return {one.path: one.state for one in self.installation.states()}

    def actions(self) -> set[str]:
        return {step.action for step in self.installation.install()}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture
def newer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another version of the package, in which one file says something else."""
    monkeypatch.setattr(installing, "__version__", "0.2.0")

    def wanted(overrides: Path) -> tuple[Shipped, ...]:
        return tuple(
            Shipped(one.path, b"newer\n", "package")
            if one.path == JIT and one.source == "package"
            else one
            for one in real(overrides)
        )

    real = shipped_wanted
    monkeypatch.setattr(installing, "wanted", wanted)


@pytest.mark.req("L17")
def test_everything_is_installed_with_its_digest(desk: Desk) -> None:
    assert desk.actions() == {"write"}
    listed = json.loads(desk.read(CHECKSUMS))
    assert listed["algorithm"] == "sha256"
    assert listed["files"] == {one.path: one.sha256 for one in shipped()}
    assert listed["holdfast"]["version"] == __version__
    for one in shipped():
        assert desk.read(one.path) == one.content
    assert set(desk.states().values()) == {"current"}


@pytest.mark.req("L17")
def test_what_an_agent_reads_is_readable_and_scripts_run(desk: Desk) -> None:
    desk.installation.install()
    for one in shipped():
        mode = (desk.root / one.path).stat().st_mode & 0o777
        assert mode == (0o755 if one.path.endswith(".sh") else 0o644)


def test_a_plan_writes_nothing(desk: Desk) -> None:
    assert {step.action for step in desk.installation.plan()} == {"write"}
    assert desk.tree() == {}


def test_installing_twice_is_installing_once(desk: Desk) -> None:
    desk.installation.install()
    before = desk.tree()
    assert desk.actions() == {"unchanged"}
    assert desk.tree() == before


@pytest.mark.req("L17")
def test_removing_leaves_the_project_as_it_was(desk: Desk) -> None:
    desk.write("src/a.py", "x = 1\n")
    desk.write(".claude/settings.json", "{}")
    desk.write(RIDE, "my own ride\n")
    before = desk.tree()
    desk.installation.install()
    assert desk.tree() != before
    desk.installation.remove()
    assert desk.tree() == before
    assert desk.installation.remove() == []


def test_removing_takes_the_folders_it_made_and_no_others(desk: Desk) -> None:
    desk.installation.install()
    desk.write(".claude/protocols/mine.md", "mine")
    desk.installation.remove()
    assert desk.tree() == {
        ".claude": None,
        ".claude/protocols": None,
        ".claude/protocols/mine.md": b"mine",
    }


@pytest.mark.req("L17")
def test_a_file_that_is_not_ours_stays(desk: Desk) -> None:
    desk.write(RIDE, "my own ride\n")
    steps = {step.path: step for step in desk.installation.install()}
    assert steps[RIDE].action == "left"
    assert desk.read(RIDE) == b"my own ride\n"
    assert RIDE not in json.loads(desk.read(CHECKSUMS))["files"]
    assert desk.states()[RIDE] == "foreign"


def test_a_file_that_is_ours_word_for_word_and_not_written_by_us_stays_theirs(desk: Desk) -> None:
    same = next(one for one in shipped() if one.path == RIDE)
    desk.write(RIDE, same.content)
    desk.installation.install()
    desk.installation.remove()
    assert desk.tree(below=".claude/commands") == {RIDE: same.content}


@pytest.mark.req("L16")
def test_digests_of_another_framework_stay_in_the_list(desk: Desk) -> None:
    desk.write(CHECKSUMS, OTHERS)
    desk.installation.install()
    listed = json.loads(desk.read(CHECKSUMS))
    assert listed["generated"] == "2026-01-01T00:00:00Z"
    assert listed["files"][".claude/x"] == "00"
    assert listed["files"][JIT] != ""
    assert desk.installation.checksums().others == {".claude/x": "00"}
    desk.installation.remove()
    assert desk.read(CHECKSUMS) == OTHERS


def test_a_list_that_others_changed_since_keeps_their_part(desk: Desk) -> None:
    desk.write(CHECKSUMS, OTHERS)
    desk.installation.install()
    listed = json.loads(desk.read(CHECKSUMS))
    listed["files"][".claude/y"] = "11"
    desk.write(CHECKSUMS, json.dumps(listed))
    desk.installation.remove()
    assert json.loads(desk.read(CHECKSUMS)) == {
        "generated": "2026-01-01T00:00:00Z",
        "algorithm": "sha256",
        "files": {".claude/x": "00", ".claude/y": "11"},
    }


def test_a_list_that_is_no_list_stops_it_before_anything_is_written(desk: Desk) -> None:
    for text in ("[]", "{", '{"files": 1}', '{"holdfast": {"version": 1}}'):
        desk.write(CHECKSUMS, text)
        with pytest.raises(CouldNotLook, match="not a list of checksums"):
            desk.installation.install()
        assert desk.tree() == {".claude": None, CHECKSUMS: text.encode()}


@pytest.mark.req("L16")
def test_an_override_wins_and_is_named(desk: Desk) -> None:
    desk.write(".holdfast/overrides/protocols/jit-retrieval.md", "my way\n")
    desk.installation.install()
    assert desk.read(JIT) == b"my way\n"
    sources = {one.path: one.source for one in desk.installation.states()}
    assert sources[JIT] == "override"
    assert sources[RIDE] == "package"


@pytest.mark.req("L16")
@pytest.mark.usefixtures("newer")
def test_an_update_never_touches_an_override(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write(".holdfast/overrides/protocols/jit-retrieval.md", "my way\n")
    with monkeypatch.context() as now:
        now.setattr(installing, "__version__", __version__)
        desk.installation.install()
    desk.installation.install()
    assert desk.read(JIT) == b"my way\n"
    assert desk.read(".holdfast/overrides/protocols/jit-retrieval.md") == b"my way\n"


def test_an_update_brings_what_is_new(desk: Desk, request: pytest.FixtureRequest) -> None:
    desk.installation.install()
    request.getfixturevalue("newer")
    assert desk.states()[JIT] == "outdated"
    steps = {step.path: step.action for step in desk.installation.install()}
    assert steps[JIT] == "update"
    assert desk.read(JIT) == b"newer\n"
    assert json.loads(desk.read(CHECKSUMS))["holdfast"]["version"] == "0.2.0"
    assert set(desk.states().values()) == {"current"}


def test_files_of_a_newer_holdfast_are_left_untouched(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as later:
        later.setattr(installing, "__version__", "9.0.0")
        desk.installation.install()
    before = desk.tree()
    with pytest.raises(NewerFormat, match=r"9\.0\.0"):
        desk.installation.install()
    assert desk.tree() == before


def test_an_edited_file_is_left_until_its_owner_chooses(desk: Desk) -> None:
    desk.installation.install()
    desk.write(JIT, "edited\n")
    assert desk.states()[JIT] == "changed"
    steps = {step.path: step for step in desk.installation.install()}
    assert steps[JIT].action == "left"
    assert "edited" in steps[JIT].note
    assert desk.read(JIT) == b"edited\n"
    assert desk.states()[JIT] == "changed"


def test_an_edited_file_can_become_an_override(desk: Desk) -> None:
    desk.installation.install()
    desk.write(JIT, "edited\n")
    desk.installation.install("keep")
    assert desk.read(".holdfast/overrides/protocols/jit-retrieval.md") == b"edited\n"
    assert desk.states()[JIT] == "current"


def test_ours_can_come_back_and_the_edited_one_is_kept_aside(desk: Desk) -> None:
    desk.installation.install()
    ours = desk.read(JIT)
    desk.write(JIT, "edited\n")
    desk.installation.install("restore")
    assert desk.read(JIT) == ours
    (kept,) = (desk.folder / "set_aside" / "protocols").iterdir()
    assert kept.read_bytes() == b"edited\n"
    assert desk.states()[JIT] == "current"


def test_removing_leaves_an_edited_file(desk: Desk) -> None:
    desk.installation.install()
    desk.write(JIT, "edited\n")
    left = [step.path for step in desk.installation.remove() if step.action == "left"]
    assert left == [JIT]
    assert desk.read(JIT) == b"edited\n"
    assert (desk.root / RIDE).exists() is False


def test_a_file_that_is_gone_comes_back(desk: Desk) -> None:
    desk.installation.install()
    (desk.root / JIT).unlink()
    assert desk.states()[JIT] == "missing"
    desk.installation.install()
    assert desk.states()[JIT] == "current"


@pytest.mark.parametrize("where", [".claude", ".claude/protocols", JIT])
def test_nothing_is_written_through_a_link(desk: Desk, tmp_path: Path, where: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    link = desk.root / where
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside / "file" if where == JIT else outside)
    assert desk.states()[JIT] == "link"
    if where == ".claude":
        with pytest.raises(InvalidInput, match=r"\.claude is a link"):
            desk.installation.install()
    else:
        steps = {step.path: step.action for step in desk.installation.install()}
        assert steps[JIT] == "left"
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("stop_after", range(14))
def test_a_crash_between_any_two_files_is_completed_by_the_next_install(
    desk: Desk,
    monkeypatch: pytest.MonkeyPatch,
    stop_after: int,
    request: pytest.FixtureRequest,
) -> None:
    desk.write(CHECKSUMS, OTHERS)
    before = desk.tree()
    desk.installation.install()
    request.getfixturevalue("newer")
    done = 0
    real = os.replace

    def replace(old: str, new: str) -> None:
        nonlocal done
        if done == stop_after:
            raise KeyboardInterrupt
        done += 1
        real(old, new)

    with monkeypatch.context() as crashing:
        crashing.setattr(os, "replace", replace)
        try:
            desk.installation.install()
        except KeyboardInterrupt:
            for draft in desk.root.rglob("*.new"):
                draft.unlink()
    desk.installation.install()
    assert set(desk.states().values()) == {"current"}
    desk.installation.remove()
    assert desk.tree() == before


def test_what_this_machine_remembers_must_be_readable(desk: Desk) -> None:
    desk.installation.install()
    (desk.folder / "installed.json").write_text("{")
    with pytest.raises(CouldNotLook, match=r"installed\.json"):
        desk.installation.states()
