"""What an entry opens with: its evidence, its difference, the forks it settled; and the saves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from holdfast.config import Settings
from holdfast.kernel.hashing import artifact_hash
from holdfast.ledger.ledger import Draft
from holdfast.ledger.vault import Content
from holdfast.web.values import Asked
from holdfast.wiring.opening import open_ledger
from holdfast.wiring.places import place_of
from holdfast.wiring.webbing import Site


def _run(folder: Path, *words: str) -> None:
    command = [sys.executable, "-m", "holdfast", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr


def _page(folder: Path, name: str, key: str = "", **query: str) -> Any:
    site = Site(place_of(folder), Settings())
    try:
        site.project.views.catch_up(site.reader)
        return site.pages[name](Asked(key, query))
    finally:
        site.close()


def _change(before: bytes | None, after: bytes) -> Draft:
    hash_before = None if before is None else artifact_hash(before)
    data = {
        "path": "a.py",
        "action": "create" if before is None else "modify",
        "size_before": len(before or b""),
        "size_after": len(after),
        "lines_changed": 1,
        "diff_summary": "",
        "hash_after": artifact_hash(after),
        "hash_before": hash_before,
        "content": Content(after),
    }
    return Draft("file_change", data)


def test_a_changed_file_opens_with_its_difference(tmp_path: Path) -> None:
    first, second = b"one = 1\ntwo = 2\n", b"one = 1\ntwo = 3\n"
    with open_ledger(tmp_path) as ledger:
        ledger.append_many([_change(None, first), _change(first, second)])
    assert _page(tmp_path, "entry", "1")["diff"] == "@@ -1,2 +1,2 @@\n one = 1\n-two = 2\n+two = 3"
    assert "+one = 1" in _page(tmp_path, "entry", "0")["diff"]


@pytest.mark.parametrize("after", [b"\0binary\0", b""])
def test_what_is_no_text_has_no_difference(tmp_path: Path, after: bytes) -> None:
    with open_ledger(tmp_path) as ledger:
        ledger.append_many([_change(None, after)])
    assert not _page(tmp_path, "entry", "0")["diff"]


def test_a_decision_opens_with_its_citations_as_they_are_today(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("limit = 100\n")
    _run(tmp_path, "init")
    cited = "`limit = 100` [${PROJECT_ROOT}/a.py:1]"
    _run(tmp_path, "decide", "a bound of 100", "--because", "it fits", "--evidence", cited)
    [citation] = _page(tmp_path, "entry", "0")["citations"]
    assert (citation["path"], citation["line"], citation["state"]) == ("a.py", 1, "exact")
    (tmp_path / "a.py").write_text("# new\nlimit = 100\n")
    [citation] = _page(tmp_path, "decision", "0")["citations"]
    assert (citation["state"], citation["found"]) == ("moved", 2)
    (tmp_path / "a.py").unlink()
    [citation] = _page(tmp_path, "decision", "0")["citations"]
    assert citation["state"] == "gone"


def test_saves_stand_on_the_timeline(tmp_path: Path) -> None:
    _run(tmp_path, "init")
    _run(tmp_path, "session", "start", "--session", "s")
    _run(tmp_path, "save")
    told = _page(tmp_path, "timeline")
    assert [save["seq"] for save in told["saves"]] == [0]
    assert _page(tmp_path, "timeline", **{"from": "0", "to": "0"})["saves"] == []
