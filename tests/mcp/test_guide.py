"""docs/guide/mcp.md says what is."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from holdfast.kernel.limits import MCP_HITS_DEFAULT, MCP_RESULT_CHARS_MAX
from holdfast.mcp_server.resources import LISTED, TEMPLATES
from holdfast.mcp_server.tools import TOOLS
from tests.mcp.serving import environment

PAGE = (Path(__file__).parents[2] / "docs/guide/mcp.md").read_text()
ID = re.compile(r"\([0-9a-f]{8}-[0-9a-f-]{27}\)")


def snippet(language: str, number: int = 0) -> str:
    found: list[str] = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return found[number]


def test_the_guide_lists_every_tool_and_resource() -> None:
    rows = re.findall(r"^\| `([a-z_]+)` \|", PAGE, re.MULTILINE)
    assert rows == list(TOOLS)
    listed = set(re.findall(r"^\| `(holdfast://[^`]+)` \|", PAGE, re.MULTILINE))
    assert listed == {re.sub(r"\{\?.*", "", one.uri) for one in (*LISTED, *TEMPLATES)}


def test_the_guide_names_the_bounds() -> None:
    assert f"at most {MCP_RESULT_CHARS_MAX:,} characters" in PAGE
    assert f"start={MCP_RESULT_CHARS_MAX}" in PAGE
    assert f"{MCP_HITS_DEFAULT} hits unless more" in PAGE


def test_the_configurations_of_the_guide_can_be_read() -> None:
    entry = {"command": "holdfast", "args": ["mcp"]}
    assert json.loads(snippet("json")) == {"mcpServers": {"holdfast": entry}}
    assert tomllib.loads(snippet("toml")) == {"mcp_servers": {"holdfast": entry}}


def test_the_script_of_the_guide_prints_what_the_guide_says(project: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [sys.executable, "-c", snippet("python")],
        cwd=project,
        env={**environment(project.parent), "PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert ID.sub("(…)", done.stdout) == snippet("text")
