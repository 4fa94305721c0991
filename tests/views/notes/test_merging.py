"""The notes: what a person wrote stays, byte for byte, whatever is written beside it."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.evidence import citations
from holdfast.views.notes import (
    TEMPLATE,
    Active,
    Identifier,
    Noted,
    Quote,
    State,
    blocks_of,
    parse,
    pieces,
    read,
    update,
)

EMPTY = State(0)


def noted(number: int, title: str = "") -> Noted:
    return Noted(
        id=f"id-{number}",
        seq=number,
        timestamp="2026-11-15T07:00:00Z",
        title=title or f"title {number}",
        decision=f"decision {number}",
        rationale=f"because of {number}",
        evidence=(Quote(f"x = {number}", "src/a.py", number),),
        scenarios=("happy", "edge", "error"),
    )


def state(*numbers: int, as_of_seq: int = 9) -> State:
    return State(
        as_of_seq,
        Active("hf-1", "the task", "2026-11-15T07:00:00Z", f"at {as_of_seq}"),
        (Identifier("src/a.py", 4, 9, "retry", "2026-11-15T07:00:00Z"),),
        tuple(noted(number) for number in numbers),
    )


ODD_LINES = [
    *("", " ", "\t", "text", "# One", "## Two", "### Three", "## Session Continuity", "---", "==="),
    *(
        "```",
        "````md",
        "~~~",
        "<!--",
        "-->",
        "<!-- a -->",
        "## Two ##",
        "#no",
        " ## in",
        "    ## no",
    ),
    *("| a | b |", "|---|---|", "<!-- holdfast:begin x -->", "<!-- holdfast:end -->", "a\rb"),
    *("<!-- holdfast:end 47DEQp47DEQp -->", "### Active Context", "<!-- entry 4 -->", "a\u2028b"),
    *("<!-- Load FIRST after /clear -->", "\ufeff# Bom", "#### x", "\x0c", "> q", "Two\n---"),
]
odd_texts = st.builds(
    lambda lines, end, last: end.join(lines) + (end if last else ""),
    st.lists(st.sampled_from(ODD_LINES) | st.text(max_size=8), max_size=30),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
texts = st.text() | odd_texts


def repr_of(text: str) -> str:
    return repr(text[:12])


def persons(text: str) -> list[str]:
    """Return the lines that are a person's."""
    found = [one.text for one in pieces(parse(text)) if one.whose == "person"]
    return [line for one in found for line in one.split("\n")]


@pytest.mark.req("L13")
@given(texts)
def test_taken_apart_and_put_together_it_is_the_same_text(text: str) -> None:
    document = parse(text)
    assert document.text == text
    assert "".join(piece.text for piece in pieces(document)) == text


@pytest.mark.req("L13")
@given(texts)
def test_a_text_of_a_person_is_not_changed_by_what_is_put_into_it(text: str) -> None:
    if blocks_of(parse(text)):
        return
    updated = update(parse(text), state(1, 2)).text
    same = next((at for at, char in enumerate(text) if updated[at] != char), len(text))
    assert updated.endswith(text[same:])
    assert "**Decision**: decision 2" in updated


@given(texts)
def test_the_second_time_nothing_changes(text: str) -> None:
    once = update(parse(text), state(1, 2))
    again = update(parse(once.text), state(1, 2))
    assert once.text == again.text
    assert once.refs == again.refs


@given(texts)
def test_what_was_written_is_found_again(text: str) -> None:
    """Or every refresh would add a block."""
    first = update(parse(text), state(1))
    blocks = len(blocks_of(parse(first.text)))
    assert blocks > 0
    for number in range(3):
        first = update(parse(first.text), state(1, as_of_seq=number))
    assert len(blocks_of(parse(first.text))) <= blocks
    assert first.text.count("- **Current Bead**: hf-1") == 1


@given(texts)
def test_references_name_the_lines_where_things_stand(text: str) -> None:
    updated = update(parse(text), state(3, 1))
    lines = updated.text.split("\n")
    for key, heading in (
        ("active", "### Active Context"),
        ("entry 3", "#### 2026-11-15T07:00:00Z"),
    ):
        first, last = updated.refs[key]
        assert lines[first - 1].startswith(heading)
        assert lines[last - 1].startswith(("- **Reasoning State**", "**Test Scenarios**"))


edits = st.lists(st.tuples(st.integers(0), st.sampled_from(["add", "change", "blank"])), max_size=8)


@pytest.mark.req("L13")
@given(
    odd_texts, edits, st.sampled_from([(1, 2), (2, 3), (3,), ()]), st.sampled_from(["\n", "\r\n"])
)
def test_whatever_a_person_adds_or_changes_survives(
    text: str, edited: list[tuple[int, str]], then: tuple[int, ...], end: str
) -> None:
    lines = update(parse(text), state(1, 2)).text.split("\n")
    wrote = []
    for number, (at, how) in enumerate(edited):
        at %= len(lines)
        if how == "add":
            wrote.append(f"mine {number}.")
            lines.insert(at, wrote[-1])
        elif how == "change" and "mine" not in lines[at]:
            wrote.append(f"mine {number}; instead of {lines[at].strip()}")
            lines[at] = wrote[-1]
        else:
            lines.insert(at, "")
    updated = update(parse(end.join(lines)), state(*then, as_of_seq=99)).text
    for line in wrote:
        assert updated.count(line) == 1, line
    before, after = Counter(persons(end.join(lines))), Counter(persons(updated))
    del before[""], after[""]  # behind the last line end there is none
    assert before <= after
    assert update(parse(updated), state(*then, as_of_seq=99)).text == updated


@pytest.mark.req("L13")
@given(odd_texts, st.sampled_from([(1, 2), (3,), ()]), st.booleans())
def test_nothing_outside_of_the_block_changes(
    text: str, then: tuple[int, ...], inside: bool
) -> None:
    before = update(parse(text), state(1, 2)).text
    if inside:
        before = before.replace("decision 1", "decision 1, say I")
    blocks = blocks_of(parse(before))
    after = update(parse(before), state(*then, as_of_seq=77)).text
    if len(blocks) != 1:
        return
    [block] = blocks
    lines = [line.text + line.end for line in parse(before).lines]
    assert after.startswith("".join(lines[: block.first]))
    assert after.endswith("".join(lines[block.stop :]))


@given(st.randoms(use_true_random=False))
def test_paragraphs_in_the_block_keep_their_order_and_their_blank_lines(
    chance: random.Random,
) -> None:
    text = update(parse(TEMPLATE), state(1, 2)).text
    paragraphs = "first words\n\nsecond words\n\n\n- a list\n"
    heads = [line for line in text.split("\n") if line.startswith(("- **", "**", "| $"))]
    anchor = chance.choice(heads)
    changed = text.replace(anchor + "\n", f"{anchor}\n{paragraphs}", 1)
    updated = update(parse(changed), state(1, 2, 3, as_of_seq=50)).text
    assert paragraphs in updated
    assert "at 50" in updated


def test_a_changed_line_stands_below_the_part_it_was_changed_in() -> None:
    text = update(parse(TEMPLATE), state(2, 1)).text
    mine = text.replace("**Rationale**: because of 2", "**Rationale**: because I say so")
    updated = update(parse(mine), state(3, 2, 1)).text
    decisions = updated.split("#### ")
    assert "because I say so" in decisions[2]
    assert "because of 2" in decisions[2]
    assert updated.count("because I say so") == 1


def test_a_changed_heading_stays_with_its_decision() -> None:
    text = update(parse(TEMPLATE), state(2, 1)).text
    mine = text.replace("- title 2", "- my title")
    updated = update(parse(mine), state(2, 1)).text
    assert "- my title" in updated.split("<!-- entry 2 -->")[1].split("<!-- entry 1 -->")[0]


def test_a_row_that_a_person_adds_stays_in_the_table() -> None:
    text = update(parse(TEMPLATE), state(1)).text
    row = "| ${PROJECT_ROOT}/b.py:1 | mine | 08:00:00Z |\n"
    ours = "| ${PROJECT_ROOT}/src/a.py:4-9 | retry | 2026-11-15T07:00:00Z |\n"
    updated = update(parse(text.replace(ours, row + ours)), state(1)).text
    assert ours + row in updated


@pytest.mark.lesson("N11")
def test_what_stood_below_a_decision_that_is_gone_is_kept_below_the_block() -> None:
    text = update(parse(TEMPLATE), state(2, 1)).text
    mine = text.replace("because of 1\n", "because of 1\nI doubt this.\n")
    updated = update(parse(mine), state(3)).text
    below = updated.split("<!-- holdfast:end ")[1]
    assert "<!-- was below: 2026-11-15T07:00:00Z - title 1 -->\nI doubt this.\n" in below
    assert "because of 1" not in updated


def test_a_line_of_ours_that_was_taken_out_comes_back() -> None:
    text = update(parse(TEMPLATE), state(1)).text
    less = text.replace("**Decision**: decision 1\n", "")
    assert update(parse(less), state(1)).text == text


def test_a_block_that_a_merge_doubled_is_one_again_and_loses_no_line() -> None:
    one = update(parse(TEMPLATE), state(1)).text
    other = update(parse(TEMPLATE), state(2)).text.replace("decision 2\n", "decision 2\nmine\n")
    updated = update(parse(one + other), state(3)).text
    assert updated.count("holdfast:begin") == updated.count("holdfast:end") == 1
    assert "mine\n" in updated
    assert "decision 2" not in updated


def test_marks_in_code_are_words() -> None:
    shown = f"# T\n\n```\n{update(parse('x'), state(1)).text}```\n"
    updated = update(parse(shown), state(2)).text
    assert updated.startswith(shown)
    assert "**Decision**: decision 2" in updated


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("# T\n\nwords\n\n## Mine\n\nx\n", "# T\n\nwords\n\n## Session Continuity\n"),
        ("# T\n\nwords", "# T\n\nwords\n\n## Session Continuity\n"),
        ("", "## Session Continuity\n"),
        (
            "---\na: 1\n## no\n---\n\n# T\n",
            "---\na: 1\n## no\n---\n\n# T\n\n## Session Continuity\n",
        ),
        ("# T\n\n```\n## no\n```\n\n## Yes\n", "# T\n\n```\n## no\n```\n\n## Session Continuity\n"),
        ("# T\n\nMine\n----\n\nx\n", "# T\n\n## Session Continuity\n"),
        ("# T\n\n# Second\n", "# T\n\n## Session Continuity\n"),
    ],
)
def test_a_new_section_goes_in_front_of_the_others(text: str, place: str) -> None:
    assert update(parse(text), EMPTY).text.startswith(place)


@pytest.mark.lesson("L8")
@pytest.mark.parametrize("before", ["", "words\n" * 80 + "\n## Other\n\n"])
def test_the_section_is_found_wherever_it_stands(before: str) -> None:
    text = (
        f"{before}## Session Continuity\n\n<!-- FIRST after /clear -->\n\n### Active Context\nx\n"
    )
    updated = update(parse(text), EMPTY).text
    head = f"{before}## Session Continuity\n\n<!-- FIRST after /clear -->\n<!-- holdfast:begin"
    assert updated.startswith(head)
    assert updated.endswith("-->\n\n### Active Context\nx\n")
    assert updated.count("## Session Continuity") == 1


def test_lines_end_as_those_of_the_file_do() -> None:
    updated = update(parse("# T\r\n\r\nwords"), state(1)).text
    assert "\n" not in updated.replace("\r\n", "")


@pytest.mark.parametrize(
    "nasty",
    [
        "a\nb",
        "## heading",
        "ends --> here",
        "<!-- begins",
        "| bars | in | it |",
        "```",
        "<!-- holdfast:end -->",
        "\x1b[2J\u202e",
        "x" * 100_000,
        "",
    ],
)
def test_no_text_of_the_ledger_makes_structure(nasty: str) -> None:
    fields = {"title": nasty, "decision": nasty, "rationale": nasty, "scenarios": (nasty,)}
    one = Noted(id="i", seq=1, timestamp=nasty, evidence=(Quote(nasty, nasty, 1),), **fields)  # type: ignore[arg-type]
    said = State(
        1,
        Active(nasty, nasty, nasty, nasty),
        (Identifier(nasty, 1, 1, nasty, nasty),),
        (one,),
        assumptions=(one,),
    )
    plain = update(parse(""), state(1))
    updated = update(parse(""), said)
    assert len(blocks_of(parse(updated.text))) == 1
    [block] = blocks_of(parse(updated.text))
    assert len(block.ours) == block.stop - block.first
    levels = [one.level for one in parse(updated.text).headings]
    assert levels == [*(one.level for one in parse(plain.text).headings), 3]
    marks = [line for line in updated.text.split("\n") if "<!--" in line or "-->" in line]
    assert [line for line in marks if not line.startswith(("<!--", "**Evidence**"))] == []
    assert len(updated.text) < 20_000
    assert updated.text.isprintable() or "\x1b" not in updated.text


def test_what_is_cut_is_counted() -> None:
    updated = update(parse(""), State(1, decisions=(noted(1, "t" * 100),), older=1234)).text
    assert f"{'t' * 80}… +20 characters" in updated
    assert "1,234 older decisions hold as well: `holdfast log --type decision`" in updated


def test_a_quote_of_several_lines_is_shown_by_its_first() -> None:
    one = Noted("i", 1, "t", "t", "d", "r", (Quote("def f():\n    return `x`", "a.py", 3, 4),))
    updated = update(parse(""), State(1, decisions=(one,))).text
    assert "`def f():` [${PROJECT_ROOT}/a.py:3] (one of 2 lines)" in updated


quotes = st.text(st.characters(codec="utf-8") | st.sampled_from(" `[]"), min_size=1).filter(
    lambda text: text.isprintable() and text.strip()
)


@pytest.mark.req("L13")
@given(st.lists(quotes, min_size=1, max_size=3), st.sampled_from(["", "\n", "  \n"]))
def test_a_quote_is_read_back_word_for_word(told: list[str], blank: str) -> None:
    evidence = tuple(Quote(blank + text, "src/a b.py", 7) for text in told)
    one = Noted("i", 1, "t", "t", "d", "r", evidence)
    [line] = [
        line
        for line in update(parse(""), State(1, decisions=(one,))).text.split("\n")
        if line.startswith("**Evidence**")
    ]
    expected = [("src/a b.py", 7 + bool(blank), text, None) for text in told]
    assert [(c.path, c.line, c.quote, c.fault) for c in citations.parse(line)] == expected


def test_backticks_in_a_quote_get_a_longer_fence() -> None:
    one = Noted("i", 1, "t", "t", "d", "r", (Quote("a ``b`` `c`", "a.py", 3),))
    assert "``` a ``b`` `c` ``` [" in update(parse(""), State(1, decisions=(one,))).text


def test_assumptions_stand_apart() -> None:
    said = State(1, assumptions=(noted(4),), older_assumptions=2)
    text = update(parse(""), said).text
    assert "No decision holds." in text
    assert "### Assumptions\n- [ASSUMPTION] 2026-11-15T07:00:00Z - decision 4 (entry 4)" in text
    assert "- and 2 older: `holdfast log --type decision`" in text


@pytest.mark.parametrize(
    "text",
    [
        *("```a\n" * 50_000, "<!--\n" * 50_000, f"{'`' * 40}\n" * 50_000, "\n" * 50_000),
        *("<!-- holdfast:begin -->\n" * 20_000, "## Decision Log\n" * 20_000, "#\n" * 50_000),
        *(f"# a{' ' * 500_000}x", f"|a|\n|{'-' * 500_000}x", f"# {'# ' * 200_000}", "[" * 500_000),
        *(f"**Decision:{'** ' * 200_000}x", f"<!--{'-->' * 200_000}x", f"## {'[' * 500_000}"),
    ],
    ids=repr_of,
)
def test_no_text_takes_for_ever(text: str) -> None:
    assert parse(text).text == text
    read(parse(text))
    update(parse(text), state(1))
    whole = update(parse(""), state(1)).text
    inside = whole.replace("### Decision Log\n", f"### Decision Log\n{text}\n")
    update(parse(inside), state(2))
