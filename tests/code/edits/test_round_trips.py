"""Whatever the texts: an edit made in any form gives exactly the text after, or is refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.code.edits import Applied, Edit, Refused, apply, find_edits, from_tool_call
from tests.code.edits.making import MAKERS, PATH, Call, Sent

WORDS = [
    "a = 1", "b = 2", "def f():", "    return 1", "", "", "}", "```", "~~~", "=======", "x" * 40,
    "--- a/x", "+++ b/x", "@@ -1 +1 @@", "*** End Patch", "<<<<<<< SEARCH", ">>>>>>> REPLACE",
    "</content>", "-- sql", "- item", "é\u2028ü", "\ttab", "tail  ", "\x0c", "\ufeffmark", "@@",
    "<path>", "...", "# src/other.py", " ", "+", "-", "\\ No newline at end of file",
]  # fmt: skip

lines = st.lists(st.sampled_from(WORDS), max_size=12)


@st.composite
def texts(draw: st.DrawFn) -> tuple[str | None, str]:
    before = draw(lines)
    after = list(before)
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(after)))
        after[at : at + draw(st.integers(0, 2))] = draw(
            st.lists(st.sampled_from(WORDS), max_size=2)
        )
    end = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    ends = draw(st.sampled_from([(end, end), (end, end), ("", end), (end, ""), ("", "")]))
    made = [
        end.join(side) + last if side else ""
        for side, last in zip((before, after), ends, strict=True)
    ]
    return (None if draw(st.integers(0, 9)) == 0 else made[0]), made[1]


def edits_of(sent: Sent) -> tuple[Edit, ...]:
    if isinstance(sent, Call):
        return from_tool_call(sent.name, sent.arguments)
    return find_edits(sent)


def outcome(sent: Sent, base: str | None) -> str | Refused:
    """Apply all edits one behind the other."""
    edits = edits_of(sent)
    assert edits != ()
    text = base
    for edit in edits:
        done = apply(edit, text)
        if isinstance(done, Refused):
            assert done.reason != ""
            return done
        text = done.text
    assert text is not None
    return text


@pytest.mark.parametrize("form", MAKERS)
@given(pair=texts())
@settings(max_examples=200, deadline=None)
def test_an_edit_gives_the_text_after_or_is_refused(
    form: str, pair: tuple[str | None, str]
) -> None:
    before, after = pair
    sent = MAKERS[form](before, after)
    if sent is None:
        return
    found = outcome(sent, before)
    assert isinstance(found, Refused) or found == after


CODE = "import os\n\n\ndef f(x):\n    return x\n\n\ndef g(y):\n    z = y\n    return z\n"
CHANGED = CODE.replace("    z = y\n", "    z = y + 1\n    log(z)\n").replace(
    "import os", "import re"
)


@pytest.mark.parametrize("form", MAKERS)
def test_every_form_says_a_plain_change(form: str) -> None:
    sent = MAKERS[form](CODE, CHANGED)
    assert sent is not None
    assert outcome(sent, CODE) == CHANGED
    assert {edit.path for edit in edits_of(sent)} == {PATH}


@pytest.mark.parametrize(
    "form",
    ["Edit", "MultiEdit", "edit_file (MCP)", "SEARCH/REPLACE (aider)", "replace_in_file (XML)",
     "apply_diff (Roo)", "apply_patch", "unified diff", "unified diff, fenced"],
)  # fmt: skip
def test_a_file_with_crlf_keeps_it(form: str) -> None:
    before, after = CODE.replace("\n", "\r\n"), CHANGED.replace("\n", "\r\n")
    sent = MAKERS[form](before, after)
    assert sent is not None
    assert outcome(sent, before) == after


@pytest.mark.parametrize(
    "form", [name for name in MAKERS if "rite" not in name and "invoke" not in name
             and "tool_call" not in name and "block" not in name]
)  # fmt: skip
def test_a_change_of_another_text_is_refused_and_says_why(form: str) -> None:
    sent = MAKERS[form](CODE, CHANGED)
    assert sent is not None
    other = CODE.replace("z", "q").replace("import os", "import sys")
    found = outcome(sent, other)
    assert isinstance(found, Refused)
    assert isinstance(apply(edits_of(sent)[0], None), Refused)


def test_the_first_part_is_not_applied_when_the_second_cannot_be() -> None:
    call = Call("MultiEdit", {"file_path": PATH, "edits": [
        {"old_string": "import os", "new_string": "import re"},
        {"old_string": "not there", "new_string": "x"},
    ]})  # fmt: skip
    found = apply(edits_of(call)[0], CODE)
    assert isinstance(found, Refused)
    assert found.part == 2
    assert not isinstance(found, Applied)
