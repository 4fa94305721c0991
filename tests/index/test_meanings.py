"""What was said is found by its meaning: made when asked for, kept, let go when erased."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from holdfast.index import meanings as module
from holdfast.index import vectors
from holdfast.index.database import IN_MEMORY
from holdfast.index.meanings import Meanings
from holdfast.index.vectors import Model
from holdfast.index.views import Views
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.recall.search import Query, search
from holdfast.storage.port import Reader, Selection, Stored
from holdfast.testing.builders import data_for, open_memory_ledger

SECRETS = "Store credentials in the keychain."
COLOURS = "The buttons are painted in dark blue."
QUESTION = "where do we keep the passwords?"


@pytest.fixture(scope="module")
def model() -> Model:
    loaded = vectors.load()
    assert loaded is not None
    return loaded


def decision(choice: str) -> Draft:
    return Draft(
        "decision", {"question": "", "choice": choice, "reasoning": "", "alternatives": []}
    )


@pytest.fixture
def ledger() -> Ledger:
    ledger = open_memory_ledger(session_id="s1")
    ledger.append_many([decision(COLOURS), decision(SECRETS), decision("Tabs, not spaces.")])
    return ledger


def taken(ledger: Ledger, model: Model, views: Views) -> Meanings:
    views.catch_up(ledger.reader)
    meanings = Meanings(views, model)
    meanings.catch_up(ledger.reader)
    return meanings


def test_what_shares_no_word_with_the_question_is_found_by_its_meaning(
    ledger: Ledger, model: Model
) -> None:
    with Views(IN_MEMORY) as views:
        meanings = taken(ledger, model, views)
        found = search(views, ledger.reader, Query(QUESTION, limit=1), meanings)
        words = search(views, ledger.reader, Query("credentials", limit=5))
    assert [hit.seq for hit in found.hits] == [1]
    assert (found.level, found.compared) == ("hybrid", 3)
    assert [hit.seq for hit in words.hits] == [1]
    assert (words.level, words.compared) == ("bm25", 0)


def test_words_count_beside_the_meaning(ledger: Ledger, model: Model) -> None:
    with Views(IN_MEMORY) as views:
        meanings = taken(ledger, model, views)
        found = search(views, ledger.reader, Query("spaces"), meanings)
    assert found.hits[0].seq == 2


def test_only_what_is_asked_for_is_compared(ledger: Ledger, model: Model) -> None:
    ledger.append("prompt_given", {"text": "The passwords stay where they are."})
    with Views(IN_MEMORY) as views:
        meanings = taken(ledger, model, views)
        prompts = Query(QUESTION, types=("prompt_given",))
        found = search(views, ledger.reader, prompts, meanings)
        elsewhere = search(views, ledger.reader, Query(QUESTION, session="s2"), meanings)
    assert [hit.seq for hit in found.hits] == [3]
    assert found.compared == 1
    assert elsewhere.hits == []


def test_what_nobody_said_has_no_meaning(model: Model) -> None:
    ledger = open_memory_ledger()
    ledger.append("file_change", data_for("file_change"))
    with Views(IN_MEMORY) as views:
        meanings = taken(ledger, model, views)
        assert meanings.behind() == 0
        assert meanings.nearest("file", 5) == ([], 0)


def test_it_goes_on_where_it_stopped(
    ledger: Ledger, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MEANINGS_ENTRIES_CHUNK", 2)
    told: list[tuple[int, int]] = []
    with Views(IN_MEMORY) as views:
        views.catch_up(ledger.reader)
        meanings = Meanings(views, model)
        assert meanings.behind() == 3
        meanings.catch_up(ledger.reader, progress=lambda done, of: told.append((done, of)))
        ledger.append_many([decision("One more.")])
        views.catch_up(ledger.reader)
        meanings.catch_up(ledger.reader, progress=lambda done, of: told.append((done, of)))
        assert meanings.nearest(QUESTION, 10)[1] == 4
    assert told == [(2, 3), (3, 3), (4, 4)]


def test_of_very_many_the_newest_are_compared(
    ledger: Ledger, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MEANINGS_ENTRIES_CHUNK", 1)
    monkeypatch.setattr(module, "MEANINGS_MAX", 2)
    with Views(IN_MEMORY) as views:
        found, compared = taken(ledger, model, views).nearest(COLOURS, 10)
    assert compared == 2
    assert {seq for seq, _ in found} == {1, 2}


def test_vectors_of_another_model_are_made_anew(ledger: Ledger, model: Model) -> None:
    with Views(IN_MEMORY) as views:
        taken(ledger, model, views)
        other = vectors.Model(model._tokenizer, model._weights, "another")
        meanings = Meanings(views, other)
        assert meanings.behind() == 3
        meanings.catch_up(ledger.reader)
        assert meanings.behind() == 0
        assert Meanings(views, model).behind() == 3


def test_what_is_forgotten_leaves_no_vector_behind(ledger: Ledger, model: Model) -> None:
    with Views(IN_MEMORY) as views:
        meanings = taken(ledger, model, views)
        views.forget([1])
        assert meanings.nearest(SECRETS, 5) == ([], 0)
        assert meanings.behind() == 3


def test_another_ledger_takes_nothing_over(ledger: Ledger, model: Model) -> None:
    other = open_memory_ledger()
    other.append_many([decision(COLOURS)])
    with Views(IN_MEMORY) as views:
        taken(ledger, model, views)
        other_reader = other.reader
        views.catch_up(other_reader)
        meanings = Meanings(views, model)
        meanings.catch_up(other_reader)
        assert meanings.nearest(COLOURS, 5)[1] == 1


class Hindered:
    """A ledger of which some cannot be read, or of which something is heard when it is read."""

    def __init__(
        self, reader: Reader, hidden: set[int], heard: Callable[[], object] = lambda: None
    ) -> None:
        self._reader = reader
        self._heard = heard
        self.hidden = hidden

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)

    def read(self, chosen: Selection) -> Iterator[Stored]:
        for stored in list(self._reader.read(chosen)):
            if stored.seq not in self.hidden:
                yield stored
        self._heard()


def test_what_could_not_be_read_is_named_and_compared_once_it_can_be(
    ledger: Ledger, model: Model
) -> None:
    hindered: Any = Hindered(ledger.reader, {1})
    with Views(IN_MEMORY) as views:
        views.catch_up(ledger.reader)  # the words were read before it went away
        meanings = Meanings(views, model)
        meanings.catch_up(hindered)
        found = search(views, ledger.reader, Query(QUESTION), meanings)
        assert (found.compared, found.not_searched) == (2, [(1, 1)])
        assert meanings.missing() == [(1, 2)]

        hindered.hidden.clear()
        meanings.catch_up(hindered)
        found = search(views, ledger.reader, Query(QUESTION, limit=1), meanings)
    assert [hit.seq for hit in found.hits] == [1]
    assert (found.compared, found.not_searched) == (3, [])


def test_what_is_erased_while_it_is_read_leaves_no_vector_behind(
    ledger: Ledger, model: Model
) -> None:
    with Views(IN_MEMORY) as views:
        views.catch_up(ledger.reader)

        def erase() -> None:
            if not hindered.hidden:
                hindered.hidden.add(1)
                views.forget([1])

        hindered: Any = Hindered(ledger.reader, set(), erase)
        meanings = Meanings(views, model)
        meanings.catch_up(hindered)
        near, compared = meanings.nearest(SECRETS, 5)
    assert compared == 2
    assert 1 not in {seq for seq, _ in near}
