"""What the site generator does not know by itself: pages beside `docs/`, and the decisions.

README.md is the first page. Links are written for who reads the files in the repository; here they
are turned to the pages of the site, and a link to something that is no page becomes its text.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any, Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT: Final = Path(__file__).parent.parent
BESIDE: Final = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "ARCHITECTURE.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "RELIABILITY.md": "RELIABILITY.md",
}
"""Pages of the site that lie beside `docs/`, and what they are called there."""

_LINK: Final = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
_FENCE: Final = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put every decision into the navigation, and behind the guides those that are not listed."""
    nav: list[dict[str, Any]] = config.nav or []
    listed = {page for part in nav for page in _pages(part)}
    for part in nav:
        if "Guides" in part:
            part["Guides"] += [name for name in _below("guide") if name not in listed]
    nav.insert(-2, {"Decisions": _below("adr")})
    config.nav = nav
    return config


def _pages(part: Any) -> list[str]:
    if isinstance(part, str):
        return [part]
    inner = part if isinstance(part, list) else part.values()
    return [page for one in inner for page in _pages(one)]


def _below(folder: str) -> list[str]:
    return sorted(f"{folder}/{path.name}" for path in (ROOT / "docs" / folder).glob("*.md"))


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages beside `docs/`."""
    for source, name in BESIDE.items():
        files.append(File.generated(config, name, content=(ROOT / source).read_text()))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links between files of the repository to links between pages."""
    del config, files
    name = page.file.src_uri
    beside = {there: here for here, there in BESIDE.items()}
    source = beside.get(name, f"docs/{name}")
    # What stands between fences is no link; it is put back untouched.
    parts = re.split(f"({_FENCE.pattern})", markdown, flags=_FENCE.flags)
    return "".join(
        part if part.startswith("```") else _LINK.sub(lambda it: _turned(it, source, name), part)
        for part in parts
    )


def _turned(link: re.Match[str], source: str, name: str) -> str:
    mark, text, target = link.groups()
    if re.match(r"[a-z]+:|#", target):
        return link[0]
    path, hash_sign, anchor = target.partition("#")
    there = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    if there in BESIDE:
        there = BESIDE[there]
    elif there == "docs/adr":
        there = _below("adr")[0]
    elif there.startswith("docs/") and (ROOT / there).is_file():
        there = there.removeprefix("docs/")
    else:
        return str(text)
    to = posixpath.relpath(there, posixpath.dirname(name) or ".")
    return f"{mark}[{text}]({to}{hash_sign}{anchor})"
