"""Words that tell something, and definitions that are called by them."""

from __future__ import annotations

import pytest

from holdfast.index.code_index import Section
from holdfast.recall.telling import is_called, telling_words


def section(name: str, path: str = "src/a.py") -> Section:
    return Section(1, path, b"", "class", name, 1, 9)


@pytest.mark.parametrize(
    "text",
    ["the of and", "a an is", "x", "class", "def", "-x", "x_y", "the_of", "42", "make new", "!"],
)
def test_some_texts_tell_nothing(text: str) -> None:
    assert telling_words(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Queue with take method and lock", ["Queue", "take", "lock"]),
        ("list", ["list"]),
        ("retry_budget", ["retry", "budget"]),
        ("OAuth2 login", ["OAuth2", "login"]),
        ("\u9375", ["\u9375"]),
    ],
)
def test_words_that_name_a_feature_are_kept(text: str, expected: list[str]) -> None:
    assert telling_words(text) == expected


@pytest.mark.parametrize(
    ("name", "path", "text"),
    [
        ("Lock", "src/a.py", "lock"),
        ("Worker.take_lock", "src/a.py", "taking of locks"),
        ("take", "src/queue.py", "class Queue with a take method"),
        ("OAuth2Login", "src/a.py", "OAuth2 login"),
    ],
)
def test_a_definition_is_called_by_all_words_in_its_name_and_path(
    name: str, path: str, text: str
) -> None:
    assert is_called(section(name, path), [], text)


def test_lines_next_to_each_other_add_to_the_name() -> None:
    near = ["def take(self):", "    with self.lock:"]
    apart = [near[0], *[""] * 20, near[1]]
    assert is_called(section("Queue"), near, "Queue with take method and lock")
    assert not is_called(section("Queue"), apart, "Queue with take method and lock")


@pytest.mark.parametrize("text", ["lock with timeout", "the", "locksmith"])
def test_a_definition_with_other_words_is_not_called_so(text: str) -> None:
    assert not is_called(section("Lock"), ["lock = 1"], text)
