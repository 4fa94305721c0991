"""Searching a project's code: sections by their words and their meaning, or plain lines.

The answer says which level spoke: `ck`, where that is installed; `hybrid`, ranks by words (BM25),
by vectors and by similarity joined, and names that are near to the question raised; `bm25` where
there is no model; `grep`, lines that hold the text as it is, where the question has no words or the
index cannot be used. It says, too, how many files were searched, and how many could not be: that
nothing was found there means nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from holdfast.index import vectors
from holdfast.index.asking import words_of
from holdfast.index.code_documents import PIECE, lines_of
from holdfast.index.code_index import CodeIndex, Section
from holdfast.index.vectors import Model, Weights
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import SEARCH_HITS_MAX, SOURCE_CANDIDATES
from holdfast.recall.fusing import fuse
from holdfast.recall.similarity import Read, nearest
from holdfast.recall.snippets import snippet

Level: TypeAlias = Literal["ck", "hybrid", "bm25", "grep"]

HITS_DEFAULT: Final = 10

SIMILAR: Final = 0.35
"""Cosine from which on a section counts for its meaning, too. It was chosen for the order of hits,
and does not tell whether something is there."""


class CodeQuery(msgspec.Struct, frozen=True):
    """What to look for in the code."""

    text: str
    path: str | None = None
    """A text that the path of the file holds."""
    limit: int = HITS_DEFAULT


class CodeHit(msgspec.Struct, frozen=True):
    """A section that was found."""

    path: str
    first_line: int
    last_line: int
    name: str
    """Qualified; empty where the lines are in no definition."""
    kind: str
    score: float
    """What the order is by: joined ranks, BM25, or how many lines hold the text."""
    similarity: float | None
    """How much it says about the question, where vectors were compared and it is among the nearest:
    calibrated, from 0.4 on it is about it. Of `ck` its own score, which is not."""
    snippet: str


class CodeFound(msgspec.Struct, frozen=True):
    """What was found in the code, by which level, over how many files."""

    hits: list[CodeHit]
    more: int
    """Further sections that hold a word of the question."""
    level: Level
    files: int
    """Files that were searched."""
    plain: int
    """Of those, files whose definitions are not known: they were searched by their lines."""
    binary: int
    """Files that hold no text."""
    unread: list[tuple[str, str]]
    """Path and reason of files that could not be searched."""
    nearest: float | None = None
    """The best similarity of all sections; None where no vectors were compared."""
    model: str | None = None
    terms: tuple[str, ...] = ()
    why: str | None = None
    """Why not a higher level."""


class Files(msgspec.Struct, frozen=True):
    """How much of the project can be searched."""

    files: int
    plain: int
    binary: int
    unread: list[tuple[str, str]]


def search_code(index: CodeIndex, model: Model | None, read: Read, query: CodeQuery) -> CodeFound:
    """Find sections of the code, the best first. Looks at what the index has taken in."""
    refuse_empty(query.text)
    counts = index.counts(query.path)
    binary = [path for path, why in counts.unread if why == "binary"]
    unread = [pair for pair in counts.unread if pair[1] != "binary"]
    files = Files(counts.files, counts.plain, len(binary), unread)
    words = words_of(query.text)
    if not words.terms:
        known = (path for path, file in index.known().items() if file.problem is None)
        return grep_code(known, read, query, files, "The question has no words.")
    by_words, total = index.match(words.terms, query.path, SOURCE_CANDIDATES)
    near: list[tuple[int, float]] = []
    if model is not None:
        packed = index.vectors(model.name, query.path)
        asked = index.rarity(list(vectors.words_of(query.text)))
        near = model.nearest(asked, packed, SOURCE_CANDIDATES)
    similar: dict[int, float] = {}
    ranked = by_words
    if model is not None and near:
        said = nearest(index, model, read, query.text, within=query.path).near
        similar = {one.section.id: one.similarity for one in said}
        # The nearest is not yet near: alone it counts from a similarity on that says something.
        telling = [(id_, cosine) for id_, cosine in near if cosine >= SIMILAR]
        found = {id_ for id_, _ in [*by_words, *telling]}
        near_all = [pair for pair in similar.items() if pair[0] in found]
        ranked = _by_name(index, model, asked, fuse([by_words, telling, near_all]))
    limit = max(1, min(query.limit, SEARCH_HITS_MAX))
    hits, lost = _hits(index, read, ranked, similar, frozenset(words.terms), limit)
    return CodeFound(
        hits,
        max(total - len(hits), 0),
        "hybrid" if near else "bm25",
        files.files - len(lost),
        files.plain,
        files.binary,
        sorted([*files.unread, *((path, "changed while it was searched") for path in lost)]),
        max(similar.values(), default=None),
        model.name if model is not None and near else None,
        words.terms,
        None if near else _why_not_hybrid(model),
    )


def _by_name(
    index: CodeIndex, model: Model, asked: Weights, ranked: Sequence[tuple[int, float]]
) -> list[tuple[int, float]]:
    """Let a section count more whose own name is near to the question, at most twice as much."""
    sections = index.sections([id_ for id_, _ in ranked])
    names = {id_: section.name.rpartition(".")[2] for id_, section in sections.items()}
    cosines = dict(zip(names, model.compare_texts(asked, list(names.values())), strict=True))
    raised = [(id_, score * (1 + max(cosines.get(id_, 0.0), 0.0))) for id_, score in ranked]
    return sorted(raised, key=lambda pair: (-pair[1], pair[0]))


def grep_code(
    paths: Iterable[str], read: Read, query: CodeQuery, files: Files, why: str
) -> CodeFound:
    """Find the lines that hold the text, whatever its case; files with most lines first."""
    refuse_empty(query.text)
    wanted = " ".join(query.text.split()).lower()
    found: list[CodeHit] = []
    unread, searched = list(files.unread), 0
    for path in paths:
        if query.path is not None and query.path not in path:
            continue
        source = read(path)
        if source is None:
            unread.append((path, "could not be read"))
            continue
        searched += 1
        held = [
            number
            for number, line in enumerate(lines_of(source[1]), 1)
            if wanted in " ".join(line.split()).lower()
        ]
        lines = lines_of(source[1])
        found += [
            CodeHit(path, n, n, "", PIECE, len(held), None, snippet(lines[n - 1], ())) for n in held
        ]
    found.sort(key=lambda hit: (-hit.score, hit.path, hit.first_line))
    limit = max(1, min(query.limit, SEARCH_HITS_MAX))
    return CodeFound(
        found[:limit],
        len(found) - len(found[:limit]),
        "grep",
        searched,
        files.plain,
        files.binary,
        sorted(unread),
        why=why,
    )


def _why_not_hybrid(model: Model | None) -> str:
    if model is None:
        return "No model is installed: the extra `search` brings one."
    return "Nothing has a vector that could be compared."


def _hits(
    index: CodeIndex,
    read: Read,
    ranked: Sequence[tuple[int, float]],
    similar: dict[int, float],
    terms: frozenset[str],
    limit: int,
) -> tuple[list[CodeHit], set[str]]:
    """Return the first hits with their snippets, and files that changed in the meantime."""
    sections = index.sections([id_ for id_, _ in ranked])
    hits: list[CodeHit] = []
    lost: set[str] = set()
    for id_, score in ranked:
        if len(hits) == limit:
            break
        section = sections.get(id_)
        if section is None:
            continue
        source = read(section.path)
        if source is None or source[0] != section.hash:
            lost.add(section.path)
            continue
        hits.append(_hit(section, score, similar.get(id_), source[1], terms))
    return hits, lost


def _hit(
    section: Section, score: float, similarity: float | None, text: str, terms: frozenset[str]
) -> CodeHit:
    lines = lines_of(text)[section.first_line - 1 : section.last_line]
    return CodeHit(
        section.path,
        section.first_line,
        section.last_line,
        section.name,
        section.kind,
        round(score, 4),
        None if similarity is None else round(similarity, 4),
        snippet("\n".join(lines), terms),
    )


def refuse_empty(text: str) -> None:
    """Refuse a question that says nothing."""
    if not text.strip():
        raise InvalidInput(
            "There is nothing to search for.",
            meaning="Nothing was searched.",
            remedy="Give words, a name or a question.",
        )
