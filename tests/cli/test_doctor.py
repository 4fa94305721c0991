"""The doctor: finds what is wrong, names a remedy, changes nothing."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import Any

import pytest

import holdfast as api
from holdfast.config import Seal
from holdfast.ledger.saving import take_save
from holdfast.storage.sqlite.create import create
from holdfast.testing.builders import data_for, draft, open_memory_ledger
from holdfast.views.pins import environment_pins
from holdfast.wiring.doctor import examine
from holdfast.wiring.places import Place, place_of
from holdfast.wiring.status import spell_age
from tests.cli.harness import Holdfast, forge

NAMES = [
    *("python", "platform", "sqlite", "ledger", "file system", "permissions", "writable"),
    *("fingerprint key", "disk space", "write-ahead log", "git", "database", "format"),
    *("newest entries", "last entry", "CTX-STATE-001", "CTX-STATE-002", "CTX-STATE-003"),
    *("CTX-STATE-004", "views on disk", "views database", "saves", "recording", "hooks"),
    "settings",
]


def failed(checks: list[dict[str, Any]]) -> list[str]:
    return [check["name"] for check in checks if not check["ok"]]


def test_a_sound_ledger_passes_every_check(holdfast: Holdfast) -> None:
    holdfast.record()
    done = holdfast.process("doctor", "--json")
    assert [check["name"] for check in done.json()] == NAMES
    assert [sorted(check) for check in done.json()] == [["detail", "name", "ok", "remedy"]] * len(
        NAMES
    )
    assert (failed(done.json()), done.code) == ([], 0)


def test_it_changes_nothing(holdfast: Holdfast) -> None:
    holdfast.record()
    before = holdfast("log", "--json").out
    holdfast("doctor")
    assert holdfast("log", "--json").out == before
    assert holdfast("verify").code == 0


def _spoil_key(holdfast: Holdfast) -> None:
    holdfast.database.with_suffix(".key").write_bytes(b"short")


def _drop_guard(holdfast: Holdfast) -> None:
    holdfast.sql("DROP TRIGGER ids_no_delete")


@pytest.mark.parametrize(
    ("spoil", "name"),
    [
        (lambda h: h.database.parent.chmod(0o755), "permissions"),
        (lambda h: h.database.chmod(0o644), "permissions"),
        (lambda h: (h.database.parent / "state/STATE_LOG.jsonl").chmod(0o644), "permissions"),
        (lambda h: (h.database.parent / "state").chmod(0o755), "permissions"),
        (_spoil_key, "fingerprint key"),
        (lambda h: h.database.with_suffix(".key").unlink(), "fingerprint key"),
        (lambda h: (h.database.parent / ".gitignore").unlink(), "git"),
        (lambda h: (h.database.parent / ".gitignore").write_text("*.log\n"), "git"),
        (_drop_guard, "database"),
        (lambda h: forge(h, 0, "Way 0", "Way 9"), "newest entries"),
        (lambda h: h.settings.write_text("[recrod]\nactor='x'\n"), "settings"),
    ],
)
def test_what_is_wrong_is_named_and_left(holdfast: Holdfast, spoil: Any, name: str) -> None:
    holdfast.record()
    spoil(holdfast)
    first, second = holdfast("doctor", "--json"), holdfast("doctor", "--json")
    assert first.code == 1
    also = ["CTX-STATE-001"] if name == "newest entries" else []
    assert failed(first.json()) == [name, *also]
    assert [check["remedy"] for check in first.json() if not check["ok"]] != [""]
    assert failed(second.json()) == [name, *also]
    assert f"FAIL  {name}" in holdfast("doctor").text


def test_no_ledger_is_a_failed_check_not_an_error(bare: Holdfast) -> None:
    done = bare("doctor", "--json")
    assert done.code == 1
    assert failed(done.json()) == ["ledger"]
    named = bare("--ledger", "x.db", "doctor", "--json")
    assert failed(named.json()) == ["ledger"]
    assert list(bare.folder.iterdir()) == []


def test_a_file_that_is_no_database(holdfast: Holdfast) -> None:
    file = holdfast.home / "x.db"
    file.write_text("a diary " * 1000)
    done = holdfast("--ledger", file, "doctor", "--json")
    assert done.code == 1
    assert "database" in failed(done.json())


def test_a_kept_lock_is_found(holdfast: Holdfast) -> None:
    with holdfast.database.with_suffix(".lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert failed(holdfast("doctor", "--json").json()) == ["writable"]


def test_an_older_format_is_told_and_not_migrated(tmp_path: Path) -> None:
    place = Place(tmp_path / "old.db")
    create(str(place.database), "0" * 32, until=1)
    format_check = {check.name: check for check in examine(place)}["format"]
    again = {check.name: check for check in examine(place)}["format"]
    assert format_check.ok
    assert format_check.detail.startswith("format 1,")
    assert again == format_check


@pytest.mark.lesson("N6")
def test_it_says_when_the_last_entry_came(holdfast: Holdfast) -> None:
    start_us = 1_700_000_000_000_000
    with api.open(holdfast.folder, clock=lambda: start_us) as ledger:
        ledger.append("decision", data_for("decision"))
    three_days_later = start_us + 3 * 86_400_000_000
    checks = examine(place_of(holdfast.folder), clock=lambda: three_days_later)
    said = {check.name: check.detail for check in checks}["last entry"]
    assert said == "entry 0 came 3 days ago"
    assert "days ago, 2023-11-14T22:13:20.000000Z" in holdfast("status").text


@pytest.mark.lesson("N6")
def test_a_ledger_without_entries_says_so(holdfast: Holdfast) -> None:
    said = {check["name"]: check["detail"] for check in holdfast("doctor", "--json").json()}
    assert said["last entry"] == "nothing was recorded yet"
    assert "nothing was recorded yet" in holdfast("status").text


# The hooks of the state protocol, and the views


def details(holdfast: Holdfast) -> dict[str, str]:
    return {check["name"]: check["detail"] for check in holdfast("doctor", "--json").json()}


def sealed(holdfast: Holdfast) -> Path:
    """Seal some entries and return the archive."""
    for n in range(6):
        holdfast.record("decision", n, "--session", "s1")
    assert holdfast("seal", "--keep", "2").code == 0
    [archive] = place_of(holdfast.folder).archives.glob("*.jsonl.zst")
    return archive


@pytest.mark.req("P9")
def test_there_is_a_check_for_each_hook(holdfast: Holdfast) -> None:
    sealed(holdfast)
    holdfast("checkpoint", "--task", "t", "--next", "n", "--session", "s1")
    said = details(holdfast)
    assert said["CTX-STATE-001"] == "append: 8 entries, the last one reads back"
    assert "checkpoint: the newest, entry 7, came" in said["CTX-STATE-002"]
    assert said["CTX-STATE-003"] == "compression: 4 active entries, sealed above 1,000"
    assert said["CTX-STATE-004"].startswith("restore: all 1 archives are there with the right size")
    assert "hashes were not compared" in said["CTX-STATE-004"]
    assert said["views on disk"] == "current, as of entry 7"
    assert holdfast("doctor").code == 0


@pytest.mark.req("P9")
def test_hooks_that_have_nothing_to_look_at_say_so(holdfast: Holdfast) -> None:
    said = details(holdfast)
    assert said["CTX-STATE-001"] == "append: nothing was recorded yet"
    assert said["CTX-STATE-002"].startswith("checkpoint: there is none yet")
    assert said["CTX-STATE-004"] == "restore: there are no archives yet"
    assert holdfast("doctor").code == 0


@pytest.mark.req("P9")
@pytest.mark.parametrize("calls", [9, 10])
def test_calls_without_a_checkpoint_are_found(holdfast: Holdfast, calls: int) -> None:
    with api.open(holdfast.folder) as ledger:
        for _ in range(calls):
            ledger.append("tool_called", {"tool": "shell", "ok": True}, session_id="s1")
    checks = holdfast("doctor", "--json").json()
    assert failed(checks) == ([] if calls < 10 else ["CTX-STATE-002"])
    assert f"{calls} tool calls since" in details(holdfast)["CTX-STATE-002"]


@pytest.mark.req("P9")
def test_a_log_that_is_not_sealed_is_found(holdfast: Holdfast) -> None:
    with api.open(holdfast.folder, seal=Seal(auto=False)) as ledger:
        ledger.append_many(draft("metric", n) for n in range(1101))
    assert failed(holdfast("doctor", "--json").json()) == ["CTX-STATE-003"]
    holdfast.settings.write_text("[seal]\nauto = false\n")
    assert failed(holdfast("doctor", "--json").json()) == []


def test_what_a_seal_left_over_is_named(holdfast: Holdfast) -> None:
    archive = sealed(holdfast)
    archive.with_name("archive_20260101_0-5.jsonl.zst.abc.new").write_bytes(b"half")
    assert "archive_20260101_0-5.jsonl.zst.abc.new" in details(holdfast)["CTX-STATE-003"]
    assert holdfast("doctor").code == 0


@pytest.mark.req("P9")
@pytest.mark.parametrize(
    ("harm", "told"),
    [
        (lambda path: path.unlink(), "the file is missing"),
        (lambda path: path.write_bytes(path.read_bytes()[:-1]), "bytes, not"),
    ],
)
def test_an_archive_that_is_not_as_listed_is_found(
    holdfast: Holdfast, harm: Any, told: str
) -> None:
    archive = sealed(holdfast)
    harm(archive)
    assert failed(holdfast("doctor", "--json").json()) == ["CTX-STATE-004"]
    said = details(holdfast)["CTX-STATE-004"]
    assert f"{archive.name} (entries 0 to " in said
    assert told in said


@pytest.mark.lesson("P11")
def test_views_that_are_behind_or_edited_are_told(holdfast: Holdfast) -> None:
    holdfast.record()
    with api.open(holdfast.folder) as ledger:
        ledger.append("decision", data_for("decision"))
    assert "CURRENT_STATE.json is as of entry 0" in details(holdfast)["views on disk"]
    assert holdfast("doctor").code == 0
    path = place_of(holdfast.folder).state / "CURRENT_STATE.json"
    edited = path.read_bytes().replace(b'"entries": 1', b'"entries": 7')
    path.write_bytes(edited)
    assert failed(holdfast("doctor", "--json").json()) == ["views on disk"]
    assert path.read_bytes() == edited


def test_views_that_are_no_database_are_told_and_left(holdfast: Holdfast) -> None:
    holdfast.record()
    views = place_of(holdfast.folder).views
    for path in views.parent.glob("views.db*"):
        path.unlink()
    views.write_bytes(b"no database " * 1000)
    views.chmod(0o600)
    assert failed(holdfast("doctor", "--json").json()) == ["views database"]
    assert views.read_bytes() == b"no database " * 1000
    holdfast.record()
    assert holdfast("doctor").code == 0


@pytest.mark.parametrize(
    ("age_s", "said"),
    [
        (-5, "0 s"),
        (0.4, "0 s"),
        (59, "59 s"),
        (60, "1 minute"),
        (7200, "2 hours"),
        (86_400, "1 day"),
    ],
)
def test_ages_in_their_largest_unit(age_s: float, said: str) -> None:
    assert spell_age(age_s) == said


@pytest.mark.parametrize("harm", ["flipped", "of another ledger"])
def test_a_save_that_is_none_is_named(holdfast: Holdfast, harm: str) -> None:
    holdfast.record("error", 1)
    name = holdfast("save", "--json").json()["snapshot_id"]
    assert failed(holdfast("doctor", "--json").json()) == []
    saves = place_of(holdfast.folder).saves
    if harm == "flipped":
        path = saves / f"{name}.json"
        path.write_bytes(path.read_bytes().replace(b"SCENE", b"SCEME"))
    else:
        with open_memory_ledger() as ledger:
            ledger.append("error", data_for("error"))
            strange = take_save(ledger.reader, ledger.fold(), "SCENE", pins=environment_pins())
        name = strange.snapshot_id
        (saves / f"{name}.json").write_bytes(strange.to_line())
    looked = holdfast("doctor", "--json")
    assert looked.code == 1
    assert failed(looked.json()) == ["saves"]
    assert name in looked.text
