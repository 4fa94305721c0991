"""Sessions of very different shapes, and what a quick resume of each must tell.

No task, only commands, only files, only words, words of other languages, very long ones, nothing
that failed, several things that failed, work in the background, and so on. What is wanted of a
resume is written down here beside the session, by hand for each shape, and not worked out by the
code that is measured. The same seed gives the same sessions.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import cycle, islice
from typing import Any, Final, TypeAlias

import msgspec

from holdfast.ledger.ledger import Draft

_NOUNS: Final = ("cursor", "router", "invoice", "index", "schema", "buffer", "token", "ledger")
_VERBS: Final = ("split", "rename", "cache", "validate", "stream", "document", "retry", "remove")
_FOLDERS: Final = ("src/api", "src/parser", "lib/storage", "web/components", "cmd/server", "docs")
_FOREIGN: Final = (
    ("Bitte prüfe die Umlaute in der Rechnung und ändere die Größe des Fußes", "src/größe/fuß.py"),
    ("請檢查發票的稅額計算並修正四捨五入的錯誤", "src/發票/稅額.py"),
    ("パーサーの文字列処理を直してからテストを追加してください", "src/構文/文字列.py"),
    ("تحقق من ترتيب الحقول في الفاتورة ثم أصلح الاختبار", "src/فاتورة/حقول.py"),
    ("Проверь округление в счёте и добавь тест на границы", "src/счёт/округление.py"),
)


class Shape(msgspec.Struct):
    """A session, how its checkpoint is made, and what the resume must tell."""

    name: str
    drafts: list[tuple[str, dict[str, Any]]]
    given: dict[str, Any] | None = None
    """What somebody says at the checkpoint; None when it is made by itself."""
    next_action: str = ""
    failing: tuple[str, int] | None = None
    """The last command that failed, and its exit code."""
    changed: tuple[str, ...] = ()
    """Paths of which one must be named."""
    other: str = ""
    """What was done last, where nothing tells what comes next."""


_Make: TypeAlias = Callable[["_Words"], Shape]


def shapes(count: int, *, seed: int = 1) -> list[Shape]:
    """Return sessions, the shapes taking turns."""
    words = _Words(random.Random(seed))
    return [make(words) for make in islice(cycle(_SHAPES), count)]


def draft(shape: Shape, index: int, session_id: str) -> Draft:
    """Return an entry of the session."""
    kind, data = shape.drafts[index]
    return Draft(kind, data, session_id)


class _Words:
    """Makes words and entries, each time others."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self._number = 0

    def number(self) -> int:
        self._number += 1
        return self._number

    def noun(self) -> str:
        return f"{self.chance.choice(_NOUNS)}{self.number()}"

    def doing(self) -> str:
        return f"{self.chance.choice(_VERBS)} the {self.noun()} before the {self.noun()} is read"

    def path(self) -> str:
        return f"{self.chance.choice(_FOLDERS)}/{self.noun()}.py"

    def long(self, chars: int) -> str:
        text = ""
        while len(text) < chars:
            text += f"{self.doing()}, and then {self.doing()}; "
        return text[:chars].strip()

    def ran(self, command: str, code: int | None, output: str = "") -> tuple[str, dict[str, Any]]:
        return "command_ran", {"command": command, "exit_code": code, "output": output}

    def changed(self, path: str, action: str = "modify") -> tuple[str, dict[str, Any]]:
        size = self.chance.randint(100, 9_000)
        return "file_change", {
            "path": path,
            "action": action,
            "size_before": 0 if action == "create" else size,
            "size_after": 0 if action == "delete" else size + 30,
            "lines_changed": self.chance.randint(1, 60),
            "diff_summary": self.doing(),
            "hash_after": None if action == "delete" else self.chance.randbytes(32).hex(),
        }

    def called(self, path: str) -> tuple[str, dict[str, Any]]:
        return "tool_called", {"tool": "Read", "ok": True, "params": {"file_path": path}}


def _said(text: str) -> tuple[str, dict[str, Any]]:
    return "agent_said", {"text": text}


def _asked(text: str) -> tuple[str, dict[str, Any]]:
    return "prompt_given", {"text": text}


def _decided(words: _Words, choice: str) -> tuple[str, dict[str, Any]]:
    return "decision", {
        "question": f"How to {words.doing()}?",
        "choice": choice,
        "reasoning": words.doing(),
        "alternatives": [words.noun()],
    }


def _whole(words: _Words) -> Shape:
    """Everything there can be: task, progress, next action, failure, changes."""
    path, action, command = words.path(), words.doing(), f"pytest -q tests/{words.noun()}"
    return Shape(
        "whole",
        [_asked(words.doing()), words.changed(path), words.ran(command, 1, "2 failed, 3 passed")],
        {"task": words.doing(), "completed": 3, "total": 7, "next_action": action},
        next_action=action,
        failing=(command, 1),
        changed=(path,),
    )


def _no_task(words: _Words) -> Shape:
    path, plan = words.path(), f"Now I {words.doing()}."
    return Shape(
        "no task",
        [words.changed(path, "create"), _said(plan)],
        next_action=plan,
        changed=(path,),
    )


def _only_passing_commands(words: _Words) -> Shape:
    last = f"make {words.noun()}"
    return Shape(
        "only commands, none failed",
        [words.ran(f"ls {words.noun()}", 0), words.ran(last, 0, "ok")],
        other=last,
    )


def _only_failing_commands(words: _Words) -> Shape:
    last = f"cargo test {words.noun()}"
    return Shape(
        "only commands, several failed",
        [
            words.ran(f"make {words.noun()}", 2),
            words.ran(f"git status {words.noun()}", 0),
            words.ran(last, 101),
            words.ran(f"git diff {words.noun()}", 0),
        ],
        next_action=last,
        failing=(last, 101),
    )


def _only_files(words: _Words) -> Shape:
    paths = [words.path() for _ in range(words.chance.randint(1, 30))]
    actions = ("modify", "create", "delete")
    return Shape(
        "only files",
        [words.changed(path, words.chance.choice(actions)) for path in paths],
        changed=tuple(paths),
    )


def _only_words(words: _Words) -> Shape:
    wish = words.doing()
    return Shape("only words", [_asked(wish), _said(f"I see. {words.doing()}.")], next_action=wish)


def _long_words(words: _Words) -> Shape:
    wish, path = words.long(6_000), words.path()
    command = f"npm run {words.noun()}"
    return Shape(
        "very long words",
        [_asked(wish), _said(words.long(9_000)), words.changed(path), words.ran(command, 3)],
        next_action=command,
        failing=(command, 3),
        changed=(path,),
    )


def _foreign(words: _Words) -> Shape:
    wish, path = words.chance.choice(_FOREIGN)
    wish, path = f"{wish} {words.number()}", path.replace(".py", f"{words.number()}.py")
    return Shape(
        "not English", [_asked(wish), words.changed(path)], next_action=wish, changed=(path,)
    )


def _nothing_failing(words: _Words) -> Shape:
    path, action = words.path(), words.doing()
    return Shape(
        "nothing failed",
        [words.changed(path), words.ran("make test", 0, "48 passed in 2.1s"), words.called(path)],
        {"next_action": action},
        next_action=action,
        changed=(path,),
    )


def _passed_since(words: _Words) -> Shape:
    """What failed last went well later: it is still the last that failed."""
    command, path, wish = f"go test ./{words.noun()}", words.path(), words.doing()
    return Shape(
        "failed, and passed since",
        [_asked(wish), words.ran(command, 1), words.changed(path), words.ran(command, 0, "ok")],
        next_action=wish,
        failing=(command, 1),
        changed=(path,),
    )


def _background(words: _Words) -> Shape:
    done, going = words.noun(), words.noun()
    title = f"migrate {going} in the background"
    return Shape(
        "work in the background",
        [
            ("work_opened", {"work": done, "title": f"review {done}", "kind": "subagent"}),
            ("work_opened", {"work": going, "title": title, "kind": "task"}),
            ("work_closed", {"work": done, "outcome": "no objections"}),
            words.called(words.path()),
        ],
        next_action=title,
    )


def _long_names(words: _Words) -> Shape:
    path = f"packages/{'-'.join(words.noun() for _ in range(9))}/src/{words.noun()}.py"
    command = f"docker run --rm -v {path}:/w " + " ".join(f"-e {words.noun()}" for _ in range(40))
    return Shape(
        "long command and path",
        [words.changed(path), words.ran(command, 137), words.ran("date", 0)],
        next_action=command,
        failing=(command, 137),
        changed=(path,),
    )


def _decisions(words: _Words) -> Shape:
    choice = words.doing()
    error = {
        "error_type": "TimeoutError",
        "message": words.doing(),
        "context": None,
        "resolution": None,
        "prevention": None,
    }
    return Shape(
        "decisions and an error",
        [_decided(words, words.doing()), ("error", error), _decided(words, choice)],
        next_action=choice,
    )


def _only_tools(words: _Words) -> Shape:
    path = words.path()
    drafts = [words.called(words.path()) for _ in range(4)]
    return Shape("only tool calls", [*drafts, words.called(path)], other=path)


def _long_next(words: _Words) -> Shape:
    action, path, command = words.long(900), words.path(), f"pytest {words.noun()} -x"
    return Shape(
        "a long next action",
        [words.changed(path), words.ran(command, 5)],
        {"task": words.long(400), "next_action": action, "completed": 0, "total": 3},
        next_action=action,
        failing=(command, 5),
        changed=(path,),
    )


def _unknown_codes(words: _Words) -> Shape:
    """A command whose end nobody saw did not fail."""
    command, wish = f"ruff check {words.noun()}", words.doing()
    return Shape(
        "a command whose end is not known",
        [words.ran(command, 1), _asked(wish), words.ran(f"make {words.noun()}", None)],
        next_action=command,
        failing=(command, 1),
    )


_SHAPES: Final[tuple[_Make, ...]] = (
    _whole,
    _no_task,
    _only_passing_commands,
    _only_failing_commands,
    _only_files,
    _only_words,
    _long_words,
    _foreign,
    _nothing_failing,
    _passed_since,
    _background,
    _long_names,
    _decisions,
    _only_tools,
    _long_next,
    _unknown_codes,
)
