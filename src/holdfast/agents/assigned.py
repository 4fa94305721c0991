"""Secrets told by the name they are assigned to, without patterns: part of the first look.

Each question here is one of `ledger/redaction/assignments.py`, asked so that it says no only where
that one does.
"""

OCCURRENCES_MAX = 20_000
"""Telling words of one text that are looked at; in a text with more there may be a secret."""

VALUE_CHARS_MAX = 128
NAME_CHARS_MAX = 64
TAIL_CHARS_MAX = 40
PASSWORD_CHARS_MIN = 6
TOKEN_CHARS_MIN = 16

_PASSWORDS = ("password", "passwd", "passphrase", "pwd", "secret")
_TOKENS = ("token", "auth", "credential")
_OWNERS = (
    "api", "access", "account", "private", "signing", "storage", "encryption", "master",
)  # fmt: skip

_OWNER_CHARS = 11
"""The longest owner, and a joint."""

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NAME = frozenset(_LETTERS + "0123456789_-.")
_QUOTES = frozenset("\"'`")
_UNQUOTED_END = frozenset(" \t\n\r\f\v\x1c\x1d\x1e\x1f\x85\xa0\"'`,;<>\\")
_REFERENCES = ("${", "$(", "{{", "os.environ", "os.getenv", "process.env", "import.meta")
_PLACEHOLDER_WORDS = (
    "password passwd passphrase secret string boolean integer number object function undefined"
    " required optional unknown missing default example placeholder redacted credentials"
)
_PLACEHOLDERS = frozenset(_PLACEHOLDER_WORDS.split())
_SECRET_WORDS = ("pass", "pwd", "secret", "token", "key", "cred", "auth")
_OTHER_WORDS = (
    "count counts length len size limit max min total id ids name names type types url uri urls"
    " endpoint file files filename path paths dir directory policy field fields input hint prompt"
    " reset label placeholder regex pattern version arn ref manager budget usage used index mode"
    " enabled disabled required provider method methods env var expiry expires expiration ttl age"
    " at in rotation strategy strength score format header headers prefix suffix scope scopes"
    " status state error errors class column table page position rules rule rate cost price left"
    " remaining flow server host port service user username kind level store list code codes check"
    " valid validator middleware module client"
)
_OTHERS = frozenset(_OTHER_WORDS.split())
"""Last words of names that hold no secret, whatever stands before."""


def tells(key: str) -> bool:
    """Tell whether a key may announce a secret in its value."""
    lowered = key.lower()
    if _last_word(key) in _OTHERS:
        return False
    return any(word in lowered for word in (*_PASSWORDS, *_TOKENS, "key"))


def suspects_assignment(text: str, lowered: str) -> bool:
    """Look at every word that may be part of a telling name."""
    seen = 0
    for hint in (*_PASSWORDS, *_TOKENS, "key"):
        at = lowered.find(hint)
        while at >= 0:
            seen += 1
            if seen > OCCURRENCES_MAX:
                return True
            if (hint != "key" or _is_owned(lowered, at)) and _is_assigned(text, at, len(hint)):
                return True
            at = lowered.find(hint, at + 1)
    return False


def _is_owned(lowered: str, at: int) -> bool:
    """Tell whether a key is one that belongs to somebody: `key` alone is too common a word."""
    owner = lowered[max(0, at - _OWNER_CHARS) : at]
    return (owner[:-1] if owner.endswith(("-", "_", ".")) else owner).endswith(_OWNERS)


def _is_assigned(text: str, at: int, size: int) -> bool:
    """Tell whether a word is part of a name that something like a secret is assigned to."""
    end = stop = at + size
    while stop < len(text) and stop - end < TAIL_CHARS_MAX and text[stop] in _NAME:
        stop += 1
    start = at
    while start > 0 and at - start < NAME_CHARS_MAX + _OWNER_CHARS and text[start - 1] in _NAME:
        start -= 1
    name = text[start:stop]
    lowered = name.lower()
    if ("authorization" in lowered or "x-api-key" in lowered) and _is_header(text, stop):
        return True
    if _last_word(name) in _OTHERS:
        return False
    if any(word in lowered for word in _PASSWORDS):
        return _suspects_value(text, name, stop, PASSWORD_CHARS_MIN)
    if "key" in lowered or "credential" in lowered or _is_token(lowered) or _is_auth(name):
        return _suspects_value(text, name, stop, TOKEN_CHARS_MIN)
    return False


def _is_header(text: str, at: int) -> bool:
    return text[at : at + 9].lstrip("\"'`\\] \t").startswith((":", "="))


def _is_token(lowered: str) -> bool:
    """Tell whether a name speaks of one token: not of `tokens`, or of a tokenizer."""
    at = lowered.find("token")
    while at >= 0:
        after = lowered[at + 5 : at + 7]
        if not after.startswith("iz") and (after[:1] != "s" or after[1:].isalpha()):
            return True
        at = lowered.find("token", at + 5)
    return False


def _is_auth(name: str) -> bool:
    """Tell whether `auth` is a word of a name, and not the beginning of another."""
    lowered = name.lower()
    at = lowered.find("auth")
    while at >= 0:
        if lowered.startswith("authorization", at) or not name[at + 4 : at + 5].islower():
            return True
        at = lowered.find("auth", at + 4)
    return False


_SIGNS = ((2, "=>"), (3, "==="), (2, "=="), (1, "="))


def _suspects_value(text: str, name: str, at: int, least: int) -> bool:
    """Look at what stands behind a name: a sign of assignment, and a value that may be secret."""
    most = min(len(text), at + 5)
    while at < most and (text[at] in _QUOTES or text[at] in "\\]"):
        at += 1
    before, at = at, _skip_blanks(text, at)
    sign = text[at : at + 1]
    if sign == "=":
        here = at + next(n for n, sign in _SIGNS if text.startswith(sign, at))
        return _is_value(text, _skip_blanks(text, here), least, name, text[at:here])
    if sign == ":":
        if text.startswith(":=", at):
            return _is_value(text, _skip_blanks(text, at + 2), least, name, ":=")
        if not text.startswith(("::", "://"), at):
            return _is_annotated(text, at, least, name)
    return at > before and "--" in name and _is_value(text, at, least, name, " ")


def _is_annotated(text: str, at: int, least: int, name: str) -> bool:
    """Look behind a colon: at a value, or at a type and the value behind that."""
    here = _skip_blanks(text, at + 1)
    if _is_value(text, here, least, name, ":"):
        return True
    stop = here
    while stop < len(text) and stop - here < 41 and (text[stop].isalnum() or text[stop] in "_.[]|"):
        stop += 1
    sign = _skip_blanks(text, stop)
    if text.startswith("=", sign):
        return _is_value(text, _skip_blanks(text, sign + 1), least, name, "=")
    return False


def _skip_blanks(text: str, at: int) -> int:
    most = min(len(text), at + 9)
    while at < most and text[at] in " \t":
        at += 1
    return at


def _is_value(text: str, at: int, least: int, name: str, sign: str) -> bool:
    """Tell whether what stands at a place may be a secret of at least so many characters."""
    mark = at
    while mark < len(text) and mark - at < 2 and text[mark] in "fFrRbBuU":
        mark += 1
    opening = mark
    while opening < len(text) and opening - mark < 3 and text[opening] == "\\":
        opening += 1
    if opening < len(text) and text[opening] in _QUOTES:
        if any(_may_be_secret(one, least) for one in _quoted(text, mark, opening)):
            return True
        at = opening + 1
    run = _unquoted(text, at)
    if not run or _is_code(run) or text.startswith("(", at + len(run)):
        return False
    if _is_variable(run, name, sign) or _is_prose(text, at, run, sign):
        return False
    return _may_be_secret(run, least)


def _quoted(text: str, mark: int, opening: int) -> "list[str]":
    """Return what may stand in quotes: up to the first of them, and up to the first that counts."""
    quote, start = text[mark : opening + 1], opening + 1
    inside = text[start : start + VALUE_CHARS_MAX]
    first = inside.find(quote)
    if first < 0:
        return [inside.rstrip("\\")]
    end = first
    while len(quote) == 1 and end > 0 and inside[end - 1] == "\\":
        end = inside.find(quote, end + 1)
    return [inside[:first], inside if end < 0 else inside[:end]]


def _unquoted(text: str, at: int) -> str:
    stop = at
    most = min(len(text), at + VALUE_CHARS_MAX)
    while stop < most and text[stop] not in _UNQUOTED_END:
        stop += 1
    return text[at:stop]


def _may_be_secret(value: str, least: int) -> bool:
    if len(value) < least or value.startswith(_REFERENCES) or value.lower() in _PLACEHOLDERS:
        return False
    if least == PASSWORD_CHARS_MIN:
        return True
    return " " not in value and len(set(value)) >= 8 and not _is_joined(value)


def _is_joined(value: str) -> bool:
    """Tell whether a value is short words with a joint between each two."""
    if len(value) >= VALUE_CHARS_MAX:
        return False
    plain = value
    for joint in "-_./:":
        plain = plain.replace(joint, " ")
    words = plain.split(" ")
    return len(words) > 1 and all(
        0 < len(word) <= 15 and word.isascii() and word.isalpha() for word in words
    )


def _is_code(run: str) -> bool:
    """Tell whether an unquoted value is a call, an index or an attribute."""
    if run[0] in "([{":
        return True
    stop = 0
    while stop < len(run) and (_is_alnum(run[stop]) or run[stop] in "_."):
        stop += 1
    if not (run[0].isdigit() or run[0] == ".") and run[stop : stop + 1] in ("(", "["):
        return True
    parts = run.split(".")
    return len(run) < VALUE_CHARS_MAX and len(parts) > 1 and all(map(_is_attribute, parts))


def _is_attribute(part: str) -> bool:
    letters = part.rstrip("0123456789")
    return len(part) - len(letters) <= 3 and _is_identifier(letters)


def _is_identifier(word: str) -> bool:
    letters = word.replace("_", "")
    return word != "" and (letters == "" or (letters.isascii() and letters.isalpha()))


def _is_variable(run: str, name: str, sign: str) -> bool:
    """Tell whether an unquoted value is the name of a variable; a shell has none without `$`."""
    word = run.rstrip(")]}.:")
    if len(run) >= VALUE_CHARS_MAX or not _is_identifier(word):
        return False
    lowered = word.lower()
    if any(one in lowered for one in _SECRET_WORDS):
        return True
    if sign == "=" and name[-NAME_CHARS_MAX:].upper() == name[-NAME_CHARS_MAX:]:
        return False
    humps = (word[at].islower() and word[at + 1].isupper() for at in range(len(word) - 1))
    return "_" in word or any(humps)


def _is_prose(text: str, at: int, run: str, sign: str) -> bool:
    """Tell whether a colon is followed by a word of a sentence."""
    behind = text[at + len(run) : at + len(run) + 2]
    return (
        ":" in sign
        and run.isascii()
        and run.isalpha()
        and len(run) > 1
        and run[1:].islower()
        and behind[:1] in (" ", "\t")
        and behind[1:].isascii()
        and behind[1:].isalpha()
    )


def _last_word(name: str) -> str:
    """Return the last word of a name that is no number, in lowercase."""
    end = len(name)
    while end and not (name[end - 1].isascii() and name[end - 1].isalpha()):
        end -= 1
    start = end
    if end and name[end - 1].islower():
        while start and name[start - 1].isascii() and name[start - 1].islower():
            start -= 1
        if start and name[start - 1].isascii() and name[start - 1].isupper():
            start -= 1
    else:
        while start and name[start - 1].isascii() and name[start - 1].isupper():
            start -= 1
    return name[start:end].lower()


def _is_alnum(character: str) -> bool:
    return character.isascii() and character.isalnum()
