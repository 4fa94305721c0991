"""Canonical JSON of decisions of about 600 bytes.

`holdfast.kernel.canonical.encode`, which writes RFC 8785 exactly, beside msgspec with sorted keys
and `json.dumps` with sorted keys, which both differ from it for some numbers and keys, and the
rfc8785 package, which does not. All give the same bytes for the data measured here.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import msgspec
import rfc8785

from bench import entries
from bench.harness import Figure, Measured, Options, Result, Row, ratios, side_by_side, spread_of
from holdfast.kernel import canonical

NAME = "canonical"
TITLE = "Canonical JSON"
DATA_BYTES: Final = 600

_sorted: Final = msgspec.json.Encoder(order="deterministic").encode
_dumps: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode

ENCODERS: Final[dict[str, Callable[[Any], bytes]]] = {
    "holdfast": canonical.encode,
    "msgspec sorted": _sorted,
    "json.dumps sorted": lambda value: _dumps(value).encode(),
    "rfc8785": rfc8785.dumps,
}


def run(options: Options) -> Result:
    """Measure."""
    values = entries.data_of(DATA_BYTES, options.pick(5000, 500))
    for value in values:
        if len({encode(value) for encode in ENCODERS.values()}) != 1:
            raise AssertionError("the encoders disagree on the data that is measured")
    found = side_by_side(
        {name: partial(_time, encode, values) for name, encode in ENCODERS.items()},
        options.rounds,
    )
    ours = found["holdfast"]
    return Result(
        NAME,
        TITLE,
        __doc__ or "",
        options.rounds,
        figures=[
            Figure(f"time : {name}", ratios(ours, found[name], "us"))
            for name in ENCODERS
            if name != "holdfast"
        ],
        rows=[Row(name, "time", "µs", spread_of(rounds, "us")) for name, rounds in found.items()],
    )


def _time(encode: Callable[[Any], bytes], values: list[entries.Data]) -> Measured:
    before = time.perf_counter()
    for value in values:
        encode(value)
    return {"us": (time.perf_counter() - before) / len(values) * 1e6}
