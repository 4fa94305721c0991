"""Our reading of Python beside Python's own, on a part of the standard library.

`python -m bench.code_oracle` does the same with all of it.
"""

from __future__ import annotations

import sysconfig
from collections import Counter
from pathlib import Path

import pytest

from bench.code_oracle import EXPLAINED, differences, files_in, of_ast, text_of

LIBRARY = Path(sysconfig.get_paths()["stdlib"])
SAMPLE = (
    "argparse.py",
    "ast.py",
    "contextlib.py",
    "dataclasses.py",
    "enum.py",
    "functools.py",
    "inspect.py",
    "subprocess.py",
    "threading.py",
    "typing.py",
)
FOLDERS = ("asyncio", "concurrent", "email", "json", "logging", "unittest", "xml")


@pytest.mark.parametrize("name", [*SAMPLE, *FOLDERS])
def test_every_definition_of_a_module_has_its_name_and_its_lines(name: str) -> None:
    place = LIBRARY / name
    paths = files_in(place) if place.is_dir() else [place]
    counts: Counter[str] = Counter()
    wrong = []
    for path in paths:
        text = text_of(path)
        assert text is not None, path
        wrong += [d for why, d in differences(text, counts) if why not in EXPLAINED]
    assert wrong == []
    assert counts["definitions"] > 10
    assert counts["definitions in files with errors"] == 0


def test_the_oracle_knows_nesting_decorators_and_comments() -> None:
    text = "class A:\n    # above\n    @d\n    def f(self): pass\n    def f(self): pass\n"
    assert list(of_ast(text)) == [("A", 1, 5), ("A.f", 2, 4), ("A.f#2", 5, 5)]


def test_a_difference_would_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.code.extents.start", lambda *_: 0)
    text = "x = 1\ndef f(): pass\n"
    assert [why for why, _ in differences(text, Counter())] == ["different"]
