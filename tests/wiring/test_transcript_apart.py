"""Transcripts that another process reads become the very entries that this one would make."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import msgspec
import pytest

from holdfast.agents.values import AgentName
from holdfast.kernel.entry import Actor
from holdfast.kernel.errors import InvalidInput, NotFound, StorageFailed
from holdfast.kernel.limits import IMPORT_LINE_BYTES_MAX, INLINE_BYTES_MAX, MIB
from holdfast.ledger.importing import Imported, intake
from holdfast.ledger.importing.admitting import admit_found
from holdfast.ledger.redaction import Redactor
from holdfast.wiring import transcript_apart, transcript_files, workers
from holdfast.wiring.transcribing import import_transcripts
from holdfast.wiring.transcript_apart import read_apart
from holdfast.wiring.transcript_frames import Failed, Job, write_job
from holdfast.wiring.transcript_pieces import Work, read_pieces
from tests.agents.sampled import CLAUDE, CODEX, copy_of, opencode_database, project_in

NOW_US = 1_800_000_000_000_000
SECRET = "sk-ant-api03-" + "Zx81" * 20
_started = transcript_apart._started


Started = list[subprocess.Popen[bytes]]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Started:
    """Return the processes that are started, also for what is small."""
    found: list[subprocess.Popen[bytes]] = []

    def start() -> subprocess.Popen[bytes]:
        found.append(_started())
        return found[-1]

    monkeypatch.setattr(transcript_apart, "_started", start)
    monkeypatch.setattr(transcript_apart, "TRANSCRIPT_APART_BYTES_MIN", 0)
    monkeypatch.setattr(workers, "_cores", lambda: 2)
    return found


def claude(folder: Path) -> Path:
    """Return transcripts of Claude Code's, beside lines that are all wrong in another way."""
    copy_of(CLAUDE, folder)
    odd = folder / "odd"
    odd.mkdir()
    lines = [
        prompt("u1", f"use {SECRET} please"),
        prompt("u2", "x" * (INLINE_BYTES_MAX + 1)),
        b"no JSON at all, and " + SECRET.encode(),
        b'{"type":"of-next-week","sessionId":"s","key":"' + SECRET.encode() + b'"}',
        b"\xff\xfe not UTF-8",
        b'{"type":"user","x":' + b"[" * 5_000 + b"]" * 5_000 + b"}",
        tool("t1", {"n": 2**70, "f": 1e300, "é": "key"}),
        tool("t2", nested(80)),
        tool("t3", {"$artifact": "not a reference", "grounds": 1}),
        tool("t4", {str(number): number for number in range(100_000)}),
        prompt("u1", f"use {SECRET} please"),
        b'"' + b"l" * (IMPORT_LINE_BYTES_MAX + 10) + b'"',
        prompt("u3", "the last"),
        b'{"type":"user","torn',
    ]
    (odd / "lines.jsonl").write_bytes(b"\n".join(lines))
    (odd / "empty.jsonl").write_bytes(b"\n")
    (odd / "link.jsonl").symlink_to(odd / "lines.jsonl")
    Path(os.fsdecode(os.fsencode(odd) + b"/\xff\xfe.jsonl")).write_bytes(lines[0] + b"\ntorn")
    return folder


def record(kind: str, uuid: str, content: Any) -> bytes:
    """Return a line of a session."""
    told = {"type": kind, "sessionId": "s", "uuid": uuid, "timestamp": "2026-01-01T00:00:00Z"}
    return msgspec.json.encode({**told, "message": {"role": kind, "content": content}})


def prompt(uuid: str, text: str) -> bytes:
    """Return a line of what a user said."""
    return record("user", uuid, text)


def tool(name: str, given: Any) -> bytes:
    """Return a line of a call."""
    return record(
        "assistant", name, [{"type": "tool_use", "id": name, "name": "Do", "input": given}]
    )


def nested(levels: int) -> Any:
    """Return a value nested so deep."""
    value: Any = "deep"
    for _ in range(levels):
        value = [value]
    return value


def codex(folder: Path) -> Path:
    """Return rollouts of Codex."""
    return copy_of(CODEX, folder)


def opencode(folder: Path) -> Path:
    """Return a database of opencode's, with a row that is no JSON."""
    path = opencode_database(folder / "opencode.db")
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE part SET data = 'torn' WHERE id = (SELECT max(id) FROM part)")
    connection.close()
    return path


def take_in(root: Path, agent: AgentName, source: Path) -> tuple[Imported, list[bytes]]:
    """Import at a fixed time; return the report and the entries as they are stored."""
    with project_in(root) as project:
        project.ledger._clock = lambda: NOW_US
        done = import_transcripts(project, agent, source)
        assert project.ledger.verify().ok
        return done, [stored.body for stored in project.ledger.lines()]


def big(folder: Path) -> Path:
    """Return more than a process may be ahead."""
    folder.mkdir()
    lines = (prompt(f"u{number}", f"{number}: " + "words " * 170) for number in range(12_000))
    (folder / "big.jsonl").write_bytes(b"\n".join(lines))
    assert (folder / "big.jsonl").stat().st_size > 12 * MIB
    return folder


@pytest.fixture
def roots(tmp_path: Path) -> tuple[Path, Path]:
    """Return two projects that have the same ledger, which tells of a pause."""
    with project_in(tmp_path / "here") as project:
        for kind, second in (("recording_paused", 36), ("recording_resumed", 37)):
            at = datetime(2026, 11, 16, 0, 32, second, tzinfo=UTC)
            project.ledger._clock = partial(int, at.timestamp() * 1_000_000)
            project.ledger.append(kind, {})
    shutil.copytree(tmp_path / "here", tmp_path / "apart")
    return tmp_path / "here", tmp_path / "apart"


@pytest.mark.req("X7")
@pytest.mark.parametrize(
    ("agent", "made"), [("claude-code", claude), ("codex", codex), ("opencode", opencode)]
)
def test_what_is_read_apart_is_recorded_byte_for_byte_the_same(
    tmp_path: Path,
    roots: tuple[Path, Path],
    started: Started,
    monkeypatch: pytest.MonkeyPatch,
    agent: AgentName,
    made: Callable[[Path], Path],
) -> None:
    monkeypatch.setattr(intake, "IMPORT_LINES_BATCH_ENTRIES", 20)
    source = made(tmp_path / "source")
    apart = take_in(roots[1], agent, source)
    assert len(started) == 1
    monkeypatch.setattr(workers, "_cores", lambda: 1)
    assert take_in(roots[0], agent, source) == apart
    assert len(started) == 1
    assert apart[0].imported > 10
    if agent == "claude-code":
        done, bodies = apart
        assert (done.quarantined, len(done.unread)) == (8, 1)
        assert any("nested deeper" in one.reason for one in done.refused)  # the ledger's own no
        assert done.paused > 0
        assert done.duplicates > 0
        assert not any(SECRET.encode() in body for body in bodies)
    assert take_in(roots[0], agent, source)[1] == apart[1]


def test_again_adds_nothing_and_needs_no_process(
    tmp_path: Path, roots: tuple[Path, Path], started: Started
) -> None:
    source = claude(tmp_path / "source")
    first, entries = take_in(roots[1], "claude-code", source)
    again, same = take_in(roots[1], "claude-code", source)
    assert len(started) == 1
    assert (again.imported, again.quarantined, same) == (0, 0, entries)
    assert again.duplicates == first.imported + first.quarantined + first.duplicates


def test_what_is_new_is_read_apart_and_what_is_known_here(
    tmp_path: Path, roots: tuple[Path, Path], started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = copy_of(CLAUDE, tmp_path / "source")
    jobs: list[Job] = []

    def write(job: Job) -> bytes:
        jobs.append(job)
        return write_job(job)

    monkeypatch.setattr(transcript_apart, "write_job", write)
    files = [one.name for one in transcript_files.sources_in("claude-code", source)[0]]
    monkeypatch.setattr(workers, "_cores", lambda: 1)
    for root in roots:
        take_in(root, "claude-code", source / files[0])
    here = take_in(roots[0], "claude-code", source)
    monkeypatch.setattr(workers, "_cores", lambda: 2)
    apart = take_in(roots[1], "claude-code", source)
    assert apart == here
    done = apart[0]
    assert [[one.name for one in job.work.sources] for job in jobs] == [files[1:]]
    assert min(done.imported, done.duplicates) > 0
    assert len(started) == 1


def test_little_is_read_here_and_so_is_all_where_there_is_one_core(
    tmp_path: Path, roots: tuple[Path, Path], started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = codex(tmp_path / "source")
    monkeypatch.setattr(workers, "_cores", lambda: 1)
    take_in(roots[0], "codex", source)
    monkeypatch.setattr(workers, "_cores", lambda: 2)
    monkeypatch.setattr(transcript_apart, "TRANSCRIPT_APART_BYTES_MIN", MIB)
    take_in(roots[1], "codex", source)
    assert started == []


def test_where_no_process_can_be_started_it_is_read_here(
    tmp_path: Path, roots: tuple[Path, Path], started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise PermissionError

    monkeypatch.setattr(transcript_apart, "_started", refuse)
    assert take_in(roots[0], "codex", codex(tmp_path / "source"))[0].imported > 10


@pytest.mark.req("X7")
def test_a_reader_that_is_killed_loses_nothing(
    tmp_path: Path, roots: tuple[Path, Path], started: Started
) -> None:
    source = big(tmp_path / "source")

    def kill(done: int, total: int) -> None:
        started[0].kill()

    with project_in(roots[1]) as project:
        project.ledger._clock = lambda: NOW_US
        with pytest.raises(StorageFailed) as raised:
            import_transcripts(project, "claude-code", source, progress=kill)
    assert "ended by signal 9" in raised.value.what
    assert raised.value.meaning
    assert raised.value.remedy.startswith("Start it again")
    whole = take_in(roots[0], "claude-code", source)[1]
    assert take_in(roots[1], "claude-code", source)[1] == whole


def test_who_stops_an_import_stops_its_reader(
    tmp_path: Path, roots: tuple[Path, Path], started: Started
) -> None:
    seen: list[tuple[int, int]] = []

    def stop(done: int, total: int) -> None:
        seen.append((done, total))
        if len(seen) == 2:
            raise KeyboardInterrupt

    source = big(tmp_path / "source")
    with project_in(roots[1]) as project, pytest.raises(KeyboardInterrupt):
        import_transcripts(project, "claude-code", source, progress=stop)
    assert 0 < seen[0][0] < seen[1][0] < seen[1][1]
    assert started[0].returncode == -signal.SIGKILL


KILLED = """
import os, signal, sys
from pathlib import Path
from holdfast.wiring import transcript_apart, transcribing, workers
from tests.agents.sampled import project_in
workers._cores = lambda: 2
def kill(done, total):
    if done > 5_000_000:
        os.kill(os.getpid(), signal.SIGKILL)
with project_in(Path(sys.argv[1])) as project:
    project.ledger._clock = lambda: int(sys.argv[3])
    transcribing.import_transcripts(project, "claude-code", Path(sys.argv[2]), progress=kill)
"""


def test_the_reader_ends_with_an_import_that_is_killed_and_nothing_is_lost(
    tmp_path: Path, roots: tuple[Path, Path]
) -> None:
    source = big(tmp_path / "source")
    whole = take_in(roots[0], "claude-code", source)[1]
    command = [sys.executable, "-c", KILLED, str(roots[1]), str(source), str(NOW_US)]
    env = os.environ | {"PYTHONPATH": str(Path(transcript_apart.__file__).parents[3])}
    # Both processes have this pipe: it ends when the last of them does.
    killed = subprocess.run(
        command, env=env, check=False, cwd=Path(__file__).parents[2], stderr=subprocess.PIPE
    )
    assert (killed.returncode, killed.stderr) == (-signal.SIGKILL, b"")
    with project_in(roots[1]) as project:
        assert 2 < project.ledger.head().size < len(whole)
    assert take_in(roots[1], "claude-code", source)[1] == whole


def test_an_error_of_the_reader_is_told_in_full(tmp_path: Path, started: Started) -> None:
    (tmp_path / "opencode.db").write_bytes(b"")
    work = Work("opencode", 0, database=tmp_path / "opencode.db")
    with pytest.raises(InvalidInput) as here:
        list(read_pieces(work, Redactor(b"key")))
    with pytest.raises(InvalidInput) as raised:
        list(read_apart(work, Redactor(b"key")))
    assert len(started) == 1
    assert raised.value.__dict__ == here.value.__dict__
    assert isinstance(Failed("NotFound", "a", "b", "c").error, NotFound)
    assert isinstance(Failed("ValueError", "a", "b", "c").error, StorageFailed)


def test_a_reader_that_fails_says_how_it_ended(
    capfd: pytest.CaptureFixture[str], started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript_apart, "write_job", lambda _: b"no job")
    with pytest.raises(StorageFailed, match="ended with exit code 1"):
        list(read_apart(Work("codex", 0), Redactor(b"key")))
    assert "JSONDecodeError" in capfd.readouterr().err


def test_the_reader_knows_the_secrets_of_this_ledger(tmp_path: Path, started: Started) -> None:
    (tmp_path / "s.jsonl").write_bytes(
        prompt("u", "hush: velvet-underground-91, password = Xk29fjQ8s0LmPq7")
    )
    [source] = transcript_files.sources_in("claude-code", tmp_path)[0]
    work = Work("claude-code", 1, (source,))
    for redactor in (
        Redactor(b"key", secret_names=["hush"]),
        Redactor(b"other", secret_names=["hush"], entropy=False),
        Redactor(b"key"),
    ):
        [piece] = read_apart(work, redactor)
        [_, said] = piece.found
        [plain] = read_pieces(work, redactor)
        [_, ready] = admit_found(plain.found, redactor, Actor("tool", "claude-code"))
        assert said.admitted == ready.admitted
