"""Entries of sessions, made short."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

from holdfast.kernel import chain
from holdfast.kernel import entry as entries
from holdfast.kernel.chain import Head
from holdfast.kernel.entry import Entry
from holdfast.testing.builders import LEDGER, data_for, prepared

Step = tuple[str, str | None, dict[str, Any]]
"""Type, session and changed fields of an entry."""


def chained(steps: Iterable[Step]) -> list[Entry]:
    """Return the entries of one ledger; the id of each is its number with an `e` before it."""
    ready = [
        prepared(name, n, id=f"e{n}", session_id=session, data=data_for(name, n, **fields))
        for n, (name, session, fields) in enumerate(steps)
    ]
    return [entries.read(sealed.body) for sealed in chain.seal_all(Head(LEDGER), ready)]


def of(name: str, session: str | None = "s", **fields: Any) -> Step:
    """Return a step."""
    return name, session, fields


texts = st.text(min_size=1, max_size=80).filter(lambda text: bool(text.strip()))
names = st.text("abc 1é", min_size=1, max_size=20).filter(lambda name: name == name.strip() != "")
paths = st.sampled_from(["src/a.py", "src/b.py", "docs/guide/long/path/to/file.md", "x" * 300])
sessions = st.sampled_from(["s", "t", "u" * 60, None])


def steps_of(session: st.SearchStrategy[str | None]) -> st.SearchStrategy[list[Step]]:
    """Return lists of steps of every kind that says something about work."""
    kinds: list[st.SearchStrategy[tuple[str, dict[str, Any]]]] = [
        st.builds(lambda t: ("prompt_given", {"text": t}), texts),
        st.builds(lambda t: ("agent_said", {"text": t}), texts),
        st.builds(lambda t, o: ("tool_called", {"tool": t, "ok": o}), texts, st.booleans()),
        st.builds(
            lambda c, x: ("command_ran", {"command": c, "exit_code": x}),
            texts,
            st.sampled_from([None, 0, 1, 127]),
        ),
        st.builds(
            lambda p, a: ("file_change", {"path": p, "action": a}),
            paths,
            st.sampled_from(["create", "modify", "delete"]),
        ),
        st.builds(lambda c: ("decision", {"choice": c}), texts),
        st.builds(lambda w, t: ("work_opened", {"work": w, "title": t}), names, texts),
        st.builds(lambda m: ("error", {"message": m}), texts),
        st.builds(lambda q, n: ("checkpoint", {"quick_resume": q, "next_action": n}), texts, texts),
        st.just(("session_ended", {"reason": "done"})),
    ]
    one = st.builds(lambda kind, s: (kind[0], s, kind[1]), st.one_of(kinds), session)
    return st.lists(one, max_size=12)
