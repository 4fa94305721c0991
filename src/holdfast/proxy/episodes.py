"""Entries about exchanges as such: what was asked and answered, and what became of a history."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from holdfast.kernel.limits import NAME_CHARS_MAX, WIRE_ANSWER_BYTES_MAX
from holdfast.kernel.types import AuditStatus
from holdfast.proxy.decoding import Undecodable, decoded
from holdfast.proxy.values import Answered, Audited, Draft, Placed, Unsure
from holdfast.wire.answer import Answer
from holdfast.wire.conversations import Seen
from holdfast.wire.events import Unread
from holdfast.wire.streams import read_answer

GOOD: Final = range(200, 300)
"""Statuses of requests that were answered."""


def heard(answered: Answered) -> Answer:
    """Return what came back, as far as it can be read; a refusal of the upstream says nothing."""
    if answered.heard is not None:
        return answered.heard
    answer = Answer()
    if answered.status not in GOOD:
        return answer
    try:
        content = decoded(answered.content, answered.encoding, bytes_max=WIRE_ANSWER_BYTES_MAX)
    except Undecodable as problem:
        answer.take(Unread(str(problem)))
        return answer
    return read_answer(answered.prepared.asked.dialect, content, streamed=answered.streamed)


def episode_recorded(answered: Answered, answer: Answer, placed: Placed, name: str) -> Draft:
    """Return the entry of an exchange; `name` is its conversation's."""
    prepared, request = answered.prepared, placed.request
    data = {
        "episode": prepared.asked.episode,
        "conversation": conversation_name(name),
        "dialect": prepared.asked.dialect,
        "model": "" if request is None else request.model,
        "prompt": "" if request is None else request.newest_words(),
        "answer": answer.text or None,
        "calls": sum(1 for block in answer.blocks if block.name is not None),
        "response_hash": answered.content_hash,
        "status": answered.status,
        "ended": answered.ended,
        "hydrated": [_short(entity) for entity in prepared.hydrated],
        "notice": prepared.notice,
        "tokens_in": answer.usage.input,
        "tokens_out": answer.usage.output,
        "unread": answer.unread,
    }
    return Draft("episode_recorded", data)


def desk_changed(seen: Seen) -> Draft:
    """Return the entry of a history that shrank or changed."""
    data = {
        "conversation": conversation_name(seen.conversation),
        "change": seen.change,
        "kept": 0 if seen.change == "cleared" else seen.kept,
        "lost": seen.lost,
    }
    return Draft("desk_changed", data)


def audit_done(audited: Audited, entity: str, status: AuditStatus) -> Draft:
    """Return the entry of what an audit said of an entity."""
    path, _, symbol = entity.partition("::")
    data = {
        "episode": audited.episode,
        "conversation": conversation_name(audited.conversation),
        "path": path,
        "symbol": symbol,
        "status": status,
        "late": audited.late,
        "model": audited.model,
    }
    return Draft("audit_done", data)


def told_of(
    answered: Answered, answer: Answer, placed: Placed, about: tuple[str, tuple[str, ...]]
) -> Unsure:
    """Return what an audit needs to know of an answer; `about` is the conversation and entities."""
    request = placed.request
    done = [
        block.text if block.name is None else f"[{block.name}] {block.text}"
        for block in answer.blocks
        if not block.hidden
    ]
    return Unsure(
        answered=answered,
        conversation=about[0],
        model="" if request is None else request.model,
        prompt="" if request is None else request.newest_words(),
        answer="\n".join(done),
        entities=about[1],
    )


def conversation_name(name: str) -> str:
    """Return what an entry may call a conversation: clients may call it anything."""
    if 0 < len(name) <= NAME_CHARS_MAX and name == name.strip() and name.isprintable():
        return name
    return f"conversation-{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _short(entity: str) -> str:
    return entity if len(entity) <= NAME_CHARS_MAX else f"{entity[: NAME_CHARS_MAX - 1]}…"
