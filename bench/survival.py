"""Compaction survival: what agents wrote down, after compaction, kills and a move of the project.

200 sessions (`bench/stories.py`), ten in a process, their entries in turns by chance, four
processes at a time in one project. Each process records one entry after the other, makes the
checkpoints that tool calls make due, seals (compacts) at random points with a random number of
entries kept, and is killed with SIGKILL at a random point of the second half of its work; every
other one a moment after its next seal began. Then the project's folder is renamed. An item counts
when its append was acknowledged: what a killed process never wrote is nobody's loss.

Kept: `restore` of the session gives the entry back, with the leaf hash that was acknowledged, and
with the exact bytes of the data that was given. Given back: the capsule of the item's session
(`resume --session`), then what `search --tokens` shows for one question about it (`answer`, which
the command prints) with the tokens that the capsule leaves of 2,000, as the built-in counter
counts; both together are cut there. The item's words must stand in it as they are, a command's
right before its exit code. Nothing narrows the search: it sees all 200 sessions.
No question holds the item, nor three words in a row of the entry that has it; that is checked.

Beside it stand the published shares of what plain compaction of the conversation gave back.
"""

from __future__ import annotations

import multiprocessing
import random
import re
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Final

import msgspec

import holdfast
from bench.harness import (
    CannotMeasureError,
    Figure,
    Options,
    Result,
    Row,
    Spread,
    end_round,
    say,
    scratch_folder,
)
from bench.ledgers import NEVER
from bench.stories import CLASSES, Planted, Story, stories
from holdfast.config import Checkpoint, Settings
from holdfast.kernel import canonical
from holdfast.kernel.hashing import leaf_hash
from holdfast.kernel.tokens import estimate
from holdfast.ledger.restoring import restore
from holdfast.recall.answers import Answer, answer, limit_for
from holdfast.recall.search import Query
from holdfast.wiring.places import place_of
from holdfast.wiring.project import Project
from holdfast.wiring.restoring import index_of
from holdfast.wiring.resuming import resume

NAME = "survival"
TITLE = "Compaction survival"
SESSIONS_EACH: Final = 10
AGENTS_AT_ONCE: Final = 4
SEAL_CHANCE: Final = 1 / 60
"""How often an append is followed by a seal."""

KILL_DELAY_S_MAX: Final = 0.03
"""How long after a seal began an agent may still live, at most; so long it takes, or longer."""

TOKENS_MAX: Final = 2_000
WORDS_SHARED_MAX: Final = 2
PUBLISHED: Final = {"decisions": 77.0, "paths": 9.8, "numbers": 1.9, "commands": 0.2}
"""Percent of each class that plain compaction gave back; the user's words were not measured."""


class Acknowledged(msgspec.Struct, frozen=True):
    """An entry whose append returned."""

    story: int
    at: int
    leaf: str


def run(options: Options) -> Result:
    """Measure."""
    told = stories(options.pick(200, 20))
    for story in told:
        for item in story.planted:
            check_question(item, story)
    with scratch_folder() as folder:
        root = folder / "project"
        root.mkdir()
        holdfast.open(root, seal=NEVER).close()
        acknowledged, sealing = _record(root, told)
        moved = root.rename(folder / "renamed")
        end_round()
        kept, given = _look(moved, told, acknowledged)
    say("\n")
    return Result(
        NAME,
        TITLE,
        __doc__ or "",
        1,
        figures=[
            *(_figure("kept", kind, kept[kind], 100.0) for kind in CLASSES),
            *(_figure("given back", kind, given[kind], 90.0) for kind in CLASSES),
        ],
        rows=[
            *_rows(given),
            Row("entries", "acknowledged", "", _same(len(acknowledged))),
            Row("agents", "killed in the middle of a seal", "", _same(sealing)),
        ],
    )


def check_question(item: Planted, story: Story) -> None:
    """Refuse a question that quotes its answer."""
    entry = _words(canonical.encode(dict(story.drafts[item.at].data)).decode())
    asked = _words(item.question)
    length = WORDS_SHARED_MAX + 1
    runs = {tuple(entry[i : i + length]) for i in range(len(entry) - length + 1)}
    quoted = [run for i in range(len(asked)) if (run := tuple(asked[i : i + length])) in runs]
    if quoted or item.is_in(item.question):
        raise AssertionError(f"{item.question!r} quotes its answer: {quoted}")


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


# The agents


def _record(root: Path, told: Sequence[Story]) -> tuple[list[Acknowledged], int]:
    """Let agents work, some at a time, until each is killed; tell how many died in a seal."""
    chance = random.Random(3)
    groups = [range(i, min(i + SESSIONS_EACH, len(told))) for i in range(0, len(told), 10)]
    spawn = multiprocessing.get_context("spawn")
    working: dict[Connection, _Agent] = {}
    found: list[Acknowledged] = []
    sealing = 0
    while groups or working:
        while groups and len(working) < AGENTS_AT_ONCE:
            agent = _Agent(spawn, root, groups.pop(0), told, chance)
            working[agent.pipe] = agent
        for pipe in wait(list(working)):
            assert isinstance(pipe, Connection)
            if not working[pipe].hear():
                agent = working.pop(pipe)
                found += agent.found
                sealing += agent.sealing
                say(".")
    return found, sealing


class _Agent:
    """A process that records some sessions, and when it is to die."""

    def __init__(
        self, spawn: Any, root: Path, numbers: range, told: Sequence[Story], chance: random.Random
    ) -> None:
        entries = sum(len(told[number].drafts) for number in numbers)
        self._dies_at = chance.randint(entries // 2, entries - 1)
        self._dies_sealing = numbers.start // SESSIONS_EACH % 2 == 1
        self._wait_s = chance.uniform(0, KILL_DELAY_S_MAX)
        self.sealing = False
        self.found: list[Acknowledged] = []
        self.pipe, theirs = spawn.Pipe()
        arguments = (theirs, root, [(n, told[n]) for n in numbers], chance.random())
        self._process = spawn.Process(target=_work, args=arguments, daemon=True)
        self._process.start()
        theirs.close()

    def hear(self) -> bool:
        """Take what was acknowledged; kill when it is time. False when all is said."""
        try:
            heard = self.pipe.recv()
        except EOFError:
            self._process.join()
            if self._process.exitcode != -signal.SIGKILL:
                code = self._process.exitcode
                raise CannotMeasureError(f"an agent ended by itself, with {code}") from None
            return False
        if isinstance(heard, bool):
            self.sealing = heard
        else:
            self.found.append(heard)
        if len(self.found) >= self._dies_at and self.sealing >= self._dies_sealing:
            time.sleep(self._wait_s if self._dies_sealing else 0)
            self._process.kill()
        return True


def _work(pipe: Connection, root: Path, told: list[tuple[int, Story]], seed: float) -> None:
    """Record sessions in turns, until killed."""
    chance = random.Random(seed)
    place = place_of(root)
    ledger = holdfast.open(root, create=False, seal=NEVER)
    project = Project(place, Settings(checkpoint=Checkpoint()), ledger)
    turns = [index for index, (_, story) in enumerate(told) for _ in story.drafts]
    chance.shuffle(turns)
    reached = [0] * len(told)
    for index in turns:
        (number, story), at = told[index], reached[index]
        reached[index] += 1
        draft = story.drafts[at]
        receipt = ledger.append(draft.type, draft.data, session_id=draft.session_id)
        pipe.send(Acknowledged(number, at, receipt.leaf))
        if draft.type == "tool_called":
            project.checkpoints.after_call(draft.session_id)
        if chance.random() < SEAL_CHANCE:
            pipe.send(True)
            project.sealer.seal(keep=chance.randint(0, 150), trigger="pressure", wait_s=0)
            pipe.send(False)
    pipe.send(True)
    while True:  # all is recorded before the blow fell: it falls while something is going on
        project.sealer.seal(keep=0, trigger="pressure")


# What came through


def _look(
    root: Path, told: Sequence[Story], acknowledged: Sequence[Acknowledged]
) -> tuple[dict[str, list[bool]], dict[str, list[dict[str, bool]]]]:
    """Restore every session and ask every question."""
    kept: dict[str, list[bool]] = {kind: [] for kind in CLASSES}
    given: dict[str, list[dict[str, bool]]] = {kind: [] for kind in CLASSES}
    leaves = {(one.story, one.at): one.leaf for one in acknowledged}
    place = place_of(root)
    with closing(Project(place, Settings(), holdfast.open(root, create=False))) as project:
        project.views.catch_up(project.ledger.reader)
        for number, story in enumerate(told):
            restored = _restored(project, story.session_id)
            capsule = resume(project, story.session_id).text if restored else ""
            for item in story.planted:
                leaf = leaves.get((number, item.at))
                if leaf is None:
                    continue
                data = canonical.encode(dict(story.drafts[item.at].data))
                kept[item.kind].append(b'"data":' + data in restored.get(leaf, b""))
                given[item.kind].append(_given(project, capsule, item))
    return kept, given


def _restored(project: Project, session_id: str) -> dict[str, bytes]:
    """Return the entries of a session by their leaf hash, taken anew."""
    with index_of(project.place) as where:
        found = restore(project.ledger.reader, project.archives, session_id, where=where)
    if not found.whole:
        raise AssertionError(f"{session_id} is not whole: {found.missing} {found.damaged}")
    return {leaf_hash(stored.body).hex(): stored.body for stored in found.entries}


def _given(project: Project, capsule: str, item: Planted) -> dict[str, bool]:
    """Ask for an item, and tell by what it came back."""
    told = asked(project, item.question, TOKENS_MAX - estimate(f"{capsule}\n"))
    given = {
        "both": item.is_in(cut(f"{capsule}\n{told.text}", TOKENS_MAX)),
        "capsule": item.is_in(capsule),
        "first hit": bool(told.parts) and item.is_in(told.parts[0].text),
    }
    if not given["both"]:
        say(f"\n  not given back: {item.kind}: {item.question} -> {item.text}")
    return given


def asked(project: Project, question: str, tokens: int) -> Answer:
    """Return what `holdfast search --tokens` shows; it must keep to the tokens."""
    query = Query(question, limit=limit_for(tokens))
    told = answer(project.views, project.ledger.reader, query, tokens)
    if estimate(told.text) > tokens or told.found.not_searched:
        raise AssertionError(f"{question!r} was not answered as promised: {told.found}")
    return told


def cut(text: str, tokens_max: int) -> str:
    """Return the longest beginning of a text that takes no more tokens than it may."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate(text[:middle]) <= tokens_max:
            low = middle
        else:
            high = middle - 1
    return text[:low]


# What is told of it


def _percent(found: Sequence[bool]) -> float:
    if not found:
        raise CannotMeasureError("no item of a class was acknowledged")
    return 100.0 * sum(found) / len(found)


def _same(value: float) -> Spread:
    return Spread(value, value, value)


def _figure(what: str, kind: str, found: Sequence[Any], at_least: float) -> Figure:
    told = [one["both"] if isinstance(one, dict) else one for one in found]
    name = f"{kind}: {what}, of {len(told)}"
    return Figure(name, _same(_percent(told)), unit="%", at_least=at_least)


def _rows(given: dict[str, list[dict[str, bool]]]) -> Iterator[Row]:
    for kind, found in given.items():
        for what, key in (
            ("by capsule and search", "both"),
            ("by the capsule alone", "capsule"),
            ("by the first hit alone", "first hit"),
        ):
            yield Row(kind, what, "%", _same(_percent([one[key] for one in found])))
        if kind in PUBLISHED:
            yield Row(kind, "plain compaction, as published", "%", _same(PUBLISHED[kind]))
