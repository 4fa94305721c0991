"""A file as an agent left it comes back: byte for byte, and nothing is lost by that."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from holdfast.testing.builders import data_for
from tests.cli.harness import Holdfast
from tests.wiring.scanned import scanned


@pytest.fixture
def project(holdfast: Holdfast) -> Holdfast:
    """A project where a file had three states, entries 0 to 2, and was deleted in entry 3."""
    with scanned(holdfast.folder) as work:
        work.begin()
        (work.root / "src").mkdir()
        for text in (b"one\n", b"\0two\xff", b"three\n"):
            (work.root / "src/a.py").write_bytes(text)
            assert len(work.look()) == 1
        (work.root / "src/a.py").unlink()
        assert work.told() == ["delete src/a.py"]
    return holdfast


@pytest.mark.req("X4")
@pytest.mark.lesson("N10")
def test_any_state_comes_back_into_a_new_file_beside(project: Holdfast) -> None:
    for seq, content in enumerate((b"one\n", b"\0two\xff", b"three\n")):
        done = project("restore", "--file", "src/a.py", "--at", str(seq))
        assert (done.code, done.err) == (0, "")
        assert (project.folder / f"src/a.py.at-{seq}").read_bytes() == content
    assert not (project.folder / "src/a.py").exists()


def test_the_file_is_named_from_where_one_is(
    project: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.folder / "src")
    assert project("restore", "--file", project.folder / "src/a.py", "--at", "0").code == 0
    assert (project.folder / "src/a.py.at-0").read_bytes() == b"one\n"


def test_it_is_written_for_scripts(project: Holdfast) -> None:
    done = project("restore", "--file", "src/a.py", "--at", "2", "--json")
    told = done.json()
    assert (told["path"], told["at"], told["seq"], told["bytes"]) == ("src/a.py", 2, 2, 6)
    assert told["written"] == "src/a.py.at-2"
    assert project("restore", "--file", "src/a.py", "--at", "1", "--out", "-").out == b"\0two\xff"


def test_a_file_that_is_there_is_not_replaced(project: Holdfast) -> None:
    (project.folder / "src/a.py.at-0").write_text("mine")
    done = project("restore", "--file", "src/a.py", "--at", "0")
    assert done.code == 2
    assert "is there already" in done.err
    assert (project.folder / "src/a.py.at-0").read_text() == "mine"
    assert project("restore", "--file", "src/a.py", "--at", "0", "--out", "new/b.py").code == 0
    assert (project.folder / "new/b.py").read_bytes() == b"one\n"


def test_over_records_what_was_there_first(project: Holdfast) -> None:
    (project.folder / "src/a.py").write_text("never seen\n")
    size = 4
    assert project("restore", "--file", "src/a.py", "--at", "2", "--over").code == 0
    assert (project.folder / "src/a.py").read_bytes() == b"three\n"
    assert project("restore", "--file", "src/a.py", "--at", str(size)).code == 0
    assert (project.folder / f"src/a.py.at-{size}").read_text() == "never seen\n"
    assert project("restore", "--file", "src/a.py", "--out", "now").code == 0
    assert (project.folder / "now").read_bytes() == b"three\n"
    assert project("verify").code == 0


def test_over_leaves_what_cannot_be_kept(project: Holdfast) -> None:
    secret = "key = 'AKIA" + "QYLPMN5HHHFPZAM2'\n"
    (project.folder / "src/a.py").write_text(secret)
    done = project("restore", "--file", "src/a.py", "--at", "2", "--over")
    assert done.code == 2
    assert "cannot be kept: a secret is in it" in done.err
    assert (project.folder / "src/a.py").read_text() == secret


def test_over_brings_back_a_deleted_file(project: Holdfast) -> None:
    (project.folder / "src").rmdir()
    assert project("restore", "--file", "src/a.py", "--at", "2", "--over").code == 0
    assert (project.folder / "src/a.py").read_bytes() == b"three\n"


def test_that_a_file_was_not_there_is_said(project: Holdfast) -> None:
    done = project("restore", "--file", "src/a.py")
    assert done.code == 1
    assert "At entry 3 there was no src/a.py." in done.err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--file", "b.py", "--at", "1"), 1, "is not known: no entry is about it"),
        (("--file", "src/a.py", "--at", "99"), 1, "There is no entry 99."),
        (("--file", "../a.py"), 2, "is not inside"),
        (("--file", "/etc/passwd"), 2, "is not inside"),
        (("--file", ".holdfast/ledger.key"), 2, "is no file of the project"),
        (("--file", "src/a.py", "--at", "0", "--out", "../out"), 2, "is not inside"),
        (("--file", "src/a.py", "--at", "0", "--out", "x", "--over"), 2, "not both"),
        (("s1", "--file", "src/a.py"), 2, "not both"),
        (("--at", "0", "--over"), 2, "go with --file"),
    ],
)
def test_what_cannot_be_given_is_refused(
    project: Holdfast, words: tuple[str, ...], code: int, said: str
) -> None:
    before = sorted(project.folder.rglob("[!.]*"))
    done = project("restore", *words)
    assert done.code == code
    assert said in done.err
    assert sorted(project.folder.rglob("[!.]*")) == before


def test_a_link_in_the_way_is_not_followed(project: Holdfast, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (project.folder / "src").rmdir()
    (project.folder / "src").symlink_to(outside)
    for more in ((), ("--over",)):
        done = project("restore", "--file", "src/a.py", "--at", "0", *more)
        assert done.code == 2
        assert "link" in done.err
    assert list(outside.iterdir()) == []


def test_a_state_before_the_first_change_is_told_as_far_as_it_is_known(holdfast: Holdfast) -> None:
    (holdfast.folder / "old").write_text("before\n")
    with scanned(holdfast.folder) as work:
        work.begin()
        work.project.ledger.append("agent_said", data_for("agent_said", 1))
        (work.root / "new").write_text("1")
        (work.root / "old").write_text("after\n")
        assert work.told() == ["create new", "modify old"]
    done = holdfast("restore", "--file", "new", "--at", "0")
    assert (done.code, "there was no new" in done.err) == (1, True)
    done = holdfast("restore", "--file", "old", "--at", "0")
    assert (done.code, "the first entry about it is a later one" in done.err) == (1, True)


def test_a_withheld_and_an_erased_state_are_told(holdfast: Holdfast) -> None:
    with scanned(holdfast.folder, file_bytes_max=4) as work:
        work.begin()
        (work.root / "a").write_text("1234")
        (work.root / "b").write_text("12345")
        kept, _ = work.look()
    done = holdfast("restore", "--file", "b")
    assert (done.code, "was not kept: size" in done.err) == (1, True)
    erased = holdfast("erase", kept["content"]["$artifact"], "--reason", "asked", "--yes")
    assert erased.code == 0, erased.err
    done = holdfast("restore", "--file", "a", "--at", "1")
    assert (done.code, "was erased on request" in done.err) == (1, True)


def test_states_in_archives_come_back(project: Holdfast) -> None:
    assert project("seal", "--keep", "0").code == 0
    assert project("restore", "--file", "src/a.py", "--at", "1", "--out", "-").out == b"\0two\xff"


def test_a_name_that_is_no_text_comes_back(holdfast: Holdfast) -> None:
    raw = os.fsencode(holdfast.folder) + b"/\xff.bin"
    with scanned(holdfast.folder) as work:
        work.begin()
        with open(raw, "wb") as file:  # noqa: PTH123 - a name of bytes
            file.write(b"content")
        work.look()
    done = holdfast.process("restore", "--file", os.fsdecode(b"\xff.bin"), "--at", "0")
    assert (done.code, done.err) == (0, "")
    with open(raw + b".at-0", "rb") as file:  # noqa: PTH123
        assert file.read() == b"content"


def test_a_program_is_still_one(holdfast: Holdfast) -> None:
    with scanned(holdfast.folder) as work:
        work.begin()
        (work.root / "run.sh").write_text("#!/bin/sh\n")
        (work.root / "run.sh").chmod(0o755)
        work.look()
    assert holdfast("restore", "--file", "run.sh", "--at", "0").code == 0
    assert os.access(holdfast.folder / "run.sh.at-0", os.X_OK)


def test_contents_of_files_stay_out_of_what_people_read(project: Holdfast) -> None:
    shown = project("show", "0").text
    assert "one" not in shown.split("content")[-1]
    assert project("search", "three", "--json").out.count(b"three") <= 1
    for line in project("log", "--json").out.splitlines():
        assert msgspec.json.decode(line)["type"] == "file_change"


def test_the_history_of_one_file_is_listed(project: Holdfast) -> None:
    with scanned(project.folder) as work:
        (work.root / "other").write_text("x")
        work.look()
    lines = project("log", "--file", "src/a.py").text.splitlines()
    assert [line.split()[0] for line in lines] == ["0", "1", "2", "3"]
    newest = project("log", "--file", "src/a.py", "-n", "1")
    assert newest.text.split()[0] == "3"
    assert "3 earlier entries are not shown" in newest.err
    told = project("log", "--file", project.folder / "other", "--json").json()
    assert (told["seq"], told["data"]["path"]) == (4, "other")
    assert project("log", "--file", "../x").code == 2
