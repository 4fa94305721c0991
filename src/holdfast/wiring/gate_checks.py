"""What the gate looks at, step by step: each check yields what is in the way of a clear."""

from __future__ import annotations

import shlex
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import msgspec

from holdfast.evidence import citations
from holdfast.kernel.limits import CITATIONS_MAX, GATE_BLOCKS_NAMED, SCENARIOS_MIN
from holdfast.kernel.types import Block
from holdfast.kernel.types.evidence import grounds_of
from holdfast.ledger.erased import ErasedArtifacts
from holdfast.ledger.now import items_now
from holdfast.ledger.numbered import entries_at
from holdfast.stores import evidence, tasks
from holdfast.stores.gate import FORKS, GHOSTS, SEARCHES, newest
from holdfast.stores.sessions import open_ids
from holdfast.stores.wording import bounded
from holdfast.wiring.surviving import EXCUSED, survival

if TYPE_CHECKING:
    from holdfast.kernel.entry import Entry
    from holdfast.ledger.forks import Fork
    from holdfast.ledger.grounding import Ratio, Ungrounded
    from holdfast.ledger.ledger import Ledger
    from holdfast.stores import Items
    from holdfast.wiring.project import Project

SAID_CHARS: Final = 200
"""Characters of what somebody wrote that a reason repeats."""

UNPROVED: Final = "unproved"

FAULTS: Final = {
    citations.RELATIVE_PATH: "has a citation with a relative path",
    citations.ABSOLUTE_PATH: "has a citation with a path that is not below ${PROJECT_ROOT}",
    citations.PARENT_PATH: "has a citation whose path leaves the project",
    citations.LEAVES_ROOT: "has a citation whose path leaves the project",
    citations.NO_QUOTE: "has a citation without a word-for-word quote",
    citations.TOO_SHORT: "has a quote that is too short to prove anything",
    citations.OWN_FILE: "has a citation of the notes, or of a file that holdfast or git writes",
    UNPROVED: "says that it is grounded, and the vault does not prove it",
}
"""What is wrong with a citation in itself: it blocks, whatever the ratio."""

_FORM: Final = f"'{citations.FORM}'"


def ratio_of(project: Project) -> Ratio:
    """Work out how many of the decisions since the last clear are grounded.

    What counts as grounded has to be proved from the vault: nobody's word is taken.
    """
    from holdfast.ledger.grounding import Ungrounded, ratio_and_rested

    _now(project, "decisions")
    found, rested = ratio_and_rested(project.views)
    said = entries_at(project.ledger, (one.at for one in rested))
    erased = ErasedArtifacts(project.ledger.reader)
    unproved = [
        Ungrounded(one.id, one.seq, one.choice, [UNPROVED])
        for one, entry in zip(rested, said, strict=True)
        if not _is_proved(project.ledger, entry, one.cited, erased)
    ]
    grounded = found.grounded - len(unproved)
    return msgspec.structs.replace(
        found,
        grounded=grounded,
        ungrounded=sorted([*found.ungrounded, *unproved], key=lambda one: -one.seq),
        value=grounded / found.total if found.total else 1.0,
    )


def grounding(project: Project, ratio: Ratio) -> Iterator[Block]:
    """Step 1: enough decisions are grounded, and no citation is of a form that proves nothing."""
    threshold = project.settings.gate.threshold
    below = ratio.value < threshold
    if below:
        yield Block(
            step=1,
            reason=refusal(ratio, threshold),
            remedy=f"`holdfast ground ID --evidence {_FORM}` or `holdfast ground ID --assumption`.",
        )
    listed = [one for one in ratio.ungrounded if below or _malformed(one)]
    listed += [one for one in _assumed(project, ratio) if _malformed(one)]
    said = entries_at(project.ledger, (one.seq for one in listed))
    blocks = (_ungrounded(project, one, entry) for one, entry in zip(listed, said, strict=True))
    yield from named(blocks, 1, "decisions")


def refusal(ratio: Ratio, threshold: float) -> str:
    """Return the message for a ratio that is too low."""
    lacking = ratio.total - ratio.grounded
    hundredths = ratio.grounded * 100 // max(1, ratio.total)  # cut: never as high as it is not
    return (
        f"Cannot clear: {lacking} decisions lack grounded citations.\n"
        "Add evidence or mark as [ASSUMPTION] before clearing.\n"
        f"Current grounding ratio: {hundredths / 100:.2f} (required: {threshold:g})"
    )


def ghosts(project: Project) -> Iterator[Block]:
    """Step 2: every feature said to be missing was looked for, twice, and not found."""
    items = _now(project, "gate")
    yield from named((_ghost(item) for _, item in newest(items, GHOSTS)), 2, "ghosts")


def forks(project: Project) -> Iterator[Block]:
    """Step 3: no decision stands against another, or against the code."""
    items = _now(project, "gate")
    yield from named((_fork(item) for _, item in newest(items, FORKS)), 3, "forks")


def task(project: Project) -> Iterator[Block]:
    """Step 4: the current task says what comes next, or the last checkpoint does."""
    item = current_task(project)
    if item is None or next_steps(item) or next_action(project) is not None:
        return
    name = shlex.quote(item["task"])
    yield Block(
        step=4,
        reason=f"Task {item['task']} ({bounded(item['title'], SAID_CHARS)}) has no next steps.",
        remedy=f"`holdfast task update {name} --next WHAT`, or `holdfast checkpoint --next WHAT`.",
        ref=item["task"],
    )


def scenarios(project: Project) -> Iterator[Block]:
    """Step 7: the current task has its test scenarios; without a task, the session has."""
    item = current_task(project)
    names = scenario_names(project, item)
    if len(names) >= SCENARIOS_MIN:
        return
    whose = "this session" if item is None else f"task {item['task']}"
    task = "" if item is None else f" --task {shlex.quote(item['task'])}"
    yield Block(
        step=7,
        reason=f"{len(names)} of {SCENARIOS_MIN} test scenarios are documented for {whose}.",
        remedy=f"`holdfast task scenario NAME --type TYPE --expected WHAT{task}`, three of them: "
        "say the usual case, an edge, and an error.",
        ref=None if item is None else item["task"],
    )


def current_task(project: Project) -> Any:
    """Return the item of the task that is being worked on, None when there is none."""
    return tasks.current(_now(project, "tasks"), project.ledger.session_id)


def next_steps(item: Any) -> list[str]:
    """Return what a task says comes next; blanks say nothing."""
    return [step for step in item["next_steps"] if seen(step)]


def scenario_names(project: Project, item: Any) -> set[str]:
    """Return the names of the scenarios of a task, else of the session; each counts once."""
    which = tasks.scenarios_of(None if item is None else item["task"], project.ledger.session_id)
    found = newest(_now(project, "tasks"), which)
    return {seen(one["name"]).casefold() for _, one in found}


def seen(text: str) -> str:
    """Return what a reader sees of a text: no blanks around it, nothing that is invisible."""
    return "".join(char for char in text if unicodedata.category(char) != "Cf").strip()


def next_action(project: Project) -> str | None:
    """Return what somebody said comes next in the last checkpoint of this session."""
    last = project.checkpoints.last(project.ledger.session_id)
    data: dict[str, Any] = {} if last is None else dict(last.value())
    text = data.get("next_action")
    if not isinstance(text, str) or not seen(text):
        return None
    return None if "next_action" in (data.get("derived") or ()) else text


def searches(project: Project) -> Iterator[Block]:
    """Step 5: each search with too many results has its pivot, but for those of others that are
    still at work."""
    items = _now(project, "gate")
    others = set(open_ids(project.views.items("sessions"))) - {project.ledger.session_id}
    waiting = [item for _, item in newest(items, SEARCHES) if item["session"] not in others]
    ran = entries_at(project.ledger, (item["seq"] for item in waiting))
    yield from named(map(_search, waiting, ran), 5, "searches")


def named(blocks: Iterable[Block], step: int, what: str) -> Iterator[Block]:
    """Yield the first of many, and then how many more there are."""
    rest = iter(blocks)
    yield from islice(rest, GATE_BLOCKS_NAMED)
    yield from _more(sum(1 for _ in rest), step, what)


def _more(more: int, step: int, what: str) -> Iterator[Block]:
    if more:
        yield Block(
            step=step,
            reason=f"{more:,} more {what} are in the way.",
            remedy="They are named once those above are settled.",
        )


def contradictions(project: Project) -> Iterator[Block]:
    """Step 3: decisions since the last clear that nobody held against the older ones are."""
    from holdfast.ledger.comparing import unopened
    from holdfast.ledger.grounding import touched

    _now(project, "decisions")
    keys = [key for key, _, _ in touched(project.views.items)]
    found = unopened(project.ledger, project.views, keys, same_only=True, limit=GATE_BLOCKS_NAMED)
    yield from map(_contradiction, found.forks)
    yield from _more(found.more, 3, "contradictions")


def _now(project: Project, store: str) -> Items:
    return items_now(project.ledger.reader, project.views, store)


def _is_proved(ledger: Ledger, entry: Entry, citations: int, erased: ErasedArtifacts) -> bool:
    """Tell whether the vault proves a decision that counts as grounded, by what it rests on."""
    data: Any = entry.value()
    grounds = grounds_of(data.get("grounds"))
    cited = None if grounds is None else grounds.evidence
    if not isinstance(cited, list) or len(cited) < min(citations, CITATIONS_MAX):
        return False
    return all(survival(ledger, one, erased) in EXCUSED for one in cited)


def _assumed(project: Project, ratio: Ratio) -> Iterator[Ungrounded]:
    """Yield the assumptions as what they are: decisions that lack proof."""
    from holdfast.ledger.grounding import Ungrounded

    held, proof = project.views.items("decisions"), project.views.items("evidence")
    for key, seq in ratio.assumptions:
        decision: Any = held[key]
        yield Ungrounded(key, seq, decision["choice"], evidence.faults_in(proof.get(key)))


def _malformed(one: Ungrounded) -> bool:
    return any(fault in FAULTS for fault in one.faults)


def _ungrounded(project: Project, one: Ungrounded, entry: Entry) -> Block:
    wrong = [FAULTS[fault] for fault in one.faults if fault in FAULTS]
    faults = ", ".join(one.faults) or "no citation"
    why = " and ".join(wrong) if wrong else f"is not grounded ({faults})"
    remedy = f"`holdfast ground {one.seq} --evidence {_FORM}`, or --assumption."
    if evidence.FAILED_CHECK in one.faults:
        again = _checked_again(project, one)
        others = len(one.faults) > 1
        remedy = f"{again} Then {remedy}" if others else again
    return Block(
        step=1,
        reason=f"Decision {_said(entry, 'choice', one.choice)} {why}.",
        remedy=remedy,
        ref=f"entry {one.seq}",
    )


def _checked_again(project: Project, one: Ungrounded) -> str:
    """Say how a check that failed is run again: nothing else takes its failure back."""
    proof: Any = project.views.items("evidence").get(one.id)
    failed = [] if proof is None else sorted(proof["failed"].values())
    which = f" (entry {failed[-1]} has it)" if failed else ""
    return (
        "Run the same check again once it passes, as "
        f"`holdfast evidence run --for {one.seq} -- …`{which}; "
        f"or `holdfast ground {one.seq} --assumption`."
    )


def _said(entry: Entry, field: str, text: str) -> str:
    """Quote what an entry says; of a text that lies in the vault, how long it is."""
    value: Any = dict(entry.value()).get(field)
    if isinstance(value, Mapping) and isinstance(value.get("bytes"), int):
        return f"({value['bytes']:,} bytes in the vault)"
    return repr(bounded(text, SAID_CHARS))


def _ghost(item: dict[str, Any]) -> Block:
    from holdfast.evidence.ghosts import remedy  # with the search: only where a ghost is in doubt

    name = item["ghost"]
    tried = "; the last attempt could not look" if item["status"] == "could_not_look" else ""
    return Block(
        step=2,
        reason=f"[UNVERIFIED GHOST] {name}{tried}",
        remedy=remedy(name),
        ref=f"entry {item['seq']}",
    )


def _contradiction(fork: Fork) -> Block:
    sides = f"{bounded(fork.statement, SAID_CHARS)!r} against "
    sides += f"{bounded(fork.against, SAID_CHARS)!r}"
    return Block(
        step=3,
        reason=f"Two decisions on {fork.subject} contradict each other, and no fork is open: "
        f"{sides}.",
        remedy="`holdfast fork check --all` opens it; then `holdfast fork resolve` settles it.",
        ref=fork.decision,
    )


def _fork(item: dict[str, Any]) -> Block:
    sides = f"{bounded(item['statement'], SAID_CHARS)!r} against "
    sides += f"{bounded(item['against'], SAID_CHARS)!r}"
    return Block(
        step=3,
        reason=f"The fork {item['fork']} is open, on {item['subject']}: {sides}.",
        remedy=f"`holdfast fork resolve {shlex.quote(item['fork'])} --because WHY --ruling WORD`; "
        f'WORD is "agent wrong", "ledger outdated" or compatible. {item["higher"]}',
        ref=f"entry {item['seq']}",
    )


def _search(item: dict[str, Any], entry: Entry) -> Block:
    return Block(
        step=5,
        reason=f"The search {_said(entry, 'query', item['query'])} had "
        f"{item['results']:,} results and no pivot.",
        remedy="`holdfast pivot --reason … --failed … --refined …` says why it was too broad.",
        ref=f"entry {item['seq']}",
    )
