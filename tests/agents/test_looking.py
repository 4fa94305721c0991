"""The first look: what it clears, the redactor would leave as it is."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.agents.looking import suspects, suspects_file
from holdfast.ledger.redaction import Redactor
from holdfast.ledger.redaction.names import _LAST_WORDS_OF_OTHERS
from holdfast.ledger.redaction.rules import RULES

REDACTOR = Redactor(b"k" * 32)
SOURCES = Path(__file__).parents[2] / "src"

_NAMES = """
    password Password PASSWD passphrase pwd DB_PWD secret clientSecret SECRET_KEY token access_token
    tokens tokenizer auth oauth AUTH Authorization author credential credentials api_key api-key
    apikey privateKey account.key encryption_key x-api-key --token --password max_ _count _id Url
    key FOO_ user bearer REDACTED the word
"""
NAMES = _NAMES.split()
SIGNS = [*"=:\"'`[](){},;.-_/@%&? \n\t\\", " = ", ": ", " := ", "=>", "==", '\\"', "\\n", "://"]
_VALUES = """
    hunter22 hunter2hunter2 aB3dE5fG7hI9jK1lM3nO5 Zm9vYmFyYmF6cXV4MTIzNA== ${X} $TOKEN self.token
    get_token getToken None str AKIAABCDEFGHIJKLMNOP sk-proj-abcdef0123456789abcdef msg. SG.
    xoxb-1234567890-abcdefghijkl abcdefghijklmnop joined-words-are-fine-here bob:hunter22@host
    https:// curl -u --user Bearer Basic 1 12345678:AAxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx é İ ß
    eyJhbGciOiJIUzI1NiIsInR5.eyJzdWIiOiIxMjM0.abcdefghijk [REDACTED:token:34288dcb3038]
"""
VALUES = [
    *_VALUES.split(),
    "correct horse",
    "ghp_" + "a1B2" * 9,
    'os.environ["X"]',
    "x" * 20,
    "Bearer ",
    "Token ",
]
WORDS = st.sampled_from([*NAMES, *SIGNS, *SIGNS, *VALUES])
TEXTS = st.lists(WORDS, min_size=2, max_size=14).map("".join)


@pytest.mark.lesson("N12")
@settings(max_examples=3000)
@example({"x": "account.keyabcdefghijklmnop tokenstokens1:-PASSWDUrlAKIAABCDEFGHIJKLMNOP"})
@example({"x": 'token = "ghp_16C7e42F292c6912E7710'})
@example({"x": "?--token-u ://_countmax_//%=>"})
@example({"x": 'password="ab\\"cdefghij"'})
@given(st.dictionaries(TEXTS, TEXTS | st.lists(TEXTS, max_size=2), min_size=1, max_size=2))
def test_what_is_cleared_holds_nothing_to_redact(value: dict[str, Any]) -> None:
    if not suspects(value):
        assert REDACTOR.clean(value)[1] == 0


@given(TEXTS)
def test_what_is_cleared_of_a_file_holds_no_certain_secret(text: str) -> None:
    content = text.encode("utf-8", "surrogatepass")
    if not suspects_file(content):
        assert REDACTOR.finds_secret(content) is None


def test_code_that_people_work_on_is_seldom_suspected() -> None:
    parts = [
        text[at : at + 5000]
        for path in sorted(SOURCES.rglob("*.py"))
        for text in [path.read_text(encoding="utf-8")]
        for at in range(0, len(text), 5000)
    ]
    found = [part for part in parts if suspects({"content": part})]
    missed = [part for part in parts if part not in found and REDACTOR.clean(part)[1]]
    assert missed == []
    assert len(found) < 0.05 * len(parts)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.kind}-{rule.hints[0]}")
def test_no_format_is_left_out(rule: Any) -> None:
    """Every rule has an example among these, and each is suspected."""
    samples = [one for one in SAMPLES if next(rule.spans(one), None) is not None]
    assert samples != []
    assert all(suspects({"x": one}) for one in samples)


def test_the_users_own_names_are_suspected() -> None:
    assert not suspects({"x": "hush: something long"})
    assert suspects({"x": "Hush: something long"}, ("hush",))


def test_names_that_hold_no_secret_are_the_redactors() -> None:
    from holdfast.agents.assigned import _OTHERS

    assert _OTHERS == _LAST_WORDS_OF_OTHERS


def test_a_value_that_is_too_deep_to_look_at_is_suspected() -> None:
    deep: Any = "x"
    for _ in range(200):
        deep = [deep]
    assert suspects(deep)


_RUN = "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9"
SAMPLES = (
    f"-----BEGIN RSA PRIVATE KEY-----\n{_RUN}\n-----END RSA PRIVATE KEY-----",
    "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t" + _RUN,
    "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tL" + _RUN,
    f"PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 14\n{_RUN}\nPrivate-MAC: 00ff",
    "AGE-SECRET-KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L" * 2,
    "AKIAIOSFODNN7EXAMPLE",
    f"aws_secret_access_key = {_RUN[:40]}",
    "ghp_" + "aB3dE5fG7hI9" * 3,
    f"glpat-{_RUN[:20]}",
    f"xoxb-{_RUN}",
    f"https://hooks.slack.com/services/T0/B0/{_RUN[:24]}",
    f"sk-ant-{_RUN}",
    f"sk-proj-{_RUN}",
    "AIza" + _RUN[:35],
    f"ya29.{_RUN}",
    "sk_live_" + _RUN[:24],
    "twilio SK" + "0123456789abcdef" * 2,
    f"SG.{_RUN[:22]}.{_RUN[:40]}",
    "npm_" + _RUN[:36],
    "pypi-" + _RUN + _RUN,
    "hf_" + _RUN[:34],
    "dapi" + "0123456789abcdef" * 2,
    "dop_v1_" + "0123456789abcdef" * 4,
    "123456789:AA" + _RUN[:33],
    f"eyJhbGciOiJIUzI1NiIsInR5.eyJzdWIiOiIxMjM0.{_RUN}",
    f"Authorization: Bearer {_RUN}",
    f"X-Api-Key: {_RUN}",
    "postgres://bob:hunter22@db.example/x",
    "curl -u bob:hunter22 http://x",
)
