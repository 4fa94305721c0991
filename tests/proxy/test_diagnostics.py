"""The five pages: what they show, and that looking changes nothing."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Sequence
from typing import Any

import pytest

from holdfast.kernel.limits import PROXY_RECENT_MAX
from holdfast.proxy import diagnostics
from holdfast.proxy.diagnostics import Diagnostics, Finding, Page, Target
from holdfast.proxy.values import Asked, Prepared
from tests.proxy.shown import Desk


class Queue:
    """Says whether all is settled."""

    def __init__(self, settled: bool = True) -> None:
        self.settled = settled

    def drained(self, timeout_s: float) -> bool:
        return self.settled


@pytest.fixture
def desk() -> Desk:
    return Desk()


def pages(
    desk: Desk,
    *,
    settled: bool = True,
    found: Sequence[Finding] = (),
    targets: Sequence[Target] = (),
    debug: bool = False,
) -> Diagnostics:
    return Diagnostics(
        desk.live,
        desk.recent,
        Queue(settled),
        look=lambda: found,
        targets=lambda: targets,
        debug=debug,
        redact=desk.ledger.redact,
    )


def get(shown: Diagnostics, path: str, **query: str) -> Page:
    return asyncio.run(shown.answer(path, query))


def read(shown: Diagnostics, path: str, **query: str) -> Any:
    page = get(shown, path, **query)
    assert page.status == 200
    return json.loads(page.body)


@pytest.mark.req("T17")
def test_health_says_that_it_runs(desk: Desk) -> None:
    assert read(pages(desk), "/health") == {"status": "ok"}


@pytest.mark.req("T17")
def test_state_lists_what_is_authoritative_and_tombstones_by_name(desk: Desk) -> None:
    desk.show("b.py", f="1")
    desk.show("a.py", g="1", f="1")
    desk.bury("a.py", "g")
    desk.propose("c.py", f="never mind")
    shown = read(pages(desk), "/state")
    assert shown["as_of_seq"] == desk.ledger.head().size - 1
    assert shown["digest"] == desk.ledger.fold().state("state_map").digest()
    assert set(shown) == {"as_of_seq", "digest", "entities"}
    assert [(one["entity"], one["state"]) for one in shown["entities"]] == [
        ("a.py::f", "AUTHORITATIVE"),
        ("a.py::g", "TOMBSTONED"),
        ("b.py::f", "AUTHORITATIVE"),
    ]
    for one in shown["entities"]:
        assert set(one) == {"artifact", "entity", "state", "updated"}
        assert desk.ledger.artifact(one["artifact"]) == b"1"
        assert one["updated"].startswith("2026-11-15T07:00:0")


def test_state_of_nothing_is_empty(desk: Desk) -> None:
    shown = read(pages(desk), "/state")
    assert (shown["as_of_seq"], shown["entities"]) == (-1, [])


def test_what_still_waits_is_said(desk: Desk) -> None:
    waiting = pages(desk, settled=False)
    assert read(waiting, "/state")["unsettled"] is True
    assert read(waiting, "/recent")["unsettled"] is True


@pytest.mark.req("T17")
def test_recent_lists_the_newest_episodes_without_a_word_of_them(desk: Desk) -> None:
    desk.show("a.py", f="1")
    desk.record()
    desk.propose("a.py", f="2")
    desk.record("a.py::f")
    assert read(pages(desk), "/recent") == {
        "episodes": [
            {
                "artifact_states": {"a.py::f": "PROPOSED"},
                "entities": ["a.py::f"],
                "episode_id": "e2",
            },
            {
                "artifact_states": {"a.py::f": "AUTHORITATIVE"},
                "entities": ["a.py::f"],
                "episode_id": "e1",
            },
        ]
    }
    assert len(read(pages(desk), "/recent", n="1")["episodes"]) == 1


@pytest.mark.parametrize("count", ["0", "-1", "x", "", "1e3", str(PROXY_RECENT_MAX + 1), "٣"])
def test_recent_refuses_a_count_that_is_none(desk: Desk, count: str) -> None:
    page = get(pages(desk), "/recent", n=count)
    assert page.status == 400
    assert "from 1 to" in json.loads(page.body)["error"]


@pytest.mark.req("T17")
def test_doctor_reports_every_check_and_whether_all_passed(desk: Desk) -> None:
    fine, bad = Finding("wal", True, "on"), Finding("room", False, "full", "Make room.")
    assert read(pages(desk, found=[fine]), "/doctor") == {
        "checks": [{"detail": "on", "name": "wal", "ok": True, "remedy": ""}],
        "ok": True,
    }
    assert read(pages(desk, found=[fine, bad]), "/doctor")["ok"] is False


@pytest.mark.req("T17")
def test_doctor_connects_to_upstreams_and_sends_nothing(desk: Desk) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        shown = read(pages(desk, targets=[Target("local", "127.0.0.1", port)]), "/doctor")
        assert [(one["name"], one["ok"]) for one in shown["checks"]] == [("upstream local", True)]
        connection, _ = server.accept()
        with connection:
            assert connection.recv(100) == b""
    shown = read(pages(desk, targets=[Target("local", "127.0.0.1", port)]), "/doctor")
    assert [(one["name"], one["ok"]) for one in shown["checks"]] == [("upstream local", False)]


def prepared(body: bytes) -> Prepared:
    return Prepared(Asked("e9", "chat", body), body, "c1", ("a.py::f",), True, "added")


@pytest.mark.req("T17")
def test_the_last_prompt_is_what_went_up_and_only_with_debug(desk: Desk) -> None:
    shown = pages(desk, debug=True)
    assert read(shown, "/debug/last-prompt") == {"prompt": None}
    shown.saw(prepared('{"é":1}'.encode()))
    assert read(shown, "/debug/last-prompt") == {
        "added": "added",
        "dialect": "chat",
        "episode_id": "e9",
        "hydrated": ["a.py::f"],
        "notice": True,
        "prompt": '{"é":1}',
    }
    hidden = pages(desk)
    hidden.saw(prepared(b"{}"))
    assert get(hidden, "/debug/last-prompt").status == 404


def test_secrets_are_not_in_the_last_prompt(desk: Desk) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    shown = pages(desk, debug=True)
    shown.saw(prepared(json.dumps({"content": f"my token is {secret}"}).encode()))
    page = get(shown, "/debug/last-prompt")
    assert secret.encode() not in page.body
    assert b"REDACTED" in page.body


def test_a_prompt_that_is_no_text_is_shown_as_far_as_it_is(desk: Desk) -> None:
    shown = pages(desk, debug=True)
    shown.saw(prepared(b"a\xff"))
    assert read(shown, "/debug/last-prompt")["prompt"] == "a\\xff"


def test_other_paths_are_not_found(desk: Desk) -> None:
    assert get(pages(desk), "/memory").status == 404


@pytest.mark.req("T17", "T18")
def test_looking_changes_nothing_and_gives_the_same_bytes(desk: Desk) -> None:
    desk.show("a.py", f="1")
    desk.record("a.py::f")
    shown = pages(desk, debug=True)
    shown.saw(prepared(b"{}"))
    before = desk.live.dump(), desk.ledger.head()
    first = [get(shown, path) for path in diagnostics.ROUTES]
    second = [get(shown, path) for path in diagnostics.ROUTES]
    assert first == second
    assert (desk.live.dump(), desk.ledger.head()) == before
