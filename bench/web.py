"""The web page of a short and of a very long ledger, in a real browser.

`holdfast web` as it comes, on ledgers of 1,000 and of 1,000,000 entries whose views are up to date,
and Debian's Chromium. “First view usable”: from the start of the navigation, with an empty cache,
to the moment at which the first view has drawn what it was told; in turns, a new window each time.
Scrolling: the list of the timeline of 200,000 entries is scrolled from one end to the other by a
step each frame; a frame is what passes between two calls that Chromium makes before it paints.
Live: from the return of an append to the moment at which the page shows the entry. The gate looks
in a process beside the server, over and over as long as something is recorded; nothing is measured
before its first answer is on the page. Memory: the resident set of the server's process after all
of it, every view, a moment as it was, and a verify; the most that a process beside it took is told
apart.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from bench.harness import (
    CannotMeasureError,
    Figure,
    Options,
    Result,
    Row,
    percentile,
    ratios,
    scratch_folder,
    side_by_side,
    spread,
    spread_of,
)
from holdfast.ledger.ledger import Draft
from holdfast.wiring.opening import open_ledger
from tests.web.browser.looking import VIEWS
from tests.web.seeding import seed
from tests.web.serving import Web, web

NAME = "web"
TITLE = "The web page"

SHORT: Final = 1_000
LONG: Final = 1_000_000
SCROLLED: Final = 200_000
REST_S: Final = 2.0
"""How long the browser tidies up after a page; what it takes then is no other work."""
STEPS: Final = 240
"""Frames of a scroll from one end to the other."""

_FLAGS: Final = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")


def run(options: Options) -> Result:
    """Measure."""
    long = options.pick(LONG, 20_000)
    with scratch_folder() as folder, _browser() as browser:
        sites = {str(size): seed(folder / str(size), size) for size in (SHORT, long)}
        with web(sites[str(SHORT)]) as short, web(sites[str(long)]) as large:
            for site in (short, large):
                _caught_up(browser, site)
            found = side_by_side(
                {
                    "short": lambda: _first(browser, short),
                    "long": lambda: _first(browser, large),
                },
                options.rounds,
                rest_s=REST_S,
            )
            live = [_live(browser, large, sites[str(long)]) for _ in range(options.pick(20, 4))]
            with _beside(large.pid) as beside:
                _look_at_everything(browser, large, long)
            memory, most = (_memory_mb(large.pid, name) for name in ("VmRSS", "VmHWM"))
        scrolled = seed(folder / "scrolled", options.pick(SCROLLED, 5_000))
        with web(scrolled) as site:
            _caught_up(browser, site)
            frames = _scrolled(browser, site)
    figures = [
        Figure(
            f"first view usable, {long:,} entries : {SHORT:,}",
            ratios(found["long"], found["short"], "usable_ms"),
            at_most=1.5,
        ),
        Figure(
            f"longest frame while scrolling through {options.pick(SCROLLED, 5_000):,} entries",
            spread([max(frames)]), unit=" ms", at_most=100,
        ),
        Figure("resident memory of the server", spread([memory]), unit=" MB", at_most=150),
        Figure(
            "an entry is seen after it was recorded, 95 of 100",
            spread([percentile(live, 0.95)]), unit=" s", at_most=1,
        ),
    ]  # fmt: skip
    rows = [
        Row(name, "first view usable", "ms", spread_of(measured, "usable_ms"))
        for name, measured in found.items()
    ]
    rows.append(Row("server", "resident memory, the most at any time", "MB", spread([most])))
    rows += [
        Row(f"beside: {job}", "resident memory, the most at any time", "MB", spread([found]))
        for job, found in sorted(beside.items())
    ]
    rows.append(Row("scrolling", "frame, median", "ms", spread([percentile(frames, 0.5)])))
    rows.append(Row("live", "seen after, median", "s", spread([percentile(live, 0.5)])))
    return Result(NAME, TITLE, __doc__ or "", options.rounds, figures=figures, rows=rows)


@contextmanager
def _browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        raise CannotMeasureError("There is no Chromium: `apt-get install chromium`.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(_FLAGS))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def _page(browser: Any, site: Web) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 860})
    try:
        page = context.new_page()
        page.goto(site.url)
        page.wait_for_selector("[data-ready=yes]")
        yield page
    finally:
        context.close()


def _caught_up(browser: Any, site: Web) -> None:
    """Wait until the views have taken everything in, and until the gate has looked."""
    with _page(browser, site) as page:
        page.wait_for_function(
            "() => { const said = document.getElementById('live').textContent;"
            " return said.includes('entries') && !said.includes('take in') }",
            timeout=30 * 60_000,
        )
        _gate_has_looked(page)


def _gate_has_looked(page: Any) -> None:
    page.wait_for_selector(
        '[data-gate="looked"], [data-gate="could not look"]', timeout=10 * 60_000
    )


def _look_at_everything(browser: Any, site: Web, entries: int) -> None:
    """Show every view, every store at two moments, and a verify to its end."""
    with _page(browser, site) as page:
        _gate_has_looked(page)
        for view in VIEWS:
            page.evaluate("view => { location.hash = '#/' + view }", view)
            page.wait_for_selector(f'[data-view="{view}"][data-ready]', timeout=10 * 60_000)
    for target in (f"at/{entries // 2}", f"diff?a={entries // 1000}&b={entries - 1}", "gate"):
        _asked(site, target)
    if [name for name, _ in site.events("/api/verify")][-1:] != ["report"]:
        raise CannotMeasureError("The verify did not end.")


def _asked(site: Web, target: str) -> None:
    answer = site.ask(f"/api/{target}")
    if answer.status != HTTPStatus.OK:
        raise CannotMeasureError(f"{target} was answered with {answer.status}.")


@contextmanager
def _beside(pid: int) -> Iterator[dict[str, float]]:
    """Look again and again at the processes that a server started: the most each kind took."""
    found: dict[str, float] = {}
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(0.1):
            for child in _children(pid):
                with suppress(OSError, CannotMeasureError):
                    words = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
                    job = next((one.decode() for one in words if one.startswith(b"holdfast.")), "?")
                    found[job] = max(found.get(job, 0.0), _memory_mb(child, "VmHWM"))

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield found
    finally:
        ended.set()
        looking.join()


def _children(pid: int) -> list[int]:
    with suppress(OSError):
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        return [int(one) for task in tasks for one in (task / "children").read_text().split()]
    return []


def _first(browser: Any, site: Web) -> dict[str, float]:
    context = browser.new_context(viewport={"width": 1280, "height": 860})
    try:
        page = context.new_page()
        began = time.perf_counter()
        page.goto(site.url, wait_until="commit")
        page.wait_for_selector('[data-view="now"][data-ready=yes]')
        return {"usable_ms": (time.perf_counter() - began) * 1e3}
    finally:
        context.close()


def _live(browser: Any, site: Web, folder: Path) -> float:
    words = f"seen at {time.time_ns()}"
    with _page(browser, site) as page, open_ledger(folder) as ledger:
        ledger.append_many([Draft("prompt_given", {"text": words})])
        began = time.perf_counter()
        page.wait_for_function(
            "words => document.querySelector('.recent')?.textContent.includes(words)",
            arg=words, timeout=30_000, polling="raf",
        )  # fmt: skip
        return time.perf_counter() - began


def _scrolled(browser: Any, site: Web) -> list[float]:
    """Scroll through the whole list; return how long the work of each frame took, in ms."""
    with _page(browser, site) as page:
        page.evaluate("location.hash = '#/timeline'")
        page.wait_for_selector('[data-view="timeline"][data-ready=yes]')
        page.wait_for_selector(".row .badge")
        times: list[float] = page.evaluate(_SCROLL, STEPS)
        return times


_SCROLL: Final = """
(steps) => new Promise((done) => {
  const list = document.querySelector(".rows");
  const times = [];
  let at = 0, last = performance.now();
  const step = (now) => {
    if (at > 0) times.push(now - last);
    last = now;
    if (at++ >= steps) return done(times);
    list.scrollTop = (list.scrollHeight * at) / steps;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})
"""


def _memory_mb(pid: int, name: str) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1024
    raise CannotMeasureError("The kernel does not tell how much memory a process takes.")
