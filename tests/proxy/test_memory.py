"""What is remembered has a bound, and nothing is before it is accepted."""

from __future__ import annotations

from holdfast.code.edits import Replace, Replacement
from holdfast.kernel.limits import (
    CONVERSATIONS_MAX,
    PROXY_CALLS_MAX,
    PROXY_REMEMBERED_MAX,
    PROXY_SEEN_MAX,
    PROXY_STEP_BYTES_MAX,
    PROXY_STEPPED_MAX,
    PROXY_STEPS_MAX,
)
from holdfast.proxy.memory import Made, Memories, Memory, Step


def test_nothing_is_remembered_before_it_is_accepted() -> None:
    memories = Memories()
    draft = memories.begin()
    draft.of("c").see("digest")
    draft.doubt("a.py", "e1/1")
    assert "a.py" in draft
    assert "a.py" not in memories.begin()
    assert not memories.begin().of("c").saw
    memories.accept(draft.changes)
    assert "a.py" in memories.begin()
    assert "digest" in memories.begin().of("c").saw


def test_what_is_changed_later_does_not_change_what_was_accepted() -> None:
    memories = Memories()
    first = memories.begin()
    first.of("c").see("one")
    memories.accept(first.changes)
    memories.begin().of("c").see("two")
    assert list(memories.begin().of("c").saw) == ["one"]


def test_a_doubt_can_be_taken_back() -> None:
    memories = Memories()
    draft = memories.begin()
    draft.doubt("a.py", "e1/1", frozenset({"f"}))
    memories.accept(draft.changes)
    draft = memories.begin()
    assert (list(draft), len(draft)) == (["a.py"], 1)
    draft.trust("a.py", "e1/2")
    draft.trust_symbols("a.py", frozenset({"g"}))
    assert draft["a.py"] == {"f"}
    draft.trust("a.py", "e1/1")
    assert "a.py" not in draft
    memories.accept(draft.changes)
    assert len(memories.begin()) == 0


def test_the_newest_are_kept() -> None:
    memory = Memory()
    for number in range(PROXY_SEEN_MAX + 2):
        memory.see(f"{number}")
    for number in range(PROXY_CALLS_MAX + 2):
        memory.await_result(f"{number}", Made())
    assert (len(memory.saw), next(iter(memory.saw))) == (PROXY_SEEN_MAX, "2")
    assert (len(memory.pending), next(iter(memory.pending))) == (PROXY_CALLS_MAX, "2")
    memories = Memories()
    for number in range(CONVERSATIONS_MAX + 2):
        draft = memories.begin()
        draft.of(f"{number}").see("x")
        memories.accept(draft.changes)
    assert not memories.begin().of("1").saw
    assert memories.begin().of("2").saw


def test_a_result_that_came_is_waited_for_no_longer() -> None:
    memory = Memory()
    memory.await_result("c1", Made(doubted=(("a.py", "e1/1"),)))
    assert memory.take_result("c1") == Made(doubted=(("a.py", "e1/1"),))
    assert memory.take_result("c1") == Made()
    assert list(memory.answered) == ["c1"]


def test_long_conversations_together_have_a_bound_and_the_newest_are_kept_whole() -> None:
    memories = Memories()
    count = PROXY_REMEMBERED_MAX // PROXY_SEEN_MAX + 20
    for turn in range(2):  # what is seen again weighs as much as once
        for number in range(count):
            draft = memories.begin()
            for place in range(PROXY_SEEN_MAX):
                draft.of(f"{number}").see(f"{turn} {place}")
            memories.accept(draft.changes)
    kept = [len(memories.begin().of(f"{number}").saw) for number in range(count)]
    assert kept == [0] * 20 + [PROXY_SEEN_MAX] * (count - 20)


def test_many_short_conversations_are_all_kept() -> None:
    memories = Memories()
    for number in range(CONVERSATIONS_MAX):
        draft = memories.begin()
        draft.of(f"{number}").see("x")
        memories.accept(draft.changes)
    assert all(memories.begin().of(f"{number}").saw for number in range(CONVERSATIONS_MAX))


def test_changes_of_files_are_remembered_up_to_a_bound() -> None:
    memories = Memories()
    for number in range(PROXY_STEPPED_MAX + 1):
        draft = memories.begin()
        draft.step(f"{number}.py", Step("e/1", None, None))
        memories.accept(draft.changes)
    draft = memories.begin()
    assert (draft.steps("0.py"), len(draft.steps("1.py"))) == ((), 1)
    for number in range(PROXY_STEPS_MAX + 1):
        draft.step("a.py", Step(f"e/{number}", None, None))
    assert [len(draft.steps("a.py")), draft.steps("a.py")[0].version] == [PROXY_STEPS_MAX, "e/1"]
    large = Replace(path="a.py", replacements=(Replacement("x", "y" * PROXY_STEP_BYTES_MAX),))
    draft.step("a.py", Step("e/large", None, None, large))
    assert draft.steps("a.py")[-1].edit is None


def test_doubts_that_are_forgotten_leave_all_of_the_file_in_doubt() -> None:
    draft = Memories().begin()
    for number in range(PROXY_STEPS_MAX):
        draft.doubt("a.py", f"e/{number}", frozenset({f"f{number}"}))
    assert len(draft["a.py"]) == PROXY_STEPS_MAX
    draft.doubt("a.py", "e/last", frozenset({"g"}))
    assert draft["a.py"] == frozenset()
    draft.trust("a.py")
    assert "a.py" not in draft
