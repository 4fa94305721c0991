"""A campaign file stands for the ledger that it was made of."""

import random
from pathlib import Path

import pytest

from holdfast.kernel import entry as entries
from holdfast.kernel.errors import BootFailed, NotFound
from holdfast.ledger.booting import cold_boot
from holdfast.ledger.campaigns import CampaignReader, open_campaign
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.ledger.verify import verify
from holdfast.storage.port import Reader, Selection
from holdfast.testing.builders import data_for, open_memory_ledger
from holdfast.views.pins import environment_pins
from tests.ledger.campaigns.material import LARGE, campaign_of, filled, hash_of, put, save_of
from tests.ledger.sealed import Box


def opened(tmp_path: Path, reader: Reader) -> CampaignReader:
    return open_campaign(put(tmp_path / "x.campaign", campaign_of(reader)))


SELECTIONS = (
    Selection(),
    Selection(newest_first=True),
    Selection(3, 9),
    Selection(3, 9, newest_first=True),
    Selection(-5, 4),
    Selection(7, 7),
    Selection(14, 99),
    Selection(90),
    Selection(id="clé-№-1"),
    Selection(id="nobody"),
    Selection(type="decision"),
    Selection(type="decision", newest_first=True),
    Selection(2, 6, type="decision"),
    Selection(session_id="café ☕ 会議"),
    Selection(session_id="s2", type="decision"),
)


@pytest.mark.parametrize("selection", SELECTIONS)
def test_it_gives_the_entries_that_the_ledger_gives(tmp_path: Path, selection: Selection) -> None:
    ledger = filled()
    with opened(tmp_path, ledger.reader) as campaign:
        assert list(campaign.read(selection)) == list(ledger.reader.read(selection))


def test_it_has_the_head_and_the_artifacts_of_the_ledger(tmp_path: Path) -> None:
    ledger = filled()
    with opened(tmp_path, ledger.reader) as campaign:
        assert campaign.head() == ledger.head()
        assert campaign.artifact(hash_of(LARGE)) == LARGE.encode()
        assert campaign.artifact(hash_of("nobody")) is None
        assert campaign.artifact("../../etc/passwd") is None
        assert campaign.archives() == ()
        assert campaign.snapshot == save_of(ledger.reader)[0]
        assert campaign.compactions == save_of(ledger.reader)[1]


def test_the_verifier_takes_it_for_a_ledger(tmp_path: Path) -> None:
    ledger = filled()
    with opened(tmp_path, ledger.reader) as campaign:
        report = verify(campaign)
        assert report.ok
        assert report.root == ledger.root()


@pytest.fixture(scope="module")
def long_ledger() -> Ledger:
    """More entries than one member of a campaign holds."""
    ledger = open_memory_ledger()
    for first in range(0, 20_000, 5000):
        ledger.append_many(
            Draft("agent_said", {"text": f"part {n}"}, session_id=f"s{n % 7}")
            for n in range(first, first + 5000)
        )
    return ledger


@pytest.fixture(scope="module")
def long_campaign(long_ledger: Ledger, tmp_path_factory: pytest.TempPathFactory) -> CampaignReader:
    return opened(tmp_path_factory.mktemp("long"), long_ledger.reader)


def test_a_long_ledger_takes_several_members(
    long_ledger: Ledger, long_campaign: CampaignReader
) -> None:
    spans = [(row.first, row.last) for row in long_campaign.manifest.segments]
    assert spans == [(0, 16_383), (16_384, 19_999)]
    for selection in (Selection(), Selection(16_000, 17_000), Selection(newest_first=True)):
        assert list(long_campaign.read(selection)) == list(long_ledger.reader.read(selection))


def test_any_node_of_the_tree_is_that_of_the_ledger(
    long_ledger: Ledger, long_campaign: CampaignReader
) -> None:
    chance = random.Random(4)
    ranges = [(0, 20_000), (0, 0), (0, 1), (256, 512), (16_384, 20_000), (19_999, 20_000)]
    ranges += [(first, first + chance.randrange(1, 700)) for first in range(0, 19_000, 1009)]
    for first, stop in ranges:
        assert long_campaign.node(first, stop) == long_ledger.reader.node(first, stop)


@pytest.mark.req("O10")
def test_it_boots_without_a_database(tmp_path: Path) -> None:
    ledger = filled()
    with opened(tmp_path, ledger.reader) as campaign:
        booted = cold_boot(campaign.snapshot, campaign, pins=environment_pins())
    assert dict(booted.digests) == ledger.fold().digests()
    assert list(booted.pending) == ["pending-1"]


@pytest.mark.req("O10")
def test_a_sealed_ledger_boots_from_its_campaign(tmp_path: Path) -> None:
    with Box(tmp_path) as box:
        filled(box.ledger)
        box.sealer(keep=3).seal()
        lines = [line.body for line in box.lines()]
        digests = box.ledger.fold().digests()
        with opened(tmp_path, box.ledger.reader) as campaign:
            assert [stored.body for stored in campaign.read()] == lines
            booted = cold_boot(campaign.snapshot, campaign, pins=environment_pins())
            assert campaign.artifact(hash_of(LARGE)) == LARGE.encode()
    assert dict(booted.digests) == digests


@pytest.mark.req("O10")
def test_an_empty_ledger_boots_from_its_campaign(tmp_path: Path) -> None:
    with opened(tmp_path, open_memory_ledger().reader) as campaign:
        assert list(campaign.read()) == []
        booted = cold_boot(campaign.snapshot, campaign, pins=environment_pins())
        assert booted.fold.size == 0


@pytest.mark.lesson("O1")
def test_the_pins_of_a_campaign_are_not_its_own(tmp_path: Path) -> None:
    pins = {**environment_pins(), "tokens": "another counter"}
    with opened(tmp_path, filled().reader) as campaign, pytest.raises(BootFailed) as failure:
        cold_boot(campaign.snapshot, campaign, pins=pins)
    assert (failure.value.step, failure.value.found) == (2, "another counter")


def test_a_campaign_can_be_saved_again_from_its_file(tmp_path: Path) -> None:
    content = campaign_of(filled().reader)
    with open_campaign(put(tmp_path / "x", content)) as campaign:
        assert campaign_of(campaign) == content


def test_closing_twice_harms_nobody(tmp_path: Path) -> None:
    campaign = opened(tmp_path, filled().reader)
    campaign.close()
    campaign.close()


def test_a_file_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="There is no file"):
        open_campaign(tmp_path / "nothing")
    with pytest.raises(BootFailed, match="is not a file"):
        open_campaign(tmp_path)


def test_a_type_in_the_text_of_an_entry_is_not_its_type(tmp_path: Path) -> None:
    ledger = open_memory_ledger()
    ledger.append("agent_said", {"text": 'a "type":"decision" of mine'})
    ledger.append("decision", data_for("decision"))
    with opened(tmp_path, ledger.reader) as campaign:
        [found] = campaign.read(Selection(type="decision"))
        assert entries.read(found.body).seq == 1
