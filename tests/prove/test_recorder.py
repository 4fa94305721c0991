"""The recorder: every operation that matters, in order, and the files as they were before."""

from collections import Counter
from pathlib import Path

from holdfast.storage import files
from holdfast.testing.faults.ops import Acknowledge, Create, Rename, Sync, SyncFolder, Write
from holdfast.testing.faults.recorder import Recorder, RecordingFiles, write_files
from holdfast.testing.prove.workloads import WORKLOADS, record


def test_a_file_that_is_replaced_is_synced_before_it_takes_its_name(tmp_path: Path) -> None:
    recorder = Recorder(str(tmp_path))
    recorder.start()
    files.replace(str(tmp_path / "saved"), b"content", RecordingFiles(recorder))
    ops = [step.op for step in recorder.recording().steps]
    draft = ops[0].file if isinstance(ops[0], Create) else ""
    assert ops == [
        Create(draft),
        Write(draft, 0, b"content"),
        Sync(draft),
        Rename(draft, "saved"),
        SyncFolder(""),
    ]
    assert (tmp_path / "saved").read_bytes() == b"content"


def test_an_append_is_synced_before_it_is_acknowledged(tmp_path: Path) -> None:
    scenario = record("single entries", str(tmp_path), 1)
    ops = [step.op for step in scenario.recording.steps]
    for position, op in enumerate(ops):
        if isinstance(op, Acknowledge):
            of_log = [op for op in ops[:position] if getattr(op, "file", "") == "ledger.db-wal"]
            assert of_log[-1] == Sync("ledger.db-wal")
    assert sum(isinstance(op, Acknowledge) for op in ops) == len(scenario.batches)


def test_a_recording_can_be_repeated_byte_for_byte(tmp_path: Path) -> None:
    assert record("checkpoints", str(tmp_path), 7) == record("checkpoints", str(tmp_path), 7)
    assert record("checkpoints", str(tmp_path), 7) != record("checkpoints", str(tmp_path), 8)


def test_the_workloads_reach_the_parts_they_are_for(tmp_path: Path) -> None:
    phases: Counter[str] = Counter()
    for name in WORKLOADS:
        phases.update(step.phase for step in record(name, str(tmp_path), 1).recording.steps)
    wanted = {"append", "batch", "vault", "checkpoint", "creation", "migration", "two writers"}
    assert wanted <= phases.keys()


def test_a_folder_is_made_to_hold_exactly_the_files_of_an_image(tmp_path: Path) -> None:
    write_files(str(tmp_path), {"a": b"1", "deep/b": b"2"})
    write_files(str(tmp_path), {"deep/c": b"3"})
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == [tmp_path / "deep" / "c"]
