"""What the proxy's doctor says of its machine."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import apsw
import pytest

import holdfast
from holdfast.proxy.desk import DeskState
from holdfast.proxy.diagnostics import Finding
from holdfast.proxy.writing import WriterState
from holdfast.wiring import doctor, proxy_checks
from holdfast.wiring.places import Place
from holdfast.wiring.proxy_checks import ProxyChecks

WELL = WriterState(queued=0, lost=0, problem=None, last_error=None)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    with holdfast.open(tmp_path / "ledger.db") as ledger:
        ledger.append("session_ended", {"reason": "one"})
    return Place(tmp_path / "ledger.db")


def look(place: Place, writer: WriterState = WELL) -> dict[str, Finding]:
    found = ProxyChecks(place, lambda: writer, lambda: DeskState(0, 0, 0))()
    return {one.name: one for one in found}


@pytest.mark.req("T17")
def test_a_sound_ledger_passes_every_check(place: Place) -> None:
    found = look(place)
    assert [name for name, one in found.items() if not one.ok] == []
    assert list(found) == [
        *("SQLite integrity", "WAL mode", "migrations", "disk space"),
        *("Tree-sitter grammars", "ledger", "recorded", "requests"),
    ]
    assert look(place) == found


def test_a_changed_schema_and_another_journal_are_found(place: Place) -> None:
    connection = apsw.Connection(str(place.database))
    connection.execute("DROP TRIGGER " + str(connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'trigger' LIMIT 1").get))  # fmt: skip
    connection.pragma("journal_mode", "DELETE")
    connection.close()
    found = look(place)
    assert not found["SQLite integrity"].ok
    assert not found["WAL mode"].ok
    assert "delete" in found["WAL mode"].detail


def test_a_file_that_is_no_ledger_is_said(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").write_bytes(b"no database" * 1000)
    found = look(Place(tmp_path / "ledger.db"))
    assert not found["SQLite integrity"].ok
    assert "WAL mode" not in found


def test_too_little_room_is_said(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "FREE_BYTES_MIN", 1 << 80)
    assert not look(place)["disk space"].ok


def test_a_grammar_that_is_not_installed_is_named(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = find_spec
    monkeypatch.setattr(
        proxy_checks, "find_spec", lambda name: None if name.endswith("_go") else there(name)
    )
    found = look(place)["Tree-sitter grammars"]
    assert not found.ok
    assert "missing: tree_sitter_go" in found.detail


def test_what_waits_and_what_was_lost_is_said(place: Place) -> None:
    stuck = WriterState(queued=7, lost=2, problem="The disk is full.", last_error="The disk.")
    found = look(place, stuck)
    assert (found["ledger"].ok, found["ledger"].detail) == (False, "The disk is full.")
    assert "7 do now" in found["ledger"].remedy
    assert not found["recorded"].ok
    assert found["recorded"].detail.startswith("2 requests or answers passed by unrecorded")
