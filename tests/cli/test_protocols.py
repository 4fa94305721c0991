"""`holdfast protocols`: shows what it writes, keeps what is not ours, and can be undone."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.config.foreign import MEANINGS
from holdfast.evidence.shipped import shipped
from tests.cli.harness import Holdfast

GUIDE = Path(__file__).parents[2] / "docs" / "guide"
JIT = ".claude/protocols/jit-retrieval.md"


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".holdfast" not in path.parts
    }


@pytest.mark.req("L17")
def test_install_says_every_file_it_writes(holdfast: Holdfast) -> None:
    shown = holdfast("protocols", "install", "--dry-run").text
    assert tree(holdfast.folder) == {}
    done = holdfast("protocols", "install")
    assert done.code == 0
    for one in shipped():
        assert f"write         {one.path}" in shown
        assert f"written       {one.path}" in done.text
    assert holdfast("protocols", "install", "--json").json() == {
        "ok": True,
        "dry_run": False,
        "files": [{"path": one.path, "action": "unchanged", "note": ""} for one in shipped()],
    }


@pytest.mark.req("L17")
def test_remove_leaves_the_project_as_it_was(holdfast: Holdfast) -> None:
    (holdfast.folder / ".claude").mkdir()
    (holdfast.folder / ".claude/settings.json").write_text("{}")
    before = tree(holdfast.folder)
    holdfast("protocols", "install")
    assert holdfast("protocols", "remove").code == 0
    assert tree(holdfast.folder) == before
    again = holdfast("protocols", "remove", "--json")
    assert (again.code, again.json()) == (0, {"ok": True, "files": []})


def test_status_says_whether_each_is_current(holdfast: Holdfast) -> None:
    none = holdfast("protocols", "status", "--json")
    assert none.code == 1
    assert {one["state"] for one in none.json()["files"]} == {"absent"}
    assert "Nothing is installed here" in holdfast("protocols", "status").err
    holdfast("protocols", "install")
    all_of_it = holdfast("protocols", "status", "--json")
    assert all_of_it.code == 0
    assert {one["state"] for one in all_of_it.json()["files"]} == {"current"}
    assert all_of_it.json()["strays"] == []


@pytest.mark.req("L16")
def test_an_override_counts_and_a_misspelt_one_is_named(holdfast: Holdfast) -> None:
    overrides = holdfast.folder / ".holdfast/overrides/protocols"
    overrides.mkdir(parents=True)
    (overrides / "jit-retrieval.md").write_text("my way\n")
    (overrides / "jit.md").write_text("my way\n")
    holdfast("protocols", "install")
    assert (holdfast.folder / JIT).read_text() == "my way\n"
    status = holdfast("protocols", "status")
    assert f"current    {JIT} (your override)" in status.text
    assert "overrides/protocols/jit.md stands in for nothing" in status.err


def test_an_edited_file_is_left_until_somebody_chooses(holdfast: Holdfast) -> None:
    holdfast("protocols", "install")
    (holdfast.folder / JIT).write_text("edited\n")
    left = holdfast("protocols", "install")
    assert left.code == 1
    assert "--keep-mine keeps your version and --restore brings ours" in left.err
    assert holdfast("protocols", "install", "--keep-mine", "--restore").code == 2
    assert holdfast("protocols", "install", "--keep-mine").code == 0
    assert (holdfast.folder / JIT).read_text() == "edited\n"
    assert holdfast("protocols", "status").code == 0


def test_remove_says_which_edited_file_stays(holdfast: Holdfast) -> None:
    holdfast("protocols", "install")
    (holdfast.folder / JIT).write_text("edited\n")
    removed = holdfast("protocols", "remove")
    assert removed.code == 1
    assert f"left alone    {JIT}" in removed.text


def test_a_ledger_that_stands_alone_has_no_project(bare: Holdfast) -> None:
    bare("--ledger", bare.folder / "x.db", "init")
    refused = bare("--ledger", bare.folder / "x.db", "protocols", "install")
    assert refused.code == 2
    assert "belongs to no project" in refused.err


@pytest.mark.req("L17")
def test_the_installed_scripts_run(holdfast: Holdfast, tmp_path: Path) -> None:
    holdfast("protocols", "install")
    programs = tmp_path / "bin"
    programs.mkdir()
    stand_in = programs / "holdfast"
    stand_in.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m holdfast "$@"\n')
    stand_in.chmod(0o755)
    for name, asked in (
        ("synthesis-checkpoint.sh", ("clear", "--check", "--json")),
        ("grounding-check.sh", ("ground", "--all", "--json")),
        ("self-heal-state.sh", ("heal", "--check", "--json")),
    ):
        expected = holdfast.process(*asked)
        arguments = asked[1:] if asked[0] == "heal" else asked[-1:]
        done = subprocess.run(
            [holdfast.folder / ".claude/scripts" / name, *arguments],
            cwd=holdfast.folder,
            env=holdfast.env(PATH=f"{programs}{os.pathsep}{os.environ['PATH']}"),
            capture_output=True,
            check=False,
            timeout=60,
        )
        assert (done.returncode, done.stdout) == (expected.code, expected.out), name


@pytest.mark.req("L16", "L17")
def test_the_guide_runs(bare: Holdfast, tmp_path: Path) -> None:
    """Every command of the page, in its order, in one project."""
    programs = tmp_path / "bin"
    programs.mkdir()
    stand_in = programs / "holdfast"
    stand_in.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m holdfast "$@"\n')
    stand_in.chmod(0o755)
    before = tree(bare.folder)
    typed = re.findall(r"^\$ (.*)$", (GUIDE / "agents.md").read_text(), re.MULTILINE)
    assert len(typed) == 19
    for line in typed:
        done = subprocess.run(
            ["sh", "-c", line],
            cwd=bare.folder,
            env=bare.env(PATH=f"{programs}{os.pathsep}{os.environ['PATH']}"),
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert (line, done.returncode, done.stderr * bool(done.returncode)) == (line, 0, "")
    assert tree(bare.folder) == before


def test_the_guide_names_every_key_of_the_loa_file() -> None:
    page = (GUIDE / "agents.md").read_text()
    for theirs, ours in MEANINGS.items():
        assert theirs.rpartition(".")[2] in page
        assert ours.rpartition(".")[2] in page
