"""Sessions as an agent might have them, with things planted that must come back word for word.

Each session works on one concern of one module; no two have the same pair, but every module has
several sessions and every concern has. Five kinds of things are planted in it, between talk, tool
calls, commands and changes about the same module and concern. For each there is a question that a
person who forgot it would ask, in one of several ways, one time in four with the concern in another
form of the word (`validating` for `validation`). A question never holds the answer, nor three words
in a row of the entry that has it; it shares with it what such questions share, the module, the
concern, and a word or two that anyone would use. The same seed gives the same sessions.
"""

from __future__ import annotations

import random
import re
from typing import Final

import msgspec

from holdfast.ledger.ledger import Draft

CLASSES: Final = ("decisions", "user's words", "commands", "paths", "numbers")

_MODULES: Final = (
    "billing", "checkout", "inventory", "shipping", "search", "login", "profile", "uploads",
    "reports", "webhooks", "mailer", "scheduler", "exporter", "importer", "gateway", "catalogue",
    "pricing", "refunds", "ledger", "audit", "notifications", "sessions", "thumbnails", "cache",
    "router", "parser", "renderer", "metrics", "billing-api", "payments",
)  # fmt: skip
_CONCERNS: Final = (
    "retries", "timeouts", "rounding", "pagination", "locking", "encoding", "validation",
    "throttling", "batching", "ordering", "deduplication", "migration", "rollback", "indexing",
    "streaming", "compression", "expiry", "permissions", "localisation", "logging",
)  # fmt: skip
_OTHER_FORMS: Final = {
    "retries": "retrying", "timeouts": "timeout", "rounding": "rounded", "pagination": "paging",
    "locking": "locks", "encoding": "encoded", "validation": "validating", "throttling": "throttle",
    "batching": "batches", "ordering": "order", "deduplication": "duplicates",
    "migration": "migrating", "rollback": "rollbacks", "indexing": "indexes",
    "streaming": "streams", "compression": "compressing", "expiry": "expiring",
    "permissions": "permission", "localisation": "localised", "logging": "logs",
}  # fmt: skip
_SYLLABLES: Final = ("ba", "ko", "ri", "tu", "ne", "sal", "vor", "mi", "dex", "qua", "fen", "lo")
_CHOICES: Final = (
    "cap it at {n} and hand the rest to {w}",
    "keep {w} and give {v} its own table",
    "use {w} behind {v}, with {n} as the limit",
    "drop {w}; {v} does the same in {n} lines",
)
_REASONS: Final = (
    "the {w} variant was {n} times slower when we tried it on the staging data",
    "nobody could say who owns {w}, and {v} has tests already",
    "it is the only one that survives a restart of {w} without losing {v}",
)
_WISHES: Final = (
    "please do not touch {w} before friday, {v} is being shown to a customer",
    "i would rather have {w} slow and right than fast and wrong, so leave {v} alone",
    "the {v} column has to stay nullable until {w} is gone, ops asked for that twice",
    "call it {w} everywhere, never {v}; the translators got confused last time",
)
_CHATTER: Final = (
    "Looking at how {m} does {c} today before I change anything.",
    "The {c} path in {m} is covered by two tests; I will add a third.",
    "Next I want to see whether {w} still calls into {m}.",
    "That worked; moving on to the next part of {c}.",
    "There were two ways to do {c} here and {m} used both; I keep the newer one.",
    "The user may want {c} in {m} to be visible in the report as well; asking later.",
    "The slow part of {m} is not {c} but {w}, as far as I can tell.",
    "One more file of {m} touches {c}: the guard in {w} is dead code.",
)
_SUMMARIES: Final = (
    "tidy {w} and {v}",
    "rename {w} in {m}",
    "move {c} of {m} out of {w}",
    "comments on {c}",
)


OTHER_FORM: Final = 0.25
"""How often a question has another form of the word for the concern."""


class Planted(msgspec.Struct, frozen=True):
    """One thing that must come back."""

    kind: str
    question: str
    text: str
    """Must stand in the answer, word for word."""
    at: int
    """Which entry of the session holds it."""
    exit_code: int | None = None
    """Of a command: must stand right behind it."""

    def is_in(self, answer: str) -> bool:
        """Tell whether an answer gives it back."""
        wanted = rf"(?<![\w.]){re.escape(self.text)}"
        if self.exit_code is None:
            return re.search(rf"{wanted}(?![\w])", answer) is not None
        behind = rf'["\s,(]*exit(?:_code)?"?:? ?{self.exit_code}(?![\w])'
        return re.search(wanted + behind, answer) is not None


class Story(msgspec.Struct, frozen=True):
    """One session."""

    session_id: str
    drafts: list[Draft]
    planted: list[Planted]


def stories(count: int, *, seed: int = 1) -> list[Story]:
    """Return sessions; each pair of module and concern is used once before any comes again."""
    chance = random.Random(seed)
    pairs = [(module, concern) for module in _MODULES for concern in _CONCERNS]
    chance.shuffle(pairs)
    return [_story(number, *pairs[number % len(pairs)], chance) for number in range(count)]


def _story(number: int, module: str, concern: str, chance: random.Random) -> Story:
    teller = _Teller(f"story-{number}", module, concern, chance)
    teller.begin()
    for plant in chance.sample(_PLANTS, len(_PLANTS)):
        for _ in range(chance.randint(2, 8)):
            teller.chatter()
        plant(teller)
    for _ in range(chance.randint(2, 8)):
        teller.chatter()
    return Story(teller.session_id, teller.drafts, teller.planted)


class _Teller:
    """Writes one session."""

    def __init__(self, session_id: str, module: str, concern: str, chance: random.Random) -> None:
        self.session_id = session_id
        self.module = module
        self.concern = concern
        self.chance = chance
        self.drafts: list[Draft] = []
        self.planted: list[Planted] = []

    def begin(self) -> None:
        self.add("session_started", {"parent": None})

    def add(self, kind: str, data: dict[str, object]) -> int:
        self.drafts.append(Draft(kind, data, self.session_id))
        return len(self.drafts) - 1

    def plant(self, kind: str, asked: tuple[str, ...], text: str, at: int) -> None:
        """Note what must come back, and ask for it in one of several ways."""
        question = self.ask(asked)
        code = self.drafts[at].data.get("exit_code") if kind == "commands" else None
        self.planted.append(Planted(kind, question, text, at, code))

    def ask(self, forms: tuple[str, ...]) -> str:
        """Ask about this session's module and concern."""
        concern = self.concern
        if self.chance.random() < OTHER_FORM:
            concern = _OTHER_FORMS[concern]
        return self.chance.choice(forms).format(m=self.module, c=concern)

    def word(self) -> str:
        return "".join(self.chance.choices(_SYLLABLES, k=3))

    def fill(self, form: str) -> str:
        return form.format(
            m=self.module,
            c=self.concern,
            w=self.word(),
            v=self.word(),
            n=self.chance.randint(3, 900),
        )

    def chatter(self) -> None:
        """Add what stands around the things that matter."""
        match self.chance.randrange(5):
            case 0 | 1:
                self.add("agent_said", {"text": self.fill(self.chance.choice(_CHATTER))})
            case 2:
                params = {"file_path": self.path()}
                self.add("tool_called", {"tool": "Read", "ok": True, "params": params})
            case 3:
                where = f"tests/{self.module}/test_{self.concern}.py"
                command = self.chance.choice((f"make test-{self.word()}", f"pytest {where} -q"))
                shown = f"{self.chance.randint(1, 60)} passed in {self.chance.random():.2f}s"
                self.add("command_ran", {"command": command, "exit_code": 0, "output": shown})
            case _:
                summary = self.fill(self.chance.choice(_SUMMARIES))
                self.add("file_change", self.change(self.path(), summary))

    def path(self) -> str:
        return f"src/{self.word()}/{self.word()}_{self.chance.randint(1, 99)}.py"

    def change(self, path: str, summary: str) -> dict[str, object]:
        size = self.chance.randint(100, 20_000)
        return {
            "path": path,
            "action": "modify",
            "size_before": size,
            "size_after": size + 40,
            "lines_changed": self.chance.randint(1, 80),
            "diff_summary": summary,
            "hash_after": self.chance.randbytes(32).hex(),
        }


def _decision(teller: _Teller) -> None:
    choice = teller.fill(teller.chance.choice(_CHOICES))
    asked = teller.chance.choice(
        (
            f"How should {teller.module} handle {teller.concern}?",
            f"{teller.module}, {teller.concern}: which way?",
            f"What does {teller.module} need for {teller.concern}?",
        )
    )
    data: dict[str, object] = {
        "question": asked,
        "choice": choice,
        "reasoning": teller.fill(teller.chance.choice(_REASONS)),
        "alternatives": [teller.word(), teller.word()],
    }
    ways = (
        "What did we settle on about {c} in {m}, and why?",
        "What was decided on {m} and its {c}?",
        "Remind me of our decision on {m} and its {c}",
        "Which option won for {m} when it came to {c}?",
    )
    teller.plant("decisions", ways, choice, teller.add("decision", data))


def _wish(teller: _Teller) -> None:
    wish = teller.fill(teller.chance.choice(_WISHES))
    opening = teller.chance.choice(
        (
            f"about {teller.concern} in {teller.module}: ",
            f"{teller.module} again. for {teller.concern} ",
            f"before you go on with the {teller.concern} of {teller.module}, ",
        )
    )
    text = opening + wish
    ways = (
        "What exactly did the user want from me when I worked on {m} {c}?",
        "What did the user say regarding {m} and {c}?",
        "Which wishes were there for {m} while I did {c}?",
        "What was I asked to mind with {m}, {c} in particular?",
    )
    teller.plant("user's words", ways, text, teller.add("prompt_given", {"text": text}))


def _command(teller: _Teller) -> None:
    where = f"tests/{teller.module}/test_{teller.concern}.py"
    command = f"pytest {where} -k {teller.word()} --maxfail={teller.chance.randint(2, 9)} -x"
    code = teller.chance.choice((1, 2, 3, 4, 5))
    output = f"FAILED {where}::test_{teller.word()} - assert {teller.word()} is None"
    at = teller.add("command_ran", {"command": command, "exit_code": code, "output": output})
    ways = (
        "Which test run of {c} for {m} failed, and how did it exit?",
        "What did I run on {c} in {m} that went wrong?",
        "How did I call the failing {m} tests about {c}?",
        "Which command broke on {c} in {m}, with what exit code?",
    )
    teller.plant("commands", ways, command, at)


def _file(teller: _Teller) -> None:
    path = teller.path()
    summary = f"new guard for {teller.concern} as {teller.module} needs it"
    if teller.chance.random() < 0.5:
        at = teller.add("file_change", teller.change(path, summary))
    else:
        params = {"file_path": path, "why": summary}
        at = teller.add("tool_called", {"tool": "Edit", "ok": True, "params": params})
    ways = (
        "Where does the guard live that {m} got for {c}?",
        "Which file has the new {c} guard of {m}?",
        "In which path did I put the guard against {c} trouble in {m}?",
    )
    teller.plant("paths", ways, path, at)


def _number(teller: _Teller) -> None:
    value = (teller.chance.randint(1_000, 99_000) * 10 + 7) / 1000
    if teller.chance.random() < 0.5:
        data: dict[str, object] = {
            "name": f"p95 latency of {teller.module} with {teller.concern}",
            "value": value,
            "threshold": 1000,
            "passed": True,
            "components": {},
        }
        at = teller.add("metric", data)
    else:
        shown = f"{teller.module} {teller.concern}: p50 {value / 3:.1f} ms, p95 {value!r} ms"
        data = {"command": f"make bench-{teller.word()}", "exit_code": 0, "output": shown}
        at = teller.add("command_ran", data)
    ways = (
        "How slow was {m} at the 95th percentile (p95) once {c} was in?",
        "What p95 did we measure for {m} after the {c} work?",
        "How many milliseconds did {m} take with {c} on, p95?",
    )
    teller.plant("numbers", ways, f"{value!r}", at)


_PLANTS: Final = (_decision, _wish, _command, _file, _number)
