"""Definitions by line patterns."""

from __future__ import annotations

import json
import sys
from hashlib import sha256

import pytest

from holdfast.code import CouldNotLook, read_by_patterns, read_symbols
from holdfast.code.languages import LANGUAGES
from holdfast.code.patterns import built_in, pattern_map
from holdfast.kernel import limits
from holdfast.kernel.errors import InvalidInput


def found(text: str, language: str) -> list[str]:
    return [
        f"{s.start_line}-{s.end_line} {s.kind} {s.qualified}"
        for s in read_by_patterns(text, language).symbols
    ]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("perl", "# Doc.\nsub f {\n  print '}';\n}\n", ["1-4 function f"]),
        ("perl", "sub f;\nsub g { 1 }\n", ["1-1 function f", "2-2 function g"]),
        ("r", "f <- function(a) {\n  a\n}\n", ["1-3 function f"]),
        (
            "elixir",
            "defmodule A.B do\n  def f(x), do: x\n  def g(x) do\n    x\n  end\nend\n",
            ["1-6 module A.B", "2-2 function A.B.f", "3-5 function A.B.g"],
        ),
        ("make", "all: x\n\techo\n\nX := 1\nx:\n\ty\n", ["1-2 target all", "5-6 target x"]),
        ("ini", "[a]\nx=1\n\n[b]\ny=1\n", ["1-2 section a", "4-5 section b"]),
        ("haskell", "-- Doc.\nf :: Int\n\ndata T = A\n", ["1-2 function f", "4-4 type T"]),
        (
            "protobuf",
            "message A {\n  message B {\n  }\n}\n",
            ["1-4 type A", "2-3 type A.B"],
        ),
        ("dart", "class A {\n  int f(int a) {\n  }\n}\n", ["1-4 class A", "2-3 method A.f"]),
        ("terraform", 'resource "a" "b" {\n}\n', ["1-2 resource a.b"]),
        ("clojure", "(defn f [x]\n  (+ x 1))\n", ["1-2 function f"]),
        ("dockerfile", "FROM a AS base\nRUN x\n", ["1-1 stage base"]),
    ],
)
def test_a_language_without_a_grammar_is_read_by_its_patterns(
    language: str, text: str, expected: list[str]
) -> None:
    assert language not in LANGUAGES
    assert read_symbols(text, language) == read_by_patterns(text, language)
    assert found(text, language) == expected


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (
            "python",
            "# c\n@d\nclass A:\n    def f(\n        self,\n    ):\n        pass\n\ndef g(): pass\n",
        ),
        ("javascript", "export class A {\n}\nfunction f() {\n}\n"),
        ("typescript", "export interface A {\n  a: string\n}\nconst f = (a: number) => {\n};\n"),
        ("go", "package a\n\n// Doc.\nfunc (q *Q) Take() {\n}\n"),
        ("ruby", "class A\n  def f\n  end\nend\n"),
        ("php", "<?php\nfinal class A {\n  public function f() {\n  }\n}\n"),
        ("lua", "local function f()\nend\n"),
        ("bash", "f() {\n  echo\n}\n"),
        ("java", "public class A {\n  public int f(int a) {\n    return a;\n  }\n}\n"),
        ("c", "static int f(int a)\n{\n  return a;\n}\n"),
        ("kotlin", "class A {\n    fun f() {\n    }\n}\n"),
        ("swift", "struct A {\n  func f() {\n  }\n}\n"),
        ("scala", "object A {\n  def f = {\n  }\n}\n"),
        ("csharp", "public class A\n{\n  public int F(int a)\n  {\n  }\n}\n"),
    ],
)
def test_patterns_agree_with_the_grammar_on_plain_code(language: str, text: str) -> None:
    def places(reading: object) -> list[tuple[str, int, int]]:
        symbols = getattr(reading, "symbols")  # noqa: B009 - one type, two ways to it
        return [(s.qualified, s.start_line, s.end_line) for s in symbols]

    assert places(read_by_patterns(text, language)) == places(read_symbols(text, language))


def test_a_reading_by_patterns_says_so() -> None:
    reading = read_by_patterns("sub f { 1 }\n", "perl")
    (symbol,) = reading.symbols
    assert (reading.by, reading.nodes, symbol.nodes, symbol.body_start) == ("patterns", 0, 0, None)


def test_places_and_digests_are_those_of_the_slice() -> None:
    text = "my $x = 'ä';\n  # Doc.\n  sub f {\n    'é'\n  }\n"
    (symbol,) = read_by_patterns(text, "perl").symbols
    part = text.encode()[symbol.start_byte : symbol.end_byte]
    assert part.decode() == "# Doc.\n  sub f {\n    'é'\n  }"
    assert symbol.digest == sha256(part).hexdigest()


def test_what_was_not_seen_to_end_has_errors() -> None:
    reading = read_by_patterns("sub f {\n  1\n", "perl")
    assert reading.errors
    assert [s.errors for s in reading.symbols] == [True]


def test_a_mark_of_something_left_out_is_seen() -> None:
    reading = read_by_patterns("sub f {\n  # ... existing code ...\n}\nsub g { 1 }\n", "perl")
    assert [s.elided for s in reading.symbols] == [True, False]


def test_a_mark_above_a_definition_is_no_part_of_it() -> None:
    reading = read_by_patterns("# ... existing code ...\n# Doc.\nsub f { 1 }\n", "perl")
    assert [(s.start_line, s.elided) for s in reading.symbols] == [(2, False)]
    assert reading.elided


def test_no_more_of_a_line_is_looked_at_than_the_bound() -> None:
    text = " " * limits.PATTERN_LINE_CHARS_MAX + "sub f { 1 }\n"
    assert found(text, "perl") == []


def test_a_text_that_would_be_gone_through_again_and_again_is_could_not_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("holdfast.code.fallback.PATTERN_BLOCK_LINES_MAX", 10)
    with pytest.raises(CouldNotLook):
        read_by_patterns("sub f {\n" * 20, "perl")


def test_a_missing_engine_is_could_not_look(monkeypatch: pytest.MonkeyPatch) -> None:
    from holdfast.code import patterns

    patterns.compiled.cache_clear()
    monkeypatch.setitem(sys.modules, "re2", None)
    with pytest.raises(CouldNotLook, match="google-re2"):
        read_by_patterns("sub f { 1 }\n", "perl")


# The map


def one(pattern: str, **more: object) -> str:
    entry = {"block": "line", "patterns": [{"kind": "x", "pattern": pattern}], **more}
    return json.dumps({"version": 1, "languages": {"mine": entry}})


def test_the_built_in_map_holds_to_the_rules_of_a_users() -> None:
    from holdfast.code.patterns import _BUILT_IN

    with open(_BUILT_IN, encoding="utf-8") as file:  # noqa: PTH123
        assert pattern_map(file.read()) == built_in()


def test_a_user_can_add_a_language() -> None:
    known = built_in().with_those_of(pattern_map(one(r"^DEF (?P<name>\w+)")))
    (symbol,) = read_by_patterns("DEF a\n", "mine", known=known).symbols
    assert symbol.qualified == "a"
    assert read_by_patterns("sub f { 1 }\n", "perl", known=known).symbols[0].name == "f"


def test_a_users_patterns_come_before_the_built_in_ones() -> None:
    text = one(r"^sub (?P<name>\w+)").replace("mine", "perl")
    known = built_in().with_those_of(pattern_map(text))
    reading = read_by_patterns("sub f {\n}\npackage P;\n", "perl", known=known)
    assert [(s.kind, s.name) for s in reading.symbols] == [("x", "f"), ("module", "P")]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (one(r"DEF (?P<name>\w+)"), r"does not begin with \^"),
        (one(r"^DEF (\w+)"), "has no group"),
        (one(r"^(?P<name>\w+)(?=x)"), "is none for RE2"),
        (one(r"^(?P<name>\w+) \1"), "is none for RE2"),
        (one("^(?P<name>" + "a" * limits.PATTERN_CHARS_MAX + ")"), "longer than"),
        (one("^(?P<name>((a{0,100}){0,100}){0,100})"), "is none for RE2"),
        (one(r"^(?P<name>\w+)", color="red"), "color"),
        (one(r"^(?P<name>\w+)", block="maze"), "maze"),
        ('{"version": 2, "languages": {}}', "version"),
        ("{", "cannot be used"),
        ('{"version": 1, "languages": {}}' + " " * limits.PATTERN_FILE_BYTES_MAX, "longer than"),
    ],
)
def test_a_faulty_map_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        pattern_map(text)


def test_a_pattern_that_would_be_slow_elsewhere_is_not() -> None:
    known = pattern_map(one(r"^(?P<name>(a+)+)b"))
    assert read_by_patterns("a" * 300 + "\n", "mine", known=known).symbols == ()
