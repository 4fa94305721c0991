"""Whether words are a path, and which path a fenced block names: values only, never resolved.

A path is taken from the info string, from the line before that says nothing else, or from a first
comment that says nothing else. A path inside a sentence is not taken: the sentence may be about
running the file, and no path is better than a wrong one.
"""

from __future__ import annotations

import re
from typing import Final

from holdfast.kernel.limits import EDIT_PATH_CHARS_MAX

_KEYED: Final = re.compile(
    r"(?:^|[\s{,])(?:title|file|filename|filepath|file_path|path|name)\s*[=:]\s*"
    r"(?:\"([^\"\n]+)\"|'([^'\n]+)'|([^\s{},\"']+))",
    re.IGNORECASE,
)
_CITED: Final = re.compile(r"(\d+):(\d+):(\S+)$")
_LINES: Final = re.compile(
    r"(?:^|[\s:#,(\[])(?:lines?[ =:]*)?(?:L?\d+ ?[-–] ?L?\d+|#?L\d+)[)\]]?$", re.IGNORECASE
)
"""So an info string ends that cites lines of a file: `a.py (1-20)`, `a.py:1-20`, `a.py#L5`."""
_LABEL: Final = re.compile(
    r"(?:new file|file ?name|file ?path|file|path|create|update|modify|edit)\s*:\s*", re.IGNORECASE
)
_COMMENT: Final = re.compile(r"\s*(?:#+|//+|/\*+|<!--|--|;+|%+|\(\*|REM )[!\s]*(.*)")
_LIST_MARK: Final = re.compile(r"(?:[-+*>]|#{1,6}|[0-9]{1,9}[.)])[ \t]+")
_EXTENSION: Final = re.compile(r"[^\s/\\]*[\w\-\])\u0300-\u036f]\.[A-Za-z][A-Za-z0-9_+\-]{0,15}$")
_WRAPPED: Final = re.compile(r"[\"'`*<>|?\s]|://|\.\.\.")
_NAMES: Final = re.compile(
    r"makefile|dockerfile|containerfile|licen[cs]e|copying|readme|changelog|jenkinsfile|procfile|"
    r"gemfile|rakefile|vagrantfile|brewfile|justfile|codeowners|authors|pipfile",
    re.IGNORECASE,
)
_NOT_FILES: Final = re.compile(
    r"(?:node|vue|next|react|express|nuxt|three|d3|nest|ember|backbone|angular|discord|chart)\.js|"
    r"(?:asp|vb|ado)\.net|socket\.io|e\.g|i\.e",
    re.IGNORECASE,
)
"""What headings name and is no file."""


def looks_like_path(words: str) -> bool:
    """Tell whether a word is a file's name: it has folders, an extension or a known name."""
    if not 0 < len(words) <= EDIT_PATH_CHARS_MAX or _WRAPPED.search(words):
        return False
    if _NOT_FILES.fullmatch(words) or words.endswith(("/", "\\", ".", ":", ",", ";", "(", ")")):
        return False
    name = words.replace("\\", "/").rpartition("/")[2]
    if _NAMES.fullmatch(name) or (name[:1] == "." and name[1:2].isalnum()):
        return True
    if _EXTENSION.match(name):
        return True
    return "/" in words and name.replace("-", "").replace("_", "").replace(".", "").isalnum()


def in_info(info: str) -> tuple[str | None, str, bool]:
    """Return path, language and whether it cites lines, from the info string of a fence."""
    lines = _LINES.search(info)
    if lines is None:
        return _in_info(info)
    path, language, _ = _in_info(info[: lines.start()].rstrip())
    return path, language, True


def _in_info(info: str) -> tuple[str | None, str, bool]:
    first, _, more = info.partition(" ")
    cited = _CITED.match(first)
    if cited is not None and looks_like_path(cited[3]):
        return cited[3], "", True
    language, colon, tail = first.partition(":")
    if colon and language.isascii() and len(language) > 1 and looks_like_path(tail):
        return tail, language.lower(), False
    keyed = _KEYED.search(info)
    if keyed is not None:
        path = keyed[1] or keyed[2] or keyed[3]
        if looks_like_path(path.replace(" ", "")):
            return path, _language(first), False
    for word in more.split():
        if looks_like_path(word):
            return word, _language(first), False
    if looks_like_path(first) and ("/" in first or "." in first.strip(".")):
        return first, "", False
    return None, _language(first), False


def in_line(line: str) -> str | None:
    """Return the path that a line of prose consists of, apart from its decoration."""
    if len(line) > EDIT_PATH_CHARS_MAX:
        return None
    words = line.strip()
    while (marked := _LIST_MARK.match(words)) is not None:
        words = words[marked.end() :]
    for _ in range(2):
        words = words.strip("*").rstrip(":").strip().strip("*").strip()
        labelled = _LABEL.match(words)
        words = words[labelled.end() :] if labelled else words
    for quote in ("`", '"', "'"):
        if len(words) > 2 and words[0] == quote == words[-1] and quote not in words[1:-1]:
            inner = words[1:-1].strip()
            return inner if looks_like_path(inner.replace(" ", "")) else None
    words = words.strip("`")
    return words if looks_like_path(words) else None


def in_first_comment(content: str) -> str | None:
    """Return the path that the first comment consists of; a `#!` line may stand before it."""
    for line in content[: 4 * EDIT_PATH_CHARS_MAX].split("\n", 4)[:4]:
        words = line.strip()
        if not words or words.startswith(("#!", "<?php", "<?xml", "<!DOCTYPE", "<!doctype")):
            continue
        comment = _COMMENT.match(words)
        if comment is None:
            return None
        inner = comment[1].strip()
        for tail in ("*/", "-->", "*)"):
            inner = inner.removesuffix(tail).rstrip()
        return in_line(inner) if not inner.startswith(("-", "*", ">")) else None
    return None


def _language(word: str) -> str:
    return word.strip("{}.").lower()
