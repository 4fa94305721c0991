"""A LangGraph checkpointer whose checkpoints are entries of the ledger.

    from holdfast.adapters.langgraph import HoldfastSaver

    with HoldfastSaver("my-project") as saver:
        graph = builder.compile(checkpointer=saver)

A thread is a session of the ledger. Nothing that was put is ever removed: deleting and pruning
hide checkpoints from the graph, and the ledger still holds them. The newest checkpoint is the one
that was recorded last.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

import msgspec

from holdfast.adapters.missing import missing
from holdfast.kernel.errors import InvalidInput
from holdfast.wiring.kept_state import Drops, Kept, KeptState, Piece, Secrets

try:
    from langgraph.checkpoint.base import (
        WRITES_IDX_MAP,
        ChannelVersions,
        Checkpoint,
        CheckpointMetadata,
        CheckpointTuple,
        DeltaChannelHistory,
        get_checkpoint_id,
        get_checkpoint_metadata,
        writes_sort_key,
    )
except ImportError as error:
    raise missing("LangGraph", error) from error

from holdfast.adapters.langgraph_async import AsyncSaver
from holdfast.adapters.langgraph_values import (
    CHECKPOINT,
    WRITES,
    Pending,
    PutCheckpoint,
    PutWrite,
    PutWrites,
)

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.serde.base import SerializerProtocol


class HoldfastSaver(AsyncSaver):
    """A checkpointer over a ledger. Safe to share between threads, loops and processes."""

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        serde: SerializerProtocol | None = None,
        secrets: Secrets = "refuse",
    ) -> None:
        """Open the ledger of a project, of a database, or of the current folder's project.

        A put whose bytes hold a secret fails. With `secrets="withhold"` its hash and size are
        recorded instead, and getting it back fails.
        """
        super().__init__(serde=serde)
        self._state = KeptState("langgraph", path, secrets=secrets)
        self._sees_pruned = False

    def __enter__(self) -> HoldfastSaver:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the ledger's files."""
        self._state.close()

    # Putting

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,  # noqa: ARG002 (checkpoints are kept whole)
    ) -> RunnableConfig:
        """Keep a checkpoint; it is durable when this returns."""
        thread, ns = _thread(config), _ns(config)
        told = get_checkpoint_metadata(config, metadata)
        put = PutCheckpoint(
            ns,
            checkpoint["id"],
            get_checkpoint_id(config),
            self.serde.dumps_typed(checkpoint),
            self.serde.dumps_typed(told),
        )
        text = f"step {told.get('step', '-')} ({told.get('source', '-')})"
        self._state.keep(thread, self._piece(CHECKPOINT, thread, put, text), begins=ns or "root")
        return _config(config["configurable"]["thread_id"], ns, put.id)

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Keep what a task wrote after a checkpoint; it is durable when this returns."""
        thread = _thread(config)
        put = PutWrites(
            _ns(config),
            str(config["configurable"]["checkpoint_id"]),
            task_id,
            task_path,
            [
                PutWrite(WRITES_IDX_MAP.get(channel, idx), channel, self.serde.dumps_typed(value))
                for idx, (channel, value) in enumerate(writes)
            ],
        )
        text = ", ".join(channel for channel, _ in writes)
        self._state.keep(thread, self._piece(WRITES, thread, put, text))

    def _piece(self, kind: str, thread: str, put: PutCheckpoint | PutWrites, text: str) -> Piece:
        return Piece(
            kind,
            self._state.digest(thread, put.ns),
            self._state.digest(thread, put.ns, put.id),
            msgspec.msgpack.encode(put),
            text,
        )

    # Getting

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that is named, or the newest of the thread and namespace."""
        thread, ns = _thread(config), _ns(config)
        drops = self._drops(thread)
        checkpoint_id = get_checkpoint_id(config)
        if checkpoint_id is not None:
            about = self._state.digest(thread, ns, checkpoint_id)
            known = self._state.all_about(CHECKPOINT, about)
            found = None if not known or drops.hides(known[-1]) else known[-1]
        else:
            scope = self._state.digest(thread, ns)
            found = next(self._seen(thread, scope, drops), None)
        return None if found is None else self._tuple(found, drops)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Yield the checkpoints that fit, newest first."""
        found = self._listed(
            config, filter or {}, None if before is None else get_checkpoint_id(before)
        )
        yield from islice(found, limit)

    def _listed(
        self, config: RunnableConfig | None, wanted: Mapping[str, Any], before: str | None
    ) -> Iterator[CheckpointTuple]:
        asked = {} if config is None else config["configurable"]
        thread = None if config is None else _thread(config)
        ns, checkpoint_id = asked.get("checkpoint_ns"), asked.get("checkpoint_id")
        scope = None if thread is None or ns is None else self._state.digest(thread, str(ns))
        drops: dict[str, Drops] = {} if thread is None else {thread: self._drops(thread)}
        for kept in self._seen(thread, scope, drops.get(thread or "")):
            put = self._put(kept)
            if checkpoint_id not in (None, put.id) or (before is not None and put.id >= before):
                continue
            metadata = self.serde.loads_typed(put.metadata)
            if any(key not in metadata or metadata[key] != wanted[key] for key in wanted):
                continue
            if kept.thread not in drops:
                drops[kept.thread] = self._drops(kept.thread)
            yield self._tuple(kept, drops[kept.thread])

    def _seen(self, thread: str | None, scope: str | None, drops: Drops | None) -> Iterator[Kept]:
        """Yield the newest state of each checkpoint of a thread, or of all, newest first."""
        if scope is not None and not self._state.has_begun(scope):
            return
        known = {} if thread is None or drops is None else {thread: drops}
        first = 0 if drops is None else drops.all_before
        newer: set[str] = set()
        for kept in self._state.newest_first(thread, first):
            if kept.kind != CHECKPOINT or scope not in (None, kept.scope) or kept.about in newer:
                continue
            newer.add(kept.about)
            if kept.thread not in known:
                known[kept.thread] = self._drops(kept.thread)
            if not known[kept.thread].hides(kept):
                yield kept

    def _drops(self, thread: str) -> Drops:
        drops = self._state.drops(thread)
        return Drops(drops.all_before, {}) if self._sees_pruned else drops

    def _put(self, kept: Kept) -> PutCheckpoint:
        return msgspec.msgpack.decode(self._state.content(kept), type=PutCheckpoint)

    def _tuple(self, kept: Kept, drops: Drops) -> CheckpointTuple:
        put = self._put(kept)
        parent = None if put.parent is None else _config(kept.thread, put.ns, put.parent)
        return CheckpointTuple(
            _config(kept.thread, put.ns, put.id),
            self.serde.loads_typed(put.checkpoint),
            self.serde.loads_typed(put.metadata),
            parent,
            self._pending(kept.about, drops),
        )

    def _pending(self, about: str, drops: Drops) -> Pending:
        """Return what tasks wrote after a checkpoint, in the order their graph applies it."""
        held: dict[tuple[str, int], tuple[PutWrites, PutWrite]] = {}
        for kept in self._state.all_about(WRITES, about):
            if drops.hides(kept):
                continue
            put = msgspec.msgpack.decode(self._state.content(kept), type=PutWrites)
            for write in put.writes:
                key = (put.task_id, write.idx)
                held[key] = (put, write) if put.replaces else held.get(key, (put, write))
        inorder = sorted(
            held.values(),
            key=lambda one: writes_sort_key(one[0].task_path, one[0].task_id, one[1].idx),
        )
        return [
            (put.task_id, write.channel, self.serde.loads_typed(write.value))
            for put, write in inorder
        ]

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Walk back over a channel's writes. Pruned checkpoints count: they are still here."""
        return super(HoldfastSaver, self._with_pruned()).get_delta_channel_history(
            config=config, channels=channels
        )

    def _with_pruned(self) -> HoldfastSaver:
        everything = copy.copy(self)
        everything._sees_pruned = True
        return everything

    # Letting go

    def delete_thread(self, thread_id: str) -> None:
        """Hide a thread from the graph. Nothing is deleted: `holdfast log` still shows it.

        `holdfast erase` drops bytes for good.
        """
        thread = str(thread_id)
        if next(self._state.newest_first(thread, self._drops(thread).all_before), None) is not None:
            self._state.drop(thread, "delete_thread")

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Hide the checkpoints of runs from the graph. Reads the whole history of all threads."""
        wanted, found = set(run_ids), dict[str, set[str]]()
        for kept in self._seen(None, None, None) if wanted else ():
            metadata = self.serde.loads_typed(self._put(kept).metadata)
            if metadata.get("run_id") in wanted:
                found.setdefault(kept.thread, set()).add(kept.about)
        for thread, about in found.items():
            self._state.drop(thread, "delete_for_runs", about)

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Hide all checkpoints of threads, or all but the newest of each namespace."""
        if strategy not in ("keep_latest", "delete"):
            raise InvalidInput(
                f"There is no strategy {strategy!r}.",
                meaning="Nothing was hidden.",
                remedy="Use 'keep_latest', or another that LangGraph's `prune` documents.",
            )
        for thread in map(str, thread_ids):
            if strategy == "delete":
                self.delete_thread(thread)
            else:
                self._keep_latest(thread)

    def _keep_latest(self, thread: str) -> None:
        latest: set[str] = set()
        older: set[str] = set()
        for kept in self._seen(thread, None, self._drops(thread)):
            if kept.scope in latest:
                older.add(kept.about)
            latest.add(kept.scope)
        if older:
            self._state.drop(thread, "prune", older)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Keep everything of a thread once more as another one. Cut short, it can be repeated."""
        source, target = str(source_thread_id), str(target_thread_id)
        drops = self._drops(source)
        oldest_first = [*self._state.newest_first(source, drops.all_before)][::-1]
        pruned = [kept for kept in oldest_first if drops.hides(kept)]
        hidden = {self._copy(kept, target) for kept in pruned if kept.kind != "scope"}
        if hidden:
            self._state.drop(target, "prune", hidden)
        for kept in oldest_first:
            if kept.kind != "scope" and not drops.hides(kept):
                self._copy(kept, target)

    def _copy(self, kept: Kept, target: str) -> str:
        content = self._state.content(kept)
        put: PutCheckpoint | PutWrites
        if kept.kind == CHECKPOINT:
            put = msgspec.msgpack.decode(content, type=PutCheckpoint)
            piece = self._piece(CHECKPOINT, target, put, f"copied from {kept.thread}")
            self._state.keep(target, piece, begins=put.ns or "root")
        else:
            put = msgspec.msgpack.decode(content, type=PutWrites)
            piece = self._piece(WRITES, target, put, f"copied from {kept.thread}")
            self._state.keep(target, piece)
        return piece.about


def _thread(config: RunnableConfig) -> str:
    return str(config["configurable"]["thread_id"])


def _ns(config: RunnableConfig) -> str:
    return str(config["configurable"].get("checkpoint_ns", ""))


def _config(thread: str, ns: str, checkpoint_id: str) -> RunnableConfig:
    names = {"thread_id": thread, "checkpoint_ns": ns, "checkpoint_id": checkpoint_id}
    return cast("RunnableConfig", {"configurable": names})
