"""The same bytes, whatever the seed of hashes, the time zone, the language or the Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.req("O9", "O11")

ROOT = Path(__file__).parents[2]


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


def test_every_python_gives_the_bytes_that_were_written_down(expected: Any) -> None:
    """The file was written by Python 3.11; who runs this with another one compares the two.

    Where it fails after a change that is meant, a version has to change as well: that of a store,
    of a policy or of the format; then `python -m tests.ledger.booted_bytes` prints the new file.
    """
    written = json.loads((ROOT / "tests/ledger/booted_bytes.json").read_bytes())
    assert expected == written
