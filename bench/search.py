"""Search in a ledger of 1,000,000 decisions, beside tantivy and ripgrep over the same texts.

200 questions of each band, rare, medium and common words, one to three words each. Ours is
`recall.search.search`, ten hits with their snippets read from the ledger. Tantivy, stemming English
as we do, takes its default query, any of the words, and fetches the stored texts of its ten hits.
Both are warm and take turns, question by question. ripgrep counts the lines of the ledger's JSONL
that hold any of the words, whatever their case, in a process of its own, for a few questions of
each band.

How good the order is: the share of the ten entries that a full BM25 over every match, by SQLite's
FTS5 over the same terms, puts first as well; entries with all words first, for both. Entries with
equal scores are told apart by chance there, so that 1 cannot be reached.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec

import holdfast
from bench import corpus
from bench.harness import (
    SCRATCH,
    CannotMeasureError,
    Figure,
    Measured,
    Options,
    Result,
    Row,
    end_round,
    percentile,
    ratios,
    say,
    scratch_folder,
    spread,
    spread_of,
)
from holdfast.index.asking import words_of
from holdfast.index.terms import count_terms
from holdfast.index.views import Views
from holdfast.kernel import entry as entries
from holdfast.ledger.ledger import Ledger
from holdfast.ledger.redaction import Redactor
from holdfast.recall.search import Query, search
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.wiring.looking import open_reader
from holdfast.wiring.places import place_of

NAME = "search"
TITLE = "Search"
HITS: Final = 10


def run(options: Options) -> Result:
    """Measure."""
    size = options.pick(1_000_000, 20_000)
    texts = Texts(size)
    asked = corpus.questions(texts.sample(), options.pick(200, 20))
    found: dict[str, list[Measured]] = {}
    with scratch_folder() as folder, ExitStack() as stack:
        views = stack.enter_context(Views(str(folder / "views.db")))
        reader = open_reader(texts.root)
        stack.callback(reader.close)
        before = time.perf_counter()
        views.catch_up(reader)
        rate = size / (time.perf_counter() - before)
        peer = Tantivy(texts)
        for number in range(options.rounds + 1):
            for band, questions in asked.items():
                measured = _round(lambda text: _ours(views, reader, text), peer, questions)
                scanned = _scan(texts.lines, questions[:: len(questions) // options.pick(5, 2)])
                if number:  # the first is to warm up
                    found.setdefault(band, []).append({**measured, "scan_ms": scanned})
            end_round()
        overlap = _overlaps(views, reader, texts, asked, folder, options.pick(60, 10))
    say("\n")
    return Result(
        NAME,
        TITLE,
        __doc__ or "",
        options.rounds,
        figures=[*_figures(found), *overlap, _rate(rate)],
        rows=_rows(found),
    )


class Texts:
    """A ledger of decisions and its lines as one file, built once and kept."""

    def __init__(self, size: int) -> None:
        self.size = size
        home = SCRATCH / "search" / f"{size}-{sys.version_info[0]}.{sys.version_info[1]}"
        self.root = home / "ledger"
        self.lines = home / "lines.jsonl"
        self.tantivy = home / "tantivy"
        if not (home / "ready").exists():
            shutil.rmtree(home, ignore_errors=True)
            self.root.mkdir(parents=True)
            self._build()
            (home / "ready").touch()

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Yield every number with its text."""
        decode = msgspec.json.decode
        with self.lines.open("rb") as file:
            for seq, line in enumerate(file):
                data = decode(entries.read(line[:-1]).data)
                yield seq, " ".join((data["question"], data["choice"], data["reasoning"]))

    def sample(self) -> list[str]:
        """Return texts from all over."""
        step = max(1, self.size // corpus.SAMPLE_TEXTS)
        return [text for _, text in islice(self, 0, None, step)]

    def _build(self) -> None:
        say(f"\r  building a ledger of {self.size:,} texts … ")
        holdfast.open(self.root).close()
        place = place_of(self.root)
        ledger = Ledger(
            SqliteEngine(str(place.database), synchronous="OFF"),
            redactor=Redactor(place.key.read_bytes()),
        )
        for draft in corpus.drafts(self.size):  # one by one, as in real use
            ledger.append(draft.type, draft.data, session_id=draft.session_id)
        with self.lines.open("wb") as file:
            for stored in ledger.lines():
                file.write(stored.body + b"\n")
        ledger.close()


class Tantivy:
    """The same texts in tantivy, built once and kept."""

    def __init__(self, texts: Texts) -> None:
        try:
            import tantivy
        except ImportError as error:
            raise CannotMeasureError("tantivy is not installed: run `make bench`") from error
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("text", stored=True, tokenizer_name="en_stem")
        builder.add_integer_field("seq", stored=True)
        schema = builder.build()
        if not (texts.tantivy / "meta.json").exists():
            say(" building tantivy's index … ")
            texts.tantivy.mkdir(exist_ok=True)
            writer = tantivy.Index(schema, path=str(texts.tantivy)).writer(200_000_000)
            for seq, text in texts:
                writer.add_document(tantivy.Document(text=text, seq=seq))
            writer.commit()
            writer.wait_merging_threads()
        self._index = tantivy.Index.open(str(texts.tantivy))
        self._searcher = self._index.searcher()

    def __call__(self, text: str) -> None:
        query = self._index.parse_query(text, ["text"])
        for _, address in self._searcher.search(query, HITS, count=False).hits:
            self._searcher.doc(address)["text"]


def _ours(views: Views, reader: Any, text: str) -> None:
    search(views, reader, Query(text, limit=HITS))


def _round(ours: Any, theirs: Any, questions: Sequence[str]) -> dict[str, float]:
    """Ask both in turns; return the middle and the 95th of 100 times of each."""
    clock = time.perf_counter
    spent: dict[str, list[float]] = {"ours": [], "theirs": []}
    for text in questions:
        for name, ask in (("ours", ours), ("theirs", theirs)):
            before = clock()
            ask(text)
            spent[name].append((clock() - before) * 1000)
    return {
        f"{name}_p{share}_ms": percentile(times, share / 100)
        for name, times in spent.items()
        for share in (50, 95)
    }


def _scan(lines: Path, questions: Sequence[str]) -> float:
    """Return the middle time that ripgrep takes to look through everything."""
    program = Path(sys.executable).with_name("rg")
    if not program.exists():
        raise CannotMeasureError("ripgrep is not installed: run `make bench`")
    times = []
    for text in questions:
        patterns = [part for word in text.split() for part in ("-e", word)]
        command = [
            str(program),
            "--count",
            "--ignore-case",
            "--fixed-strings",
            *patterns,
            str(lines),
        ]
        before = time.perf_counter()
        subprocess.run(command, capture_output=True, check=False)
        times.append((time.perf_counter() - before) * 1000)
    return percentile(times, 0.5)


def _overlaps(
    views: Views, reader: Any, texts: Texts, asked: Any, folder: Path, count: int
) -> list[Figure]:
    """Compare the order with that of a full BM25."""
    full = apsw.Connection(str(folder / "full.db"))
    full.pragma("synchronous", "OFF")
    full.execute(
        "CREATE VIRTUAL TABLE words"
        """ USING fts5 (terms, content = '', tokenize = "ascii tokenchars '_.-'")"""
    )
    with full:
        rows = ((seq, " ".join(count_terms(text)[0].elements())) for seq, text in texts)
        full.executemany("INSERT INTO words (rowid, terms) VALUES (?, ?)", rows)
    figures = []
    for band, questions in asked.items():
        shares = []
        for text in questions[:count]:
            best = _best(full, text)
            if not best:  # its words were replaced as secrets
                continue
            hits = {hit.seq for hit in search(views, reader, Query(text, limit=HITS)).hits}
            shares.append(len(hits & set(best)) / len(best))
        mean = sum(shares) / len(shares)
        what = f"of the ten that a full BM25 puts first, {band} words"
        figures.append(Figure(what, spread([mean]), unit=""))
    full.close()
    return figures


def _best(full: apsw.Connection, text: str) -> list[int]:
    """Return the ten best of all matches, those with all words first."""
    statement = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?"
    terms = [f'"{term}"' for term in words_of(text).terms]
    best: dict[int, None] = {}
    for joined in (" AND ".join(terms), " OR ".join(terms)):
        if len(best) < HITS:
            best |= dict.fromkeys(seq for (seq,) in full.execute(statement, (joined, 2 * HITS)))
    return list(best)[:HITS]


def _figures(found: dict[str, list[Measured]]) -> Iterator[Figure]:
    for band, rounds in found.items():
        for share in (50, 95):
            ours = [{"ms": one[f"ours_p{share}_ms"]} for one in rounds]
            theirs = [{"ms": one[f"theirs_p{share}_ms"]} for one in rounds]
            what = f"p{share} : tantivy's, {band} words"
            yield Figure(what, ratios(ours, theirs, "ms"), at_most=10)
    for share in (50, 95):
        for band, rounds in found.items():
            faster = spread([one["scan_ms"] / one[f"ours_p{share}_ms"] for one in rounds])
            yield Figure(f"ripgrep's scan : p{share}, {band} words", faster, at_least=20)


def _rate(entries_per_s: float) -> Figure:
    return Figure(
        "entries taken into the views each second, folds and index",
        spread([entries_per_s]),
        unit="/s",
    )


def _rows(found: dict[str, list[Measured]]) -> list[Row]:
    names = {"ours": "holdfast", "theirs": "tantivy"}
    rows = [
        Row(f"{subject}, {band} words", f"p{share}", "ms", spread_of(rounds, f"{key}_p{share}_ms"))
        for band, rounds in found.items()
        for key, subject in names.items()
        for share in (50, 95)
    ]
    rows += [
        Row(f"ripgrep, {band} words", "scan", "ms", spread_of(rounds, "scan_ms"))
        for band, rounds in found.items()
    ]
    return rows
