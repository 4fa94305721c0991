"""How code that an identifier stands for is shown."""

from __future__ import annotations

from typing import Any

import msgspec

from holdfast.cli.context import Invocation
from holdfast.cli.output import print_json, say, talk, visible
from holdfast.kernel.errors import NotFound
from holdfast.recall.identifiers import PROJECT_ROOT, Identifier
from holdfast.recall.retrieval import Retrieved
from holdfast.wiring.retrieving import retrieve


def show_code(invocation: Invocation, key: str, identifier: Identifier, *, as_json: bool) -> None:
    """Show the lines or the definition that an identifier stands for."""
    files = invocation.files()
    missing = files.missing(identifier.path)
    if missing is not None and not key.startswith(PROJECT_ROOT):
        raise _neither(missing, key)
    found = retrieve(files, identifier)
    if as_json:
        print_json(_document(found))
        return
    for line in _page(found):
        say(line)
    for remark in _remarks(found):
        talk(remark, "bold yellow")


def _neither(missing: NotFound, key: str) -> NotFound:
    return NotFound(
        f"{missing.what} Nor is there an entry {key!r}.",
        meaning=missing.meaning,
        remedy=missing.remedy,
    )


def _document(found: Retrieved) -> dict[str, Any]:
    document: dict[str, Any] = msgspec.to_builtins(found)
    del document["indent"]
    return document


def _page(found: Retrieved) -> list[str]:
    budget = found.tokens
    head = {
        "code": found.identifier,
        "digest": found.digest,
        "tokens": f"{budget.shown:,}; the identifier {budget.identifier:,}, "
        f"the whole file {budget.file:,} ({budget.counter})",
    }
    if found.symbol is not None:
        head = {"is": f"{found.symbol.kind} {found.symbol.qualified}", **head}
    lines = [f"{name:<8} {visible(text)}" for name, text in head.items()]
    # Line ends of Windows are no less lines; any other \r is shown as its escape.
    text = (found.indent + found.text).replace("\r\n", "\n").removesuffix("\n")
    return [*lines, "", visible(text, lines=True)]


def _remarks(found: Retrieved) -> list[str]:
    remarks = []
    if found.by == "patterns":
        remarks.append("Found by line patterns: where it ends is a guess.")
    if found.symbol is not None and found.symbol.errors:
        remarks.append("Part of it could not be parsed: where it ends may be wrong.")
    if found.symbol is not None and found.symbol.elided:
        remarks.append("Part of it was left out by whoever wrote it.")
    return remarks
