"""The languages that are read, and which one a file is written in.

A language listed here has a grammar. The others are read by the line patterns of `symbols.json`,
or not at all. Not here: loading anything.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec


class Language(msgspec.Struct, frozen=True):
    """What it takes to read one language with its grammar."""

    package: str
    function: str = "language"
    queries: tuple[str, ...] = ()
    wrappers: frozenset[str] = frozenset()
    """Nodes that belong to the one definition inside them: decorators, `export`, `template`."""
    lists: frozenset[str] = frozenset()
    """Nodes that belong to the definition inside them if it is the only one: `const a = 1`."""
    leading: frozenset[str] = frozenset()
    """Nodes other than comments that, standing before a definition, are part of it."""
    closes: bytes = b""
    """What may follow a definition and is part of it."""
    joins: tuple[str, ...] = ()
    """What stands for the dot in a name as it is written."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _ecmascript(package: str, function: str, own: str) -> Language:
    return Language(
        package,
        function,
        ("ecmascript", own),
        _words("export_statement ambient_declaration expression_statement"),
        _words("lexical_declaration variable_declaration"),
        _words("decorator"),
        b";",
        (".",),
    )


def _php(function: str) -> Language:
    return Language(
        "tree_sitter_php",
        function,
        ("php",),
        lists=_words("const_declaration"),
        joins=("\\",),
    )


_PYTHON: Final = Language(
    "tree_sitter_python", queries=("python",), wrappers=_words("decorated_definition")
)

LANGUAGES: Final[dict[str, Language]] = {
    "bash": Language("tree_sitter_bash", queries=("bash",)),
    "c": Language("tree_sitter_c", queries=("c",), closes=b";"),
    "cpp": Language(
        "tree_sitter_cpp",
        queries=("c", "cpp"),
        wrappers=_words("template_declaration"),
        closes=b";",
        joins=("::",),
    ),
    "csharp": Language("tree_sitter_c_sharp", queries=("csharp",), closes=b";"),
    "css": Language("tree_sitter_css", queries=("css",)),
    "go": Language(
        "tree_sitter_go",
        queries=("go",),
        lists=_words("type_declaration const_declaration var_declaration"),
    ),
    "html": Language("tree_sitter_html", queries=("html",)),
    "java": Language("tree_sitter_java", queries=("java",)),
    "javascript": _ecmascript("tree_sitter_javascript", "language", "javascript"),
    "json": Language("tree_sitter_json", queries=("json",)),
    "kotlin": Language("tree_sitter_kotlin", queries=("kotlin",)),
    "lua": Language(
        "tree_sitter_lua",
        queries=("lua",),
        wrappers=_words("variable_declaration"),
        joins=(".", ":"),
    ),
    "markdown": Language("tree_sitter_markdown", queries=("markdown",)),
    "php": _php("language_php"),
    "php-fragment": _php("language_php_only"),
    "python": _PYTHON,
    "python-stub": _PYTHON,
    "ruby": Language("tree_sitter_ruby", queries=("ruby",), joins=("::",)),
    "rust": Language(
        "tree_sitter_rust", queries=("rust",), leading=_words("attribute_item"), closes=b";"
    ),
    "scala": Language("tree_sitter_scala", queries=("scala",)),
    "sql": Language("tree_sitter_sql", queries=("sql",), wrappers=_words("statement"), closes=b";"),
    "swift": Language("tree_sitter_swift", queries=("swift",)),
    "toml": Language("tree_sitter_toml", queries=("toml",)),
    "tsx": _ecmascript("tree_sitter_typescript", "language_tsx", "typescript"),
    "typescript": _ecmascript("tree_sitter_typescript", "language_typescript", "typescript"),
    "yaml": Language("tree_sitter_yaml", queries=("yaml",)),
}
"""Every language that has a grammar. `python-stub` is Python where a body of `...` is whole,
`php-fragment` is PHP without its opening tag."""

_ENDINGS: Final = {
    "bash": "sh bash zsh ksh bats",
    "c": "c h",
    "clojure": "clj cljs cljc",
    "cpp": "cpp cc cxx c++ hpp hh hxx h++ ipp tpp inl cu cuh",
    "csharp": "cs csx",
    "css": "css",
    "dart": "dart",
    "dockerfile": "dockerfile",
    "elixir": "ex exs",
    "erlang": "erl hrl",
    "fsharp": "fs fsx fsi",
    "go": "go",
    "graphql": "graphql gql",
    "groovy": "groovy gradle",
    "haskell": "hs",
    "html": "html htm xhtml",
    "ini": "ini cfg",
    "java": "java",
    "javascript": "js mjs cjs jsx",
    "json": "json jsonc geojson webmanifest",
    "julia": "jl",
    "kotlin": "kt kts",
    "lua": "lua",
    "make": "mk mak",
    "markdown": "md markdown mdown mkd",
    "nim": "nim",
    "ocaml": "ml mli",
    "perl": "pl pm",
    "php": "php php3 php4 php5 php7 php8 phtml",
    "powershell": "ps1 psm1",
    "protobuf": "proto",
    "python": "py pyw py3",
    "python-stub": "pyi",
    "r": "r",
    "ruby": "rb rake gemspec ru",
    "rust": "rs",
    "scala": "scala sc sbt",
    "scss": "scss less",
    "sql": "sql ddl",
    "swift": "swift",
    "terraform": "tf tfvars hcl",
    "toml": "toml",
    "tsx": "tsx",
    "typescript": "ts mts cts",
    "yaml": "yaml yml",
    "zig": "zig",
}
_FILES: Final = {
    "bash": ".bashrc .bash_profile .profile .zshrc",
    "dockerfile": "Dockerfile Containerfile",
    "groovy": "Jenkinsfile",
    "ini": ".editorconfig .gitconfig",
    "json": ".babelrc .eslintrc",
    "make": "Makefile makefile GNUmakefile",
    "python": "SConstruct SConscript wscript",
    "ruby": "Rakefile Gemfile Vagrantfile Podfile",
    "toml": "Pipfile Cargo.lock poetry.lock uv.lock",
}
_INTERPRETERS: Final = {
    "bash": "sh bash dash zsh ksh",
    "javascript": "node nodejs bun",
    "lua": "lua luajit",
    "perl": "perl",
    "php": "php",
    "python": "python pypy",
    "r": "Rscript",
    "ruby": "ruby jruby",
    "typescript": "ts-node tsx deno",
}


def _by_word(table: dict[str, str]) -> dict[str, str]:
    return {word: language for language, words in table.items() for word in words.split()}


_BY_ENDING: Final = _by_word(_ENDINGS)
_BY_FILE: Final = _by_word(_FILES)
_BY_INTERPRETER: Final = _by_word(_INTERPRETERS)

_SHEBANG: Final = re.compile(r"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+|\w+=\S*\s+)*(?:\S*/)?)?([\w-]+)")
_CPLUSPLUS: Final = re.compile(
    r"^\s*(?:class\s+\w|namespace\b|template\s*<|using\s+\w|(?:public|private|protected)\s*:)|::",
    re.MULTILINE,
)
"""What a header has that cannot be C."""


def dialect(language: str, text: str) -> str:
    """Return the language as this text speaks it."""
    # To the grammar of whole files PHP without its tag is text, in which nothing is defined.
    return "php-fragment" if language == "php" and "<?" not in text else language


def language_of(path: str, text: str | None = None) -> str | None:
    """Name the language of a file by its name, or else by the first line of its text."""
    name = path.replace("\\", "/").rpartition("/")[2]
    found = _BY_FILE.get(name) or _by_ending(name)
    if found is None and name.startswith(("Dockerfile.", "Makefile.")):
        found = _BY_FILE[name.partition(".")[0]]
    if text is None:
        return found
    if found == "c" and name.endswith(".h") and _CPLUSPLUS.search(text):
        return "cpp"
    return found or _by_shebang(text)


def _by_ending(name: str) -> str | None:
    stem, dot, ending = name.rpartition(".")
    return _BY_ENDING.get(ending.lower()) if dot and stem else None


def _by_shebang(text: str) -> str | None:
    found = _SHEBANG.match(text)
    if found is None:
        return None
    return _BY_INTERPRETER.get(found[1]) or _BY_INTERPRETER.get(found[1].rstrip("0123456789.-"))
