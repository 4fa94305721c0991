"""One byte that is another one, anywhere in the save or its log, is found."""

from __future__ import annotations

import random

import pytest

from holdfast.kernel.errors import BootFailed, NewerFormat
from holdfast.ledger import saving
from holdfast.ledger.booting import cold_boot
from tests.ledger.saved import PINS, STORY, based, lines_of, saved, told

FLIPS = 2_000
SEED = 20_261_115


def boot(content: bytes, **options: object) -> None:
    """Boot what two files would hold: a line with the save, and the lines of the log."""
    save, *lines = content.split(b"\n")[:-1]
    cold_boot(save, lines, pins=PINS, **options)  # type: ignore[arg-type]


def files(segment: int, monkeypatch: pytest.MonkeyPatch) -> bytes:
    monkeypatch.setattr(saving, "SAVE_SEGMENT_ENTRIES", segment)
    ledger = told()
    return b"".join(
        line + b"\n" for line in (saved(ledger, "CAMPAIGN").to_line(), *lines_of(ledger))
    )


@pytest.mark.parametrize("segment", [4, 4_096])
def test_no_flip_is_no_failure(segment: int, monkeypatch: pytest.MonkeyPatch) -> None:
    boot(files(segment, monkeypatch))


@pytest.mark.req("O3")
@pytest.mark.parametrize("segment", [4, 4_096])
def test_every_flipped_byte_is_found(segment: int, monkeypatch: pytest.MonkeyPatch) -> None:
    content = files(segment, monkeypatch)
    chance = random.Random(SEED + segment)
    missed = []
    for _ in range(FLIPS // 2):
        place, change = chance.randrange(len(content)), chance.randrange(1, 256)
        flipped = bytearray(content)
        flipped[place] ^= change
        try:
            boot(bytes(flipped))
        except (BootFailed, NewerFormat):
            continue
        missed.append((place, change))
    assert missed == []


@pytest.mark.req("O3")
def test_with_a_base_every_flipped_byte_after_it_is_found() -> None:
    ledger = told()
    save, lines, base = saved(ledger).to_line(), lines_of(ledger), based(ledger, 12)
    chance = random.Random(SEED)
    for _ in range(300):
        seq = chance.randrange(12, len(STORY))
        flipped = bytearray(lines[seq])
        flipped[chance.randrange(len(flipped))] ^= chance.randrange(1, 256)
        with pytest.raises((BootFailed, NewerFormat)):
            cold_boot(save, [*lines[:seq], bytes(flipped), *lines[seq + 1 :]], pins=PINS, base=base)
