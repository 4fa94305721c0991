"""`make clients`: what cannot be had is named with its reason and fails; all others are run."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "tools" / "clients.sh"

_MAKES = """mkdir -p "{folder}"; printf '#!/bin/sh\\necho 1\\n' >"{folder}/{name}"
chmod +x "{folder}/{name}"
"""
GOOD = {
    "go": _MAKES.format(folder="$GOBIN", name="bd"),
    "cargo": _MAKES.format(folder="$6/bin", name="ck"),
    "npm": "cd .scratch/clients/npm\n"
    + "".join(
        f'case "$*" in *{package}*) {_MAKES.format(folder="node_modules/.bin", name=name)};; esac\n'
        for package, name in (
            *(("@openai/codex", "codex"), ("@anthropic-ai/claude-code", "claude")),
            *(("opencode-ai", "opencode"), ("@google/gemini-cli", "gemini")),
        )
    ),
    # An environment of this Python has a pip that does nothing; what is tested is told.
    "python": 'case "$*" in "-m venv "*) folder=$3/bin\n'
    + "".join(_MAKES.format(folder="$folder", name=name) for name in ("pip", "python", "aider"))
    + ';; *pytest*) echo "tests: $*";; esac\n',
    "unshare": "exit 1\n",
}


def clients(folder: Path, **programs: str) -> tuple[int, list[str]]:
    """Run the script with these programs in the place of the real ones."""
    tools = folder / "tools"
    tools.mkdir()
    for name, text in (GOOD | programs).items():
        (tools / name).write_text(f"#!/bin/sh\n{text}")
        (tools / name).chmod(0o755)
    done = subprocess.run(
        ["sh", SCRIPT, tools / "python"],
        cwd=folder,
        env={"PATH": f"{tools}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.returncode, (done.stdout + done.stderr).splitlines()


def missing(lines: list[str]) -> list[str]:
    return [line for line in lines if "NOT run" in line]


def chosen(lines: list[str]) -> set[str]:
    """Return the files of tests that were run."""
    words = " ".join(line for line in lines if line.startswith("tests: ")).split()
    return {Path(word).stem for word in words if word.startswith("tests/clients/")}


def test_with_all_of_them_every_test_is_run_and_it_exits_0(tmp_path: Path) -> None:
    code, lines = clients(tmp_path)
    assert (code, missing(lines)) == (0, [])
    there = {path.stem for path in (SCRIPT.parents[1] / "tests/clients").glob("test_*.py")}
    assert chosen(lines) == there


@pytest.mark.parametrize(
    ("package", "name", "file"),
    [
        ("@anthropic-ai/claude-code", "claude", "test_claude_recovery"),
        ("@openai/codex", "codex", "test_codex_recovery"),
        ("opencode-ai", "opencode", "test_opencode_recovery"),
        ("@google/gemini-cli", "gemini", "test_gemini_hooks"),
    ],
)
def test_a_client_that_cannot_be_installed_is_named_and_fails_only_there(
    tmp_path: Path, package: str, name: str, file: str
) -> None:
    why = "npm error 404 Not Found - no such package"
    refuses = f'case "$*" in *{package}*) echo "npm error code E404"; echo "{why}"; exit 1;; esac\n'
    code, lines = clients(tmp_path, npm=refuses + GOOD["npm"])
    told = f"clients: NOT run: {name} could not be had here: {why} (.scratch/clients/{name}.log)"
    assert (code, missing(lines)) == (1, [told])
    others = {"test_claude", "test_codex", "test_opencode_hooks", "test_gemini_hooks", "test_bd"}
    assert others - {f"test_{name}", f"test_{name}_hooks"} <= chosen(lines)
    assert file not in chosen(lines)


def test_programs_that_cannot_be_built_are_named_with_the_reason(tmp_path: Path) -> None:
    denied = "echo 'reading the list: 403 Forbidden'; exit 1\n"
    code, lines = clients(tmp_path, go=denied, cargo="exit 1\n")
    assert code == 1
    assert missing(lines) == [
        "clients: NOT run: bd could not be had here: reading the list: 403 Forbidden "
        "(.scratch/clients/bd.log)",
        "clients: NOT run: ck could not be had here: it said nothing (.scratch/clients/ck.log)",
    ]
    assert {"test_bd", "test_ck"} & chosen(lines) == set()
    assert {"test_aider", "test_claude", "test_models"} <= chosen(lines)


def test_one_that_is_installed_and_does_not_run_is_not_taken_for_good(tmp_path: Path) -> None:
    broken = GOOD["npm"] + (
        'case "$*" in *@openai/codex*) printf "#!/bin/sh\\necho no binary here; exit 3\\n" '
        ">node_modules/.bin/codex;; esac\n"
    )
    code, lines = clients(tmp_path, npm=broken)
    assert code == 1
    assert [line.split(" (")[0] for line in missing(lines)] == [
        "clients: NOT run: codex could not be had here: no binary here"
    ]


def test_failed_tests_are_what_it_exits_with(tmp_path: Path) -> None:
    fails = GOOD["python"].replace('echo "tests: $*"', 'echo "tests: $*"; exit 3')
    code, lines = clients(tmp_path, python=fails)
    assert (code, missing(lines)) == (3, [])
