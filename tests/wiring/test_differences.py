"""What changed between two texts, in one line: the same words for the same texts, always."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.limits import DIFF_EDITS_MAX
from holdfast.wiring.differences import compare

SHOP = """\
import money

class Cart:
    def add(self, item):
        self.items.append(item)

    def total(self):
        return sum(self.items)

def pay(cart):
    return money.take(cart.total())
"""


@pytest.mark.parametrize(
    ("old", "new", "path", "summary"),
    [
        ("", SHOP, "shop.py", "+11: class Cart, def add, def total, def pay"),
        (SHOP, "", "shop.py", "-11: class Cart, def add, def total, def pay"),
        (SHOP, SHOP.replace("sum(", "fsum("), "shop.py", "+1 -1: def total"),
        (SHOP, SHOP + "# end\n", "shop.py", "+1"),
        (SHOP, SHOP.replace("money", "coins"), "shop.py", "+2 -2: def pay"),
        (SHOP, SHOP.replace("def pay", "async def pay"), "shop.py", "+1 -1: def pay"),
        (SHOP, SHOP, "shop.py", "+0 -0"),
        ("a\nb\n", "b\na\n", "list.txt", "+1 -1"),
        ("", "class of 1984\n", "notes.md", "+1"),
        ("", "export class Cart {\n  pay() {\n  }\n}\n", "cart.ts", "+4: class Cart"),
        ("", "fn pay() {\n    take()\n}\n", "pay.rs", "+3: fn pay"),
        ("", "\n".join(f"def f{n}(): ..." for n in range(7)), "many.py",
         "+7: def f0, def f1, def f2, def f3 and 3 more"),
    ],
)  # fmt: skip
def test_a_change_is_summarised(old: str, new: str, path: str, summary: str) -> None:
    assert summary == compare(old, new, path).summary


lines = st.lists(st.sampled_from(["a", "b", "c", "d", ""]), max_size=30)


@given(lines, lines)
def test_the_shortest_script_is_found_and_turns_one_text_into_the_other(
    old: list[str], new: list[str]
) -> None:
    found = compare("".join(f"{one}\n" for one in old), "".join(f"{one}\n" for one in new), "x")
    assert found.added - found.removed == len(new) - len(old)
    assert found.added + found.removed == len(old) + len(new) - 2 * longest_common(old, new)


def longest_common(old: list[str], new: list[str]) -> int:
    row = [0] * (len(new) + 1)
    for one in old:
        above = 0
        for index, other in enumerate(new):
            above, row[index + 1] = (
                row[index + 1],
                above + 1 if one == other else max(row[index], row[index + 1]),
            )
    return row[-1]


def test_more_changes_than_are_told_apart_are_counted_and_the_summary_says_so() -> None:
    old = "".join(f"{n}\n" for n in range(DIFF_EDITS_MAX))
    new = "".join(f"x{n}\n" for n in range(DIFF_EDITS_MAX + 1))
    found = compare(old, new, "big.py")
    assert (found.added, found.removed) == (DIFF_EDITS_MAX + 1, DIFF_EDITS_MAX)
    assert "moved lines not counted" in found.summary


def test_a_hostile_text_is_compared_in_bounded_steps() -> None:
    """Every line alike but in another order: the worst case of the usual algorithm."""
    old = "a\nb\n" * 20_000
    new = "b\na\n" * 20_000 + "c\n"
    found = compare(old, new, "x")
    assert found.added - found.removed == 1


def test_it_agrees_with_the_standard_library_on_a_plain_edit() -> None:
    old = SHOP.splitlines()
    new = [line for line in SHOP.splitlines() if "money" not in line]
    ours = compare("\n".join(old), "\n".join(new), "shop.py")
    theirs = [line[0] for line in difflib.ndiff(old, new)]
    assert (ours.added, ours.removed) == (theirs.count("+"), theirs.count("-"))
