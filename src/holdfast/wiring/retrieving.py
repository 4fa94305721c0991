"""Code of a project's files, read by a process that can be killed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from holdfast.code import PatternMap, pattern_map
from holdfast.code.outlines import outline as outline_of
from holdfast.code.values import Outline, Reading
from holdfast.evidence.project_files import ProjectFiles
from holdfast.kernel.errors import NotFound
from holdfast.kernel.limits import CODE_BYTES_MAX, PATTERN_FILE_BYTES_MAX
from holdfast.recall.identifiers import PROJECT_ROOT, Identifier, Lines
from holdfast.recall.retrieval import ReadSymbols, Retrieved, read_code
from holdfast.recall.retrieval import retrieve as retrieve_from
from holdfast.wiring.places import FOLDER


class Outlined(msgspec.Struct, frozen=True):
    """What a file defines, and how that was found out."""

    path: str
    reading: Reading
    outline: Outline


def retrieve(files: ProjectFiles, wanted: Identifier) -> Retrieved:
    """Return the code that an identifier stands for."""
    if isinstance(wanted, Lines):
        file = files.read(wanted.path)
    else:
        file = files.read(wanted.path, bytes_max=CODE_BYTES_MAX)
    known = None if isinstance(wanted, Lines) else users_patterns(files)
    below = msgspec.structs.replace(wanted, path=file.path)
    with _reader(known) as read_symbols:
        return retrieve_from(file.text, below, read_symbols, known=known)


def outline(files: ProjectFiles, given: str, tokens_max: int) -> Outlined:
    """Return what a file defines, within a token budget."""
    file = files.read(given, bytes_max=CODE_BYTES_MAX)
    known = users_patterns(files)
    with _reader(known) as read_symbols:
        reading = read_code(file.text, file.path, read_symbols, known)
    found = outline_of(file.text, reading.language, tokens_max, reading=reading)
    return Outlined(file.path, reading, found)


def users_patterns(files: ProjectFiles) -> PatternMap | None:
    """Return the patterns that a project adds in `.holdfast/symbols.json`, None if it does not."""
    name = f"{PROJECT_ROOT}{FOLDER}/symbols.json"
    if not os.path.lexists(files.root / FOLDER / "symbols.json"):
        return None  # most have none, and looking for one that is called like it takes time
    try:
        text = files.read(name, bytes_max=PATTERN_FILE_BYTES_MAX).text
    except NotFound:
        return None
    return pattern_map(text, name)


@contextmanager
def _reader(known: PatternMap | None) -> Iterator[ReadSymbols]:
    from holdfast.workers import ParseWorker

    with ParseWorker(known=known) as worker:
        yield worker.read_symbols
