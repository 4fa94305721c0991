"""Searching a project's code by `ck`, where that is installed."""

from __future__ import annotations

from holdfast.evidence import ck
from holdfast.evidence.ck import CkAnswer, CkHit
from holdfast.index.code_documents import PIECE, lines_of
from holdfast.kernel.limits import SEARCH_HITS_MAX
from holdfast.recall.code_search import CodeFound, CodeHit, CodeQuery, refuse_empty
from holdfast.recall.similarity import THRESHOLD, Read
from holdfast.recall.snippets import snippet
from holdfast.wiring.code_files import CodeFiles


def search_by_ck(files: CodeFiles, read: Read, query: CodeQuery) -> CodeFound | None:
    """Search by `ck`; None where it is not installed. Raises CouldNotLook when it fails."""
    refuse_empty(query.text)
    program = ck.installed(files.folder)
    if program is None:
        return None
    answer = ck.search(program, files.folder, query.text, THRESHOLD)
    hits = [hit for hit in answer.hits if query.path is None or query.path in hit.path]
    limit = max(1, min(query.limit, SEARCH_HITS_MAX))
    return _found(answer, [_hit(hit, read) for hit in hits[:limit]], len(hits))


def _found(answer: CkAnswer, hits: list[CodeHit], total: int) -> CodeFound:
    return CodeFound(
        hits,
        total - len(hits),
        "ck",
        answer.files,
        0,
        0,
        [],
        answer.best,
        answer.model,
    )


def _hit(hit: CkHit, read: Read) -> CodeHit:
    source = read(hit.path)
    lines = [] if source is None else lines_of(source[1])[hit.first_line - 1 : hit.last_line]
    return CodeHit(
        hit.path,
        hit.first_line,
        hit.last_line,
        "",
        PIECE,
        round(hit.score, 4),
        round(hit.score, 4),
        snippet("\n".join(lines), ()),
    )
