"""Print hashes of every byte that a save and a boot of the story have; run as a program.

Needs nothing but the package and msgspec, so that any Python can run it.
"""

from __future__ import annotations

import json
import sys
from hashlib import sha256

from holdfast.ledger.base import Base
from holdfast.ledger.booting import cold_boot
from holdfast.ledger.history import fold_at
from tests.ledger.saved import PINS, lines_of, saved, told


def main() -> None:
    ledger = told()
    ledger.append("rolled_back", {"to": 5, "reason": "far back"}, session_id="s1")
    save = saved(ledger, "CAMPAIGN")
    middle = fold_at(ledger.reader, 9)
    base = Base(saved(ledger, size=9), middle.items())
    made = []
    for log, start in ((ledger.reader, None), (lines_of(ledger), base)):
        booted = cold_boot(save.to_line(), log, pins=PINS, base=start)
        parts = [booted.snapshot.to_line(), booted.working_set.canonical_bytes]
        parts += [booted.fold.state(name).dump() for name in sorted(booted.digests)]
        parts += [one.output_bytes for one in booted.compactions]
        made.append([sha256(part).hexdigest() for part in parts])
    json.dump(made, sys.stdout)


if __name__ == "__main__":
    main()
