"""A campaign boots where nothing is but the file: another process, folder, time zone, hash seed."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

import holdfast
from tests.ledger.campaigns.material import LARGE, campaign_of, erase, filled, hash_of, put
from tests.ledger.sealed import Box

BOOT = """
import sys
import msgspec
from holdfast import cold_boot, environment_pins
from holdfast.ledger.campaigns import open_campaign
with open_campaign(sys.argv[1]) as campaign:
    booted = cold_boot(campaign.snapshot, campaign, pins=environment_pins())
    told = {
        "digests": dict(booted.digests),
        "working_set": booted.working_set.canonical_bytes.decode(),
        "compactions": [one.output_hash for one in booted.compactions],
        "pending": sorted(booted.pending),
        "lines": campaign.node(0, campaign.head().size).hex(),
        "modules": sorted({"apsw", "holdfast.ledger.ledger"} & set(sys.modules)),
    }
    sys.stdout.buffer.write(msgspec.json.encode(told))
"""


def booted_elsewhere(file: Path, *, zone: str, seed: str) -> dict[str, object]:
    """Boot in a process that has the file, an empty home, and none of this machine's settings."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", BOOT, str(file)],
        cwd=file.parent,
        env={
            "HOME": str(file.parent),
            "PATH": os.environ["PATH"],
            "PYTHONHASHSEED": seed,
            "PYTHONPATH": str(Path(holdfast.__file__).parents[1]),
            "TZ": zone,
            "LC_ALL": "C",
        },
        capture_output=True,
        check=True,
    )
    told: dict[str, object] = msgspec.json.decode(done.stdout)
    return told


@pytest.mark.req("O10", "O1")
def test_a_campaign_boots_on_another_machine(tmp_path: Path) -> None:
    with Box(tmp_path / "here") as box:
        filled(box.ledger)
        erase(box.ledger, hash_of(LARGE))
        box.sealer(keep=2).seal()
        content = campaign_of(box.ledger.reader)
        digests, root = box.ledger.fold().digests(), box.ledger.root()
    (tmp_path / "there").mkdir()
    file = put(tmp_path / "there" / "x.campaign", content)
    first = booted_elsewhere(file, zone="Asia/Kathmandu", seed="1")
    second = booted_elsewhere(file, zone="America/St_Johns", seed="4242")
    assert first == second
    assert (first["digests"], first["lines"]) == (digests, root)
    assert first["pending"] == ["pending-1"]
    assert first["modules"] == []
    assert [path.name for path in file.parent.iterdir()] == ["x.campaign"]
    assert file.read_bytes() == content
