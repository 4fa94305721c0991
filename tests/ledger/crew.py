"""Agents that work in one ledger, each in a process that these tests make up."""

from __future__ import annotations

from typing import Any

from holdfast.index.views import Views
from holdfast.kernel.entry import Actor, Entry
from holdfast.kernel.types import Holder
from holdfast.ledger.checkpoints import Checkpoints
from holdfast.ledger.ledger import Ledger
from holdfast.ledger.redaction import Redactor
from holdfast.ledger.sessions import Sessions
from holdfast.storage.memory import MemoryEngine
from holdfast.storage.port import Engine
from holdfast.testing.builders import KEY, LEDGER
from holdfast.testing.clock import FixedClock, FixedIds


class Machine:
    """Processes that live until a test ends them."""

    def __init__(self) -> None:
        self.gone: set[int] = set()
        self.line_of_us: list[Holder] = []

    def holder(self, pid: int) -> Holder | None:
        return None if pid in self.gone else Holder(pid, f"boot:{pid}")

    def is_gone(self, holder: Holder) -> bool:
        return holder.pid in self.gone or holder != Holder(holder.pid, f"boot:{holder.pid}")

    def line(self) -> list[Holder]:
        return self.line_of_us


class Agent:
    """Somebody with a name and a process, at work in the ledger of an engine."""

    def __init__(
        self,
        engine: Engine,
        name: str = "agent",
        *,
        pid: int = 100,
        machine: Machine | None = None,
        clock: FixedClock | None = None,
        every_calls: int = 5,
    ) -> None:
        self.machine = Machine()
        if machine is not None:
            self.machine.gone = machine.gone
        self.machine.line_of_us = [Holder(pid, f"boot:{pid}")]
        self.ledger = Ledger(
            engine,
            redactor=Redactor(KEY),
            actor=Actor("agent", name),
            clock=clock or FixedClock(),
            ids=FixedIds(pid * 1_000_000 + engine.head().size * 1000),
        )
        self.views = Views(":memory:")
        self.sessions = Sessions(self.ledger, self.views, processes=self.machine)
        self.checkpoints = Checkpoints(self.ledger, self.views, every_calls=every_calls)

    def call(self, session_id: str | None, tool: str = "Read", **data: Any) -> int:
        """Record a tool call and what is due after it."""
        receipt = self.ledger.append("tool_called", {"tool": tool, **data}, session_id=session_id)
        self.checkpoints.after_call(session_id)
        return receipt.seq

    def entries(self, kind: str | None = None) -> list[Entry]:
        found = list(self.ledger.read(on_damaged=lambda _fault: None))
        return [entry for entry in found if kind in (None, entry.type)]


def engine() -> MemoryEngine:
    return MemoryEngine(LEDGER)
