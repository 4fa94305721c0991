"""The four numbers of the state protocol, measured on the ledger that is there.

Nothing is asserted: what cannot be measured yet has no value, and neither passes nor fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.errors import Damaged
from holdfast.kernel.hashing import leaf_hash
from holdfast.ledger.verify import Progress, no_progress
from holdfast.storage.port import Archive, Reader, Selection

if TYPE_CHECKING:
    from holdfast.ledger.ledger import Draft

RESTORE_S_MAX: Final = 5.0
INTEGRITY_MIN: Final = 1.0
RATIO_MIN: Final = 10.0
ZERO_LOSS_MIN: Final = 1.0

BELOW: Final = frozenset({"restore_time", "context_at_clear"})
"""Measures that should be below their target; the others reach it."""

Timer: TypeAlias = Callable[[], float]
"""Returns seconds from some moment on."""

Check: TypeAlias = Callable[[Archive], str | None]
"""Says why an archive is not the one that was listed."""


class Measure(msgspec.Struct, frozen=True):
    """One number, beside what it should be."""

    name: str
    value: float | None
    target: float
    passed: bool | None
    detail: str
    components: dict[str, Any] = {}


class Subject(msgspec.Struct, frozen=True):
    """What is measured: a way to open it afresh, an open one, and its archives' check."""

    fresh: Callable[[], Reader]
    reader: Reader
    check: Check
    timer: Timer


def measure(subject: Subject, *, progress: Progress = no_progress) -> list[Measure]:
    """Measure all four."""
    return [
        restore_time(subject.fresh, subject.timer),
        archive_integrity(subject.reader, subject.check),
        compression_ratio(subject.reader),
        zero_loss_rate(subject.reader, progress),
    ]


def restore_time(fresh: Callable[[], Reader], timer: Timer) -> Measure:
    """Time the way from a closed ledger to its last checkpoint."""
    begin = timer()
    with closing(fresh()) as reader:
        seq = _last_checkpoint(reader)
    value = round(timer() - begin, 6)
    if seq is None:
        return unmeasured("restore_time", RESTORE_S_MAX, "there is no checkpoint yet")
    passed = value < RESTORE_S_MAX
    detail = f"s to open the ledger and load checkpoint {seq}"
    return Measure("restore_time", value, RESTORE_S_MAX, passed, detail, {"checkpoint": seq})


def archive_integrity(reader: Reader, check: Check) -> Measure:
    """Count the listed archives whose file is, byte for byte, the one that was listed."""
    listed = reader.archives()
    if not listed:
        return unmeasured("archive_integrity", INTEGRITY_MIN, "there are no archives yet")
    wrong = {archive.name: why for archive in listed if (why := check(archive)) is not None}
    whole = len(listed) - len(wrong)
    detail = f"{whole:,} of {len(listed):,} archives are the ones that were listed"
    if wrong:
        name, why = next(iter(wrong.items()))
        detail += f"; {name}: {why}" + (f", and {len(wrong) - 1:,} more" if len(wrong) > 1 else "")
    components = {"archives": len(listed), "whole": whole}
    return share("archive_integrity", (whole, len(listed)), INTEGRITY_MIN, detail, components)


def compression_ratio(reader: Reader) -> Measure:
    """Compare what was archived with the summaries that stand for it."""
    raw = summary = seals = 0
    for data in _seals(reader):
        raw_bytes, summary_bytes = data.get("raw_bytes"), data.get("summary_bytes")
        if isinstance(raw_bytes, int) and isinstance(summary_bytes, int):
            raw, summary, seals = raw + raw_bytes, summary + summary_bytes, seals + 1
    if not seals:
        return unmeasured("compression_ratio", RATIO_MIN, "nothing was sealed yet")
    if not summary:
        detail = "what was sealed belongs to no session, so no summary stands for it"
        return unmeasured("compression_ratio", RATIO_MIN, detail)
    value = round(raw / summary, 4)
    detail = f"{raw:,} bytes archived, {summary:,} bytes of summaries"
    components = {"raw_bytes": raw, "summary_bytes": summary, "seals": seals}
    return Measure(
        "compression_ratio", value, RATIO_MIN, raw >= RATIO_MIN * summary, detail, components
    )


def zero_loss_rate(reader: Reader, progress: Progress = no_progress) -> Measure:
    """Count the entries that can be read back with the hash they were sealed with. Reads all."""
    size = reader.head().size
    if size == 0:
        return unmeasured("zero_loss_rate", ZERO_LOSS_MIN, "nothing was recorded yet")
    whole, expected = 0, 0
    first_lost: int | None = None
    for stored in reader.read(Selection(0, size)):
        sound = leaf_hash(stored.body) == stored.leaf
        whole += sound and stored.seq >= expected
        if first_lost is None and not (sound and stored.seq == expected):
            first_lost = expected
        expected = stored.seq + 1
        progress(expected, size)
    if first_lost is None and expected < size:
        first_lost = expected
    detail = f"{whole:,} of {size:,} entries read back as they were sealed"
    if first_lost is not None:
        detail += f"; the first that does not is entry {first_lost}"
    components = {"entries": size, "whole": whole}
    return share("zero_loss_rate", (whole, size), ZERO_LOSS_MIN, detail, components)


def drafts(measures: list[Measure]) -> Iterator[Draft]:
    """Yield the `metric` entries of what was measured."""
    from holdfast.ledger.ledger import Draft

    for one in measures:
        if one.value is not None:
            data = {
                "name": one.name,
                "value": one.value,
                "threshold": one.target,
                "passed": one.passed,
                "components": one.components,
            }
            yield Draft("metric", data)


def unmeasured(name: str, target: float, why: str) -> Measure:
    """Return a measure without a value, because there is nothing to measure yet."""
    return Measure(name, None, target, None, why)


def share(
    name: str, counts: tuple[int, int], target: float, detail: str, components: dict[str, Any]
) -> Measure:
    """Return a share that is whole only when nothing is missing, however small that is."""
    part, whole = counts
    value = 1.0 if part == whole else min(round(part / whole, 6), 0.999999)
    return Measure(name, value, target, part == whole, detail, components)


def _last_checkpoint(reader: Reader) -> int | None:
    for stored in reader.read(Selection(type="checkpoint", newest_first=True)):
        try:
            entries.read(stored.body).value()
        except Damaged:
            continue
        return stored.seq
    return None


def _seals(reader: Reader) -> Iterator[dict[str, Any]]:
    """Yield the data of the seals of this ledger; imported ones tell of other archives."""
    for stored in reader.read(Selection(type="compression")):
        try:
            data = entries.read(stored.body).value()
        except Damaged:
            continue  # counted by the rate of loss
        if "imported" not in data:
            yield data
