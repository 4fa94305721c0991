"""File histories, sent through a proxy as people and models send them; `/state` beside the truth.

First the user pastes the file, or a tool reads it. Then the model changes it, again and again, each
time in another form, in one of three dialects, streamed or not. Between them come answers of which
nothing may become true. What the client's disk holds is known at every step, and what is defined in
it is known from others' parsers.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Final, NamedTuple

import msgspec

from holdfast.testing.model_server import ModelServer, Said
from tests.code.edits import making
from tests.proxy import adversaries, one_definition
from tests.proxy.conversing import PATHS, Client
from tests.proxy.running import Asking
from tests.proxy.truth import History, Truth

FORMS: Final = tuple(making.MAKERS)
LOOKS_MAX: Final = 12
"""On a busy machine all may not be settled when it is first looked at."""

FENCES: Final = {"typescript": "ts", "javascript": "js"}


class Outcome(msgspec.Struct):
    """What came of one step."""

    history: History
    form: str
    speaker: str
    """`user`, `tool` or `model`; or `nobody` where nothing may become true."""
    dialect: str
    streamed: bool
    counted: bool
    """It carries a path and whole definitions that are new: it should be promoted."""
    promoted: bool
    """Every definition of the true text is authoritative now, and nothing else is."""
    wrong: tuple[str, ...]
    """Entities that became what they are not."""
    left: int
    """Definitions that are not yet as the true text has them."""
    entries: range
    """The entries that this step brought."""
    levels: tuple[str, ...] = ()
    near: str | None = None
    """The entity that the proxy took it for."""
    of: str | None = None
    """The entity that it is, where it came without a path."""
    reasons: tuple[str, ...] = ()


class _Seen(NamedTuple):
    """The State Map at one moment."""

    last: int
    entities: Mapping[str, str]


class Replay:
    """Sends histories through one proxy, and keeps what came of every step."""

    def __init__(self, proxy: Asking, server: ModelServer, seed: int = 1) -> None:
        self._proxy = proxy
        self._server = server
        self._chance = random.Random(seed)
        self._forms = count(seed)
        self._seen = self._look()
        self.outcomes: list[Outcome] = []

    def play(self, history: History) -> None:
        """Send one history, to its end."""
        _Played(self, history).run()

    def explain(self) -> None:
        """Read from the ledger how every step was taken, and why."""
        entries = {
            entry.seq: entry for entry in self._proxy.entries("artifact_seen", "artifact_moved")
        }
        for outcome in self.outcomes:
            found = [entries[seq] for seq in outcome.entries if seq in entries]
            values: list[Any] = [(entry.type, entry.value()) for entry in found]
            seen = [data for kind, data in values if kind == "artifact_seen"]
            outcome.levels = tuple(data["level"] for data in seen)
            outcome.near = next((data["near"] for data in seen if data["near"]), None)
            outcome.reasons = tuple(dict.fromkeys(_reasons(values)))

    def check(self, step: dict[str, Any], truth: Truth) -> Outcome:
        """Compare the State Map with the truth."""
        before, self._seen = self._seen, self._look()
        path = step["history"].path
        was, now = before.entities, self._seen.entities
        moved = [name for name, digest in now.items() if was.get(name) != digest]
        wrong = [name for name in moved if not _is_true(name, now[name], path, truth)]
        wrong += [name for name in was if name not in now and _is_kept(name, path, truth)]
        mine = {name.partition("::")[2]: now[name] for name in now if _path(name) == path}
        left = sum(not truth.holds(name, mine.get(name)) for name in truth.slices)
        outcome = Outcome(
            **step,
            promoted=not left and mine.keys() == truth.slices.keys(),
            wrong=tuple(wrong),
            left=left + len(mine.keys() - truth.slices.keys()),
            entries=range(before.last + 1, self._seen.last + 1),
        )
        self.outcomes.append(outcome)
        return outcome

    def _look(self) -> _Seen:
        pages = (self._proxy.look("/state") for _ in range(LOOKS_MAX))
        page = next(page for page in pages if "unsettled" not in page)
        true = (one for one in page["entities"] if one["state"] == "AUTHORITATIVE")
        return _Seen(page["as_of_seq"], {one["entity"]: one["artifact"] for one in true})

    def next_form(self) -> int:
        """Return which form has its turn."""
        return next(self._forms)

    def client(self, name: str) -> Client:
        """Begin a conversation."""
        dialect, streamed = self._chance.choice(sorted(PATHS)), self._chance.random() < 0.5
        return Client(self._proxy, self._server, name, dialect, streamed=streamed)

    @property
    def chance(self) -> random.Random:
        """Return what decides by chance, the same each time."""
        return self._chance


def _reasons(values: Sequence[tuple[str, Any]]) -> Iterator[str]:
    """Yield why something was not linked, or was only proposed."""
    for kind, data in values:
        unlinked = kind == "artifact_seen" and data["level"] != "CONFIRMED"
        if unlinked or (kind == "artifact_moved" and data["before"] is None):
            yield data["reason"]


def _path(name: str) -> str:
    return name.partition("::")[0]


def _is_true(name: str, digest: str, path: str, truth: Truth) -> bool:
    return _path(name) == path and truth.holds(name.partition("::")[2], digest)


def _is_kept(name: str, path: str, truth: Truth) -> bool:
    return _path(name) != path or name.partition("::")[2] in truth.slices


class _Played:
    """One history on its way through."""

    def __init__(self, replay: Replay, history: History) -> None:
        self._replay = replay
        self._history = history
        self._client = replay.client(history.path)

    def run(self) -> None:
        """Begin with the first text, then take all changes."""
        chance = self._replay.chance
        first, *later = self._history.texts
        if not (first.text.endswith("\n") and chance.random() < 0.5):
            self._read(first, counted=True)
        else:
            self._paste(first)
        current = first
        for truth in later:
            if chance.random() < 0.5:
                self._attack(current, truth)
            if chance.random() < 0.3:
                current = self._snippet(current, truth)
            if chance.random() < 0.1 and truth.text.endswith("\n"):
                self._paste(truth)
            elif current != truth:
                self._change(current, truth)
            current = truth

    def _step(self, form: str, speaker: str, *, counted: bool) -> dict[str, Any]:
        return {
            "history": self._history,
            "form": form,
            "speaker": speaker,
            "dialect": self._client.dialect,
            "streamed": self._client.streamed,
            "counted": counted,
        }

    def _paste(self, truth: Truth) -> None:
        words = "Here is the file as it is now.\n\n" + self._fenced(truth.text)
        self._client.say(words, Said("Thank you."))
        self._replay.check(self._step("fenced block", "user", counted=True), truth)

    def _read(self, truth: Truth, *, counted: bool = False) -> None:
        """Let a tool read the file."""
        path, lines = self._history.path, truth.text.split("\n")
        if self._replay.chance.random() < 0.5:
            shown = "\n".join(f"{n:6}→{line}" for n, line in enumerate(lines, 1))
            self._client.call(self._words(truth), "Read", {"file_path": path}, shown)
        else:
            self._client.call(self._words(truth), "read_file", {"path": path}, truth.text)
        self._replay.check(self._step("read by a tool", "tool", counted=counted), truth)

    def _change(self, current: Truth, truth: Truth) -> None:
        """Let the model write the new text, in the form whose turn it is."""
        form, sent = self._made(current.text, truth.text)
        self._send(sent, "The file was changed.", current)
        outcome = self._replay.check(self._step(form, "model", counted=True), truth)
        if not outcome.promoted:
            self._read(truth)

    def _snippet(self, current: Truth, later: Truth) -> Truth:
        """Let the model write one definition as it will be; return what is true then."""
        made = one_definition.make(self._history, current, later, self._replay.chance)
        if made is None:
            return current
        sent, truth = made
        self._client.say(self._words(current), Said(sent))
        outcome = self._replay.check(self._step(one_definition.FORM, "model", counted=True), truth)
        if not outcome.promoted:
            self._read(truth)
        return truth

    def _attack(self, current: Truth, later: Truth) -> None:
        """Let the model say something of which nothing may become true."""
        chance = self._replay.chance
        made = (
            adversaries.without_a_path(current, later, chance) if chance.random() < 0.25 else None
        )
        made = made or adversaries.make(self._history, current, later, chance)
        if made is None:
            return
        self._send(self._addressed(made.sent), made.result, current)
        outcome = self._replay.check(self._step(made.kind, "nobody", counted=False), current)
        if made.of is None:
            self._read(current)
        else:
            outcome.of = f"{self._history.path}::{made.of}"

    def _send(self, sent: making.Sent, result: str, current: Truth) -> None:
        words = self._words(current)
        if isinstance(sent, making.Call):
            self._client.call(words, sent.name, sent.arguments, result)
        else:
            self._client.say(words, Said(sent))

    def _words(self, current: Truth) -> str:
        """Return what the user says: something, or something about a definition."""
        chance = self._replay.chance
        if chance.random() < 0.5:
            return "Go on."
        return f"Go on with `{self._history.path}::{chance.choice(sorted(current.slices))}`."

    def _made(self, before: str, after: str) -> tuple[str, making.Sent]:
        start = self._replay.next_form()
        for turn in range(len(FORMS)):
            form = FORMS[(start + turn) % len(FORMS)]
            sent = making.MAKERS[form](before, after)
            if sent is not None:
                return form, self._addressed(sent)
        raise AssertionError("no form has words for this change")

    def _addressed(self, sent: making.Sent) -> making.Sent:
        """Put the path of the file into a form that was made for another one."""
        path = self._history.path
        if isinstance(sent, making.Call):
            given = {name: _replaced(value, path) for name, value in sent.arguments.items()}
            return making.Call(sent.name, given)
        fence = FENCES.get(self._history.language, "python")
        return re.sub(r"(?m)^(`{3,})python$", rf"\1{fence}", sent.replace(making.PATH, path))

    def _fenced(self, text: str) -> str:
        sent = making.make_block(None, text)
        assert isinstance(sent, str)
        made = self._addressed(sent)
        assert isinstance(made, str)
        return made


def _replaced(value: Any, path: str) -> Any:
    return value.replace(making.PATH, path) if isinstance(value, str) else value


def play_all(replay: Replay, histories: Sequence[History]) -> list[Outcome]:
    """Send histories through one proxy, one after the other, and tell what came of each step."""
    for history in histories:
        replay.play(history)
    replay.explain()
    return replay.outcomes
