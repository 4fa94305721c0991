"""What a decision rests on, proved when it is made, and held against the files again later.

`prove` reads the citations of texts, holds each against its file, and returns what the entry keeps:
the quotes, how many were exact, and of those the whole definition around each, for the vault.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from holdfast.evidence import citations as faults
from holdfast.evidence.checking import Checked, Redact, SourceFile, checker, remedy_of
from holdfast.evidence.citations import Cited, parse
from holdfast.evidence.own_files import OwnFiles
from holdfast.evidence.quotes import Lines, standing
from holdfast.kernel import canonical
from holdfast.kernel.limits import (
    CITATION_PATH_CHARS_MAX,
    CITATION_QUOTE_CHARS_MAX,
    CITATION_QUOTES_BYTES_MAX,
    CITATIONS_MAX,
    NAME_CHARS_MAX,
    SECTION_BYTES_MAX,
)
from holdfast.kernel.types.evidence import Citation
from holdfast.ledger.vault import Verbatim
from holdfast.stores.wording import bounded

if TYPE_CHECKING:
    from holdfast.evidence.project_files import ProjectFiles
    from holdfast.recall.retrieval import ReadSymbols


class Proved(msgspec.Struct, frozen=True):
    """What a decision rests on."""

    grounds: dict[str, Any]
    """For the entry; sections in it are marked for the vault."""
    citations: list[Citation]
    """As they were found, all of them; without the sections."""
    checked: list[Checked]
    """The same, each with what to do about it."""
    ok: bool
    """It is grounded: there is a citation, and each is exact."""


def prove(
    files: ProjectFiles,
    redact: Redact,
    texts: Iterable[str],
    *,
    assumption: bool = False,
    task: str | None = None,
    read_symbols: ReadSymbols | None = None,
    own: OwnFiles | None = None,
) -> Proved:
    """Hold the citations of texts against the files they name, and return what to record.

    Files are parsed by `read_symbols`, else by a process that can be killed. Those that are `own`
    prove nothing.
    """
    cited = _bounded([one for text in texts for one in parse(text)])
    checked: dict[int, Checked] = {}
    evidence: dict[int, dict[str, Any]] = {}
    with checker(files, redact, read_symbols, own or OwnFiles()) as looking:
        for place, one, file in looking.each(cited):
            kept: dict[str, Any] = {}
            if one.state == "exact" and file is not None:
                one, kept = _kept(one, file, redact)
            checked[place] = one
            evidence[place] = _recorded(one) | kept
    found = [checked[place] for place in range(len(cited))]
    listed = [evidence[place] for place in range(min(len(cited), CITATIONS_MAX))]
    return _proved(found, listed, assumption=assumption, task=task)


def proved_by(citation: Citation, section: str, first: int, redact: Redact) -> bool:
    """Tell whether a quote stands in what the vault kept of its file, at the line it was cited."""
    lines = Lines(section)
    line = citation.line - first + 1
    last = None if citation.last is None else citation.last - first + 1
    quote = citation.quote
    if not isinstance(quote, str) or line < 1:
        return False
    if standing(lines, quote, line, last) is not None:
        return True
    return standing(Lines(redact(section)), quote, line, last) is not None


def cited_of(citation: Citation) -> Cited:
    """Return a recorded citation as one that can be looked up again."""
    path = citation.path if isinstance(citation.path, str) else ""
    quote = citation.quote if isinstance(citation.quote, str) else ""
    fault = citation.fault if citation.state == "refused" else None
    if not (path and quote) and fault is None:
        fault = faults.NO_QUOTE
    return Cited(path, citation.line, citation.last, quote, fault)


def faults_of(checked: Iterable[Checked]) -> list[str]:
    """Name what keeps citations from being proof, each kind once."""
    kinds = (one.fault or one.state for one in checked if one.state != "exact")
    return list(dict.fromkeys(kinds))


def _proved(
    found: list[Checked], evidence: list[dict[str, Any]], *, assumption: bool, task: str | None
) -> Proved:
    exact = sum(one.state == "exact" for one in found)
    named = faults_of(found) or ([] if found or assumption else [faults.NO_CITATION])
    symbols = dict.fromkeys(
        f"{one.cited.path}::{one.symbol}" for one in found if one.state == "exact" and one.symbol
    )
    grounds: dict[str, Any] = {"cited": len(found), "exact": exact}
    optional = {
        "faults": named,
        "assumption": assumption,
        "task": task,
        "symbols": [name for name in symbols if len(name) <= NAME_CHARS_MAX],
        "evidence": evidence,
    }
    grounds |= {name: value for name, value in optional.items() if value}
    whole = [msgspec.convert(_recorded(one), Citation) for one in found]
    return Proved(grounds, whole, found, bool(found) and exact == len(found))


def _bounded(cited: Sequence[Cited]) -> list[Cited]:
    """Give those a fault that are too many or too long to be kept."""
    kept, room = list[Cited](), CITATION_QUOTES_BYTES_MAX
    for number, one in enumerate(cited):
        fault = one.fault
        if number >= CITATIONS_MAX:
            fault = faults.TOO_MANY
        elif len(one.quote) > CITATION_QUOTE_CHARS_MAX or len(one.path) > CITATION_PATH_CHARS_MAX:
            fault = faults.TOO_LONG
        else:
            room -= len(_spelled(one))
            fault = faults.TOO_LONG if room < 0 else fault
        kept.append(msgspec.structs.replace(one, fault=fault))
    return kept


def _spelled(one: Cited) -> bytes:
    """Return a citation as JSON has it; half a character, which it cannot have, as another."""
    parts = (part.encode("utf-8", "replace").decode() for part in (one.path, one.quote))
    return canonical.encode(list(parts))


def _kept(one: Checked, file: SourceFile, redact: Redact) -> tuple[Checked, dict[str, Any]]:
    """Return an exact citation with what is kept of its file."""
    assert one.found is not None
    first, last = one.found, one.found + one.cited.quote.count("\n")
    if cuts_secret(one.cited.quote, file.lines.part(first, last), redact):
        fault = faults.CUTS_SECRET
        return Checked(one.cited, "refused", fault, remedy=remedy_of(fault, one.cited)), {}
    first = min(first, one.cited.line)
    last = max(last, one.cited.last or 0)
    symbol = file.around(first, last)
    if symbol is not None and len(symbol.qualified) > NAME_CHARS_MAX:
        symbol = None
    lines = _section(file, first, last)
    section = lines
    if symbol is not None and (whole := _section(file, symbol.start_line, symbol.end_line)):
        section = Verbatim(whole.text, whole.beside, instead=lines)
    named = None if symbol is None else symbol.qualified
    kept = {"file": file.digest, "section": section}
    return msgspec.structs.replace(one, symbol=named), kept


def cuts_secret(quote: str, lines: str, redact: Redact) -> bool:
    """Tell whether a quote begins or ends inside a secret: then it would be no quote later on."""
    cleaned, clean_lines = redact(quote), redact(lines)
    return cleaned not in clean_lines and not (cleaned == quote and clean_lines == lines)


def _section(file: SourceFile, first: int, last: int) -> Verbatim | None:
    """Return whole lines for the vault; None when they are too many."""
    text = file.lines.part(first, last)
    if len(text.encode()) > SECTION_BYTES_MAX:
        return None
    return Verbatim(text, {"first": first})


def _recorded(one: Checked) -> dict[str, Any]:
    """Return a citation as an entry has it."""
    cited = one.cited
    recorded: dict[str, Any] = {
        "path": bounded(cited.path, CITATION_PATH_CHARS_MAX),
        "line": cited.line,
        "quote": cited.quote if one.fault != faults.TOO_LONG else bounded(cited.quote),
        "state": one.state,
    }
    optional = {"last": cited.last, "fault": one.fault, "symbol": one.symbol}
    if one.state == "moved":
        optional["found"] = one.found
    return recorded | {name: value for name, value in optional.items() if value is not None}
