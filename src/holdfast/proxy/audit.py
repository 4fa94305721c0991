"""The shadow audit: after an answer, the model is asked whether its work is done.

For metadata only. It runs after the stream, one at a time, with a small budget of its own, and its
result is an entry like any other. One that comes when the conversation has gone on is late. The
client's credentials are used for its own turn and forgotten.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, Final, Literal, TypeAlias

import msgspec

from holdfast.kernel.limits import (
    PROXY_AUDIT_ANSWER_BYTES_MAX,
    PROXY_AUDIT_CHARS_MAX,
    PROXY_AUDIT_ENTITIES_MAX,
    PROXY_AUDIT_TIMEOUT_S,
    PROXY_AUDIT_TOKENS_MAX,
    PROXY_AUDITS_WAITING_MAX,
)
from holdfast.kernel.types import AuditStatus
from holdfast.proxy.values import Audited, Job, Unsure
from holdfast.wire.answer import Answer
from holdfast.wire.events import Dialect
from holdfast.wire.streams import answer_stream

Mode: TypeAlias = Literal["auto", "off", "on"]
"""Auto: only local upstreams, which nobody pays for, are asked."""

_PATHS: Final[dict[Dialect, str]] = {
    "chat": "/v1/chat/completions",
    "messages": "/v1/messages",
    "responses": "/v1/responses",
    "ollama-chat": "/api/chat",
}
"""Where a model is asked; the dialects that only go on from a prompt are not asked."""

OK: Final = 200


class Question(msgspec.Struct, frozen=True):
    """A request of the audit's own."""

    upstream: str
    path: str
    body: bytes
    key: dict[str, str]
    """The client's own credentials, as headers."""


Ask: TypeAlias = Callable[[Question], Awaitable[tuple[int, bytes]]]
"""Sends a question; returns the status and the body, which is not coded and not streamed."""


class AuditState(msgspec.Struct, frozen=True):
    """What came of the audits so far."""

    asked: int
    done: int
    late: int
    refused: int
    """Answers that were no JSON of the form that was asked for."""
    failed: int
    """No answer, or not in time."""
    skipped: int
    """Answers that were not audited, because too many waited."""


class Audit:
    """Asks about answers, one at a time. `offer` may be called from any thread."""

    def __init__(
        self,
        ask: Ask,
        submit: Callable[[Job], object],
        newest: Callable[[str], str | None],
        *,
        mode: Mode = "auto",
        is_local: Callable[[str], bool],
        timeout_s: float = PROXY_AUDIT_TIMEOUT_S,
    ) -> None:
        """`newest` names the newest episode of a conversation; `is_local` knows the upstreams."""
        self._ask = ask
        self._submit = submit
        self._newest = newest
        self._mode = mode
        self._is_local = is_local
        self._timeout_s = timeout_s
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: asyncio.Queue[Unsure] = asyncio.Queue(PROXY_AUDITS_WAITING_MAX)
        self._task: asyncio.Task[None] | None = None
        self._counts = dict.fromkeys(AuditState.__struct_fields__, 0)

    def start(self) -> None:
        """Begin, on the running loop."""
        self._loop = asyncio.get_running_loop()
        self._task = self._loop.create_task(self._run())

    async def stop(self) -> None:
        """End, whatever is being asked."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None
        self._loop = None

    def offer(self, unsure: Unsure) -> None:
        """Let an answer be audited, if answers of its upstream are."""
        loop = self._loop
        if loop is None or not self.wants(unsure):
            return
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(self._take, unsure)

    def wants(self, unsure: Unsure) -> bool:
        """Tell whether an answer is audited."""
        if self._mode == "off" or not unsure.entities or unsure.answered.ended != "whole":
            return False
        if unsure.answered.prepared.asked.dialect not in _PATHS:
            return False
        return self._mode == "on" or self._is_local(unsure.answered.upstream)

    def state(self) -> AuditState:
        """Say what came of the audits."""
        return AuditState(**self._counts)

    def _take(self, unsure: Unsure) -> None:
        try:
            self._waiting.put_nowait(unsure)
        except asyncio.QueueFull:
            self._counts["skipped"] += 1

    async def _run(self) -> None:
        while True:
            await self._audit(await self._waiting.get())

    async def _audit(self, unsure: Unsure) -> None:
        self._counts["asked"] += 1
        try:
            async with asyncio.timeout(self._timeout_s):
                status, body = await self._ask(question(unsure))
        except Exception:
            # an upstream can fail in any way; nothing depends on an audit
            self._counts["failed"] += 1
            return
        if status != OK or len(body) > PROXY_AUDIT_ANSWER_BYTES_MAX:
            self._counts["failed"] += 1
            return
        found = read_verdicts(unsure, body)
        if not found:
            self._counts["refused"] += 1
            return
        episode = unsure.answered.prepared.asked.episode
        late = self._newest(unsure.conversation) != episode
        self._counts["late" if late else "done"] += 1
        self._submit(Audited(episode, unsure.conversation, unsure.model, late, found))


def question(unsure: Unsure) -> Question:
    """Return what is asked about an answer, in the dialect of its request."""
    dialect = unsure.answered.prepared.asked.dialect
    body = msgspec.json.encode(_body(dialect, unsure.model, _prompt(unsure)))
    return Question(unsure.answered.upstream, _PATHS[dialect], body, unsure.answered.key)


def read_verdicts(unsure: Unsure, body: bytes) -> tuple[tuple[str, AuditStatus], ...]:
    """Return what an answer says of the entities that were asked about; nothing unless all of it
    is as it was asked for."""
    dialect = unsure.answered.prepared.asked.dialect
    stream, answer = answer_stream(dialect, streamed=False), Answer()
    for event in [*stream.feed(body), *stream.finish()]:
        answer.take(event)
    if not answer.whole:
        return ()
    try:
        given = _VERDICTS.decode(_unfenced(answer.text))
    except (msgspec.DecodeError, UnicodeEncodeError):
        return ()
    verdicts = given if isinstance(given, list) else [given]
    names = [verdict.entity for verdict in verdicts]
    if len(set(names)) != len(names) or not set(names) <= set(_asked_about(unsure)):
        return ()
    return tuple((verdict.entity, verdict.status) for verdict in verdicts)


class _Verdict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    entity: str
    status: AuditStatus


_VERDICTS: Final = msgspec.json.Decoder(_Verdict | list[_Verdict])

_ROLE: Final = (
    "You check whether a piece of programming work is finished. "
    "You answer with JSON only, without any other word."
)
_FORM: Final = """\
Below are a request and the answer to it. For each entity in the list, say what the answer did:
"completed" if it holds the finished code, "partial" if code is still missing, "discussion" if it \
only talks about it.
Answer with a JSON list with one object for each entity, and nothing else:
[{{"entity": "<as in the list>", "status": "completed"}}]

Entities:
{entities}

Request:
{prompt}

Answer:
{answer}
"""


def _prompt(unsure: Unsure) -> str:
    return _FORM.format(
        entities="\n".join(_asked_about(unsure)),
        prompt=_cut(unsure.prompt, PROXY_AUDIT_CHARS_MAX // 4),
        answer=_cut(unsure.answer, PROXY_AUDIT_CHARS_MAX),
    )


def _asked_about(unsure: Unsure) -> Sequence[str]:
    return unsure.entities[:PROXY_AUDIT_ENTITIES_MAX]


def _cut(text: str, chars_max: int) -> str:
    """Shorten a text in its middle, and say so there."""
    if len(text) <= chars_max:
        return text
    half = chars_max // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters left out]\n{text[-half:]}"


def _body(dialect: Dialect, model: str, prompt: str) -> dict[str, Any]:
    user = {"role": "user", "content": prompt}
    common = {"model": model, "stream": False}
    match dialect:
        case "messages":
            return {
                **common,
                "max_tokens": PROXY_AUDIT_TOKENS_MAX,
                "system": _ROLE,
                "messages": [user],
            }
        case "responses":
            return {
                **common,
                "max_output_tokens": PROXY_AUDIT_TOKENS_MAX,
                "instructions": _ROLE,
                "input": [user],
                "store": False,
            }
        case "ollama-chat":
            return {
                **common,
                "options": {"num_predict": PROXY_AUDIT_TOKENS_MAX},
                "messages": [{"role": "system", "content": _ROLE}, user],
            }
        case _:
            return {
                **common,
                "max_tokens": PROXY_AUDIT_TOKENS_MAX,
                "messages": [{"role": "system", "content": _ROLE}, user],
            }


def _unfenced(text: str) -> str:
    """Take off one fence that all of a text stands in, as small models like to put around JSON."""
    found = _FENCED.fullmatch(text.strip())
    return text if found is None else found.group(1)


_FENCED: Final = re.compile(r"```(?:json)?[ \t]*\r?\n(.*?)\r?\n?```", re.DOTALL)
