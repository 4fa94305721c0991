"""What left a context and what was brought back, in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from holdfast.wiring.opening import open_ledger
from tests.web.browser.looking import looking
from tests.web.serving import web
from tests.web.test_loss import GIVEN, emptied


@pytest.mark.req("X6")
def test_what_was_brought_back_can_be_read_and_opened(
    browser: Browser, screenshots: Path, tmp_path: Path
) -> None:
    _, told = emptied(tmp_path)
    with web(tmp_path) as site, looking(browser, site) as looker:
        looker.go("loss")
        page = looker.page
        given = page.get_by_role("region", name="Brought back")
        expect(given).to_contain_text("2 of 3 that were gone came back.")
        expect(given).to_contain_text("21 tokens by holdfast-2")
        expect(given).to_contain_text("no room for 4 files")
        assert page.locator(".items .back").all_inner_texts() == ["back", "back"]
        words = given.locator("pre")
        expect(words).not_to_be_visible()
        given.locator("summary").click()
        expect(words).to_have_text(str(GIVEN["text"]))
        page.screenshot(path=screenshots / "loss-brought-back.png")
        given.locator("button.link").click()
        expect(page.locator("#panel h2")).to_contain_text(f"Entry {told}")


def test_where_nothing_was_brought_back_it_says_so(browser: Browser, tmp_path: Path) -> None:
    emptied(tmp_path, source="startup", of_session="another")
    with web(tmp_path) as site, looking(browser, site) as looker:
        looker.go("loss")

        expect(looker.page.locator(".loss-detail")).to_contain_text(
            "Nothing is recorded that the agent was given after it."
        )
        assert looker.page.locator(".items .back").count() == 0


def test_the_chosen_loss_stays_marked_when_another_is_recorded(
    browser: Browser, tmp_path: Path
) -> None:
    first, _ = emptied(tmp_path)
    with web(tmp_path) as site, looking(browser, site) as looker:
        looker.go("loss")
        page = looker.page
        expect(page.locator(".loss-detail")).to_contain_text("of session s")
        with open_ledger(tmp_path) as ledger:
            data = {"agent": "claude-code", "trigger": "auto", "summary": "We go on."}
            ledger.append("context_compacted", data, session_id="another")
        expect(page.locator(".wipes button")).to_have_count(2)
        chosen = page.locator('.wipes button[aria-current="true"]')
        expect(chosen).to_have_count(1)
        assert chosen.get_attribute("data-seq") == str(first)
