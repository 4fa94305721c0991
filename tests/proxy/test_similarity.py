"""Similarity aligns with one entity that is there, or with none; it makes nothing."""

from __future__ import annotations

import pytest

from holdfast.kernel.limits import PROXY_SIMILAR_MAX
from holdfast.proxy.similarity import nearest, overlap
from tests.proxy.desks import FakeMap

ADD = "def add(a, b):\n    # both\n    total = a + b\n    return total\n"
NEAR = ADD.replace("# both", "# sums")
OTHER = "class Queue:\n    def put(self, item):\n        self.items.append(item)\n"


@pytest.mark.req("T14")
def test_a_text_resembles_the_one_entity_with_which_it_shares_most() -> None:
    known = FakeMap({"a.py::add": ADD, "a.py::Queue": OTHER})
    assert nearest([NEAR], ["a.py::add", "a.py::Queue"], known) == "a.py::add"
    assert nearest(["x = 1"], ["a.py::add", "a.py::Queue"], known) is None


@pytest.mark.req("T14")
def test_a_text_that_resembles_two_resembles_none() -> None:
    known = FakeMap({"a.py::add": ADD, "b.py::add": ADD})
    assert nearest([ADD], ["a.py::add", "b.py::add"], known) is None


@pytest.mark.req("T14")
def test_only_what_is_authoritative_and_kept_is_compared() -> None:
    known = FakeMap({"c.py::add": None})
    known.put("a.py::add", ADD, state="TOMBSTONED")
    names = ["a.py::add", "c.py::add", "d.py::never"]
    assert nearest([ADD], names, known) is None


def test_too_many_to_compare_are_none() -> None:
    known = FakeMap({"a.py::add": ADD})
    names = ["a.py::add", *(f"a.py::f{number}" for number in range(PROXY_SIMILAR_MAX))]
    assert nearest([ADD], names, known) is None
    assert nearest([ADD], names[:PROXY_SIMILAR_MAX], known) == "a.py::add"


def test_a_short_function_with_one_sign_changed_is_still_similar() -> None:
    one = "def add(a, b):\n    return a + b\n"
    assert overlap(one, one.replace("+", "-")) > 0.6
    assert overlap(one, "def total(items):\n    return sum(items)\n") < 0.6


def test_overlap_is_a_share_and_the_same_both_ways() -> None:
    assert overlap(ADD, ADD) == 1.0
    assert overlap(ADD, NEAR) == overlap(NEAR, ADD) > 0.6
    assert overlap(ADD, OTHER) < 0.2
    assert overlap("", ADD) == overlap("", "") == 0.0
