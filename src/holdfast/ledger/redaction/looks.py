"""What a value looks like: a reference, a placeholder, code, words, or something random.

Every function looks at the first `LOOK_CHARS_MAX` characters only, so that a judgement costs the
same for any input.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Final

LOOK_CHARS_MAX: Final = 128
ENTROPY_BITS_MIN: Final = 3.0
"""Bits per character; words written together stay near 3, random base64 of 20 is above 4."""

_REFERENCE = re.compile(
    r"\$\{|\$\(|\$[A-Za-z_]\w*\Z|\{\{|\{[^{}]*\}\Z|<[^<>]*>\Z|%[A-Za-z_]\w*%\Z|%\(\w+\)s|#\{|@\{"
    r"|:[a-z_]+\Z|os\.environ|os\.getenv|getenv\b|process\.env|import\.meta|env[.(\[]"
    r"|secrets\.[A-Za-z_]|[A-Za-z][A-Za-z0-9+.-]{1,31}://",
    re.ASCII,
)
_CODE = re.compile(
    r"[(\[{]|[A-Za-z_][\w.]*[(\[]"
    r"|[A-Za-z_]+[0-9]{0,3}(?:(?:\.|->|::)[A-Za-z_]+[0-9]{0,3})+\Z",
    re.ASCII,
)
_IDENTIFIER = re.compile(r"[A-Za-z_]+\Z")
_HUMP_OR_JOINT = re.compile(r"_|[a-z][A-Z]")
_SECRET_WORD = re.compile(r"pass|pwd|pw\b|secret|token|key|cred|auth", re.IGNORECASE)
_JOINED_WORDS = re.compile(r"[A-Za-z]{1,15}(?:[-_./: ][A-Za-z]{1,15})+\Z")
_PATH = re.compile(r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\](?:[\w.@+-]{0,31}[/\\])*[\w.@+-]{0,31}\Z")
_BETWEEN_WORDS = re.compile(r"[^a-z0-9]+")

_PLACEHOLDERS = """
    password passwd pwd pass passphrase secret token key api apikey access private client auth
    credential credentials changeme change me example examples placeholder your my the a an here
    value insert enter put replace with redacted hidden masked dummy sample todo fixme foo bar
    none null nil undefined true false yes no on off unset empty default optional required unknown
    not set given missing invalid incorrect wrong omit include inherit prompt stdin user username
    db database string str bytes int integer number bool boolean float any object char varchar
    text secretstr type self this await return lambda function bearer basic
"""
PLACEHOLDERS: Final = frozenset(_PLACEHOLDERS.split())


def is_reference(value: str) -> bool:
    """Tell whether the value names a place where the secret is, such as `${VAR}` or a URL."""
    return _REFERENCE.match(value[:LOOK_CHARS_MAX]) is not None


def is_placeholder(value: str) -> bool:
    """Tell whether the value stands for a secret without being one: `changeme`, `xxxx`, `****`."""
    head = value[:LOOK_CHARS_MAX].lower()
    words = [word for word in _BETWEEN_WORDS.split(head) if word]
    if not words:
        return len(set(head)) <= 2
    return len(set(head)) == 1 or all(w in PLACEHOLDERS or not w.strip("x") for w in words)


def is_path(value: str) -> bool:
    """Tell whether the value is a path, as in `PWD=/home/me`."""
    return _PATH.match(value[:LOOK_CHARS_MAX]) is not None


def is_code(value: str) -> bool:
    """Tell whether an unquoted value is a call, an index or an attribute."""
    return _CODE.match(value[:LOOK_CHARS_MAX]) is not None


def is_variable(value: str, *, in_environment: bool) -> bool:
    """Tell whether an unquoted value is the name of a variable.

    In `NAME=value` of a shell there are no variables without `$`, unless the value says `password`
    itself, which is how keyword arguments are passed on.
    """
    head = value[:LOOK_CHARS_MAX]
    if _IDENTIFIER.match(head) is None:
        return False
    if _SECRET_WORD.search(head):
        return True
    return not in_environment and _HUMP_OR_JOINT.search(head) is not None


def is_random(value: str) -> bool:
    """Tell whether the value has the entropy of a key and is not made of joined words."""
    head = value[:LOOK_CHARS_MAX]
    return entropy_bits(head) >= ENTROPY_BITS_MIN and _JOINED_WORDS.match(head) is None


def entropy_bits(text: str) -> float:
    """Return Shannon's entropy in bits per character."""
    counts = Counter(text).values()
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts)
