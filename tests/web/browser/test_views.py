"""Every view in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, expect

from holdfast.ledger.ledger import Draft
from holdfast.wiring.opening import open_ledger
from tests.web.browser.looking import READY_MS, VIEWS, looking
from tests.web.projects import keep_elsewhere
from tests.web.seeding import seed
from tests.web.serving import Web, web


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return seed(tmp_path_factory.mktemp("project"), 1_000)


@pytest.fixture(scope="module")
def site(project: Path) -> Iterator[Web]:
    with web(project) as found:
        yield found


@pytest.mark.req("X6")
@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 1280), ("light", 800)])
def test_every_view_shows_itself(
    browser: Browser, site: Web, screenshots: Path, theme: Literal["light", "dark"], width: int
) -> None:
    with looking(browser, site, width=width, theme=theme) as looker:
        for view in VIEWS:
            looker.go(view)
            heading = looker.page.get_by_role("heading", level=1)
            expect(heading).to_have_count(1)
            looker.page.screenshot(path=screenshots / f"{view}-{theme}-{width}.png")


@pytest.mark.req("X6")
def test_every_view_of_a_long_ledger(browser: Browser, screenshots: Path, tmp_path: Path) -> None:
    seed(tmp_path, 200_000)
    with web(tmp_path) as site, looking(browser, site) as looker:
        live = looker.page.locator("#live")
        expect(live).to_contain_text("200,000 entries")
        expect(live).not_to_contain_text("take in", timeout=3 * READY_MS)
        for view in VIEWS:
            looker.go(view)
            looker.page.screenshot(path=screenshots / f"{view}-long.png")
        looker.go("search?q=parser")
        expect(looker.page.locator("button.hit").first).to_be_visible()
        looker.go("timeline")
        rows = looker.page.locator(".rows")
        rows.evaluate("node => { node.scrollTop = node.scrollHeight / 2 }")
        expect(looker.page.locator(".row .badge").first).to_be_visible()
        assert looker.page.locator(".row").count() < 100, "only what is seen is there"


def test_what_is_recorded_is_seen_at_once(browser: Browser, tmp_path: Path) -> None:
    seed(tmp_path, 50)
    with web(tmp_path) as site, looking(browser, site) as looker:
        with open_ledger(tmp_path) as ledger:
            ledger.append_many([Draft("prompt_given", {"text": "the newest words of all"})])
        expect(looker.page.locator("#live")).to_contain_text("51 entries")
        expect(looker.page.locator(".recent")).to_contain_text("the newest words of all")


def test_the_page_survives_a_restart_of_the_server(browser: Browser, tmp_path: Path) -> None:
    seed(tmp_path, 50)
    with web(tmp_path) as site:
        context = browser.new_context()
        page = context.new_page()
        page.goto(site.url)
        expect(page.locator("#live")).to_contain_text("50 entries")
        port = site.port
    expect(page.locator("#live")).to_contain_text("away")
    with web(tmp_path, port=port):
        expect(page.locator("#live")).to_contain_text("50 entries", timeout=30_000)
        with open_ledger(tmp_path) as ledger:
            ledger.append_many([Draft("prompt_given", {"text": "after the restart"})])
        expect(page.locator(".recent")).to_contain_text("after the restart")
        context.close()


def test_a_view_that_was_not_answered_is_tried_again_by_itself(
    browser: Browser, tmp_path: Path
) -> None:
    seed(tmp_path, 50)
    with web(tmp_path) as site:
        context = browser.new_context()
        page = context.new_page()
        page.route("**/api/now", lambda route: route.abort())
        page.goto(site.url)
        expect(page.get_by_role("alert")).to_contain_text("It is tried again by itself.")
        page.unroute_all()
        with open_ledger(tmp_path) as ledger:
            ledger.append_many([Draft("prompt_given", {"text": "the server is back"})])
        expect(page.locator(".recent")).to_contain_text("the server is back")
        expect(page.get_by_role("alert")).to_have_count(0)
        context.close()


def test_everything_can_be_reached_with_keys(browser: Browser, site: Web) -> None:
    with looking(browser, site) as looker:
        page = looker.page
        for place, view in enumerate(VIEWS, start=1):
            page.locator("main").focus()
            page.keyboard.press(str(place))
            page.wait_for_selector(f'[data-view="{view}"][data-ready]', timeout=READY_MS)
        page.locator("main").focus()
        page.keyboard.press("/")
        page.keyboard.type("parser")
        page.keyboard.press("Enter")
        page.wait_for_selector("button.hit", timeout=READY_MS)
        page.locator("main").focus()
        page.keyboard.press("j")
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        panel = page.locator("#panel")
        expect(panel).to_be_visible()
        expect(panel).to_contain_text("Proof")
        first = panel.locator("h2").inner_text()
        page.keyboard.press("]")
        expect(panel.locator("h2")).not_to_have_text(first)
        page.keyboard.press("Escape")
        expect(panel).to_be_hidden()
        page.keyboard.press("?")
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
        before = page.evaluate("document.documentElement.dataset.theme")
        page.keyboard.press("t")
        assert page.evaluate("document.documentElement.dataset.theme") != before


def test_a_timeline_is_walked_through_with_keys(browser: Browser, site: Web) -> None:
    with looking(browser, site) as looker:
        page = looker.page
        looker.go("timeline")
        page.locator(".rows").focus()
        for _ in range(40):
            page.keyboard.press("j")
        expect(page.locator('.row[aria-selected="true"]')).to_contain_text("960")
        page.keyboard.press("Enter")
        expect(page.locator("#panel")).to_contain_text("Entry 960")
        page.locator("canvas").focus()
        page.keyboard.press("+")
        expect(page.locator(".range")).to_contain_text("entries 250 to 749")


def test_a_verify_can_be_watched(browser: Browser, site: Web) -> None:
    with looking(browser, site) as looker:
        looker.go("trust")
        looker.page.get_by_role("button", name="Verify every entry now").click()
        expect(looker.page.locator(".outcome")).to_contain_text(
            "All 1,000 entries are what was sealed.", timeout=READY_MS
        )


@pytest.mark.req("X6")
def test_trust_shows_heads_that_are_kept_elsewhere_and_how_saves_boot(
    browser: Browser, screenshots: Path, tmp_path: Path
) -> None:
    seed(tmp_path, 60)
    keep_elsewhere(tmp_path)
    with web(tmp_path) as site, looking(browser, site) as looker:
        looker.go("trust")
        anchors = looker.page.locator("table.anchors tbody tr")
        expect(anchors).to_have_count(3, timeout=READY_MS)
        expect(anchors.locator(".state")).to_have_text(["agrees"] * 3)
        expect(looker.page.locator(".boot")).to_contain_text("boots", timeout=READY_MS)
        looker.page.screenshot(path=screenshots / "trust-anchors.png")


def test_the_gate_is_looked_at_beside_and_shown_when_it_is_known(
    browser: Browser, site: Web
) -> None:
    with looking(browser, site) as looker:
        card = looker.page.locator("[data-gate]")
        expect(card).to_have_attribute("data-gate", "looked", timeout=READY_MS)
        expect(card).to_contain_text("in the way")
        expect(card).to_contain_text("as of entry 999")


def test_any_moment_can_be_looked_at_and_compared(browser: Browser, site: Web) -> None:
    with looking(browser, site) as looker:
        page = looker.page
        looker.go("time?at=500&to=900")
        page.get_by_role("button", name="decisions").click()
        expect(page.locator(".store-detail h2")).to_contain_text("after entry 500")
        page.get_by_role("button", name="What changed between the two").click()
        expect(page.locator(".store-detail h2")).to_contain_text("From entry 500 to entry 900")
        expect(page.locator(".store-diff").first).to_be_visible()
