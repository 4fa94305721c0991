"""The page about losses tells what left a context, and what the agent was given back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw
import pytest

from holdfast.config import Settings
from holdfast.ledger.ledger import Ledger
from holdfast.wiring import web_loss
from holdfast.wiring.opening import open_ledger
from holdfast.wiring.places import place_of
from holdfast.wiring.webbing import Site
from tests.web.serving import web

GIVEN = {
    "agent": "claude-code",
    "event": "SessionStart",
    "source": "compact",
    "text": "The user's own words:\n- #0 Never push to main",
    "tokens": 21,
    "counter": "holdfast-2",
    "about": [0, 2],
    "of_session": "s",
    "left_out": {"files": 4},
}


def emptied(folder: Path, **given: Any) -> tuple[int, int]:
    """Make a ledger with a compaction that was made good; return both entries' numbers."""
    with open_ledger(folder) as ledger:
        return _emptied(ledger, given)


def _emptied(ledger: Ledger, given: dict[str, Any]) -> tuple[int, int]:
    def append(kind: str, data: dict[str, Any]) -> int:
        return ledger.append(kind, data, session_id="s").seq

    append("prompt_given", {"text": "Never push to main"})
    append("command_ran", {"command": "make check", "exit_code": 2})
    decision = {"question": "?", "choice": "Take the front", "reasoning": "", "alternatives": []}
    append("decision", decision)
    told = append("context_given", GIVEN | given)
    data = {"agent": "claude-code", "trigger": "auto", "summary": "We go on."}
    return append("context_compacted", data), told


@pytest.mark.req("X6")
def test_what_came_back_is_told_with_when_and_how_much(tmp_path: Path) -> None:
    seq, told = emptied(tmp_path)
    with web(tmp_path) as site:
        page = site.page(f"loss/{seq}")
        entry = site.page(f"entry/{told}")

    assert page["back"] == {"gone": 3, "whole": 2, "part": 0}
    how = {one["kind"]: (one["brought_back"] or {}).get("how") for one in page["items"]}
    assert how == {"constraint": "kept", "decision": "named", "command": None}
    [given] = page["given"]
    assert (given["seq"], given["source"], given["tokens"], given["items"]) == (
        told,
        "compact",
        21,
        2,
    )
    assert (given["counter"], given["left_out"], given["text"]) == (
        "holdfast-2",
        {"files": 4},
        GIVEN["text"],
    )
    assert "to claude-code (compact), 21 tokens" in str(entry)


def test_where_nothing_was_given_nothing_came_back(tmp_path: Path) -> None:
    seq, _ = emptied(tmp_path, source="startup", of_session="another")
    with web(tmp_path) as site:
        page = site.page(f"loss/{seq}")

    assert (page["given"], page["back"]) == ([], {"gone": 3, "whole": 0, "part": 0})


def test_on_the_timeline_it_has_a_mark_of_its_own(tmp_path: Path) -> None:
    _, told = emptied(tmp_path)
    with web(tmp_path) as site:
        marks = {mark["seq"]: mark["kind"] for mark in site.page("timeline")["marks"]}

    assert marks[told] == "given"


def test_a_summary_that_is_damaged_keeps_no_other_loss_from_being_shown(tmp_path: Path) -> None:
    emptied(tmp_path)
    with open_ledger(tmp_path) as ledger:
        data = {"agent": "claude-code", "trigger": "auto", "summary": "We go on. " * 200_000}
        long = ledger.append("context_compacted", data, session_id="s").seq
    database = apsw.Connection(str(place_of(tmp_path).database))
    with database.blob_open("main", "artifacts", "content", 1, True) as blob:
        blob.write(b"XXXX")
    database.close()
    with web(tmp_path) as site:
        assert [one["told"] for one in site.page("loss")["rows"]] == [False, True]
        page = site.page(f"loss/{long}")
    assert page["summary"] is None
    assert set(page["fates"]) == {"unknown"}


def test_it_is_told_when_older_losses_are_not_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    emptied(tmp_path)
    with open_ledger(tmp_path) as ledger:
        again, _ = _emptied(ledger, {})
    site = Site(place_of(tmp_path), Settings())
    try:
        assert (len(web_loss.listed(site)["rows"]), web_loss.listed(site)["more"]) == (2, False)
        monkeypatch.setattr(web_loss, "WIPES_MAX", 1)
        told = web_loss.listed(site)
    finally:
        site.close()
    assert ([one["seq"] for one in told["rows"]], told["more"]) == ([again], True)
