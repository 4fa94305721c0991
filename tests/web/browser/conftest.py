"""A real browser: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

SCREENSHOTS = Path(__file__).parents[3] / ".scratch" / "screenshots"

_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@pytest.fixture(scope="module")  # while it runs, its loop is in the way of other tests' loops
def browser() -> Iterator[Browser]:
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    assert found, (
        "There is no Chromium. `make test` installs Debian's where it may (apt-get install "
        "chromium); here it has to be installed by hand."
    )
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=list(_FLAGS))
        yield started
        started.close()


@pytest.fixture(scope="session")
def screenshots() -> Path:
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    return SCREENSHOTS
