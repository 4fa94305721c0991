"""Hook processes as agents start them: what ended is durable, and nothing holds an agent up."""

import fcntl
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from holdfast.agents import intake
from holdfast.wiring.hook_command import hook_command
from tests.agents.hooks import SECRET, Project

HEAVY = ("re", "json", "typing", "pathlib", "msgspec", "apsw", "hashlib", "subprocess", "enum")


@pytest.mark.req("X4")
@pytest.mark.lesson("N5")
def test_an_event_that_asks_for_nothing_is_durable_and_answered_with_nothing(
    project: Project,
) -> None:
    project.start()
    done = project.hook(project.read_call("t1"))
    assert (done.code, done.out, done.err) == (0, "", "")
    assert project.waiting() == 1
    assert [data["call"] for _, data in project.entries("tool_called")] == ["t1"]
    assert project.waiting() == 0


def test_events_are_recorded_in_the_order_they_came(project: Project) -> None:
    project.start()
    for number in range(5):
        project.hook(project.read_call(f"t{number}"))
    project.hook(project.told("Stop", last_assistant_message="All read."))
    told = [data.get("call", data.get("text")) for _, data in project.entries()[1:]]
    assert told == ["t0", "t1", "t2", "t3", "t4", "All read."]


@pytest.mark.lesson("N5")
def test_the_short_way_loads_nothing_that_takes_time(project: Project) -> None:
    project.start()
    command = hook_command("claude-code")
    code = (
        f"import sys; sys.path.insert(0, {str(Path(command[2]).parents[1])!r})\n"
        "from holdfast import hook_entry\n"
        "code = hook_entry.main(['claude-code'])\n"
        f"print(code, [name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run(
        [command[0], "-IS", "-c", code],
        input=json.dumps(project.read_call("t1")).encode(),
        capture_output=True,
        cwd=project.root,
        env=project.env,
        check=True,
    )
    assert done.stdout == b"0 []\n"
    assert project.waiting() == 1


def test_a_closer_look_for_secrets_does_not_load_the_ledger_either(project: Project) -> None:
    project.start()
    project.hook(project.read_call("t1", f"token = '{SECRET}'"))
    assert project.waiting() == 1
    assert " long " not in (project.intake / "timings").read_text().splitlines()[-1]


@pytest.mark.lesson("N12")
@pytest.mark.req("X4")
def test_a_secret_in_a_payload_is_found_nowhere_on_disk(project: Project) -> None:
    project.start()
    for payload in (
        project.read_call("t1", f"GITHUB = {SECRET}\n"),
        project.told("UserPromptSubmit", prompt=f"Use {SECRET}, please."),
        f"no json, but {SECRET}".encode(),
        project.told(SECRET),
        project.read_call("t2") | {"session_id": SECRET, "tool_name": SECRET},
        project.told("Stop", last_assistant_message=f"I used {SECRET}."),
    ):
        project.hook(payload)
        assert project.holds(SECRET) == []
    assert project.types().count("prompt_given") == 1
    assert project.holds(SECRET) == []


@pytest.mark.lesson("N12")
def test_a_secret_is_found_nowhere_while_the_ledger_cannot_be_written(project: Project) -> None:
    project.start()
    with (project.folder / "ledger.lock").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = project.hook(project.told("Stop", last_assistant_message=f"Now {SECRET}."))
        assert (done.code, done.out) == (0, "")
        assert "is kept, to be recorded later" in done.err
        assert project.holds(SECRET) == []
    [(_, data)] = project.entries("agent_said")
    assert data["text"].startswith("Now [REDACTED:github-token:")
    assert project.holds(SECRET) == []


@pytest.mark.lesson("N12")
def test_a_written_file_that_holds_a_secret_is_kept_nowhere(project: Project) -> None:
    project.start()
    file = project.root / "settings.py"
    file.write_text(f"TOKEN = '{SECRET}'\n")
    project.hook(_wrote(project, file, "TOKEN = read()"))
    project.types()
    assert project.holds(SECRET) == [file]


@pytest.mark.lesson("N12")
@pytest.mark.parametrize("name", [".env", ".env.local", "conf/id_rsa", "server.key", ".netrc"])
def test_a_file_that_is_there_for_secrets_is_kept_nowhere(project: Project, name: str) -> None:
    project.start()
    file = project.root / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("OPENSESAME=plain-words-only\n")
    project.hook(_wrote(project, file, "…"))
    shell: dict[str, Any] = {
        "tool_name": "Bash",
        "tool_input": {"command": "true"},
        "tool_use_id": "b1",
    }
    project.hook(project.told("PostToolUse", **shell))
    [(_, data)] = project.entries("file_change")
    assert (data["path"], data["content"]["withheld"]) == (name, "secret")
    assert project.holds("plain-words-only") == [file]


@pytest.mark.parametrize("name", [".env.example", "environment.py", "keys.py", "a.keys"])
def test_a_file_with_a_name_like_that_is_kept(project: Project, name: str) -> None:
    project.start()
    file = project.root / name
    file.write_text("x = 1\n")
    project.hook(_wrote(project, file, "x = 1\n"))
    [(_, data)] = project.entries("file_change")
    assert "withheld" not in data["content"]


def test_a_written_file_is_kept_as_it_was_right_after(project: Project) -> None:
    project.start()
    file = project.root / "a.py"
    for state in ("first = 1\n", "second = 2\n"):
        file.write_text(state)
        project.hook(_wrote(project, file, state, call=state.split()[0]))
    file.write_text("third = 3\n")
    hashes = [data["hash_after"] for _, data in project.entries("file_change")]
    with project.open() as ledger:
        assert [ledger.artifact(one) for one in hashes] == [b"first = 1\n", b"second = 2\n"]


def test_a_file_outside_the_root_or_behind_a_link_is_not_read(
    project: Project, tmp_path: Path
) -> None:
    project.start()
    outside = tmp_path / "outside.txt"
    outside.write_text("not theirs to read")
    (project.root / "link.txt").symlink_to(outside)
    (project.root / "folder").symlink_to(tmp_path)
    os.mkfifo(project.root / "pipe")
    for path in (outside, project.root / "link.txt", "folder/outside.txt", "../outside.txt"):
        project.hook(_wrote(project, path, "", call=str(path)))
    project.hook(_wrote(project, project.root / "pipe", "", call="pipe"))
    assert project.waiting() == 5
    [taken] = intake.take(str(project.folder))
    records = [intake.read(line) for line in intake.lines(taken)]
    assert [record and record.files for record in records] == [()] * 5


@pytest.mark.req("X4")
def test_a_payload_that_lies_about_its_folder_reaches_no_other_ledger(
    project: Project, tmp_path: Path
) -> None:
    other = Project(tmp_path / "other", tmp_path)
    project.start()
    done = project.hook(project.read_call("t1") | {"cwd": str(other.root)})
    assert (done.code, done.err) == (0, "")
    assert other.waiting() == 0
    assert project.waiting() == 1


def test_outside_any_project_nothing_happens(project: Project, tmp_path: Path) -> None:
    done = project.hook(project.read_call("t1") | {"cwd": str(tmp_path)}, cwd=tmp_path)
    assert (done.code, done.out, done.err) == (0, "", "")
    assert project.waiting() == 0


def test_a_linked_ledger_folder_is_not_followed(project: Project, tmp_path: Path) -> None:
    project.start()
    trap = tmp_path / "trap"
    trap.mkdir()
    (trap / ".holdfast").symlink_to(project.folder)
    done = project.hook(project.read_call("t1") | {"cwd": str(trap)}, cwd=trap)
    assert done.code == 0
    assert project.waiting() == 0


def test_a_link_in_the_place_of_the_intake_is_not_followed(
    project: Project, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    project.intake.symlink_to(elsewhere)
    done = project.hook(project.read_call("t1"))
    assert done.code == 0
    assert "a link stands in the place of a folder" in done.err
    assert list(elsewhere.iterdir()) == []


def test_a_full_disk_is_told_and_holds_nothing_up(project: Project) -> None:
    project.start()
    project.hook(project.read_call("t1"))
    before = (project.intake / "events").read_bytes()

    def fill() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 100, len(before) + 100))

    done = project.hook(project.read_call("t2"), before=fill)
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("holdfast: this event was not recorded: ")
    assert done.err.count("\n") == 1
    assert (project.intake / "events").read_bytes() == before
    assert [data["call"] for _, data in project.entries("tool_called")] == ["t1"]


def test_a_damaged_ledger_is_told_and_the_event_kept(project: Project) -> None:
    project.start()
    files = [project.folder / f"ledger.db{end}" for end in ("", "-wal", "-shm")]
    whole = {file: file.read_bytes() for file in files if file.exists()}
    for file in whole:
        file.unlink()
    files[0].write_bytes(b"no database at all" * 400)
    done = project.hook(project.told("Stop", last_assistant_message="Kept."))
    assert (done.code, done.out) == (0, "")
    assert "is kept, to be recorded later" in done.err
    assert "Traceback" not in done.err
    for file in files:
        file.unlink(missing_ok=True)
    for file, content in whole.items():
        file.write_bytes(content)
    assert [data["text"] for _, data in project.entries("agent_said")] == ["Kept."]


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"null",
        b"[1, 2]",
        b'"text"',
        b"{",
        b"\xff\xfe\x00",
        b"[" * 200_000,
        b'{"hook_event_name": 7}',
        b'{"hook_event_name": ""}',
        b'{"hook_event_name": "PostToolUse", "tool_input": [[[]]], "session_id": {"a": 1}}',
        b'{"hook_event_name": "Stop", "session_id": "a\\u0000b\\n", "cwd": "\\u0000"}',
        b'{"hook_event_name": "PostToolUse", "tool_name": "Write",'
        b' "tool_input": {"file_path": "\\ud800"}}',
        b'{"hook_event_name": "PostToolUse", "tool_name": "Write", "cwd": "/x\\u0000",'
        b' "tool_input": {"file_path": "a"}}',
        b'{"hook_event_name": "PostToolUse", "tool_name": "mcp__x__y", "tool_response": '
        + b"[" * 100
        + b"]" * 100
        + b"}",
        b'{"hook_event_name": "New", "n": ' + b"9" * 400 + b', "x": NaN, "x": -0.0}',
        b'{"hook_event_name": "' + b"E" * 100_000 + b'"}',
        b'{"hook_event_name": "UserPromptSubmit", "prompt": "\\ud83d", "session_id": "s"}',
    ],
)
def test_no_payload_brings_a_traceback_or_gets_lost(project: Project, payload: bytes) -> None:
    project.start()
    done = project.hook(payload)
    assert (done.code, done.out) == (0, "")
    assert "Traceback" not in done.err
    assert done.err.count("\n") <= 1
    with project.open() as ledger:
        assert ledger.head().size >= 2
        assert list(ledger.verify().faults) == []


def test_a_payload_that_is_too_long_is_cut_and_says_so(project: Project) -> None:
    project.start()
    done = project.hook(b'{"hook_event_name": "Stop", "x": "' + b"y" * (17 * 1024 * 1024))
    assert done.code == 0
    [(_, data)] = project.entries("line_quarantined")
    assert "its first 65,536 bytes are kept" in data["reason"]
    assert len(data["content"]) == 65_536


@pytest.mark.parametrize("words", [["nobody"], [], ["claude-code", "--site"]])
def test_a_command_that_makes_no_sense_holds_nothing_up(project: Project, words: list[str]) -> None:
    command = [*hook_command("claude-code")[:3], *words]
    done = subprocess.run(
        command, input=b"{}", cwd=project.root, env=project.env, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"Traceback" not in done.stderr


def test_private_mode_records_nothing(project: Project) -> None:
    project.start()
    before = len(project.types())
    done = project.hook(project.read_call("t1"), env={"HOLDFAST_PRIVATE": "1"})
    assert (done.code, done.err, project.waiting()) == (0, "", 0)
    assert len(project.types()) == before


def test_a_pause_counts_what_it_leaves_out(project: Project) -> None:
    from holdfast.agents import pausing

    project.start()
    (project.folder / pausing.PAUSED).write_text("session s1\n")
    project.hook(project.read_call("t1"))
    project.hook(project.read_call("t2") | {"session_id": "s2"})
    assert project.waiting() == 1
    assert pausing.counted(str(project.folder), "session s1") == 1


def test_a_linked_worktree_records_in_the_main_ones_ledger(
    project: Project, tmp_path: Path
) -> None:
    git = ["git", "-c", "user.name=n", "-c", "user.email=e@example.org"]
    run = {"cwd": project.root, "check": True, "capture_output": True}
    subprocess.run([*git, "init", "-q"], **run)  # type: ignore[call-overload]
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], **run)  # type: ignore[call-overload]
    tree = tmp_path / "tree"
    subprocess.run([*git, "worktree", "add", "-q", str(tree)], **run)  # type: ignore[call-overload]
    project.start()
    project.hook(project.read_call("t1") | {"cwd": str(tree)}, cwd=tree)
    assert project.waiting() == 1
    # a folder that only says so is not believed
    fake = tmp_path / "fake"
    fake.mkdir()
    (fake / ".git").write_bytes((tree / ".git").read_bytes())
    project.hook(project.read_call("t2") | {"cwd": str(fake)}, cwd=fake)
    assert project.waiting() == 1


def test_settings_that_change_are_heeded_at_once(project: Project) -> None:
    project.start()
    (project.folder / "config.toml").write_text('[redaction]\nsecret_names = ["hush"]\n')
    project.hook(project.read_call("t1", "hush: abcdefgh-1234\n"))
    assert project.holds("abcdefgh-1234") == []
    project.hook(project.read_call("t2", "hush: abcdefgh-1234\n"))
    assert project.waiting() == 2
    assert project.holds("abcdefgh-1234") == []


@pytest.mark.req("X4")
def test_holdfast_hook_does_the_same(project: Project) -> None:
    project.start()
    done = subprocess.run(
        [sys.executable, "-m", "holdfast", "hook", "claude-code"],
        input=json.dumps(project.read_call("t1")).encode(),
        cwd=project.root,
        env=project.env,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert project.waiting() == 1


def _wrote(project: Project, path: Path | str, content: str, call: str = "w1") -> dict[str, object]:
    return project.told(
        "PostToolUse",
        tool_name="Write",
        tool_use_id=call,
        tool_input={"file_path": str(path), "content": content},
        tool_response={"type": "create", "filePath": str(path)},
    )
