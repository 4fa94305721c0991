"""One file has one name, however a client spells it; a path is a name and is never opened."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdfast.proxy.paths import Spelled, name_file, own_prefix, root_of, spelled_in
from holdfast.wire.events import Dialect
from holdfast.wire.requests import Request, read_request


def read(dialect: Dialect, **body: Any) -> Request:
    return read_request(dialect, json.dumps({"model": "m", **body}).encode())


@pytest.mark.lesson("T1")
@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("/home/me/app/src/a.py", "src/a.py"),
        ("src/a.py", "src/a.py"),
        ("./src/a.py", "src/a.py"),
        ("src//./a.py", "src/a.py"),
        ("src\\a.py", "src/a.py"),
        ("/home/me/other/a.py", "/home/me/other/a.py"),
        ("/home/me/application/a.py", "/home/me/application/a.py"),
        (".env", ".env"),
        (" src/a.py\t", "src/a.py"),
        ("file:///home/me/app/src/a.py", "src/a.py"),
        ("file:src/a.py", "src/a.py"),
    ],
)
def test_a_file_of_the_project_has_one_name(given: str, path: str) -> None:
    assert name_file(given, "/home/me/app", "/home/me/app") == Spelled(path)


@pytest.mark.lesson("T1")
@pytest.mark.parametrize("root", ["/home/me/app", "/home/me/other"])
def test_a_file_of_another_folder_is_named_with_its_folder(root: str) -> None:
    for given in ("src/a.py", "./src/a.py", f"{root}/src/a.py", f"file://{root}/src/a.py"):
        assert name_file(given, root) == Spelled(f"{root}/src/a.py")
        assert name_file(given, root, "/home/me/project") == Spelled(f"{root}/src/a.py")


def test_without_a_folder_a_path_stays_as_it_is() -> None:
    assert name_file("/home/me/app/src/a.py", None) == Spelled("/home/me/app/src/a.py")
    assert name_file("src/a.py", None) == Spelled("src/a.py")
    assert name_file("SRC/A.py", None) == Spelled("SRC/A.py")
    assert name_file("/home/me/app/src/a.py", None, "/home/me/app") == Spelled("src/a.py")


def test_a_drive_has_one_name() -> None:
    for given in ("C:\\app\\a.py", "c:/app/a.py", "file:///c:/app/a.py"):
        assert name_file(given, None) == Spelled("C:/app/a.py")
        assert name_file(given, "C:/app", "C:/app") == Spelled("a.py")


@pytest.mark.parametrize(
    ("root", "project", "prefix"),
    [
        (None, None, None),
        (None, "/p", None),
        ("/p", None, "/p/"),
        ("/p", "/p", ""),
        ("/p/src", "/p", "src/"),
        ("/pq", "/p", "/pq/"),
    ],
)
def test_own_files_are_known_by_what_their_names_begin_with(
    root: str | None, project: str | None, prefix: str | None
) -> None:
    assert own_prefix(root, project) == prefix


@pytest.mark.parametrize(
    "given",
    [
        "../a.py", "src/../../a.py", "/home/me/app/../../etc/passwd", "~/a.py", "a\x00.py",
        "a\u202eyp.py", "a\n.py", "", None, ".", "/", "/home/me/app", "/home/me/app/", "src/",
        "x" * 5000 + ".py", "a.py:",
    ],
)  # fmt: skip
def test_a_path_that_climbs_or_deceives_is_none(given: str | None) -> None:
    spelled = name_file(given, "/home/me/app")
    assert spelled.path is None
    assert spelled.problem


def test_a_definition_may_stand_behind_the_path() -> None:
    assert name_file("./a.py::Class.method", None) == Spelled("a.py", "Class.method")


@pytest.mark.parametrize(
    ("line", "spelled"),
    [
        ("src/a.py::f", "src/a.py::f"),
        ("**`src/a.py::Queue.put`**:", "src/a.py::Queue.put"),
        ("### a.py::f#2", "a.py::f#2"),
        ("Entity: a.py::f", "a.py::f"),
        ("src/a.py", None),
        ("see a.py::f for that", None),
        ("std::vector", None),
    ],
)
def test_a_line_that_is_nothing_but_path_and_symbol_spells_an_entity(
    line: str, spelled: str | None
) -> None:
    assert spelled_in(line) == spelled


@pytest.mark.parametrize(
    "said",
    [
        "<env>\nWorking directory: /home/me/app\nIs directory a git repo: Yes\n</env>",
        "# Environment\n - Primary working directory: /home/me/app\n - Platform: linux\n",
        "# Current Working Directory (/home/me/app) Files\na.py\n",
    ],
)
def test_the_folder_is_what_the_client_says_before_the_turns(said: str) -> None:
    assert root_of(read("messages", system=said, messages=[])) == "/home/me/app"
    assert root_of(read("chat", messages=[{"role": "system", "content": said}])) == "/home/me/app"


def test_codex_says_it_in_a_turn_and_the_newest_counts() -> None:
    def environment(cwd: str) -> dict[str, Any]:
        text = f"<environment_context>\n  <cwd>{cwd}</cwd>\n</environment_context>"
        return {"role": "user", "content": [{"type": "input_text", "text": text}]}

    items = [environment("/old"), environment("/home/me/app")]
    assert root_of(read("responses", input=items)) == "/home/me/app"


@pytest.mark.lesson("N14")
def test_the_folder_that_is_named_first_counts_and_no_reminder_changes_it() -> None:
    said = "Working directory: /a\n\n# Notes of the project\nWorking directory: /a/vendor\n"
    assert root_of(read("messages", system=said, messages=[])) == "/a"
    details = (
        "<environment_details>\n# Current Working Directory ({}) Files\n</environment_details>"
    )
    reminder = "<system-reminder>\nWorking directory: /b\n</system-reminder>"
    messages = [
        {"role": "user", "content": f"go\n{reminder}"},
        {"role": "user", "content": "go\n" + details.format("/a")},
        {"role": "user", "content": "and this?\n" + details.format("/b")},
    ]
    assert root_of(read("messages", messages=messages)) == "/a"
    assert root_of(read("messages", messages=messages[:1])) is None


@pytest.mark.lesson("N14")
def test_neither_user_nor_model_nor_tool_says_which_folder_it_is() -> None:
    said = "Working directory: /etc"
    messages = [
        {"role": "user", "content": said},
        {"role": "assistant", "content": said},
        {"role": "user", "content": [{"type": "tool_result", "content": said}]},
    ]
    assert root_of(read("messages", messages=messages)) is None


@pytest.mark.parametrize("cwd", ["/", "relative", "/a/../..", "~"])
def test_no_folder_that_would_take_too_much_away(cwd: str) -> None:
    assert root_of(read("messages", system=f"Working directory: {cwd}", messages=[])) is None
