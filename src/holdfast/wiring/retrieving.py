"""Code of a project's files, read by a process that can be killed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from holdfast.code.outlines import outline as outline_of
from holdfast.code.values import Outline, Reading
from holdfast.kernel.limits import CODE_BYTES_MAX
from holdfast.recall.identifiers import Identifier, Lines
from holdfast.recall.retrieval import ReadSymbols, Retrieved, read_code
from holdfast.recall.retrieval import retrieve as retrieve_from
from holdfast.wiring.project_files import ProjectFiles


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
    with _reader() as read_symbols:
        return retrieve_from(
            file.text, msgspec.structs.replace(wanted, path=file.path), read_symbols
        )


def outline(files: ProjectFiles, given: str, tokens_max: int) -> Outlined:
    """Return what a file defines, within a token budget."""
    file = files.read(given, bytes_max=CODE_BYTES_MAX)
    with _reader() as read_symbols:
        reading = read_code(file.text, file.path, read_symbols)
    found = outline_of(file.text, reading.language, tokens_max, reading=reading)
    return Outlined(file.path, reading, found)


@contextmanager
def _reader() -> Iterator[ReadSymbols]:
    from holdfast.workers import ParseWorker

    with ParseWorker() as worker:
        yield worker.read_symbols
