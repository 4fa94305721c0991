"""What its writer left out: `...`, `# rest unchanged`, `// ... existing code ...`.

A text with such a mark is not all of what it stands for. A mark is

- a comment that is nothing but an ellipsis, or stands between two of them, or says in so many words
  that code was left out, is the same as before or is yet to come;
- where the language has no such expression, an ellipsis alone on its line or in its braces;
- in Python, where `...` is an expression, one that is a statement and no empty body: see `dots`.

`pass`, `raise NotImplementedError`, `todo!()` and `???` are code: they say what they do. When in
doubt it is a mark: a whole text taken for a part is asked for again, a part taken for the whole
loses code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from holdfast.code.dots import is_left_out

if TYPE_CHECKING:
    from tree_sitter import Node

_DOTS: Final = (b"...", "…".encode())
_HINTS: Final = (
    *_DOTS,
    b"unchanged",
    b"not changed",
    b"no change",
    b"unmodified",
    b"untouched",
    b"the same",
    b"same as",
    b"as before",
    b"as-is",
    b"as is",
    b"omitted",
    b"elided",
    b"truncated",
    b"brevity",
    b"snip",
    b" here",
    b"remaining",
)
"""One of these is in every mark, in small letters."""

_COMMENT_BYTES_MAX: Final = 200

_THING: Final = (
    r"(?:code|file|functions?|methods?|class|classes|implementations?|body|module|script|logic"
    r"|components?|imports?|contents?|definitions?|fields|properties|handlers?|routes?|tests?"
    r"|helpers?|constants|members|statements|lines|setup|config|configuration|cases|everything"
    r"|jsx|html|css|styles|options|props|state|parts?)"
)
_WHICH: Final = (
    r"(?:(?:the|all|any|your|my|our|and|plus|of|this|with|keep|same|every)\s+)*"
    r"(?:rest|remainder|remaining|others?|existing|previous|original|prior|unchanged|everything)"
)
_SAME: Final = (
    r"(?:(?:is|are|remains?|stays?|kept|left|to|be|as|has|have|been)\s+)*"
    r"(?:unchanged|unmodified|untouched|unaltered|not\s+changed|omitted|elided|truncated|skipped"
    r"|the\s+same|same|identical|as\s+(?:before|is|it\s+(?:is|was))|as-is|intact)"
)
_FOR: Final = r"(?:brevity|clarity|space|conciseness|readability)"
_WHY: Final = rf"(?:\W*(?:for\s+{_FOR}|as\s+before))?"

_STRONG: Final = (
    rf"{_WHICH}\b(?:\s+[\w./`'\"(),&-]+){{0,6}}?\s+{_SAME}{_WHY}"
    rf"|{_THING}(?:\s+\w+)?\s+{_SAME}{_WHY}"
    rf"|.*\b(?:omitted|elided|truncated|hidden|skipped|shortened|left\s+out|removed)\s+for\s+{_FOR}"
    r"\b.*"
    rf"|(?:the\s+)?(?:rest|remainder)\s+of\s+(?:(?:the|this|your|my|existing)\s+)*{_THING}"
    r"|existing\s+(?:code|implementation|logic)"
    rf"|{_WHICH}(?:\s+\w+)?\s+{_THING}(?:\s+go(?:es)?)?\s+here"
    r"|(?:(?:your|the|actual|real|add|insert|put|place|write|more)\s+)*"
    r"(?:code|implementation|logic|function\s+body|method\s+body)"
    r"(?:\s+(?:goes|would\s+go|comes|stays|remains))?\s+here"
    r"|(?:keep|leave)\s+(?:(?:the|your|all)\s+)*(?:rest|existing|other|remaining|original)"
    rf"(?:\s+of\s+the)?(?:\s+{_THING})?(?:\s+{_SAME})?"
)
"""The whole of a comment that says what is not there."""

_BESIDE_DOTS: Final = rf"{_WHICH}\b.*|(?:(?:more|other|your|the)\s+)*{_THING}|.*\b{_SAME}{_WHY}"
"""What a mark with one ellipsis says before or after it."""

_WEAK: Final = (
    r"|unchanged|unmodified|not changed|no changes?(?: (?:here|needed|required))?|omitted|elided"
    r"|truncated|snip(?:ped)?|same as (?:before|(?:the )?original|previous(?:ly)?)|as is|as-is"
    r"|remains? (?:unchanged|the same)"
)
"""Says it only where there is no code: `x = 1  # unchanged` is there. So with dots alone."""

_ENDS_WITHOUT_CODE: Final = re.compile(rb"(?:^|[\s:;{(])(?:pass|\.\.\.|return);?$|[:{(]$|\{\s*\}$")
"""What may stand before a weak comment on its line."""

_COMMENT_SIGNS: Final = re.compile(r"^(?:#+|//+!?|/\*+|--+|<!--|;+|%+)\s*|\s*(?:\*+/|-->)$")

_BRACED_DOTS: Final = re.compile(rb"\{\s*(?:\.\.\.|\xe2\x80\xa6)\s*\}")
_WITHOUT_BARE: Final = frozenset({"yaml", "markdown", "html", "css"})
"""Languages where an ellipsis alone on a line is text, or ends a document."""


def marks(source: bytes, root: Node, language: str) -> list[int]:
    """Return where something was left out, as offsets in order."""
    lowered = source.lower()
    hints = [hint for hint in _HINTS if hint in lowered]
    if not hints:
        return []
    found: set[int] = set()
    looked: set[int] = set()
    for at in _places(lowered, hints):
        node = root.descendant_for_byte_range(at, at + 1)
        if node is not None and language == "markdown":
            node = _html_around(node)
        if node is None or node.start_byte in looked:
            continue
        if "comment" in node.type or node.type == "html_block":
            looked.add(node.start_byte)
            if _is_comment_mark(node, source):
                found.add(node.start_byte)
        elif source.startswith(_DOTS, at) and _is_bare_mark(node, at, source, language):
            found.add(at)
    return sorted(found)


def _html_around(node: Node) -> Node:
    """Return the block of HTML that a sign is part of: a comment in Markdown is one."""
    around = node.parent
    return around if around is not None and around.type == "html_block" else node


def says_left_out(comment: bytes) -> bool:
    """Tell whether a comment that stands alone says that something was left out."""
    said = _Said.by(comment)
    return said is not None and (said.is_strong() or said.is_weak())


def _places(lowered: bytes, hints: list[bytes]) -> Iterator[int]:
    for hint in hints:
        at = lowered.find(hint)
        while at >= 0:
            yield at + len(hint) - len(hint.lstrip())
            at = lowered.find(hint, at + len(hint))


def _is_comment_mark(comment: Node, source: bytes) -> bool:
    """Tell whether a comment says, where it stands, that something was left out."""
    at = comment.start_byte
    said = _Said.by(source[at : comment.end_byte])
    if said is None:
        return False
    if said.is_strong():
        return True
    before = source[source.rfind(b"\n", 0, at) + 1 : at].strip()
    if not said.is_weak() or (before and not _ENDS_WITHOUT_CODE.search(before)):
        return False
    return bool(said.words) or not _is_amid_comments(at, source)


def _is_amid_comments(at: int, source: bytes) -> bool:
    """Tell whether the lines above and below begin alike: then dots are part of a longer text.

    Asked of the text and not of the tree, where each neighbour of a comment costs a walk.
    """
    begin, stop = source.rfind(b"\n", 0, at), source.find(b"\n", at)
    if begin < 0 or stop < 0:
        return False
    above = source[source.rfind(b"\n", 0, begin) + 1 : begin].lstrip()
    below_end = source.find(b"\n", stop + 1)
    below = source[stop + 1 : below_end if below_end >= 0 else len(source)].lstrip()
    sign = source[at : at + 1]
    return above.startswith(sign) and below.startswith(sign)


class _Said(NamedTuple):
    """What a comment of one line says."""

    words: str
    dots_before: bool
    dots_after: bool

    @classmethod
    def by(cls, comment: bytes) -> _Said | None:
        comment = comment.strip()
        if len(comment) > _COMMENT_BYTES_MAX or b"\n" in comment:
            return None
        text = comment.decode("utf-8", "replace").lower().replace("…", "...")
        text = _COMMENT_SIGNS.sub("", text).strip()
        while len(text) > 1 and text[0] + text[-1] in ("()", "[]", "{}", "<>"):
            text = text[1:-1].strip()
        words = " ".join(text.strip(" .()[]-–—:;!*").split())
        return cls(words, text.startswith("..."), text.endswith("..."))

    def is_strong(self) -> bool:
        """Tell whether this is a mark wherever it stands."""
        words = self.words
        if self.dots_before and self.dots_after:
            return any(map(str.isalpha, words))
        if (self.dots_before or self.dots_after) and _matches(_BESIDE_DOTS, words):
            return True
        return _matches(_STRONG, words)

    def is_weak(self) -> bool:
        """Tell whether this is a mark where there is no code."""
        if not self.words:
            return self.dots_before
        return _matches(_WEAK, self.words)


def _matches(pattern: str, words: str) -> bool:
    return _compiled(pattern).fullmatch(words) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile when a text first asks: these patterns take longer to make than a file to read."""
    return re.compile(pattern)


def _is_bare_mark(node: Node, at: int, source: bytes, language: str) -> bool:
    if language == "python":
        return node.type == "ellipsis" and is_left_out(node, source)
    if language in _WITHOUT_BARE or language == "python-stub" or _is_inside_text(node):
        return False
    begin = source.rfind(b"\n", 0, at) + 1
    stop = source.find(b"\n", at)
    line = source[begin : stop if stop >= 0 else len(source)]
    if line.strip().rstrip(b",;") in _DOTS:
        return node.parent is None or "param" not in node.parent.type
    opening = source.rfind(b"{", begin, at)
    return opening >= 0 and _BRACED_DOTS.match(source, opening) is not None


def _is_inside_text(node: Node | None) -> bool:
    kinds = ("string", "text", "template", "regex", "heredoc", "char", "content", "comment")
    while node is not None and node.type != "ERROR":
        if any(kind in node.type for kind in kinds) and "body" not in node.type:
            return True
        node = node.parent if not node.is_named or node.child_count == 0 else None
    return False
