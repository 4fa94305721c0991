"""`holdfast save`, and the saves that come by themselves."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import rfc8785

from holdfast.wiring import campaigns
from tests.cli.harness import Holdfast


def saves(holdfast: Holdfast) -> Path:
    return holdfast.folder / ".holdfast/saves"


def listed(holdfast: Holdfast) -> list[Any]:
    return [json.loads(line) for line in holdfast("boot", "--list", "--json").out.splitlines()]


def kinds(holdfast: Holdfast) -> list[tuple[str, int]]:
    return [(one["save_type"], one["seq"]) for one in listed(holdfast)]


@pytest.fixture
def told(holdfast: Holdfast) -> Holdfast:
    """A project with a story."""
    holdfast("session", "start", "--session", "s1")
    holdfast("fact", "add", "place", "--text", "the gate is shut")
    holdfast("scene", "start", "gate", "--mode", "talk")
    holdfast("decide", "knock", "--because", "it is polite")
    return holdfast


@pytest.mark.req("O2")
def test_the_line_is_the_hashed_body_with_its_id_and_hash(told: Holdfast) -> None:
    line = told("save", "--json").out
    save = json.loads(line)
    body = {key: part for key, part in save.items() if key not in ("snapshot_id", "bytes_hash")}
    assert rfc8785.dumps(save) + b"\n" == line
    assert save["bytes_hash"] == sha256(rfc8785.dumps(body)).hexdigest()
    assert save["snapshot_id"] == save["bytes_hash"][:16]
    assert (save["save_type"], save["timestamp_event_id"]) == ("SCENE", 3)
    assert (saves(told) / f"{save['snapshot_id']}.json").read_bytes() == line


@pytest.mark.req("O9")
def test_saving_twice_with_nothing_between_gives_the_same_bytes(told: Holdfast) -> None:
    first = told("save", "--json").out
    file = next(saves(told).iterdir())
    before = file.stat().st_mtime_ns
    assert told("save", "--json").out == first
    assert [path.stat().st_mtime_ns for path in saves(told).iterdir()] == [before]
    told("decide", "wait", "--because", "nobody came")
    assert told("save", "--json").out != first


@pytest.mark.req("O8")
def test_a_save_appends_nothing(told: Holdfast) -> None:
    before = told("log", "--json").out
    for args in ((), ("--session",), ("--campaign", told.home / "x.campaign"), ("--prove",)):
        assert told("save", *args).code == 0
    assert told("log", "--json").out == before


@pytest.mark.req("O1")
def test_each_kind_holds_all_of_the_one_before(told: Holdfast) -> None:
    told("fact", "unlock", "chapter-2", "--scope", "session")
    scene = told("save", "--scene", "--json").json()
    session = told("save", "--session", "--json").json()
    campaign = told("save", "--campaign", told.home / "all.campaign", "--json").json()
    own = ("save_type", "contents", "snapshot_id", "bytes_hash")
    for one in (session, campaign):
        shared = {key: part for key, part in one.items() if key not in own}
        assert shared == {key: part for key, part in scene.items() if key not in own}
    assert scene["contents"] == {}
    assert session["contents"]["unlocks"] == {"s1": ["chapter-2"]}
    assert set(session["contents"]["sessions"]) == {"s1"}
    assert session["contents"].items() <= campaign["contents"].items()
    assert "manifest" in campaign["contents"]


def test_the_default_is_a_scene_save(told: Holdfast) -> None:
    assert told("save", "--json").out == told("save", "--scene", "--json").out
    said = told("save")
    assert said.text == f"{listed(told)[0]['snapshot_id']}\n"
    assert "A scene save up to entry 3" in said.err


@pytest.mark.parametrize(
    "args",
    [("--scene", "--session"), ("--session", "--campaign", "x"), ("--scene", "--campaign", "x")],
)
def test_two_kinds_at_once_are_refused(told: Holdfast, args: tuple[str, ...]) -> None:
    done = told("save", *args)
    assert (done.code, saves(told).exists()) == (2, False)
    assert "Choose one" in done.err


def test_an_empty_ledger_can_be_saved_and_booted(holdfast: Holdfast) -> None:
    save = holdfast("save", "--prove", "--json")
    assert (save.code, save.json()["timestamp_event_id"]) == (0, -1)
    assert holdfast("boot", "--json").json()["seq"] == -1


@pytest.mark.req("O3")
def test_a_save_can_be_proved_at_once(told: Holdfast) -> None:
    done = told("save", "--prove")
    assert done.code == 0
    assert "all 12 steps passed" in done.err


@pytest.mark.req("O3")
def test_a_proof_that_fails_is_a_no(told: Holdfast, monkeypatch: pytest.MonkeyPatch) -> None:
    from holdfast.wiring import saving

    real = saving._take
    monkeypatch.setattr(
        saving, "_take", lambda *args: _altered(real(*args), working_set_digest="0" * 64)
    )
    done = told("save", "--prove", "--json")
    assert done.code == 1
    assert (done.json()["ok"], done.json()["step"]) == (False, 10)
    assert done.json()["expected"] == "0" * 64


def _altered(snapshot: Any, **fields: Any) -> Any:
    import msgspec

    return msgspec.structs.replace(snapshot, **fields)


def test_a_campaign_file_that_is_there_is_not_written_over(told: Holdfast) -> None:
    file = told.home / "taken.campaign"
    file.write_bytes(b"mine")
    done = told("save", "--campaign", file)
    assert done.code == 2
    assert "exists already" in done.err
    assert file.read_bytes() == b"mine"
    assert not saves(told).exists()


def test_a_folder_that_cannot_be_written_is_an_error(told: Holdfast) -> None:
    saves(told).write_bytes(b"a file where the folder should be")
    done = told("save")
    assert done.code == 2
    assert "cannot be written" in done.err


@pytest.mark.req("O1")
def test_a_scene_that_ends_is_saved(told: Holdfast) -> None:
    done = told("scene", "end", "--outcome", "let in", "--json")
    assert done.code == 0
    assert kinds(told) == [("SCENE", 4)]
    assert done.json()["save"] == listed(told)[0]["snapshot_id"]
    assert told("boot", "--json").json()["seq"] == 4


@pytest.mark.req("O1")
def test_a_scene_that_another_one_ends_is_saved(told: Holdfast) -> None:
    done = told("scene", "start", "yard")
    assert "Scene gate is over with that." in done.err
    assert kinds(told) == [("SCENE", 4)]


@pytest.mark.req("O1")
def test_a_session_that_ends_is_saved(told: Holdfast) -> None:
    ended = told("session", "end", "--json")
    assert "Saved as" in ended.err
    assert kinds(told) == [("SESSION", ended.json()["seq"])]


@pytest.mark.req("O1")
def test_a_start_after_a_crash_saves_before_anything_else_is_recorded(told: Holdfast) -> None:
    started = told("session", "start", "--session", "s2")
    assert "closed as crashed" in started.err
    assert kinds(told) == [("SESSION", len(told.entries()) - 1)]
    assert told.entries()[-1]["type"] == "session_started"
    told("session", "end")
    told("session", "start", "--session", "s3")
    assert [kind for kind, _ in kinds(told)] == ["SESSION", "SESSION"]  # no crash, no save


@pytest.mark.req("O1")
def test_a_context_that_fills_up_is_saved(told: Holdfast) -> None:
    told("seal")
    assert not saves(told).exists()
    done = told("seal", "--pressure", "--json")
    assert (done.code, set(done.json())) == (0, {"sealed", "archive", "kept", "archives"})
    assert [kind for kind, _ in kinds(told)] == ["SESSION"]


@pytest.mark.req("O1")
def test_a_milestone_saves_everything_into_one_file(told: Holdfast) -> None:
    done = told("milestone", "the gate is passed", "--json")
    [file] = saves(told).glob("*.campaign")
    assert (done.code, file.stem) == (0, done.json()["save"])
    assert kinds(told) == [("CAMPAIGN", done.json()["seq"])]
    assert told("boot", file, "--json").json()["seq"] == done.json()["seq"]


def test_a_milestone_without_a_save(told: Holdfast) -> None:
    done = told("milestone", "a small one", "--no-save", "--json")
    assert (done.code, "save" in done.json(), saves(told).exists()) == (0, False, False)
    assert told("milestone", " ").code == 2


@pytest.mark.lesson("L6")
@pytest.mark.parametrize(
    "args", [("scene", "end"), ("session", "end"), ("session", "start"), ("milestone", "x")]
)
def test_a_save_that_fails_is_told_and_fails_nothing(told: Holdfast, args: tuple[str, ...]) -> None:
    saves(told).write_bytes(b"a file where the folder should be")
    before = len(told.entries())
    done = told(*args)
    assert done.code == 0
    assert "No save was made: " in done.err
    assert len(told.entries()) > before


def test_status_names_the_newest_save_and_what_came_since(told: Holdfast) -> None:
    assert "save" not in [line.split()[0] for line in told("status").text.splitlines()]
    save = told("save", "--json").json()
    told("decide", "wait", "--because", "nobody came")
    status = told("status", "--json").json()
    assert status["save"] == {
        "snapshot_id": save["snapshot_id"],
        "save_type": "SCENE",
        "seq": 3,
        "since": 1,
    }
    assert f"{save['snapshot_id']} (scene), up to entry 3, 1 entry since" in told("status").text
    (saves(told) / "notes.txt").write_text("mine")
    assert told("status", "--json").json()["saves_damaged"] == ["notes.txt"]


@pytest.mark.req("O10")
def test_a_campaign_file_is_proved_before_it_gets_its_name(
    told: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(campaigns, "_proved", fail)
    done = told("save", "--campaign", told.home / "x.campaign")
    assert done.code == 2
    assert list(told.home.glob("x.*")) == []
