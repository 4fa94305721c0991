"""Parity: what became of each definition, and whether the new text may stand for the old."""

from __future__ import annotations

import pytest

from holdfast.code import read_symbols
from holdfast.code.parity import Renamed, compare, compare_readings
from holdfast.kernel.errors import CouldNotLook
from holdfast.kernel.limits import PARITY_NAMES_MAX
from holdfast.kernel.tokens import COUNTER, estimate

CODE = '''\
import os

LIMIT = 3


class Store:
    """Keep things."""

    def put(self, key, value):
        self.check(key)
        self.items[key] = value

    def get(self, key):
        return self.items.get(key, None)


def total(values):
    result = 0
    for value in values:
        result += value
    return result


def depth(node):
    return 1 + max(depth(child) for child in node.children)
'''


def test_the_same_text_keeps_everything() -> None:
    parity = compare(CODE, CODE, "python")
    assert parity.verdict.ok
    assert parity.verdict.reasons == ()
    assert {"Store", "Store.put", "Store.get", "total", "depth"} <= set(parity.kept)
    assert (parity.lost, parity.changed, parity.added, parity.renamed) == ((), (), (), ())
    assert parity.nodes_before == parity.nodes_after > 50
    assert (parity.tokens_before, parity.counter) == (estimate(CODE), COUNTER)


def test_a_grown_text_passes_and_says_what_changed_and_came() -> None:
    after = CODE.replace("result = 0", "result = 0.0") + "\n\ndef new():\n    return total([1])\n"
    parity = compare(CODE, after, "python")
    assert parity.verdict.ok
    assert parity.changed == ("total",)
    assert parity.added == ("new",)


def test_a_lost_top_level_definition_is_said() -> None:
    after = CODE.replace(CODE[CODE.index("def total") : CODE.index("def depth")], "")
    parity = compare(CODE, after, "python")
    assert parity.lost == parity.lost_top_level == ("total",)
    assert not parity.verdict.ok
    assert parity.verdict.reasons == ("top-level definitions are lost: total",)


def test_a_lost_method_is_said_apart() -> None:
    after = CODE.replace(CODE[CODE.index("    def get") : CODE.index("def total")], "\n\n")
    parity = compare(CODE, after, "python")
    assert (parity.lost, parity.lost_top_level) == (("Store.get",), ())
    assert parity.verdict.reasons == ("definitions inside others are lost: Store.get",)


def test_a_definition_with_the_same_body_and_another_name_is_renamed() -> None:
    parity = compare(CODE, CODE.replace("total", "add_up"), "python")
    assert parity.renamed == (Renamed("total", "add_up"),)
    assert (parity.lost, parity.added) == ((), ())
    assert parity.verdict.reasons == ("definitions have other names: total → add_up",)


def test_a_definition_that_calls_itself_is_known_under_another_name() -> None:
    parity = compare(CODE, CODE.replace("depth", "height"), "python")
    assert parity.renamed == (Renamed("depth", "height"),)


def test_a_renamed_class_takes_its_methods_along() -> None:
    parity = compare(CODE, CODE.replace("class Store", "class Shelf"), "python")
    assert parity.renamed == (
        Renamed("Store", "Shelf"),
        Renamed("Store.put", "Shelf.put"),
        Renamed("Store.get", "Shelf.get"),
    )


def test_a_long_body_is_known_with_other_parameters_a_short_one_is_not() -> None:
    parity = compare(CODE, CODE.replace("def total(values)", "def add_up(values, /)"), "python")
    assert parity.renamed == (Renamed("total", "add_up"),)
    parity = compare("def a():\n    pass\n", "def b(x):\n    pass\n", "python")
    assert (parity.renamed, parity.lost, parity.added) == ((), ("a",), ("b",))


def test_two_that_could_be_the_same_are_not_paired() -> None:
    before = "def a():\n    return compute(1, 2, 3) + rest\n"
    after = before.replace("def a", "def b") + before.replace("def a", "def c")
    parity = compare(before, after, "python")
    assert (parity.renamed, parity.lost, parity.added) == ((), ("a",), ("b", "c"))


def test_a_collapse_below_the_share_is_said_with_its_figures() -> None:
    after = "class Store:\n    def put(self): return 1\n    def get(self): return 2\n"
    after += "LIMIT = 3\ndef total(v): return v\ndef depth(n): return n\n"
    long = CODE + "".join(f"total([{number}, {number}])\n" for number in range(40))
    parity = compare(long, after, "python")
    assert parity.lost == ()
    assert parity.nodes_collapsed
    assert parity.tokens_collapsed
    assert not parity.verdict.ok
    nodes, tokens = parity.verdict.reasons
    assert f"{parity.nodes_after} of {parity.nodes_before} syntax nodes are left" in nodes
    assert f"{parity.tokens_after} of {parity.tokens_before} tokens are left" in tokens
    assert "less than 50%" in nodes
    assert compare(long, after, "python", collapse_share=0.01).verdict.ok


def test_an_elided_body_is_said() -> None:
    after = CODE[: CODE.index("    result = 0")] + "    ...\n\n\n" + CODE[CODE.index("def depth") :]
    parity = compare(CODE, after, "python")
    assert "total" in parity.elided
    assert not parity.verdict.ok
    assert any(reason.startswith("bodies are left out: ") for reason in parity.verdict.reasons)


def test_a_body_that_was_always_dots_is_listed_but_speaks_not_against_it() -> None:
    stub = "class P:\n    def f(self) -> int: ...\n"
    parity = compare(stub, stub, "python")
    assert "P.f" in parity.elided
    assert parity.verdict.ok


def test_syntax_errors_are_said_with_the_definitions_they_are_in() -> None:
    parity = compare(CODE, CODE.replace("return result", "return (result"), "python")
    assert not parity.verdict.ok
    assert any("syntax errors" in reason for reason in parity.verdict.reasons)


def test_an_empty_text_before_asks_for_nothing() -> None:
    assert compare("", CODE, "python").verdict.ok


def test_many_names_are_counted() -> None:
    before = "".join(f"def f{n}(): return {n}\n" for n in range(PARITY_NAMES_MAX + 5))
    (reason, *_) = compare(before, "x = 1\n", "python").verdict.reasons
    assert reason.endswith("and 5 more")


def test_names_bound_together_are_all_top_level() -> None:
    before = "package p\n\nvar a, b = 1, 2\n\nfunc f() int { return a }\n"
    parity = compare(before, before.replace("var a, b = 1, 2", "var c = 1"), "go")
    assert parity.lost == parity.lost_top_level == ("a", "b")


def test_what_has_been_read_is_not_read_again() -> None:
    readings = [(read_symbols(text, "python"), text) for text in (CODE, CODE + "\nx = 1\n")]
    assert compare_readings(*readings) == compare(CODE, CODE + "\nx = 1\n", "python")


def test_a_text_that_cannot_be_read_is_not_passed() -> None:
    with pytest.raises(CouldNotLook):
        compare(CODE, "a\0b", "python")
