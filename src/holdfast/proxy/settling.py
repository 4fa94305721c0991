"""What follows from requests and answers: the entries to be recorded.

    settled = settler.settle(jobs, known)
    ...                                               # append settled.drafts behind what is known;
                                                      # when that is a conflict: settle them again
    settler.accept(settled)                           # only now is anything remembered

No thread, no file and no ledger in here: parser and State Map are handed in. Jobs see what those
before them change. Settling twice gives the same, because nothing is remembered before `accept`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Final, TypeAlias

import msgspec

from holdfast.kernel.limits import PROXY_TEXT_BYTES_MAX
from holdfast.proxy import ingest, paths
from holdfast.proxy.episodes import (
    GOOD,
    audit_done,
    desk_changed,
    episode_recorded,
    heard,
    told_of,
)
from holdfast.proxy.ingest import Found, Result
from holdfast.proxy.lulls import Lulls
from holdfast.proxy.memory import Changes, Made, Memories, Memory, Step
from holdfast.proxy.overlay import Overlay
from holdfast.proxy.resolving import Find, Parser, Resolver, Sighting
from holdfast.proxy.retracing import Retracer, note_steps
from holdfast.proxy.shaping import digest_of
from holdfast.proxy.sightings import (
    how,
    is_code_for,
    is_taken,
    numbered,
    see_settled,
    touched,
    waiting,
    without_texts,
    without_users,
)
from holdfast.proxy.values import (
    Answered,
    Asked,
    Audited,
    Draft,
    Job,
    Judge,
    Map,
    Piece,
    Placed,
    Ruling,
    Unsure,
    is_plain,
)
from holdfast.wire.requests import Request

Place: TypeAlias = Callable[[Asked], Placed]
"""Reads a request and places it, the same each time: `Desk.place`."""

_WIPED: Final = ("cleared", "compacted", "rewound")
_ARTIFACT: Final = re.compile(r"^Artifact: ([0-9a-f]{64})$", re.MULTILINE)
"""How the template names the text that it puts before the model."""

_LEFT_SAYING: Final = "the audit says that it is {}"


class Settled(msgspec.Struct, frozen=True):
    """What follows from some jobs."""

    drafts: tuple[Draft, ...]
    """Entries to be recorded together, in this order."""
    notices: Mapping[str, bool] = {}
    """By conversation, where that changed: whether its next request is to be told that what came
    changed nothing."""
    unsure: tuple[Unsure, ...] = ()
    """Answers that an audit could decide about."""
    remembered: Changes = msgspec.field(default_factory=Changes)


class Settler:
    """Works out what follows from jobs, in the order in which they come. For one thread."""

    def __init__(
        self,
        *,
        judge: Judge,
        parser: Parser,
        find: Find,
        place: Place,
        project: str | None = None,
        lulls: Lulls | None = None,
    ) -> None:
        """`lulls` tells when there is time for a job."""
        self._judge = judge
        self._find = find
        self._place = place
        self._resolver = Resolver(parser, find, project)
        self._memories = Memories()
        self._lulls = lulls or Lulls()

    def settle(self, jobs: Sequence[Job], known: Map) -> Settled:
        """Return the entries that follow from jobs, given what is true before them."""
        work = _Work(self._judge, self._resolver, self._find, known, self._memories)
        for plain, some in groupby(jobs, is_plain):
            steps = self._steps(work, some)
            if plain:
                self._lulls.do(steps)
                continue
            for _ in steps:  # a parser may be asked, and waited for
                self._lulls.wait()
        return work.settled()

    def _steps(self, work: _Work, jobs: Iterable[Job]) -> Iterator[None]:
        for job in jobs:
            match job:
                case Asked():
                    yield from work.ask(job, self._place(job))
                case Answered():
                    work.answer(job, self._place(job.prepared.asked))
                case Audited():
                    work.audit(job)
            yield

    def accept(self, settled: Settled) -> None:
        """Remember what jobs told, now that their entries are recorded."""
        self._memories.accept(settled.remembered)


class _Work:
    """Some jobs, one after the other, on top of what is known."""

    def __init__(
        self,
        judge: Judge,
        resolver: Resolver,
        find: Find,
        known: Map,
        memories: Memories,
    ) -> None:
        self._judge = judge
        self._resolver = resolver
        self._find = find
        self._known = Overlay(known)
        self._remembering = memories.begin()
        self._drafts: list[Draft] = []
        self._notices: dict[str, bool] = {}
        self._unsure: list[Unsure] = []

    def settled(self) -> Settled:
        """Return what follows from all of them."""
        return Settled(
            tuple(self._drafts), self._notices, tuple(self._unsure), self._remembering.changes
        )

    # A request

    def ask(self, asked: Asked, placed: Placed) -> Iterator[None]:
        """Take in what is new in a request, in small steps."""
        request, seen = placed.request, placed.seen
        if request is None:
            return
        memory = self._remembering.of(seen.conversation)
        if seen.change in _WIPED:
            self._add((desk_changed(seen),))
            if seen.change != "cleared":  # another one was, which is kept apart
                self._abandon(memory, ingest.calls_in(request), asked.episode, seen.conversation)
                memory.forget()
            if seen.change == "compacted":
                memory.hydrated = {}
        memory.root = paths.root_of(request) or memory.root
        came = ingest.from_request(request, pending=memory.pending, answered=memory.answered)
        words = digest_of(came.words) if came.words else ""
        known = frozenset(memory.pending)
        again = seen.change == "repeated" and words == memory.words
        if asked.delegated:
            came = without_users(came)
        self._take_results(memory, came.results, asked.episode)
        strange = [one.call for one in came.results if one.failed and one.call not in known]
        if strange and self._doubt_strangers(memory, request, strange, asked.episode):
            self._notices[seen.conversation] = True
        if came.words and not again:
            self._abandon(memory, (), asked.episode, seen.conversation)
        yield from self._see_texts(memory, request)
        pieces = self._take(came.found, memory, asked.episode, seen.conversation, again=again)
        if came.words and not again:
            memory.words = words
            self._verify(memory, came.words, pieces, asked.episode)

    def _see_texts(self, memory: Memory, request: Request) -> Iterator[None]:
        """Note the texts that the model is shown: those of turns that were not looked at yet."""
        for text in ingest.texts_shown(request, min(memory.turns, len(request.turns))):
            if text is not None:
                memory.see(digest_of(text))
            yield
        memory.turns = len(request.turns)

    def _take_results(self, memory: Memory, results: Iterable[Result], episode: str) -> None:
        """Take back what calls brought about that the client did not carry out."""
        order = {call: place for place, call in enumerate(memory.pending)}
        came = [
            (order.get(one.call, -1), one.failed, memory.take_result(one.call)) for one in results
        ]
        failed = [made for _, wrong, made in sorted(came, key=lambda one: -one[0]) if wrong]
        if failed:
            self._retracer().take_back(failed, episode, partial(self._put_back, memory))

    def _put_back(self, memory: Memory, ruling: Ruling) -> None:
        self._put(ruling)
        see_settled(memory, ruling)

    def _doubt_strangers(
        self, memory: Memory, request: Request, calls: Sequence[str], episode: str
    ) -> bool:
        """Doubt what calls brought about, of which nothing is remembered, and which failed."""
        found = ingest.in_calls(request, calls)
        edits = [(self._resolver.path_of(one, memory.root), one.edit) for one in found]
        return self._retracer().doubt_made(edits, episode, self._put)

    def _abandon(
        self, memory: Memory, still: Collection[str], episode: str, conversation: str
    ) -> None:
        """Doubt what calls brought about whose results nobody is going to tell."""
        left = [call for call in memory.pending if call not in still]
        made = [memory.pending.pop(call) for call in left]
        if self._retracer().abandon(made, episode, self._put):
            self._notices[conversation] = True

    def _take(
        self,
        found: Iterable[Found],
        memory: Memory,
        episode: str,
        conversation: str,
        *,
        again: bool = False,
    ) -> list[Piece]:
        """Take in what the user and tools show; again: what the user said was taken in before."""
        taken: list[Piece] = []
        for one in found:
            for piece in self._resolver.resolve(one, self._known, self._sighting(memory, episode)):
                if one.speaker == "tool" and self._is_known(piece):
                    self._remembering.trust(piece.path or "")
                    memory.see(digest_of(piece.text or ""))
                    continue
                piece = numbered(piece, f"{episode}/r{len(taken) + 1}")
                if one.speaker == "user" and again and not self._is_changed(piece):
                    continue
                ruling = self._rule(piece, memory)
                taken.append(piece)
                if one.speaker == "user":
                    self._notices[conversation] = (
                        self._notices.get(conversation, False) or ruling.notice
                    )
        return taken

    def _verify(self, memory: Memory, words: str, pieces: Sequence[Piece], episode: str) -> None:
        """Give authority to what the user saw, and goes on with without a word against it."""
        named = set(self._find(words, memory.root)) if memory.hydrated else ()
        for entity, episodes in memory.hydrated.items():
            if entity in named and not any(is_code_for(entity, piece) for piece in pieces):
                ruling = self._judge.grant(
                    self._known, entity, episode, "verification", made_in=episodes
                )
                self._put(ruling)
                self._trust_promoted(ruling)

    # An answer

    def answer(self, answered: Answered, placed: Placed) -> None:
        """Take in what a model said."""
        episode = answered.prepared.asked.episode
        conversation = answered.prepared.conversation or placed.seen.conversation
        memory = self._remembering.of(conversation)
        if answered.status in GOOD:
            whole = answered.ended == "whole"
            memory.hydrate(answered.prepared.hydrated, episode, whole=whole)
        for digest in _ARTIFACT.findall(answered.prepared.added):
            memory.see(digest)
        answer = heard(answered)
        self._add((episode_recorded(answered, answer, placed, conversation),))
        proposed: list[str] = []
        notices: list[bool] = []
        for found in ingest.from_answer(answer):
            made = self._answer_piece(found, memory, episode, (proposed, notices))
            if found.call is not None:
                before = memory.pending.get(found.call, Made())
                both = Made(before.rulings + made.rulings, before.doubted + made.doubted)
                memory.await_result(found.call, both)
        for block in answer.blocks:
            if block.call is not None and block.call not in memory.pending:
                memory.await_result(block.call, Made())
        if notices:
            self._notices[conversation] = any(notices)
        entities = waiting(self._known, proposed, episode)
        if entities and answer.ended is not None:
            self._unsure.append(told_of(answered, answer, placed, (conversation, entities)))

    def _answer_piece(
        self,
        found: Found,
        memory: Memory,
        episode: str,
        told: tuple[list[str], list[bool]],
    ) -> Made:
        """Take in one code of the model's; return what it brought about."""
        proposed, notices = told
        rulings, doubted = [], []
        for piece in self._resolver.resolve(found, self._known, self._sighting(memory, episode)):
            notices.append(False)
            piece = numbered(piece, f"{episode}/{len(notices)}")
            ruling = self._rule(piece, memory, found)
            notices[-1] = ruling.notice
            proposed += ruling.proposed
            rulings.append(without_texts(ruling))
            if piece.path is not None and not is_taken(self._known, found, piece, ruling):
                doubted.append((piece.path, piece.version))
                symbols = touched(self._known, piece, ruling)
                self._remembering.doubt(piece.path, piece.version, symbols)
        return Made(tuple(rulings), tuple(doubted))

    # An audit

    def audit(self, audited: Audited) -> None:
        """Take in what an audit found out; what comes late can only lower."""
        for entity, status in audited.found:
            self._add((audit_done(audited, entity, status),))
            if status != "completed":
                reason = _LEFT_SAYING.format(status)
                ruling = self._judge.lower(self._known, entity, audited.episode, reason)
            elif audited.late:
                continue
            else:
                ruling = self._judge.grant(self._known, entity, audited.episode, "audit")
            self._put(ruling)
            self._trust_promoted(ruling)

    # Both

    def _rule(self, piece: Piece, memory: Memory, found: Found | None = None) -> Ruling:
        ruling = self._judge.judge(self._known, piece)
        self._put(ruling, how(piece, found))
        if piece.text is not None and piece.whole and len(piece.text) <= PROXY_TEXT_BYTES_MAX:
            memory.see(digest_of(piece.text))
        see_settled(memory, ruling)
        if piece.symbol is not None:
            self._trust_promoted(ruling)
        elif self._is_known(piece) and (not piece.delta or piece.speaker != "model"):
            self._remembering.trust(piece.path or "")
        return ruling

    def _trust_promoted(self, ruling: Ruling) -> None:
        """A definition that was given authority is in doubt no longer; others of its file are."""
        for name in ruling.promoted:
            path, _, symbol = name.partition(paths.SEPARATOR)
            self._remembering.trust_symbols(path, frozenset((symbol,)))

    def _is_changed(self, piece: Piece) -> bool:
        """Tell whether what a piece gave, when it was first seen, is no longer so."""
        ruling = self._judge.judge(self._known, piece)
        return bool(ruling.replaced or ruling.settled)

    def _is_known(self, piece: Piece) -> bool:
        """Tell whether a file is shown just as the State Map has it."""
        return (
            piece.path is not None
            and piece.text is not None
            and self._known.file(piece.path) == digest_of(piece.text)
        )

    def _sighting(self, memory: Memory, episode: str) -> Sighting:
        return Sighting(episode, memory.root, memory.saw, self._remembering)

    def _retracer(self) -> Retracer:
        return Retracer(self._judge, self._known, self._remembering, self._resolver.read)

    def _put(self, ruling: Ruling, how: Step | None = None) -> None:
        """Put what follows on top of what is known, and note how files became other ones."""
        self._add(ruling.drafts)
        note_steps(self._remembering, self._known, ruling, how)

    def _add(self, drafts: Sequence[Draft]) -> None:
        self._drafts += drafts
        self._known.apply(drafts)
