"""The docs say what is: their snippets run. (References and links: test_docs_*.py.)"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast
from holdfast.kernel import limits
from holdfast.kernel.types import TYPES
from holdfast.storage.sqlite.connection import APPLICATION_ID, FORMAT

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent


def snippets(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)


def run(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        arguments,
        cwd=folder,
        env={**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )


def run_all(session: str, folder: Path) -> list[subprocess.CompletedProcess[str]]:
    """Run the commands of a console snippet one after the other."""
    return [run(shlex.split(command), folder) for command in commands(session)]


def commands(session: str) -> list[str]:
    """Return the commands typed in a console snippet, continuation lines joined."""
    parts = re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]
    found = []
    for part in parts:
        typed, *lines = part.splitlines()
        while typed.count("'") % 2 or typed.endswith("\\"):
            joint = "" if typed.endswith("\\") else "\n"
            typed = typed.removesuffix("\\") + joint + lines.pop(0)
        found.append(typed)
    return found


def test_the_recovery_guide_runs(tmp_path: Path) -> None:
    """Every command and script of the page, in its order, in one project."""
    going_on, resume, new_chat, decision, session = snippets("docs/guide/recovery.md", "console")
    agent, later, rebuilt = snippets("docs/guide/recovery.md", "python")
    run_all(going_on, tmp_path)
    assert run_all(resume, tmp_path)[-1].stdout.strip() in resume
    started = run_all(new_chat, tmp_path)[-1]
    assert started.stdout + started.stderr in new_chat
    *_, found, shown = run_all(decision, tmp_path)
    assert "swarms" in found.stdout
    assert "a grid" in found.stdout
    assert "the parameters are continuous" in shown.stdout
    assert "whole: 5 entries" in run_all(session, tmp_path)[-1].stdout
    said = run([sys.executable, "-W", "error", "-c", agent], tmp_path).stdout.splitlines()
    assert "Quick Resume: convert the pages 10/20" in said[0]
    assert "next: round in pay()" in said[1]
    answer = run([sys.executable, "-W", "error", "-c", later], tmp_path).stdout
    assert "False only it knows the currency" in answer
    assert "file_change" in answer
    assert "entries, up to" in run([sys.executable, "-W", "error", "-c", rebuilt], tmp_path).stdout
    run(["holdfast", "--ledger", "rebuilt/ledger.db", "log"], tmp_path)


@pytest.mark.req("O1", "O3", "O7", "O10", "X2", "L20")
def test_the_saves_guide_runs_and_shows_what_is_answered(tmp_path: Path) -> None:
    """Every command of the page, in its order, in one project; ids and hashes are others."""
    project = tmp_path / "shop"
    project.mkdir()
    foreign = {name: value for name, value in os.environ.items() if name[:9] != "HOLDFAST_"}
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    env = {**foreign, "PATH": path, "HOME": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    for session in snippets("docs/guide/saves.md", "console"):
        for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
            typed, _, shown = part.partition("\n")
            done = subprocess.run(
                ["sh", "-c", typed],
                cwd=project,
                env=env,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=True,
            )
            if typed != "holdfast init":
                said = done.stdout.replace(f"{project}/", "").replace(f"{tmp_path}/", "")
                assert _without_ids(said) == _without_ids(shown), typed


def _without_ids(text: str) -> str:
    """Put a mark in the place of every id and hash, and of sizes that depend on neither."""
    return re.sub(r"\d+ bytes", "# bytes", re.sub(r"\b[0-9a-f-]{16,}\b", "#", text))


@pytest.mark.req("X4")
def test_the_frameworks_guide_runs(tmp_path: Path) -> None:
    """Every script of the page, each in a project of its own."""
    scripts = snippets("docs/guide/frameworks.md", "python")
    expected = [
        "['ready', 'yes']",
        "[{'role': 'user', 'content': 'What is due?'}]",
        "Ada 3\n['look_up', 'pages']",
    ]
    for number, (script, answer) in enumerate(zip(scripts, expected, strict=True)):
        folder = tmp_path / str(number)
        folder.mkdir()
        said = run([sys.executable, "-W", "error", "-c", script], folder).stdout
        assert said.strip() == answer
    held = run(["holdfast", "log", "--session", "release-7"], tmp_path / "0").stdout
    assert "checkpoint" in held


def test_the_backup_session_runs(tmp_path: Path) -> None:
    session, proof = snippets("docs/guide/backups.md", "console")
    with holdfast.open(tmp_path) as ledger:
        ledger.append("session_ended", {"reason": "one"})
        kept = f"1:{ledger.root()}"
    for command in commands(session):
        run(shlex.split(command), tmp_path)
    [check] = commands(proof)
    run([*shlex.split(check)[:-1], kept], tmp_path)


def test_the_python_guide_runs(tmp_path: Path) -> None:
    script, agent = snippets("docs/guide/python.md", "python")
    (tmp_path / "my-project").mkdir()
    assert "0 flock" in run([sys.executable, "-c", script], tmp_path).stdout
    assert "Quick Resume: No checkpoint yet" in run([sys.executable, "-c", agent], tmp_path).stdout


@pytest.mark.req("X3")
def test_a_ledger_can_be_verified_with_nothing_but_a_standard_library(tmp_path: Path) -> None:
    """The verifier printed in docs/format.md finds the root that holdfast finds."""
    [verifier] = snippets("docs/format.md", "python")
    with holdfast.open(tmp_path) as ledger:
        for number in range(7):
            ledger.append("session_ended", {"reason": f'"data":{number},"hash":"'})
        expected = f"7 entries, root {ledger.root()}"
    assert run([sys.executable, "-IS", "-c", verifier], tmp_path).stdout.strip() == expected


def test_that_verifier_finds_an_altered_entry(tmp_path: Path) -> None:
    [verifier] = snippets("docs/format.md", "python")
    forged = verifier.replace("line in enumerate(lines)", "line in enumerate(altered)").replace(
        "prev, leaves =", "altered = [lines[0].replace(b'one', b'two'), *lines[1:]]\nprev, leaves ="
    )
    with holdfast.open(tmp_path) as ledger:
        ledger.append("session_ended", {"reason": "one"})
        ledger.append("session_ended", {"reason": "three"})
    with pytest.raises(subprocess.CalledProcessError):
        run([sys.executable, "-IS", "-c", forged], tmp_path)


def test_the_format_page_names_every_type_and_table() -> None:
    page = (ROOT / "docs/format.md").read_text()
    tables = re.findall(r"CREATE TABLE (\w+)", _migrations())
    assert [name for name in (*TYPES, *tables) if f"| `{name}` |" not in page] == []
    assert f"0x{APPLICATION_ID:X}" in page
    assert f"now **{FORMAT}**" in page
    assert limits.INLINE_BYTES_MAX == 32 * limits.KIB
    assert "over 32 KiB" in page


def _migrations() -> str:
    folder = ROOT / "src/holdfast/storage/sqlite/migrations"
    return "".join(path.read_text() for path in sorted(folder.glob("*.sql")))
