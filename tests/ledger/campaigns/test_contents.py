"""What the entries of a campaign name."""

from typing import Any

from holdfast.kernel import entry as entries
from holdfast.ledger.campaigns.contents import Contents, digest_of_artifacts
from holdfast.storage.port import Reader, Selection
from holdfast.testing.builders import data_for, open_memory_ledger
from tests.ledger.campaigns.material import LARGE, erase, filled, hash_of


def manifest_of(reader: Reader, size: int) -> dict[str, Any]:
    contents = Contents(reader.artifact)
    for stored in reader.read(Selection(stop=size)):
        contents.take(entries.read(stored.body), stored.body)
    return contents.manifest()


def test_an_empty_ledger_has_nothing() -> None:
    assert manifest_of(open_memory_ledger().reader, 0) == {
        "entries": 0,
        "artifacts": 0,
        "artifacts_digest": hash_of(""),
        "sessions": 0,
    }


def test_artifacts_in_artifacts_and_every_session_count() -> None:
    ledger = filled()
    counted = manifest_of(ledger.reader, 15)
    inner = hash_of("b" * 40_000)
    assert ledger.artifact(inner) is not None
    assert all(inner.encode() not in stored.body for stored in ledger.lines())
    assert (counted["entries"], counted["artifacts"], counted["sessions"]) == (15, 3, 2)


def test_only_the_first_entries_count() -> None:
    counted = manifest_of(filled().reader, 12)
    assert (counted["entries"], counted["artifacts"], counted["sessions"]) == (12, 0, 1)


def test_what_is_named_twice_counts_once() -> None:
    ledger = filled()
    before = manifest_of(ledger.reader, 15)
    ledger.append("command_ran", data_for("command_ran", 2, output=LARGE))
    assert manifest_of(ledger.reader, 16) == {**before, "entries": 16}


def test_an_erased_artifact_is_still_named() -> None:
    ledger = filled()
    before = manifest_of(ledger.reader, 15)
    erase(ledger, hash_of(LARGE))
    assert manifest_of(ledger.reader, 15) == before


def test_the_digest_is_that_of_sorted_lines() -> None:
    names = [bytes([n]) * 32 for n in (3, 1, 2)]
    lines = "".join(f"{name.hex()}\n" for name in sorted(names))
    assert digest_of_artifacts(names) == hash_of(lines)
