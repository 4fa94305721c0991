"""The order of answers: ranks joined, whatever their scores were."""

from __future__ import annotations

from holdfast.kernel.limits import SOURCE_RANKS_FUSED
from holdfast.recall.code_search import CodeQuery, Files, grep_code
from holdfast.recall.fusing import fuse

TEXTS = {"a.py": "one\nFind  This\n", "b.py": "find this\nfind this again\n", "c.py": "none\n"}


def test_what_both_rankings_hold_comes_first() -> None:
    fused = fuse([[(1, 90.0), (2, 80.0)], [(3, 0.9), (2, 0.1)]])
    assert [id_ for id_, _ in fused] == [2, 1, 3]
    assert fused[0][1] == 2 / (SOURCE_RANKS_FUSED + 2)


def test_one_ranking_keeps_its_order() -> None:
    assert [id_ for id_, _ in fuse([[(5, 1.0), (4, 0.5)], []])] == [5, 4]


def test_lines_are_found_whatever_their_case_and_blanks() -> None:
    def read(path: str) -> tuple[bytes, str] | None:
        return (b"", TEXTS[path]) if path in TEXTS else None

    files = Files(3, 0, 0, [])
    found = grep_code([*TEXTS, "gone.py"], read, CodeQuery("find this", limit=2), files, "why")
    assert [(hit.path, hit.first_line) for hit in found.hits] == [("b.py", 1), ("b.py", 2)]
    assert (found.more, found.files, found.unread) == (1, 3, [("gone.py", "could not be read")])
