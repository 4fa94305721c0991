"""What holdfast puts before an agent's model is an entry, too: what was said, when, and of what.

Recorded is what the answer spells, and only where the agent takes it. An event that is told twice
leaves one entry, if it was answered with the same words. Nothing here keeps an agent from its
words: whoever calls this goes on when it fails.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from holdfast.agents import keys
from holdfast.agents.answering import in_utf8, in_utf16, shortened
from holdfast.agents.registry import agent as agent_named
from holdfast.agents.values import MadeOf
from holdfast.kernel.entry import Actor
from holdfast.kernel.tokens import COUNTER, estimate
from holdfast.ledger.ledger import Draft
from holdfast.ledger.sources import timestamp
from holdfast.wiring.numbering import Numbering

if TYPE_CHECKING:
    from holdfast.agents.values import Answer, Event, Reply
    from holdfast.ledger.ledger import Receipt
    from holdfast.wiring.project import Project

HOLDFAST: Final = Actor("holdfast", "hook")


def record_given(project: Project, event: Event, reply: Reply, answer: Answer) -> Receipt | None:
    """Record the words that an answer puts before the model; None where it puts none there."""
    text = given_by(event, reply, answer)
    if text is None:
        return None
    key = Numbering(project).known(event).key
    identity = keys.entry_id(key, f"given {keys.digest(text)}")
    session = None if event.session is None else keys.session_id(event.session)
    draft = Draft("context_given", _data(event, reply, text), session, HOLDFAST, identity)
    return project.ledger.append_many([draft])[0]


def given_by(event: Event, reply: Reply, answer: Answer) -> str | None:
    """Return the words for the model that an answer spells, as it spells them."""
    most = agent_named(event.agent).CONTEXT_CHARS_MAX
    for units in (len, in_utf16, in_utf8):  # as the agents count; one of them cut it, or none
        text = shortened(reply.context, most, units)
        if text and (json.dumps(text) in answer.stdout or text in answer.stdout):
            return text
    return None


def _data(event: Event, reply: Reply, text: str) -> dict[str, Any]:
    made_of = MadeOf() if reply.made_of is None else reply.made_of
    left_out = dict(made_of.left_out)
    if text != reply.context:
        left_out["characters"] = len(reply.context or "") - len(text)
    data: dict[str, Any] = {
        "agent": event.agent,
        "event": event.name,
        "source": event.source,
        "text": text,
        "tokens": estimate(text),
        "counter": COUNTER,
        "about": list(made_of.about) or None,
        "of_session": made_of.of_session,
        "as_of": made_of.as_of,
        "left_out": left_out or None,
        "at": timestamp(event.at_us),
        "turn": event.turn,
    }
    return {name: value for name, value in data.items() if value is not None}
