"""Past sessions of agents come into the ledger, each thing once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from holdfast.agents.registry import agent as agent_named
from holdfast.agents.values import AgentName
from holdfast.kernel.errors import InvalidInput, NotFound
from holdfast.ledger.importing import Imported
from holdfast.ledger.importing.lines import Unread
from holdfast.wiring import transcribing, transcript_files
from holdfast.wiring.project import Project
from holdfast.wiring.transcribing import import_transcripts
from holdfast.wiring.transcript_files import sources_in
from tests.agents.sampled import (
    CLAUDE,
    CODEX,
    FORK,
    MAIN,
    SAMPLES,
    copy_of,
    entries_of,
    opencode_database,
    project_in,
    types_of,
)

TALK = ("prompt_given", "agent_said", "tool_begun", "tool_called", "command_ran")


@pytest.mark.req("X7")
def test_claude_codes_sessions_come_in_with_their_helpers(tmp_path: Path) -> None:
    folder = copy_of(CLAUDE, tmp_path / "projects")
    with project_in(tmp_path / "project") as project:
        done = import_transcripts(project, "claude-code", folder)
        found = types_of(project)
        assert (done.quarantined, done.sessions) == (0, 2)
        assert done.imported == sum(found.values())
        assert {name: found[name] for name in TALK} == {
            "prompt_given": 5, "agent_said": 7, "tool_begun": 8, "tool_called": 8, "command_ran": 3,
        }  # fmt: skip
        assert (found["work_opened"], found["work_closed"], found["context_compacted"]) == (1, 1, 1)
        [closed] = entries_of(project, "work_closed")
        assert closed["outcome"] == "Fine."
        assert project.ledger.verify().ok


@pytest.mark.req("X7")
def test_again_adds_nothing(tmp_path: Path) -> None:
    folder = copy_of(CLAUDE, tmp_path / "projects")
    with project_in(tmp_path / "project") as project:
        first = import_transcripts(project, "claude-code", folder)
        head = project.ledger.head()
        again = import_transcripts(project, "claude-code", folder)
        assert (again.imported, again.duplicates) == (0, first.imported + first.duplicates)
        assert project.ledger.head() == head


@pytest.mark.lesson("N4")
def test_a_folder_that_was_renamed_or_moved_adds_nothing(tmp_path: Path) -> None:
    folder = copy_of(CLAUDE, tmp_path / "projects")
    with project_in(tmp_path / "project") as project:
        import_transcripts(project, "claude-code", folder)
        head = project.ledger.head()
        (folder / "-project").rename(tmp_path / "elsewhere")
        assert import_transcripts(project, "claude-code", tmp_path / "elsewhere").imported == 0
        assert project.ledger.head() == head


def test_a_fork_goes_on_from_its_parent_and_repeats_nothing(tmp_path: Path) -> None:
    folder = copy_of(CLAUDE, tmp_path / "projects")
    with project_in(tmp_path / "project") as project:
        done = import_transcripts(project, "claude-code", folder)
        assert done.duplicates > 0
        started = {
            entry.session_id: project.ledger.data(entry).get("parent")
            for entry in project.ledger.read()
            if entry.type == "session_started"
        }
        assert started == {MAIN: None, FORK: MAIN}


def test_a_fork_whose_parent_is_gone_is_taken_in_whole(tmp_path: Path) -> None:
    folder = copy_of(CLAUDE, tmp_path / "projects")
    (folder / "-project" / f"{MAIN}.jsonl").unlink()
    with project_in(tmp_path / "project") as project:
        done = import_transcripts(project, "claude-code", folder)
        assert done.duplicates == 0
        texts = [data["text"] for data in entries_of(project, "prompt_given")]
        assert texts == ["third thing", "forked thing"]


@pytest.mark.req("X7")
def test_codexs_sessions_come_in(tmp_path: Path) -> None:
    folder = copy_of(CODEX, tmp_path / "sessions")
    with project_in(tmp_path / "project") as project:
        done = import_transcripts(project, "codex", folder)
        again = import_transcripts(project, "codex", folder)
        assert (done.quarantined, done.sessions) == (0, 1)
        assert (again.imported, again.duplicates) == (0, done.imported)
        assert {name: types_of(project)[name] for name in TALK} == {
            "prompt_given": 4, "agent_said": 6, "tool_begun": 4, "tool_called": 4, "command_ran": 2,
        }  # fmt: skip


@pytest.mark.req("X7")
def test_opencodes_sessions_come_in_from_its_database(tmp_path: Path) -> None:
    database = opencode_database(tmp_path / "data" / "opencode.db")
    before = database.read_bytes()
    with project_in(tmp_path / "project") as project:
        done = import_transcripts(project, "opencode", database)
        again = import_transcripts(project, "opencode", database.parent)
        assert (again.imported, again.duplicates) == (0, done.imported)
        texts = [data["text"] for data in entries_of(project, "prompt_given")]
        assert texts == ['"swap the operands"', "again", "after"]
        [ran] = entries_of(project, "command_ran")
        assert (ran["command"], ran["exit_code"], ran["output"]) == (
            "echo hello; exit 3", 3, "hello\n",
        )  # fmt: skip
        [compacted] = entries_of(project, "context_compacted")
        assert (compacted["trigger"], compacted["summary"]) == ("manual", "All done.")
        assert project.ledger.verify().ok
    assert database.read_bytes() == before


@pytest.mark.req("X4", "X7")
@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_what_hooks_recorded_is_not_recorded_again(tmp_path: Path, name: AgentName) -> None:
    module = agent_named(name)
    source = {"claude-code": CLAUDE, "codex": CODEX}[name]
    lines = (SAMPLES / name / "hooks.jsonl").read_bytes().splitlines()
    with project_in(tmp_path / "both") as project, project_in(tmp_path / "alone") as alone:
        for line in lines:
            project.ledger.append_many(module.drafts(module.read(msgspec.json.decode(line), 1)))
        import_transcripts(project, name, copy_of(source, tmp_path / "one"))
        import_transcripts(alone, name, copy_of(source, tmp_path / "two"))
        both, once = types_of(project), types_of(alone)
        assert {kind: both[kind] for kind in TALK} == {kind: once[kind] for kind in TALK}
        assert both["context_compacted"] == once["context_compacted"] == 1


def test_a_session_that_hooks_began_is_not_ended_by_an_import(tmp_path: Path) -> None:
    module = agent_named("claude-code")
    line = (SAMPLES / "claude-code" / "hooks.jsonl").read_bytes().splitlines()[0]
    with project_in(tmp_path / "project") as project:
        project.ledger.append_many(module.drafts(module.read(msgspec.json.decode(line), 1)))
        import_transcripts(project, "claude-code", copy_of(CLAUDE, tmp_path / "projects"))
        ended = [one.session_id for one in project.ledger.read() if one.type == "session_ended"]
        assert ended == [FORK]


def test_torn_and_odd_lines_are_kept_as_they_stand(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b'{"type":"mode","sessionId":"s"}\n\xff\xfe\n[1]\n{"type":"user","mess')
    with project_in(tmp_path / "project") as project:
        done = import_transcripts(project, "claude-code", path)
        assert (done.imported, done.quarantined) == (1, 3)
        assert [refused.line for refused in done.refused] == [2, 3, 4]
        kept = [data["content"] for data in entries_of(project, "line_quarantined")]
        assert kept == ["//4=", "[1]", '{"type":"user","mess']
        assert import_transcripts(project, "claude-code", path).duplicates == 4


def test_of_all_transcripts_those_of_this_project_are_taken(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for number, cwd in enumerate((tmp_path / "project", tmp_path / "project/sub", tmp_path)):
        path = home / f"-{number}" / f"s{number}.jsonl"
        path.parent.mkdir(parents=True)
        record = {"type": "user", "sessionId": f"s{number}", "uuid": "u", "cwd": str(cwd)}
        record |= {"message": {"content": "hello"}}  # type: ignore[dict-item]
        path.write_bytes(msgspec.json.encode(record) + b"\n")
    with project_in(tmp_path / "project") as project:
        assert import_transcripts(project, "claude-code", home=home).sessions == 2
        done = import_transcripts(project, "claude-code", home=home, everything=True)
        assert done.sessions == 3


def test_no_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text('{"type":"user"}\n')
    folder = tmp_path / "projects"
    folder.mkdir()
    (folder / "s.jsonl").symlink_to(tmp_path / "secret")
    with project_in(tmp_path / "project") as project:
        done = import_transcripts(project, "claude-code", folder)
        assert (done.imported, [one.reason for one in done.unread]) == (0, ["it is a link"])


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with project_in(tmp_path / "project") as project:
        for agent in ("claude-code", "codex", "opencode"):
            with pytest.raises(NotFound):
                import_transcripts(project, agent, home=tmp_path / "nowhere")
        (tmp_path / "opencode.db").write_bytes(b"not a database at all, only words in a file")
        with pytest.raises(InvalidInput, match="no database of opencode's"):
            import_transcripts(project, "opencode", tmp_path / "opencode.db")


@pytest.mark.lesson("N12")
def test_secrets_in_a_transcript_are_found_nowhere(tmp_path: Path) -> None:
    secret = "sk-ant-api03-" + "Zx81" * 20
    path = tmp_path / "s.jsonl"
    record = {"type": "user", "sessionId": "s", "uuid": "u"}
    record |= {"message": {"content": f"use {secret} please"}}  # type: ignore[dict-item]
    odd = {"type": "of-next-week", "sessionId": "s", "key": secret}
    path.write_bytes(b"\n".join(map(msgspec.json.encode, (record, odd))) + b"\n" + secret.encode())
    with project_in(tmp_path / "project") as project:
        assert import_transcripts(project, "claude-code", path).quarantined == 1
    for file in (tmp_path / "project").rglob("*"):
        assert not file.is_file() or secret.encode() not in file.read_bytes()


KILLED = """
import os, signal, sys
from pathlib import Path
from holdfast.ledger.ledger import Ledger
from holdfast.ledger.importing import intake
from holdfast.wiring import transcribing
from tests.agents.sampled import project_in
intake.IMPORT_LINES_BATCH_ENTRIES = 20
left = int(sys.argv[3])
whole = Ledger._write
def write(self, *given, **more):
    global left
    done = whole(self, *given, **more)
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return done
Ledger._write = write
with project_in(Path(sys.argv[1])) as project:
    transcribing.import_transcripts(project, "claude-code", Path(sys.argv[2]))
"""


@pytest.mark.parametrize("batches", [1, 4])
def test_an_import_that_was_killed_goes_on_where_it_was(tmp_path: Path, batches: int) -> None:
    folder = copy_of(CLAUDE, tmp_path / "projects")
    with project_in(tmp_path / "whole") as project:
        whole = _ids(project, import_transcripts(project, "claude-code", folder))
    command = [sys.executable, "-c", KILLED, str(tmp_path / "cut"), str(folder), str(batches)]
    env = os.environ | {"PYTHONPATH": str(Path(transcribing.__file__).parents[3])}
    killed = subprocess.run(command, env=env, check=False, cwd=Path(__file__).parents[2])
    assert killed.returncode == -signal.SIGKILL
    with project_in(tmp_path / "cut") as project:
        assert 0 < project.ledger.head().size < len(whole)
        done = import_transcripts(project, "claude-code", folder)
        assert _ids(project, done) == whole
        assert project.ledger.verify().ok


def _ids(project: Project, done: Imported) -> list[str]:
    assert done.quarantined == 0
    return [entry.id for entry in project.ledger.read()]


def test_a_line_nested_too_deep_is_kept_aside_and_the_rest_taken_in(tmp_path: Path) -> None:
    deep = '{"type":"user","x":' + "[" * 5_000 + "]" * 5_000 + "}"
    good = (
        '{"type":"user","sessionId":"s","uuid":"u","timestamp":"2026-01-01T00:00:00Z",'
        '"message":{"role":"user","content":"hello there"}}'
    )
    file = tmp_path / "deep.jsonl"
    file.write_text(f"{deep}\n{good}\n")
    with project_in(tmp_path / "project") as project:
        done = import_transcripts(project, "claude-code", file)
        assert done.quarantined == 1
        assert types_of(project)["prompt_given"] == 1


def test_what_cannot_be_looked_at_is_named_also_when_only_this_projects_are_taken(
    tmp_path: Path,
) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    home.mkdir()
    other.mkdir()
    (home / "folder").symlink_to(other)
    (home / "file.jsonl").symlink_to(other / "nothing")
    os.mkfifo(home / "pipe.jsonl")
    with project_in(tmp_path / "project") as project:
        unread = import_transcripts(project, "claude-code", home=home).unread
    assert {one.source: one.reason for one in unread} == {
        "folder": "it is a link",
        "file.jsonl": "it is a link",
        "pipe.jsonl": "it is not a file",
    }


def test_a_folder_that_cannot_be_listed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home/closed").mkdir(parents=True)
    listing = os.scandir

    def refused(place: str) -> Any:
        if str(place).endswith("closed"):
            raise PermissionError(13, "Permission denied", place)
        return listing(place)

    monkeypatch.setattr(os, "scandir", refused)
    _, unread = sources_in("claude-code", tmp_path / "home")
    assert unread == [Unread("closed", "it cannot be listed: Permission denied")]


def test_transcripts_beyond_the_bound_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript_files, "TRANSCRIPT_FILES_MAX", 2)
    for number in range(5):
        (tmp_path / f"{number}.jsonl").write_bytes(b"")
    found, unread = sources_in("claude-code", tmp_path)
    assert len(found) == 2
    assert unread == [Unread(".", "3 files beyond the first 2 of it")]
