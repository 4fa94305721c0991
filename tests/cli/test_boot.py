"""`holdfast boot`: twelve steps, what it answers, and what it refuses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from holdfast import stores
from tests.cli.harness import Holdfast, forge
from tests.cli.test_save import listed, saves

STORES = [store.name for store in stores.STORES]


@pytest.fixture
def told(holdfast: Holdfast) -> Holdfast:
    """A project with a story and two saves."""
    holdfast("session", "start", "--session", "s1")
    holdfast("fact", "add", "place", "--text", "the gate is shut")
    holdfast("scene", "start", "gate", "--mode", "talk", "--campaign", "the coast")
    holdfast("save")
    holdfast("decide", "knock", "--because", "it is polite")
    holdfast("pending", "open", "roll", "Roll for the lock.", "--id", "lock")
    holdfast("save", "--session")
    return holdfast


def wipe(holdfast: Holdfast) -> None:
    """Take away everything that is derived."""
    folder = holdfast.folder / ".holdfast"
    for file in folder.glob("views.db*"):
        file.unlink()
    for file in (folder / "state").glob("*.json*"):
        file.unlink()


def failed(done: Any, step: int) -> Any:
    answer = done.json()
    assert (done.code, answer["ok"], answer["step"]) == (1, False, step), done.err
    assert isinstance(answer["expected"], str)
    assert isinstance(answer["found"], str)
    assert answer["expected"] != answer["found"]
    assert f"Step {step} expected" in done.err
    return answer


@pytest.mark.req("O3", "O9")
def test_everything_derived_is_wiped_and_comes_back_byte_for_byte(told: Holdfast) -> None:
    save = told("save", "--json").json()
    dumps = {name: told("at", "5", name, "--json").out for name in STORES}
    wipe(told)
    done = told.process("boot", save["snapshot_id"], "--json")
    assert done.code == 0
    assert done.json() == {"ok": True, "step": 12, "digests": save["store_digests"], "seq": 5}
    assert list(done.json()["digests"]) == STORES
    assert {name: told("at", "5", name, "--json").out for name in STORES} == dumps


@pytest.mark.req("O3")
def test_the_steps_are_told_in_their_order(told: Holdfast) -> None:
    lines = told("boot").text.splitlines()
    assert [int(line.split()[0]) for line in lines[:12]] == list(range(1, 13))
    assert lines[-1] == "ok: what was true after entry 5 is here again, byte for byte."


@pytest.mark.req("O8")
def test_a_boot_changes_nothing(told: Holdfast) -> None:
    before = told("log", "--json").out, sorted(saves(told).iterdir())
    for args in ((), ("--resume",), ("--from", listed(told)[1]["snapshot_id"])):
        assert told("boot", *args).code == 0
    assert (told("log", "--json").out, sorted(saves(told).iterdir())) == before


@pytest.mark.req("O9")
@pytest.mark.lesson("O2")
def test_a_boot_from_a_base_ends_at_the_same_digests(told: Holdfast) -> None:
    newest, base = (one["snapshot_id"] for one in listed(told))
    whole = told("boot", newest, "--json").json()
    assert told("boot", newest, "--from", base, "--json").json() == whole
    wipe(told)
    assert told("boot", newest, "--from", base, "--json").json() == whole
    assert told("boot", "--from", newest, "--json").json() == whole
    steps = told("boot", newest, "--from", base).text
    assert "as of entry 3" in steps


def test_a_base_that_is_later_than_the_save_is_refused(told: Holdfast) -> None:
    newest, base = (one["snapshot_id"] for one in listed(told))
    failed(told("boot", base, "--from", newest, "--json"), 3)


@pytest.mark.parametrize("form", ["id", "prefix", "hash", "file", "name"])
def test_a_save_is_named_by_its_id_its_beginning_or_a_file(told: Holdfast, form: str) -> None:
    save = told("save", "--json")
    file = told.folder / "here.save"
    file.write_bytes(save.out)
    key = {
        "id": save.json()["snapshot_id"],
        "prefix": save.json()["snapshot_id"][:9],
        "hash": save.json()["bytes_hash"],
        "file": str(file),
        "name": "here.save",
    }[form]
    assert told("boot", key, "--json").json()["seq"] == 5


@pytest.mark.parametrize("key", ["feed", "nope", "", "../x", "0" * 200, "no/such.file"])
def test_a_save_that_is_not_there_is_a_no(told: Holdfast, key: str) -> None:
    for args in ((key,), ("--from", key)):
        done = told("boot", *args, "--json")
        assert done.code == 1, done.err
        assert done.json()["error"]["kind"] == "NotFound"


def test_an_ambiguous_beginning_names_the_candidates(told: Holdfast) -> None:
    files = sorted(saves(told).iterdir())
    for file in files:
        shutil.copy(file, file.with_name("ab" + file.name[2:]))
    done = told("boot", "ab")
    assert done.code == 2
    assert "2 saves begin with 'ab'" in done.err


def test_without_a_save_it_says_how_to_make_one(holdfast: Holdfast) -> None:
    done = holdfast("boot")
    assert done.code == 1
    assert "`holdfast save` makes one" in done.err
    assert holdfast("boot", "--list").code == 0


@pytest.mark.lesson("O5")
def test_a_save_that_was_changed_fails_the_first_step(told: Holdfast) -> None:
    line = told("save", "--json").out
    file = told.folder / "here.save"
    for old, new in ((b'"SCENE"', b'"SESSION"'), (b'"v":1', b'"v": 1'), (b"{", b"[")):
        file.write_bytes(line.replace(old, new, 1))
        failed(told("boot", file, "--json"), 1)
    file.write_bytes(b"")
    failed(told("boot", file, "--json"), 1)


def test_a_save_of_a_newer_format_is_an_error_and_no_failure(told: Holdfast) -> None:
    file = told.folder / "here.save"
    file.write_bytes(told("save", "--json").out.replace(b'"v":1', b'"v":2'))
    done = told("boot", file, "--json")
    assert done.code == 2
    assert done.json()["error"]["kind"] == "NewerFormat"


@pytest.mark.req("O3")
def test_an_altered_entry_fails_step_four(told: Holdfast) -> None:
    forge(told, 4, "polite", "POLITE")
    answer = failed(told("boot", "--json"), 4)
    assert answer["error"]["kind"] == "BootFailed"
    assert "ledger is not affected" not in answer["error"]["meaning"]


@pytest.mark.req("O3")
def test_a_database_that_cannot_be_opened_as_it_was_is_a_no(told: Holdfast) -> None:
    told.sql("DROP TRIGGER runs_no_update")
    answer = failed(told("boot", "--json"), 3)
    assert "schema" in answer["found"]


def test_a_save_of_another_ledger_is_refused(told: Holdfast, tmp_path: Path) -> None:
    other = Holdfast(tmp_path / "other", told.home)
    other.folder.mkdir()
    other("init")
    for n in range(9):
        other.record("decision", n)
    file = told.folder / "others.save"
    file.write_bytes(other("save", "--json").out)
    failed(told("boot", file, "--json"), 3)


@pytest.mark.req("O9")
@pytest.mark.lesson("O1")
def test_a_changed_pin_fails_until_it_is_revised(
    told: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    from holdfast.views import pins

    real = pins.environment_pins
    changed = lambda: {**real(), "tokens": "holdfast-3"}  # noqa: E731
    monkeypatch.setattr("holdfast.wiring.booting.environment_pins", changed)
    monkeypatch.setattr("holdfast.views.pins.environment_pins", changed)
    answer = failed(told("boot", "--json"), 2)
    assert (answer["expected"], answer["found"]) == ("holdfast-2", "holdfast-3")
    assert "tokens" in answer["error"]["what"]
    revised = told("pin", "revise", "tokens", "--reason", "another counter", "--json")
    assert (revised.json()["before"], revised.json()["after"]) == ("holdfast-2", "holdfast-3")
    assert told("boot", "--json").json()["ok"] is True


def test_a_list_names_what_is_damaged(told: Holdfast) -> None:
    good = listed(told)
    (saves(told) / "feedfeedfeedfeed.json").write_bytes(b"{")
    done = told("boot", "--list", "--json")
    *rows, damaged = map(json.loads, done.out.splitlines())
    assert (done.code, rows, damaged["damaged"]) == (1, good, "feedfeedfeedfeed.json")
    assert "feedfeedfeedfeed.json is no save" in told("boot", "--list").err
    newest = told("boot", "--json")
    assert newest.json()["seq"] == 5
    assert "feedfeedfeedfeed.json is no save" in newest.err


def test_a_list_is_the_newest_first(told: Holdfast) -> None:
    assert [(one["seq"], one["save_type"], one["pending"]) for one in listed(told)] == [
        (5, "SESSION", 1),
        (3, "SCENE", 0),
    ]
    text = told("boot", "--list").text.splitlines()
    assert text[0].endswith("session   up to entry 5  1 pending")


@pytest.mark.req("O7")
def test_resume_brings_back_scene_mode_and_what_is_required(told: Holdfast) -> None:
    before = told("log", "--json").out
    answer = told("boot", "--resume", "--json").json()
    assert (answer["campaign"], answer["scene"], answer["mode"]) == ("the coast", "gate", "talk")
    [waiting] = answer["pending"]
    assert (waiting["pending"], waiting["kind"]) == ("lock", "PENDING_ROLL")
    assert waiting["prompt"] == "Roll for the lock."
    said = told("boot", "--resume").text
    assert "scene     gate" in said
    assert "Still pending: lock (PENDING_ROLL): Roll for the lock." in said
    assert told("log", "--json").out == before
    first = listed(told)[1]["snapshot_id"]
    assert "Nothing is pending." in told("boot", first, "--resume").text


@pytest.mark.req("O7", "O9")
def test_a_consent_that_was_half_given_begins_anew(told: Holdfast) -> None:
    told("pending", "open", "consent", "May it go on?", "--id", "c", "--step", "a", "--step", "b")
    told("pending", "step", "c", "a")
    told("session", "end")
    wipe(told)
    assert told("boot", "--resume", "--json").json()["pending"][1]["steps"] == ["a", "b"]
    told("session", "start", "--session", "s2")
    told("pending", "step", "c", "b")
    refused = told("pending", "resolve", "c", "--outcome", "yes", "--json")
    assert (refused.code, refused.json()["missing"]) == (1, ["a"])
    told("pending", "step", "c", "a")
    assert told("pending", "resolve", "c", "--outcome", "yes").code == 0


@pytest.mark.req("O10")
def test_a_campaign_boots_on_another_machine(told: Holdfast, tmp_path: Path) -> None:
    file = tmp_path / "all.campaign"
    save = told("save", "--campaign", file, "--json").json()
    away = Holdfast(tmp_path / "elsewhere", tmp_path / "another-home")
    for folder in (away.folder, away.home):
        folder.mkdir()
    shutil.rmtree(told.folder)
    looked = away.process("boot", file, "--json")
    assert looked.json() == {"ok": True, "step": 12, "digests": save["store_digests"], "seq": 5}
    assert list(away.folder.iterdir()) == []
    done = away.process("boot", file, "--into", "new", "--json")
    assert done.code == 0, done.err
    assert done.json()["digests"] == save["store_digests"]
    assert done.json()["entries"] == 7
    new = Holdfast(away.folder / "new", away.home)
    digests = {
        name: one["digest"] for name, one in new("at", "5", "--json").json()["stores"].items()
    }
    assert digests == save["store_digests"]
    assert new("verify").code == 0
    assert new.entries()[-1]["type"] == "ledger_continued"
    assert done.json()["ledger"] == new("status", "--json").json()["ledger"] != save["ledger"]
    assert new("pending", "resolve", "lock", "--outcome", "17").code == 0


def test_a_campaign_goes_into_no_folder_that_has_a_ledger(told: Holdfast) -> None:
    file = told.home / "all.campaign"
    told("save", "--campaign", file)
    before = told("log", "--json").out
    done = told("boot", file, "--into", told.folder)
    assert done.code == 2
    assert "has a ledger already" in done.err
    assert told("log", "--json").out == before


@pytest.mark.req("O10")
@pytest.mark.parametrize("harm", ["truncated", "flipped", "first byte", "empty"])
def test_a_campaign_file_that_was_harmed_is_a_no(told: Holdfast, harm: str) -> None:
    file = told.home / "all.campaign"
    told("save", "--campaign", file)
    content = bytearray(file.read_bytes())
    match harm:
        case "truncated":
            del content[-100:]
        case "flipped":
            content[len(content) // 2] ^= 1
        case "first byte":
            content[0] ^= 1
        case _:
            content.clear()
    file.write_bytes(content)
    for args in ((), ("--into", told.home / "new")):
        done = told("boot", file, *args, "--json")
        assert (done.code, done.json()["ok"]) == (1, False), done.err
    assert not (told.home / "new").exists()


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--into", "new"), "--into needs a campaign FILE"),
        (("FILE", "--from", "x"), "without --from"),
    ],
)
def test_options_that_do_not_go_together(told: Holdfast, args: tuple[str, ...], said: str) -> None:
    file = told.home / "all.campaign"
    told("save", "--campaign", file)
    done = told("boot", *(str(file) if arg == "FILE" else arg for arg in args))
    assert done.code == 2
    assert said in done.err


def test_archived_entries_boot_too(told: Holdfast) -> None:
    for n in range(30):
        told.record("decision", n)
    whole = told("save", "--json").json()
    told("seal", "--keep", "0")
    wipe(told)
    done = told("boot", whole["snapshot_id"], "--json").json()
    assert done["digests"] == whole["store_digests"]
    for archive in (told.folder / ".holdfast/state/archives").iterdir():
        archive.unlink()
    assert failed(told("boot", whole["snapshot_id"], "--json"), 3)
