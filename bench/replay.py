"""Send 300 real file histories through the proxy: is the State Map the truth, at every step?

A history is one file as consecutive releases of a package have it (bench/histories.py): Python,
TypeScript and JavaScript. The user pastes it, or a tool reads it; then a scripted model changes it
from release to release, in every form in which code crosses a wire, in three dialects, streamed or
not, over HTTP. Between them come answers of which nothing may become true: bodies left out, broken
syntax, definitions lost or renamed, definitions without a path, changes that the client could not
carry out. After every step `GET /state` is compared with what Python's `ast` or the TypeScript
compiler finds in the text that is then true, digest by digest.

A promotion is wrong when an entity becomes a text that is not the definition of that name in the
true file, or is tombstoned though the file has it. A step counts as promoted when the State Map is
all of the true file's definitions and nothing else. When one was not, a tool reads the file before
the next; those reads count for what is wrong, not for the share.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from bench.harness import Figure, Options, Result, Row, say, scratch_folder, spread
from bench.histories import python_histories, typescript_histories
from holdfast.testing.model_server import ModelServer
from tests.proxy.replaying import Outcome, Replay, play_all
from tests.proxy.running import Running
from tests.proxy.running import options as proxy_options
from tests.proxy.truth import History

NAME = "replay"
TITLE = "Replay 300 file histories through the proxy"

HISTORIES: Final = 300
TOGETHER: Final = 10
"""Histories that share a ledger."""

LEVELS: Final = ("CONFIRMED", "INFERRED", "UNRESOLVED")
GUIDE: Final = Path(__file__).parents[1] / "docs/guide/proxy.md"
_PLACE: Final = re.compile(r"(<!-- levels: begin -->\n).*?(<!-- levels: end -->)", re.DOTALL)


def run(options: Options) -> Result:
    """Measure; a full run puts its table into the guide, too."""
    histories = _chosen(options.pick(HISTORIES, 30))
    outcomes: list[Outcome] = []
    same = []
    for start in range(0, len(histories), TOGETHER):
        found, rebuilt = _played(histories[start : start + TOGETHER], start)
        outcomes += found
        same.append(rebuilt)
        say("." if not any(one.wrong for one in found) else "!")
    result = Result(
        NAME,
        TITLE,
        __doc__ or "",
        1,
        figures=[*_figures(histories, outcomes), _figure("State Maps rebuilt", same)],
        rows=list(_rows(outcomes)),
        notes=[*_described(outcomes), *_held(outcomes)],
    )
    if not options.quick:
        _publish(outcomes, len(histories))
    return result


def _chosen(count: int) -> list[History]:
    """Return histories of both kinds, three of Python for two of the others."""
    others = typescript_histories()[: count * 2 // 5]
    return python_histories()[: count - len(others)] + others


def _played(histories: Sequence[History], seed: int) -> tuple[list[Outcome], float]:
    with (
        scratch_folder() as folder,
        ModelServer() as server,
        Running(proxy_options(folder / "ledger.db", server.url)) as proxy,
    ):
        outcomes = play_all(Replay(proxy, server, seed + 1), histories)
        page = proxy.look("/state")
        same = proxy.rebuilt() == (page["as_of_seq"], page["digest"])
    return outcomes, float(same)


def _figure(what: str, same: Sequence[float]) -> Figure:
    name = f"{what} from the ledger that equal the live ones"
    return Figure(name, spread([100 * sum(same) / len(same)]), "%", at_least=100)


def _figures(histories: Sequence[History], outcomes: Sequence[Outcome]) -> Iterator[Figure]:
    wrong = sum(len(outcome.wrong) for outcome in outcomes)
    counted = [outcome for outcome in outcomes if outcome.counted]
    models = [outcome for outcome in counted if outcome.speaker == "model"]
    yield Figure("histories", spread([len(histories)]), "", at_least=min(HISTORIES, len(histories)))
    yield Figure("steps compared with the truth", spread([len(outcomes)]), "")
    yield Figure("wrong promotions", spread([wrong]), "", at_most=0)
    yield Figure(
        "steps with a path and whole definitions that were promoted",
        spread([_share(counted)]),
        "%",
        at_least=85,
    )
    yield Figure("of those, the model's", spread([_share(models)]), "%", at_least=85)


def _share(outcomes: Sequence[Outcome]) -> float:
    return 100 * sum(outcome.promoted for outcome in outcomes) / max(1, len(outcomes))


def _rows(outcomes: Sequence[Outcome]) -> Iterator[Row]:
    counted = [outcome for outcome in outcomes if outcome.counted]
    for what, key in (("", _language), ("", _form), ("dialect ", _dialect)):
        groups: dict[str, list[Outcome]] = {}
        for outcome in counted:
            groups.setdefault(what + key(outcome), []).append(outcome)
        for name, group in sorted(groups.items()):
            yield Row(name, f"promoted of {len(group)}", "%", spread([_share(group)]))
    quiet = Counter(outcome.form for outcome in outcomes if outcome.speaker == "nobody")
    for form, count in sorted(quiet.items()):
        moved = sum(len(one.wrong) for one in outcomes if one.form == form)
        yield Row(f"{form} ({count} steps)", "wrong promotions", "", spread([moved]))


def _language(outcome: Outcome) -> str:
    return outcome.history.language


def _form(outcome: Outcome) -> str:
    return f"{outcome.speaker}: {outcome.form}"


def _dialect(outcome: Outcome) -> str:
    return outcome.dialect + (", streamed" if outcome.streamed else "")


def _described(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Say how large it was."""
    packages = {outcome.history.package for outcome in outcomes}
    texts = {id(outcome.history): len(outcome.history.texts) for outcome in outcomes}
    yield f"{len(packages)} packages, {sum(texts.values())} texts of {len(texts)} files."
    for level, right, wrong in levels(outcomes):
        yield f"{level}: {right} steps right, {wrong} wrong."


def _held(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Say why steps were not promoted, the most frequent reason first."""
    for reason, count in held_back(outcomes).most_common():
        yield f"{count} not promoted: {reason}."


def held_back(outcomes: Sequence[Outcome]) -> Counter[str]:
    """Count why steps were not promoted."""
    held = (outcome for outcome in outcomes if outcome.counted and not outcome.promoted)
    return Counter(_kind(outcome.reasons) for outcome in held)


def _kind(reasons: Sequence[str]) -> str:
    """Return what speaks against a step, without what differs from file to file."""
    for sign, kind in _KINDS:
        if any(sign in reason for reason in reasons):
            return kind
    others = [reason for reason in reasons if reason not in _FOR]
    return others[-1] if others else "a definition is gone, and nothing else is new"


_FOR: Final = frozenset({"every definition is still there", "the user gave it", "read from disk"})
_KINDS: Final = (
    ("renamed ", "a definition came back under another name"),
    ("no longer defines", "a definition is gone, and nobody said so"),
    ("are left, less than", "too little of it is left"),
    ("has errors", "the grammar cannot parse all of it"),
    ("not all written out", "a comment in it reads as if something were left out"),
    ("are left out", "a comment in it reads as if something were left out"),
    ("not written to its end", "a line in it reads as if something were left out"),
    ("the file is not there", "the text that it changes is not known"),
    ("does not stand in the base", "the text that it changes is not known"),
    ("is to stand is not known", "a definition that is new, and where it belongs is not known"),
)


def levels(outcomes: Sequence[Outcome]) -> Iterator[tuple[str, int, int]]:
    """Yield for each level how often it was right and how often it was wrong.

    CONFIRMED is wrong when something became what it is not; INFERRED, when it names another entity
    than the one that the code is of; UNRESOLVED, when there was a path and all of the file.
    """
    for level in LEVELS:
        seen = [one for one in outcomes if one.levels and one.levels[-1] == level]
        wrong = sum(_is_wrong(one, level) for one in seen)
        yield level, len(seen) - wrong, wrong


def _is_wrong(outcome: Outcome, level: str) -> bool:
    if outcome.wrong:
        return True
    if level == "INFERRED":
        return outcome.near != outcome.of
    return level == "UNRESOLVED" and outcome.counted


def _publish(outcomes: Sequence[Outcome], histories: int) -> None:
    """Put the table of levels into the guide."""
    text = GUIDE.read_text(encoding="utf-8")
    table = "\n".join(_section(outcomes, histories))
    GUIDE.write_text(_PLACE.sub(lambda found: f"{found[1]}{table}\n{found[2]}", text), "utf-8")


def _section(outcomes: Sequence[Outcome], histories: int) -> Iterator[str]:
    counted = [outcome for outcome in outcomes if outcome.counted]
    wrong = sum(len(outcome.wrong) for outcome in outcomes)
    yield "## How often it is right"
    yield ""
    yield (
        f"{histories} files, each as two to four consecutive releases of a package have it, "
        "crossed the proxy as users paste and models write them, in every form, with broken, "
        "elided, renamed and lost code between. "
        f"After each of {len(outcomes):,} steps `/state` was compared with what Python's `ast` or "
        "the TypeScript compiler finds in the true file "
        "(`python -m bench --only replay`; more in [performance.md](../performance.md))."
    )
    yield ""
    yield "| level | right | wrong |"
    yield "|---|---|---|"
    for level, right, bad in levels(outcomes):
        yield f"| {level} | {right:,} | {bad:,} |"
    yield ""
    promoted = sum(outcome.promoted for outcome in counted)
    yield (
        f"Wrong promotions: {wrong}. Of {len(counted):,} steps with a path and whole definitions, "
        f"{promoted:,} were promoted ({_share(counted):.1f} %). Why the others wait:"
    )
    yield ""
    yield "| steps | reason |"
    yield "|---|---|"
    for reason, count in held_back(outcomes).most_common():
        yield f"| {count} | {reason} |"
    yield ""
    yield (
        "CONFIRMED is wrong when an entity becomes what the true file does not define by that "
        "name. INFERRED is wrong when the code is another entity's than the one named; "
        "UNRESOLVED, when a path and the whole change were given. Neither changes the State Map."
    )
