"""What is read of a text, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256

import pytest

from holdfast.code import CouldNotLook, Symbol, grammars, read_symbols
from holdfast.kernel import limits


def symbol(text: str, qualified: str, language: str = "python") -> Symbol:
    found = [s for s in read_symbols(text, language).symbols if s.qualified == qualified]
    assert len(found) == 1, [s.qualified for s in read_symbols(text, language).symbols]
    return found[0]


def names(text: str, language: str = "python") -> list[str]:
    return [s.qualified for s in read_symbols(text, language).symbols]


@pytest.mark.lesson("T2")
def test_every_definition_is_found_and_methods_carry_their_class() -> None:
    text = "class A:\n    def f(self): pass\nclass B:\n    def f(self): pass\ndef f(): pass\n"
    assert names(text) == ["A", "A.f", "B", "B.f", "f"]


def test_an_empty_text_has_no_symbols_and_no_errors() -> None:
    reading = read_symbols("", "python")
    assert (reading.symbols, reading.errors, reading.by) == ((), False, "tree-sitter")


def test_offsets_are_bytes_and_lines_count_from_one() -> None:
    text = "x = 'äöü€𝄞'\ndef f():\n    return 'é'\n"
    found = symbol(text, "f")
    source = text.encode()
    assert source[found.start_byte : found.end_byte].decode() == "def f():\n    return 'é'"
    assert (found.start_line, found.end_line) == (2, 3)
    assert found.digest == sha256("def f():\n    return 'é'".encode()).hexdigest()
    assert found.body_start is not None
    assert source[found.body_start : found.body_end].decode() == "return 'é'"


def test_lines_that_end_in_carriage_return_and_line_feed_are_counted_once() -> None:
    found = symbol("x = 1\r\ndef f():\r\n    return 1\r\n", "f")
    assert (found.start_line, found.end_line) == (2, 3)


def test_the_same_text_reads_the_same() -> None:
    text = "class A:\n    def f(self): ...\n"
    assert read_symbols(text, "python") == read_symbols(text, "python")


# What belongs to a definition


def test_comments_directly_above_and_decorators_belong_to_it() -> None:
    found = symbol("x = 1\n# one\n# two\n@a\n@b\ndef f(): pass\n", "f")
    assert (found.start_line, found.end_line) == (2, 6)


@pytest.mark.parametrize(
    "above",
    [
        "# apart\n\n",
        "x = 1  # of x\n",
        "# ... existing code ...\n",
        "# rest unchanged\n",
        "#!/usr/bin/env python\n",
    ],
)
def test_other_comments_do_not(above: str) -> None:
    text = f"{above}def f(): pass\n"
    found = symbol(text, "f")
    assert text.encode()[found.start_byte : found.end_byte] == b"def f(): pass"


def test_a_comment_above_the_first_of_a_class_belongs_to_it() -> None:
    assert symbol("class A:\n    # above\n    def f(self): pass\n", "A.f").start_line == 2


def test_a_semicolon_that_closes_a_definition_belongs_to_it() -> None:
    text = "struct A { int a; };\nint b;\n"
    found = symbol(text, "A", "c")
    assert text[found.start_byte : found.end_byte] == "struct A { int a; };"


def test_one_declaration_of_two_names_is_two_definitions() -> None:
    assert names("const a = 1, b = () => 2;", "javascript") == ["a", "b"]
    first = symbol("const a = 1, b = 2;", "a", "javascript")
    assert (first.start_byte, first.end_byte) == (6, 11)
    only = symbol("export const a = 1;", "a", "javascript")
    assert (only.start_byte, only.end_byte) == (0, 19)


@pytest.mark.parametrize(
    ("inside", "begins_with"),
    [
        ("\t// One.\n\tA = 1\n\t// None.\n", "const"),
        ("\tA = 1\n\t// Two.\n\tB = 2\n", "A = 1"),
        ("\tB = 2\n\t// Two.\n\n\tA = 1\n", "A = 1"),
    ],
)
def test_a_list_belongs_to_the_only_definition_in_it(inside: str, begins_with: str) -> None:
    text = f"package a\n\nconst (\n{inside})\n"
    assert text[symbol(text, "A", "go").start_byte :].startswith(begins_with)


# Names


def test_definitions_of_one_name_are_kept_apart() -> None:
    assert names("def f(): pass\ndef f(): pass\ndef f(): pass\n") == ["f", "f#2", "f#3"]


def test_members_of_a_second_class_carry_its_number() -> None:
    twice = "class A:\n    def f(self): pass\n"
    assert names(twice * 2) == ["A", "A.f", "A#2", "A#2.f"]


def test_a_number_that_is_taken_is_not_given_again() -> None:
    assert names('{"a#2": 1, "a": 2, "a": 3}', "json") == ["a#2", "a", "a#2#2"]


def test_a_variable_leaves_its_name_to_a_class_and_is_defined_once() -> None:
    assert names("A = None\nB = 1\nclass A: pass\nB = 2\n") == ["B", "A"]


def test_a_prototype_leaves_its_name_to_the_function() -> None:
    text = "int f(int);\nint g(int);\nint f(int a) { return a; }\n"
    assert [(s.kind, s.qualified) for s in read_symbols(text, "c").symbols] == [
        ("declaration", "g"),
        ("function", "f"),
    ]


def test_declarations_of_one_name_are_kept_apart_and_numbered_behind_what_is_defined() -> None:
    text = "void f(int);\nvoid f(char);\nclass A {};\nint A(int);\n"
    assert names(text.replace("int A", "int g"), "cpp") == ["f", "f#2", "A", "g"]
    assert names(text, "cpp") == ["f", "f#2", "A"]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("go", "package a\nfunc (q *Q[T]) Take() {}\n", "Q.Take"),
        ("rust", "impl<T> Q<T> { fn take() {} }", "Q.take"),
        ("rust", "impl Port for Q { fn take() {} }", "<Q as Port>.take"),
        ("cpp", "void n::Q<int>::take() {}", "n.Q.take"),
        ("lua", "function M.a:b() end", "M.a.b"),
        ("javascript", "Q.prototype.take = function () {}", "Q.prototype.take"),
        ("kotlin", "fun Q<Int>.take() = 1\n", "Q.take"),
        ("swift", "extension Q { func take() {} }", "Q.take"),
        ("ruby", "class A::B\n  def self.take; end\nend\n", "A.B.self.take"),
    ],
)
def test_a_definition_is_named_after_the_type_it_belongs_to(
    language: str, text: str, expected: str
) -> None:
    assert expected in names(text, language)


# Fragments


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("php", "class A { function g() {} }\n", ["A", "A.g"]),
        ("php", "<?php class A { function g() {} }\n", ["A", "A.g"]),
        ("python", "    def f(self):\n        return 1\n    def g(self): pass\n", ["f", "g"]),
        ("java", "public int f(int a) { return 1; }\n", ["f"]),
        ("csharp", "public int F(int a) { return 1; }\n", ["F"]),
        ("go", "func F() {}\n", ["F"]),
    ],
)
def test_a_part_of_a_file_is_read_without_what_is_around_it(
    language: str, text: str, expected: list[str]
) -> None:
    reading = read_symbols(text, language)
    assert [s.qualified for s in reading.symbols] == expected
    assert (reading.language, reading.errors) == (language, False)


def test_a_method_without_its_class_is_an_error_where_it_cannot_stand() -> None:
    assert read_symbols("  take(n) { return n; }\n", "javascript").errors


# Errors


def test_an_error_is_told_of_the_definition_that_has_it_and_of_no_other() -> None:
    text = "def good(): pass\ndef bad(:\n    pass\n"
    assert not symbol(text, "good").errors
    assert symbol(text, "bad").errors
    assert read_symbols(text, "python").errors


def test_what_the_parser_had_to_imagine_is_an_error() -> None:
    assert read_symbols("function f() { return 1;", "javascript").errors


# Could not look


def test_a_grammar_that_is_not_installed_is_could_not_look(monkeypatch: pytest.MonkeyPatch) -> None:
    grammars.grammar.cache_clear()
    grammars.definitions.cache_clear()
    monkeypatch.setitem(sys.modules, "tree_sitter_python", None)
    with pytest.raises(CouldNotLook, match="tree-sitter-python") as caught:
        read_symbols("def f(): pass\n", "python")
    assert caught.value.remedy == "Install holdfast with its extra `code`."
    assert names("package a\nfunc f() {}\n", "go") == ["f"]


def test_no_parser_at_all_is_could_not_look(monkeypatch: pytest.MonkeyPatch) -> None:
    grammars.grammar.cache_clear()
    grammars.definitions.cache_clear()
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    with pytest.raises(CouldNotLook):
        read_symbols("def f(): pass\n", "python")


def test_an_unknown_language_is_could_not_look() -> None:
    with pytest.raises(CouldNotLook, match="neither a grammar nor a pattern for brainfuck"):
        read_symbols("+++", "brainfuck")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a" * (limits.CODE_BYTES_MAX + 1), "longer than"),
        ("é\n" * (limits.CODE_BYTES_MAX // 3 + 1), "longer than"),
        ("x" * (limits.CODE_LINE_BYTES_MAX + 1), "A line is longer"),
        ("def f(): pass\n\0", "binary"),
        ("x = '\ud800'\n", "half a character"),
    ],
    ids=["long", "long in bytes", "long line", "binary", "surrogate"],
)
def test_what_is_no_text_of_a_bearable_size_is_could_not_look(text: str, why: str) -> None:
    for language in ("python", "perl"):
        with pytest.raises(CouldNotLook, match=why):
            read_symbols(text, language)


def test_a_text_of_just_the_size_is_read() -> None:
    text = "#" + "x" * (limits.CODE_LINE_BYTES_MAX - 1) + "\ndef f(): pass\n"
    assert names(text) == ["f"]


def test_definitions_nested_beyond_reason_are_could_not_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("holdfast.code.symbols.CODE_DEPTH_MAX", 3)
    nested = "".join(f"{'  ' * depth}def f{depth}():\n" for depth in range(3)) + "      pass\n"
    assert len(names(nested)) == 3
    deeper = "".join(f"{'  ' * depth}def f{depth}():\n" for depth in range(4)) + "        pass\n"
    with pytest.raises(CouldNotLook, match="nested"):
        read_symbols(deeper, "python")


def test_more_definitions_than_anybody_reads_are_could_not_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("holdfast.code.symbols.CODE_SYMBOLS_MAX", 2)
    with pytest.raises(CouldNotLook, match="more than"):
        read_symbols("def f(): pass\n" * 3, "python")


# Loading


def test_nothing_is_loaded_before_a_language_is_read_and_then_only_its_grammar() -> None:
    program = """
import sys
import holdfast.code
def loaded():
    return sorted(name for name in sys.modules if name.split(".")[0].startswith(("tree_", "re2")))
print(loaded())
holdfast.code.read_symbols("a = 1", "toml")
print([name for name in loaded() if name.startswith("tree_sitter_")])
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    before, after = run.stdout.splitlines()
    assert before == "[]"
    assert after == "['tree_sitter_toml', 'tree_sitter_toml._binding']"
