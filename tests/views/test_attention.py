"""The zones of the attention budget."""

import pytest

from holdfast.config import Attention
from holdfast.views.attention import MESSAGES, bounds_of, window_of, zone_of

SEED = Attention()


@pytest.mark.req("L5")
@pytest.mark.parametrize(
    ("tokens", "zone"),
    [
        (0, "green"),
        (4_999, "green"),
        (5_000, "yellow"),
        (9_999, "yellow"),
        (10_000, "orange"),
        (14_999, "orange"),
        (15_000, "red"),
        (10**9, "red"),
    ],
)
def test_without_a_window_the_zones_begin_at_the_seeds_numbers(tokens: int, zone: str) -> None:
    assert zone_of(tokens, SEED) == zone


@pytest.mark.req("L5")
@pytest.mark.parametrize(
    ("tokens", "zone"),
    [(49_999, "green"), (50_000, "yellow"), (100_000, "orange"), (150_000, "red")],
)
def test_with_a_window_they_are_shares_of_it(tokens: int, zone: str) -> None:
    assert zone_of(tokens, SEED, 200_000) == zone


def test_the_settings_move_them() -> None:
    mine = Attention(yellow=10, orange=20, red=30, yellow_share=0.1, window=1_000)
    assert zone_of(25, Attention(yellow=10, orange=20, red=30)) == "orange"
    assert bounds_of(mine).yellow == 100
    assert bounds_of(mine, 2_000).yellow == 200


def test_bounds_out_of_order_give_the_highest_zone_that_is_reached() -> None:
    assert zone_of(6, Attention(yellow=10, orange=20, red=5)) == "red"


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("gpt-4o", 128_000),
        ("gpt-4o-2024-08-06", 128_000),
        ("openai/gpt-4.1-mini", 1_047_576),
        ("claude-sonnet-4-20250514", 200_000),
        ("gpt-5-chat-latest", 128_000),
        ("gpt-50", None),
        ("something else", None),
        (None, None),
    ],
)
def test_a_model_that_is_known_has_a_window(model: str | None, window: int | None) -> None:
    assert window_of(model) == window


@pytest.mark.req("L5")
def test_the_messages_are_the_seeds_word_for_word() -> None:
    assert MESSAGES == {
        "green": None,
        "yellow": None,
        "orange": "Context is filling. Consider /clear when ready.",
        "red": "Attention budget exhausted. Please /clear.",
    }
