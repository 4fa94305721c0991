"""A session of the OpenAI Agents SDK whose items are entries of the ledger.

    from holdfast.adapters.openai_agents import HoldfastSession

    session = HoldfastSession("conversation-1", "my-project")
    await Runner.run(agent, "What is due?", session=session)

The SDK's session is a session of the ledger. Nothing that was added is ever removed: what is
popped or cleared is hidden from the agent, and the ledger still holds it.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from holdfast.adapters.missing import missing
from holdfast.kernel.entry import check_name
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import STATE_TEXT_CHARS_MAX
from holdfast.wiring.kept_state import Kept, KeptState, Piece, Secrets

try:
    from agents.memory import SessionSettings
except ImportError as error:
    raise missing("The OpenAI Agents SDK", error) from error

if TYPE_CHECKING:
    from agents import TResponseInputItem

R = TypeVar("R")

ITEM: Final = "item"


class HoldfastSession:
    """The history of a conversation over a ledger. Safe to share between threads and processes."""

    def __init__(
        self,
        session_id: str,
        path: str | os.PathLike[str] | None = None,
        *,
        session_settings: SessionSettings | None = None,
        secrets: Secrets = "refuse",
    ) -> None:
        """Open the ledger of a project, of a database, or of the current folder's project.

        Adding an item that holds a secret fails. With `secrets="withhold"` its hash and size are
        recorded instead, and reading the history fails.
        """
        self.session_id = check_name("The session id", session_id)
        self.session_settings: SessionSettings | None = session_settings or SessionSettings()
        self._state = KeptState("openai-agents", path, secrets=secrets)

    def close(self) -> None:
        """Let go of the ledger's files."""
        self._state.close()

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the newest items, oldest first; all of them without a limit."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        return await asyncio.to_thread(self._items, limit)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Record items, all of them or none; they are durable when this returns."""
        pieces = [self._piece(item) for item in items]
        await _finished(lambda: self._state.add(self.session_id, pieces))

    async def pop_item(self) -> TResponseInputItem | None:
        """Hide the newest item from the agent, and return it. It stays in the ledger."""
        return await _finished(self._pop)

    async def clear_session(self) -> None:
        """Hide all items from the agent. They stay in the ledger."""
        await _finished(lambda: self._state.drop(self.session_id, "clear_session"))

    def _piece(self, item: TResponseInputItem) -> Piece:
        try:
            content = json.dumps(item, ensure_ascii=False).encode("utf-8", "surrogatepass")
        except (TypeError, ValueError, RecursionError) as problem:
            raise InvalidInput(
                f"An item is not JSON: {problem}.",
                meaning="None of the items was recorded.",
                remedy="Add items as the SDK makes them: dictionaries of plain values.",
            ) from problem
        scope = self._state.digest(self.session_id)
        about = self._state.digest(self.session_id, self._state.ledger.new_id())
        return Piece(ITEM, scope, about, content, _text(item))

    def _items(self, limit: int | None) -> list[TResponseInputItem]:
        newest = self._seen()
        some = islice(newest, None if limit is None or limit < 0 else limit)
        return [self._item(kept) for kept in some][::-1]

    def _seen(self) -> Iterator[Kept]:
        """Yield the items that the agent sees, newest first."""
        drops = self._state.drops(self.session_id)
        for kept in self._state.newest_first(self.session_id, drops.all_before):
            if kept.kind == ITEM and not drops.hides(kept):
                yield kept

    def _pop(self) -> TResponseInputItem | None:
        """Take the newest item that nobody else takes in the same moment."""
        while (newest := next(self._seen(), None)) is not None:
            item = self._item(newest)
            popped = f"popped-{newest.about[:40]}"
            receipt = self._state.drop(self.session_id, "pop_item", [newest.about], popped)
            if not receipt.duplicate:
                return item
        return None

    def _item(self, kept: Kept) -> TResponseInputItem:
        text = self._state.content(kept).decode("utf-8", "surrogatepass")
        return cast("TResponseInputItem", json.loads(text))


async def _finished(work: Callable[[], R]) -> R:
    """Do work in a worker thread to its end, also when the caller is cancelled meanwhile.

    What was recorded is then known to be, before the caller goes on.
    """
    task = asyncio.ensure_future(asyncio.to_thread(work))
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        task.exception()  # looked at: it is not what the caller waits for any more
        raise cancelled
    return task.result()


def _text(item: Any) -> str | None:
    """Return what an item says, for people and for search. The item itself is kept whole."""
    content = item.get("content") or item.get("output") or item.get("arguments")
    parts = content if isinstance(content, list) else [content]
    told = [part.get("text") if isinstance(part, dict) else part for part in parts]
    text = "\n".join(one for one in told if isinstance(one, str))
    who = item.get("role") or item.get("type") or ""
    if len(text) > STATE_TEXT_CHARS_MAX:
        cut = f"[the first {STATE_TEXT_CHARS_MAX} of {len(text)} characters]"
        text = f"{text[:STATE_TEXT_CHARS_MAX]} {cut}"
    return f"{who}: {text}" if text.strip() else None
