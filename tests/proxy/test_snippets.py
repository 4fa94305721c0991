"""The text of one entity: the others stay, and what it stands in changes with it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from holdfast.code import read_symbols
from tests.proxy.world import PATH, World, rebuilt

FILE = (
    "import os\n\n\n"
    "class C:\n"
    "    def a(self):\n        return 1\n\n"
    "    def b(self):\n        return 2\n\n\n"
    "def f():\n    return os\n"
)
METHOD = "    def a(self):\n        return 10\n"
ALONE = "def a(self):\n    return 10\n"


@pytest.fixture
def world() -> World:
    world = World()
    world.user(FILE)
    return world


def snippet(world: World, text: str, symbol: str, **fields: Any) -> Any:
    """Let a text of one entity cross, named as it is spelled."""
    reading = read_symbols(text, "python")
    last = symbol.rpartition(".")[2]
    if symbol not in {one.qualified for one in reading.symbols}:
        named = tuple(
            replace(one, qualified=symbol + one.qualified.removeprefix(last))
            if one.qualified.partition(".")[0] == last
            else one
            for one in reading.symbols
        )
        reading = replace(reading, symbols=named)
    given: dict[str, Any] = {"form": "block", "symbol": symbol, "reading": reading}
    return world.tell(text, **(given | fields))


@pytest.mark.req("T7")
def test_a_function_alone_is_replaced_and_the_rest_of_the_file_stays(world: World) -> None:
    before = {name: world.entity(name) for name in ("C", "C.a", "C.b")}
    ruling = snippet(world, "def f():\n    return os.name\n", "f")
    assert world.text("f") == "def f():\n    return os.name"
    assert before == {name: world.entity(name) for name in ("C", "C.a", "C.b")}
    assert world.is_file(FILE.replace("return os\n", "return os.name\n"))
    assert ruling.promoted == (f"{PATH}::f",)
    assert world.map.dump() == rebuilt(world)


@pytest.mark.req("T7")
@pytest.mark.parametrize(
    "text", [METHOD, ALONE, "class C:\n" + METHOD], ids=["indented", "alone", "in its class"]
)
def test_a_method_is_replaced_in_its_class_and_its_file(world: World, text: str) -> None:
    snippet(world, text, "C.a")
    wanted = FILE.replace("return 1\n", "return 10\n")
    assert world.text("C.a") == "def a(self):\n        return 10"
    assert "return 10" in (world.text("C") or "")
    assert "return 2" in (world.text("C") or "")
    assert world.is_file(wanted)
    truth = {one.qualified: one.digest for one in read_symbols(wanted, "python").symbols}
    assert truth == {name: world.entity(name).artifact for name in world.map.symbols(PATH)}


@pytest.mark.req("T7", "T8")
def test_a_class_that_loses_a_method_waits_soundly(world: World) -> None:
    text = "class C:\n    def a(self):\n        return 1, 2, 3, 4, 5, 6, 7, 8, 9\n"
    snippet(world, text, "C")
    assert "return 2" in (world.text("C") or "")
    assert [one.sound for one in world.entity("C").proposals] == [True]
    assert world.reasons() == {"it no longer defines C.b"}
    assert world.state("C.b") == "AUTHORITATIVE"


@pytest.mark.req("T7")
def test_a_class_with_more_methods_is_taken(world: World) -> None:
    text = FILE[FILE.index("class") : FILE.index("\n\n\ndef f")] + "\n\n    c = 3\n"
    snippet(world, text.replace("c = 3", "def c(self):\n        return 3"), "C")
    assert world.state("C.c") == "AUTHORITATIVE"
    assert world.state("C.b") == "AUTHORITATIVE"


@pytest.mark.req("T8")
def test_a_snippet_that_collapses_waits_unsoundly(world: World) -> None:
    long = "def f():\n" + "".join(f"    x{n} = {n}\n" for n in range(40))
    world.user(FILE.replace("def f():\n    return os\n", long))
    snippet(world, "def f():\n    return os\n", "f")
    assert [one.sound for one in world.entity("f").proposals] == [False]
    assert "x39" in (world.text("f") or "")


@pytest.mark.lesson("T3")
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("def f():\n    return (os\n", "f has errors"),
        ("def f():\n    x = 1\n    # ... rest unchanged\n", "f is not all written out"),
        ("def f():\n    return 1\n\n\ndef g():\n    return 2\n", "it defines g, too"),
    ],
)
@pytest.mark.parametrize("speaker", ["model", "user"])
def test_a_snippet_that_is_not_just_that_definition_waits(
    world: World, text: str, why: str, speaker: Any
) -> None:
    ruling = snippet(world, text, "f", speaker=speaker)
    assert world.text("f") == "def f():\n    return os"
    assert why in world.reasons()
    assert [one.sound for one in world.entity("f").proposals] == [False]
    assert ruling.notice is (speaker == "user")
    assert world.map.entity(f"{PATH}::g") is None


@pytest.mark.req("T10")
def test_a_snippet_that_defines_something_else_is_not_linked(world: World) -> None:
    before = world.map.dump()
    ruling = snippet(world, "def other():\n    return 1\n", "f")
    assert before == world.map.dump()
    assert ruling.notice


def test_a_snippet_that_was_cut_off_waits(world: World) -> None:
    snippet(world, "def f():\n    return 9\n", "f", complete=False)
    assert world.text("f") == "def f():\n    return os"


@pytest.mark.req("T7")
def test_a_new_function_is_taken_and_the_whole_text_is_no_longer_known(world: World) -> None:
    snippet(world, "def new():\n    return 9\n", "new")
    assert world.state("new") == "AUTHORITATIVE"
    assert world.is_file(None)


def test_a_new_method_waits_as_nobody_knows_where_it_is_to_stand(world: World) -> None:
    snippet(world, "def new(self):\n    return 9\n", "C.new")
    assert world.state("C.new") == "PROPOSED"
    assert world.reasons() == {"where C.new is to stand is not known"}


@pytest.mark.req("T11")
def test_a_new_method_of_the_user_is_true_and_its_class_is_doubted(world: World) -> None:
    snippet(world, "def new(self):\n    return 9\n", "C.new", speaker="user")
    assert world.state("C.new") == "AUTHORITATIVE"
    assert world.entity("C").stale
    assert not world.entity("f").stale
    assert world.is_file(None)


@pytest.mark.req("T11", "T12")
def test_the_user_s_class_wins_and_what_it_omits_is_tombstoned(world: World) -> None:
    snippet(world, "class C:\n    def a(self):\n        return 1\n", "C", speaker="user")
    assert world.state("C.b") == "TOMBSTONED"
    assert world.state("f") == "AUTHORITATIVE"
    assert world.moves()[-1]["reason"] == "the new text of C no longer has it"


def test_a_method_whose_old_text_stands_twice_in_its_class_waits(world: World) -> None:
    twice = "class C:\n    if 1:\n        def a(self): pass\n    else:\n        def a(self): pass\n"
    world.user(twice)
    snippet(world, "def a(self): return 1\n", "C.a")
    assert world.text("C.a") == "def a(self): pass"
    assert "stands in others is not certain" in next(iter(world.reasons()))


GO = "package a\n\ntype C struct{}\n\nfunc (c *C) M() int {\n\treturn 1\n}\n"
RUST = "struct C {}\n\nimpl C {\n    fn m(&self) -> bool {\n        true\n    }\n}\n"


@pytest.mark.parametrize(
    ("path", "text", "symbol", "start", "changed"),
    [("a.go", GO, "C.M", "func", ("1", "9")), ("a.rs", RUST, "C.m", "impl", ("true", "false"))],
)
def test_methods_that_do_not_stand_in_their_type(
    path: str, text: str, symbol: str, start: str, changed: tuple[str, str]
) -> None:
    world = World()
    world.user(text, path)
    new = text.replace(*changed)
    world.tell(new[new.index(start) :], path, form="block", symbol=symbol)
    assert changed[1] in (world.text(symbol, path) or "")
    assert world.is_file(new, path)
    language = world.piece(new, path).language or ""
    truth = {one.qualified: one.digest for one in read_symbols(new, language).symbols}
    assert truth == {name: world.entity(name, path).artifact for name in truth}


def test_a_tool_reads_no_snippets(world: World) -> None:
    before = world.map.dump()
    snippet(world, "def f():\n    return 9\n", "f", speaker="tool")
    assert before == world.map.dump()


def test_a_method_of_a_class_that_nobody_knows_waits(world: World) -> None:
    text = "def a(self):\n    return 1\n"
    ruling = snippet(world, text, "Other.a")
    assert (ruling.promoted, world.state("Other.a")) == ((), "PROPOSED")
    [moved] = [draft.data for draft in ruling.drafts if draft.type == "artifact_moved"]
    assert moved["reason"] == "where Other.a is to stand is not known"


def test_a_function_that_names_its_owner_stands_in_nothing(world: World) -> None:
    text = "res.send = function (body) {\n  return body\n}\n"
    reading = read_symbols(text, "javascript")
    given = {"form": "block", "language": "javascript", "reading": reading}
    ruling = world.tell(text, "lib/res.js", symbol="res.send", **given)
    assert ruling.promoted == ("lib/res.js::res.send",)
