"""The recorded `bd` beside the models of beads-mcp: who reads the real one can read ours."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from holdfast.testing import beads

pytestmark = pytest.mark.clients

SCRIPT: Final = """
import asyncio, json, sys
from beads_mcp import bd_client
from beads_mcp.models import (
    AddDependencyParams, CloseIssueParams, CreateIssueParams, ListCommentsParams,
    ShowIssueParams, UpdateIssueParams,
)

async def main(bd_path, root):
    client = bd_client.BdCliClient(bd_path=bd_path, beads_dir=f"{root}/.beads", working_dir=root)
    one = await client.create(CreateIssueParams(title="One", id="bd-1", description="d"))
    await client.create(CreateIssueParams(title="Two", issue_type="bug", priority=0))
    await client.add_dependency(AddDependencyParams(issue_id="bd-2", depends_on_id="bd-1"))
    changed = await client.update(UpdateIssueParams(issue_id="bd-1", status="in_progress"))
    shown = await client.show(ShowIssueParams(issue_id="bd-2"))
    await client._run_command("comments", "add", "bd-1", "hi")
    comments = await client.list_comments(ListCommentsParams(issue_id="bd-1"))
    closed = await client.close(CloseIssueParams(issue_id="bd-1", reason="done"))
    left = await client.list_issues()
    print(json.dumps({
        "created": one.id, "status": changed.status, "closed": closed[0].status,
        "linked": [[dep.id, dep.dependency_type] for dep in shown.dependencies],
        "comments": [comment.text for comment in comments], "left": [issue.id for issue in left],
    }))

asyncio.run(main(*sys.argv[1:]))
"""


def test_the_client_of_beads_mcp_reads_the_recorded_bd(programs: Path, tmp_path: Path) -> None:
    beads.begin(tmp_path)
    bd = beads.install(tmp_path / "bin")
    env = {name: value for name, value in os.environ.items() if not name.startswith("BEADS")}
    env["BEADS_PATH"] = str(bd)

    def run(*argv: str) -> Any:
        done = subprocess.run(
            argv, cwd=tmp_path, env=env, capture_output=True, check=False, timeout=120
        )
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout)

    answer = run(str(programs / "beads-models"), "-c", SCRIPT, str(bd), str(tmp_path))
    assert answer == {
        "created": "bd-1",
        "status": "in_progress",
        "closed": "closed",
        "linked": [["bd-1", "blocks"]],
        "comments": ["hi"],
        "left": ["bd-2"],
    }
