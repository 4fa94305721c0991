"""Importing PRISM folders: everything comes in once, and nothing is left out."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import IMPORT_LINE_BYTES_MAX
from holdfast.ledger.importing import import_prism
from holdfast.ledger.ledger import Ledger
from holdfast.testing import data_for, open_memory_ledger

TYPES = ("decision", "file_change", "checkpoint", "error", "metric", "compression")


def prism_entry(n: int, **changes: Any) -> dict[str, Any]:
    """Return an entry as PRISM's own code writes it: 16 hex digits, no time zone."""
    kind = TYPES[n % len(TYPES)]
    data = data_for(kind, n)
    spelled = json.dumps(data, sort_keys=True).encode()
    return {
        "id": f"entry-{n}",
        "timestamp": f"2026-02-01T10:{n % 60:02d}:00.123456",
        "type": kind,
        "session_id": f"SESSION-{n % 3:03d}",
        "data": data,
        "hash": hashlib.sha256(spelled).hexdigest()[:16],
        **changes,
    }


def write(path: Path, *lines: dict[str, Any] | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(
        b"".join(
            (line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n"
            for line in lines
        )
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    write(folder / "archives/archive_20260131.jsonl", *map(prism_entry, range(5)))
    write(folder / "archives/archive_20260201.jsonl", *map(prism_entry, range(5, 9)))
    write(folder / "STATE_LOG.jsonl", *map(prism_entry, range(9, 12)))
    return folder


@pytest.fixture
def ledger() -> Ledger:
    return open_memory_ledger()


def origins(ledger: Ledger) -> list[dict[str, Any]]:
    return [entry.value()["imported"] for entry in ledger.read()]  # type: ignore[misc]


def quarantined(ledger: Ledger) -> list[dict[str, Any]]:
    return [ledger.data(entry) for entry in ledger.read() if entry.type == "line_quarantined"]


def test_all_six_types_come_in_their_original_order(ledger: Ledger, folder: Path) -> None:
    done = import_prism(ledger, folder)
    found: list[Entry] = list(ledger.read())
    assert (done.imported, done.quarantined, done.duplicates, done.sessions) == (12, 0, 0, 3)
    assert [entry.type for entry in found] == [TYPES[n % 6] for n in range(12)]
    assert [entry.session_id for entry in found] == [f"SESSION-{n % 3:03d}" for n in range(12)]
    assert [origin["id"] for origin in origins(ledger)] == [f"entry-{n}" for n in range(12)]
    for n, entry in enumerate(found):
        data = entry.value()
        del data["imported"]
        assert data == data_for(TYPES[n % 6], n)


def test_where_an_entry_comes_from_is_kept(ledger: Ledger, folder: Path) -> None:
    done = import_prism(ledger, folder)
    assert origins(ledger)[6] == {
        "source": "archives/archive_20260201.jsonl",
        "line": 2,
        "id": "entry-6",
        "timestamp": "2026-02-01T10:06:00.123456",
        "assumed_zone": "UTC",
        "hash": prism_entry(6)["hash"],
        "hash_matched": True,
    }
    assert done.assumed_utc == 12


@pytest.mark.parametrize(
    ("said", "matched"),
    [
        ({"hash": "0" * 16}, False),
        ({"hash": ""}, None),
        ({"hash": None}, None),
        ({"hash": "ab"}, False),
    ],
)
def test_a_hash_is_compared_and_never_a_reason_to_refuse(
    ledger: Ledger, tmp_path: Path, said: dict[str, Any], matched: bool | None
) -> None:
    write(tmp_path / "STATE_LOG.jsonl", prism_entry(0, **said))
    done = import_prism(ledger, tmp_path)
    assert (done.imported, done.hashes_differ) == (1, int(matched is False))
    assert origins(ledger)[0]["hash_matched"] is matched


@pytest.mark.parametrize("sort_keys", [True, False])
@pytest.mark.parametrize("separators", [None, (",", ":")])
@pytest.mark.parametrize("length", [16, 64])
def test_hashes_over_every_spelling_match(
    ledger: Ledger, tmp_path: Path, sort_keys: bool, separators: Any, length: int
) -> None:
    data = {"value": 1.0, "threshold": 0.5, "passed": True, "name": "größe", "components": {}}
    spelled = json.dumps(data, sort_keys=sort_keys, separators=separators).encode()
    said = hashlib.sha256(spelled).hexdigest()[:length]
    write(tmp_path / "STATE_LOG.jsonl", prism_entry(0, type="metric", data=data, hash=said))
    import_prism(ledger, tmp_path)
    assert origins(ledger)[0]["hash_matched"] is True


def test_a_time_with_a_zone_is_not_assumed_to_be_anything(ledger: Ledger, tmp_path: Path) -> None:
    write(tmp_path / "STATE_LOG.jsonl", prism_entry(0, timestamp="2026-02-01T10:00:00+02:00"))
    assert import_prism(ledger, tmp_path).assumed_utc == 0
    assert "assumed_zone" not in origins(ledger)[0]


# Again


def test_the_same_folder_again_adds_nothing(ledger: Ledger, folder: Path) -> None:
    write(folder / "STATE_LOG.jsonl", prism_entry(9), b"broken", b"broken", prism_entry(10))
    first = import_prism(ledger, folder)
    size = ledger.head().size
    again = import_prism(ledger, folder)
    assert (first.imported, first.quarantined, first.duplicates) == (11, 2, 0)
    assert (again.imported, again.quarantined, again.duplicates) == (0, 0, 13)
    assert ledger.head().size == size == 13


def test_a_line_that_prism_archived_in_between_comes_once(ledger: Ledger, folder: Path) -> None:
    import_prism(ledger, folder)
    write(folder / "archives/archive_20260202.jsonl", prism_entry(9), prism_entry(10))
    write(folder / "STATE_LOG.jsonl", prism_entry(11), prism_entry(12))
    done = import_prism(ledger, folder)
    assert (done.imported, done.duplicates) == (1, 12)


def test_a_line_in_both_archive_and_log_comes_once(ledger: Ledger, folder: Path) -> None:
    write(folder / "STATE_LOG.jsonl", *map(prism_entry, range(5, 12)))
    done = import_prism(ledger, folder)
    assert (done.imported, done.duplicates) == (12, 4)


def test_two_entries_with_one_id_and_other_content_both_come(
    ledger: Ledger, tmp_path: Path
) -> None:
    write(tmp_path / "STATE_LOG.jsonl", prism_entry(0), prism_entry(6, id="entry-0"))
    assert import_prism(ledger, tmp_path).imported == 2


def test_entries_without_an_id_come_as_often_as_they_stand_there(
    ledger: Ledger, tmp_path: Path
) -> None:
    nameless = prism_entry(0)
    del nameless["id"]
    write(tmp_path / "STATE_LOG.jsonl", nameless, nameless)
    assert import_prism(ledger, tmp_path).imported == 2
    assert import_prism(ledger, tmp_path).imported == 0


def test_more_lines_than_a_batch(ledger: Ledger, tmp_path: Path) -> None:
    lines: list[Any] = [prism_entry(n) for n in range(1200)]
    lines[700] = b"{broken"
    write(tmp_path / "STATE_LOG.jsonl", *lines)
    seen: list[tuple[int, int]] = []
    done = import_prism(ledger, tmp_path, progress=lambda d, t: seen.append((d, t)))
    assert (done.imported, done.quarantined) == (1199, 1)
    assert seen[-1][0] == seen[-1][1]
    assert [entry.type for entry in ledger.read()][700] == "line_quarantined"


# What is no entry


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"id": "x", "type": "deci', "not JSON"),
        (b"[1, 2]", "not a JSON object"),
        (b'{"type":"decision","type":"error","data":{}}', "not JSON that has one meaning"),
        (json.dumps(prism_entry(0, type="thought")).encode(), "none of PRISM's"),
        (json.dumps(prism_entry(0, type="session_ended")).encode(), "none of PRISM's"),
        (json.dumps(prism_entry(0, type=None)).encode(), "missing"),
        (json.dumps(prism_entry(0, data=None)).encode(), "no data"),
        (json.dumps(prism_entry(0, data={"question": "?"})).encode(), "does not fit"),
        (b'{"type":"metric","data":{"value":NaN}}', "not JSON"),
        (b"[" * 100_000, "not JSON"),
    ],
)
@pytest.mark.lesson("P6")
def test_a_line_that_is_no_entry_is_kept_as_it_stands(
    ledger: Ledger, tmp_path: Path, line: bytes, reason: str
) -> None:
    write(tmp_path / "STATE_LOG.jsonl", prism_entry(1), line, prism_entry(2))
    done = import_prism(ledger, tmp_path)
    assert (done.imported, done.quarantined) == (2, 1)
    [kept] = quarantined(ledger)
    assert (kept["source"], kept["line"], kept["encoding"]) == ("STATE_LOG.jsonl", 2, "text")
    assert kept["content"].encode() == line
    assert reason in kept["reason"]
    assert [(one.line, one.seq) for one in done.refused] == [(2, 1)]


def test_bytes_that_are_no_text_are_kept_as_base64(ledger: Ledger, tmp_path: Path) -> None:
    line = json.dumps(prism_entry(0), ensure_ascii=False).encode() + b"\xff\xfe"
    write(tmp_path / "STATE_LOG.jsonl", line)
    import_prism(ledger, tmp_path)
    [kept] = quarantined(ledger)
    assert (kept["encoding"], base64.b64decode(kept["content"])) == ("base64", line)
    assert "is not UTF-8" in kept["reason"]


def test_a_torn_last_line_is_kept(ledger: Ledger, tmp_path: Path) -> None:
    whole = json.dumps(prism_entry(0)).encode()
    (tmp_path / "STATE_LOG.jsonl").write_bytes(whole + b"\r\n\n  \n" + whole[:50])
    done = import_prism(ledger, tmp_path)
    assert (done.imported, done.quarantined) == (1, 1)
    assert quarantined(ledger)[0]["content"].encode() == whole[:50]
    assert quarantined(ledger)[0]["line"] == 4


def test_a_line_that_is_too_long_is_kept_in_parts(ledger: Ledger, tmp_path: Path) -> None:
    line = b"x y " * (IMPORT_LINE_BYTES_MAX // 4) + b"tail"
    write(tmp_path / "STATE_LOG.jsonl", line, prism_entry(1))
    done = import_prism(ledger, tmp_path)
    assert (done.imported, done.quarantined) == (1, 2)
    parts = quarantined(ledger)
    assert "".join(part["content"] for part in parts).encode() == line
    assert [part["line"] for part in parts] == [1, 1]
    assert "part 2" in parts[1]["reason"]
    assert import_prism(ledger, tmp_path).duplicates == 3


def test_odd_values_come_in_like_everywhere(ledger: Ledger, tmp_path: Path) -> None:
    data = data_for("decision", 0, huge=2**70, odd="\ud800")
    write(tmp_path / "STATE_LOG.jsonl", prism_entry(0, data=data, extra="kept too"))
    assert import_prism(ledger, tmp_path).imported == 1
    [entry] = ledger.read()
    back = ledger.data(entry)
    assert (back["huge"], back["odd"]) == (2**70, "\ud800")
    assert back["imported"]["other"] == {"extra": "kept too"}


def test_data_that_was_imported_before_keeps_what_it_said(ledger: Ledger, tmp_path: Path) -> None:
    data = data_for("decision", 0, imported="yesterday")
    write(tmp_path / "STATE_LOG.jsonl", prism_entry(0, data=data))
    import_prism(ledger, tmp_path)
    assert origins(ledger)[0]["imported_before"] == "yesterday"


@pytest.mark.parametrize("given", ["", " s", "a\nb", "x" * 300, 7, ["s"]])
def test_a_session_id_that_cannot_be_used_is_kept_beside(
    ledger: Ledger, tmp_path: Path, given: Any
) -> None:
    write(tmp_path / "STATE_LOG.jsonl", prism_entry(0, session_id=given), prism_entry(6))
    assert import_prism(ledger, tmp_path).sessions == 2
    first = next(iter(ledger.read()))
    assert first.session_id is not None
    assert first.session_id.startswith("prism-")
    assert origins(ledger)[0]["session_id"] == given


# Secrets


@pytest.mark.lesson("N12")
@pytest.mark.parametrize("broken", [b"", b"\xff"])
def test_secrets_do_not_come_in(ledger: Ledger, tmp_path: Path, broken: bytes) -> None:
    secret = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
    data = data_for("decision", 0, reasoning=f"the token is {secret}")
    write(tmp_path / "STATE_LOG.jsonl", json.dumps(prism_entry(0, data=data)).encode() + broken)
    import_prism(ledger, tmp_path)
    [entry] = ledger.read()
    body = json.dumps(ledger.data(entry))
    if broken:
        body += base64.b64decode(entry.value()["content"]).decode("latin-1")  # type: ignore[arg-type]
    else:
        assert entry.value()["imported"]["hash"] is None  # type: ignore[index,call-overload]
    assert secret not in body
    assert "REDACTED" in body
    assert import_prism(ledger, tmp_path).duplicates == 1


# The folder


def test_the_folder_above_is_found(ledger: Ledger, folder: Path) -> None:
    assert import_prism(ledger, folder.parent).imported == 12


def test_a_folder_of_something_else_is_refused(ledger: Ledger, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    for place in (tmp_path, tmp_path / "notes.txt", tmp_path / "missing"):
        with pytest.raises(InvalidInput, match="not a PRISM state folder"):
            import_prism(ledger, place)
    assert ledger.head().size == 0


def test_our_own_views_are_refused(ledger: Ledger, tmp_path: Path) -> None:
    ledger.append("decision", data_for("decision"))
    write(tmp_path / "STATE_LOG.jsonl", *(stored.body for stored in ledger.lines()))
    with pytest.raises(InvalidInput, match="not a PRISM log"):
        import_prism(ledger, tmp_path)


def test_links_and_pipes_are_not_followed(ledger: Ledger, folder: Path, tmp_path: Path) -> None:
    write(tmp_path / "elsewhere.jsonl", prism_entry(40))
    (folder / "archives/link.jsonl").symlink_to(tmp_path / "elsewhere.jsonl")
    os.mkfifo(folder / "archives/pipe.jsonl")
    (folder / "archives/folder.jsonl").mkdir()
    (folder / "archives/notes.txt").write_text("x")
    done = import_prism(ledger, folder)
    assert done.imported == 12
    assert {one.source: one.reason for one in done.unread} == {
        "archives/link.jsonl": "it is a link",
        "archives/pipe.jsonl": "it is not a file",
        "archives/folder.jsonl": "it is not a file",
        "archives/notes.txt": "its name does not end with .jsonl",
    }


def test_a_linked_archive_folder_is_not_followed(ledger: Ledger, tmp_path: Path) -> None:
    write(tmp_path / "elsewhere/a.jsonl", prism_entry(40))
    write(tmp_path / "state/STATE_LOG.jsonl", prism_entry(1))
    (tmp_path / "state/archives").symlink_to(tmp_path / "elsewhere")
    done = import_prism(ledger, tmp_path / "state")
    assert (done.imported, [one.source for one in done.unread]) == (1, ["archives"])
