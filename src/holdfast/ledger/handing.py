"""Handing work over: offered to another agent or session, and taken or declined once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import InvalidInput, NotFound
from holdfast.kernel.limits import NAME_CHARS_MAX
from holdfast.ledger.now import items_now
from holdfast.storage.port import Selection
from holdfast.stores import handoffs as store
from holdfast.stores.store import Items

if TYPE_CHECKING:
    from holdfast.index.views import Views
    from holdfast.ledger.ledger import Ledger, Receipt

NAMED_MAX: Final = 5
_ID_END: Final = "-answered"

Answer: TypeAlias = Literal["accepted", "declined"]


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """Work that was offered, and how that was answered. Long texts are cut, and say so."""

    id: str
    seq: int
    """The entry that has all of it."""
    to: str
    title: str
    giver: str = msgspec.field(name="from")
    """Who offered it."""
    session: str | None = None
    """The session that it was offered in."""
    task: str | None = None
    next_steps: list[str] = []
    refs: list[str] = []
    note: str | None = None
    answer: Answer | None = None
    """Null while it waits."""
    by: str | None = None
    reason: str | None = None
    answered: int | None = None
    """The entry of the answer."""


class Handing:
    """The handoffs of one ledger."""

    def __init__(self, ledger: Ledger, views: Views) -> None:
        self._ledger = ledger
        self._views = views

    def offer(
        self,
        to: str,
        title: str,
        *,
        task: str | None = None,
        next_steps: Sequence[str] = (),
        refs: Sequence[str] = (),
        note: str | None = None,
        id: str | None = None,
    ) -> Receipt:
        """Offer work to an agent, by its name, or to a session. Its id is the receipt's."""
        data = {
            "to": entries.check_name("Whom it is offered to,", to),
            "title": title,
            "task": task,
            "next_steps": list(next_steps) or None,
            "refs": list(refs) or None,
            "note": note,
        }
        given = {name: value for name, value in data.items() if value is not None}
        return self._ledger.append("handoff_offered", given, id=id)

    def accept(self, handoff: str) -> tuple[Receipt, Offer]:
        """Take over what was offered. Whoever it was not offered to cannot, a person aside."""
        return self._answer(handoff, "accepted", None)

    def decline(self, handoff: str, reason: str) -> tuple[Receipt, Offer]:
        """Decline what was offered, and say why."""
        if not reason.strip():
            raise InvalidInput(
                "A handoff is declined without a reason.",
                meaning="Nothing was recorded; it still waits.",
                remedy="Say why, so that whoever offered it knows what to do.",
            )
        return self._answer(handoff, "declined", reason)

    def waiting(self, agent: str | None = None, session: str | None = None) -> list[Offer]:
        """Return the offers that wait for an agent or a session, else all; the newest first."""
        items = self._items()
        if agent is None and session is None:
            return [_offer(item) for item in store.open_now(items)]
        return [_offer(item) for item in store.open_for(items, agent, session)]

    def find(self, key: str) -> Offer:
        """Return an offer by its id, answered ones too; by its number or the beginning of its id
        while it waits."""
        items = self._items()
        known = store.offer_of(items, key)
        if known is not None:
            return _offer(known)
        found = list(islice(_matching(items, key), NAMED_MAX + 1))
        if len(found) == 1:
            return _offer(found[0])
        if not found:
            raise NotFound(
                f"No handoff {key[:80]!r} waits for an answer.",
                meaning="Nothing was recorded.",
                remedy="`holdfast handoff list` shows those that do.",
            )
        more = " and more" if len(found) > NAMED_MAX else ""
        named = ", ".join(item["id"] for item in found[:NAMED_MAX])
        raise InvalidInput(
            f"Several handoffs begin with {key!r}: {named}{more}.",
            meaning="Nothing was recorded.",
            remedy="Give more of the id, or the number of its entry.",
        )

    def _answer(self, key: str, answer: Answer, reason: str | None) -> tuple[Receipt, Offer]:
        offer = self.find(key)
        by = self._answerer(offer)
        data = {"handoff": offer.id, "answer": answer, "by": by, "reason": reason}
        given = {name: value for name, value in data.items() if value is not None}
        _refuse_answered(offer, given)
        # Everybody who answers gives this id, so that of two at once only one is recorded.
        receipt = self._ledger.append("handoff_answered", given, id=self._answer_id(offer.id))
        now = self.find(offer.id)
        if now.answered != receipt.seq or receipt.differs:
            _refuse_answered(now, given)
        return receipt, now

    def _answerer(self, offer: Offer) -> str:
        """Return the name to answer under: that of whoever it was offered to, or a person's."""
        actor, session = self._ledger.actor, self._ledger.session_id
        if offer.to == session:
            return session
        if offer.to == actor.name or actor.kind == "user":
            return actor.name
        raise InvalidInput(
            f"This handoff is for {offer.to}, not for {actor.name}.",
            meaning="Nothing was recorded; it still waits.",
            remedy=f"Let {offer.to} answer, or a person.",
        )

    def _answer_id(self, handoff: str) -> str:
        """Return the id of the answer, another where somebody recorded something else under it."""
        wanted = f"{handoff[: NAME_CHARS_MAX - len(_ID_END)]}{_ID_END}"
        for stored in self._ledger.reader.read(Selection(id=wanted)):
            if not _answers(entries.read(stored.body), handoff):
                return self._ledger.new_id()
        return wanted

    def _items(self) -> Items:
        return items_now(self._ledger.reader, self._views, "handoffs")


def _matching(items: Items, key: str) -> Any:
    """Yield the offers that wait and that a number or the beginning of an id may mean."""
    return (
        item
        for item in store.open_now(items)
        if key and (str(item["seq"]) == key or item["id"].startswith(key))
    )


def _answers(entry: Entry, handoff: str) -> bool:
    return entry.type == "handoff_answered" and entry.value().get("handoff") == handoff


def _refuse_answered(offer: Offer, given: dict[str, Any]) -> None:
    """Refuse another answer; the same one again is harmless, and finds the first receipt."""
    if offer.answer is None or (offer.answer, offer.by) == (given["answer"], given["by"]):
        return
    raise InvalidInput(
        f"This handoff was {offer.answer} by {offer.by} (entry {offer.answered}).",
        meaning="It is answered once; nothing was recorded.",
        remedy="Offer it anew if it is to be taken by somebody else.",
    )


def _offer(item: dict[str, Any]) -> Offer:
    return msgspec.convert({name: item[name] for name in _FIELDS}, Offer)


_FIELDS: Final = tuple(field.encode_name for field in msgspec.structs.fields(Offer))
