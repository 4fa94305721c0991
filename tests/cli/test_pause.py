"""`holdfast pause`: hooks record nothing, and the ledger says so and how much came."""

from __future__ import annotations

import json

import pytest

from holdfast.agents import pausing
from holdfast.storage import files
from holdfast.wiring import pausing as pauses
from tests.cli.harness import Holdfast


def test_a_pause_and_its_end_are_entries_with_what_came_between(holdfast: Holdfast) -> None:
    done = holdfast("pause", "--because", "a customer's data", "--json")
    assert done.json() == {
        "changed": True,
        "unrecorded": None,
        "files": None,
        "paused": [{"session": None, "unrecorded": 0}],
    }
    for _ in range(3):
        pausing.count(str(holdfast.folder / ".holdfast"), "all")
    assert "PAUSED    everything; 3 events were not recorded" in holdfast("status").text
    assert "PAUSED: 3 events were not recorded" in holdfast("agents", "status").text
    assert "is paused already" in holdfast("pause").text
    assert "3 events came meanwhile" in holdfast("pause", "--off").text
    assert "was not paused" in holdfast("pause", "--off").text
    assert [(one["type"], one["data"]) for one in holdfast.entries()] == [
        ("recording_paused", {"reason": "a customer's data"}),
        ("recording_resumed", {"unrecorded": 3}),
    ]
    assert not (holdfast.folder / ".holdfast/paused").exists()


def test_one_session_is_paused_and_the_others_go_on(holdfast: Holdfast) -> None:
    folder = str(holdfast.folder / ".holdfast")
    holdfast("pause", "--session", "s1")
    assert pausing.paused_by(folder, "s1") == "session s1"
    assert pausing.paused_by(folder, "s2") is None
    holdfast("pause")
    told = holdfast("pause", "--off")
    assert "Still paused: s1." in told.err
    holdfast("pause", "--off", "--session", "s1")
    assert [one["session_id"] for one in holdfast.entries()] == ["s1", None, None, "s1"]


@pytest.mark.lesson("N6")
def test_the_doctor_says_that_nothing_is_recorded(holdfast: Holdfast) -> None:
    def recording(private: str = "") -> object:
        checks = holdfast("doctor", "--json", HOLDFAST_PRIVATE=private).json()
        [found] = [one for one in checks if one["name"] == "recording"]
        return found["ok"]

    assert recording() is True
    assert recording("1") is False
    holdfast("pause")
    assert recording() is False
    holdfast("pause", "--off")
    assert recording() is True


def test_a_marker_that_is_a_link_is_told_and_not_followed(holdfast: Holdfast) -> None:
    (holdfast.folder / ".holdfast/paused").symlink_to(holdfast.home / "x")
    done = holdfast("pause")
    assert done.code == 2
    assert "record nothing" in done.err
    [found] = [one for one in holdfast("doctor", "--json").json() if one["name"] == "recording"]
    assert found["ok"] is False


def test_a_reason_goes_with_a_pause_and_a_session_has_a_name(holdfast: Holdfast) -> None:
    assert holdfast("pause", "--off", "--because", "x").code == 2
    assert holdfast("pause", "--session", "a\nb").code == 2
    assert holdfast.entries() == []


def test_hooks_record_nothing_while_it_is_paused_and_again_afterwards(holdfast: Holdfast) -> None:
    def fire(prompt: str, private: str = "") -> None:
        payload = {
            "session_id": "s1",
            "cwd": str(holdfast.folder),
            "hook_event_name": "UserPromptSubmit",
            "prompt": prompt,
        }
        given = json.dumps(payload).encode()
        done = holdfast.process("hook", "claude-code", stdin=given, HOLDFAST_PRIVATE=private)
        assert (done.code, done.out) == (0, b"")

    fire("first")
    fire("hidden", "1")
    holdfast("pause")
    fire("second")
    holdfast("pause", "--off")
    fire("third")
    entries = holdfast.entries()
    prompts = [one["data"]["text"] for one in entries if one["type"] == "prompt_given"]
    assert prompts == ["first", "third"]
    [resumed] = [one for one in entries if one["type"] == "recording_resumed"]
    assert resumed["data"] == {"unrecorded": 1}
    for path in holdfast.folder.rglob("*"):
        if path.is_file():
            assert b"hidden" not in path.read_bytes()
            assert b'"second"' not in path.read_bytes()


@pytest.mark.parametrize(("private", "why"), [("1", "HOLDFAST_PRIVATE is set"), ("", "is paused")])
def test_whoever_starts_an_agent_then_is_told(holdfast: Holdfast, private: str, why: str) -> None:
    if not private:
        holdfast("pause")
    given = {"session_id": "s1", "cwd": str(holdfast.folder), "hook_event_name": "SessionStart"}
    payload = json.dumps(given).encode()
    told = holdfast.process("hook", "claude-code", stdin=payload, HOLDFAST_PRIVATE=private)
    assert why in json.loads(told.out)["systemMessage"]
    (holdfast.folder / ".holdfast/paused").unlink(missing_ok=True)
    assert [one["type"] for one in holdfast.entries()] == ["recording_paused"] * (not private)
    assert (holdfast.folder / ".holdfast/intake/timings").exists() is (not private)


def test_two_who_pause_at_once_both_hold(
    holdfast: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, make_folder = holdfast.folder / ".holdfast", files.make_folder

    def meanwhile(path: str) -> None:
        make_folder(path)
        (folder / pausing.PAUSED).write_text("session s1\n")

    monkeypatch.setattr(pauses, "make_folder", meanwhile)
    holdfast("pause", "--session", "s2")
    assert pausing.pauses(str(folder)) == ["session s1", "session s2"]

    def begins(_: object) -> int:
        (folder / pausing.PAUSED).write_text("session s1\nsession s2\nall\n")
        return 0

    monkeypatch.setattr(pauses, "_take_files", begins)
    holdfast("pause", "--off", "--session", "s1")
    assert pausing.pauses(str(folder)) == ["session s2", "all"]


def test_a_session_that_nobody_heard_of_is_told_as_an_id_counts_as_a_whole(
    holdfast: Holdfast,
) -> None:
    holdfast("session", "start", "--session", "3f1c9a52")
    assert "counts as a whole" in holdfast("pause", "--session", "3f1c").err
    assert "counts as a whole" not in holdfast("pause", "--session", "3f1c9a52").err
