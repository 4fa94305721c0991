"""`holdfast outline`: what a file defines, within a budget."""

from __future__ import annotations

import pytest

from holdfast.kernel import tokens
from tests.cli.harness import Holdfast
from tests.cli.test_terminal import FORBIDDEN, HOSTILE

CODE = "".join(f"class C{n}:\n    def put(self):\n        return {n}\n\n\n" for n in range(30))


@pytest.fixture
def project(bare: Holdfast) -> Holdfast:
    """A project with code and without a ledger."""
    (bare.folder / "a.py").write_text(CODE)
    return bare


@pytest.mark.req("L6")
def test_every_definition_is_listed_with_its_lines(project: Holdfast) -> None:
    done = project.process("outline", "a.py")
    assert (done.code, done.err) == (0, "")
    assert done.text.splitlines()[:3] == ["1-3 class C0", "  2-3 method put", "6-8 class C1"]
    assert len(done.text.splitlines()) == 60


@pytest.mark.req("L6")
@pytest.mark.parametrize("budget", [1, 20, 60, 300, 5000])
def test_a_budget_is_kept_and_what_is_left_out_is_counted(project: Holdfast, budget: int) -> None:
    found = project("outline", "a.py", "--tokens", str(budget), "--json").json()
    assert found["tokens"] <= budget
    assert found["counter"] == tokens.COUNTER
    assert found["shown"] + found["left_out"] == 60
    assert (found["path"], found["language"], found["by"]) == ("a.py", "python", "tree-sitter")
    if found["left_out"] and found["text"]:
        assert f"{found['left_out']} definitions left out" in found["text"]


def test_a_budget_without_room_for_a_word_says_so_beside_it(project: Holdfast) -> None:
    done = project("outline", "a.py", "--tokens", "1")
    assert (done.code, done.text) == (0, "")
    assert "60 definitions are left out" in done.err


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.py", "", "defines nothing"),
        ("broken.py", "def f(): pass\ndef bad(:\n", "could not be parsed"),
        ("p.pl", "sub f {\n  1\n}\n", "line patterns"),
    ],
)
def test_what_is_not_sure_is_said(project: Holdfast, name: str, content: str, said: str) -> None:
    (project.folder / name).write_text(content)
    done = project("outline", name)
    assert (done.code, said in done.err) == (0, True)


@pytest.mark.parametrize(
    ("name", "code"),
    [("b.py", 1), ("../a.py", 2), ("/etc/hostname", 2), ("${PROJECT_ROOT}/../a.py", 2), (".", 2)],
)
def test_what_cannot_be_listed_is_refused(project: Holdfast, name: str, code: int) -> None:
    done = project("outline", name)
    assert (done.code, done.text) == (code, "")


def test_names_in_hostile_code_are_inert(project: Holdfast) -> None:
    text = f"const a = {{ }};\nclass A {{ '{HOSTILE}'() {{}} }}\n# {HOSTILE}\n"
    (project.folder / "h.js").write_bytes(text.encode())
    (project.folder / "h.md").write_bytes(f"# {HOSTILE}\n\ntext\n".encode())
    for name in ("h.js", "h.md"):
        done = project("outline", name)
        assert done.code == 0
        assert [char for char in FORBIDDEN if char in done.text + done.err] == []
    assert "owned" in project("outline", "h.md").text
