"""The guide says what is: its example runs, and its settings and pages are the real ones."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.config.model import KNOWN
from holdfast.proxy.diagnostics import ROUTES

GUIDE = Path(__file__).parents[2] / "docs/guide/proxy.md"


@pytest.mark.req("T9")
def test_the_example_runs_and_prints_what_is_shown(tmp_path: Path) -> None:
    [example] = re.findall(r"```python\n(import json.*?\n)```\n\nIt prints", _guide(), re.DOTALL)
    [shown] = re.findall(r"```text\n(shop.*?)```", _guide(), re.DOTALL)
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    ran = subprocess.run(
        [sys.executable, "-c", example],
        cwd=tmp_path,
        env={**os.environ, "PATH": path, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == shown


def test_every_page_and_every_setting_is_told() -> None:
    for page in ROUTES:
        assert f"`GET {page}" in _guide()
    settings = [name.removeprefix("proxy.") for name in KNOWN if name.startswith("proxy.")]
    assert [name for name in settings if f"| `{name}` |" not in _guide()] == []


def _guide() -> str:
    return GUIDE.read_text()
