"""Somebody who looks at the page, and notes whatever a page must not do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from playwright.sync_api import Browser, Dialog, Page

from tests.web.serving import Web

VIEWS = ("now", "timeline", "decisions", "code", "loss", "time", "trust", "search")
READY_MS = 60_000


class Looker:
    """A page of the browser, with what went wrong on it."""

    def __init__(self, page: Page, site: Web) -> None:
        self.page = page
        self.site = site
        self.problems: list[str] = []
        page.on("console", lambda said: self._note("console", said.text, said.type != "log"))
        page.on("pageerror", lambda error: self._note("error", str(error), True))
        page.on("dialog", self._refuse)
        page.on("request", lambda asked: self._look(asked.url))

    def _note(self, kind: str, words: str, bad: bool) -> None:
        if bad:
            self.problems.append(f"{kind}: {words}")

    def _refuse(self, dialog: Dialog) -> None:
        self._note("dialog", dialog.message, True)
        dialog.dismiss()

    def _look(self, url: str) -> None:
        if not url.startswith((f"http://{self.site.host}/", "data:")):
            self.problems.append(f"asked elsewhere: {url}")

    def enter(self) -> None:
        """Open the link."""
        self.page.goto(self.site.url)
        self.ready()

    def go(self, view: str) -> None:
        """Show a view, and wait until it is there."""
        self.page.evaluate("view => { location.hash = '#/' + view }", view)
        name = view.partition("?")[0]
        self.page.wait_for_selector(f'[data-view="{name}"][data-ready]', timeout=READY_MS)
        self.ready()

    def ready(self) -> None:
        """Wait until the view is there."""
        self.page.wait_for_selector("[data-ready]", timeout=READY_MS)
        assert self.page.get_attribute("[data-ready]", "data-ready") == "yes", self.text()

    def text(self) -> str:
        """Return what can be read."""
        return self.page.inner_text("main")


@contextmanager
def looking(
    browser: Browser,
    site: Web,
    *,
    width: int = 1280,
    theme: Literal["light", "dark"] = "light",
) -> Iterator[Looker]:
    """Open the page in a window of its own; in the end nothing may have gone wrong."""
    context = browser.new_context(
        viewport={"width": width, "height": 860}, color_scheme=theme, reduced_motion="reduce"
    )
    looker = Looker(context.new_page(), site)
    try:
        looker.enter()
        yield looker
        assert looker.problems == []
    finally:
        context.close()
