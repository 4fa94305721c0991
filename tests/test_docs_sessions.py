"""The pages that somebody follows step by step: what they show is what is printed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent

CODE = {
    "README.md": ("parser.py", "class Parser:\n    def start(self):\n        self.line = 1\n"),
}
"""Files that a page takes for granted."""


def environment(home: Path) -> dict[str, str]:
    foreign = {name: value for name, value in os.environ.items() if name[:9] != "HOLDFAST_"}
    path = f"{BIN}:/usr/bin:/bin"
    return {**foreign, "PATH": path, "HOME": str(home), "PYTHONUNBUFFERED": "1"}


def session(page: str) -> list[tuple[str, str]]:
    """Return the commands of a page, each with what is shown below it."""
    text = "\n".join(re.findall(r"```console\n(.*?)```", (ROOT / page).read_text(), re.DOTALL))
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    return [(typed, shown.strip()) for typed, _, shown in (part.partition("\n") for part in parts)]


def masked(text: str) -> str:
    """Put marks in the places of ids, hashes and times."""
    text = re.sub(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+Z)?", "TIME", text)
    return re.sub(r"\b[0-9a-f-]{12,}\b", "#", text).strip()


def fits(said: str, shown: str) -> bool:
    """Tell whether something was said as it is shown; a line `…` stands for any lines, or none."""
    return _fit(masked(said).splitlines(), masked(shown).splitlines())


def _fit(said: list[str], shown: list[str]) -> bool:
    if not shown:
        return not said
    line, rest = shown[0], shown[1:]
    if line == "…":
        return any(_fit(said[skipped:], rest) for skipped in range(len(said) + 1))
    return said[:1] == [line] and _fit(said[1:], rest)


@pytest.mark.parametrize(
    "page",
    ["README.md", "docs/quickstart.md", "docs/guide/compliance.md", "docs/guide/importing.md"],
)
def test_a_page_that_is_followed_shows_what_is_printed(page: str, tmp_path: Path) -> None:
    project = tmp_path.resolve() / "shop"
    project.mkdir()
    if page in CODE:
        name, text = CODE[page]
        (project / name).write_text(text)
    for typed, shown in session(page):
        if typed == "holdfast web":
            continue  # it goes on until it is ended: the test below
        done = subprocess.run(
            ["sh", "-c", typed],
            cwd=project,
            env=environment(tmp_path),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        said = done.stdout.replace(f"{project}/", "")
        assert fits(said, shown), f"$ {typed}\n{said}"
        assert done.returncode == (1 if "--check" in typed else 0), typed


def test_the_quickstart_ends_with_a_link_to_the_page(tmp_path: Path) -> None:
    [shown] = [shown for typed, shown in session("docs/quickstart.md") if typed == "holdfast web"]
    subprocess.run(["holdfast", "init"], cwd=tmp_path, env=environment(tmp_path), check=True)
    server = subprocess.Popen(
        ["holdfast", "web", "--port", "0"],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        link = server.stdout.readline().strip()
    finally:
        server.terminate()
        server.communicate()
    said = re.sub(r"token=\S+", "token=…", re.sub(r":\d+/", ":8485/", link))
    assert shown.splitlines()[0] == said


def test_a_line_that_was_never_printed_does_not_fit() -> None:
    assert fits("one\ntwo\nthree", "one\n…\nthree")
    assert fits("one\nthree", "one\n…\nthree")
    assert fits("one\ntwo", "one\n…")
    assert fits("zero\none", "…\none")
    assert not fits("one\ntwo\nthree", "one\n…\nfour")
    assert not fits("one\ntwo", "one")
