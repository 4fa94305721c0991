"""Notes are read in each of the forms that people and tools write them in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.limits import NOTES_DROPPED_MAX
from holdfast.views.notes import Active, Noted, Quote, Read, State, parse, read, update

PRD = """\
## Session Continuity
<!-- Load FIRST after /clear -->

### Active Context
- **Current Bead**: bd-11 (read the feed)
- **Last Checkpoint**: 2026-01-15T14:30:00Z
- **Reasoning State**: parser done, cache next

### Lightweight Identifiers
| Identifier | Purpose | Last Verified |
|------------|---------|---------------|
| ${PROJECT_ROOT}/src/feed.py:45-67 | Parsing | 14:25:00Z |

### Decision Log
#### 2026-01-15T14:30:00Z - Cache by day
**Decision**: One file for each day
**Rationale**: Days are what is asked for
**Evidence**: `def day(self)` [${PROJECT_ROOT}/src/feed.py:12]
**Test Scenarios**: 1) happy 2) edge 3) error
"""

CLI_PROMPT = PRD.replace("${PROJECT_ROOT}", "/abs/path")

TEMPLATE = """\
# Agent notes

## Current Focus

- **Active Task**: [Task ID] - [Description]
- **Status**: Not Started

## Decision Log

<!-- when something is decided -->

| Date | Decision | Rationale | Decided By |
|------|----------|-----------|------------|
| YYYY-MM-DD | [Placeholder decision] | [Why] | [Who] |
| 2026-01-15 | One file for each day | Days are what is asked for | user |

## Learnings

- nothing yet
{filler}
## Session Continuity

<!-- CRITICAL: load this section FIRST after /clear -->

### Active Context

- **Current Bead**: bd-11 (read the feed)
- **Last Checkpoint**: 2026-01-15T14:30:00Z
- **Reasoning State**: parser done, cache next

### Lightweight Identifiers

<!-- Absolute paths only -->

| Identifier | Purpose | Last Verified |
|------------|---------|---------------|
| ${{PROJECT_ROOT}}/[path/to/file.ext:lines] | [Purpose] | HH:MM:SSZ |
| ${{PROJECT_ROOT}}/src/feed.py:45-67 | Parsing | 14:25:00Z |

### Pending Questions

- [ ] which zone?

<!-- ====
     Session Continuity:
       - Active Context: current task
## Decision Log
     ==== -->
""".format(filler="- a line\n" * 60)

OLDER = """\
# Working memory

## Session Continuity
<!-- Key context -->
| Timestamp | Agent | Summary |
|-----------|-------|---------|
| 2026-01-14 10:30 | planning | plan made |
| 2026-01-15T14:30:00Z | building | parser done, cache next |

## Decision Log
<!-- Major decisions -->

### 2026-01-15: Cache by day
**Decision**: One file for each day
**Rationale**: Days are what is asked for
**Outcome**: works
"""

BOLD = """\
# Notes

## Decision Log

**Decision: One file for each day**
- **Rationale**: Days are what is asked for
- **Source**: `def day(self)` [${PROJECT_ROOT}/src/feed.py:12]

**Decision: Never cache errors**
- **Rationale**: They pass
"""

DATED = """\
# Notes

## Decision Log — 2026-01-15 (second week)

### One file for each day
- **Scope**: the cache
- **Why**: Days are what is asked for

## Session Continuity — 2026-01-13 (first week)

### Current state
- things
"""

DECISIONS = """\
# Notes

Decisions
---------

| Decision | Date | Rationale |
|---|---|---|
| One file for each day | 2026-01-15 | Days are what is asked for |
"""


def reading(text: str) -> Read:
    return read(parse(text))


@pytest.mark.req("L13")
@pytest.mark.lesson("L8")
@pytest.mark.parametrize("text", [PRD, CLI_PROMPT, TEMPLATE], ids=["prd", "cli", "template"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_where_the_work_stands_is_read_wherever_the_section_is(text: str, end: str) -> None:
    said = reading(text.replace("\n", end))
    assert said.section == text.split("\n").index("## Session Continuity") + 1
    assert (said.bead, said.checkpoint) == ("bd-11 (read the feed)", "2026-01-15T14:30:00Z")
    assert said.reasoning == "parser done, cache next"
    [place] = said.identifiers
    assert (place.first, place.last, place.purpose) == (45, 67, "Parsing")
    assert place.path in ("src/feed.py", "/abs/path/src/feed.py")
    assert said.dropped == []


@pytest.mark.lesson("L8")
@pytest.mark.parametrize(
    ("text", "when"),
    [
        (PRD, "2026-01-15T14:30:00Z"),
        (CLI_PROMPT, "2026-01-15T14:30:00Z"),
        (TEMPLATE, "2026-01-15"),
        (OLDER, "2026-01-15"),
        (BOLD, None),
        (DATED, "2026-01-15"),
        (DECISIONS, "2026-01-15"),
    ],
    ids=["prd", "cli", "template", "older", "bold", "dated", "decisions"],
)
def test_decisions_are_read_in_every_form(text: str, when: str | None) -> None:
    said = reading(text)
    first = said.decisions[0]
    assert first.decision == "One file for each day"
    assert (first.timestamp, first.rationale) == (when, "Days are what is asked for")
    assert len(said.decisions) == (2 if text == BOLD else 1)
    assert said.dropped == []


def test_evidence_and_scenarios_are_read_on_their_line_or_below_it() -> None:
    below = PRD.replace("**Evidence**: ", "**Evidence**:\n- ").replace(
        "1) happy 2) edge 3) error", "\n1. happy\n2. edge\n3. error"
    )
    [one] = reading(PRD).decisions
    [other] = reading(below).decisions
    assert one.evidence == "`def day(self)` [${PROJECT_ROOT}/src/feed.py:12]"
    assert other.evidence == f"- {one.evidence}"
    assert other.scenarios == "1. happy\n2. edge\n3. error"
    assert (one.line, one.last) == (15, 19)


@pytest.mark.lesson("L8")
def test_the_table_of_older_notes_says_where_the_work_was_left() -> None:
    said = reading(OLDER)
    assert (said.section, said.bead) == (3, None)
    assert (said.checkpoint, said.reasoning) == ("2026-01-15T14:30:00Z", "parser done, cache next")


def test_the_active_context_counts_more_than_older_ways_to_say_it() -> None:
    focus = "## Current Focus\n- **Active Task**: T-1\n- **Next Action**: rest\n\n"
    table = OLDER.replace("## Session Continuity", "## Session Continuity — 2025-12-01")
    said = reading(focus + PRD + table)
    assert (said.bead, said.reasoning) == ("bd-11 (read the feed)", "parser done, cache next")
    alone = reading(focus)
    assert (alone.section, alone.bead, alone.reasoning) == (None, "T-1", "rest")


def test_nothing_recorded_yet_is_no_value() -> None:
    said = reading(update(parse(""), State(0)).text)
    assert (said.section, said.bead, said.checkpoint, said.reasoning) == (1, None, None, None)


def test_notes_without_the_section_say_so() -> None:
    assert reading(BOLD).section is None
    assert reading(DATED).section == 9


@pytest.mark.parametrize("placeholder", ["[bead-id] ([task description])", "", "[what is next]"])
def test_a_placeholder_is_no_value(placeholder: str) -> None:
    assert reading(PRD.replace("bd-11 (read the feed)", placeholder)).bead is None


@pytest.mark.req("L13")
def test_a_malformed_line_is_left_out_named_and_kept() -> None:
    text = (
        PRD.replace("- **Reasoning State**:", "no field at all\n- **Reasoning State**:")
        .replace(
            "| ${PROJECT_ROOT}/src",
            "| only | two |\n| src/relative.py:3 | x | y |\n| ${PROJECT_ROOT}/src",
        )
        .replace("#### 2026", "#### not a decision\n\n#### 2026")
    )
    document = parse(text)
    said = read(document)
    assert said.reasoning == "parser done, cache next"
    assert len(said.identifiers) == len(said.decisions) == 1
    lines = text.split("\n")
    assert [lines[one.line - 1] == one.text for one in said.dropped] == [True] * 4
    assert [one.why for one in said.dropped] == [
        "is no field of the form `- **Name**: value`",
        "has 2 cells where the table has 3",
        "names no `${PROJECT_ROOT}/path:line`",
        "is no decision: it has neither a time nor a field",
    ]
    updated = update(document, State(1)).text
    assert all(one.text in updated.split("\n") for one in said.dropped)


def test_of_very_many_malformed_lines_some_are_named_and_the_rest_counted() -> None:
    said = reading(PRD.replace("- **Last", "bad\n" * (NOTES_DROPPED_MAX + 7) + "- **Last"))
    assert len(said.dropped) == NOTES_DROPPED_MAX
    assert said.dropped_more == 7


def test_what_is_written_is_read_again() -> None:
    quotes = (Quote("x = `1`", "a.py", 3), Quote("y", "b.py", 4, 5, "changed"))
    one = Noted("i", 7, "2026-01-15T14:30:00Z", "T", "D", "R", quotes, ("happy", "edge", "error"))
    state = State(9, Active("hf-1", "do", "2026-01-15T14:30:00Z", "here"), (), (one,), older=3)
    said = reading(update(parse("# Mine\n"), state).text)
    assert (said.bead, said.reasoning) == ("hf-1 (do)", "here")
    [found] = said.decisions
    assert (found.title, found.decision, found.rationale) == ("T", "D", "R")
    assert found.scenarios == "1) happy 2) edge 3) error"
    assert found.evidence is not None
    assert "`` x = `1` `` [${PROJECT_ROOT}/a.py:3]" in found.evidence
    assert said.dropped == []


@given(st.text())
def test_no_text_is_refused(text: str) -> None:
    reading(text)
    reading(PRD + text)


def test_a_fence_hides_what_it_holds() -> None:
    assert reading(f"# Notes\n\n```md\n{PRD}```\n").section is None
    assert reading(f"# Notes\n\n```md\nnever closed\n\n{PRD}").bead == "bd-11 (read the feed)"
