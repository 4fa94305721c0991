"""A campaign file is written whole and the same every time, or not at all."""

import os
import tracemalloc
import zipfile
from io import BytesIO
from pathlib import Path

import msgspec
import pytest
import zstandard

from holdfast.kernel.errors import Damaged, InvalidInput
from holdfast.kernel.snapshot import SaveSnapshot, thaw
from holdfast.ledger.campaigns import open_campaign, write_campaign
from holdfast.ledger.exporting import export_lines
from holdfast.storage.port import Stored
from holdfast.testing.builders import data_for, open_memory_ledger
from tests.ledger.campaigns.material import (
    LARGE,
    campaign_of,
    copied,
    erase,
    filled,
    hash_of,
    put,
    save_of,
    taken_apart,
)
from tests.ledger.sealed import Box


@pytest.mark.req("O1")
def test_saving_twice_with_nothing_between_gives_the_same_bytes() -> None:
    ledger = filled()
    first = campaign_of(ledger.reader)
    assert campaign_of(ledger.reader) == first
    ledger.append("decision", data_for("decision", 90))
    assert campaign_of(ledger.reader) != first


def test_the_engine_leaves_no_mark_on_the_file(tmp_path: Path) -> None:
    with Box(tmp_path) as box:
        box.fill(40)
        box.sealer(keep=10).seal()
        box.fill(3)
        assert campaign_of(box.ledger.reader) == campaign_of(copied(box.ledger.reader))


def test_other_tools_can_read_it() -> None:
    ledger = filled()
    with zipfile.ZipFile(BytesIO(campaign_of(ledger.reader))) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == [
            "snapshot.json",
            "entries/00000000.jsonl.zst",
            "artifacts/00000000.pack.zst",
            "compactions.json",
            "pins.json",
            "manifest.json",
        ]
        compressed = archive.read("entries/00000000.jsonl.zst")
    lines = BytesIO()
    export_lines(ledger.reader, lines)
    with zstandard.ZstdDecompressor().stream_reader(compressed, read_across_frames=True) as reader:
        assert reader.read() == lines.getvalue()


def test_pins_and_compactions_are_in_it(tmp_path: Path) -> None:
    with Box(tmp_path) as box:
        filled(box.ledger)
        box.sealer().seal()
        snapshot, compactions = save_of(box.ledger.reader)
        parts = taken_apart(campaign_of(box.ledger.reader))
    pins = msgspec.json.decode(parts["pins.json"])
    assert pins["pins"] == thaw(snapshot.pins_snapshot)
    assert [(one["seq"], one["pin"]) for one in pins["revisions"]] == [(14, "store.facts")]
    made = msgspec.json.decode(parts["compactions.json"])
    assert [one["output"].encode() for one in made["boundary"]] == [
        one.output_bytes for one in compactions
    ]
    [segment] = made["segments"]
    assert (segment["first"], segment["last"]) == (0, 14)
    assert set(segment["sessions"]) == {"café ☕ 会議", "s2"}


def test_an_erased_artifact_is_named_as_erased(tmp_path: Path) -> None:
    ledger = filled()
    erase(ledger, hash_of(LARGE))
    with open_campaign(put(tmp_path / "x", campaign_of(ledger.reader))) as campaign:
        assert campaign.manifest.erased == (hash_of(LARGE),)
        assert campaign.artifact(hash_of(LARGE)) is None
        assert campaign.artifact(hash_of("b" * 40_000)) == b"b" * 40_000


def test_an_artifact_that_came_again_after_it_was_erased_is_there(tmp_path: Path) -> None:
    ledger = filled()
    erase(ledger, hash_of(LARGE))
    ledger.append("command_ran", data_for("command_ran", 2, output=LARGE))
    with open_campaign(put(tmp_path / "x", campaign_of(ledger.reader))) as campaign:
        assert campaign.manifest.erased == ()
        assert campaign.artifact(hash_of(LARGE)) == LARGE.encode()


@pytest.mark.parametrize("noted_before", [False, True])
def test_an_artifact_that_is_gone_without_a_word_fails_the_save(noted_before: bool) -> None:
    ledger = filled()
    if noted_before:
        erase(ledger, hash_of(LARGE))
        ledger.append("command_ran", data_for("command_ran", 2, output=LARGE))
    snapshot, compactions = save_of(ledger.reader)
    ledger._engine._artifacts.pop(hash_of(LARGE))  # type: ignore[attr-defined]
    with pytest.raises(Damaged, match=f"Artifact {hash_of(LARGE)[:12]} is not in the vault"):
        write_campaign(ledger.reader, snapshot, BytesIO(), compactions=compactions)


def test_what_was_erased_after_the_save_was_taken_fails_it() -> None:
    ledger = filled()
    snapshot, compactions = save_of(ledger.reader)
    erase(ledger, hash_of(LARGE))
    with pytest.raises(Damaged, match="is not in the vault"):
        write_campaign(ledger.reader, snapshot, BytesIO(), compactions=compactions)


@pytest.mark.parametrize("harm", ["body", "gone", "leaf"])
def test_a_damaged_entry_fails_the_save(harm: str) -> None:
    ledger = filled()
    snapshot, compactions = save_of(ledger.reader)
    kept = ledger._engine._entries  # type: ignore[attr-defined]
    body = kept[4].body.replace(b"shorter", b"longer.")
    kept[4] = Stored(
        {"gone": 99}.get(harm, 4),
        kept[4].body if harm == "leaf" else body,
        bytes(32) if harm == "leaf" else kept[4].leaf,
    )
    with pytest.raises(Damaged, match="Entry 4 cannot be saved"):
        write_campaign(ledger.reader, snapshot, BytesIO(), compactions=compactions)


def changed(snapshot: SaveSnapshot, **fields: object) -> SaveSnapshot:
    return msgspec.structs.replace(snapshot, **fields)


def test_a_save_that_is_not_of_this_ledger_is_refused() -> None:
    ledger = filled()
    snapshot, compactions = save_of(ledger.reader)
    for wrong, told in (
        (changed(snapshot, save_type="SESSION"), "no campaign save"),
        (changed(snapshot, ledger="f" * 32), "not made of this ledger"),
        (changed(snapshot, tree_size=16), "not made of this ledger"),
    ):
        with pytest.raises(InvalidInput, match=told):
            write_campaign(ledger.reader, wrong, BytesIO(), compactions=compactions)
    with pytest.raises(InvalidInput, match="not the compactions"):
        write_campaign(ledger.reader, snapshot, BytesIO(), compactions=compactions[:-1])
    wrong = changed(snapshot, tree_root="0" * 64)
    with pytest.raises(Damaged, match="not those that the save was made of"):
        write_campaign(ledger.reader, wrong, BytesIO(), compactions=compactions)


@pytest.mark.parametrize(
    "counted",
    [None, {"entries": 14}, {"entries": 15, "artifacts": 4}, {"entries": 15, "sessions": 0}],
)
def test_a_save_that_counts_other_things_is_refused(counted: object) -> None:
    ledger = filled()
    snapshot, compactions = save_of(ledger.reader)
    wrong = changed(snapshot, contents={**snapshot.contents, "manifest": counted})
    with pytest.raises(Damaged, match="counts other things"):
        write_campaign(ledger.reader, wrong, BytesIO(), compactions=compactions)


def test_many_artifacts_take_little_memory(tmp_path: Path) -> None:
    """Ninety-six megabytes of them, and no more than a few packs at a time."""
    with Box(tmp_path) as box:
        for n in range(24):
            text = os.urandom(2 << 20).hex()
            box.ledger.append("command_ran", data_for("command_ran", n, output=text))
        snapshot, compactions = save_of(box.ledger.reader)
        path = tmp_path / "x.campaign"
        tracemalloc.start()
        try:
            with path.open("wb") as out:
                write_campaign(box.ledger.reader, snapshot, out, compactions=compactions)
            with open_campaign(path) as campaign:
                assert campaign.artifacts == 24
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert path.stat().st_size > 48 << 20
    assert peak < 64 << 20


def test_an_artifact_larger_than_a_pack_is_alone(tmp_path: Path) -> None:
    ledger = open_memory_ledger()
    sizes = (50_000, 9 << 20, 60_000, 70_000)
    for n, size in enumerate(sizes):
        ledger.append("command_ran", data_for("command_ran", n, output=str(n) * size))
    with open_campaign(put(tmp_path / "x", campaign_of(ledger.reader))) as campaign:
        assert [row.artifacts for row in campaign.manifest.packs] == [1, 1, 2]
        for n, size in enumerate(sizes):
            assert campaign.artifact(hash_of(str(n) * size)) == str(n).encode() * size


def test_entries_of_more_than_a_frame_go_into_several(tmp_path: Path) -> None:
    ledger = open_memory_ledger()
    for n in range(60):
        ledger.append("agent_said", {"text": str(n % 10) * 32_000})
    lines = [stored.body for stored in ledger.reader.read()]
    with open_campaign(put(tmp_path / "x", campaign_of(ledger.reader))) as campaign:
        frames = campaign.manifest.segments[0].frames
        assert frames is not None
        assert [frame.entries for frame in frames] == [32, 28]
        assert [stored.body for stored in campaign.read()] == lines
