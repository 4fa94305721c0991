"""Which language a file is written in."""

from __future__ import annotations

import pytest

from holdfast.code import language_of
from holdfast.code.languages import LANGUAGES


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("src/a.py", "python"),
        ("a.PY", "python"),
        ("a.pyi", "python-stub"),
        ("a/b.test.tsx", "tsx"),
        ("a.d.ts", "typescript"),
        ("a.mjs", "javascript"),
        ("a.h", "c"),
        ("a.hpp", "cpp"),
        ("C:\\src\\a.cs", "csharp"),
        ("Gemfile", "ruby"),
        ("x/Makefile", "make"),
        ("Dockerfile.dev", "dockerfile"),
        (".bashrc", "bash"),
        ("Cargo.lock", "toml"),
        ("notes.md", "markdown"),
        ("a.kts", "kotlin"),
        ("a.unknown", None),
        ("py", None),
        (".py", None),
        ("LICENSE", None),
        ("", None),
    ],
)
def test_a_file_is_known_by_its_name(path: str, language: str | None) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize(
    ("first", "language"),
    [
        ("#!/usr/bin/env python3\n", "python"),
        ("#!/usr/bin/python3.11 -I\n", "python"),
        ("#!/bin/sh\n", "bash"),
        ("#!/usr/bin/env -S node --test\n", "javascript"),
        ("#! /usr/local/bin/ruby\n", "ruby"),
        ("#!/usr/bin/env FOO=1 bash\n", "bash"),
        ("#!/opt/unheard-of\n", None),
        ("# python\n", None),
        ("", None),
    ],
)
def test_a_file_without_a_telling_name_is_known_by_its_first_line(
    first: str, language: str | None
) -> None:
    assert language_of("bin/tool", first) == language


def test_a_name_speaks_before_a_first_line() -> None:
    assert language_of("a.rb", "#!/usr/bin/env python3\n") == "ruby"


@pytest.mark.parametrize("text", ["class A {};\n", "namespace a {}\n", "std::string s;\n"])
def test_a_header_with_what_only_cpp_has_is_cpp(text: str) -> None:
    assert language_of("a.h", text) == "cpp"


def test_any_other_header_is_c() -> None:
    assert language_of("a.h", "struct a { int b; };\n") == "c"


def test_every_language_with_a_grammar_has_a_file_name() -> None:
    endings = "py pyi js ts tsx go rs java c cpp cs rb php sh json yaml toml md html css kt swift"
    found = {language_of(f"a.{ending}") for ending in f"{endings} scala lua sql".split()}
    assert found == set(LANGUAGES) - {"php-fragment"}
