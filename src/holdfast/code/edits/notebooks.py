"""Edit one cell of a notebook as Claude Code's `NotebookEdit` does.

The file is written anew: JSON, one space a level, no newline at the end, numbers as JavaScript
spells them. A cell inserted into a notebook of format 4.5 or newer gets an id that the tool draws
at random, so that edit is refused: nobody can know the file from the call alone.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from holdfast.code.edits.lines import ending, to_crlf, to_lf
from holdfast.code.edits.model import Applied, Cell, Refused
from holdfast.kernel import canonical
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import INTEGER_MAX

_BY_INDEX: Final = re.compile(r"cell-([0-9]{1,9})")
_INTEGER_KEY: Final = re.compile(r"0|[1-9][0-9]*")


class _CannotKeepError(ValueError):
    """What Python would write is not what the tool would."""


def apply(edit: Cell, base: str) -> Applied | Refused:
    """Return the notebook with one cell replaced, inserted or deleted."""
    try:
        notebook = json.loads(
            to_lf(base),
            parse_float=_as_javascript,
            parse_int=_whole,
            parse_constant=_constant,
            object_pairs_hook=_object,
        )
    except _CannotKeepError as reason:
        return Refused(str(reason))
    except (ValueError, RecursionError):
        return Refused("the notebook is not JSON")
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        return Refused("the notebook has no list of cells")
    refused = _change(edit, notebook, cells)
    if refused is not None:
        return refused
    text = json.dumps(notebook, indent=1, ensure_ascii=False)
    return Applied(to_crlf(text) if ending(base) == "\r\n" else text)


def _change(edit: Cell, notebook: dict[str, Any], cells: list[dict[str, Any]]) -> Refused | None:
    index = _index(edit.cell, cells)
    if isinstance(index, Refused):
        return index
    if edit.mode == "insert":
        return _insert(edit, notebook, cells, -1 if index is None else index)
    if index is None:
        return Refused("the call does not say which cell")
    if edit.mode == "delete":
        del cells[index]
        return None
    cell = cells[index]
    cell["source"] = edit.source
    if cell.get("cell_type") == "code":
        cell.update(execution_count=None, outputs=[])
    if edit.cell_type:
        cell["cell_type"] = edit.cell_type
    return None


def _index(cell: str | None, cells: list[dict[str, Any]]) -> int | Refused | None:
    if not cell:
        return None
    for index, one in enumerate(cells):
        if one.get("id") == cell:
            return index
    numbered = _BY_INDEX.fullmatch(cell)
    if numbered and int(numbered[1]) < len(cells):
        return int(numbered[1])
    return Refused(f"the notebook has no cell {cell!r}")


def _insert(
    edit: Cell, notebook: dict[str, Any], cells: list[dict[str, Any]], index: int
) -> Refused | None:
    version = (notebook.get("nbformat"), notebook.get("nbformat_minor"))
    if not all(isinstance(number, int) for number in version) or version >= (4, 5):
        return Refused("the tool gives the new cell an id at random, which the call does not say")
    cell: dict[str, Any] = {"cell_type": "code", "source": edit.source, "metadata": {}}
    if edit.cell_type == "markdown":
        cell["cell_type"] = "markdown"
    else:
        cell.update(execution_count=None, outputs=[])
    cells.insert(index + 1, cell)
    return None


def _as_javascript(spelled: str) -> float | int:
    """Return what Python spells as JavaScript would; most floats, and integral ones as integers."""
    number = float(spelled)
    try:
        there = canonical.encode(number).decode()
    except InvalidInput:
        there = "null"  # what JavaScript makes of 1e999
    if there.lstrip("-").isdecimal():
        return _whole(there)
    if there != repr(number):
        raise _CannotKeepError("the notebook holds a number that tools spell differently")
    return number


def _whole(spelled: str) -> int:
    if len(spelled) > 17 or abs(int(spelled)) > INTEGER_MAX or spelled == "-0":
        raise _CannotKeepError("the notebook holds a number that tools spell differently")
    return int(spelled)


def _constant(_: str) -> None:
    raise ValueError


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if any(_INTEGER_KEY.fullmatch(key) for key, _ in pairs):
        raise _CannotKeepError("the notebook has keys that are numbers, which tools put in order")
    return dict(pairs)
