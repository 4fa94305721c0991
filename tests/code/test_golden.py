"""Each grammar on a text with nesting and decorators, a broken one and an elided one."""

from __future__ import annotations

from hashlib import sha256

import pytest

from holdfast.code import Reading, grammars, read_symbols
from holdfast.code.languages import LANGUAGES, dialect
from tests.code.golden import Case, cases, spelled

CASES = cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.language}-{case.title}")
def test_a_text_is_read_as_its_golden_file_says(case: Case) -> None:
    assert case.expected == spelled(read_symbols(case.text, case.language))


def test_every_language_with_a_grammar_has_whole_broken_and_elided_texts() -> None:
    titles = {
        language: {c.title for c in CASES if c.language == language} for language in LANGUAGES
    }
    lacking = {name for name, found in titles.items() if not {"whole", "broken", "elided"} <= found}
    assert lacking == {"python-stub", "php-fragment"}  # Python and PHP with one rule changed


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.language}-{case.title}")
def test_places_and_digests_are_those_of_the_slice(case: Case) -> None:
    reading = read_symbols(case.text, case.language)
    source = case.text.encode()
    for symbol in reading.symbols:
        part = source[symbol.start_byte : symbol.end_byte]
        assert sha256(part).hexdigest() == symbol.digest
        assert part == part.strip()
        first = source[: symbol.start_byte].count(b"\n") + 1
        assert (symbol.start_line, symbol.end_line) == (first, first + part.count(b"\n"))
        assert symbol.name.encode() in part.replace(b"\n", b" ") or symbol.kind == "destructor"
        if symbol.body_start is not None and symbol.body_end is not None:
            assert symbol.start_byte <= symbol.body_start <= symbol.body_end <= symbol.end_byte
        assert 0 < symbol.nodes <= reading.nodes


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.language}-{case.title}")
def test_no_name_is_given_twice_and_all_stand_in_order(case: Case) -> None:
    symbols = read_symbols(case.text, case.language).symbols
    assert len({symbol.qualified for symbol in symbols}) == len(symbols)
    assert [s.start_byte for s in symbols] == sorted(s.start_byte for s in symbols)


def test_broken_texts_are_never_read_without_saying_so() -> None:
    broken = [case for case in CASES if case.title == "broken" and case.language != "markdown"]
    assert len(broken) > 20
    assert [c.language for c in broken if not _reading(c).errors] == []


def test_elided_texts_are_never_read_without_saying_so() -> None:
    elided = [case for case in CASES if case.title == "elided"]
    assert [case.language for case in elided if not _reading(case).elided] == []


def test_whole_texts_are_neither_broken_nor_elided() -> None:
    whole = [_reading(case) for case in CASES if case.title in ("whole", "meant to be empty")]
    assert [reading.language for reading in whole if reading.errors or reading.elided] == []


def test_a_pattern_of_a_query_finds_definitions_of_one_kind() -> None:
    """`symbols` remembers what a pattern finds."""
    kinds: dict[tuple[object, int], set[str]] = {}
    for case in CASES:
        spoken = dialect(case.language, case.text)
        root = grammars.parse(case.text.encode(), spoken).root_node
        for pattern, captures in grammars.matches(root, spoken):
            roles = {role for role in captures if role[0] != "_"} - {"name", "body", "owner"}
            kinds.setdefault((LANGUAGES[spoken].queries, pattern), set()).update(roles)
    assert [found for found in kinds.items() if len(found[1]) != 1] == []


def _reading(case: Case) -> Reading:
    return read_symbols(case.text, case.language)
