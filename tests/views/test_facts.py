"""Facts are read off entries: what changed, what ran, what was said."""

from __future__ import annotations

import pytest

from holdfast.views.facts import Command, gather, results_of
from tests.views.material import chained, of


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("x\n===== 2 failed, 30 passed in 0.41s =====\n", "2 failed, 30 passed"),
        ("test result: ok. 5 passed; 0 failed", "test result: ok. 5 passed; 0 failed"),
        (
            "Tests:       1 failed, 5 passed, 6 total\nTime: 1 s",
            "Tests: 1 failed, 5 passed, 6 total",
        ),
        ("  12 passing (34ms)\n", "12 passing (34ms)"),
        ("Ran 5 tests in 0.001s\n\nFAILED (failures=1)", "FAILED (failures=1)"),
        ("Ran 5 tests in 0.001s\n\nOK", "Ran 5 tests"),
        ("all is well", None),
        ("", None),
        (None, None),
        ({"$artifact": "ab", "bytes": 1, "form": "text"}, None),
    ],
)
def test_the_line_in_which_a_test_run_sums_itself_up_is_found(
    output: object, expected: str | None
) -> None:
    assert results_of(output) == expected


def test_files_are_newest_first_and_named_once() -> None:
    changes = [("a", "create"), ("b", "modify"), ("a", "modify"), ("c", "delete")]
    facts = gather(chained([of("file_change", path=p, action=a) for p, a in changes]))
    assert facts.files == (("c", "delete"), ("a", "modify"), ("b", "modify"))
    assert (facts.created, facts.modified) == (("a",), ("c", "b"))


def test_commands_are_kept_word_for_word_with_their_exit_codes() -> None:
    line = "awk '{print  $1}' \\\n  log | sort -u"
    facts = gather(chained([of("command_ran", command=line, exit_code=-9)]))
    assert facts.commands == (Command(line, -9, 0),)
    assert facts.failing == facts.commands[0]


def test_work_that_is_closed_is_not_open() -> None:
    steps = [
        of("work_opened", work="a", title="one"),
        of("work_opened", work="b", title="two\nlines"),
        of("work_closed", work="a"),
    ]
    assert gather(chained(steps)).open_work == ("two lines",)
    assert gather(chained(steps), open_work=[]).open_work == ()


def test_open_work_outlives_a_checkpoint() -> None:
    steps = [of("work_opened", work="a", title="one"), of("checkpoint")]
    assert gather(chained(steps)).open_work == ("one",)


@pytest.mark.parametrize(
    "kept", [None, "make", [1, {"command": 1}, {"command": "x", "exit_code": "1"}], {"a": 1}]
)
def test_fields_of_a_checkpoint_that_another_program_wrote_are_no_facts(kept: object) -> None:
    steps = [of("checkpoint", commands=kept, derived=kept, open_work=kept)]
    assert gather(chained(steps)).failing is None


def test_words_that_cannot_be_shown_do_not_break_the_line() -> None:
    facts = gather(chained([of("prompt_given", text="a\x1b[31m\tb\r\nc\x00")]))
    assert facts.prompt == "a\ufffd[31m b c\ufffd"
    assert gather([], before={"task": "\ud800"}).before is not None


def test_what_stands_in_the_vault_is_named_not_guessed() -> None:
    reference = {"$artifact": "ab" * 32, "bytes": 40_000, "form": "text"}
    facts = gather(chained([of("prompt_given", text=reference)]))
    assert facts.prompt == "(40000 bytes in the vault, abababababab)"


def test_what_the_vault_holds_is_used_when_it_is_given() -> None:
    facts = gather(chained([of("prompt_given")]), resolve=lambda _: {"text": "from the vault"})
    assert facts.prompt == "from the vault"


def test_no_entries_are_no_facts() -> None:
    facts = gather([])
    assert (facts.entries, facts.first, facts.last, facts.session_id) == (0, None, None, None)


def test_what_an_agent_was_given_is_no_work_and_is_not_counted() -> None:
    steps = [of("command_ran", command="make check", exit_code=2), of("prompt_given", text="Go on")]
    told = of("context_given", text="exit 2: make check")

    assert gather(chained([*steps, told, told])) == gather(chained(steps))
    assert gather(chained([told])) == gather([])
