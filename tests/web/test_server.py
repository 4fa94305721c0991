"""The server of the web page: who may look, what is shown, and that nothing changes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.ledger.ledger import Draft
from holdfast.wiring.opening import open_ledger
from tests.web.projects import keep_elsewhere
from tests.web.seeding import seed
from tests.web.serving import Web, web

PAGES = (
    "now", "gate", "entries", "entries?before=50&limit=5", "entries?after=3&type=decision",
    "entry/0", "entry/40?full=1", "timeline", "timeline?from=10&to=90&buckets=4", "search?q=parser",
    "search", "decisions", "decisions?state=open", "decisions?state=superseded", "forks", "code",
    "loss", "at/10", "at/10?store=sessions", "diff?a=1&b=90", "trust", "metrics",
    "anchors", "boot", "boot?save=SAVE",
)  # fmt: skip


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = seed(tmp_path_factory.mktemp("project"), 400)
    keep_elsewhere(made)
    return made


@pytest.fixture(scope="module")
def site(project: Path) -> Iterator[Web]:
    with web(project) as found:
        yield found


def _digests(folder: Path) -> dict[str, str]:
    """Hash every file of a project but those that are derived from the ledger."""
    derived = ("views.db", "code.db", "ledger.db-shm", "ledger.db-wal")
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(derived)
    }


def _named(site: Web, page: str) -> str:
    return page.replace("SAVE", site.page("trust")["saves"][0]["id"]) if "SAVE" in page else page


def _wait_for_what_is_looked_at_beside(site: Web) -> None:
    """Ask until the gate has looked and the save has booted: both go on behind an answer."""
    while site.page("gate")["looking_s"] is not None or site.page("boot")["trying"] is not None:
        pass
    assert site.page("gate")["state"] == "looked"
    assert [one["state"] for one in site.page("boot")["saves"].values()] == ["works"]


@pytest.mark.req("X6")
def test_no_route_changes_a_byte_of_the_project(project: Path, site: Web) -> None:
    site.page("now")
    before = _digests(project)
    for page in PAGES:
        assert site.ask(f"/api/{_named(site, page)}").status == 200, page
    _wait_for_what_is_looked_at_beside(site)
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"):
        for page in ("/", "/api/now", "/events", "/api/verify", "/app.js"):
            assert site.ask(page, method).status in (400, 405), (method, page)
    assert [name for name, _ in site.events("/api/verify")][-1] == "report"
    assert _digests(project) == before
    assert site.page("now")["entries"] == 400


def test_every_page_that_there_is_is_looked_at_here(site: Web, project: Path) -> None:
    from holdfast.config import Settings
    from holdfast.wiring.places import place_of
    from holdfast.wiring.webbing import Site

    found = Site(place_of(project), Settings())
    try:
        names = set(found.pages)
    finally:
        found.close()
    tested = {page.partition("?")[0].partition("/")[0] for page in PAGES}
    assert names - tested == {"decision", "entity"}, "these need a decision or a definition"


def test_the_link_becomes_a_cookie_and_leaves_the_address(site: Web) -> None:
    answer = site.ask(f"/?token={site.token}", cookie=False)
    assert answer.status == 303
    assert answer.headers["Location"] == "/"
    cookie = answer.headers["Set-Cookie"]
    assert site.token in cookie
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie


@pytest.mark.parametrize("target", ["/", "/api/now", "/events", "/api/verify", "/app.js"])
def test_without_the_token_nothing_is_shown(site: Web, target: str) -> None:
    for cookie in ("", f"holdfast-{site.port}=wrong", f"holdfast-{site.port}="):
        answer = site.ask(target, cookie=False, **({"Cookie": cookie} if cookie else {}))
        assert answer.status == 403
        assert b"entries" not in answer.body
    assert site.ask("/?token=wrong", cookie=False).status == 403


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example", ""],
)
def test_another_host_is_not_answered_for(site: Web, host: str) -> None:
    assert site.ask("/api/now", Host=host).status in (400, 421)


def test_a_page_of_another_site_may_not_look(site: Web) -> None:
    assert site.ask("/api/now", Origin="http://evil.example").status == 403
    assert site.ask("/api/now", Origin="null").status == 403
    assert site.ask("/api/now", Sec_Fetch_Site="cross-site").status == 403
    assert site.ask("/api/now", Origin=f"http://{site.host}").status == 200


def test_every_answer_forbids_scripts_of_others(site: Web) -> None:
    for target in ("/", "/api/now", "/nothing", "/style.css"):
        headers = site.ask(target).headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "target",
    [
        "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/static/../app.py", "/app.py",
        "/.holdfast/ledger.db", "/api/", "/api/nothing", "/api/entry/99999999",
        "/api/now/../../x", "//evil.example/", "/api/at/400",
    ],
)  # fmt: skip
def test_there_is_no_other_path(site: Web, target: str) -> None:
    answer = site.ask(target)
    assert answer.status in (400, 404)
    assert b"root:" not in answer.body


@pytest.mark.parametrize(
    "target",
    [
        "/api/entry/abc", "/api/entry/-1", "/api/entry/1e9", "/api/entries?limit=x",
        "/api/entries?before=-5", "/api/timeline?from=%00", "/api/at/1?store=nothing",
        "/api/entries?before=" + "9" * 400, "/api/search?q=" + "a" * 5000,
    ],
)  # fmt: skip
def test_a_bad_question_is_told_so(site: Web, target: str) -> None:
    answer = site.ask(target)
    assert 400 <= answer.status < 500
    assert answer.json()["error"]["what"]
    assert site.page("now")["entries"] == 400


def test_pages_tell_what_the_ledger_holds(site: Web) -> None:
    listed = site.page("entries?limit=3")
    assert [row["seq"] for row in listed["rows"]] == [399, 398, 397]
    before = site.page("entries?before=397&limit=2")
    assert [row["seq"] for row in before["rows"]] == [396, 395]
    after = site.page("entries?after=10&limit=2")
    assert [row["seq"] for row in after["rows"]] == [12, 11]
    found = site.page("timeline?from=0&to=100")
    assert [mark["seq"] for mark in found["marks"]] == list(range(100))
    assert found["lanes"][0]["id"] == "session-00000"


def test_an_entry_comes_with_the_proof_that_it_is_in_the_tree(site: Web) -> None:
    from holdfast.kernel.merkle import verify_inclusion

    told = site.page("entry/123")
    proof = told["proof"]
    assert verify_inclusion(
        bytes.fromhex(told["leaf"]),
        proof["index"],
        proof["size"],
        [bytes.fromhex(one) for one in proof["path"]],
        bytes.fromhex(proof["root"]),
    )


def test_what_is_recorded_is_told_to_who_listens(tmp_path: Path) -> None:
    seed(tmp_path, 5)
    with web(tmp_path) as site:
        stream = site.events("/events")
        assert next(stream)[1]["entries"] == 5
        with open_ledger(tmp_path) as ledger:
            ledger.append_many([Draft("prompt_given", {"text": "go on"})])
        while True:
            name, told = next(stream)
            if told["entries"] == 6:
                break
        assert name == "head"
        stream.close()


def test_a_page_that_is_open_finds_back_after_a_restart(tmp_path: Path) -> None:
    seed(tmp_path, 5)
    with web(tmp_path) as first:
        port, token = first.port, first.token
    with web(tmp_path, port=port) as second:
        assert second.token == token
        assert second.page("now")["entries"] == 5


def test_the_token_is_for_the_user_alone(tmp_path: Path) -> None:
    seed(tmp_path, 1)
    with web(tmp_path):
        kept = next((tmp_path / ".holdfast").glob("*.web-token"))
        assert kept.stat().st_mode & 0o077 == 0
    kept.chmod(0o644)
    before = kept.read_text()
    with web(tmp_path) as site:
        assert site.token != before, "one that others could read is not used again"


def test_verify_tells_how_far_it_is_and_what_it_found(site: Web) -> None:
    *progress, (name, report) = site.events("/api/verify")
    assert name == "report"
    assert report["ok"] is True
    assert all(told["done"] <= told["total"] == 400 for _, told in progress)
    assert site.page("now")["verified"]["ok"] is True
