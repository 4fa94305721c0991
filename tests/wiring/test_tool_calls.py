"""The wrapper: what a tool changed, ran and raised is recorded; nothing is run by us."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import holdfast
from holdfast import StateManager
from holdfast.kernel.limits import PARAM_CHARS_MAX

BEFORE = "def pay(cart):\n    return cart.total\n"
AFTER = "def pay(cart):\n    return round(cart.total, 2)\n"


@pytest.fixture
def sm(project: Path) -> Iterator[StateManager]:
    with StateManager(project) as manager:
        manager.start_session("s1")
        yield manager


def recorded(sm: StateManager, *types: str) -> list[dict[str, Any]]:
    """Return the data of the entries of some types, in order."""
    return [sm.ledger.data(entry) for entry in sm.ledger.read() if entry.type in types]


@pytest.mark.req("P11")
def test_a_call_is_recorded_with_its_commands_and_the_files_it_changed(
    sm: StateManager, project: Path
) -> None:
    (project / "shop.py").write_text(BEFORE)
    (project / "old.txt").write_text("gone soon\n")
    with sm.tool_call("bash", params={"cmd": "make"}, files=["."]) as call:
        (project / "shop.py").write_text(AFTER)
        (project / "new.md").write_text("# New\n\nWords.\n")
        (project / "old.txt").unlink()
        call.command("pytest -q", exit_code=1, output="1 failed")
    [called] = recorded(sm, "tool_called")
    assert (called["tool"], called["ok"], called["params"]) == ("bash", True, {"cmd": "make"})
    assert called["duration_ms"] >= 0
    assert recorded(sm, "command_ran") == [
        {"command": "pytest -q", "exit_code": 1, "output": "1 failed"}
    ]
    changes = {one["path"]: one for one in recorded(sm, "file_change")}
    assert list(changes) == ["new.md", "old.txt", "shop.py"]
    assert changes["shop.py"] == {
        "path": "shop.py",
        "action": "modify",
        "size_before": len(BEFORE),
        "size_after": len(AFTER),
        "lines_changed": 2,
        "lines_after": 2,
        "diff_summary": "+1 -1: def pay",
        "hash_before": sha256(BEFORE.encode()).hexdigest(),
        "hash_after": sha256(AFTER.encode()).hexdigest(),
        "call": changes["new.md"]["call"],
    }
    assert (changes["new.md"]["action"], changes["new.md"]["diff_summary"]) == ("create", "+3")
    assert (changes["old.txt"]["action"], changes["old.txt"]["hash_after"]) == ("delete", None)
    assert {entry.session_id for entry in sm.ledger.read()} == {"s1"}


@pytest.mark.req("P11")
def test_a_call_that_changes_nothing_records_no_change(sm: StateManager, project: Path) -> None:
    (project / "shop.py").write_text(BEFORE)
    with sm.tool_call("read", files=["shop.py"]):
        (project / "shop.py").write_text(BEFORE)
    assert recorded(sm, "file_change") == []


def test_the_change_names_the_call_it_belongs_to(sm: StateManager, project: Path) -> None:
    with sm.tool_call("edit", files=["a.py"]):
        (project / "a.py").write_text(BEFORE)
    [call] = [entry for entry in sm.ledger.read() if entry.type == "tool_called"]
    [change] = recorded(sm, "file_change")
    assert call.id == change["call"]


def test_what_a_file_holds_is_not_recorded(sm: StateManager, project: Path) -> None:
    canary = "zebra crossing at noon"
    with sm.tool_call("edit", files=["a.txt"]):
        (project / "a.txt").write_text(canary)
    (project / "a.txt").write_text(f"{canary} again")
    sm.log_file_change("a.txt")
    assert len(recorded(sm, "file_change")) == 2
    assert all(canary.encode() not in stored.body for stored in sm.ledger.lines())


@pytest.mark.req("P11")
def test_what_a_tool_raises_is_recorded_and_goes_on(sm: StateManager, project: Path) -> None:
    @sm.logged_tool("edit", files=["a.py"])
    def edit() -> float:
        (project / "a.py").write_text(BEFORE)
        return 1 / 0

    with pytest.raises(ZeroDivisionError):
        edit()
    [called] = recorded(sm, "tool_called")
    [error] = recorded(sm, "error")
    assert (called["ok"], called["detail"]) == (False, "ZeroDivisionError: division by zero")
    assert (error["error_type"], error["context"]) == ("ZeroDivisionError", "tool edit")
    assert [one["path"] for one in recorded(sm, "file_change")] == ["a.py"]


def test_what_a_tool_raises_is_not_hidden_by_a_ledger_that_fails(
    sm: StateManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise holdfast.StorageFailed("The disk is full.")

    monkeypatch.setattr(sm.ledger, "append_many", fail)
    with pytest.raises(KeyError) as caught, sm.tool_call("edit"):
        raise KeyError("mine")
    assert "The disk is full." in caught.value.__notes__[0]
    with pytest.raises(holdfast.StorageFailed), sm.tool_call("edit"):
        pass


def test_a_failure_that_raises_nothing_can_be_told(sm: StateManager) -> None:
    with sm.tool_call("bash") as call:
        call.ok = False
        call.detail = "exit 2"
    [called] = recorded(sm, "tool_called")
    assert (called["ok"], called["detail"]) == (False, "exit 2")


@pytest.mark.req("P11")
def test_a_decorated_tool_does_the_same_and_is_recorded(sm: StateManager, project: Path) -> None:
    @sm.logged_tool("edit", files=lambda path, **_: [path])
    def write(path: str, text: str) -> int:
        """Write."""
        return (project / path).write_text(text)

    assert write("a.py", text=BEFORE) == len(BEFORE)
    assert (write.__name__, write.__doc__) == ("write", "Write.")
    [called] = recorded(sm, "tool_called")
    assert called["params"] == {"path": "a.py", "text": BEFORE}
    assert [one["diff_summary"] for one in recorded(sm, "file_change")] == ["+2: def pay"]


def test_a_decorated_coroutine_is_recorded_when_it_is_over(sm: StateManager) -> None:
    @sm.logged_tool("fetch")
    async def fetch(url: str) -> str:
        await asyncio.sleep(0)
        assert recorded(sm, "tool_called") == []
        return url.upper()

    assert asyncio.run(fetch("x")) == "X"
    assert [one["params"] for one in recorded(sm, "tool_called")] == [{"url": "x"}]


def test_long_and_odd_arguments_are_cut_and_say_so(sm: StateManager) -> None:
    @sm.logged_tool("edit")
    def edit(*parts: Any, **more: Any) -> None: ...

    edit("x" * 1000, object(), [1, {"a": (2.5, None)}], key=True)
    [called] = recorded(sm, "tool_called")
    cut, odd, nested = called["params"]["parts"]
    assert cut.startswith("x" * PARAM_CHARS_MAX + " [the first 500 of 1000")
    assert (odd, nested) == ("<object>", [1, {"a": [2.5, None]}])
    assert called["params"]["more"] == {"key": True}


def test_arguments_that_do_not_fit_are_the_tools_own_error(sm: StateManager) -> None:
    @sm.logged_tool("edit")
    def edit(path: str) -> None: ...

    with pytest.raises(TypeError):
        edit()  # type: ignore[call-arg]
    assert [one["error_type"] for one in recorded(sm, "error")] == ["TypeError"]


@pytest.mark.req("P11")
def test_the_protocols_own_pattern_is_wrapped(sm: StateManager, project: Path) -> None:
    def execute_tool(tool_name: str, params: dict[str, str]) -> SimpleNamespace:
        (project / params["path"]).write_text(params["text"])
        return SimpleNamespace(files_changed=[params["path"]], said=tool_name)

    logged_tool_call = sm.logged_tool_call(execute_tool)
    result = logged_tool_call("edit", {"path": "a.py", "text": BEFORE})
    assert result.said == "edit"
    assert [one["path"] for one in recorded(sm, "file_change")] == ["a.py"]
    assert [one["tool"] for one in recorded(sm, "tool_called")] == ["edit"]


@pytest.mark.parametrize(
    "result", [None, 7, "text", {"files_changed": None}, {"files_changed": "x"}]
)
def test_a_result_that_names_no_files_is_fine(sm: StateManager, result: Any) -> None:
    assert sm.logged_tool_call(lambda _name, _params: result)("edit", {}) == result
    assert recorded(sm, "file_change") == []


def test_a_file_that_is_watched_and_told_is_recorded_once(sm: StateManager, project: Path) -> None:
    with sm.tool_call("edit", files=["."]) as call:
        (project / "a.py").write_text(BEFORE)
        call.changed("a.py", project / "a.py")
    assert [one["path"] for one in recorded(sm, "file_change")] == ["a.py"]


def test_what_was_not_looked_at_is_named_in_the_entry(sm: StateManager, project: Path) -> None:
    (project / "link").symlink_to("/etc/hostname")
    with sm.tool_call("edit", files=["."]) as call:
        call.changed("/etc/hostname")
    [called] = recorded(sm, "tool_called")
    assert len(called["not_looked_at"]) == 2
    assert "symbolic link" in called["not_looked_at"]["link"]
    assert called["not_looked_at_more"] == 0
    assert call.unlooked == called["not_looked_at"]
    assert recorded(sm, "file_change") == []


def test_a_path_outside_is_refused_before_the_tool_is_used(sm: StateManager) -> None:
    with (
        pytest.raises(holdfast.InvalidInput, match="is not inside"),
        sm.tool_call("edit", files=["/etc"]),
    ):
        pytest.fail("the tool was used")
    assert recorded(sm, "tool_called") == []


def test_a_binary_file_is_compared_by_hash(sm: StateManager, project: Path) -> None:
    (project / "a.bin").write_bytes(b"\0" * 10)
    with sm.tool_call("edit", files=["a.bin"]):
        (project / "a.bin").write_bytes(b"\0" * 12)
    [change] = recorded(sm, "file_change")
    assert (change["action"], change["lines_changed"]) == ("modify", 0)
    assert change["diff_summary"] == "compared by hash only: 10 to 12 bytes"


def test_a_command_is_durable_before_the_call_is_over(sm: StateManager) -> None:
    with sm.tool_call("bash") as call:
        call.command("make", exit_code=None)
        assert recorded(sm, "command_ran") == [{"command": "make", "exit_code": None}]
    assert len(recorded(sm, "tool_called")) == 1


def test_a_secret_in_a_command_does_not_enter(sm: StateManager) -> None:
    secret = "ghp_" + "0123456789abcdef" * 2 + "0123"
    with sm.tool_call("bash", params={"token": secret}) as call:
        call.command(f"push {secret}", exit_code=0)
    assert all(secret.encode() not in stored.body for stored in sm.ledger.lines())


@pytest.mark.req("P9", "P11")
def test_every_fifth_call_makes_a_checkpoint_from_facts(sm: StateManager, project: Path) -> None:
    for number in range(11):
        with sm.tool_call("edit", files=["."]) as call:
            (project / f"part{number}.py").write_text(BEFORE)
            call.command(f"pytest part{number}.py", exit_code=number % 2)
        assert sm.calls_since_checkpoint == (number + 1) % 5
    made = recorded(sm, "checkpoint")
    assert len(made) == 2
    assert sorted(made[0]["files_created"]) == [f"part{number}.py" for number in range(5)]
    assert sorted(made[1]["files_created"]) == [f"part{number}.py" for number in range(5, 10)]
    assert "part" in made[1]["quick_resume"]
    assert made[0]["quick_resume"] != made[1]["quick_resume"]
