"""Levels in their order; a path is needed to be sure, and deltas need a text that was seen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from holdfast.code.edits import Block, Delete, Edit, Insert, Patch, Replace, Whole, find_edits
from holdfast.code.edits.model import Chunk, Replacement
from holdfast.kernel.limits import PROXY_TEXT_BYTES_MAX
from holdfast.kernel.types import Voice
from holdfast.proxy.ingest import Found
from holdfast.proxy.resolving import Parser, Resolver, Sighting
from holdfast.proxy.shaping import digest_of
from holdfast.proxy.values import Piece
from holdfast.workers import ParseWorker
from tests.proxy.shown import Desk

ADD = "def add(a, b):\n    return a + b\n"
QUEUE = "class Queue:\n    def put(self, item):\n        self.items.append(item)\n"
FILE = f"{ADD}\n\n{QUEUE}"


@pytest.fixture(scope="module")
def parser() -> Iterator[Parser]:
    with ParseWorker() as worker:
        yield worker


@pytest.fixture
def desk() -> Desk:
    return Desk()


class Asking:
    def __init__(self, parser: Parser, desk: Desk) -> None:
        self._desk = desk
        self._resolver = Resolver(parser, self._find)

    def _find(self, text: str, _root: str | None) -> list[str]:
        listed = self._desk.live.standing()[2]
        return [one.entity for one in listed if one.entity.partition("::")[2] in text]

    def pieces(self, edit: Edit, speaker: Voice = "model", **at: object) -> tuple[Piece, ...]:
        found = Found(edit, speaker, spelled=edit.path)
        sighting = Sighting("e1", **at)  # type: ignore[arg-type]
        return self._resolver.resolve(found, self._desk.live, sighting)

    def __call__(self, edit: Edit, speaker: Voice = "model", **at: object) -> Piece:
        (piece,) = self.pieces(edit, speaker, **at)
        return piece


@pytest.fixture
def resolve(parser: Parser, desk: Desk) -> Asking:
    return Asking(parser, desk)


def names(piece: Piece) -> list[str]:
    return [] if piece.reading is None else [one.qualified for one in piece.reading.symbols]


def replace(old: str, new: str, path: str = "a.py") -> Replace:
    return Replace(path=path, via="Edit", replacements=(Replacement(old, new),))


@pytest.mark.req("T5")
@pytest.mark.lesson("T2")
def test_a_path_and_a_parser_confirm_every_definition(resolve: Asking) -> None:
    piece = resolve(Whole(path="./a.py", content=FILE))
    assert (piece.level, piece.by, piece.path, piece.whole) == (
        "CONFIRMED",
        "tree-sitter",
        "a.py",
        True,
    )
    assert names(piece) == ["add", "Queue", "Queue.put"]


@pytest.mark.req("T5")
@pytest.mark.lesson("T1")
def test_without_a_path_nothing_is_confirmed(resolve: Asking) -> None:
    piece = resolve(Block(content=ADD, language="python"))
    assert (piece.level, piece.by, piece.path) == ("UNRESOLVED", "none", None)
    assert piece.reason == "no path is given"


@pytest.mark.lesson("T1")
@pytest.mark.parametrize("path", ["../a.py", "~/a.py", "a\u200b.py"])
def test_a_path_that_climbs_or_deceives_confirms_nothing(resolve: Asking, path: str) -> None:
    piece = resolve(Whole(path=path, content=ADD))
    assert (piece.level, piece.path) == ("UNRESOLVED", None)
    assert "climbs" in piece.reason


@pytest.mark.lesson("T4")
def test_the_same_text_at_two_paths_is_two_files(resolve: Asking) -> None:
    paths = [resolve(Whole(path=path, content=ADD)).path for path in ("a.py", "b.py", "a.js")]
    assert paths == ["a.py", "b.py", "a.js"]
    readings = [resolve(Whole(path=path, content=ADD)).reading for path in ("a.py", "a.js")]
    assert [one and one.language for one in readings] == ["python", "javascript"]


@pytest.mark.req("T5")
def test_patterns_confirm_what_they_see_once_and_to_its_end(resolve: Asking) -> None:
    good = "sub one {\n    return 1;\n}\n\nsub two {\n    return 2;\n}\n"
    piece = resolve(Whole(path="a.pl", content=good))
    assert (piece.level, piece.by, names(piece)) == ("CONFIRMED", "patterns", ["one", "two"])
    for partial in (good + "sub one {\n    return 3;\n}\n", "sub one {\n    return 1;\n"):
        piece = resolve(Whole(path="a.pl", content=partial))
        assert (piece.level, piece.by) == ("INFERRED", "patterns")


@pytest.mark.req("T5", "T14")
def test_much_in_common_with_one_entity_is_only_inferred(resolve: Asking, desk: Desk) -> None:
    desk.show("a.py", add=ADD.strip())
    piece = resolve(Block(content=ADD.replace("+", "-"), language="python"))
    assert (piece.level, piece.by, piece.near) == ("INFERRED", "similarity", "a.py::add")
    desk.show("b.py", add=ADD.strip())
    piece = resolve(Block(content=ADD.replace("+", "-"), language="python"))
    assert (piece.level, piece.near) == ("UNRESOLVED", None)


@pytest.mark.req("T5")
def test_what_nobody_can_read_is_unresolved_and_says_why(resolve: Asking) -> None:
    piece = resolve(Whole(path="notes.xyz", content="hello"))
    assert (piece.level, piece.by) == ("UNRESOLVED", "none")
    assert "language" in piece.reason
    piece = resolve(Whole(path="a.py", content="x = 1\n" * PROXY_TEXT_BYTES_MAX))
    assert piece.level == "UNRESOLVED"
    assert f"{PROXY_TEXT_BYTES_MAX} bytes" in piece.reason


@pytest.mark.parametrize(
    "block",
    [
        Block(path="a.py", content=ADD, quoted=True),
        Block(path="a.py", content=ADD, nested=True),
        Block(path="a.py", content=ADD, complete=False),
        Block(path="a.py", content=f"{ADD}# ... rest of the code unchanged ...\n"),
        Whole(path="a.py", content="```\nx\n```", final_newline="as base"),
    ],
)
def test_forms_that_are_not_closed_or_not_certain_are_not_complete(
    resolve: Asking, block: Edit
) -> None:
    assert not resolve(block).complete


@pytest.mark.req("T15")
def test_a_change_applies_to_the_text_that_is_known_if_the_model_saw_it(
    resolve: Asking, desk: Desk
) -> None:
    desk.settle("a.py", FILE)
    edit = replace("return a + b", "return b + a")
    piece = resolve(edit, saw={digest_of(FILE)})
    assert (piece.saw_base, piece.delta, piece.whole, piece.base) == (
        True,
        True,
        True,
        digest_of(FILE),
    )
    assert piece.text == FILE.replace("a + b", "b + a")
    assert piece.before is not None
    assert piece.before[1] == FILE
    unseen = resolve(edit)
    assert (unseen.saw_base, unseen.text) == (False, piece.text)
    assert "had not seen" in unseen.reason


def test_a_definition_that_was_shown_is_enough_for_a_change_inside_of_it(
    resolve: Asking, desk: Desk
) -> None:
    desk.settle("a.py", FILE)
    saw = {digest_of(ADD.strip())}
    assert resolve(replace("return a + b", "return b + a"), saw=saw).saw_base
    assert not resolve(replace("self.items", "self.all"), saw=saw).saw_base
    both = Replace(
        path="a.py",
        via="Edit",
        replacements=(Replacement("a + b", "b + a"), Replacement("items", "all")),
    )
    assert not resolve(both, saw=saw).saw_base


def test_after_a_change_that_was_not_taken_the_text_is_not_certain(
    resolve: Asking, desk: Desk
) -> None:
    desk.settle("a.py", FILE)
    piece = resolve(replace("a + b", "b + a"), saw={digest_of(FILE)}, doubted={"a.py": ()})
    assert not piece.saw_base
    assert "earlier change" in piece.reason


def test_the_user_need_not_have_seen_anything(resolve: Asking, desk: Desk) -> None:
    desk.settle("a.py", FILE)
    assert resolve(replace("a + b", "b + a"), "user").saw_base


@pytest.mark.req("T15")
def test_a_change_of_a_text_that_is_not_known_is_never_whole(resolve: Asking) -> None:
    piece = resolve(replace("x", ADD))
    assert (piece.level, piece.complete, piece.saw_base, piece.whole) == (
        "CONFIRMED",
        False,
        False,
        False,
    )
    inner = resolve(replace("x", "    def put(self):\n        pass\n"))
    assert (inner.level, inner.reading) == ("UNRESOLVED", None)
    assert resolve(Insert(path="a.py", after_line=0, text="print(1)\n")).level == "UNRESOLVED"


def test_a_change_that_does_not_apply_says_why(resolve: Asking, desk: Desk) -> None:
    desk.settle("a.py", FILE)
    piece = resolve(replace("nowhere", ADD), saw={digest_of(FILE)})
    assert (piece.level, piece.reason) == (
        "UNRESOLVED",
        "the text to replace does not stand in the base",
    )


def test_a_change_that_makes_a_file_is_all_of_it(resolve: Asking) -> None:
    (diff,) = find_edits("```diff\n--- /dev/null\n+++ b/a.py\n@@ -0,0 +1,1 @@\n+x = 1\n```\n")
    piece = resolve(diff)
    assert (piece.path, piece.text, piece.whole, piece.saw_base) == ("a.py", "x = 1\n", True, True)


def test_a_deleted_file_is_said_to_be(resolve: Asking, desk: Desk) -> None:
    desk.settle("a.py", FILE)
    piece = resolve(Delete(path="a.py"))
    assert (piece.level, piece.deletes, piece.path, piece.text) == ("CONFIRMED", True, "a.py", None)
    elsewhere = resolve(Delete(path="a.py"), root="/home/me/app")
    assert elsewhere.path == "/home/me/app/a.py"


def test_a_renamed_file_comes_and_goes(resolve: Asking, desk: Desk) -> None:
    desk.settle("a.py", FILE)
    chunk = Chunk(("    return a + b",), ("    return b + a",))
    patch = Patch(path="a.py", chunks=(chunk,), renamed_to="b.py")
    came, went = resolve.pieces(patch, saw={digest_of(FILE)})
    assert (came.path, came.whole, came.saw_base, went.path, went.deletes) == (
        "b.py",
        True,
        True,
        "a.py",
        True,
    )
    (lost,) = resolve.pieces(Patch(path="a.py", chunks=(chunk,), renamed_to="../b.py"))
    assert lost.level == "UNRESOLVED"


@pytest.mark.lesson("T2")
@pytest.mark.parametrize(
    "code",
    [
        "def put(self, item):\n        self.items.append(item)\n",
        "    def put(self, item):\n        self.items.append(item)\n",
        "    @log\n    def put(self, item):\n        self.items.append(item)\n",
        "class Queue:\n    def put(self, item):\n        self.items.append(item)\n",
    ],
)
def test_the_snippet_of_a_method_has_the_name_that_is_spelled(resolve: Asking, code: str) -> None:
    piece = resolve(Block(path="a.py::Queue.put", content=code))
    assert (piece.path, piece.symbol, piece.whole) == ("a.py", "Queue.put", False)
    assert (piece.level, names(piece)) == ("CONFIRMED", ["Queue.put"])
    assert piece.reading is not None
    assert not piece.reading.errors


def test_definitions_inside_of_a_snippet_keep_their_place(resolve: Asking) -> None:
    code = "def put(self):\n    def inner():\n        pass\n    return inner\n"
    piece = resolve(Block(path="a.py::Queue.put", content=code))
    assert names(piece) == ["Queue.put", "Queue.put.inner"]


@pytest.mark.parametrize(
    "code", [ADD + "\n" + QUEUE, ADD, "x = 1\n", "class Queue:\n    def other(self): pass\n"]
)
def test_a_snippet_that_defines_something_else_is_unresolved(resolve: Asking, code: str) -> None:
    piece = resolve(Block(path="a.py::Queue.put", content=code))
    assert (piece.level, piece.reading) == ("UNRESOLVED", None)
    assert "does not define Queue.put" in piece.reason


def test_a_snippet_that_defines_more_than_it_says_is_unresolved(resolve: Asking) -> None:
    assert resolve(Block(path="a.py::add", content=FILE)).level == "UNRESOLVED"
    assert resolve(Block(path="a.py::add", content=ADD)).level == "CONFIRMED"
