"""The same bytes, whatever the seed of hashes, the time zone, the language or the Python."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.req("O9", "O11")

ROOT = Path(__file__).parents[2]

OTHERS = ("python3.11", "python3.12", "python3.13", "python3.14")


def booted_bytes(python: str = sys.executable, **environment: str) -> Any:
    path = os.pathsep.join((str(ROOT / "src"), str(ROOT)))
    done = subprocess.run(
        [python, "-P", "-m", "tests.ledger.booted_bytes"],
        capture_output=True,
        check=True,
        timeout=60,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": path, **environment},
    )
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def expected() -> Any:
    from_nothing, from_a_base = booted_bytes(PYTHONHASHSEED="0", TZ="UTC")
    assert from_nothing == from_a_base
    return [from_nothing, from_a_base]


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONHASHSEED": "1"},
        {"PYTHONHASHSEED": "4294967295", "TZ": "Pacific/Kiritimati"},
        {"PYTHONHASHSEED": "77", "TZ": "America/St_Johns", "LC_ALL": "tr_TR.UTF-8"},
        {"PYTHONOPTIMIZE": "2", "PYTHONUTF8": "0", "LC_ALL": "C"},
    ],
    ids=lambda environment: " ".join(f"{key}={value}" for key, value in environment.items()),
)
def test_the_environment_makes_no_difference(environment: dict[str, str], expected: Any) -> None:
    assert booted_bytes(**environment) == expected


def test_another_python_makes_no_difference(
    expected: Any, capsys: pytest.CaptureFixture[str], record_property: Any
) -> None:
    """Every other Python on this machine that has msgspec; which ones these were is said."""
    compared, passed_over = [], []
    for name in OTHERS:
        python = shutil.which(name)
        if python is None or not is_usable(python):
            passed_over.append(name)
            continue
        assert booted_bytes(python, PYTHONHASHSEED="3") == expected
        compared.append(name)
    told = (
        f"same bytes compared with: {', '.join(compared) or 'no other Python'}; "
        f"not here or without msgspec: {', '.join(passed_over) or 'none'}"
    )
    record_property("other_pythons", told)
    with capsys.disabled():
        sys.stderr.write(f"\n{told}\n")


def is_usable(python: str) -> bool:
    probe = "import sys, msgspec; sys.exit(sys.version_info < (3, 11))"
    return subprocess.run([python, "-c", probe], capture_output=True, timeout=60).returncode == 0
