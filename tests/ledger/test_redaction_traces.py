"""The look for traces: it passes over much, and never over a secret.

The reference is the redactor without it. Every sample secret is put together at run time.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.kernel import canonical
from holdfast.ledger.admission import admit_all
from holdfast.ledger.redaction import Redactor, traces
from tests.agents.test_looking import NAMES, SIGNS, VALUES
from tests.ledger.test_redaction import ALL_TEXTS, ALNUM, HARMLESS, HEX, KEY

OWN = ("hush", "x.y-z")
CONTROLS = ["\t", "\x0b", "\x01", "\x1f", "\r", "\f", "\x7f", "\\\\", '\\\\\\"', "\u2028", "\xa0"]
SOURCES = Path(__file__).parents[2] / "src"


def ready(**options: Any) -> Redactor:
    """Return a redactor that looks for traces from the first byte on."""
    redactor = Redactor(KEY, **options)
    assert redactor._traces.are_ready(traces.READY_AFTER_BYTES)
    return redactor


TRACING, PLAIN = ready(), Redactor(KEY)
PAIRS = [
    (TRACING, PLAIN),
    (ready(secret_names=OWN), Redactor(KEY, secret_names=OWN)),
    (ready(secret_names=OWN, entropy=False), Redactor(KEY, secret_names=OWN, entropy=False)),
]

TELLING = [*NAMES, "tokensX", "tokeni", "authori", "OAuth", "auth (x)", "AUTHx", "hush", "x.y-z"]
PIECES = st.one_of(
    st.sampled_from(TELLING),
    st.sampled_from([*SIGNS, *CONTROLS, ": str = ", "--", "]", "ya29.", "(x)"]),
    st.sampled_from([*VALUES, *ALL_TEXTS, *HARMLESS, HEX[:40], "curl ", " -u ", "a:b", "@host"]),
    st.text(max_size=3),
)
TEXTS = st.lists(PIECES, min_size=1, max_size=9).map("".join)
KEYS = st.sampled_from(TELLING) | TEXTS
JSON = st.recursive(
    TEXTS | st.sampled_from([1, None, True]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=2),
    max_leaves=4,
)


@pytest.mark.lesson("N12")
@settings(max_examples=1500)
@example("\nsk-" + ALNUM[:24])
@example({"auth (x)": ALNUM[:20]})
@example({"password of it": ["x", ["hun" + "ter22"]]})
@example({"a": "--token\t" + ALNUM[:20]})
@example({"a": "password\t=\thun" + "ter22"})
@example({"a": "see postgres://a:\x01pw55@host"})
@example(f"token[REDACTED:token:34288dcb3038]={ALNUM[:20]}")
@given(JSON)
def test_cleaning_is_the_same_as_without_the_look_for_traces(value: Any) -> None:
    for tracing, plain in PAIRS:
        cleaned, count = plain.clean(value)
        assert (cleaned, count) == tracing.clean(value)
        if count:
            assert tracing._traces.found(canonical.encode(value))
            assert tracing.suspects(canonical.encode(value))


@settings(max_examples=1500)
@given(TEXTS)
def test_a_text_is_cleaned_as_by_every_rule_without_any_look(text: str) -> None:
    for redactor in (TRACING, PLAIN):
        assert redactor.clean_slowly(text) == redactor.clean_text(text)


@pytest.mark.parametrize("text", ALL_TEXTS)
@pytest.mark.parametrize("before", ["", "\n", "\x01", '"', "x = "])
def test_every_sample_leaves_a_trace_in_text_and_json(text: str, before: str) -> None:
    text = before + text
    if PLAIN.clean_slowly(text)[1]:
        assert TRACING._traces.found(text.encode())
        assert TRACING._traces.found(canonical.encode({"a": [text]}))
        assert TRACING._traces.found(canonical.encode({text: 1}))


def test_a_secret_is_found_at_every_place_of_a_batch() -> None:
    lines = [canonical.encode({"text": f"line {number}"}) for number in range(40)]
    for redactor in (TRACING, PLAIN):
        assert redactor.suspects_each(lines) == [False] * 40
        for at in range(40):
            some = [*lines]
            some[at] = canonical.encode({"text": f"token={ALNUM[:20]}"})
            assert [place == at for place in range(40)] == redactor.suspects_each(some)


def test_a_batch_with_one_secret_loses_that_one_only() -> None:
    given = [("prompt_given", {"text": f"line {number} " + "x " * 600}) for number in range(40)]
    given[17] = ("prompt_given", {"text": f"token={ALNUM[:20]} " + "x " * 600})
    admitted = admit_all(given, TRACING)
    assert [int(at == 17) for at in range(40)] == [one.redactions for one in admitted]
    assert ALNUM[:20].encode() not in admitted[17].data
    assert [canonical.encode(data) for at, (_, data) in enumerate(given) if at != 17] == [
        one.data for at, one in enumerate(admitted) if at != 17
    ]


@pytest.mark.parametrize("redactor", [TRACING, PLAIN], ids=["traces", "hints"])
@pytest.mark.parametrize(
    "lead", ["ya" + "29.", "https://hooks.slack.com/services/T0/B0/"], ids=["oauth", "webhook"]
)
def test_a_secret_of_hex_digits_is_no_digest_where_a_format_leads_to_it(
    redactor: Redactor, lead: str
) -> None:
    assert redactor.clean_text(lead + HEX[:40])[1] == 1
    assert redactor.clean_text(f"commit {HEX[:40]}, was /{HEX[:40]}")[1] == 0


def test_code_that_people_work_on_seldom_has_a_trace() -> None:
    parts = [
        text[at : at + 5000].encode()
        for path in sorted(SOURCES.rglob("*.py"))
        for text in [path.read_text(encoding="utf-8")]
        for at in range(0, len(text), 5000)
    ]
    assert sum(map(TRACING._traces.found, parts)) < 0.1 * len(parts)


def test_re2_is_loaded_only_when_much_was_looked_at() -> None:
    redactor, line = Redactor(KEY), canonical.encode({"text": "plain " * 1000})
    assert not redactor.suspects(line)
    assert redactor._traces._find is None
    for _ in range(traces.READY_AFTER_BYTES // len(line) + 1):
        assert not redactor.suspects(line)
    assert redactor._traces._find is not None


def test_without_re2_secrets_are_found_by_their_hints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    with pytest.raises(ImportError):
        importlib.import_module("re2")
    redactor = Redactor(KEY)
    assert not redactor._traces.are_ready(traces.READY_AFTER_BYTES)
    long = "plain " * 400
    for text in ALL_TEXTS:
        assert redactor.suspects(canonical.encode({"a": f"{long} {text}"}))
        assert redactor.clean_text(text) == PLAIN.clean_slowly(text)
    assert redactor.suspects_each([canonical.encode(long)] * 3) == [False] * 3
