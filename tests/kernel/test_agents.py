"""Types of what agents tell, of handoffs between them, and of peers."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.types import TYPES
from holdfast.testing import data_for

WRONG: list[tuple[str, str, Any]] = [
    ("tool_begun", "tool", " "),
    ("tool_begun", "call", "a\nb"),
    ("hook_fired", "agent", ""),
    ("hook_fired", "event", "\t"),
    ("context_compacted", "agent", None),
    ("context_compacted", "summary", 1),
    ("context_given", "agent", ""),
    ("context_given", "event", " "),
    ("context_given", "text", "\n"),
    ("context_given", "tokens", -1),
    ("context_given", "counter", None),
    ("context_given", "about", [-1]),
    ("context_given", "of_session", "a\nb"),
    ("context_given", "left_out", [1]),
    ("recording_paused", "session", " s"),
    ("recording_resumed", "unrecorded", -1),
    ("handoff_offered", "to", ""),
    ("handoff_offered", "title", " "),
    ("handoff_offered", "next_steps", "one"),
    ("handoff_answered", "answer", "maybe"),
    ("handoff_answered", "by", None),
    ("peer_merged", "ledger", "0" * 31),
    ("peer_merged", "ledger", "0" * 32 + "\n"),
    ("peer_merged", "root", "A" * 64),
    ("peer_merged", "root", "0" * 64 + "\n"),
    ("peer_merged", "size", -1),
    ("peer_refused", "seq", "1"),
    ("peer_refused", "known", ""),
    ("peer_refused", "reason", ""),
]


@pytest.mark.parametrize(("name", "field", "value"), WRONG)
def test_an_ill_typed_field_is_refused_and_named(name: str, field: str, value: Any) -> None:
    with pytest.raises(InvalidInput, match=rf"\$\.{field}"):
        TYPES.check(name, data_for(name, **{field: value}))


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("tool_begun", {"call": None, "params": [1, {"a": None}]}),
        ("hook_fired", {"payload": None}),
        ("context_compacted", {"trigger": None, "summary": None}),
        ("context_given", {"source": None, "about": None, "of_session": None, "as_of": None}),
        ("context_given", {"left_out": None}),
        ("recording_paused", {"reason": None, "session": "s1"}),
        ("recording_resumed", {"unrecorded": None}),
        ("handoff_offered", {"task": "t", "next_steps": ["a"], "refs": [], "note": ""}),
        ("handoff_answered", {"answer": "declined", "reason": "no time"}),
        ("peer_merged", {"source": "../other"}),
        ("peer_refused", {"evidence": {"told": "bytes"}}),
    ],
)
def test_what_may_be_left_out_may_be(name: str, fields: dict[str, Any]) -> None:
    assert TYPES.check(name, data_for(name, **fields)) == 1
