"""A ledger that continues a campaign holds the same entries under a name of its own."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from holdfast.kernel import chain
from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry, Span
from holdfast.kernel.errors import BootFailed, InvalidInput
from holdfast.ledger.campaigns import CampaignReader, open_campaign
from holdfast.ledger.continuing import CONTINUER, continue_campaign
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.storage.memory import MemoryEngine
from holdfast.storage.port import Batch, Reader, Selection, Stored
from holdfast.testing.builders import data_for, open_memory_ledger, prepared
from holdfast.testing.clock import FixedIds
from tests.ledger.campaigns.material import LARGE, NESTED, campaign_of, erase, filled, hash_of, put
from tests.ledger.sealed import Box

NEW = "fedcba9876543210fedcba9876543210"


def new_ledger() -> Ledger:
    return open_memory_ledger(MemoryEngine(NEW), ids=FixedIds(9000))


def opened(tmp_path: Path, reader: Reader) -> CampaignReader:
    return open_campaign(put(tmp_path / "x.campaign", campaign_of(reader)))


def without_place(entry: Entry) -> dict[str, Any]:
    kept = {name: getattr(entry, name) for name in Entry.__struct_fields__}
    return {**kept, "data": bytes(entry.data), "ledger": None, "prev": None}


@pytest.mark.req("O10")
def test_every_entry_is_the_same_but_for_its_chain(tmp_path: Path) -> None:
    ledger, new = filled(), new_ledger()
    ledger.append("decision", data_for("decision", 70), span=Span("s", None, "s"))
    with opened(tmp_path, ledger.reader) as campaign:
        done = continue_campaign(campaign, new)
    taken = list(new.read(Selection(stop=16)))
    assert [without_place(entry) for entry in taken] == [
        without_place(entry) for entry in ledger.read()
    ]
    assert {entry.ledger for entry in taken} == {NEW}
    assert new.verify().ok
    assert new.fold(16).digests() == ledger.fold().digests()
    assert (done.ledger, done.entries, done.artifacts, done.origin) == (NEW, 16, 3, ledger.id)


@pytest.mark.req("O10")
def test_the_next_entry_says_where_they_come_from(tmp_path: Path) -> None:
    ledger, new = filled(), new_ledger()
    with opened(tmp_path, ledger.reader) as campaign:
        done = continue_campaign(campaign, new)
        snapshot_id = campaign.snapshot.snapshot_id
    note = entries.read(new.get(15).body)
    assert (note.type, note.actor, done.receipt.seq) == ("ledger_continued", CONTINUER, 15)
    assert note.value() == {
        "ledger": ledger.id,
        "size": 15,
        "root": ledger.root(),
        "snapshot_id": snapshot_id,
    }
    assert new.head().size == 16


def test_artifacts_come_with_the_entries_that_name_them(tmp_path: Path) -> None:
    new = new_ledger()
    with opened(tmp_path, filled().reader) as campaign:
        continue_campaign(campaign, new)
    assert new.data(entries.read(new.get(12).body))["output"] == LARGE
    assert new.data(entries.read(new.get(13).body))["params"] == NESTED


def test_what_was_erased_stays_erased(tmp_path: Path) -> None:
    ledger, new = filled(), new_ledger()
    erase(ledger, hash_of(LARGE))
    with opened(tmp_path, ledger.reader) as campaign:
        assert continue_campaign(campaign, new).artifacts == 2
    assert new.artifact(hash_of(LARGE)) is None
    assert new.verify().ok


def test_an_empty_campaign_is_continued_by_one_entry(tmp_path: Path) -> None:
    new = new_ledger()
    with opened(tmp_path, open_memory_ledger().reader) as campaign:
        continue_campaign(campaign, new)
    [only] = new.read()
    assert (only.type, only.value()["size"]) == ("ledger_continued", 0)


def test_secrets_are_not_looked_for_a_second_time(tmp_path: Path) -> None:
    """What looks like one now was recorded as it is, under other rules, and has to stay so."""
    secret = {"text": "password=Zq8vR2mK9xT4wL7pB3nJ"}
    engine, new = MemoryEngine("0" * 32), new_ledger()
    head = engine.head()
    sealed = chain.seal_all(head, [prepared("agent_said", data=secret)])
    engine.append(Batch(sealed), expected_head=head)
    with opened(tmp_path, engine) as campaign:
        continue_campaign(campaign, new)
    assert entries.read(new.get(0).body).value() == secret
    again = new.append("agent_said", secret)
    assert entries.read(new.get(again.seq).body).value() != secret


def test_many_entries_are_taken_over_in_steps(tmp_path: Path) -> None:
    ledger, new = open_memory_ledger(), new_ledger()
    ledger.append_many(Draft("agent_said", {"text": f"part {n}"}) for n in range(4500))
    steps: list[tuple[int, int]] = []
    with opened(tmp_path, ledger.reader) as campaign:
        continue_campaign(campaign, new, progress=lambda *step: steps.append(step))
    assert steps == [(2000, 4500), (4000, 4500), (4500, 4500)]
    assert new.fold(4500).digests() == ledger.fold().digests()


def test_a_ledger_with_entries_is_not_touched(tmp_path: Path) -> None:
    new = new_ledger()
    new.append("decision", data_for("decision"))
    told = pytest.raises(InvalidInput, match="entries of its own")
    with opened(tmp_path, filled().reader) as campaign, told:
        continue_campaign(campaign, new)
    assert new.head().size == 1


@pytest.mark.req("O10")
def test_a_sealed_ledger_is_continued_with_the_notes_of_its_seals(tmp_path: Path) -> None:
    new = new_ledger()
    with Box(tmp_path) as box:
        filled(box.ledger)
        box.sealer(keep=2).seal()
        with opened(tmp_path, box.ledger.reader) as campaign:
            continue_campaign(campaign, new)
        digests = box.ledger.fold().digests()
    assert new.fold(16).digests() == digests
    assert [entry.seq for entry in new.read(Selection(type="compression"))] == [15]
    assert new.verify().ok


class Altered:
    """A campaign that changes between the look at it and the use of it."""

    def __init__(self, campaign: CampaignReader, **changes: Any) -> None:
        self._campaign = campaign
        self._changes = changes

    def __getattr__(self, name: str) -> Any:
        return self._changes.get(name, getattr(self._campaign, name))


def test_digests_that_do_not_fit_fail_it(tmp_path: Path) -> None:
    new = new_ledger()
    with opened(tmp_path, filled().reader) as campaign:
        digests = {**campaign.snapshot.store_digests, "facts": "0" * 64}
        wrong: Any = Altered(
            campaign, snapshot=msgspec.structs.replace(campaign.snapshot, store_digests=digests)
        )
        with pytest.raises(BootFailed, match="store facts") as failure:
            continue_campaign(wrong, new)
    assert (failure.value.step, failure.value.expected) == (8, "0" * 64)
    assert all(entry.type != "ledger_continued" for entry in new.read())


def test_entries_that_change_meanwhile_fail_it(tmp_path: Path) -> None:
    with opened(tmp_path, filled().reader) as campaign:
        lines = list(campaign.read())

        def changed(_selection: Selection = Selection()) -> Any:  # noqa: B008 (frozen)
            for line in lines:
                body = line.body.replace(b"shorter", b"longer.")
                yield Stored(line.seq, body, line.leaf[::-1])

        wrong: Any = Altered(campaign, read=changed)
        with pytest.raises(BootFailed, match="changed while it was read"):
            continue_campaign(wrong, new_ledger())


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (b'"id":"', b'"id" :"', "not spelled"),
        (b'"timestamp":"2026', b'"timestamp":"\\u0032026', "not spelled"),
        (b'"name":"builder"', b'"name":" "', "cannot be used"),
    ],
)
def test_an_entry_that_no_ledger_would_record_fails_it(
    tmp_path: Path, old: bytes, new: bytes, told: str
) -> None:
    with opened(tmp_path, filled().reader) as campaign:
        lines = [
            Stored(line.seq, line.body.replace(old, new), line.leaf) for line in campaign.read()
        ]
        wrong: Any = Altered(campaign, read=lambda _selection=None: iter(lines))
        with pytest.raises(BootFailed, match=told):
            continue_campaign(wrong, new_ledger())


def test_an_id_that_is_there_twice_fails_it(tmp_path: Path) -> None:
    with opened(tmp_path, filled().reader) as campaign:
        lines = list(campaign.read())
        lines[3] = lines[2]
        wrong: Any = Altered(campaign, read=lambda _selection=None: iter(lines))
        with pytest.raises(BootFailed, match="id of entry 2 is there twice"):
            continue_campaign(wrong, new_ledger())
