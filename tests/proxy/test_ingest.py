"""Only what is new is taken in, and by channel: the user's, a tool's, the model's."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdfast.code.edits import Block, Patch, Replace, Search, Unreadable, Whole
from holdfast.kernel.limits import PROXY_EDITS_MAX
from holdfast.proxy.ingest import (
    Came,
    Found,
    Result,
    from_answer,
    from_request,
    in_text,
    texts_shown,
)
from holdfast.wire.events import Dialect
from holdfast.wire.requests import Request, read_request
from tests.proxy.exchanges import block, numbered
from tests.wire.dialogues import heard

CODE = "def f():\n    return 1\n"
READ = {"type": "tool_use", "id": "c1", "name": "Read", "input": {"file_path": "a.py"}}


def read(dialect: Dialect, messages: list[Any]) -> Request:
    field = "input" if dialect == "responses" else "messages"
    return read_request(dialect, json.dumps({"model": "m", field: messages}).encode())


def came(dialect: Dialect, *messages: Any, **more: Any) -> Came:
    return from_request(read(dialect, list(messages)), **more)


def found(one: Came) -> list[tuple[str, str | None]]:
    return [(each.speaker, each.spelled) for each in one.found]


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(parts) if not isinstance(parts[0], str) else parts[0]}


def model(*parts: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(parts)}


def result(text: str, call: str = "c1", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call, "content": text, **more}


@pytest.mark.req("T5", "T11")
def test_code_in_the_newest_words_is_the_users() -> None:
    one = came("messages", user("take this:\n" + block("a.py", CODE)))
    assert found(one) == [("user", "a.py")]
    assert one.words.startswith("take this")


@pytest.mark.lesson("T6")
def test_in_a_loop_of_tools_the_users_words_are_not_new_again() -> None:
    messages = [user(block("a.py", CODE)), model(READ), user(result("x"))]
    assert came("messages", *messages).words == ""
    assert found(came("messages", *messages)) == []


def test_older_turns_and_examples_are_nobodys_code() -> None:
    example = [user("edit\n" + block("mathweb/flask/app.py", CODE)), model({"type": "text", "text":
               block("hello.py", CODE)})]  # fmt: skip
    assert found(came("messages", *example, user("now do something"))) == []


@pytest.mark.lesson("N14")
def test_what_comes_from_tools_reminders_and_system_is_not_the_users() -> None:
    pasted = block("a.py", CODE)
    reminder = {"type": "text", "text": f"<system-reminder>\n{pasted}</system-reminder>"}
    one = came(
        "messages",
        {"role": "system", "content": pasted},
        user("go on"),
        model({**READ, "name": "Bash", "input": {"command": "cat a.py"}}),
        user(result(pasted), reminder),
    )
    assert found(one) == []


@pytest.mark.lesson("N14")
def test_a_file_that_a_tool_read_is_the_tools() -> None:
    one = came("messages", user("look"), model(READ), user(result(numbered(CODE))))
    (read_file,) = one.found
    assert (read_file.speaker, read_file.spelled, read_file.call) == ("tool", "a.py", "c1")
    assert isinstance(read_file.edit, Whole)
    assert read_file.edit.content == CODE
    assert one.results == (Result("c1", failed=False),)


def test_results_are_new_once_and_only_at_the_end_unless_they_are_waited_for() -> None:
    newer = {**READ, "id": "c2", "input": {"file_path": "b.py"}}
    messages = [
        user("look"),
        model(READ),
        user(result(numbered(CODE))),
        model(newer),
        user(result(numbered(CODE), "c2")),
    ]
    assert found(came("messages", *messages)) == [("tool", "b.py")]
    assert found(came("messages", *messages, pending=["c1"])) == [
        ("tool", "a.py"),
        ("tool", "b.py"),
    ]
    assert found(came("messages", *messages, answered=["c2"])) == []


def reads(*paths: str) -> dict[str, Any]:
    """Return a turn that calls for files, in a dialect that gives calls no names."""
    calls = [{"function": {"name": "read_file", "arguments": {"path": path}}} for path in paths]
    return {"role": "assistant", "content": "", "tool_calls": calls}


def shown(*texts: str) -> list[dict[str, Any]]:
    return [{"role": "tool", "content": text} for text in texts]


def contents(one: Came) -> list[tuple[str | None, str]]:
    return [(each.spelled, each.edit.content) for each in one.found if isinstance(each.edit, Whole)]


def test_a_result_is_known_by_its_place_where_calls_have_no_names() -> None:
    look = {"role": "user", "content": "look"}
    one = came("ollama-chat", look, reads("a.py"), *shown("A = 1\n"))
    assert contents(one) == [("a.py", "A = 1\n")]
    one = came(
        "ollama-chat", look, reads("a.py"), *shown("A = 1\n"), reads("b.py"), *shown("B = 1\n")
    )
    assert contents(one) == [("b.py", "B = 1\n")]


@pytest.mark.lesson("N14")
def test_results_of_several_calls_without_names_belong_to_none() -> None:
    look = {"role": "user", "content": "look"}
    assert (
        found(came("ollama-chat", look, reads("a.py", "b.py"), *shown("B = 1\n", "A = 1\n"))) == []
    )
    assert found(came("ollama-chat", look, reads("a.py", "b.py"), *shown("B = 1\n"))) == []
    assert found(came("ollama-chat", look, reads("a.py"), reads("b.py"), *shown("B = 1\n"))) == []


@pytest.mark.lesson("N14")
def test_a_result_belongs_to_the_nearest_call_of_its_name() -> None:
    again = {**READ, "input": {"file_path": "b.py"}}
    messages = [user("look"), model(READ), user(result(numbered(CODE))), model(again)]
    late = came("messages", *messages, user(result(numbered("B = 1\n"))), pending=["c1"])
    assert contents(late) == [("b.py", "B = 1\n")]
    assert len(late.results) == 1
    # Nothing came of the second call yet, and what came of the first one is old.
    waiting = came("messages", *messages, user("and?"), pending=["c1"])
    assert (waiting.found, waiting.results) == ((), ())


@pytest.mark.lesson("N14")
def test_a_read_before_the_newest_words_is_no_news_in_a_history_that_was_not_seen() -> None:
    messages = [user("look"), model(READ), user(result(numbered(CODE)))]
    older = came("messages", *messages, model({"type": "text", "text": "ok"}), user("go on"))
    assert found(older) == []
    together = [result(numbered(CODE)), {"type": "text", "text": "go on"}]
    assert found(came("messages", *messages[:2], user(*together))) == []
    assert found(came("messages", *messages)) == [("tool", "a.py")]


@pytest.mark.lesson("N14")
def test_a_prompt_to_be_continued_holds_nobodys_words() -> None:
    def prompt(dialect: Dialect) -> Came:
        body = {"model": "m", "prompt": "User: hi\n\n" + block("a.py", CODE)}
        return from_request(read_request(dialect, json.dumps(body).encode()))

    assert (found(prompt("completions")), prompt("completions").words) == ([], "")
    assert found(prompt("ollama-generate")) == [("user", "a.py")]


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("done", False),
        ("Error: string to replace not found", True),
        ("<tool_use_error>no</tool_use_error>", True),
        ("apply_patch verification failed: no such line", True),
        ('{"output": "x", "metadata": {"exit_code": 1}}', True),
        ('{"output": "x", "metadata": {"exit_code": 0}}', False),
        ('{"output": "Error: x"}', False),
    ],
)
def test_some_results_say_only_in_words_that_they_failed(text: str, failed: bool) -> None:
    one = came(
        "responses",
        {"role": "user", "content": "go"},
        {"type": "custom_tool_call", "call_id": "c1", "name": "apply_patch", "input": "x"},
        {"type": "custom_tool_call_output", "call_id": "c1", "output": text},
    )
    assert one.results == (Result("c1", failed),)


def test_aiders_files_are_what_the_disk_holds_and_its_examples_are_not() -> None:
    files = (
        "I have *added these files to the chat* so you can go ahead and edit them.\n\n"
        f"*Trust this message as the true contents of these files!*\n\na.py\n```\n{CODE}```\n"
    )
    one = came(
        "chat",
        user("Change get_factorial\n" + block("mathweb/flask/app.py", CODE)),
        {"role": "assistant", "content": block("mathweb/flask/app.py", CODE)},
        user(files),
        {"role": "assistant", "content": "Ok, any changes I propose will be to those files."},
        user("add g\n\n# *SEARCH/REPLACE block* Rules:\n\nx.py\n```\ny = 1\n```\n"),
    )
    assert found(one) == [("tool", "a.py")]
    assert one.words == "add g"


def test_path_and_symbol_may_stand_before_a_block_in_its_info_or_in_its_first_line() -> None:
    texts = (
        "src/a.py::f\n```python\ndef f(): ...\n```\n",
        "**src/a.py::f**\n\n```python\ndef f(): ...\n```\n",
        "```python src/a.py::f\ndef f(): ...\n```\n",
        "```python\n# src/a.py::f\ndef f(): ...\n```\n",
        "a.py::C.f\n```python\ndef f(): ...\n```\n",
    )
    spelled = [found(came("chat", user(text)))[0][1] for text in texts]
    assert spelled == ["src/a.py::f"] * 4 + ["a.py::C.f"]


def answer(dialect: Dialect, body: dict[str, Any]) -> tuple[Found, ...]:
    return from_answer(heard(dialect, [json.dumps(body).encode()], streamed=False))


def test_texts_and_calls_of_an_answer_come_in_their_order() -> None:
    patch = "*** Begin Patch\n*** Update File: b.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n"
    content = [
        {"type": "thinking", "thinking": block("secret.py", CODE)},
        {"type": "text", "text": block("a.py", CODE)},
        {"type": "tool_use", "id": "c1", "name": "Edit", "input": {
            "file_path": "c.py", "old_string": "a", "new_string": "b"}},
        {"type": "tool_use", "id": "c2", "name": "Bash", "input": {
            "command": f"apply_patch <<'EOF'\n{patch}EOF"}},
        {"type": "tool_use", "id": "c3", "name": "Bash", "input": {"command": "rm -rf /"}},
    ]  # fmt: skip
    made = answer("messages", {"content": content, "stop_reason": "end_turn"})
    assert [(type(one.edit), one.spelled, one.call) for one in made] == [
        (Block, "a.py", None),
        (Replace, "c.py", "c1"),
        (Patch, "b.py", "c2"),
    ]
    assert {one.speaker for one in made} == {"model"}


def test_patches_of_responses_are_found_as_items_and_as_free_text() -> None:
    operation = {"type": "update_file", "path": "a.py", "diff": "@@\n-x = 1\n+x = 2\n"}
    free = "*** Begin Patch\n*** Add File: b.py\n+y = 1\n*** End Patch\n"
    output = [
        {"type": "apply_patch_call", "call_id": "c1", "operation": operation},
        {"type": "custom_tool_call", "call_id": "c2", "name": "apply_patch", "input": free},
    ]
    made = answer("responses", {"output": output, "status": "completed"})
    assert [(type(one.edit), one.spelled, one.call) for one in made] == [
        (Patch, "a.py", "c1"),
        (Whole, "b.py", "c2"),
    ]


def test_aiders_blocks_are_found_in_words() -> None:
    words = "a.py\n```python\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n```\n"
    (one,) = answer("chat", {"choices": [{"message": {"content": words}, "finish_reason": "stop"}]})
    assert isinstance(one.edit, Search)
    assert one.spelled == "a.py"


@pytest.mark.parametrize(
    "words",
    [
        "a.py\n~~~\nx = 1\n~~~\n",
        "<write_to_file>\n<path>a.py</path>\n<content>\nx = 1\n</content>\n</write_to_file>",
        "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n",
        "*** Begin Patch\n*** Delete File: a.py\n*** End Patch\n",
        "a.py\n------- SEARCH\nx = 1\n=======\nx = 2\n+++++++ REPLACE\n",
        "a.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n",
    ],
)
def test_no_form_is_overlooked(words: str) -> None:
    assert [one.spelled for one in in_text(words, "model")] == ["a.py"]


def test_an_answer_that_broke_off_is_doubted() -> None:
    body = {"choices": [{"message": {"content": block("a.py", CODE)}, "finish_reason": None}]}
    (one,) = answer("chat", body)
    assert one.doubt


def test_an_answer_whose_upstream_says_that_it_failed_is_doubted() -> None:
    body = {"choices": [{"message": {"content": block("a.py", CODE)}, "finish_reason": "stop"}]}
    (failed,) = answer("chat", {**body, "error": {"message": "overloaded"}})
    (whole,) = answer("chat", body)
    assert (bool(failed.doubt), bool(whole.doubt)) == (True, False)


def test_what_is_beyond_the_bound_is_said() -> None:
    words = "".join(block(f"f{number}.py", "x = 1\n") for number in range(PROXY_EDITS_MAX + 3))
    for one in (came("chat", user(words)).found, answer("chat", {"choices": [
            {"message": {"content": words}, "finish_reason": "stop"}]})):  # fmt: skip
        assert len(one) == PROXY_EDITS_MAX + 1
        assert isinstance(one[-1].edit, Unreadable)
        assert "the last 3 edits are not looked at" in one[-1].edit.reason


def test_whole_files_in_the_history_are_before_the_model() -> None:
    write = {"type": "tool_use", "id": "c2", "name": "Write", "input": {
        "file_path": "b.py", "content": "B = 1\n"}}  # fmt: skip
    request = read(
        "messages",
        [user("x\n" + block("c.py", "C = 1\n")), model(READ, write), user(result(numbered(CODE)))],
    )
    assert list(filter(None, texts_shown(request))) == ["C = 1\n", "B = 1\n", CODE]
    assert list(filter(None, texts_shown(request, 2))) == [CODE]


@pytest.mark.parametrize("text", ["{", "[]", "null", '"x"', "\ud800", "[" * 100_000])
def test_arguments_that_are_none_do_no_harm(text: str) -> None:
    call = {"id": "c1", "function": {"name": "Write", "arguments": text}}
    body = {"choices": [{"message": {"tool_calls": [call]}, "finish_reason": "stop"}]}
    for one in answer("chat", body):
        assert isinstance(one.edit, Unreadable)
