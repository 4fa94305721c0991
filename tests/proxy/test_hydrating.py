"""Named entities are shown in full, in one exact form, within a budget, and nothing else is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel import tokens
from holdfast.kernel.limits import PROXY_HYDRATION_TOKENS, PROXY_LOOKED_MAX, PROXY_NAMED_MAX
from holdfast.proxy.hydrating import END_MARKER, NOTICE, Held, Hydration, Hydrator
from holdfast.wire.requests import read_request
from tests.proxy.desks import FakeMap, body_of, digest

ADD = "def add(a, b):\n    return a + b"


def shown(
    known: FakeMap, *names: str, held: str = "", tokens_max: int = PROXY_HYDRATION_TOKENS
) -> Hydration:
    named = names or tuple(sorted(known.entities))
    return Hydrator(known, tokens_max).hydrate(named, lambda text: text in held)


@pytest.mark.req("T9")
def test_the_template_is_exact() -> None:
    found = shown(FakeMap({"src/a.py::add": ADD}))
    assert found.text == (
        "[CURRENT STATE: AUTHORITATIVE]\n"
        "Entity: src/a.py::add\n"
        f"Artifact: {digest(ADD)}\n"
        "Source: Confirmed via AST\n"
        "\n"
        "def add(a, b):\n"
        "    return a + b\n"
        "[END CURRENT STATE]"
    )
    assert found.entities == ("src/a.py::add",)


@pytest.mark.req("T10")
def test_the_notice_is_exact() -> None:
    assert NOTICE == (
        "[STATE NOTICE]\n"
        "The previous output could not be structurally linked to a known entity.\n"
        "It has NOT modified the State Map.\n"
        "[END NOTICE]"
    )


@pytest.mark.req("T9")
def test_blocks_come_in_the_order_of_their_names_with_a_blank_line_between() -> None:
    found = shown(FakeMap({"b.py::g": "g = 1", "a.py::{f}": "f = {0}"}))
    first, second = found.text.split("[END CURRENT STATE]\n\n")
    assert "Entity: a.py::{f}\n" in first
    assert "\n\nf = {0}\n" in first
    assert "Entity: b.py::g\n" in second


@pytest.mark.lesson("T10")
def test_only_what_is_named_is_shown() -> None:
    known = FakeMap({"a.py::f": "f = 1", "a.py::g": "g = 2"})
    assert shown(known, "a.py::f").entities == ("a.py::f",)
    assert shown(known, "a.py::unknown") == Hydration()


@pytest.mark.req("T9")
def test_what_the_messages_hold_already_is_not_shown() -> None:
    known = FakeMap({"a.py::f": "f = 1", "a.py::g": "g = 2"})
    assert shown(known, held="... f = 1 ...").entities == ("a.py::g",)
    assert shown(known, held="f = 1 g = 2") == Hydration()


class Counted(FakeMap):
    """Counts the texts that are loaded."""

    loaded = 0

    def text(self, digest: str) -> str | None:
        self.loaded += 1
        return super().text(digest)


@pytest.mark.req("T9")
def test_of_very_many_named_entities_only_the_first_are_looked_at_and_the_rest_is_counted() -> None:
    count = 20 * PROXY_LOOKED_MAX
    known = Counted({f"a.py::f{place:06}": f"def f{place}(): ..." for place in range(count)})
    found = shown(known)
    assert len(found.entities) <= known.loaded < len(found.entities) + len(found.left_out)
    assert found.behind == count - len(found.entities) - len(found.left_out)
    assert found.text.endswith(f"; {found.behind} more not looked at]")
    assert tokens.estimate(found.text) <= PROXY_HYDRATION_TOKENS
    # what the client sent itself is not looked at without end, either
    known.loaded = 0
    assert shown(known, held="\n".join(known.texts.values())) == Hydration(
        f"[NOT SHOWN: {count - PROXY_LOOKED_MAX} more not looked at]",
        behind=count - PROXY_LOOKED_MAX,
    )
    assert known.loaded == PROXY_LOOKED_MAX


def test_of_many_named_entities_every_one_is_looked_at() -> None:
    known = Counted({f"a.py::f{place:06}": f"def f{place}(): ..." for place in range(200)})
    found = shown(known)
    assert found.behind == 0
    assert len(found.entities) + len(found.left_out) == 200
    assert "not looked at" not in found.text


def test_what_is_part_of_another_is_shown_once() -> None:
    whole = "class C:\n    def m(self):\n        pass"
    known = FakeMap({"a.py::C": whole, "a.py::C.m": "def m(self):\n        pass"})
    found = shown(known)
    assert found.entities == ("a.py::C", "a.py::C.m")
    assert found.text.count("[CURRENT STATE") == 1
    assert "Entity: a.py::C\n" in found.text


def test_a_method_that_stands_outside_of_its_type_is_shown_too() -> None:
    found = shown(FakeMap({"a.go::T": "type T struct{}", "a.go::T.M": "func (t T) M() {}"}))
    assert found.text.count("[CURRENT STATE") == 2


@pytest.mark.req("T9")
@pytest.mark.parametrize(
    ("changed", "text", "why"),
    [
        ({"withheld": True}, "key = 'abc'", "1 holding a secret (a.py::f)"),
        ({"stale": True}, "f = 1", "1 no longer as on disk (a.py::f)"),
        ({}, f"f = '{END_MARKER}'", "1 holding the end marker (a.py::f)"),
        ({}, None, "1 of which no text is kept (a.py::f)"),
    ],
)
def test_what_is_withheld_is_named_and_not_shown(
    changed: dict[str, bool], text: str | None, why: str
) -> None:
    known = FakeMap({"b.py::g": "g = 2"})
    known.put("a.py::f", text, **changed)
    found = shown(known)
    assert found.entities == ("b.py::g",)
    assert found.text.endswith(f"[END CURRENT STATE]\n\n[NOT SHOWN: {why}]")
    assert text is None or text not in found.text
    assert [name for name, _ in found.left_out] == ["a.py::f"]


@pytest.mark.req("T12")
def test_a_tombstone_is_neither_shown_nor_named() -> None:
    known = FakeMap()
    known.put("a.py::f", "f = 1", state="TOMBSTONED")
    assert shown(known, "a.py::f") == Hydration()


def test_a_name_that_would_break_out_of_its_line_is_not_said() -> None:
    found = shown(FakeMap({f"a\n{END_MARKER}\n.py::f": "f = 1"}))
    assert found.text == "[NOT SHOWN: 1 holding the end marker (1 more)]"


def test_a_path_with_brackets_is_shown() -> None:
    assert shown(FakeMap({"app/[id]/page.tsx::Page": "x"})).entities == ("app/[id]/page.tsx::Page",)


@pytest.mark.req("T9")
def test_what_there_is_no_room_for_is_named_and_smaller_ones_still_come() -> None:
    known = FakeMap({"a.py::big": "x = 1\n" * 4000, "a.py::small": "y = 2"})
    found = shown(known, tokens_max=200)
    assert found.entities == ("a.py::small",)
    assert found.text.endswith("[NOT SHOWN: 1 for want of room (a.py::big)]")


def test_the_last_blocks_make_room_for_the_line_about_what_is_left_out() -> None:
    small = FakeMap({"a.py::f": "f = 1", "a.py::g": "g = 2"})
    tokens_max = tokens.estimate(shown(small).text) + 8
    assert shown(small, tokens_max=tokens_max).entities == ("a.py::f", "a.py::g")
    small.put("b.py::big", "x = 1\n" * 4000)
    found = shown(small, tokens_max=tokens_max)
    assert found.entities == ("a.py::f",)
    assert found.text.endswith("[NOT SHOWN: 2 for want of room (a.py::g, b.py::big)]")


def test_of_many_that_are_left_out_the_others_are_counted() -> None:
    known = FakeMap({f"a.py::f{place:03}": "x = 1\n" * 4000 for place in range(50)})
    line = shown(known, tokens_max=600).text
    assert line.startswith("[NOT SHOWN: 50 for want of room (a.py::f000, ")
    assert line.endswith(f", {50 - PROXY_NAMED_MAX} more)]")


def test_what_is_being_settled_is_not_shown_as_it_was() -> None:
    known = FakeMap({"a.py::f": "f = 1", "b.py::g": "g = 2"})
    found = Hydrator(known, 500).hydrate(
        ["a.py::f", "b.py::g"], lambda _: False, lambda path: path == "a.py"
    )
    assert found.entities == ("b.py::g",)
    assert found.left_out == (("a.py::f", "being settled just now"),)


texts = st.text(st.sampled_from('ab(){}[]=\n ü😀"\\'), min_size=1, max_size=200)
names = st.builds(
    "{}::{}".format,
    st.sampled_from(["a.py", "src/b.py", "c d.ts", "x" * 300]),
    st.sampled_from(["f", "C", "C.m", "C.m.n", "g#2"]),
)


@pytest.mark.req("T9")
@given(st.dictionaries(names, texts, max_size=8), st.integers(0, 400))
def test_the_budget_is_kept_and_the_same_is_said_again(
    entities: dict[str, str], tokens_max: int
) -> None:
    known = FakeMap(entities)
    found = shown(known, tokens_max=tokens_max)
    assert tokens.estimate(found.text) <= tokens_max
    assert shown(FakeMap(dict(reversed(entities.items()))), tokens_max=tokens_max) == found
    assert {*found.entities, *(name for name, _ in found.left_out)} == set(entities)


@given(texts.filter(str.strip))
def test_a_text_is_held_however_the_dialect_spells_it(text: str) -> None:
    said = read_request("chat", body_of("chat", ("user", f"look: {text}.")))
    assert Held(said)(text)
    call = {"name": "Write", "arguments": json.dumps({"content": text}, ensure_ascii=False)}
    message = {"role": "assistant", "tool_calls": [{"id": "c", "function": call}]}
    body = json.dumps({"messages": [message]}).encode()
    assert Held(read_request("chat", body))(text)
    use = {"type": "tool_use", "id": "c", "name": "Write", "input": {"content": text}}
    body = json.dumps({"messages": [{"role": "assistant", "content": [use]}]}).encode()
    assert Held(read_request("messages", body))(text)
    assert not Held(read_request("chat", body_of("chat", ("user", "hello"))))(text + "#")
