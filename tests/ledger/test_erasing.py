from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from holdfast.index.views import Views
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Busy, InvalidInput, NotFound
from holdfast.ledger import vault
from holdfast.ledger.erased import ErasedArtifacts
from holdfast.ledger.erasing import Eraser, Target, find
from holdfast.storage.archives import artifacts_in
from holdfast.storage.locks import file_lock
from holdfast.storage.port import Selection
from holdfast.testing.builders import data_for
from tests.ledger.sealed import Box, WatchedFiles

SECRET = "plover"
LARGE = f"{SECRET} " * 6000


class Erasing(Box):
    """A ledger with its views."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.views = Views(str(self.place.views))

    def __exit__(self, *error: object) -> None:
        self.views.close()
        super().__exit__(*error)

    def eraser(self, **fields: Any) -> Eraser:
        lock = str(self.place.seal_lock)
        return Eraser(self.ledger, self.archives, self.views, lock_path=lock, **fields)

    def record_large(self, text: str = LARGE) -> int:
        return self.ledger.append("decision", data_for("decision", reasoning=text)).seq

    def data(self, entry: Entry) -> Any:
        """Return an entry's data, with what was erased named as such."""
        reader = self.ledger.reader
        return vault.resolve(entry.value(), reader.artifact, ErasedArtifacts(reader))

    def on_disk(self) -> list[str]:
        """Return the files that hold the word, packs looked into."""
        self.ledger.close()
        self.views.close()
        found = []
        for path in self.place.folder.rglob("*"):
            if path.is_file() and SECRET.encode() in path.read_bytes():
                found.append(path.name)
            if path.name.endswith(".artifacts.zst"):
                held = b"".join(content for _, content in artifacts_in(str(path)))
                found += [path.name] if SECRET.encode() in held else []
        return found


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Erasing]:
    with Erasing(tmp_path) as box:
        yield box


@pytest.mark.parametrize("sealed", [False, True])
def test_the_bytes_are_nowhere_and_the_chain_still_proves(box: Erasing, sealed: bool) -> None:
    seq = box.record_large()
    box.fill(5)
    if sealed:
        box.sealer().seal()
    box.views.catch_up(box.ledger.reader)
    before = box.lines()
    [target] = find(box.ledger.reader, str(seq))
    done = box.eraser().erase(target, "a customer asked")
    assert (done.named_by, done.packs, done.bytes) == ((seq,), int(sealed), len(LARGE))
    assert box.lines()[: len(before)] == before
    note = msgspec.json.decode(box.lines()[done.seq].body)
    assert note["data"] == {
        "sha256": target.sha256,
        "bytes": len(LARGE),
        "reason": "a customer asked",
    }
    assert box.ledger.artifact(target.sha256) is None
    assert box.ledger.verify().ok
    assert box.on_disk() == []


def test_the_word_is_there_before(box: Erasing) -> None:
    """The twin of the test above: what it looks for can be found."""
    box.record_large()
    box.sealer().seal()
    box.views.catch_up(box.ledger.reader)
    assert {"ledger.db", "views.db"} & {name.partition("-")[0] for name in box.on_disk()}


def test_what_was_erased_says_so_where_it_stood(box: Erasing) -> None:
    seq = box.record_large()
    [target] = find(box.ledger.reader, target_key(box, seq))
    box.eraser().erase(target, "asked for")
    [entry] = box.ledger.read(Selection(seq, seq + 1))
    data = box.data(entry)
    assert data["reasoning"] == {
        "$artifact": target.sha256,
        "bytes": len(LARGE),
        "form": "text",
        "erased": True,
    }
    assert data["choice"] == "Way 0"


def target_key(box: Box, seq: int) -> str:
    [target] = find(box.ledger.reader, str(seq))
    return target.sha256


def test_it_is_found_by_hash_by_its_beginning_and_by_entry(box: Erasing) -> None:
    box.fill(3)
    first, second = box.record_large(), box.record_large()
    [target] = find(box.ledger.reader, str(first))
    assert target == Target(target.sha256, len(LARGE), (first, second), erased=False, as_of=5)
    entry_id = box.ledger.get(second)
    for key in (
        target.sha256,
        target.sha256[:8],
        target.sha256.upper(),
        msgspec.json.decode(entry_id.body)["id"],
    ):
        assert find(box.ledger.reader, key) == [target]


def test_parts_of_parts_belong_to_the_entry(box: Erasing) -> None:
    nested = {"inner": [LARGE], "more": {str(n): "y" * 3000 for n in range(20)}}
    box.ledger.append("tool_called", {"tool": "t", "params": nested})
    targets = find(box.ledger.reader, "0")
    assert sorted(target.bytes for target in targets)[0] == len(LARGE)
    assert len(targets) == 2
    inner = min(targets, key=lambda target: target.bytes)
    box.eraser().erase(inner, "asked for")
    [entry] = box.ledger.read(Selection(0, 1))
    assert box.data(entry)["params"]["inner"][0]["erased"] is True
    assert box.ledger.verify().ok


@pytest.mark.parametrize("key", ["0", "99", "f" * 64, "abcdef", "no-such-entry", "é" * 9])
def test_there_must_be_something_to_erase(box: Erasing, key: str) -> None:
    box.fill(1)
    with pytest.raises(NotFound) as refusal:
        find(box.ledger.reader, key)
    assert "Entries themselves never are" in refusal.value.meaning


def test_a_beginning_that_fits_several_is_refused(
    box: Erasing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.ledger.erasing._HASH", re.compile("[0-9a-f]*"))
    for n in range(30):
        box.record_large(f"{n}{LARGE}")
    with pytest.raises(InvalidInput, match=r"\d+ artifacts begin with"):
        find(box.ledger.reader, "")


def test_repeating_finishes_what_was_cut_short(box: Erasing) -> None:
    seq = box.record_large()
    box.sealer().seal()
    [target] = find(box.ledger.reader, str(seq))

    def die(_operation: str, _path: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        box.eraser(files=WatchedFiles(die)).erase(target, "asked for")
    assert box.archives.artifact(target.sha256) is not None, "the packs are not done yet"
    [again] = find(box.ledger.reader, str(seq))
    assert again.erased
    assert box.eraser().erase(again, "asked for").packs == 1
    assert box.archives.artifact(target.sha256) is None
    assert box.eraser().erase(again, "asked for").packs == 0
    assert box.ledger.verify().ok
    assert box.on_disk() == []


def test_the_same_bytes_may_be_recorded_and_erased_again(box: Erasing) -> None:
    for _ in range(2):
        seq = box.record_large()
        [target] = find(box.ledger.reader, str(seq))
        assert box.ledger.artifact(target.sha256) is not None
        box.eraser().erase(target, "asked for")
        assert box.ledger.artifact(target.sha256) is None
        assert box.ledger.verify().ok
    assert box.on_disk() == []


def test_nobody_seals_while_something_is_erased(box: Erasing) -> None:
    seq = box.record_large()
    [target] = find(box.ledger.reader, str(seq))
    with (
        file_lock(str(box.place.seal_lock), wait_s=0),
        pytest.raises(Busy, match="kept the archives"),
    ):
        box.eraser().erase(target, "asked for", wait_s=0)
    assert box.ledger.artifact(target.sha256) is not None


def test_a_draft_that_was_left_holds_nothing_afterwards(box: Erasing) -> None:
    seq = box.record_large()
    box.sealer().seal()
    [pack] = box.place.archives.glob("*.artifacts.zst")
    pack.with_name(f"{pack.name}.0123abcd.new").write_bytes(pack.read_bytes())
    [target] = find(box.ledger.reader, str(seq))
    box.eraser().erase(target, "asked for")
    assert list(box.place.archives.glob("*.new")) == []
