"""Canonical JSON: the fast form, the slow form and an independent oracle agree to the byte."""

from __future__ import annotations

import datetime
import decimal
import enum
import json
import math
import struct
import sys
import uuid
from collections import OrderedDict
from collections.abc import Callable

import pytest
import rfc8785
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.kernel import canonical, exact
from holdfast.kernel.canonical import decode, encode, encode_slow
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import INTEGER_MAX, JSON_DEPTH_MAX

thorough = settings(max_examples=500, deadline=None)


def float_of(bits_hex: str) -> float:
    number: float = struct.unpack(">d", bytes.fromhex(bits_hex))[0]
    return number


def in_domain(number: float) -> bool:
    return not (number.is_integer() and abs(number) > INTEGER_MAX)


def nested(levels: int, *, innermost: object) -> object:
    """Wrap the innermost value in so many containers, arrays and objects in turn."""
    value = innermost
    for level in range(levels):
        value = [value] if level % 2 else {"k": value}
    return value


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises(InvalidInput) as caught:
        call()
    return str(caught.value)


def outcome(form: Callable[[object], bytes], value: object) -> bytes | str:
    try:
        return form(value)
    except InvalidInput as error:
        return f"refused: {error}"


EDGE_FLOATS = (
    [0.0, -0.0, 0.1, 1.0, -1.5, 5e-324, 2.2250738585072014e-308, 1e15, 1e16, 1e21, 1e22, 1e300]
    + [sign * 10.0**exponent for exponent in range(-9, 0) for sign in (1, -1)]
    + [math.nextafter(10.0**exponent, way) for exponent in range(-8, 0) for way in (0.0, 1.0)]
    + [2.0**52 - 0.5, 2.0**51 + 0.5, 2.0**50 + 0.25, 2.0**50 + 0.75, 2.0**53, 999999999999999.9]
)
floats = (
    st.sampled_from(EDGE_FLOATS)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.floats(min_value=-1e-3, max_value=1e-3)
    | st.floats(min_value=1e13, max_value=1e17)
    | st.integers(-(10**6), 10**6).map(float)
    | st.decimals(-1000, 1000, places=4).map(float)
)
texts = st.text(st.characters(codec="utf-8")) | st.text(
    st.sampled_from('ab"\\/\b\f\n\r\t\x00\x1f\x7f\x80é\u2028\u2029\ue000\ufb33\uffff😀\U00010000'),
    max_size=5,
)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-INTEGER_MAX, INTEGER_MAX)
    | floats.filter(in_domain)
    | texts
)
keys = st.sampled_from(["a", "b", "B", "a.b", ""]) | texts


def values_of(leaves: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(keys, inner, max_size=6)
        ),
        max_leaves=20,
    )


values = values_of(scalars)
anything = values_of(
    scalars
    | st.floats()
    | st.integers()
    | st.sampled_from([INTEGER_MAX + 1, -INTEGER_MAX - 1, 10**400])
    | st.text(st.characters(), max_size=5)
    | st.text(st.sampled_from("a\ud800\udfff"), max_size=3)
    | st.binary(max_size=3)
    | st.datetimes()
    | st.dictionaries(st.integers() | st.booleans() | st.none() | st.text("\udc00a"), st.none())
    | st.sets(st.integers(), max_size=2)
)


class TestTheFormsAgree:
    @thorough
    @given(anything)
    @example([1.0, 1e16])
    @example({"\U00010000": 1, "\ue000": 2})
    def test_fast_and_slow_give_the_same_bytes_or_the_same_refusal(self, value: object) -> None:
        assert outcome(encode_slow, value) == outcome(encode, value)

    @thorough
    @given(floats)
    def test_fast_and_slow_agree_on_every_kind_of_float(self, number: float) -> None:
        assert outcome(encode_slow, [number]) == outcome(encode, [number])

    @thorough
    @given(values)
    def test_the_independent_rfc_8785_library_gives_the_same_bytes(self, value: object) -> None:
        assert rfc8785.dumps(value) == encode(value)  # type: ignore[arg-type]

    @thorough
    @given(floats.filter(in_domain))
    def test_the_independent_library_agrees_on_every_kind_of_float(self, number: float) -> None:
        assert rfc8785.dumps(number) == encode(number)

    @thorough
    @given(values)
    def test_reading_back_and_writing_again_changes_no_byte(self, value: object) -> None:
        once = encode(value)
        assert once == encode(decode(once)) == encode_slow(decode(once))

    @thorough
    @given(values)
    def test_the_insertion_order_of_keys_leaves_no_trace(self, value: object) -> None:
        assert encode({"a": value, "b": 1}) == encode({"b": 1, "a": value})

    def test_an_ordinary_entry_takes_the_fast_form(self, monkeypatch: pytest.MonkeyPatch) -> None:
        entry = {"type": "decision", "seq": 12, "data": {"why": "naïve", "p": 0.25, "tags": ["a"]}}
        expected = encode_slow(entry)
        monkeypatch.delattr(canonical, "encode_slow")
        assert expected == encode(entry)


NUMBERS_OF_THE_RFC = [
    ("0000000000000000", "0"),
    ("8000000000000000", "0"),
    ("0000000000000001", "5e-324"),
    ("8000000000000001", "-5e-324"),
    ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("41b3de4355555553", "333333333.3333332"),
    ("41b3de4355555554", "333333333.33333325"),
    ("41b3de4355555555", "333333333.3333333"),
    ("41b3de4355555556", "333333333.3333334"),
    ("41b3de4355555557", "333333333.33333343"),
    ("becbf647612f3696", "-0.0000033333333333333333"),
    ("43143ff3c1cb0959", "1424953923781206.2"),
]
NUMBERS_OF_THE_RFC_BEYOND_OURS = [
    "7fefffffffffffff",
    "ffefffffffffffff",
    "4340000000000000",
    "c340000000000000",
    "4430000000000000",
    "44b52d02c7e14af5",
    "44b52d02c7e14af6",
    "44b52d02c7e14af7",
    "444b1ae4d6e2ef4e",
    "444b1ae4d6e2ef4f",
    "444b1ae4d6e2ef50",
]

both_forms = pytest.mark.parametrize("form", [encode, encode_slow], ids=["fast", "slow"])


@both_forms
class TestSpelling:
    @pytest.mark.parametrize(("bits_hex", "expected"), NUMBERS_OF_THE_RFC)
    def test_numbers_are_spelled_as_the_rfc_prints_them(
        self, form: Callable[[object], bytes], bits_hex: str, expected: str
    ) -> None:
        assert expected.encode() == form(float_of(bits_hex))

    def test_keys_sort_by_utf_16_code_units_as_in_the_rfc(
        self, form: Callable[[object], bytes]
    ) -> None:
        value = {
            "\u20ac": "Euro Sign",
            "\r": "Carriage Return",
            "\ufb33": "Hebrew Letter Dalet With Dagesh",
            "1": "One",
            "\U0001f600": "Emoji: Grinning Face",
            "\u0080": "Control",
            "\u00f6": "Latin Small Letter O With Diaeresis",
        }
        expected = [
            "Carriage Return",
            "One",
            "Control",
            "Latin Small Letter O With Diaeresis",
            "Euro Sign",
            "Emoji: Grinning Face",
            "Hebrew Letter Dalet With Dagesh",
        ]
        assert expected == list(json.loads(form(value)).values())

    def test_the_example_of_the_rfc_comes_out_to_the_byte(
        self, form: Callable[[object], bytes]
    ) -> None:
        value = {
            "numbers": [333333333.33333329, 4.50, 2e-3, 0.000000000000000000000000001],
            "string": "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/",
            "literals": [None, True, False],
        }
        expected = (
            '{"literals":[null,true,false],'
            '"numbers":[333333333.3333333,4.5,0.002,1e-27],'
            '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
        )
        assert expected.encode() == form(value)

    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            (None, "null"),
            (True, "true"),
            (1.0, "1"),
            (-0.0, "0"),
            (-17.0, "-17"),
            (float(INTEGER_MAX), "9007199254740991"),
            (-INTEGER_MAX, "-9007199254740991"),
            (0.00001, "0.00001"),
            (-0.0000015, "-0.0000015"),
            (1.5e-7, "1.5e-7"),
            ((1, [], {}), "[1,[],{}]"),
            ("", '""'),
            ("\x00\x08\t\n\x0b\x0c\r\x1f", '"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f"'),
            ("/\x7f\x80\u2028\u2029😀", '"/\x7f\x80\u2028\u2029😀"'),
            ({"b": 1, "a": 2, "B": 3}, '{"B":3,"a":2,"b":1}'),
        ],
    )
    def test_each_kind_of_value_has_one_spelling(
        self, form: Callable[[object], bytes], value: object, expected: str
    ) -> None:
        assert expected.encode() == form(value)

    def test_nesting_is_accepted_up_to_the_limit(self, form: Callable[[object], bytes]) -> None:
        value = nested(JSON_DEPTH_MAX, innermost=1)
        assert value == json.loads(form(value))


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


class Name(enum.StrEnum):
    ADA = "ada"


@both_forms
class TestRefusal:
    @pytest.mark.parametrize("bits_hex", NUMBERS_OF_THE_RFC_BEYOND_OURS)
    def test_integral_floats_beyond_the_range_are_integers_out_of_range(
        self, form: Callable[[object], bytes], bits_hex: str
    ) -> None:
        message = refusal(lambda: form({"n": [float_of(bits_hex)]}))
        assert message.startswith("$.n[0] is an integer beyond ±9007199254740991")

    @pytest.mark.parametrize(
        "number", [INTEGER_MAX + 1, -INTEGER_MAX - 1, 10**5000], ids=["above", "below", "huge"]
    )
    def test_integers_out_of_range_are_named_by_path_and_a_way_out(
        self, form: Callable[[object], bytes], number: int
    ) -> None:
        message = refusal(lambda: form({"a": [0, 1, 2, {"b": number}]}))
        assert message.startswith("$.a[3].b is an integer beyond ±9007199254740991")
        assert message.endswith("Give it as a string.")

    @pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
    def test_numbers_that_are_not_finite(
        self, form: Callable[[object], bytes], number: float
    ) -> None:
        assert refusal(lambda: form([number])).startswith("$[0] is NaN or infinite")

    @pytest.mark.parametrize(
        ("value", "kind"),
        [
            (datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC), "datetime"),
            (datetime.date(2026, 1, 2), "date"),
            (uuid.UUID(int=1), "UUID"),
            (decimal.Decimal(1), "Decimal"),
            (b"x", "bytes"),
            (bytearray(b"x"), "bytearray"),
            ({1}, "set"),
            (frozenset(), "frozenset"),
            (Colour.RED, "Colour"),
            (Level.LOW, "Level"),
            (Name.ADA, "Name"),
            (OrderedDict(a=1), "OrderedDict"),
            (struct.Struct(">d"), "Struct"),
            (object(), "object"),
        ],
    )
    def test_types_that_are_not_json_even_where_msgspec_would_write_them(
        self, form: Callable[[object], bytes], value: object, kind: str
    ) -> None:
        message = refusal(lambda: form({"a": [value]}))
        assert message.startswith(f"$.a[0] is of type {kind}, which JSON does not have.")
        assert "dict" in message

    @pytest.mark.parametrize(
        ("key", "kind"),
        [(1, "int"), (None, "NoneType"), (True, "bool"), (1.5, "float"), (Name.ADA, "Name")],
    )
    def test_keys_that_are_not_exactly_strings(
        self, form: Callable[[object], bytes], key: object, kind: str
    ) -> None:
        message = refusal(lambda: form([{"a": 1, key: 2}]))
        assert message.startswith(f"$[0] has a key of type {kind}")

    def test_a_lone_surrogate_in_a_text_is_named_with_its_place(
        self, form: Callable[[object], bytes]
    ) -> None:
        message = refusal(lambda: form({"a": ["ok", "xy\ud83d"]}))
        assert message.startswith("$.a[1] holds a lone surrogate at character 2")

    def test_a_lone_surrogate_in_a_key_is_named_in_printable_form(
        self, form: Callable[[object], bytes]
    ) -> None:
        message = refusal(lambda: form({"a": {"\udc00": 1}}))
        assert message.startswith('The key of $.a["\\udc00"] holds a lone surrogate')
        assert message.isprintable()

    def test_nesting_beyond_the_limit_even_when_the_innermost_is_empty(
        self, form: Callable[[object], bytes]
    ) -> None:
        message = refusal(lambda: form(nested(JSON_DEPTH_MAX, innermost=[])))
        assert message.startswith("$[0].k[0].k")
        assert "is nested deeper than 64 levels" in message

    def test_a_list_that_holds_itself_ends(self, form: Callable[[object], bytes]) -> None:
        cycle: list[object] = []
        cycle += [cycle, cycle]
        assert "or holds itself" in refusal(lambda: form(cycle))

    def test_a_dict_that_holds_itself_ends(self, form: Callable[[object], bytes]) -> None:
        cycle: dict[str, object] = {}
        cycle["me"] = cycle
        assert "or holds itself" in refusal(lambda: form(cycle))

    def test_unusual_keys_in_a_path_are_quoted_and_long_ones_cut(
        self, form: Callable[[object], bytes]
    ) -> None:
        message = refusal(lambda: form({"two words": {"x" * 100: math.nan}}))
        expected = '$["two words"]["' + "x" * 60 + '"… 40 more characters] is NaN'
        assert message.startswith(expected)


class TestDecode:
    @pytest.mark.parametrize(
        "text", [' {"a":[1,2.5,"é",null,true]}\n', b'{"a":[1,2.5,"\xc3\xa9",null,true]}']
    )
    def test_text_and_utf_8_bytes_give_plain_builtins(self, text: bytes | str) -> None:
        assert decode(text) == {"a": [1, 2.5, "é", None, True]}

    def test_integers_beyond_the_range_are_handed_over_as_they_are(self) -> None:
        longest = 10**4299
        assert decode(f"[{2**53},{longest},-{longest}]") == [2**53, longest, -longest]

    def test_lone_surrogate_escapes_are_handed_over_as_they_are(self) -> None:
        assert decode(b'{"\\ud800":"\\udfff"}') == {"\ud800": "\udfff"}
        assert decode('["\ud800"]') == ["\ud800"]

    def test_surrogate_pairs_become_one_character(self) -> None:
        assert decode(b'"\\ud83d\\ude00"') == "😀"

    def test_invalid_utf_8_is_refused_with_its_offset(self) -> None:
        assert "not UTF-8 at byte 3" in refusal(lambda: decode(b'["a\xff"]'))

    def test_surrogates_encoded_as_utf_8_are_not_utf_8(self) -> None:
        assert "not UTF-8 at byte 1" in refusal(lambda: decode(b'"\xed\xa0\x80"'))

    @pytest.mark.parametrize("text", [b"\xef\xbb\xbf{}", "\ufeff{}"])
    def test_a_byte_order_mark_is_refused(self, text: bytes | str) -> None:
        assert "byte order mark" in refusal(lambda: decode(text))

    @pytest.mark.parametrize(
        ("text", "path"),
        [
            ('{"a":1,"a":1}', "$.a"),
            ('{"x":[0,{"a":1,"b":{},"\\u0061":2}]}', "$.x[1].a"),
            ('{"a":{"b":1,"b":2},"a":3}', "$.a.b"),
        ],
    )
    def test_a_repeated_key_is_refused_by_its_path(self, text: str, path: str) -> None:
        assert refusal(lambda: decode(text)).startswith(f"{path} appears twice")

    def test_a_repeated_key_in_broken_text_is_refused_as_broken(self) -> None:
        assert "line 1, column 15" in refusal(lambda: decode('{"a":1,"a":2} x'))

    @pytest.mark.parametrize("name", ["NaN", "Infinity", "-Infinity"])
    def test_constants_that_json_does_not_have_are_refused(self, name: str) -> None:
        assert f"has {name}, which" in refusal(lambda: decode(f"[{name}]"))

    @pytest.mark.parametrize("number", ["1e999", "-1e999", "1.5E400"])
    def test_a_float_that_overflows_is_refused(self, number: str) -> None:
        assert "too large for a 64-bit float" in refusal(lambda: decode(number))

    def test_a_float_that_underflows_is_zero(self) -> None:
        assert encode(decode("-1e-999")) == b"0"

    @pytest.mark.parametrize(
        "text", ["9" * 4301, "[-" + "9" * 100_000 + "]"], ids=["bare", "in a list"]
    )
    def test_integers_longer_than_python_reads_are_refused(self, text: str) -> None:
        assert "an integer of" in refusal(lambda: decode(text))

    def test_a_process_that_reads_fewer_digits_refuses_too(self) -> None:
        before = sys.get_int_max_str_digits()
        sys.set_int_max_str_digits(640)
        try:
            assert "an integer of 1000" in refusal(lambda: decode("9" * 1000))
        finally:
            sys.set_int_max_str_digits(before)

    @pytest.mark.parametrize(
        ("text", "place"),
        [
            ('{"a":1}\n{}', "line 2, column 1"),
            ("[1 2]", "line 1, column 4"),
            ("", "line 1, column 1"),
            ('"\x01"', "line 1, column 2"),
            ("\xa01", "line 1, column 1"),
            ("01", "line 1, column 2"),
            ("{'a':1}", "line 1, column 2"),
        ],
    )
    def test_broken_or_trailing_text_is_refused_with_line_and_column(
        self, text: str, place: str
    ) -> None:
        assert f"broken at {place}" in refusal(lambda: decode(text))

    @pytest.mark.parametrize("bracket", ["[", '{"a":', '[{"a":'])
    def test_a_million_open_brackets_are_refused_without_a_crash(self, bracket: str) -> None:
        assert "nested deeper than 64" in refusal(lambda: decode(bracket * 1_000_000))

    def test_nesting_is_read_up_to_the_limit_and_no_further(self) -> None:
        deepest = "[" * JSON_DEPTH_MAX + "]" * JSON_DEPTH_MAX
        assert deepest.encode() == encode(decode(deepest))
        assert "nested deeper" in refusal(lambda: decode(f"[{deepest}]"))

    def test_brackets_inside_strings_and_side_by_side_are_not_nesting(self) -> None:
        value = ["[" * 100, '"' + "{" * 100, "\\", "\\" + "[" * 100, [[]] * 100, {"{" * 99: {}}]
        assert value == decode(json.dumps(value))

    @pytest.mark.parametrize(
        "text",
        ['"' + '\\"' * 2_000_000, '"\\' * 2_000_000, '"' * 4_000_000],
        ids=["escaped quotes", "quotes", "empty strings"],
    )
    def test_strings_never_closed_are_refused_in_linear_time(self, text: str) -> None:
        assert "broken at" in refusal(lambda: decode("[]" * 65 + text))

    @pytest.mark.parametrize("character", ["a", "é"])
    def test_text_beyond_the_size_limit_is_refused_unread(
        self, monkeypatch: pytest.MonkeyPatch, character: str
    ) -> None:
        monkeypatch.setattr(canonical, "INPUT_BYTES_MAX", 100)
        fits = '"' + character * (98 // len(character.encode())) + '"'
        assert fits[1:-1] == decode(fits) == decode(fits.encode())
        longer = fits + " "
        assert "has 101 bytes; at most 100" in refusal(lambda: decode(longer))
        assert "has 101 bytes; at most 100" in refusal(lambda: decode(longer.encode()))

    @thorough
    @given(values)
    def test_whatever_the_standard_library_writes_is_read_the_same(self, value: object) -> None:
        text = json.dumps(value, indent=1)
        assert json.loads(text) == decode(text) == decode(text.encode())

    @thorough
    @given(st.binary(max_size=40) | st.text('[]{}",:\\tu1e-.0 ', max_size=30))
    def test_junk_is_read_or_refused_never_anything_else(self, text: bytes | str) -> None:
        try:
            value = decode(text)
        except InvalidInput:
            return
        assert value == json.loads(text)


def holds_float(value: object) -> bool:
    parts = value.values() if isinstance(value, dict) else value
    if isinstance(value, (dict, list, tuple)):
        return any(holds_float(part) for part in parts)  # type: ignore[attr-defined]
    return isinstance(value, float)


class TestWithoutFloats:
    @thorough
    @given(anything)
    @example({"\U00010000": 1, "\ue000": 2})
    @example([INTEGER_MAX + 1])
    def test_the_spelling_is_the_same_and_a_float_is_refused(self, value: object) -> None:
        if holds_float(value):
            with pytest.raises(TypeError, match="floats"):
                exact.encode(value)
        else:
            assert outcome(encode_slow, value) == outcome(exact.encode, value)

    @pytest.mark.parametrize("levels", [JSON_DEPTH_MAX, JSON_DEPTH_MAX + 1])
    def test_the_bound_of_the_depth_is_the_same(self, levels: int) -> None:
        value = nested(levels, innermost=1)
        assert outcome(encode_slow, value) == outcome(exact.encode, value)
