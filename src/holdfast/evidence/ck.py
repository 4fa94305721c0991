"""`ck`, a program that searches code by meaning: asked where it is installed.

It ends with 1 both when nothing is near and when it failed; what it says on stderr tells the two
apart. It also ends so when it has no model: then every score is 0.000, and nothing was compared.
All that is not plainly "nothing is near" is an error here. Its scores are cosines of its own model,
not calibrated: with the usual model, texts that have nothing to do with each other reach 0.4.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from holdfast.evidence.programs import Ran, find, run
from holdfast.kernel.errors import CouldNotLook
from holdfast.kernel.limits import CK_HITS_MAX, CK_SAID_BYTES_MAX, CK_SEARCH_S

PROGRAM: Final = "ck"

_NONE: Final = re.compile(r"^No matches found$", re.MULTILINE)
_ERROR: Final = re.compile(r"^(DETAILED ERROR|Error|error|thread '.*' panicked)\b", re.MULTILINE)
_NEAREST: Final = re.compile(r"^\[(\d+\.\d+)\] (.+?):(\d+):", re.MULTILINE)
_MODEL: Final = re.compile(r"Model: (\S+)")
_PASSED_ON: Final = ("HOME", "PATH", "LANG", "LC_ALL", "TMPDIR", "XDG_CACHE_HOME", "HF_HOME")
"""Variables that it is given: where it finds its model; nothing that would change its answer."""


class CkHit(msgspec.Struct, frozen=True):
    """A stretch of a file that is near a question."""

    path: str
    first_line: int
    last_line: int
    score: float


class CkAnswer(msgspec.Struct, frozen=True):
    """What `ck` found: over how many files, by which model."""

    hits: list[CkHit]
    """At or above the threshold, the best first."""
    best: float
    """The best score there is, also below the threshold."""
    nearest: str | None
    files: int
    model: str | None


class _Span(msgspec.Struct):
    line_start: int
    line_end: int


class _Line(msgspec.Struct):
    path: str
    span: _Span
    score: float


def installed(root: Path) -> str | None:
    """Return where the program is; one that only the project itself brings is not installed."""
    with suppress(CouldNotLook):
        return find(PROGRAM, root)
    return None


def search(program: str, folder: Path, query: str, threshold: float) -> CkAnswer:
    """Search a folder by meaning; raises CouldNotLook unless the answer can be relied on."""
    words = ("--sem", "--threshold", f"{threshold:g}", "--topk", str(CK_HITS_MAX), "--jsonl")
    ran = _ask(program, folder, *words, "--no-snippet", "--", query, ".")
    said = ran.err.decode("utf-8", "replace")
    found = _MODEL.search(said)
    model = None if found is None else found[1]
    if ran.code == 0:
        hits = sorted((_hit(line, folder) for line in ran.out.splitlines()), key=_by_score)
        if not hits:
            raise _failed("ended well and said nothing")
        top = hits[0]
        place = f"{top.path}:{top.first_line}-{top.last_line}"
        return CkAnswer(hits, top.score, place, _files(program, folder), model)
    best, nearest = _nothing_near(ran, said, folder)
    return CkAnswer([], best, nearest, _files(program, folder), model)


def _nothing_near(ran: Ran, said: str, folder: Path) -> tuple[float, str]:
    """Return what is nearest below the threshold; raises unless that was said plainly."""
    if ran.code != 1 or ran.out.strip() or _ERROR.search(said) or not _NONE.search(said):
        raise _failed(f"ended with {ran.code}: {_last_line(said) or 'no reason given'}")
    near = _NEAREST.search(said)
    if near is None:
        raise _failed("found nothing, and names nothing that it compared")
    if float(near[1]) <= 0:
        raise _failed("compared nothing: every score is zero, as without a model")
    return float(near[1]), f"{_below(near[2], folder)}:{near[3]}"


def _files(program: str, folder: Path) -> int:
    """Return how many files its index has."""
    ran = _ask(program, folder, "--status-json", ".")
    try:
        status: Any = json.loads(ran.out)
        files = status["total_files"]
    except (ValueError, KeyError, TypeError):
        raise _failed("does not say how many files it searched") from None
    if ran.code != 0 or not isinstance(files, int) or files <= 0:
        raise _failed("has no file in its index")
    return files


def _ask(program: str, folder: Path, *words: str) -> Ran:
    env = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return run(
        [program, *words],
        folder=folder,
        env=env | {"NO_COLOR": "1"},
        timeout_s=CK_SEARCH_S,
        bytes_max=CK_SAID_BYTES_MAX,
    )


def _hit(line: bytes, folder: Path) -> CkHit:
    try:
        one = msgspec.json.decode(line, type=_Line)
    except msgspec.DecodeError:
        raise _failed(
            f"said something else than a hit: {line[:80].decode(errors='replace')}"
        ) from None
    return CkHit(_below(one.path, folder), one.span.line_start, one.span.line_end, one.score)


def _by_score(hit: CkHit) -> tuple[float, str, int]:
    return -hit.score, hit.path, hit.first_line


def _below(path: str, folder: Path) -> str:
    """Spell a path from the project's root, as far as it lies below it."""
    real = os.path.realpath(folder / path)
    root = os.path.realpath(folder)
    return real[len(root) + 1 :] if real.startswith(root + os.sep) else path


def _last_line(said: str) -> str:
    error = _ERROR.search(said)
    lines = said[error.start() :].splitlines() if error else said.strip().splitlines()[-1:]
    return lines[0][:200] if lines else ""


def _failed(why: str) -> CouldNotLook:
    return CouldNotLook(
        f"`ck` {why}.",
        meaning="That nothing was found by it means nothing.",
        remedy="Run it by hand to see what keeps it, or set search.ck to never.",
    )
