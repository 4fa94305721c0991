"""What a command is handed from outside: JSON as it was typed, from a file, or from a pipe."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import BinaryIO

from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import INPUT_BYTES_MAX


def read_given(given: str) -> bytes:
    """Return the bytes that JSON, @FILE or - stands for, never more than may be recorded."""
    if given == "-":
        return _bounded(sys.stdin.buffer, "standard input")
    if not given.startswith("@"):
        return os.fsencode(given)  # as it was typed, so that bytes that are not UTF-8 are seen
    try:
        with Path(given[1:]).expanduser().open("rb") as file:
            return _bounded(file, given[1:])
    except OSError as error:
        raise InvalidInput(
            f"The file {given[1:]} cannot be read: {error.strerror}.",
            meaning="Nothing was recorded.",
            remedy="Name a file that exists, after the @.",
        ) from error


def _bounded(stream: BinaryIO, name: str) -> bytes:
    content = stream.read(INPUT_BYTES_MAX + 1)
    if len(content) <= INPUT_BYTES_MAX:
        return content
    raise InvalidInput(
        f"The data from {name} has more than {INPUT_BYTES_MAX:,} bytes.",
        meaning="Nothing was recorded.",
        remedy="Record it in several entries, or keep it in a file and record its hash.",
    )
