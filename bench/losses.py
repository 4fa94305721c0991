"""Loss report: is every item that a summary dropped named, and nothing that it still says.

A session with 200 items is planted in a ledger: decisions, constraints in the user's words, open
work, commands with exit codes, paths, numbers. A summary keeps a third of them word for word, puts
a third otherwise and drops a third; for each that it drops it says something that is near it and is
not it. Sentences, their paraphrases and what is near them are written by hand (`bench/summaries`);
commands, paths and numbers are put together from lists that the matching knows nothing of.

A paraphrase of a command names its program and what it was run on; of a path, its last part; of a
number, the same amount in another sentence. What was kept word for word is easily found, and is
half of what can be a false alarm, so those among paraphrases are told apart.

The matching was chosen by three files of sentences. What is told here comes from a fourth, written
afterwards, with seeds that nothing was chosen by. When it was first measured nothing was missed
with the first seed, and 4 of 1,280 dropped items with all 20 seeds: two sentences. One was a fault
(`passed` was taken for a form of `password`), the other became a rule (a sentence that lacks every
number of an item does not say it). With all 20 seeds the fourth file is no longer untouched.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from bench.harness import Figure, Options, Result, Row, end_round, scratch_folder, spread
from bench.summaries import Planted, Session, session
from holdfast.config import Seal, Settings
from holdfast.kernel.entry import Actor
from holdfast.ledger.ledger import Draft
from holdfast.views.loss import Judged
from holdfast.wiring.losses import lost
from holdfast.wiring.opening import open_ledger
from holdfast.wiring.places import place_of
from holdfast.wiring.project import open_project

NAME = "losses"
TITLE = "What a compaction lost"

HELD_OUT: Final = 7_001
"""The first of the seeds that nothing was chosen by."""
FALSE_ALARMS_MAX: Final = 5.0


class Told:
    """How planted items came out."""

    def __init__(self) -> None:
        self.found: list[tuple[Planted, str]] = []

    def add(self, planted: Session, judged: list[Judged]) -> None:
        """Hold what was found against what was planted."""
        fates = {(_kind(one), _named(one)): one.fate for one in judged}
        for item in planted.planted:
            self.found.append((item, fates.get((item.kind, item.text), "not an item")))

    def missed(self) -> list[Planted]:
        """Return what was dropped and is not named so."""
        return [item for item, fate in self.found if item.fate == "dropped" != fate]

    def alarms(self, *fates: str) -> list[Planted]:
        """Return what was kept or paraphrased and is named as dropped, or not known at all."""
        wrong = ("dropped", "not an item")
        return [item for item, fate in self.found if item.fate in fates and fate in wrong]

    def share(self, *fates: str) -> float:
        """Return the share of false alarms, in percent."""
        of = sum(item.fate in fates for item, _ in self.found)
        return 100 * len(self.alarms(*fates)) / of


def _kind(one: Judged) -> str:
    """Return the kind as it was planted: the user's words are told with or without obliging."""
    return "constraint" if one.kind == "request" else one.kind


def _named(one: Judged) -> str:
    """Return what a planted item is called: a number, by the sentence it stands in."""
    if one.kind != "number":
        return one.text
    return one.text.partition(" (")[2].removesuffix(")")


def run(options: Options) -> Result:
    """Measure."""
    first = measured("held", HELD_OUT)
    several = [measured("held", HELD_OUT + at) for at in range(options.pick(20, 3))]
    every = Told()
    every.found = [one for told in several for one in told.found]
    end_round()
    return Result(
        NAME,
        TITLE,
        __doc__ or "",
        options.rounds,
        figures=[
            Figure(
                "dropped items of 200 that are not named",
                spread([len(first.missed())]),
                unit="",
                at_most=0,
            ),
            Figure(
                "false alarms",
                spread([first.share("kept", "paraphrased")]),
                unit=" %",
                at_most=FALSE_ALARMS_MAX,
            ),
        ],
        rows=_rows(several, every),
    )


def _rows(several: list[Told], every: Told) -> list[Row]:
    missed = Counter(item.kind for item in every.missed())
    alarms = Counter(item.kind for item in every.alarms("kept", "paraphrased"))
    what = f"{len(several)} seeds"
    return [
        Row(
            what,
            "dropped and not named, each of 200 items",
            "",
            spread([float(len(t.missed())) for t in several]),
        ),
        Row(what, "false alarms", "%", spread([t.share("kept", "paraphrased") for t in several])),
        Row(
            what,
            "false alarms among paraphrases",
            "%",
            spread([t.share("paraphrased") for t in several]),
        ),
        *(
            Row(kind, f"{word}, all seeds", "", spread([float(count[kind])]))
            for count, word in ((missed, "not named"), (alarms, "false alarms"))
            for kind in sorted(count)
        ),
    ]


def measured(name: str, seed: int) -> Told:
    """Plant a session, let it be compacted, and ask what is lost."""
    planted = session(name, seed, prose=62 if name != "first" else 42)
    told = Told()
    with scratch_folder() as folder:
        place = place_of(folder)
        open_ledger(place.database, create=True).close()
        settings = Settings(seal=Seal(auto=False))
        with open_project(place, settings, Actor("agent", "bench"), session_id="bench") as project:
            project.sessions.start("bench")
            project.ledger.append_many([Draft(*item.entry) for item in planted.planted])
            data = {"agent": "bench", "trigger": "auto", "summary": planted.summary}
            project.ledger.append("context_compacted", data)
            report = lost(project, "bench")
            told.add(planted, list(report.items))
    return told
