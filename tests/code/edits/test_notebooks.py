"""Notebook cells as Claude Code edits them, and what nobody can know from the call alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdfast.code.edits import Applied, Refused, apply, from_tool_call


def notebook(minor: int = 4, **more: Any) -> dict[str, Any]:
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "id": "m1", "metadata": {}, "source": ["# é\n", "x"]},
        {"cell_type": "code", "id": "c1", "execution_count": 3, "metadata": {}, "outputs": [{}],
         "source": "x = 1"},
    ]  # fmt: skip
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": minor, **more}


def edited(base: str, **arguments: Any) -> Applied | Refused:
    (edit,) = from_tool_call("NotebookEdit", {"notebook_path": "n.ipynb", **arguments})
    return apply(edit, base)


def spelled(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False)


def test_a_replaced_code_cell_loses_its_output() -> None:
    after = notebook()
    after["cells"][1].update(source="y = 2", execution_count=None, outputs=[])
    base = spelled(notebook()) + "\n"
    assert edited(base, cell_id="c1", new_source="y = 2") == Applied(spelled(after))
    assert edited(base, cell_id="cell-1", new_source="y = 2") == Applied(spelled(after))
    assert edited(base, cell_number=1, new_source="y = 2") == Applied(spelled(after))


def test_a_cell_may_change_its_type() -> None:
    after = notebook()
    after["cells"][0].update(source="z", cell_type="code")
    found = edited(spelled(notebook()), cell_id="m1", new_source="z", cell_type="code")
    assert found == Applied(spelled(after))


def test_a_cell_may_be_deleted() -> None:
    after = notebook()
    del after["cells"][0]
    assert edited(spelled(notebook()), cell_id="m1", edit_mode="delete") == Applied(spelled(after))


@pytest.mark.parametrize(("cell", "place"), [(None, 0), ("m1", 1), ("c1", 2)])
def test_a_cell_is_inserted_behind_another_or_first(cell: str | None, place: int) -> None:
    after = notebook()
    after["cells"].insert(
        place,
        {
            "cell_type": "code",
            "source": "n",
            "metadata": {},
            "execution_count": None,
            "outputs": [],
        },
    )
    arguments = {"new_source": "n", "cell_type": "code", "edit_mode": "insert"}
    assert edited(spelled(notebook()), cell_id=cell, **arguments) == Applied(spelled(after))


def test_an_inserted_cell_with_a_random_id_is_refused() -> None:
    arguments = {"cell_id": "m1", "new_source": "n", "cell_type": "code", "edit_mode": "insert"}
    found = edited(spelled(notebook(minor=5)), **arguments)
    assert isinstance(found, Refused)
    assert "at random" in found.reason


def test_numbers_are_spelled_as_javascript_does() -> None:
    base = spelled(notebook()).replace('"execution_count": 3', '"execution_count": 3.0')
    found = edited(base, cell_id="m1", new_source="x")
    assert isinstance(found, Applied)
    assert '"execution_count": 3,' in str(found.text)


def test_crlf_is_kept() -> None:
    base = spelled(notebook()).replace("\n", "\r\n")
    found = edited(base, cell_id="m1", new_source="a\nb")
    assert isinstance(found, Applied)
    assert str(found.text).count("\n") == str(found.text).count("\r\n") > 10


@pytest.mark.parametrize(
    ("base", "arguments", "reason"),
    [
        ("{", {"cell_id": "m1", "new_source": ""}, "is not JSON"),
        ("[" * 100_000, {"cell_id": "m1", "new_source": ""}, "is not JSON"),
        ('{"cells": [NaN]}', {"cell_id": "m1", "new_source": ""}, "is not JSON"),
        ("{}", {"cell_id": "m1", "new_source": ""}, "no list of cells"),
        ("[]", {"cell_id": "m1", "new_source": ""}, "no list of cells"),
        ('{"cells": [1]}', {"cell_id": "m1", "new_source": ""}, "no list of cells"),
        (spelled(notebook()), {"cell_id": "q", "new_source": ""}, "no cell 'q'"),
        (spelled(notebook()), {"cell_id": "cell-7", "new_source": ""}, "no cell 'cell-7'"),
        (spelled(notebook()), {"new_source": ""}, "does not say which cell"),
        (spelled(notebook(x=1e-7)), {"cell_id": "m1", "new_source": ""}, "spell differently"),
        (spelled(notebook(x=2**60)), {"cell_id": "m1", "new_source": ""}, "spell differently"),
        (
            spelled(notebook(x={"7": 1})),
            {"cell_id": "m1", "new_source": ""},
            "keys that are numbers",
        ),
    ],
)
def test_what_cannot_be_edited_is_refused(
    base: str, arguments: dict[str, Any], reason: str
) -> None:
    found = edited(base, **arguments)
    assert isinstance(found, Refused)
    assert reason in found.reason
