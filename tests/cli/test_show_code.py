"""`holdfast show` of code: an identifier resolves to exact lines or a whole definition."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.cli.harness import Holdfast
from tests.cli.test_terminal import FORBIDDEN, HOSTILE

CODE = """\
import os


class Queue:
    def put(self, one):
        self.all.append(one)

    @property
    def size(self):
        return len(self.all)


def take(queue):
    return queue.all.pop()
"""


@pytest.fixture
def project(holdfast: Holdfast) -> Holdfast:
    """A project with a ledger and some code."""
    (holdfast.folder / "src").mkdir()
    (holdfast.folder / "src" / "a.py").write_text(CODE)
    return holdfast


def lines(first: int, last: int) -> str:
    return "".join(CODE.splitlines(keepends=True)[first - 1 : last])


@pytest.mark.req("L6")
def test_an_identifier_gives_the_exact_lines(project: Holdfast) -> None:
    found = project.process("show", "${PROJECT_ROOT}/src/a.py:4-6", "--json").json()
    assert found["text"] == lines(4, 6)
    assert found["digest"] == sha256(lines(4, 6).encode()).hexdigest()
    assert (found["path"], found["first"], found["last"]) == ("src/a.py", 4, 6)
    assert project("show", "src/a.py:4-6", "--json").json() == found
    assert project("show", project.folder / "src/a.py:4-6", "--json").json() == found


@pytest.mark.req("L6")
def test_a_line_gives_the_whole_definition_around_it(project: Holdfast) -> None:
    done = project("show", "src/a.py:9")
    assert done.code == 0
    head, _, text = done.text.partition("\n\n")
    assert text == lines(8, 10)
    assert "method Queue.size" in head
    assert "${PROJECT_ROOT}/src/a.py:8-10" in head


@pytest.mark.req("L6")
def test_a_name_gives_the_definition_with_range_and_digest(project: Holdfast) -> None:
    found = project("show", "src/a.py::Queue.put", "--json").json()
    assert found["text"] == lines(5, 6).strip()
    assert found["symbol"]["qualified"] == "Queue.put"
    assert found["identifier"] == "${PROJECT_ROOT}/src/a.py:5-6"
    assert found["digest"] == sha256(found["text"].encode()).hexdigest()
    assert project("show", found["identifier"], "--json").json()["text"] == lines(5, 6)


@pytest.mark.req("L6", "L4")
def test_the_answer_weighs_the_identifier_against_the_text_and_the_file(project: Holdfast) -> None:
    tokens = project("show", "src/a.py::Queue", "--json").json()["tokens"]
    assert set(tokens) == {"identifier", "shown", "file", "counter"}
    assert tokens["identifier"] <= 20 < tokens["shown"] < tokens["file"]
    whole = project("tokens", "src/a.py", "--json").json()
    assert (tokens["file"], tokens["counter"]) == (whole["tokens"], whole["counter"])


def test_code_is_shown_where_there_is_no_ledger(bare: Holdfast) -> None:
    (bare.folder / "a.py").write_text(CODE)
    assert bare("show", "a.py:4-6", "--json").json()["text"] == lines(4, 6)
    assert bare("--ledger", "nowhere.db", "show", "a.py:4-6").code == 2


def test_a_path_is_taken_from_the_folder_one_stands_in(project: Holdfast) -> None:
    found = project("-C", project.folder / "src", "show", "a.py:4-6", "--json").json()
    assert found == project("show", "src/a.py:4-6", "--json").json()
    missing = project("-C", project.folder / "src", "show", "src/a.py:4-6")
    assert (missing.code, "${PROJECT_ROOT}/src/a.py" in missing.err) == (1, True)


def test_an_entry_is_still_shown_by_number_and_by_any_id(project: Holdfast) -> None:
    ids = ["plain-7", "retry:7", "a.py::f", "job:3-4", "a:b", "12x"]
    for n, name in enumerate(ids):
        project.record("decision", n, "--id", name)
    for n, name in enumerate(ids):
        assert project("show", name, "--json").json()["seq"] == n
        assert project("show", str(n), "--json").json()["id"] == name
    assert project("show", "retry:7", "--full", "--json").json()["entry"]["id"] == "retry:7"


def test_what_is_an_id_and_code_is_refused_with_both_ways_to_say_it(project: Holdfast) -> None:
    project.record("decision", 0, "--id", "src/a.py:9")
    done = project("show", "src/a.py:9")
    assert (done.code, done.text) == (2, "")
    assert "holdfast show 0" in done.err
    assert project("show", "0", "--json").json()["id"] == "src/a.py:9"
    shown = project("show", "${PROJECT_ROOT}/src/a.py:9", "--json").json()
    assert shown["symbol"]["qualified"] == "Queue.size"


@pytest.mark.parametrize(
    "key",
    [
        "../secret.txt:1-1",
        "../secret.txt:1",
        "../secret.txt::x",
        "${PROJECT_ROOT}/../secret.txt:1-1",
        "out.txt:1-1",
        "out/secret.txt:1-1",
        "src/../src/a.py:1-1",
        "/etc/hostname:1-1",
    ],
)
def test_no_path_leaves_the_project(project: Holdfast, key: str) -> None:
    (project.folder.parent / "secret.txt").write_text("hunter2\n")
    (project.folder / "out.txt").symlink_to("../secret.txt")
    (project.folder / "out").symlink_to("..")
    done = project("show", key)
    assert done.code == 2
    assert "hunter2" not in done.text + done.err
    assert "${PROJECT_ROOT}/" in done.err


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("src/a.py::Queue.sise", "src/a.py::Queue.size"),
        ("src/a.py:2", "Queue (4-10)"),
        ("src/a.py:99", "14 lines"),
        ("src/a.py:10-99", "14 lines"),
        ("src/b.py:1-2", "${PROJECT_ROOT}/src/a.py"),
        ("${PROJECT_ROOT}/src/aa.py:1-2", "${PROJECT_ROOT}/src/a.py"),
        ("no-such:7", "Nor is there an entry 'no-such:7'"),
    ],
)
def test_what_is_not_there_is_a_no_that_names_what_is_near(
    project: Holdfast, key: str, said: str
) -> None:
    done = project("show", key, "--json")
    assert (done.code, done.json()["error"]["kind"]) == (1, "NotFound")
    assert said in done.err


@pytest.mark.lesson("L9")
@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.unknown", b"x\n", "language"),
        ("binary.py", b"x = 1\0\n", "binary"),
        ("latin.py", b"x = '\xff'\n", "not UTF-8"),
        ("large.py", b"#" * 100 + b"\n" + b"x = 1\n" * 800_000, "more than"),
        ("broken.py", b"def bad(:\n", "could not be parsed"),
    ],
)
def test_what_could_not_be_looked_at_is_an_error_and_not_a_no(
    project: Holdfast, name: str, content: bytes, said: str
) -> None:
    (project.folder / name).write_bytes(content)
    done = project("show", f"{name}::gone", "--json")
    assert (done.code, done.json()["error"]["kind"]) == (2, "CouldNotLook")
    assert said in done.err


SHADOWS = {
    "the grammar is missing": ("raise ImportError('gone')", "not installed"),
    "the parser takes everything down": ("import os; os.kill(os.getpid(), 9)", "by signal 9"),
    "the parser never comes back": ("while True: pass", "longer than"),
}


@pytest.mark.lesson("L9")
@pytest.mark.parametrize(("module", "said"), SHADOWS.values(), ids=SHADOWS)
@pytest.mark.parametrize("args", [("show", "src/a.py:9"), ("outline", "src/a.py")], ids=str)
def test_a_parser_that_fails_or_hangs_is_told_and_ended(
    project: Holdfast,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    module: str,
    said: str,
    args: tuple[str, ...],
) -> None:
    from holdfast.workers import ParseWorker

    defaults: dict[str, Any] = dict(ParseWorker.__init__.__kwdefaults__ or {})
    monkeypatch.setattr(ParseWorker.__init__, "__kwdefaults__", {**defaults, "timeout_s": 0.3})
    (tmp_path / "shadow").mkdir()
    (tmp_path / "shadow" / "tree_sitter_python.py").write_text(module + "\n")
    monkeypatch.syspath_prepend(str(tmp_path / "shadow"))
    done = project(*args)
    assert (done.code, done.text) == (2, "")
    assert said in done.err
    assert project("show", "src/a.py:1-2").code == 0


def test_hostile_code_is_inert_on_the_terminal_and_exact_in_json(project: Holdfast) -> None:
    text = f"def f():\n    return 1  # {HOSTILE}\n"
    name = HOSTILE.replace("/", "") + ".py"
    (project.folder / name).write_bytes(text.encode())
    (project.folder / "b.py").write_bytes(text.encode())
    for key in (
        f"{name}:1-2",
        f"{name}:1",
        f"{name}::f",
        f"{name}::g",
        "b.py:1",
        f"b.py::{HOSTILE}",
    ):
        done = project("show", key)
        assert [char for char in FORBIDDEN if char in done.text + done.err] == []
    assert project("show", "b.py:1-2", "--json").json()["text"] == text


def test_line_ends_of_windows_are_line_ends(project: Holdfast) -> None:
    (project.folder / "w.py").write_bytes(b"def f():\r\n    return 1\r\n")
    shown = project("show", "w.py:1-2").text
    assert shown.endswith("\n\ndef f():\n    return 1\n")
    assert project("show", "w.py:1-2", "--json").json()["text"] == "def f():\r\n    return 1\r\n"


def test_an_option_for_entries_is_refused_for_code(project: Holdfast) -> None:
    assert project("show", "src/a.py:9", "--full").code == 2


def test_a_definition_that_is_not_whole_is_marked(project: Holdfast) -> None:
    (project.folder / "c.py").write_text("def f(:\n    return 1\n\n\ndef g():\n    ...  # rest\n")
    (project.folder / "d.pl").write_text("sub f {\n  1\n}\n")
    assert "line patterns" in project("show", "d.pl::f").err
    assert "left out" in project("show", "c.py::g").err
