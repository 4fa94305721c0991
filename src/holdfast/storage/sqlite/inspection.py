"""A quick look at a database that changes nothing, for whoever wants to know what is wrong."""

from __future__ import annotations

import msgspec

from holdfast.kernel.errors import Damaged
from holdfast.storage.sqlite.connection import (
    SCHEMA_DIGESTS,
    check_format,
    connect,
    schema_digest,
    translated,
)
from holdfast.storage.sqlite.reading import check_newest


class Inspection(msgspec.Struct, frozen=True):
    """What can be told without reading all of a ledger."""

    format: int
    schema_intact: bool
    journal_mode: str
    newest_fault: str
    """What is wrong with the newest entries; empty when nothing is."""


def inspect(path: str) -> Inspection:
    """Look at a ledger's format, schema and newest entries."""
    with translated(path):
        connection = connect(path)
        try:
            connection.pragma("query_only", True)
            version = check_format(connection, path)
            intact = schema_digest(connection) == SCHEMA_DIGESTS[version]
            mode = str(connection.pragma("journal_mode"))
            try:
                check_newest(connection)
            except Damaged as problem:
                return Inspection(version, intact, mode, problem.what)
            return Inspection(version, intact, mode, "")
        finally:
            connection.close(force=True)
