"""A short form of `make prove`: each campaign, small."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from holdfast.testing.prove import campaigns, controls, crashes, io_errors, storm, tampering
from holdfast.testing.prove.__main__ import main
from holdfast.testing.prove.crashes import CrashJob
from holdfast.testing.prove.io_errors import ErrorJob
from holdfast.testing.prove.proof import Proof, judge
from holdfast.testing.prove.report import render
from holdfast.testing.prove.workloads import CRASHED

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def folder() -> Iterator[str]:
    """A folder in memory where there is one: the disk is played, so it need not be there."""
    with campaigns.scratch() as path:
        yield path


@pytest.mark.lesson("P5")
@pytest.mark.parametrize("workload", CRASHED)
def test_a_power_cut_anywhere_loses_nothing_that_was_acknowledged(
    workload: str, folder: str
) -> None:
    parts = 4 if workload == "vault" else 1
    result = crashes.run_job(CrashJob(workload, 1, parts - 1, parts, variants=1), folder)
    assert result.breaches == []
    assert result.states >= 10


def test_a_disk_that_was_right_before_an_acknowledgement_is_checked_again_after_it(
    folder: str,
) -> None:
    result = crashes.run_job(CrashJob("control: synchronous=NORMAL", 1, variants=0), folder)
    lost = [breach for breach in result.breaches if breach.endswith(", lost 0]")]
    assert len(lost) == 8  # one for each acknowledged step, though the disk is the same each time


@pytest.mark.parametrize("work", io_errors.WORKS)
def test_an_operation_that_fails_loses_nothing_and_can_be_tried_again(
    work: io_errors.Work, folder: str
) -> None:
    for job in (ErrorJob(work, "io", lasting=False, stride=5), ErrorJob(work, "torn", True, 0, 5)):
        result = io_errors.run_job(job, folder)
        assert result.breaches == []
        assert result.refused > 0


@pytest.mark.lesson("N7", "N11")
def test_killed_writers_lose_nothing_and_write_nothing_twice(tmp_path: Path) -> None:
    result = storm.run(str(tmp_path), kills=20, seed=1)
    assert (result.lost, result.duplicated, result.verified) == (0, 0, True)
    assert result.kills >= 20
    assert result.acknowledged >= result.kills - result.writers


def test_every_kind_of_tampering_is_named(folder: str) -> None:
    results = tampering.run(folder)
    assert [result.name for result in results if not result.found] == []
    assert len(results) > 12


def test_a_flipped_bit_is_named_or_changes_nothing(folder: str) -> None:
    result = tampering.flip_bits(folder, 40, seed=1)
    assert result.silent == 0
    assert result.named > 0


def test_every_control_fires(folder: str) -> None:
    results = controls.run(folder, seed=1)
    assert [result.name for result in results if not result.fired] == []
    assert len(results) == 7


def test_a_broken_promise_and_a_silent_control_fail_the_proof() -> None:
    proof = msgspec.json.decode((REPOSITORY / "proof.json").read_bytes(), type=Proof)
    assert judge(proof).ok
    assert proof.crashes is not None
    assert proof.controls is not None
    lost = msgspec.structs.replace(proof.crashes, breaches={"lost": 1})
    silent = [msgspec.structs.replace(proof.controls[0], fired=False)]
    assert not judge(msgspec.structs.replace(proof, crashes=lost)).ok
    assert not judge(msgspec.structs.replace(proof, controls=silent)).ok


def test_the_page_is_the_one_that_the_proof_makes() -> None:
    proof = msgspec.json.decode((REPOSITORY / "proof.json").read_bytes(), type=Proof)
    assert (REPOSITORY / "RELIABILITY.md").read_text("utf-8") == render(proof)


def test_the_published_figures_are_those_that_are_promised() -> None:
    proof = msgspec.json.decode((REPOSITORY / "proof.json").read_bytes(), type=Proof)
    assert proof.ok
    assert proof.crashes is not None
    assert proof.crashes.states >= 50_000
    assert proof.storm is not None
    assert proof.storm.kills >= 500


def test_a_part_of_the_proof_is_printed_and_not_published(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["--only", "tampering", "--into", str(tmp_path)]) == 0
    printed = msgspec.json.decode(capfdbinary.readouterr().out, type=Proof)
    assert printed.tampering is not None
    assert printed.crashes is None
    assert list(tmp_path.iterdir()) == []
