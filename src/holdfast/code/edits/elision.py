"""Lines by which a block says that it leaves code out: `# ... rest unchanged`, `// existing code`.

Only such lines: whether a body is elided is for those who read the symbols.
"""

from __future__ import annotations

import re
from typing import Final

_COMMENT: Final = re.compile(r"\s*(?:#+|//+|/\*+|<!--+|--+|;+|%+|\{/\*|\"\"\"|\(\*)(.*)")
_WORDS: Final = re.compile(
    r"\b(?:rest of|unchanged|the same|existing|previous|other|remaining|omitted|snip|goes here|"
    r"as (?:before|above))\b",
    re.IGNORECASE,
)
_LINE_CHARS_MAX: Final = 200


def left_out(text: str) -> tuple[int, str] | None:
    """Return the number and the words of the first line that stands for code left out."""
    for number, line in enumerate(text.split("\n"), 1):
        if ("..." in line or "…" in line) and len(line) <= _LINE_CHARS_MAX and _stands(line):
            return number, line.strip()
    return None


def _stands(line: str) -> bool:
    comment = _COMMENT.match(line)
    if comment is None:
        return line.strip() in ("...", "…") and not line[:1].isspace()
    words = comment[1].replace("*/", "").replace("-->", "").strip(" \t.…()[]{}*-")
    dotted = comment[1].strip(" \t()[]{}*/->")
    at_an_end = dotted.startswith(("...", "…")) or dotted.endswith(("...", "…"))
    return at_an_end and (not words or _WORDS.search(words) is not None)
