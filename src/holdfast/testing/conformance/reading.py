"""Reading, the tree and artifacts."""

from __future__ import annotations

import inspect
import threading
from hashlib import sha256
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.kernel import entry as entries
from holdfast.kernel.hashing import EMPTY_ROOT
from holdfast.kernel.limits import (
    MIB,
)
from holdfast.storage.port import Engine, Reader, Selection
from holdfast.testing.conformance.engines import (
    TYPES_USED,
    append,
    artifact,
    fill,
    naive_root,
    stored_form,
)
from holdfast.testing.conformance.suite import Suite

WRITE_VERBS: Final = ("append", "add", "put", "set", "write", "insert", "update", "delete", "drop")
WRITE_VERBS_MORE: Final = ("remove", "replace", "seal", "queue", "erase", "restore", "migrate")


class Reading(Suite):
    """An engine gives back what it was given, and lets readers only read."""

    # Reading

    def test_reading_agrees_with_a_plain_filter(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        everything = fill(engine)
        names = [entries.read(stored.body) for stored in everything]
        size = len(everything)
        edges = st.integers(-2, size + 300) | st.sampled_from([0, 255, 256, 257, 2**60, 2**80])

        @settings(max_examples=150, database=None, deadline=None)
        @given(
            first=edges,
            stop=st.none() | edges,
            entry_id=st.none() | st.sampled_from([*(name.id for name in names[::37]), "nobody"]),
            type_name=st.none() | st.sampled_from([*TYPES_USED, "compression", "unheard of"]),
            session_id=st.none() | st.sampled_from(["s1", "s2", "s3 ☃", "rare", "nobody"]),
            newest_first=st.booleans(),
        )
        def agrees(
            first: int,
            stop: int | None,
            entry_id: str | None,
            type_name: str | None,
            session_id: str | None,
            newest_first: bool,
        ) -> None:
            wanted = Selection(first, stop, entry_id, type_name, session_id, newest_first)
            expected = [
                stored
                for stored, name in zip(everything, names, strict=True)
                if first <= stored.seq < (size if stop is None else stop)
                and entry_id in (None, name.id)
                and type_name in (None, name.type)
                and session_id in (None, name.session_id)
            ]
            assert expected[:: -1 if newest_first else 1] == list(engine.read(wanted))

        agrees()

    def test_a_reader_that_thinks_blocks_no_writer(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        added = append(engine, 600)
        reading = engine.read()
        begun = [next(reading), next(reading)]
        writer = threading.Thread(target=append, args=(engine, 1))
        writer.start()
        writer.join(20)
        assert not writer.is_alive()
        assert engine.head().size == 601
        rest = list(reading)
        assert stored_form(added) == [*begun, *rest][:600]

    def test_two_readers_of_one_engine_do_not_disturb_each_other(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        added = stored_form(append(engine, 700))
        pairs = list(zip(engine.read(), engine.read(Selection(newest_first=True)), strict=True))
        assert added == [forward for forward, _ in pairs]
        assert added[::-1] == [backward for _, backward in pairs]

    def test_a_reader_has_no_way_to_write(self) -> None:
        names = [name for name, _ in inspect.getmembers(Reader, inspect.isfunction)]
        public = [name for name in names if not name.startswith("_")]
        assert public == ["archives", "artifact", "audit", "close", "head", "node", "read"]
        for name in public:
            assert not name.startswith((*WRITE_VERBS, *WRITE_VERBS_MORE))

    def test_the_port_has_ten_methods(self) -> None:
        assert len([name for name in dir(Engine) if not name.startswith("_")]) == 10

    # The tree

    def test_a_node_is_the_tree_hash_over_its_leaves(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        leaves: list[bytes] = []
        for count in (1, 254, 1, 1, 300, 7, 512, 200):
            leaves += [sealed.leaf for sealed in append(engine, count)]
        assert EMPTY_ROOT == engine.node(0, 0) == engine.node(5, 5)
        starts = (0, 1, 128, 255, 256, 257, 512, 768, 1024)
        lengths = (1, 2, 3, 255, 256, 257, 511, 512, 513, 1024)
        ranges = {(first, first + length) for first in starts for length in lengths}
        ranges |= {(0, stop) for stop in range(1, len(leaves) + 1, 17)} | {(0, len(leaves))}
        for first, stop in sorted(ranges):
            if stop <= len(leaves):
                assert naive_root(leaves[first:stop]) == engine.node(first, stop)

    # Artifacts

    def test_an_artifact_comes_back_as_it_was(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        contents = [b"", b"\0", b"text", bytes(range(256)) * 20_000, b"y" * (5 * MIB)]
        for content in contents:
            append(engine, 1, artifacts=artifact(content))
        for content in contents:
            assert content == engine.artifact(sha256(content).hexdigest())

    @pytest.mark.parametrize("unknown", ["0" * 64, "", "abc", "zz" * 32, "F" * 64, " " * 64, "☃"])
    def test_an_artifact_that_is_not_there_is_none(self, tmp_path: Path, unknown: str) -> None:
        engine = self.make_engine(tmp_path)
        append(engine, 1, artifacts=artifact(b"another"))
        assert engine.artifact(unknown) is None

    def test_an_artifact_is_found_by_its_one_spelling_only(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        append(engine, 1, artifacts=artifact(b"content"))
        name = sha256(b"content").hexdigest()
        assert engine.artifact(name) == b"content"
        assert engine.artifact(name.upper()) is None

    def test_an_artifact_may_be_appended_again(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        for _ in range(3):
            append(engine, 2, artifacts={**artifact(b"same"), **artifact(b"also")})
        assert engine.artifact(sha256(b"same").hexdigest()) == b"same"
        assert engine.head().size == 6
