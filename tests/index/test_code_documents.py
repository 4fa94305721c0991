"""What is searched of a file: each line in one document, definitions by their names."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdfast.code import read_symbols
from holdfast.index.code_documents import PIECE, Document, lines_of, split, terms_of
from holdfast.kernel.limits import SOURCE_PIECE_LINES

TEXT = '''"""Top."""
import os

class Retry:
    budget = 3

    def count(self):
        def inner():
            return 1
        return inner()

if __name__ == "__main__":
    print(os.name)
'''


def documents(text: str) -> list[Document]:
    return split(text, read_symbols(text, "python").symbols)


def test_each_definition_is_a_document_and_what_is_outside_is_pieces() -> None:
    found = [(one.kind, one.name, one.first_line, one.last_line) for one in documents(TEXT)]
    assert found == [
        (PIECE, "", 1, 3),
        ("class", "Retry", 4, 10),
        ("method", "Retry.count", 7, 10),
        ("function", "Retry.count.inner", 8, 9),
        (PIECE, "", 11, 14),
    ]


def test_a_definition_has_its_own_lines_and_not_those_of_definitions_inside() -> None:
    texts = {one.name: one.text for one in documents(TEXT) if one.name}
    assert texts["Retry"] == "class Retry:\n    budget = 3\n"
    assert texts["Retry.count"] == "    def count(self):\n        return inner()"
    assert "return 1" in texts["Retry.count.inner"]


def test_a_file_without_definitions_is_cut_into_pieces_and_empty_ones_are_left_out() -> None:
    text = "word\n" * SOURCE_PIECE_LINES + "\n" * SOURCE_PIECE_LINES + "last"
    found = [(one.first_line, one.last_line) for one in split(text)]
    assert found == [
        (1, SOURCE_PIECE_LINES),
        (2 * SOURCE_PIECE_LINES + 1, 2 * SOURCE_PIECE_LINES + 1),
    ]


@given(st.lists(st.sampled_from(TEXT.split("\n")), max_size=30))
def test_every_line_with_a_word_is_in_exactly_one_document(lines: list[str]) -> None:
    text = "\n".join(lines)
    held = sorted(line for one in documents(text) for line in lines_of(one.text) if line.strip())
    expected = sorted(line for line in lines if line.strip())
    assert held == expected


def test_identifiers_are_split_at_case_and_underscore_and_kept_whole() -> None:
    terms = terms_of("countRetries HTTPServer retry_budget").split()
    assert {"countretries", "count", "retri", "http", "server", "retry_budget", "budget"} <= set(
        terms
    )
