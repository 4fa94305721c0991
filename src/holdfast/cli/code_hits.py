"""How `holdfast search --code` answers: hits in the code, and what was searched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE, NO
from holdfast.cli.output import print_bytes, print_json, progress, talk, visible
from holdfast.cli.parts import link, say_parts
from holdfast.kernel.limits import SOURCE_UNREAD_NAMED
from holdfast.recall.code_search import CodeFound, CodeHit, CodeQuery


def search_code(invocation: Invocation, query: CodeQuery, as_json: bool) -> int:
    """Search the project's code, and print what was found."""
    return show_code(find_code(invocation, query), as_json)


def find_code(invocation: Invocation, query: CodeQuery) -> CodeFound:
    """Search the project's code."""
    from holdfast import config
    from holdfast.wiring.code_searching import search_project

    place = invocation.place()
    by_ck = config.load(place.settings).settings.search.ck == "auto"
    with progress("Bringing the index of the code up to date") as advance:
        return search_project(place, query, progress=advance, by_ck=by_ck, folder=Path.cwd())


def show_code(found: CodeFound, as_json: bool) -> int:
    """Print what was found in the code, and tell whether it is anything."""
    if as_json:
        for hit in found.hits:
            print_bytes(_line(hit))
        print_json(_numbers(found))
    else:
        from holdfast.wiring.places import project_root

        for hit in found.hits:
            _show(hit, project_root(Path.cwd()))
        _tell(found)
    return DONE if found.hits else NO


def _line(hit: CodeHit) -> bytes:
    import json

    return json.dumps(
        {
            "path": hit.path,
            "first_line": hit.first_line,
            "last_line": hit.last_line,
            "name": hit.name,
            "kind": hit.kind,
            "score": hit.score,
            "similarity": hit.similarity,
            "snippet": hit.snippet,
        }
    ).encode()  # ASCII, so that a terminal obeys none of it


def _numbers(found: CodeFound) -> dict[str, Any]:
    return {
        "hits": len(found.hits),
        "more": found.more,
        "level": found.level,
        "why": found.why,
        "model": found.model,
        "nearest": None if found.nearest is None else round(found.nearest, 4),
        "files": found.files,
        "plain": found.plain,
        "binary": found.binary,
        "not_searched": [
            {"path": visible(path), "reason": visible(reason)} for path, reason in found.unread
        ],
    }


def _show(hit: CodeHit, root: Path) -> None:
    lines = f"{hit.first_line}" if hit.first_line == hit.last_line else _range(hit)
    called = f"  {visible(hit.name)}" if hit.name else ""
    near = "" if hit.similarity is None else f"  similarity {hit.similarity:.2f}"
    place = (f"{visible(hit.path)}:{lines}", link(root / hit.path, "bold cyan"))
    say_parts(place, (f"{called}  {visible(hit.kind)}  {hit.score:.4f}{near}", "bold"), hang=2)
    say_parts((f"{'':<8}", ""), (visible(hit.snippet), ""), hang=8)


def _range(hit: CodeHit) -> str:
    return f"{hit.first_line}-{hit.last_line}"


def _tell(found: CodeFound) -> None:
    """Say which level spoke, over how many files, and what could not be searched."""
    files = "1 file" if found.files == 1 else f"{found.files:,} files"
    because = "" if found.why is None else f" {visible(found.why)}"
    if found.hits:
        talk(f"Searched {files} ({found.level}).{because}")
    else:
        talk(f"Nothing was found in {files} ({found.level}).{because}")
    if found.more:
        word = "section holds" if found.more == 1 else "sections hold"
        what = "the text" if found.level == "grep" else "a word of it"
        talk(f"{found.more:,} further {word} {what}; -n shows more of them.")
    if found.plain:
        talk(f"The definitions of {found.plain:,} of them are not known: searched by lines.")
    for path, reason in found.unread[:SOURCE_UNREAD_NAMED]:
        talk(f"Not searched: {visible(path)} ({visible(reason)})", "bold red")
    if len(found.unread) > SOURCE_UNREAD_NAMED:
        talk(f"Nor were {len(found.unread) - SOURCE_UNREAD_NAMED:,} more; --json lists all.")
