"""`holdfast resume` on the short way: the view on disk, if it is whole and current.

Loads neither click nor msgspec, whose import alone takes longer than everything here. Whatever is
out of the ordinary is left to the command itself, which answers the same and can do more.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Final

LEDGER_VARIABLE: Final = "HOLDFAST_LEDGER"
SESSION_VARIABLE: Final = "HOLDFAST_SESSION"


_WAYS: Final = {
    ("resume",): None,
    ("resume", "--json"): None,
    ("resume", "--level", "1"): 1,
    ("resume", "--level=1"): 1,
    ("resume", "--level", "1", "--json"): 1,
    ("resume", "--json", "--level", "1"): 1,
    ("resume", "--level=1", "--json"): 1,
}
"""Command lines that can be answered here, and the level they ask for."""


def resume(arguments: list[str]) -> bool:
    """Answer `resume`, with `--level 1` and `--json`; False when it takes the command to do so."""
    way = tuple(arguments)
    if way not in _WAYS or os.environ.get(LEDGER_VARIABLE):
        return False
    as_json = "--json" in way
    answer = _answer() if _WAYS[way] is None else _level_one()
    if answer is None:
        return False
    try:
        if as_json:
            spelled = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
            sys.stdout.buffer.write(spelled.encode() + b"\n")
        else:
            from holdfast.cli.output import say, say_lines, visible

            say_lines(answer["text"], "bold")
            for line in still_pending(answer.get("pending")):
                say(visible(line), "bold yellow")
        sys.stdout.flush()
    except OSError as problem:
        _give_up(problem, as_json=as_json)
    return True


def _answer() -> dict[str, Any] | None:
    """Return the resume that lies ready, None unless it says what is true now."""
    folder = _folder()
    document = None if folder is None else _current(folder)
    if document is None:
        return None
    match document:
        case {
            "resume": {"text": str(text), "tokens": int(tokens)},
            "pending": {"newest": list(waiting)} as pending,
        } if text and _is_ours(document):
            _tell_others(document)
            answer = {"text": text, "tokens": tokens, "as_of_seq": document["as_of_seq"]}
            return answer | ({"pending": pending} if waiting else {})
        case _:
            return None


def _level_one() -> dict[str, Any] | None:
    """Return the capsule that lies ready, None unless it says what is true now.

    Where a file that it names is gone, the command says so; where sessions have different tasks, it
    knows whose is meant; where it tells nothing, that looks into the notes.
    """
    folder = _folder()
    document = None if folder is None else _current(folder)
    match document:
        case {
            "as_of_seq": int(as_of_seq),
            "capsule": {
                "text": str(text),
                "tokens": int(tokens),
                "counter": str(counter),
                "identifiers": list(paths),
                "several_tasks": bool(several),
                "bare": False,
            },
        } if text and not (several and os.environ.get(SESSION_VARIABLE)):
            root = os.path.dirname(folder or "")  # noqa: PTH120
            if not all(os.path.lexists(f"{root}/{path}") for path in paths):
                return None
            told: dict[str, Any] = {"level": 1, "text": text, "tokens": tokens}
            return told | {"counter": counter, "as_of_seq": as_of_seq}
        case _:
            return None


def _current(folder: str) -> dict[str, Any] | None:
    """Return the view on disk, None unless it is as new as the ledger."""
    from holdfast.agents import intake

    if intake.waits(folder):  # hooks left something: what lies ready does not know it
        return None
    document = _read(f"{folder}/state/CURRENT_STATE.json")
    if document is None:
        return None
    from holdfast.storage.sqlite.glance import head

    marks = (document.get("ledger"), document.get("as_of_seq"), document.get("head"))
    return document if marks == head(f"{folder}/ledger.db") else None


def still_pending(pending: dict[str, Any] | None) -> list[str]:
    """Spell what waits for somebody and is still required, a line each."""
    if pending is None:
        return []
    lines = []
    for one in pending["newest"]:
        steps = f" (steps: {', '.join(one['steps'])})" if one["steps"] else ""
        lines.append(f"Still pending: {one['pending']} ({one['kind']}): {one['prompt']}{steps}")
    if pending["more"]:
        lines.append(f"{pending['more']:,} older ones are pending, too: `holdfast pending list`")
    return lines


def _tell_others(document: dict[str, Any]) -> None:
    """Say whose checkpoint this is, when it could be another's."""
    if os.environ.get(SESSION_VARIABLE):
        return
    match document:
        case {
            "sessions": {"open": [_, _, *_] as names, "more_open": int(more)},
            "checkpoint": {"session_id": of},
        }:
            from holdfast.cli.output import talk, visible

            talk(visible(others_open(len(names) + more, of)))
        case _:
            pass


def others_open(count: int, session_id: str | None) -> str:
    """Spell that several sessions are open, and of which one the newest checkpoint is."""
    whose = "none" if session_id is None else session_id
    return f"{count:,} sessions are open; this is of {whose}. --session chooses another."


def _is_ours(document: dict[str, Any]) -> bool:
    """Tell whether the newest checkpoint is of the session of the environment, if there is one."""
    mine = os.environ.get(SESSION_VARIABLE)
    match document.get("checkpoint"):
        case {"session_id": of} if mine:
            return bool(of == mine)
        case _:
            return not mine


def _folder() -> str | None:
    """Find the folder of the project's ledger; a git worktree is for the command to look into."""
    at = os.getcwd()  # noqa: PTH109 - pathlib costs 8 ms
    while True:
        if os.path.exists(f"{at}/.holdfast/ledger.db"):  # noqa: PTH110
            return f"{at}/.holdfast"
        above = os.path.dirname(at)  # noqa: PTH120
        if above == at or os.path.isfile(f"{at}/.git"):  # noqa: PTH113
            return None
        at = above


def _read(path: str) -> dict[str, Any] | None:
    """Read a view; None when it is not there, not whole, or was changed by somebody."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            document = json.loads(file.read())
        said = document.pop("digest")
        # for what is in a view this spelling is the canonical one; where not, nothing is believed
        spelled = json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        return document if _sha256(spelled.encode()) == said else None
    except (OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError):
        return None


def _sha256(content: bytes) -> str:
    """Hash without loading OpenSSL, which would take a tenth of all the time there is."""
    try:
        from _sha2 import sha256  # type: ignore[import-not-found]  # Python 3.12 and later
    except ImportError:
        try:
            from _sha256 import sha256  # type: ignore[import-not-found]
        except ImportError:
            from hashlib import sha256
    return str(sha256(content).hexdigest())


def _give_up(problem: OSError, *, as_json: bool) -> None:
    """Say what became of the output as every command does."""
    from holdfast.cli import errors

    def fail() -> None:
        raise problem

    sys.exit(errors.guarded(fail, as_json=as_json))
