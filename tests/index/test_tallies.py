"""Blocks of entries: how many there are of each type, and when they came."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.config import Seal
from holdfast.index.tallies import Block, blocks
from holdfast.index.views import Views
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.wiring.opening import open_ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path, seal=Seal(auto=False)) as opened:
        yield opened


@pytest.fixture
def views(tmp_path: Path) -> Iterator[Views]:
    with Views(str(tmp_path / "v.db")) as opened:
        yield opened


def _say(ledger: Ledger, count: int, type_name: str = "prompt_given") -> None:
    ledger.append_many([Draft(type_name, {"text": f"word {n}"}) for n in range(count)])


def _blocks(views: Views, first: int, stop: int) -> list[Block]:
    return views.look(lambda connection: blocks(connection, first, stop))


def test_every_entry_is_counted_once_in_its_block(ledger: Ledger, views: Views) -> None:
    _say(ledger, 1000)
    _say(ledger, 100, "agent_said")
    views.catch_up(ledger.reader)
    first, second = _blocks(views, 0, 1100)
    assert first.counts == {"prompt_given": 1000, "agent_said": 24}
    assert second.counts == {"agent_said": 76}
    assert (first.first, first.stop, second.first) == (0, 1024, 1024)
    assert 0 < first.since_us <= first.until_us <= second.until_us


def test_what_comes_later_is_added(ledger: Ledger, views: Views) -> None:
    _say(ledger, 10)
    views.catch_up(ledger.reader)
    _say(ledger, 5)
    views.catch_up(ledger.reader)
    views.catch_up(ledger.reader)
    [block] = _blocks(views, 0, 15)
    assert block.counts == {"prompt_given": 15}


def test_forgetting_words_counts_nothing_again(ledger: Ledger, views: Views) -> None:
    _say(ledger, 10)
    views.catch_up(ledger.reader)
    views.forget([3], ledger.reader)
    [block] = _blocks(views, 0, 10)
    assert block.counts == {"prompt_given": 10}


def test_only_the_blocks_that_are_asked_for_come(ledger: Ledger, views: Views) -> None:
    for _ in range(3):
        _say(ledger, 1000)
    views.catch_up(ledger.reader)
    assert [block.first for block in _blocks(views, 1500, 1600)] == [1024]
    assert _blocks(views, 5000, 6000) == []
