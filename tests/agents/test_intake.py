"""The intake: lines that are whole or set aside, whoever was torn away while writing."""

import fcntl
import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.agents import attaching, intake, looking, short_way
from holdfast.agents.intake import Record
from holdfast.kernel import limits


def fields(record: Record | None) -> object:
    if record is None:
        return None
    return record.agent, record.at_us, record.payload, record.files, record.note


_PATHS = st.text(st.characters(exclude_characters="\0"), min_size=1).map(
    lambda text: os.fsdecode(text.encode("utf-8", "surrogatepass"))
)


@given(st.binary(), st.lists(st.tuples(_PATHS, st.binary())))
def test_a_line_gives_back_what_it_was_made_of(
    content: bytes, files: list[tuple[str, bytes]]
) -> None:
    payload = content.translate(bytes.maketrans(b"\n\r\t", b"   "))
    record = Record("codex", 1_794_787_200_000_000, payload, tuple(files), "pid=7")
    line = intake.spell(record)
    assert line.count(b"\n") == 1
    assert fields(intake.read(line)) == fields(record)


@given(st.data())
def test_a_line_that_is_torn_or_altered_anywhere_is_not_believed(data: st.DataObject) -> None:
    record = Record("codex", 5, b'{"a": 1}', (("a.py", b"x"),))
    line = intake.spell(record)[:-1]
    at = data.draw(st.integers(0, len(line) - 1))
    assert intake.read(line[:at]) is None
    changed = bytes([line[at] ^ data.draw(st.integers(1, 255))])
    altered = intake.read(line[:at] + changed + line[at + 1 :])
    # the checksum may be spelled in capitals, and says the same then
    assert altered is None or fields(altered) == fields(record)


def test_a_torn_line_does_not_touch_the_next_one(tmp_path: Path) -> None:
    folder = str(tmp_path)
    intake.append(folder, Record("codex", 1, b"{}"))
    events = tmp_path / "intake" / "events"
    whole = events.read_bytes()
    events.write_bytes(whole + whole[:20])
    intake.append(folder, Record("codex", 2, b"{}"))
    [taken] = intake.take(folder)
    found = [fields(intake.read(line)) for line in intake.lines(taken)]
    assert [one is None for one in found] == [False, True, False]


def test_writers_who_are_interrupted_by_a_taker_lose_nothing(tmp_path: Path) -> None:
    folder = str(tmp_path)
    intake.append(folder, Record("codex", 0, b"{}"))

    def write(writer: int) -> None:
        for number in range(50):
            intake.append(folder, Record("codex", writer * 1000 + number + 1, b"{}"))

    writers = [threading.Thread(target=write, args=(one,)) for one in range(4)]
    for writer in writers:
        writer.start()
    seen = 0
    while any(writer.is_alive() for writer in writers):
        intake.take(folder)
        seen += 1
    for writer in writers:
        writer.join()
    files = intake.take(folder)
    lines = [intake.read(line) for file in files for line in intake.lines(file)]
    times = [line.at_us for line in lines if line is not None]
    assert seen > 0
    assert sorted(times) == sorted([0, *(w * 1000 + n + 1 for w in range(4) for n in range(50))])


def test_a_write_that_fails_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(tmp_path)
    intake.append(folder, Record("codex", 1, b"{}"))
    before = (tmp_path / "intake" / "events").read_bytes()
    real = os.write

    def write(handle: int, content: bytes) -> int:
        if len(content) < 20:
            raise OSError(28, "No space left on device")
        return real(handle, content[: len(content) - 10])

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(OSError, match="No space left"):
        intake.append(folder, Record("codex", 2, b"{}"))
    assert (tmp_path / "intake" / "events").read_bytes() == before


def test_what_waits_is_a_question_about_names_alone(tmp_path: Path) -> None:
    assert not intake.waits(str(tmp_path))
    intake.append(str(tmp_path), Record("codex", 1, b"{}"))
    assert intake.waits(str(tmp_path))
    intake.take(str(tmp_path))
    assert intake.waits(str(tmp_path))


def test_a_writer_that_stands_still_holds_up_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(tmp_path)
    intake.append(folder, Record("codex", 1, b"{}"))
    monkeypatch.setattr(intake, "LOCK_WAIT_S", 0)
    with (tmp_path / "intake" / "events").open("rb") as stands:
        fcntl.flock(stands, fcntl.LOCK_EX)
        intake.append(folder, Record("codex", 2, b"{}"))
        [alone] = intake.take(folder)
        assert [fields(intake.read(line)) for line in intake.lines(alone)] == [
            ("codex", 2, b"{}", (), "-")
        ]
    assert len(intake.take(folder)) == 2


def test_only_one_takes_in_at_a_time(tmp_path: Path) -> None:
    with intake.Turn(str(tmp_path), 0) as mine, intake.Turn(str(tmp_path), 0) as theirs:
        assert (mine, theirs) == (True, False)
    with intake.Turn(str(tmp_path), 0) as mine:
        assert mine


def test_problems_and_timings_stay_short_and_keep_the_newest(tmp_path: Path) -> None:
    folder = str(tmp_path)
    intake.make(folder)
    for number in range(300):
        intake.note_problem(folder, f"{number}\n" + "x" * 490, number)
    lines = intake.read_lines(folder, intake.PROBLEMS)
    assert (tmp_path / "intake" / "problems").stat().st_size <= intake.PROBLEMS_BYTES_MAX
    assert lines[-1].startswith("299 299 x")
    assert all(line.split()[0].isdigit() for line in lines)


def test_the_short_way_has_the_bounds_of_the_kernel() -> None:
    assert short_way.PAYLOAD_BYTES_MAX == limits.HOOK_PAYLOAD_BYTES_MAX
    assert short_way.RAW_BYTES_MAX == limits.HOOK_RAW_BYTES_MAX
    assert attaching.FILES_MAX == limits.HOOK_FILES_MAX
    assert intake.INTAKE_BYTES_MAX == limits.INTAKE_BYTES_MAX
    assert intake.PROBLEMS_BYTES_MAX == limits.INTAKE_PROBLEMS_BYTES_MAX
    assert intake.TIMINGS_BYTES_MAX == limits.INTAKE_TIMINGS_BYTES_MAX
    assert looking.DEPTH_MAX <= limits.JSON_DEPTH_MAX


def test_a_copy_that_somebody_left_beside_it_holds_up_nothing(tmp_path: Path) -> None:
    folder = str(tmp_path)
    intake.append(folder, Record("codex", 1, b"{}"))
    (tmp_path / intake.FOLDER / f"{intake.TAKEN}000000001~").write_bytes(b"")
    [taken] = intake.take(folder)
    assert taken.endswith(f"{intake.TAKEN}000000001")
    Path(taken).unlink()
    assert not intake.waits(folder)
