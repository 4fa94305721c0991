"""The names that make what is assigned to them a secret: `DB_PASSWORD`, `api-key`, `clientSecret`.

A name is judged by what it contains and by its last word: `max_tokens`, `token_count`,
`password_file` and `secret_name` hold no secret.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from holdfast.kernel.errors import InvalidInput

NAME_HINTS: Final = ("passw", "passphr", "pwd", "secret", "token", "auth", "credential", "key")

NOT_AFTER: Final = {"token": r"(?!s(?![a-z]))", "auth": r"(?!or(?!i))"}
"""What a hint is not followed by: `tokens` and `author` are in every other entry."""

_OWNERS = "api access private secret signing encryption master account storage"
KEY_OWNERS: Final = tuple(_OWNERS.split())

PRECISE_HINTS: Final = (
    *(hint for hint in NAME_HINTS if hint != "key"),
    *(f"{owner}{joint}key" for owner in KEY_OWNERS for joint in ("", "_", "-", ".")),
)
"""`key` alone is too common a word."""

CORE: Final = (
    r"[acempstACEMPST](?i:"
    r"(?<=p)(?:ass(?:word|wd|phrase)|wd)|(?<=s)ecret|(?<=t)oken|(?<=a)uth|(?<=c)redential"
    r"|(?<=a)(?:pi|ccess|ccount)[-_.]?key|(?<=p)rivate[-_.]?key|(?<=s)(?:igning|torage)[-_.]?key"
    r"|(?<=e)ncryption[-_.]?key|(?<=m)aster[-_.]?key)"
)
"""Finds the part of a name that tells; a set of first letters makes the search fast."""

KEPT_BY_NAME_ALONE: Final = frozenset({"password", "secret"})
"""Kinds whose value need not look random: people choose passwords."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_PASSWORD = re.compile(r"passw(?:or)?d|passphrase|pwd")
_KEY = re.compile(rf"({'|'.join(KEY_OWNERS)})[-_.]?key")
_TOKEN = re.compile(r"token(?!iz)" + NOT_AFTER["token"])
_AUTH = re.compile("auth" + NOT_AFTER["auth"])
_SECRET = re.compile(r"secret(?!ar)(?!s(?![a-z]))")
_GIVEN_NAME = re.compile(r"[A-Za-z0-9_.-]{2,64}")

_OTHERS = """
    count counts length len size limit max min total id ids name names type types url uri urls
    endpoint file files filename path paths dir directory policy field fields input hint prompt
    reset label placeholder regex pattern version arn ref manager budget usage used index mode
    enabled disabled required provider method methods env var expiry expires expiration ttl age at
    in rotation strategy strength score format header headers prefix suffix scope scopes status
    state error errors class column table page position rules rule rate cost price left remaining
    flow server host port service user username kind level store list code codes check valid
    validator middleware module client
"""
_LAST_WORDS_OF_OTHERS: Final = frozenset(_OTHERS.split())


def custom_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the user's own secret names in lowercase, or refuse one that cannot be searched."""
    for name in names:
        if _GIVEN_NAME.fullmatch(name) is None:
            raise InvalidInput(
                f"The secret name {name!r} cannot be used.",
                meaning="Nothing was recorded or redacted with it.",
                remedy="Use 2 to 64 letters, digits, '_', '-' or '.'.",
            )
    return tuple(dict.fromkeys(name.lower() for name in names))


def kind_of(name: str) -> str | None:
    """Return the kind of secret a name of ours announces, or None."""
    lowered = name.lower()
    words = [word.lower() for word in _WORD.findall(name)]
    last = next((word for word in reversed(words) if not word.isdigit()), "")
    if last in _LAST_WORDS_OF_OTHERS:
        return None
    if _PASSWORD.search(lowered):
        return "password"
    if _SECRET.search(lowered):
        return "secret"
    if key := _KEY.search(lowered):
        return "api-key" if key[1] == "api" else "key"
    if _TOKEN.search(lowered):
        return "token"
    if "credential" in lowered or "secrets" in lowered:
        return "credential"
    if _AUTH.search(lowered) and not {"auth", "oauth", "authorization"}.isdisjoint(words):
        return "authorization"
    return None
