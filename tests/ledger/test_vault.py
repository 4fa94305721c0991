"""Whatever is appended comes back as it was, however odd, large or misleading it is."""

from __future__ import annotations

import json
import math
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.kernel import canonical
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged, InvalidInput
from holdfast.kernel.limits import (
    ENTRY_BYTES_MAX,
    INLINE_BYTES_MAX,
    INTEGER_MAX,
    JSON_DEPTH_MAX,
)
from holdfast.ledger import admission, vault
from holdfast.ledger.ledger import Ledger
from holdfast.ledger.vault import Content, RawJSON
from holdfast.storage.memory import MemoryEngine
from holdfast.storage.port import Selection
from holdfast.testing import LEDGER, data_for, open_memory_ledger

LARGE = INLINE_BYTES_MAX + 1


def record(extra: Any) -> tuple[Ledger, Entry]:
    ledger = open_memory_ledger()
    seq = ledger.append("error", data_for("error", extra=extra)).seq
    return ledger, next(ledger.read(Selection(seq, seq + 1)))


def given_back(extra: Any) -> Any:
    ledger, entry = record(extra)
    assert ledger.verify().ok
    return ledger.data(entry)["extra"]


def stored(extra: Any) -> Any:
    _, entry = record(extra)
    return entry.value()["extra"]


any_text = st.text(st.characters(exclude_categories=()), max_size=8)
keys = any_text | st.sampled_from(["$artifact", "$$artifact", "$$$artifact", "form", "bytes", "$"])
references = st.fixed_dictionaries(
    {"$artifact": st.sampled_from(["0" * 64, "", sha256(b"x").hexdigest()])},
    optional={
        "form": st.sampled_from(["text", "json", "raw-json", "bytes", "?"]),
        "bytes": st.integers(),
    },
)
numbers = (
    st.integers()
    | st.integers(-(10**400), 10**400)
    | st.floats(allow_nan=False).filter(math.isfinite)
)
large = st.sampled_from(["x" * LARGE, "é" * LARGE, ["y" * 900] * 40, [[0] * 20_000]])
values = st.recursive(
    st.none() | st.booleans() | numbers | any_text | references | large,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=10,
)


@settings(max_examples=120)
@given(values)
@example({"$artifact": "0" * 64, "bytes": 1, "form": "text"})
@example({"\ud800": 1, "$artifact": "x"})
@example([{"$$artifact": {"$artifact": 10**30}}])
@example([1e300, -1e22, 2.0**53, INTEGER_MAX, INTEGER_MAX + 1, -INTEGER_MAX - 1])
@example({"a": "\udcff" * 3, "b": ["x" * LARGE, "\ud83d"]})
@example([["x" * LARGE, ["y" * LARGE] * 2], "z" * 40_000])
def test_any_value_comes_back_as_it_was_given(value: Any) -> None:
    assert value == given_back(value)


@settings(max_examples=60)
@given(values)
def test_json_text_comes_back_as_the_value_it_spells(value: Any) -> None:
    text = json.dumps(value).encode()
    assert value == given_back(RawJSON(text))
    assert [value] == given_back([RawJSON(text)])


@settings(max_examples=120)
@given(st.binary(max_size=30) | st.text(st.sampled_from('[]{}:,"\\0aeE.-+ '), max_size=20))
@example(b'{"a":1,"a":2}')
@example(b"NaN")
@example(b"\xff\xfe")
@example(b"[" * 100_000)
@example(b"1e999")
@example(b"9" * 5000)
@example(b"")
def test_text_that_has_no_one_meaning_comes_back_as_its_bytes(text: bytes | str) -> None:
    raw = RawJSON(text.encode() if isinstance(text, str) else text)
    found = given_back({"payload": raw})["payload"]
    if isinstance(found, RawJSON):
        assert raw == found
    else:
        assert json.loads(raw.text) == found


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ("x" * LARGE, "text"),
        (["x" * 1000] * 40, "json"),
        ({"k": ["x" * 1000] * 40, "l": ["y" * 1000] * 40}["k"], "json"),
        ("lone \ud800", "raw-text"),
        (2**53, "raw-json"),
        pytest.param(-(10**4000), "raw-json", id="4000 digits"),
        (1e300, "raw-json"),
        ({"\udfff": 1}, "raw-json"),
        (RawJSON(b'{"a":1,"a":1}'), "raw-json"),
    ],
)
def test_an_entry_says_what_went_to_the_vault(value: Any, form: str) -> None:
    ledger, entry = record(value)
    reference: Any = entry.value()["extra"]
    content = ledger.artifact(reference["$artifact"])
    assert content is not None
    assert (form, len(content)) == (reference["form"], reference["bytes"])
    assert form.startswith("raw") == ("why" in reference)


def test_what_fits_stays_in_the_entry() -> None:
    value = {"a": "x" * INLINE_BYTES_MAX, "n": [INTEGER_MAX, 0.5, None, True]}
    text = stored(["x" * (INLINE_BYTES_MAX - 10)])
    assert text == ["x" * (INLINE_BYTES_MAX - 10)]
    assert value == given_back(value)


def test_equal_content_is_kept_once() -> None:
    first, second = stored(["x" * LARGE, 1, "x" * LARGE])[::2]
    assert first == second
    assert sha256(b"x" * LARGE).hexdigest() == first["$artifact"]


def test_integral_floats_are_integers_and_equal() -> None:
    found = given_back([1.0, -0.0, 1e15])
    assert found == [1, 0, 10**15]
    assert [int, int, int] == [type(number) for number in found]


def test_a_users_own_reference_reads_nothing_from_the_vault() -> None:
    ledger = open_memory_ledger()
    secret = "x" * LARGE
    ledger.append("error", data_for("error", message=secret))
    claim = {"$artifact": sha256(secret.encode()).hexdigest(), "bytes": LARGE, "form": "text"}
    for payload in (claim, RawJSON(json.dumps(claim).encode()), {"\ud800": claim}):
        seq = ledger.append("error", data_for("error", extra=payload)).seq
        entry = next(ledger.read(Selection(seq, seq + 1)))
        expected = payload if isinstance(payload, dict) else claim
        assert expected == ledger.data(entry)["extra"]
    assert ledger.verify().ok


@pytest.mark.parametrize("field", ["error_type", "message", "context"])
@pytest.mark.parametrize("text", ["x" * LARGE, "odd \ud800"])
def test_a_known_field_may_go_to_the_vault(field: str, text: str) -> None:
    ledger = open_memory_ledger()
    seq = ledger.append("error", {**data_for("error"), field: text}).seq
    assert text == ledger.data(next(ledger.read(Selection(seq, seq + 1))))[field]


@pytest.mark.parametrize("value", [1_800_000_000_000_000_000, 1e300, -(2**63)])
def test_a_metric_may_be_beyond_what_json_readers_agree_on(value: float) -> None:
    ledger = open_memory_ledger()
    seq = ledger.append("metric", data_for("metric", value=value)).seq
    assert value == ledger.data(next(ledger.read(Selection(seq, seq + 1))))["value"]


def holding_itself() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


def nested(levels: int) -> Any:
    value: Any = 0
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (float("nan"), "NaN"),
        (float("inf"), "NaN or infinite"),
        ({1: 2}, "key of type int"),
        ({None: 2, "n": 2**70}, "key of type NoneType"),
        (b"bytes", "bytes"),
        ({"\ud800": b"bytes"}, "bytes"),
        ({"\ud800": float("nan")}, "NaN"),
        ([10**30, object()], "object"),
        (nested(JSON_DEPTH_MAX), "deeper"),
        ([2**70, nested(5000)], "deeper"),
        (holding_itself(), "deeper"),
        ({"\ud800": holding_itself()}, "deeper"),
        pytest.param(10**5000, "digits", id="digits"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_json_does_not_have_is_refused_by_name_and_leaves_nothing(
    value: Any, named: str
) -> None:
    ledger = open_memory_ledger()
    with pytest.raises(InvalidInput, match=named):
        ledger.append("error", data_for("error", extra=value))
    assert ledger.head().size == 0


def test_json_text_too_deep_for_its_place_is_kept_as_text() -> None:
    text = b"[" * 60 + b"]" * 60
    assert json.loads(text) == given_back(RawJSON(text))
    wrapped = nested(10)
    innermost = wrapped
    for _ in range(9):
        innermost = innermost[0]
    innermost[0] = RawJSON(text)
    found = given_back(wrapped)
    for _ in range(10):
        found = found[0]
    assert json.loads(text) == found


def test_too_much_is_refused_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (admission, canonical, vault):
        monkeypatch.setattr(module, "INPUT_BYTES_MAX", 100_000)
    ledger = open_memory_ledger()
    for value in (
        "x" * 100_000,
        ["x" * 60_000, "y" * 60_000],
        RawJSON(b"[" + b" " * 100_000),
        RawJSON(b"\xff" * 100_001),
        [RawJSON(b"\xff" * 60_000), RawJSON(b"\xfe" * 60_000)],
        ["\ud800" * 60_000],
    ):
        with pytest.raises(InvalidInput, match="bytes"):
            ledger.append("error", data_for("error", extra=value))
    assert ledger.head().size == 0
    ledger.append("error", data_for("error", extra=["x" * 60_000, RawJSON(b"\xff" * 30_000)]))


def test_many_small_parts_beyond_the_size_of_an_entry_are_refused() -> None:
    ledger = open_memory_ledger()
    many = {f"key {n}": "x" * 1000 for n in range(ENTRY_BYTES_MAX // 1000)}
    with pytest.raises(InvalidInput, match="at most"):
        ledger.append("error", {**data_for("error"), **many})
    ledger.append("error", data_for("error", all=many))
    assert ledger.head().size == 1


def test_a_reference_to_what_is_gone_is_damage() -> None:
    with pytest.raises(Damaged, match="not in the vault"):
        vault.resolve({"$artifact": "0" * 64, "bytes": 1, "form": "text"}, lambda _: None)


def test_a_missing_artifact_inside_another_one_is_found_by_verify() -> None:
    engine = MemoryEngine(LEDGER)
    ledger = open_memory_ledger(engine)
    inner = "x" * LARGE
    ledger.append("error", data_for("error", extra=[inner, "y" * 30_000, "z" * 30_000]))
    assert ledger.verify().ok
    kept: dict[str, bytes] = engine._artifacts
    assert len(kept) == 2
    del kept[sha256(inner.encode()).hexdigest()]
    assert [(fault.seq, fault.kind) for fault in ledger.verify().faults] == [(0, "artifact")]


@pytest.mark.parametrize("content", [b"", b"text\n", b"\0\xff" * 40_000, b'{"$artifact":"x"}'])
def test_a_file_is_kept_as_it_is_and_stays_a_reference(content: bytes) -> None:
    ledger, entry = record({"file": Content(content)})
    extra: Any = entry.value()["extra"]
    reference = extra["file"]
    assert reference == {
        "$artifact": sha256(content).hexdigest(),
        "bytes": len(content),
        "form": "bytes",
    }
    assert ledger.data(entry)["extra"]["file"] == reference
    assert ledger.artifact(reference["$artifact"]) == content
    assert ledger.verify().ok


@pytest.mark.lesson("N12")
def test_a_file_with_a_secret_is_not_kept() -> None:
    content = b"key = 'AKIA" + b"QYLPMN5HHHFPZAM2'"
    ledger, entry = record(Content(content))
    digest = sha256(content).hexdigest()
    assert entry.value()["extra"] == {
        "withheld": "secret",
        "sha256": digest,
        "bytes": len(content),
    }
    assert ledger.artifact(digest) is None


def test_a_file_that_was_erased_says_so() -> None:
    reference = {"$artifact": "0" * 64, "bytes": 1, "form": "bytes"}
    found = vault.resolve({"file": reference}, lambda _: None, lambda _: True)
    assert found == {"file": {**reference, "erased": True}}
