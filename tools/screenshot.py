"""Take the picture of the README anew: the web page on a small project, in a real browser.

The project is made by the commands themselves, in a folder that is gone afterwards. Debian's
Chromium takes the picture; `.venv/bin/python -m tools.screenshot` writes docs/img/now.png.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from playwright.sync_api import sync_playwright

PICTURE: Final = Path(__file__).parent.parent / "docs" / "img" / "now.png"
BYTES_MAX: Final = 200_000
WIDTH, HEIGHT = 1280, 800
BROWSER_ARGUMENTS: Final = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")

CODE: Final = """\
import time


class Line:
    def __init__(self, bound):
        self.bound = bound
        self.items = []

    def put(self, item):
        if len(self.items) >= self.bound:
            raise OverflowError(item)
        self.items.append((time.monotonic(), item))

    def take(self):
        return self.items.pop(0)[1]
"""

_QUOTES: Final = {
    "refuse the item over the bound": "`raise OverflowError(item)` [${PROJECT_ROOT}/line.py:11]",
    "take from the front": "`return self.items.pop(0)[1]` [${PROJECT_ROOT}/line.py:15]",
    "a clock that never goes back": (
        "`self.items.append((time.monotonic(), item))` [${PROJECT_ROOT}/line.py:12]"
    ),
}


def main() -> int:
    """Make the project, look at it, and keep the picture."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        print("No Chromium was found; on Debian: apt install chromium", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder).resolve() / "line"
        project.mkdir()
        _work(project)
        with _page(project) as url:
            _photograph(url, browser)
    taken_bytes = PICTURE.stat().st_size
    print(f"wrote docs/img/{PICTURE.name}, {taken_bytes:,} bytes")
    return int(taken_bytes > BYTES_MAX)


def _work(project: Path) -> None:
    """Do some work in the project, as an agent and a person would."""
    (project / "line.py").write_text(CODE)
    _run(project, "init")
    for event in _events():
        _run(project, "hook", "claude-code", told=json.dumps({**event, "session_id": "line-1"}))
    _run(project, "task", "add", "Bound the line", "--id", "hf-bound")
    _run(project, "task", "start", "hf-bound")
    _run(project, "task", "update", "hf-bound", "--next", "wait instead of refusing, with a limit")
    for choice, quote in _QUOTES.items():
        _run(project, "decide", choice, "--because", "measured", "--evidence", quote)
    _run(project, "decide", "a bound of 100", "--because", "it fits into memory", "--assumption")
    for name, kind in (("below the bound", "happy"), ("at the bound", "edge")):
        _run(project, "task", "scenario", name, "--type", kind, "--expected", "it is taken in")
    _run(project, "handoff", "offer", "Write the manual", "--to", "codex", "--next", "the examples")
    stands = ("--task", "Bound the line", "--completed", "7", "--total", "12")
    _run(project, "checkpoint", *stands, "--next", "wait instead of refusing, with a limit")
    _run(project, "save")
    _run(project, "attention", "--tokens", "8600")


def _events() -> Iterator[dict[str, object]]:
    yield {"hook_event_name": "SessionStart", "source": "startup"}
    yield {"hook_event_name": "UserPromptSubmit", "prompt": "Bound the line. Never drop an item."}
    for number, (command, said) in enumerate(
        (("pytest -q", "11 passed, 1 failed"), ("pytest -q tests/test_line.py", "12 passed"))
    ):
        yield {
            "hook_event_name": "PostToolUse",
            "tool_name": "Bash",
            "tool_use_id": f"call-{number}",
            "tool_input": {"command": command},
            "tool_response": {"stdout": said, "stderr": "", "interrupted": False},
        }


def _run(project: Path, *arguments: str, told: str = "") -> None:
    """Run one command in the project."""
    subprocess.run(
        [sys.executable, "-m", "holdfast", *arguments],
        cwd=project,
        env=_environment(project),
        input=told,
        text=True,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _environment(project: Path) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if name[:9] != "HOLDFAST_"}
    return {**own, "HOME": str(project.parent)}


@contextmanager
def _page(project: Path) -> Iterator[str]:
    """Serve the page while somebody looks; yield its link."""
    server = subprocess.Popen(
        [sys.executable, "-m", "holdfast", "web", "--port", "0", "--json"],
        cwd=project,
        env=_environment(project),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        yield json.loads(server.stdout.readline())["url"]
    finally:
        server.terminate()
        server.communicate()


def _photograph(url: str, browser: str) -> None:
    PICTURE.parent.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        window = playwright.chromium.launch(executable_path=browser, args=[*BROWSER_ARGUMENTS])
        page = window.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.goto(url)
        page.wait_for_selector("[data-ready]")
        page.get_by_text("in the way").wait_for()  # the last part of the page to come
        page.screenshot(path=PICTURE)
        window.close()


if __name__ == "__main__":
    sys.exit(main())
