"""Looking for many ids at once says what asking for each of them says."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from holdfast.kernel.errors import Damaged
from holdfast.kernel.limits import INDEX_BLOCK_ENTRIES
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.storage.port import Selection
from tests.agents.sampled import project_in

SIZE = 3 * INDEX_BLOCK_ENTRIES + 7


def fill(ledger: Ledger) -> list[str]:
    names = [f"entry {number}" for number in range(SIZE)]
    for start in range(0, SIZE, 50):
        batch = names[start : start + 50]
        ledger.append_many(Draft("prompt_given", {"text": one}, id=one) for one in batch)
    return names


@pytest.mark.parametrize("sealed", [False, True])
def test_many_ids_are_found_as_each_is(tmp_path: Path, sealed: bool) -> None:
    with project_in(tmp_path / "project") as project:
        names = fill(project.ledger)
        if sealed:
            assert project.sealer.seal(keep=20).sealed > 0
        asked = [*names[::5], names[-1], "nobody", "entry 9999"]
        alone = {one: stored for one in asked for stored in project.ledger.lines(Selection(id=one))}
        assert project.ledger.find(asked) == alone
        assert len(alone) == len(set(names[::5]) | {names[-1]})


def test_where_an_entry_is_damaged_nobody_says_that_an_id_is_free(tmp_path: Path) -> None:
    with project_in(tmp_path / "project") as project:
        names = fill(project.ledger)
        database = project.place.database
    connection = apsw.Connection(str(database))
    guards = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
    found = list(connection.execute(guards))
    for name, _ in found:
        connection.execute(f'DROP TRIGGER "{name}"')
    connection.execute("UPDATE runs SET lines = substr(lines, 1, 10) WHERE first = 0")
    assert connection.changes() > 0
    for _, sql in found:
        connection.execute(sql)
    connection.close()
    with project_in(tmp_path / "project") as project:
        assert set(project.ledger.find([names[100]])) == {names[100]}
        with pytest.raises(Damaged):
            project.ledger.find([names[3], names[100]])
        with pytest.raises(Damaged):
            list(project.ledger.lines(Selection(id=names[3])))
