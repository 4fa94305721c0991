"""Lines among lines: the linear search finds what a plain one finds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdfast.code.edits.lines import ending, seek, split, to_crlf, to_lf

lines = st.lists(st.sampled_from("ab"), max_size=12)


@given(lines, st.lists(st.sampled_from("ab"), min_size=1, max_size=4), st.integers(0, 5))
def test_the_first_two_places_are_found(text: list[str], wanted: list[str], start: int) -> None:
    plain = [at for at in range(start, len(text)) if text[at : at + len(wanted)] == wanted]
    assert seek(text, wanted, start).places == tuple(plain[:2])


@given(lines, st.lists(st.sampled_from("abc"), min_size=1, max_size=4))
def test_a_miss_says_where_most_lines_agreed(text: list[str], wanted: list[str]) -> None:
    found = seek(text, wanted)
    if not found.places:
        agreed = [_agreeing(text[at:], wanted) for at in range(len(text))]
        assert found.matched == max(agreed, default=0)
        assert found.nearest == (agreed.index(found.matched) if found.matched else None)


def _agreeing(text: list[str], wanted: list[str]) -> int:
    count = 0
    for one, other in zip(text, wanted, strict=False):
        if one != other:
            break
        count += 1
    return count


@given(st.text(alphabet="a\r\n\u2028"))
def test_lines_joined_are_the_text(text: str) -> None:
    assert "".join(split(text)) == text
    assert all(line.count("\n") == line.endswith("\n") for line in split(text))


def test_nothing_is_sought_nowhere() -> None:
    assert seek(["a"], []).places == ()


def test_line_ends_are_told_apart() -> None:
    assert [ending(text) for text in ("", "a", "a\n", "a\r\n", "a\r\nb\n")] == [
        "\n", "\n", "\n", "\r\n", "mixed",
    ]  # fmt: skip
    assert to_crlf("a\r\nb\n") == "a\r\nb\r\n"
    assert to_lf("a\r\nb\n") == "a\nb\n"
