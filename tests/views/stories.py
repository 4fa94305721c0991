"""Random stories for working sets and compactions, and a plain account of what may be told."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from holdfast.kernel.entry import Entry
from holdfast.stores.facts import fact_id
from holdfast.stores.registry import Fold
from holdfast.stores.store import Items
from tests.views.material import Step, chained

KINDS = ("place", "person")


def marker(n: int) -> str:
    """Return words that stand in the fact of this number and nowhere else."""
    return f"mark{n}kram"


def payload(n: int) -> dict[str, Any]:
    return {"words": marker(n)}


def fact(n: int) -> str:
    """Return the id of the fact of this number."""
    return fact_id(KINDS[n % 2], payload(n))


def folded(entries: Sequence[Entry]) -> Mapping[str, Items]:
    """Return the items of every store after these entries."""
    fold = Fold()
    for entry in entries:
        fold.apply(entry)
    return fold.items()


def stores_of(steps: Sequence[Step]) -> Mapping[str, Items]:
    return folded(chained(steps))


def recorded(
    n: int,
    visibility: str = "OPEN",
    precision: str = "EXACT",
    supersedes: int | None = None,
    session: str | None = "s",
) -> Step:
    fields = {
        "kind": KINDS[n % 2],
        "payload": payload(n),
        "precision": precision,
        "supersedes": None if supersedes is None else [fact(supersedes)],
        "visibility": visibility,
    }
    return "fact_recorded", session, fields


def granted(handle: str, scope: str = "CAMPAIGN", session: str | None = "s") -> Step:
    return "unlock_granted", session, {"handle": handle, "scope": scope}


numbers = st.integers(0, 7)
sessions = st.sampled_from(["s", "t", None])
fact_steps = st.one_of(
    st.builds(
        recorded,
        numbers,
        st.sampled_from(["OPEN", "OPEN", "HIDDEN"]),
        st.sampled_from(["EXACT", "APPROXIMATE", "LOCKED"]),
        st.one_of(st.none(), st.none(), numbers),
        sessions,
    ),
    st.builds(
        lambda n: ("fact_withdrawn", "s", {"fact": fact(n), "reason": "a rumour"}),
        numbers,
    ),
)
unlock_steps = st.builds(
    granted,
    st.one_of(st.builds(fact, numbers), st.sampled_from([f"kind:{kind}" for kind in KINDS])),
    st.sampled_from(["SCENE", "SESSION", "CAMPAIGN"]),
    sessions,
)
ending_steps: st.SearchStrategy[Step] = st.one_of(
    st.builds(
        lambda name, scene: (name, "s", {"scene": scene}),
        st.sampled_from(["scene_started", "scene_ended"]),
        st.sampled_from(["hall", "yard"]),
    ),
    st.builds(lambda s: ("session_ended", s, {}), sessions),
)
telling_steps = st.lists(st.one_of(fact_steps, fact_steps, unlock_steps, ending_steps), max_size=24)


class Account:
    """Which facts may be told, worked out by looking at each step in turn."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.facts: dict[str, tuple[int, str, str]] = {}
        self.grants: set[tuple[str, str, str | None]] = set()
        self.scene: str | None = None
        for step in steps:
            self._take(*step)

    def _take(self, name: str, session: str | None, data: dict[str, Any]) -> None:
        match name:
            case "fact_recorded":
                self._record(data)
            case "fact_withdrawn":
                self.facts.pop(data["fact"], None)
            case "unlock_granted" if data["scope"] != "SESSION" or session is not None:
                self.grants.add((data["handle"], data["scope"], session))
            case "scene_started":
                self._end("SCENE")
                self.scene = data["scene"]
            case "scene_ended" if data["scene"] == self.scene:
                self._end("SCENE")
                self.scene = None
            case "session_ended" if session is not None:
                self.grants = {one for one in self.grants if one[1:] != ("SESSION", session)}

    def _record(self, data: dict[str, Any]) -> None:
        n = int(data["payload"]["words"][4:-4])
        for other in data["supersedes"] or ():
            if other != fact(n):
                self.facts.pop(other, None)
        self.facts[fact(n)] = (n, data["visibility"], data["precision"])

    def _end(self, scope: str) -> None:
        self.grants = {one for one in self.grants if one[1] != scope}

    @property
    def may_be_told(self) -> set[int]:
        """Numbers of the facts that may be told."""
        handles = {handle for handle, _, _ in self.grants}
        return {
            n
            for key, (n, visibility, precision) in self.facts.items()
            if visibility == "OPEN"
            and precision != "LOCKED"
            and {key, f"kind:{KINDS[n % 2]}"} & handles
        }


names = st.one_of(
    st.sampled_from(["roll", "ask-1", "x" * 200]),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200).filter(
        lambda text: re.fullmatch(r"\S(?:.*\S)?", text) is not None
    ),
)
words = st.one_of(st.sampled_from(["a word", "w" * 900, "\u0001" * 120, "né 漢字 🙂 " * 60]), names)
other_steps = st.one_of(
    st.builds(
        lambda key, kind, prompt, details: (
            "pending_opened",
            "s",
            {
                "pending": key,
                "kind": kind,
                "prompt": prompt,
                "steps": ["ask", "wait"],
                "details": details,
            },
        ),
        names,
        names,
        words,
        st.one_of(st.none(), words),
    ),
    st.builds(lambda key: ("pending_resolved", "s", {"pending": key}), names),
    st.builds(
        lambda c, w, m: ("story_set", "s", {"campaign": c, "world": w, "mode": m}),
        names,
        names,
        names,
    ),
    st.builds(
        lambda scene, title: ("scene_started", "s", {"scene": scene, "title": title}), names, words
    ),
    st.builds(
        lambda choice, about: ("decision", "s", {"choice": choice, "subject": about}), words, words
    ),
    st.builds(
        lambda work, title: ("work_opened", "s", {"work": work, "title": title}), names, words
    ),
    st.builds(lambda session, title: ("session_started", session, {"title": title}), names, words),
    st.builds(lambda text: ("prompt_given", "s", {"text": text}), words),
    st.builds(lambda value: ("fact_recorded", "s", {"kind": "place", "payload": value}), words),
    st.just(granted("kind:place")),
)
stories = st.lists(st.one_of(other_steps, fact_steps, unlock_steps), max_size=30)
"""Stories with whatever texts there are: long, in many scripts, unprintable."""
