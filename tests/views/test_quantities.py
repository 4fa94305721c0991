"""Quantities: the same amount in other units is the same, and what is counted tells them apart."""

from __future__ import annotations

import pytest

from holdfast.views.quantities import Quantity, measure


def only(text: str) -> Quantity:
    [found] = measure(tuple(text.split())).quantities
    return found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("15 minutes", "900 seconds"),
        ("15min", "900s"),
        ("64 KiB", "65536 bytes"),
        ("every minute", "60 s"),
        ("daily", "every 24 hours"),
        ("once a day", "nightly"),
        ("1,000 requests", "1000 requests"),
        ("two replicas", "2 replicas"),
        ("80%", "80 percent"),
    ],
)
def test_the_same_amount_in_other_words_is_the_same(one: str, other: str) -> None:
    assert only(one) == only(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("15 minutes", "16 minutes"),
        ("3 retries", "3 replicas"),
        ("10 MB", "10 s"),
        ("Python 3.10", "Python 3.1"),
        ("Node 18", "Python 18"),
    ],
)
def test_another_amount_or_another_thing_is_not(one: str, other: str) -> None:
    assert only(one) != only(other)


def test_what_is_no_quantity_stays_a_word() -> None:
    measured = measure(("Sign", "with", "RS256", "for", "30", "days"))
    assert measured.rest == ("Sign", "with", "RS256", "for")
    assert [quantity.kind for quantity in measured.quantities] == ["time"]
    assert measure(()).quantities == ()
