"""Hostile texts in every field are shown, and never run; and nobody is shut out."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser

from tests.web.browser.looking import VIEWS, looking
from tests.web.browser.scripts import SCRIPTS
from tests.web.seeding import seed, seed_scripts
from tests.web.serving import web

_SERIOUS = ("serious", "critical")


@pytest.mark.req("X6")
def test_no_text_is_ever_run(browser: Browser, tmp_path: Path) -> None:
    entries = seed_scripts(tmp_path, SCRIPTS)
    with web(tmp_path) as site, looking(browser, site) as looker:
        page = looker.page
        for view in (*VIEWS, "search?q=script", "search?q=img+onerror", "timeline?from=0&to=200"):
            looker.go(view)
        for details in page.locator("details").all():
            details.evaluate("node => { node.open = true }")
        looker.go("decisions")
        page.locator("details.decision").evaluate_all(
            "nodes => nodes.forEach(node => { node.open = true })"
        )
        shown = page.evaluate(_OPEN_ALL, entries)
        assert shown == entries, "every entry was opened in the panel"
        assert page.evaluate("window.__ran") is None
        made = page.evaluate(
            "[...document.querySelectorAll('script')].map(one => one.getAttribute('src'))"
        )
        assert made == ["/app.js"], "no text has become an element"
        assert page.locator("main iframe, main object, main embed, #panel iframe").count() == 0


_OPEN_ALL = """
async (count) => {
  const { Panel } = await import("/entry.js");
  const panel = new Panel(document.getElementById("panel"), { open() {}, go() {} });
  let shown = 0;
  for (let seq = 0; seq < count; seq++) {
    await panel.open(seq);
    if (document.querySelector("#panel h2").textContent.startsWith("Entry ")) shown += 1;
  }
  return shown;
}
"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nobody_is_shut_out(browser: Browser, tmp_path: Path, theme: str) -> None:
    seed(tmp_path, 600)
    with (
        web(tmp_path) as site,
        looking(browser, site, theme="dark" if theme == "dark" else "light") as looker,
    ):
        found: list[str] = []
        for view in VIEWS:
            looker.go("search?q=parser" if view == "search" else view)
            if view == "now":
                looker.page.locator(".row-button").first.click()
                looker.page.wait_for_selector("#panel .proof")
            answer = Axe().run(looker.page)
            found += [
                f"{view}: {one['id']}: {one['nodes'][0]['html'][:120]}"
                for one in answer.response["violations"]
                if one["impact"] in _SERIOUS
            ]
        assert found == []


def test_the_pages_own_scripts_make_no_elements_of_text() -> None:
    import re
    from importlib.resources import files

    forbidden = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|srcdoc|"
        r"setAttribute\(\s*[\"']on|createContextualFragment|DOMParser"
    )
    for file in files("holdfast.web").joinpath("static").iterdir():
        if file.name.endswith((".js", ".html")):
            assert not forbidden.search(file.read_text()), file.name
