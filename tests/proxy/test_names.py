"""Entities are found by what a text calls them; ambiguous names are not guessed."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.proxy.names import Names

ENTITIES = [
    "src/a.py::Store.get",
    "src/a.py::Store",
    "src/a.py::load",
    "src/b.py::load",
    "src/b.py::Cache.get",
    "lib/c.ts::render",
]


@pytest.mark.req("T9")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fix src/a.py::Store.get please", ["src/a.py::Store.get"]),
        ("fix `src/a.py::Store.get`.", ["src/a.py::Store.get"]),
        ("what does Store.get do?", ["src/a.py::Store.get"]),
        ("render() is slow", ["lib/c.ts::render"]),
        ("rendering is slow", []),
        ("pre-render it", []),
        ("load it", []),  # two have that name
        ("load in b.py", ["src/b.py::load"]),
        ("load in src/b.py:12-20", ["src/b.py::load"]),
        ("get", []),
        ("Cache.get and load in a.py", ["src/a.py::load", "src/b.py::Cache.get"]),
        ("open lib/c.ts", ["lib/c.ts::render"]),
        ("look at src/a.py", ["src/a.py::Store", "src/a.py::Store.get", "src/a.py::load"]),
        (r"look at .\lib\c.ts", ["lib/c.ts::render"]),
        ("/home/me/project/lib/c.ts", []),
        ("nothing at all", []),
        ("", []),
    ],
)
def test_what_is_named_is_found(text: str, expected: list[str]) -> None:
    assert Names(ENTITIES).find(text) == expected


@pytest.mark.req("T9")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what does the Makefile do", ["Makefile::all"]),
        ("run it", []),  # a plain word is no end of a path
        ("bin/run", ["bin/run::main"]),
        ("fix “render”, — größe and señal.leer…", ["lib/c.ts::render", "é.py::größe"]),
        ("é.py", ["é.py::größe", "é.py::señal.leer2"]),
        ("\ud800 render\x00all", ["Makefile::all", "lib/c.ts::render"]),
        ("https://example.org/lib/c.ts and a::b::c :: ... ./ \\ /", []),
    ],
)
def test_words_of_all_kinds_are_told_apart(text: str, expected: list[str]) -> None:
    known = ["Makefile::all", "bin/run::main", "lib/c.ts::render", "é.py::größe"]
    assert Names([*known, "é.py::señal.leer2"]).find(text) == expected


def test_a_name_that_very_many_have_is_looked_up_by_the_files_that_are_named() -> None:
    names = Names(f"m{place}.py::K.__init__" for place in range(1000))
    assert names.find("__init__") == []
    assert names.find("__init__ of m7.py and m8.py") == ["m7.py::K.__init__", "m8.py::K.__init__"]


def test_names_come_and_go_while_others_look() -> None:
    names, over = Names(ENTITIES), threading.Event()
    found: list[list[str]] = []

    def look() -> None:
        while not over.is_set():
            found.append(names.find("render Store.get load in src/b.py"))

    thread = threading.Thread(target=look)
    thread.start()
    for place in range(2000):
        names.add(f"new/{place}.py::f{place}")
        if place % 2:
            names.remove(f"new/{place}.py::f{place}")
    over.set()
    thread.join()
    expected = ["lib/c.ts::render", "src/a.py::Store.get", "src/b.py::load"]
    assert all(one == expected for one in found)


def test_what_is_removed_is_found_no_longer_and_is_no_longer_in_the_way() -> None:
    names = Names(ENTITIES)
    names.remove("src/a.py::load")
    assert names.find("load it") == ["src/b.py::load"]
    for entity in ENTITIES:
        names.remove(entity)
    assert (len(names), names.find("src/a.py::Store.get load lib/c.ts")) == (0, [])


words = st.text("abAB_./: \n", max_size=12)
entities = st.builds(
    lambda path, symbol: f"{path}::{symbol}",
    st.sampled_from(["a.py", "x/a.py", "x/b.py"]),
    st.sampled_from(["f", "g", "K.f", "K", "L.K.f"]),
)


@given(st.lists(entities, max_size=6), st.lists(entities, max_size=3), words)
def test_adding_and_removing_leave_what_a_new_one_has(
    first: list[str], gone: list[str], text: str
) -> None:
    names = Names(first)
    for entity in gone:
        names.remove(entity)
    fresh = Names([entity for entity in first if entity not in gone])
    asked = f"{text} K.f f x/a.py a.py::g"
    assert names.find(asked) == fresh.find(asked)


@given(st.lists(entities, min_size=1, max_size=6), words, words)
def test_an_entity_spelled_out_is_always_found(known: list[str], before: str, after: str) -> None:
    assert known[0] in Names(known).find(f"{before} {known[0]} {after}")


ONE, OTHER = "/home/me/one/shop.py", "/home/me/other/shop.py"


@pytest.mark.lesson("T1")
def test_what_several_folders_have_is_meant_of_the_speakers_own() -> None:
    names = Names([f"{ONE}::total", f"{OTHER}::total", f"{OTHER}::tax"])
    for said in ("what does total do?", "shop.py total", "see shop.py::total", "shop.py:3 total"):
        assert names.find(said, "/home/me/one") == [f"{ONE}::total"]
        assert names.find(said, "/home/me/other") == [f"{OTHER}::total"]
    assert names.find("what is in shop.py?", "/home/me/one") == [f"{ONE}::total"]
    assert names.find("what does total do?") == []
    assert names.find("what does total do?", "/home/me/third") == []
    assert names.find("what does tax do?", "/home/me/one") == [f"{OTHER}::tax"]


@pytest.mark.lesson("T1")
def test_the_projects_own_files_have_relative_names() -> None:
    names = Names(["shop.py::total", f"{OTHER}::total"], project="/home/me/one")
    assert names.find("what does total do?", "/home/me/one") == ["shop.py::total"]
    assert names.find("shop.py::total", "/home/me/one") == ["shop.py::total"]
    assert names.find("shop.py::total", "/home/me/other") == [f"{OTHER}::total"]


def test_several_of_the_speakers_own_are_none() -> None:
    names = Names(["/one/a.py::f", "/one/b.py::f", "/two/c.py::f"])
    assert names.find("f", "/one") == []
    assert names.find("f", "/two") == ["/two/c.py::f"]
    assert names.find("f in a.py", "/one") == ["/one/a.py::f"]


DATA = [
    "package.json::name",
    "app/settings.yaml::server.port",
    "pyproject.toml::build",
    "README.md::Install",
    "site/page.html::main",
    "style.css::body",
    "work.ipynb::load",
]


@pytest.mark.req("T9")
def test_an_everyday_word_names_no_key_and_no_heading() -> None:
    names = Names([*DATA, "src/a.py::load"])
    words = "What is the name of the port that the build and main body Install? server.port, load"
    assert names.find(words) == ["src/a.py::load"]  # nor does the notebook's make that ambiguous


@pytest.mark.req("T9")
@pytest.mark.parametrize("entity", DATA)
def test_a_key_is_named_with_its_path_and_a_file_of_data_by_its_path(entity: str) -> None:
    path, _, symbol = entity.partition("::")
    names = Names([*DATA, f"{path}::other", "src/a.py::load"])
    assert names.find(f"look at {entity}") == [entity]
    assert names.find(f"look at {symbol} in {path}") == sorted(
        {entity} | ({"src/a.py::load"} if symbol == "load" else set())
    )
    assert names.find(f"look at {path}") == sorted([entity, f"{path}::other"])
    names.remove(entity)
    assert entity not in names.find(f"look at {entity}")


def test_a_file_that_was_emptied_and_filled_again_is_found_by_the_end_of_its_path() -> None:
    names = Names(["src/deep/a.py::f"])
    names.remove("src/deep/a.py::f")
    assert (len(names), names.find("deep/a.py")) == (0, [])
    names.add("src/deep/a.py::g")
    names.add("src/deep/a.py::g")
    assert (len(names), names.find("deep/a.py")) == (1, ["src/deep/a.py::g"])
