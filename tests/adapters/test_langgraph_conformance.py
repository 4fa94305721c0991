"""LangGraph's own conformance suite for checkpointers, over a ledger."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from uuid import uuid4

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import Capability

from holdfast.adapters.langgraph import HoldfastSaver


@pytest.mark.parametrize("capability", list(Capability), ids=lambda one: one.value)
def test_the_frameworks_own_suite_passes(tmp_path: Path, capability: Capability) -> None:
    @checkpointer_test(name="HoldfastSaver")
    async def saver() -> AsyncGenerator[BaseCheckpointSaver[int], None]:
        folder = tmp_path / str(uuid4())
        folder.mkdir()
        with HoldfastSaver(folder) as opened:
            yield opened

    report = asyncio.run(validate(saver, capabilities={capability.value}))
    result = report.results[capability.value]
    assert (result.detected, result.failures) == (True, [])
    assert result.tests_passed > 0
