"""Looking for what is said to be missing: over which files, by what, and what that leaves open."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Never

import msgspec
import pytest

from holdfast.config import Search, Settings
from holdfast.evidence.ghosts import judge
from holdfast.index import vectors
from holdfast.kernel.errors import StorageFailed
from holdfast.kernel.types.evidence import GhostStatus
from holdfast.testing import ck as recorded
from holdfast.wiring import code_files, code_ignored, ghost_searching
from holdfast.wiring.code_indexing import no_progress
from holdfast.wiring.ghost_searching import Searched, look
from tests.wiring.code_projects import Code

ABSENT = ("OAuth2 login with a consent screen", "sign in by another provider's account")
PRESENT = ("count how often a request was tried", "number of attempts of a retry")
NEVER = Settings(search=Search(ck="never"))


@pytest.fixture
def code(tmp_path: Path) -> Code:
    made = Code(tmp_path / "project")
    made.git("init", "-q")
    made.write(
        "src/retry.py",
        'class Retry:\n    """Retry a request."""\n\n    def count_attempts(self):\n'
        '        """Count how often a request was tried."""\n        return self.attempts\n',
    )
    made.write("src/disk.py", "def remove_document(path):\n    path.unlink()\n")
    return made


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on the path, beside those of the system."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    return tmp_path / "bin"


NAME = "consent screens of OAuth2"


def search(
    code: Code,
    queries: tuple[str, ...] = ABSENT,
    settings: Settings = NEVER,
    name: str = NAME,
) -> Searched:
    return look(code.place, settings, name, queries, progress=no_progress)


def status(
    code: Code,
    queries: tuple[str, ...] = ABSENT,
    settings: Settings = NEVER,
    name: str = NAME,
) -> GhostStatus:
    return judge(search(code, queries, settings, name).looked).status


@pytest.mark.req("L9")
def test_what_is_not_there_is_confirmed_and_the_record_says_what_was_searched(code: Code) -> None:
    looked = search(code).looked
    assert judge(looked).status == "confirmed"
    for query, one in zip((*ABSENT, NAME), looked, strict=True):
        record = one.record
        assert (record.query, record.files, record.unread) == (query, 2, 0)
        assert record.hits == 0
        assert isinstance(record.best, float)
        assert record.best < 0.4
        assert record.index == "up to date; files named by git; 0 searched by lines"
    model = vectors.load().name  # type: ignore[union-attr]
    assert [(one.record.level, one.record.model) for one in looked] == [
        ("hybrid", model),
        ("hybrid", model),
        ("bm25", None),
    ]


@pytest.mark.req("L9")
def test_what_is_there_is_found_with_its_nearest_section(code: Code) -> None:
    looked = search(code, PRESENT).looked
    assert judge(looked).status == "present"
    assert str(looked[0].record.nearest).startswith("src/retry.py:")


@pytest.mark.lesson("L9")
@pytest.mark.parametrize("name", ["huge.py", "outside.py", "private.py", "hidden/inner.go"])
def test_files_that_were_not_searched_keep_it_open(code: Code, name: str) -> None:
    if name == "huge.py":
        code.write(name, "x" * (4 * 1024 * 1024 + 1))
    elif name == "outside.py":
        outside = code.folder.parent / "outside.py"
        outside.write_text("x = 1\n")
        (code.folder / name).symlink_to(outside)
    else:
        code.write(".gitignore", f"{name.partition('/')[0]}\n")
        code.write(name, "def sign_in(): pass\n")
    looked = search(code).looked
    assert judge(looked).status == "could_not_look"
    assert looked[0].record.unread == 1
    assert name.partition("/")[0] in judge(looked).reason


UNRELATED = ("banana phone handset", "purple elephant zoo")


@pytest.mark.req("L9")
@pytest.mark.parametrize("name", ["Queue with take method and lock", "Queue", "lock", "take"])
def test_questions_that_have_nothing_to_do_with_it_do_not_confirm_it(code: Code, name: str) -> None:
    for number in range(40):  # so that its words are common ones
        code.write(f"src/lock{number}.py", f"def lock_{number}(queue):\n    queue.lock()\n")
    code.write(
        "src/line.py",
        "class Queue:\n    def take(self):\n        with self.lock:\n"
        "            return self.items.pop(0)\n",
    )
    assert status(code, UNRELATED, name=name) == "present"
    assert status(code, UNRELATED) == "confirmed"


@pytest.mark.lesson("L9")
def test_a_folder_that_git_cannot_enter_keeps_it_open(
    code: Code, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = code_files.run_git

    def warn(folder: Path, words: Sequence[str]) -> subprocess.CompletedProcess[bytes] | None:
        done = ask(folder, words)
        if done is not None and "--cached" in words:
            done.stderr = b"warning: could not open directory 'own/deep/': Permission denied\n"
        return done

    monkeypatch.setattr(code_files, "run_git", warn)
    verdict = judge(search(code).looked)
    assert verdict.status == "could_not_look"
    assert "own/deep (Permission denied)" in verdict.reason


@pytest.mark.lesson("L9")
def test_a_file_that_a_sparse_checkout_leaves_out_keeps_it_open(code: Code) -> None:
    code.git("add", ".")
    (code.folder / "src" / "disk.py").unlink()
    assert status(code) == "confirmed"  # deleted: it is really gone
    code.git("update-index", "--skip-worktree", "src/disk.py")
    verdict = judge(search(code).looked)
    assert verdict.status == "could_not_look"
    assert "src/disk.py (not checked out)" in verdict.reason


@pytest.mark.lesson("L9")
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["login.cs", "login.ps1", "login.sql", "en.strings", "login.py"])
def test_code_in_utf16_is_searched(code: Code, name: str, encoding: str) -> None:
    text = "\ufeff// OAuth2 login with a consent screen\nvoid Consent() {}\n"
    code.write(name, text.encode(encoding))
    looked = search(code).looked
    assert judge(looked).status == "present"
    assert str(looked[0].record.nearest).startswith(name)


@pytest.mark.lesson("L9")
@pytest.mark.parametrize(
    "content", [b"def sign_in():\n    pass\n\0", "\ufeffx".encode("utf-16-le") + b"\0"]
)
@pytest.mark.parametrize("name", ["login.py", "login.tmpl", "en.strings", "Makefile"])
def test_a_file_that_is_named_as_code_and_holds_no_text_keeps_it_open(
    code: Code, name: str, content: bytes
) -> None:
    code.write(name, content)
    verdict = judge(search(code).looked)
    assert verdict.status == "could_not_look"
    assert name in verdict.reason


@pytest.mark.lesson("L9")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("deploy", "#!/bin/sh\nsign_in\n"),
        ("login.py.tmpl", "def {{name}}(): pass\n"),
        ("login.tmpl", "sign in\n"),
        ("private/deploy", "#!/usr/bin/env python3\n"),
    ],
)
def test_ignored_scripts_and_templates_keep_it_open(code: Code, name: str, text: str) -> None:
    code.write(".gitignore", f"{name.partition('/')[0]}\n")
    code.write(name, text)
    verdict = judge(search(code).looked)
    assert verdict.status == "could_not_look"
    assert name.partition("/")[0] in verdict.reason


@pytest.mark.lesson("L9")
def test_an_ignored_folder_with_more_files_than_are_looked_at_keeps_it_open(
    code: Code, monkeypatch: pytest.MonkeyPatch
) -> None:
    code.write(".gitignore", "data\n")
    for number in range(4):
        code.write(f"data/{number}.csv", "1\n")
    assert status(code) == "confirmed"
    monkeypatch.setattr(code_ignored, "IGNORED_FILES_LOOKED", 3)
    verdict = judge(search(code).looked)
    assert verdict.status == "could_not_look"
    assert "data (git ignores it, and it has more than 3 files)" in verdict.reason


@pytest.mark.lesson("L9")
def test_an_ignored_folder_that_cannot_be_entered_keeps_it_open(
    code: Code, monkeypatch: pytest.MonkeyPatch
) -> None:
    code.write(".gitignore", "shut\n")
    code.write("shut/a.txt", "1\n")

    def fail(_folder: Path, onerror: Callable[[OSError], None] | None = None) -> Iterator[Never]:
        if onerror is not None:
            onerror(PermissionError(13, "Permission denied"))
        return iter(())

    assert status(code) == "confirmed"
    monkeypatch.setattr("os.walk", fail)
    verdict = judge(search(code).looked)
    assert verdict.status == "could_not_look"
    assert (
        "shut (git ignores it, and it cannot be looked into: Permission denied)" in verdict.reason
    )


@pytest.mark.lesson("L9")
@pytest.mark.parametrize("name", ["bin", "build", "dist", "node_modules", "out", ".venv", "vendor"])
def test_folders_of_builds_and_packages_do_not_keep_it_open_and_are_named(
    code: Code, name: str
) -> None:
    code.write(".gitignore", f"{name}/\nempty/\n")
    code.write(f"{name}/deep/own.py", "def own(): pass\n")
    code.write(f"{name}/own.go", "package own\n")
    code.write(f"{name}/blob.o", b"\0")
    found = search(code)
    assert judge(found.looked).status == "confirmed"
    assert [(one.path, one.files, one.more) for one in found.left_out] == [(name, 2, False)]


@pytest.mark.lesson("L9")
def test_folders_of_such_names_that_git_does_not_ignore_are_searched(code: Code) -> None:
    code.write("node_modules/a/index.js", "// OAuth2 login with a consent screen\n")
    found = search(code)
    assert (judge(found.looked).status, found.left_out) == ("present", [])


@pytest.mark.lesson("L9")
def test_a_project_that_a_repository_around_it_ignores_is_searched_by_its_folders(
    tmp_path: Path,
) -> None:
    outer = Code(tmp_path / "outer")
    outer.git("init", "-q")
    outer.write(".gitignore", "scratch/\n")
    inner = Code(tmp_path / "outer" / "scratch" / "project")
    inner.write("a.py", "def remove_document(path):\n    path.unlink()\n")
    found = search(inner)
    assert (judge(found.looked).status, found.left_out) == ("confirmed", [])


@pytest.mark.lesson("L9")
def test_a_git_that_does_not_say_what_it_ignores_keeps_it_open(
    code: Code, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_ignored, "run_git", lambda _folder, _words: None)
    assert status(code) == "could_not_look"


@pytest.mark.lesson("L9")
def test_left_out_folders_are_named_without_git_too(tmp_path: Path) -> None:
    code = Code(tmp_path / "bare")
    code.write("src/disk.py", "def remove_document(path):\n    path.unlink()\n")
    code.write("web/node_modules/a/index.js", "export const a = 1\n")
    code.write(".mypy_cache/a.json", "{}\n")
    assert [one.path for one in search(code).left_out] == ["web/node_modules"]


@pytest.mark.lesson("L9")
def test_files_that_cannot_hold_it_do_not_keep_it_open(code: Code) -> None:
    code.write("blob", b"\0")
    (code.folder / "link.py").symlink_to("src/disk.py")
    (code.folder / "broken.py").symlink_to("nowhere")
    code.write(".gitignore", "node_modules\n*.log\n.env.py\n")
    code.write("node_modules/a/index.js", "export const a = 1\n")
    code.write("run.log", "a line\n")
    assert status(code) == "confirmed"


@pytest.mark.lesson("L9")
def test_an_empty_project_proves_nothing(tmp_path: Path) -> None:
    assert status(Code(tmp_path / "empty")) == "could_not_look"


@pytest.mark.lesson("L9")
def test_an_index_that_fails_is_no_sign_that_nothing_is_there(
    code: Code, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_path: str) -> None:
        raise StorageFailed("The disk is full.")

    monkeypatch.setattr(ghost_searching, "CodeIndex", fail)
    assert status(code) == "could_not_look"


@pytest.mark.req("L9")
def test_without_a_model_nothing_is_confirmed_and_what_is_there_is_still_found(
    code: Code, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "load", lambda: None)
    assert status(code) == "unverified"
    assert status(code, PRESENT) == "present"


@pytest.mark.req("L6")
@pytest.mark.lesson("N17")
@pytest.mark.parametrize(
    ("day", "expected"),
    [
        ("none", "confirmed"),
        ("hit", "present"),
        ("error", "could_not_look"),
        ("no-model", "could_not_look"),
    ],
)
def test_ck_is_asked_too_where_it_is_installed(
    code: Code, path: Path, day: str, expected: str
) -> None:
    recorded.install(path, day)
    assert status(code, settings=Settings()) == expected
    assert status(code, settings=NEVER) == "confirmed"


@pytest.mark.lesson("N17")
def test_what_ck_found_is_recorded_beside_the_built_in_search(code: Code, path: Path) -> None:
    recorded.install(path, "hit")
    looked = search(code, settings=Settings()).looked
    assert [one.record.level for one in looked] == ["hybrid", "hybrid", "bm25", "ck", "ck"]
    told = msgspec.to_builtins(looked[3].record)
    assert (told["files"], told["best"], told["nearest"]) == (4, 0.61, "src/a.py:1-3")
    assert told["model"] == "BAAI/bge-small-en-v1.5"
