"""The doctor: finds what is wrong, names a remedy, changes nothing."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import Any

import pytest

import holdfast as api
from holdfast.storage.sqlite.create import create
from holdfast.testing.builders import data_for
from holdfast.wiring.doctor import examine
from holdfast.wiring.places import Place, place_of
from holdfast.wiring.status import spell_age
from tests.cli.harness import Holdfast, forge

NAMES = [
    *("python", "platform", "sqlite", "ledger", "file system", "permissions", "writable"),
    *("fingerprint key", "disk space", "write-ahead log", "git", "database", "format"),
    *("newest entries", "last entry", "settings"),
]


def failed(checks: list[dict[str, Any]]) -> list[str]:
    return [check["name"] for check in checks if not check["ok"]]


def test_a_sound_ledger_passes_every_check(holdfast: Holdfast) -> None:
    holdfast.record()
    done = holdfast.process("doctor", "--json")
    assert [check["name"] for check in done.json()] == NAMES
    assert [sorted(check) for check in done.json()] == [["detail", "name", "ok", "remedy"]] * 16
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
    assert failed(first.json()) == [name]
    assert [check["remedy"] for check in first.json() if not check["ok"]] != [""]
    assert failed(second.json()) == [name]
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
