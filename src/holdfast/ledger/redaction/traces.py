"""What every secret leaves in the bytes of a text, and in those of its JSON: a fast second look.

One pattern for RE2, which runs through any number of alternatives at the speed of one; `re` would
take longer than the rules themselves. It says no only where every rule does: it is each rule
without its boundaries and upper bounds, and of an assignment the name and the sign behind it.

JSON spells quotes, backslashes and control characters with a backslash. So wherever a rule lets
one of these stand, backslashes may stand here, and `\\t` for a tab.

RE2 comes with the extra `code`. Without it the look by hints (`prefilter.py`) is all there is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from holdfast.ledger.redaction.names import KEY_OWNERS

MEMORY_BYTES_MAX: Final = 16 * 1024 * 1024
"""Of one search; when RE2 needs more, it goes on without remembering, and slower."""

READY_AFTER_BYTES: Final = 256 * 1024
"""Loading RE2 takes as long as looking through about so much without it."""

_BLANKS: Final = r"(?:[ \t]|\\t)*"
_SIGN: Final = rf"[\\\"'`]*\]?{_BLANKS}[:=]"
_RUN: Final = "[A-Za-z0-9_-]"
_EDGE: Final = r"(?:^|[^A-Za-z0-9]|\\[bfnrt]|\\u00[01][0-9a-f])"
"""No letter or digit, or a control character as JSON spells it."""

FORMATS: Final = (
    r"\[REDACTED:",  # a marker hides what stood around it
    r"PRIVATE KEY(?: BLOCK)? ?----",
    r"LS0tLS1CRUdJTi",
    r"PuTTY-User-Key-File-",
    r"AGE-SECRET-KEY-",
    r"A[KS]IA[A-Z0-9]{16}",
    r"gh[pousr]_[A-Za-z0-9_]{36}",
    r"github_pat_",
    r"glpat-",
    r"xox[abeoprs](?:\.xox[bp])?-",
    r"hooks\.slack\.com/",
    rf"{_EDGE}sk-{_RUN}{{20}}",
    rf"AIza{_RUN}{{35}}",
    rf"(?:ya29\.|GOCSPX-){_RUN}{{20}}",
    r"[sr]k_(?:live|test)_[A-Za-z0-9]{16}",
    r"whsec_",
    r"(?i:twilio)",
    rf"SG\.{_RUN}{{16}}",
    r"npm_[A-Za-z0-9]{36}",
    rf"pypi-{_RUN}{{50}}",
    r"hf_[A-Za-z0-9]{30}",
    r"dapi[0-9a-f]{32}",
    r"do[opr]_v1_[0-9a-f]{64}",
    rf"[0-9]:AA{_RUN}{{33}}",
    r"\.eyJ",
    rf"(?i:secret[-_]?(?:access[-_]?)?key|authorization|x-api-key){_SIGN}",
    r"://[^\s/:\"'`<>]*:[^\s/\"'`<>?]+@",
    r"(?i:curl)(?s:.)*(?:-[uU]|--user|--proxy-user)(?:[ \t=]|\\t)*[\"'\\]*[^\s:\"']+:",
)
"""Of the formats in `rules.py`, in their order."""

_NAME: Final = "[A-Za-z0-9_.-]*"
_WORDS: Final = (
    rf"(?i:passw(?:or)?d|passphrase|pwd|secret|credential|(?:{'|'.join(KEY_OWNERS)})[-_.]?key)"
)
_AUTH: Final = "(?i:auth(?:orization)?)"
_TELLING: Final = (
    rf"(?:{_WORDS}{_NAME}"
    # not `tokens`, nor a tokenizer
    r"|(?i:token(?:(?:[a-hj-rt-z0-9_.-]|i[a-y0-9_.-]|s[a-z])[a-z0-9_.-]*|i)?)"
    # not an author, nor what is authentic
    rf"|{_AUTH}(?:[A-Z0-9_.-]{_NAME})?)"
)
_REST_OF_KEY: Final = r"(?:[^\"\\]|\\(?s:.))*\":[\"\[]"

ASSIGNMENTS: Final = (
    rf"{_TELLING}{_SIGN}",
    rf"--{_NAME}{_TELLING}[\\\"'`]*\]?(?:[ \t]|\\t)",
    # Of a key every part counts, and what stands under it may be a list.
    rf"(?:{_WORDS}|(?i:token)){_REST_OF_KEY}",
    rf"{_AUTH}(?:[^a-z\"\\]|\\(?s:.)){_REST_OF_KEY}",
)
"""Of what `assignments.py` finds."""


class Traces:
    """Look for traces, once so much was looked at that making RE2 ready for it pays."""

    def __init__(self, own_names: tuple[str, ...], *, builtin: bool) -> None:
        self._patterns = traces(own_names, builtin=builtin)
        self._left_bytes = READY_AFTER_BYTES
        self._find: Callable[[bytes], Any] | None = None

    def are_ready(self, more_bytes: int) -> bool:
        """Tell whether `found` looks; count what is to be looked at, and begin when it is much."""
        if self._find is None and self._left_bytes > 0:
            self._left_bytes -= more_bytes
            if self._left_bytes <= 0:
                self._find = _search(self._patterns)
        return self._find is not None

    def found(self, encoded: bytes) -> bool:
        """Return False only if no rule finds anything in these bytes, nor in what they spell."""
        return self._find is None or self._find(encoded) is not None


def traces(own_names: tuple[str, ...], *, builtin: bool) -> tuple[str, ...]:
    """Return the patterns, in the syntax that RE2 and `re` share."""
    own = tuple(f"(?i:{re.escape(name)})" for name in own_names)
    return FORMATS + (ASSIGNMENTS if builtin else ()) + own


def _search(patterns: tuple[str, ...]) -> Callable[[bytes], Any] | None:
    """Return the search for any of the patterns, None where there is no RE2."""
    try:
        engine = import_module("re2")
    except ImportError:
        return None
    options = engine.Options()
    options.encoding = engine.Options.Encoding.LATIN1  # bytes, whatever they are
    options.max_mem = MEMORY_BYTES_MAX
    options.never_capture = True
    options.log_errors = False
    # Not a set of patterns: one that runs out of memory says that nothing was found.
    search: Callable[[bytes], Any] = engine.compile("|".join(patterns).encode(), options).search
    return search
