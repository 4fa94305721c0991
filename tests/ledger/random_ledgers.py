"""Ledgers by chance, the same in every run: titles of all scripts, long words, and odd states."""

from __future__ import annotations

import random
from typing import Any

import msgspec

from holdfast.ledger.ledger import Ledger
from holdfast.testing.builders import data_for, open_memory_ledger

_WORDS = (
    *("parser", "cursor", "optimiser", "schedule", "retry", "token", "ledger", "checkpoint"),
    *("Overhaul", "SQLite", "HTTP2", "refactor", "deliberately", "internationalization"),
    *("src/holdfast/views.py", "snake_case_name", "camelCaseName", "3.14159"),
)
_SCRIPTS = (
    "決定を記録する方法を変える",
    "将解析器移到游标上",
    "커서로 파서를 옮기기",
    "انقل المحلل إلى المؤشر",
    "העבר את המנתח לסמן",
    "Перенести парсер на курсор",
    "पार्सर को कर्सर पर ले जाएँ",
    "ย้ายตัวแยกวิเคราะห์ไปยังเคอร์เซอร์",
    "Übergröße Straßenfußballspielfeld",
    "𐤀𐤁𐤂𐤃 𓀀𓀁𓀂 𒀀𒀁",
    "👩‍👩‍👧‍👦🏳️‍🌈🫠✨🤷🏽‍♀️",
    "e\u0301a\u0308o\u0302 zalgo\u0321\u0322\u0323",
    "\u202eright to left\u202c \u200bzero\u200d width",
)


class Told(msgspec.Struct, frozen=True):
    """What a capsule of a ledger has to tell."""

    task: bool
    next_step: bool
    decisions: list[int]
    """Numbers of the newest three that hold, the newest first."""
    superseded: set[int]


class Chance:
    """One ledger, drawn from a number."""

    def __init__(self, number: int) -> None:
        self._draw = random.Random(number)

    def title(self) -> str:
        """Draw a text: words, scripts, one long word, signs; short or long."""
        draw = self._draw
        match draw.randrange(8):
            case 0:
                return "".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(1, 120)))
            case 1:
                return "".join(draw.choices("ABCxyz0189_-/.:#[]{}()<>|`'\"\\!?", k=60))
            case 2 | 3:
                return " ".join(draw.choices(_SCRIPTS, k=draw.randint(1, 4)))
            case 4:
                both = [*draw.choices(_WORDS, k=3), *draw.choices(_SCRIPTS, k=2)]
                return " ".join(draw.sample(both, k=len(both)))
            case 5:
                spans = ((0x20, 0x2FF), (0x370, 0x1CFF), (0x2190, 0xD7FF), (0x1F300, 0x1FAFF))
                first, last = draw.choice(spans)
                return "".join(chr(draw.randint(first, last)) for _ in range(draw.randint(1, 60)))
            case _:
                return " ".join(draw.choices(_WORDS, k=draw.randint(1, 30)))

    def path(self) -> str:
        """Draw a path."""
        parts = self._draw.choices(["src", "lib", "deep", "ファイル", "x" * 40, "a_b"], k=3)
        name = self._draw.choice(["a.py", "engine.ts", "Ω.rs", "very_long_file_name_of_it.py"])
        return "/".join([*parts[: self._draw.randrange(4)], name])

    def ledger(self) -> tuple[Ledger, Told]:
        """Make a ledger, and say what its capsule has to tell."""
        draw, ledger = self._draw, open_memory_ledger()
        task = draw.random() < 0.6
        checkpoint = draw.random() < 0.6
        ledger.session_id = "s1"
        ledger.append("session_started", {})
        if task:
            self._task(ledger)
        held, superseded = list[tuple[int, str]](), set[int]()
        for _ in range(draw.randrange(10)):
            self._decide(ledger, held, superseded)
        for number in range(draw.randrange(3)):
            ledger.append("work_opened", {"work": f"w{number}", "title": self.title() or "x"})
        if draw.random() < 0.3:
            ledger.append("ghost_flagged", {"ghost": "oauth"})
        if checkpoint:
            ledger.append("checkpoint", self._checkpoint())
        if draw.random() < 0.5:
            ledger.append("session_ended", {"reason": "clear"})
        newest = [seq for seq, _ in reversed(held)][:3]
        return ledger, Told(task or checkpoint, checkpoint or task, newest, superseded)

    def _task(self, ledger: Ledger) -> None:
        ledger.append("task_added", {"task": "hf-1a2b", "title": f"T{self.title()}"})
        total = self._draw.choice([None, 7, 12_345, 2**53 - 1])
        update: dict[str, Any] = {"status": "in_progress", "next_steps": [f"N{self.title()}"]}
        if total is not None:
            update |= {"completed": self._draw.randrange(total), "total": total}
        ledger.append("task_updated", {"task": "hf-1a2b", **update})

    def _decide(self, ledger: Ledger, held: list[tuple[int, str]], superseded: set[int]) -> None:
        draw = self._draw
        data = data_for("decision", 1, choice=f"D{self.title()}")
        match draw.randrange(3):
            case 0:
                cited = {"path": self.path(), "line": draw.choice([1, 45, 120_345])}
                citation = {**cited, "quote": "x = 1", "state": "exact"}
                data["grounds"] = {"cited": 1, "exact": 1, "evidence": [citation]}
            case 1:
                data["grounds"] = {"cited": 0, "exact": 0, "assumption": True}
            case _:
                pass
        if held and draw.random() < 0.3:
            seq, key = held.pop(draw.randrange(len(held)))
            data["supersedes"] = [key]
            superseded.add(seq)
        receipt = ledger.append("decision", data)
        held.append((receipt.seq, receipt.id))

    def _checkpoint(self) -> dict[str, Any]:
        return data_for(
            "checkpoint",
            self._draw.randrange(1000),
            task=f"Rewrite the parser {self.title()}",
            next_action=f"then strings {self.title()}",
            quick_resume=f"stands {self.title()}",
        )
