"""Every link of the docs leads somewhere, and the site is built without anything from elsewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])

LINK = re.compile(r"\]\(([^()\s]+)\)")


def prose(text: str) -> str:
    """Return a page without what stands between fences or in code spans."""
    return re.sub(
        r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    )


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as the repository's host and the site spell them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def broken(page: Path, text: str) -> list[str]:
    """Return the links of a text that lead nowhere."""
    found = []
    for link in LINK.findall(prose(text)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        there = (page.parent / path).resolve() if path else page
        if not there.exists() or (anchor and anchor not in anchors(there)):
            found.append(link)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert broken(page, page.read_text()) == []


def test_a_link_to_nothing_is_found() -> None:
    page = ROOT / "README.md"
    text = "[a](docs/none.md) [b](docs/concepts.md#none) [c](docs/concepts.md#glossary) `[d](e)`"
    assert broken(page, text) == ["docs/none.md", "docs/concepts.md#none"]


def test_the_readme_claims_no_figure_that_its_source_does_not_have() -> None:
    """Each row of what is promised links to the file in which its numbers stand."""
    table = (
        (ROOT / "README.md").read_text().partition("## What it promises")[2].partition("\n## ")[0]
    )
    rows = re.findall(r"^\| (?!\||-)(.+) \| (.+) \| .*\]\(([^)#]+)[^)]*\) \|$", table, re.MULTILINE)
    assert len(rows) >= 8
    for _, tried, source in rows:
        text = (ROOT / source).read_text()
        missing = [n for n in re.findall(r"\d[\d,.]*", tried) if not re.search(rf"\b{n}\b", text)]
        assert missing == [], tried


def test_the_site_is_built_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(tmp_path)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    pages = list(tmp_path.rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        tags = re.findall(r"<(?:script|link|img|iframe|source)\b[^>]*>", page.read_text())
        assert [tag for tag in tags if re.search(r"(?:src|href)=.?(?:https?:)?//", tag)] == []
    sheets = "".join(sheet.read_text() for sheet in tmp_path.rglob("*.css"))
    assert re.findall(r"(?:url\(|@import)[\s\"']*(?:https?:)?//", sheets) == []
