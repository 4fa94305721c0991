"""A first look for secrets, without patterns: loading `re` takes longer than a whole hook may.

It is sound and coarse: what it clears, the redactor (`ledger/redaction`) would leave as it is; what
it does not clear may well be harmless, and the redactor looks at it before it is written anywhere.
A test holds the two against each other. What is said here about formats, names and values is said
there with the reasons.
"""

from holdfast.agents.assigned import PASSWORD_CHARS_MIN, suspects_assignment, tells

DEPTH_MAX = 64
"""Levels of a payload that are looked at."""

_AT_ONCE = (
    "[redacted:",
    "private key",
    "ls0tls1crudjti",
    "putty-user-key-file-",
    "age-secret-key-",
    "hooks.slack.com/",
    "twilio",
    ".eyj",
)
"""So rare that nothing more is asked."""

_FORMATS = (
    ("akia", 16), ("asia", 16), ("ghp_", 36), ("gho_", 36), ("ghu_", 36), ("ghs_", 36),
    ("ghr_", 36), ("github_pat_", 36), ("glpat-", 20), ("xox", 1), ("sk-", 20), ("aiza", 35),
    ("ya29.", 20), ("gocspx-", 20), ("sk_live_", 16), ("rk_live_", 16), ("sk_test_", 16),
    ("rk_test_", 16), ("whsec_", 20), ("sg.", 16), ("npm_", 36), ("pypi-", 50), ("hf_", 30),
    ("dapi", 32), ("doo_v1_", 64), ("dop_v1_", 64), ("dor_v1_", 64),
)  # fmt: skip
"""How a secret begins where no letter or digit stands before it, and how many characters of a run
follow at least."""

_RUN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_URL_END = frozenset(" \t\n\r\f\v\"'`<>\\")


def suspects(value: object, names: "tuple[str, ...]" = (), depth: int = 0) -> bool:
    """Tell whether there may be a secret in what JSON said; `names` are the user's own."""
    if isinstance(value, str):
        return suspects_text(value, names)
    if depth >= DEPTH_MAX:
        return isinstance(value, (dict, list))
    if isinstance(value, list):
        return any(suspects(one, names, depth + 1) for one in value)
    if isinstance(value, dict):
        for key, one in value.items():
            if suspects_text(key, names) or (tells(key) and _holds_text(one)):
                return True
            if suspects(one, names, depth + 1):
                return True
    return False


def suspects_text(text: str, names: "tuple[str, ...]" = ()) -> bool:
    """Tell whether there may be a secret in a text."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(one.lower() if one.isascii() else one for one in text)
    return (
        suspects_format(lowered)
        or _suspects_address(lowered)
        or suspects_assignment(text, lowered)
        or any(name in lowered for name in names)
    )


def suspects_file(content: bytes) -> bool:
    """Tell whether there may be a secret in a file, which is told by its format alone."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    return suspects_format(content.decode("latin-1").lower())


def suspects_config(content: bytes, names: "tuple[str, ...]" = ()) -> bool:
    """Tell whether there may be a secret in a file of settings, where names count, too."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    text = content.decode("utf-8", "replace")
    return suspects_text(text, names) or ("kind" in text and "Secret" in text)


def suspects_format(lowered: str) -> bool:
    """Tell whether something in a text begins like a secret of a known format."""
    for hint in _AT_ONCE:
        if hint in lowered:
            return True
    for hint, least in _FORMATS:
        at = lowered.find(hint)
        while at >= 0:
            end = at + len(hint)
            if not (at and _is_alnum(lowered[at - 1])) and _runs(lowered, end, least):
                return True
            at = lowered.find(hint, end)
    at = lowered.find(":aa")
    while at >= 0:
        if at and lowered[at - 1].isdigit() and _runs(lowered, at + 3, 33):
            return True
        at = lowered.find(":aa", at + 3)
    return False


def _is_alnum(character: str) -> bool:
    return character.isascii() and character.isalnum()


def _runs(text: str, at: int, least: int) -> bool:
    run = text[at : at + least]
    return len(run) == least and _RUN.issuperset(run)


def _suspects_address(lowered: str) -> bool:
    """Look for passwords in addresses, and for those that curl is given."""
    if "curl" in lowered and ("-u" in lowered or "--user" in lowered or "--proxy-u" in lowered):
        return True
    at = lowered.find("://") if "@" in lowered else -1
    while at >= 0:
        after = lowered[at + 3 : at + 3 + 390]
        for index, character in enumerate(after):
            if character in _URL_END or character == "/":
                break
            if character == "@" and ":" in after[:index]:
                return True
        at = lowered.find("://", at + 3)
    return False


def _holds_text(value: object) -> bool:
    """Tell whether a value under a telling key could be a secret, or a list that holds one."""
    if isinstance(value, str):
        return len(value) >= PASSWORD_CHARS_MIN
    return isinstance(value, list) and len(value) > 0
