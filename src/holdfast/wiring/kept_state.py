"""A framework's state in the ledger: kept byte for byte, found by what it is about, never removed.

A thread of the framework is a session of the ledger. What a framework puts is an entry
`state_kept` that names its bytes in the vault; what it deletes is an entry `state_dropped`, which
hides from the framework what came before it. Whoever looks at the ledger still sees both.

What is put about one thing, the first time, the second time and so on, has ids that follow from
its name and that count: the newest is found without reading anything else.

A framework must get back exactly what it put. Secrets are therefore never replaced in it: bytes
with a certain secret are refused, or withheld where the caller wants that.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, Literal, TypeAlias

import msgspec

from holdfast import config
from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Actor, Entry
from holdfast.kernel.errors import Conflict, Damaged, InvalidInput, NotFound
from holdfast.kernel.limits import STATE_LOOKED_UP_AT_ONCE, STATE_TRIES_MAX
from holdfast.ledger.ledger import Draft, Receipt
from holdfast.ledger.vault import KEY, Content
from holdfast.storage.port import Fault, Selection
from holdfast.wiring.opening import make_ledger, open_ledger, redactor_of
from holdfast.wiring.state_manager import named_place

Secrets: TypeAlias = Literal["refuse", "withhold"]
"""What becomes of bytes with a secret: the put fails, or only their hash and size are recorded."""

KEPT: Final = "state_kept"
DROPPED: Final = "state_dropped"

# In MessagePack, pickle and JSON the byte before a text may look like a letter of it: its length,
# or the end of an escape. Secrets are looked for with and without it.
_JOINTS: Final = re.compile(
    rb"[\xa0-\xbf]|[\x8c\xc4\xc7\xd9][\s\S]|[\xc5\xc8\xda][\s\S]{2}|[\xc6\xc9\xdb][\s\S]{4}"
    rb"|\\u[0-9a-fA-F]{4}|\\."
)


class Piece(msgspec.Struct, frozen=True):
    """One thing that a framework puts."""

    kind: str
    scope: str
    about: str
    content: bytes
    text: str | None = None


class Kept(msgspec.Struct, frozen=True):
    """One thing that a framework put, without its bytes."""

    seq: int
    id: str
    thread: str
    kind: str
    scope: str
    about: str
    nth: int
    content: Mapping[str, Any] | None


class Drops(msgspec.Struct, frozen=True):
    """What of a thread is no longer seen: all before an entry, and some things before others."""

    all_before: int
    before: Mapping[str, int]

    def hides(self, kept: Kept) -> bool:
        """Tell whether the framework no longer sees this."""
        return kept.seq < self.before.get(kept.about, self.all_before)


class KeptState:
    """The state of one framework in one ledger. Safe to share between threads."""

    def __init__(
        self,
        framework: str,
        path: str | os.PathLike[str] | None = None,
        *,
        secrets: Secrets = "refuse",
    ) -> None:
        """Open the ledger of a project, as StateManager does; where there is none, one is made."""
        place = named_place(path)
        make_ledger(place)
        settings = config.load(place.settings).settings
        self.framework = framework
        self._secrets = secrets
        self._redactor = redactor_of(place, settings)
        self._turn = threading.Lock()
        self.ledger = open_ledger(
            place.database,
            create=False,
            actor=Actor("agent", framework),
            secret_names=settings.redaction.secret_names,
            entropy=settings.redaction.entropy,
            wait_s=settings.lock.wait_s,
            seal=settings.seal,
        )

    def close(self) -> None:
        """Let go of the files."""
        self.ledger.close()

    def digest(self, *names: str) -> str:
        """Name a thing of this framework."""
        spelled = msgspec.json.encode([self.framework, *names])
        return sha256(spelled).hexdigest()

    # Writing

    def keep(self, thread: str, piece: Piece, *, begins: str | None = None) -> None:
        """Keep what is now the state of a thing; when it is that already, record nothing.

        `begins` names the scope for people; the first time, an entry says that it began.
        """
        data = self._data(piece)
        drafts = [] if begins is None else [self._beginning(thread, piece.scope, begins)]
        with self._turn:  # others in this process would only take each other's number
            for _ in range(STATE_TRIES_MAX):
                known = self.all_about(piece.kind, piece.about)
                if known and self._is_same(known[-1], piece) and self._sees(thread, known[-1]):
                    return
                number = _id(piece.kind, piece.about, len(known))
                draft = Draft(KEPT, data | {"nth": len(known)}, thread, id=number)
                if not self.ledger.append_many([*drafts, draft])[-1].differs:
                    return
        raise Conflict(
            f"Others put the same thing {STATE_TRIES_MAX} times in between.",
            meaning="This was not recorded.",
            remedy="Put it again.",
        )

    def add(self, thread: str, pieces: Sequence[Piece]) -> list[Receipt]:
        """Keep things that are new, all of them or none, in their order."""
        return self.ledger.append_many(Draft(KEPT, self._data(piece), thread) for piece in pieces)

    def drop(
        self, thread: str, reason: str, about: Iterable[str] | None = None, id: str | None = None
    ) -> Receipt:
        """Hide things of a thread, or all of it, from the framework from now on."""
        data: dict[str, Any] = {"framework": self.framework, "reason": reason}
        if about is not None:
            data["about"] = sorted(about)
        return self.ledger.append(DROPPED, data, session_id=thread, id=id)

    def _content(self, content: bytes) -> Content | dict[str, Any]:
        """Return what is recorded of bytes, or refuse them."""
        kind = self._redactor.finds_secret(content)
        kind = kind or self._redactor.finds_secret(_JOINTS.sub(b"\n", content))
        if kind is None:
            return Content(content)
        if self._secrets == "withhold":
            withheld = {"withheld": "secret", "sha256": sha256(content).hexdigest()}
            return {**withheld, "bytes": len(content)}
        raise InvalidInput(
            f"What {self.framework} puts holds a secret ({kind}).",
            meaning="Nothing was recorded: a secret does not enter the ledger, and without it "
            "this could not be given back as it was put.",
            remedy="Keep the secret out of the state, or encrypt it (see "
            "docs/guide/frameworks.md); secrets='withhold' records that it was there and "
            "refuses to give it back.",
        )

    def _beginning(self, thread: str, scope: str, name: str) -> Draft:
        data = {"framework": self.framework, "kind": "scope", "scope": scope, "about": scope}
        return Draft(KEPT, data | {"text": name}, thread, id=_id("scope", scope, 0))

    def _data(self, piece: Piece) -> dict[str, Any]:
        data = {
            "framework": self.framework,
            "kind": piece.kind,
            "scope": piece.scope,
            "about": piece.about,
            "content": self._content(piece.content),
        }
        return data if piece.text is None else data | {"text": piece.text}

    def _is_same(self, kept: Kept, piece: Piece) -> bool:
        content = kept.content or {}
        return sha256(piece.content).hexdigest() in (content.get(KEY), content.get("sha256"))

    def _sees(self, thread: str, kept: Kept) -> bool:
        return kept.thread == thread and not self.drops(thread).hides(kept)

    # Reading

    def all_about(self, kind: str, about: str) -> list[Kept]:
        """Return what was ever put about a thing, oldest first, dropped or not."""
        found: list[Kept] = []
        while True:
            ids = [
                _id(kind, about, nth)
                for nth in range(len(found), len(found) + STATE_LOOKED_UP_AT_ONCE)
            ]
            known = self.ledger.find(ids)
            for one in ids:
                if one not in known:
                    return found
                found.append(_kept(entries.read(known[one].body)))

    def has_begun(self, scope: str) -> bool:
        """Tell whether anything was ever put in a scope that has a beginning."""
        return bool(self.ledger.find([_id("scope", scope, 0)]))

    def newest_first(self, thread: str | None = None, first: int = 0) -> Iterator[Kept]:
        """Yield what was put, of a thread or of all, from the newest back to entry `first`."""
        selection = Selection(first=first, type=KEPT, session_id=thread, newest_first=True)
        for entry in self.ledger.read(selection, on_damaged=_refuse):
            if _framework(entry) == self.framework:
                yield _kept(entry)

    def drops(self, thread: str) -> Drops:
        """Read what of a thread is no longer seen."""
        before: dict[str, int] = {}
        selection = Selection(type=DROPPED, session_id=thread, newest_first=True)
        for entry in self.ledger.read(selection, on_damaged=_refuse):
            if _framework(entry) != self.framework:
                continue
            about = self.ledger.data(entry).get("about")
            if about is None:
                return Drops(entry.seq, before)
            for one in about:
                before.setdefault(one, entry.seq)
        return Drops(0, before)

    def content(self, kept: Kept) -> bytes:
        """Return the bytes that were put, or say why they cannot be had."""
        content = kept.content or {}
        name = content.get(KEY)
        found = None if name is None else self.ledger.artifact(name)
        if found is not None:
            return found
        if "withheld" in content:
            why = "was withheld when it was put: it held a secret"
        elif name is not None:
            why = "was erased, or is not in the vault"
        else:
            why = "is not the state of a framework"
        raise NotFound(
            f"What entry {kept.seq} kept for {self.framework} {why}.",
            meaning="It cannot be given back as it was put; nothing else is given in its place.",
            remedy="Go on from an earlier state, or begin another thread.",
        )


def _id(kind: str, about: str, nth: int) -> str:
    return f"state-{sha256(f'{kind}/{about}/{nth}'.encode()).hexdigest()[:40]}"


def _framework(entry: Entry) -> str:
    return str(entry.value().get("framework"))


def _kept(entry: Entry) -> Kept:
    data: dict[str, Any] = entry.value()
    return Kept(
        seq=entry.seq,
        id=entry.id,
        thread=entry.session_id or "",
        kind=data["kind"],
        scope=data["scope"],
        about=data["about"],
        nth=data.get("nth", 0),
        content=data.get("content"),
    )


def _refuse(fault: Fault) -> None:
    raise Damaged(
        f"Entry {fault.seq} cannot be read: {fault.detail}",
        meaning="What a framework put or dropped there is not known, so nothing is given.",
        remedy="Run `holdfast verify`; restore the ledger from a backup if it fails.",
    )
