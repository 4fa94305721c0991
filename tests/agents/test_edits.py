"""An edit can be put into any file and taken out again, and others' part stays what it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.agents.edits import JsonEdit, TomlEdit, is_hook, is_server, toml_string
from holdfast.kernel.errors import InvalidInput
from tests.agents.setups import HOOK, MCP

OURS = {"type": "command", "command": HOOK[0], "args": list(HOOK[1:])}
EDIT = JsonEdit(
    "x.json",
    hooks={"Stop": {"hooks": [OURS]}, "Start": {"hooks": [OURS]}},
    server={"command": MCP[0], "args": list(MCP[1:])},
    needed={"version": 1},
)

words = st.text(max_size=8)
theirs = st.fixed_dictionaries(
    {"hooks": st.lists(st.fixed_dictionaries({"command": words}), min_size=1, max_size=2)},
    optional={"matcher": words},
)
documents = st.fixed_dictionaries(
    {},
    optional={
        "version": st.integers(),
        "hooks": st.dictionaries(
            st.sampled_from(["Stop", "Start", "Other"]), st.lists(theirs, min_size=1), min_size=1
        ),
        "mcpServers": st.dictionaries(words.filter(lambda name: name != "holdfast"),
                                      st.fixed_dictionaries({"command": words}), min_size=1),
        "more": st.recursive(st.none() | words, st.lists, max_leaves=4),
    },
)  # fmt: skip


@given(documents, st.sampled_from([None, 2, "\t"]))
def test_put_and_take_leave_what_others_wrote(
    document: dict[str, Any], indent: int | str | None
) -> None:
    text = json.dumps(document, indent=indent)
    put = EDIT.put(text)
    assert EDIT.put(put) == put
    found = json.loads(put)
    for event in ("Stop", "Start"):
        assert found["hooks"][event].count({"hooks": [OURS]}) == 1
        assert found["hooks"][event][:-1] == document.get("hooks", {}).get(event, [])
    taken = EDIT.take(put, bare=False)
    assert taken is not None
    left = json.loads(taken)
    if "version" not in document:
        assert left.pop("version") == 1
        assert left == document
    else:
        assert taken == text


@given(st.text(max_size=40))
def test_any_text_is_changed_or_refused(text: str) -> None:
    try:
        put = EDIT.put(text)
    except InvalidInput:
        return
    assert EDIT.put(put) == put


@given(st.text(max_size=40))
def test_any_toml_is_changed_or_refused_and_comes_back(text: str) -> None:
    edit = TomlEdit("x.toml", ("mcp_servers", "holdfast"), f"command = {toml_string(MCP[0])}\n")
    try:
        put = edit.put(text)
    except InvalidInput:
        return
    assert edit.put(put) == put
    assert edit.take(put, bare=False) == text


def test_a_file_that_only_we_wrote_is_nothing_without_our_part() -> None:
    assert EDIT.take(EDIT.put(None)) is None
    assert EDIT.take('{"version": 1}') is None
    assert EDIT.take('{"version": 2}') == '{"version": 2}'


def test_a_part_whose_end_is_gone_is_not_guessed() -> None:
    edit = TomlEdit("x.toml", ("a",), "b = 1\n")
    put = edit.put(None)
    with pytest.raises(InvalidInput, match="ends our part"):
        edit.take(put.replace("# holdfast ends\n", ""))


@pytest.mark.parametrize(
    "handler",
    [None, 1, [], {}, {"command": 1}, {"command": "x", "args": "holdfast/hook_entry.py"},
     {"command": "x", "args": [1]}],
)  # fmt: skip
def test_what_is_not_ours_is_not_taken_for_it(handler: Any) -> None:
    assert is_hook(handler) is False
    assert is_server(handler) is False


@pytest.mark.parametrize(
    "server",
    [
        {"command": MCP[0], "args": list(MCP[1:])},
        {"type": "local", "command": list(MCP)},
        {"command": "python3", "args": ["-m", "holdfast", "mcp", "--x"]},
    ],
)
def test_our_server_is_known_however_it_is_spelled(server: Any) -> None:
    assert is_server(server) is True
