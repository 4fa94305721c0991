"""Secrets leave a marker, and nothing else changes.

Every sample secret is put together at run time, so that none stands in the repository.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import uuid
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.errors import InvalidInput
from holdfast.ledger.redaction import Redactor
from holdfast.ledger.redaction.assignments import Assignments
from holdfast.ledger.redaction.prefilter import skeleton
from holdfast.ledger.redaction.rules import RULES

KEY = b"k" * 32
REDACTOR = Redactor(KEY)
MARKER = re.compile(r"\[REDACTED:([a-z0-9-]+):([0-9a-f]{12})\]")

ALNUM = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6"
HEX = hashlib.sha256(b"sample").hexdigest()
UPPER = "Q7W2E5R4T3Y6U9I2O3PAS4DF5GH6JK7L2ZX3CV4BN5M6Q7W8E9R1T2Y3U4I5"
JWT = ".".join(["ey" + "JhbGciOiJIUzI1NiJ9", "ey" + "JzdWIiOiIxMjM0In0", "Sf" + ALNUM[:24]])
BODY = "\n".join([ALNUM, ALNUM[::-1], ALNUM[:20] + "=="])
DASHES = "-" * 5


def pem(kind: str, body: str = BODY, *, closed: bool = True) -> str:
    end = f"\n{DASHES}END {kind}{DASHES}" if closed else ""
    return f"{DASHES}BEGIN {kind}{DASHES}\n{body}{end}"


PUTTY = (
    "PuTTY-User-" + "Key-File-{}: ssh-ed25519\nEncryption: none\nPublic-Lines: 1\nAAAA\n"
    "Private-Lines: 1\n" + ALNUM + "\nPrivate-MAC: " + HEX
)

# kind -> (samples that are secret as a whole, texts that hold none)
FORMATS: dict[str, tuple[list[str], list[str]]] = {
    "private-key": (
        [
            pem("PRIVATE KEY"),
            pem("RSA PRIVATE KEY"),
            pem("OPENSSH PRIVATE KEY"),
            pem("PGP PRIVATE KEY BLOCK"),
            pem("EC PRIVATE KEY").replace("\n", "\\n"),
            base64.b64encode(pem("RSA PRIVATE KEY").encode()).decode(),
        ],
        [
            pem("PUBLIC KEY"),
            pem("CERTIFICATE"),
            f"grep '{DASHES}BEGIN PRIVATE KEY{DASHES}' -r .",
            f"{DASHES}BEGIN PRIVATE KEY{DASHES}\n",
        ],
    ),
    "putty-key": (
        [PUTTY.format(2), PUTTY.format(3), PUTTY.format(3).replace("\n", "\\n")],
        ["PuTTY-User-Key-File", "a file PuTTY-User-Key-File-2: is written"],
    ),
    "age-key": (
        [
            "AGE-SECRET-" + "KEY-1" + UPPER[:58],
            "AGE-SECRET-" + "KEY-1" + UPPER[1:59],
            "AGE-SECRET-" + "KEY-PQ-1" + UPPER[:58],
        ],
        ["AGE-SECRET-KEY-1 begins it", "age1" + HEX],
    ),
    "aws-access-key": (
        ["AK" + "IA" + UPPER[:16], "AS" + "IA" + UPPER[4:20], "AK" + "IA" + "ABCD2345" * 2],
        ["AKIA" + "SHORT", "X" + "AKIA" + UPPER[:16], "AKIA" + UPPER[:30], "asia and akia"],
    ),
    "github-token": (
        ["gh" + p + "_" + "a1B2" * 9 for p in "pousr"] + ["github" + "_pat_" + ALNUM[:40]],
        ["ghp_short", "ghx_" + ALNUM[:36], "laughp_" + ALNUM[:20]],
    ),
    "gitlab-token": (
        [
            "gl" + "pat-" + ALNUM[:20],
            "gl" + "pat-" + ALNUM[5:32],
            "gl" + "pat-" + ALNUM[:27] + ".01.0a1b2c3d4",
        ],
        ["glpat-short", "aglpat-" + ALNUM[:20]],
    ),
    "slack-token": (
        ["xo" + "x" + c + "-123456789012-" + ALNUM[:24] for c in "abprs"],
        ["xoxo-kisses", "xox-" + ALNUM[:20]],
    ),
    "anthropic-key": (
        [
            "sk-" + "ant-api03-" + ALNUM,
            "sk-" + "ant-" + ALNUM[:24],
            "sk-" + "ant-admin01-" + ALNUM[::-1],
        ],
        ["sk-ant-short", "the prefix sk-ant- is theirs"],
    ),
    "openai-key": (
        ["sk-" + ALNUM[:48], "sk-" + "proj-" + ALNUM + "_-x", "sk-" + HEX[:32]],
        ["sk-fading-circle-container-inner", "task-" + ALNUM[:30], "sk-1"],
    ),
    "google-api-key": (
        ["AI" + "za" + ALNUM[:35], "AI" + "za" + ALNUM[3:38], "AI" + "zaSy" + ALNUM[:31] + "-_"],
        ["AIza" + "short", "AIza" + ALNUM],
    ),
    "google-oauth": (
        ["ya" + "29." + ALNUM, "ya" + "29." + ALNUM[:20] + "-_", "GOC" + "SPX-" + ALNUM[:28]],
        ["ya29.", "ya29 is a prefix", "GOCSPX-short"],
    ),
    "stripe-key": (
        ["sk" + "_live_" + ALNUM[:24], "rk" + "_live_" + ALNUM[:24], "wh" + "sec_" + ALNUM[:32]],
        ["pk_live_" + ALNUM[:24], "task_live_" + ALNUM[:4], "whsec_short"],
    ),
    "sendgrid-key": (
        ["S" + f"G.{ALNUM[i : i + 22]}.{ALNUM[i : i + 43]}" for i in range(3)],
        ["SG.short.short", "MSG." + ALNUM[:22] + "." + ALNUM[:43]],
    ),
    "npm-token": (
        ["np" + "m_" + ALNUM[i : i + 36] for i in range(3)],
        ["npm_config_registry_of_the_whole_company_x", "npm_" + ALNUM[:20]],
    ),
    "pypi-token": (
        ["py" + "pi-" + "AgEIcHlwaS5vcmc" + ALNUM[i:] for i in range(3)],
        ["pypi-publish", "pypi-" + ALNUM[:30]],
    ),
    "huggingface-token": (
        ["h" + "f_" + ALNUM[i : i + 34] for i in range(3)],
        ["hf_hub_download", "shf_" + ALNUM[:34]],
    ),
    "databricks-token": (
        ["da" + "pi" + HEX[:32], "da" + "pi" + HEX[32:], "da" + "pi" + HEX[8:40] + "-2"],
        ["dapi" + HEX, "ldapi" + HEX[:32]],
    ),
    "digitalocean-token": (
        ["do" + c + "_v1_" + HEX for c in "opr"],
        ["dop_v1_" + HEX[:20], "api_v1_" + HEX],
    ),
    "telegram-token": (
        [d + ":A" + "A" + ALNUM[:33] for d in ("12345678", "123456789", "1234567890")],
        ["12:AA" + ALNUM[:33], "123456789:AA" + ALNUM[:20]],
    ),
    "jwt": (
        [JWT, JWT + "-_", JWT.replace("Sf", "Xy")],
        ["ey" + "JhbGciOiJIUzI1NiJ9", "eyJ.eyJ.x", JWT.rpartition(".")[0] + "."],
    ),
}

WORD = "hun" + "ter2!!"
# kind -> (text with {} for the secret, secret), texts that hold none
IN_CONTEXT: dict[str, tuple[list[tuple[str, str]], list[str]]] = {
    "aws-secret-key": (
        [
            ("aws_secret_access_key = {}", ALNUM[:38] + "/+"),
            ('"SecretAccessKey": "{}"', ALNUM[:40]),
            ("AWS_SECRET_ACCESS_KEY={} aws s3 ls", ALNUM[5:45]),
        ],
        ["aws_secret_access_key = $KEY", "the secret access key: see vault"],
    ),
    "slack-webhook": (
        [
            (f"https://hooks.slack.com/{kind}/{{}}", f"T0{ALNUM[:8]}/B0{ALNUM[:8]}/{ALNUM[:24]}")
            for kind in ("services", "workflows", "triggers")
        ],
        ["https://hooks.slack.com/services/T0/B0/x", "https://slack.com/services/" + ALNUM],
    ),
    "twilio-key": (
        [
            ("twilio {}", "S" + "K" + HEX[:32]),
            ("Twilio.create({})", "S" + "K" + HEX[32:]),
            ("{} is for TWILIO", "S" + "K" + HEX[1:33]),
        ],
        ["SK" + HEX[:32], "twilio SK" + HEX[:20]],
    ),
    "authorization": (
        [
            ("Authorization: Bearer {}", ALNUM[:24]),
            ("-H 'authorization: Basic {}'", "dXNlcjpwYXNz"),
            ('{{"Proxy-Authorization": "Token {}"}}', HEX[:40]),
        ],
        [
            "Authorization: Bearer $TOKEN",
            "Authorization: Bearer <token>",
            "authorization: required",
        ],
    ),
    "api-key": (
        [
            ("x-api-key: {}", WORD),
            ('-H "X-Api-Key: {}"', HEX[:20]),
            ("'X-API-KEY': '{}'", ALNUM[:20]),
            ("OPENAI_API_KEY={}", ALNUM[:20]),
            ("apiKey: '{}',", ALNUM[:20]),
        ],
        ["x-api-key: ${KEY}", "X-Api-Key: your-api-key", "api_key = settings.api_key"],
    ),
    "url-password": (
        [
            ("postgres://app:{}@db:5432/x", WORD),
            ("redis://:{}@localhost", "pa55"),
            ("git clone https://me:{}@example.org/x.git", "p@ss#1"),
        ],
        [
            "https://example.org:8080/@me",
            "postgres://app:${PW}@db",
            "postgres://user:password@host",
            "https://host:8080?mail=a@b.org",
            "ssh://git@example.org/x",
        ],
    ),
    "curl-password": (
        [
            ("curl -u me:{} https://x", WORD),
            ("curl -s --user 'me:{}' https://x", WORD),
            ("curl https://x -ume:{}", WORD),
        ],
        ["curl -u me:$PW https://x", "docker run -u 1000:1000 x", "curl -u me https://x"],
    ),
    "password": (
        [
            ("password={}", WORD),
            ("export DB_PASSWORD='{}'", "with some spaces"),
            ("PGPASSWORD={} psql", WORD),
            ("  passwd: {}\n  user: x", WORD),
            ("--db-password {} --x", WORD),
            ("--password={}", WORD),
            ('{{\\"userPwd\\": \\"{}\\"}}', WORD),
            ('password: str = "{}"', WORD),
            ("?password={}&x=1", "a%20b7cc"),
            ('password = "{}', WORD),
            ("PASSWORD=$VAR password={}", WORD),
            ("token password={}", WORD),
        ],
        [
            "password=$PW",
            "password: ${{ secrets.PW }}",
            "password = os.environ['PW']",
            "password = getenv('THE_PASSWORD')",
            "password = get_password()",
            "password = self.password",
            "connect(password=new_password)",
            "password: string;",
            "password: Optional[str] = None",
            "password = '<your password>'",
            "password=********",
            "password: xxxxxxxx",
            "password=changeme",
            "password = 'example-password'",
            "the password: please enter it",
            "password_file=/run/x/the-password",
            "PWD=/home/me/project\nOLDPWD=/home/me",
            "password: abc",
            "password reset was sent to them",
        ],
    ),
    "secret": (
        [
            ("SECRET={}", WORD),
            ("client_secret: '{}'", WORD),
            ("clientSecret={}", ALNUM[:18]),
        ],
        ["secret_name: production", "secrets: inherit", "secretary: Josephine", "secret=false"],
    ),
    "token": (
        [
            ("GITHUB_TOKEN={}", ALNUM[:20]),
            ("authToken: '{}'", ALNUM[:16]),
            ("--token {}", HEX[:40]),
            ("https://x/?token={}&y=1", ALNUM[:20]),
            ("bot_token = {}", ".".join([ALNUM[:24], ALNUM[:6], ALNUM[:27]])),
        ],
        [
            "max_tokens: 4096",
            "token_count=1234567890123456",
            "tokens: " + ALNUM,
            "next_token_id: 12345678901234567",
            "tokenizer: " + ALNUM[:20],
            "token: short",
            "token = 'next_page_token_of_the_list'",
            "token=token=token=token=token",
        ],
    ),
    "key": (
        [
            ("access_key={}", ALNUM[:20]),
            ("AccountKey={}", ALNUM[:40] + "/+w=="),
            ("private-key: {}", ALNUM[:20]),
        ],
        ["cache_key: " + ALNUM, "access_key_id=" + ALNUM[:20], "public_key: " + ALNUM],
    ),
    "credential": (
        [
            ("credential={}", ALNUM[:20]),
            ("credentials: '{}'", ALNUM[:20]),
            ("AZURE_CREDENTIALS={}", ALNUM[4:30]),
        ],
        ["credentials: 'same-origin'", "credentials: include", "credential_type: " + ALNUM],
    ),
}
IN_CONTEXT["authorization"][0].append(("npm_auth={}", ALNUM[:20]))

SECRETS = [(k, s) for k, (found, _) in FORMATS.items() for s in found]
PLACED = [(k, t, s) for k, (found, _) in IN_CONTEXT.items() for t, s in found]
HARMLESS = [t for table in (FORMATS, IN_CONTEXT) for _, texts in table.values() for t in texts]
HARMLESS += [
    "commit " + HEX[:40],
    "sha256:" + HEX,
    str(uuid.UUID(int=7 << 64)),
    "data:image/png;base64," + base64.b64encode(bytes(range(200))).decode(),
    "author: " + ALNUM,
    "the key: " + ALNUM,
]
ALL_TEXTS = [s for _, s in SECRETS] + [t.format(s) for _, t, s in PLACED]


def canonical(value: Any) -> bytes:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode()


def marker(kind: str, secret: str, key: bytes = KEY) -> str:
    digest = hmac.new(key, secret.encode(), hashlib.sha256).hexdigest()
    return f"[REDACTED:{kind}:{digest[:12]}]"


@pytest.mark.parametrize(("kind", "secret"), SECRETS)
def test_a_known_format_becomes_its_marker(kind: str, secret: str) -> None:
    assert (f"see {marker(kind, secret)} there", 1) == REDACTOR.clean_text(f"see {secret} there")


@pytest.mark.parametrize(("kind", "template", "secret"), PLACED)
def test_only_the_secret_is_replaced_in_its_context(kind: str, template: str, secret: str) -> None:
    expected = template.format(marker(kind, secret))
    assert (expected, 1) == REDACTOR.clean_text(template.format(secret))


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays(text: str) -> None:
    assert (text, 0) == REDACTOR.clean_text(text)


def test_every_rule_has_three_secrets_and_two_harmless_texts() -> None:
    for rule in RULES:
        found, harmless = FORMATS.get(rule.kind) or IN_CONTEXT[rule.kind]
        assert len(found) >= 3, rule.kind
        assert len(harmless) >= 2, rule.kind


@pytest.mark.parametrize("text", ALL_TEXTS)
def test_every_secret_is_suspected_in_values_and_in_keys(text: str) -> None:
    for value in (text, [text], {"x": text}, {text: 1}, {"é\n": [{"y": text}]}):
        assert REDACTOR.clean(value)[1] >= 1
        assert REDACTOR.suspects(canonical(value))


def test_an_ordinary_entry_is_not_suspected() -> None:
    entry = {
        "author": "them",
        "files": ["src/holdfast/kernel/limits.py", "docs/adr/0001-why.md"],
        "hash": HEX,
        "id": str(uuid.UUID(int=7 << 64)),
        "usage": {"input_tokens": 12, "max_tokens": 4096},
    }
    assert not REDACTOR.suspects(canonical(entry))


PIECES = st.one_of(
    st.sampled_from(ALL_TEXTS + HARMLESS),
    st.sampled_from([h for rule in RULES for h in rule.hints]),
    st.sampled_from(["password", "TOKEN", "auth", "apiKey", "=", ": ", '"', "'", "\\", "\n", " "]),
    st.sampled_from([ALNUM, HEX, "://", "@", "--", "&x=", ";", ",", "curl -u a:", "Bearer "]),
    st.text(max_size=8),
)
TANGLES = st.lists(PIECES, max_size=8).map("".join)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), TANGLES),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(TANGLES, st.sampled_from(["password", "apiKey", "x"])), inner),
    ),
    max_leaves=5,
)


@given(VALUES)
def test_what_is_not_suspected_would_not_be_changed(value: Any) -> None:
    cleaned, count = REDACTOR.clean(value)
    if count or cleaned is not value:
        assert REDACTOR.suspects(canonical(value))


@given(TANGLES)
def test_what_any_rule_would_find_is_suspected(text: str) -> None:
    """`clean` asks the prefilter too, so the rules are asked here without it."""
    finders = (*RULES, Assignments((), builtin=True))
    if any(True for finder in finders for _ in finder.spans(text)):
        assert REDACTOR.suspects(canonical(text))


def test_a_hint_made_by_chance_neither_makes_suspicion_nor_hides_a_secret() -> None:
    """The letters of `auth` that the first look keeps stand in many a long text."""
    chance = "but here the out house is about the youth " * 20
    assert "uth" in skeleton(chance.encode())
    assert not REDACTOR.suspects(canonical(chance))
    assert REDACTOR.suspects(canonical(chance + "ghp_" + "a1B2" * 9))
    assert REDACTOR.suspects(canonical(chance + "Authorization: Bearer abcdef123456"))


@given(TANGLES, TANGLES)
def test_a_name_that_makes_a_secret_is_suspected(name: str, value: str) -> None:
    if Assignments((), builtin=True).span_under(name, value):
        assert REDACTOR.suspects(canonical({name: value}))


@given(VALUES)
def test_cleaning_twice_changes_nothing_more(value: Any) -> None:
    cleaned, _ = REDACTOR.clean(value)
    again, count = REDACTOR.clean(cleaned)
    assert count == 0
    assert again is cleaned


@given(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.sampled_from(SECRETS),
    st.text(st.characters(exclude_categories=["Cs"])),
)
def test_the_surroundings_of_a_secret_stay(
    before: str, planted: tuple[str, str], after: str
) -> None:
    kind, secret = planted
    before, after = before + " ", " " + after
    text, count = REDACTOR.clean_text(before + secret + after)
    assert (before + marker(kind, secret) + after, 1) == (text, count)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_plain_text_without_hints_is_the_same_object(text: str) -> None:
    value = {"text": [text]}
    cleaned, count = REDACTOR.clean(value)
    assert count or cleaned is value


def test_an_unterminated_private_key_is_replaced_to_the_end() -> None:
    key = pem("RSA PRIVATE KEY", closed=False)
    assert ("x " + marker("private-key", key), 1) == REDACTOR.clean_text("x " + key)


def test_secrets_are_found_at_any_depth_and_the_rest_is_kept() -> None:
    secret = FORMATS["github-token"][0][0]
    value = {"a": [1, None, {"b": f"x {secret}", "c": 2.5}], "d": True}
    cleaned, count = REDACTOR.clean(value)
    mark = marker("github-token", secret)
    assert count == 1
    assert cleaned == {"a": [1, None, {"b": f"x {mark}", "c": 2.5}], "d": True}
    assert value["a"] == [1, None, {"b": f"x {secret}", "c": 2.5}]


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("password", WORD, marker("password", WORD)),
        ("db_passwd", [WORD], [marker("password", WORD)]),
        ("clientSecret", WORD, marker("secret", WORD)),
        ("api-key", ALNUM, marker("api-key", ALNUM)),
        ("Authorization", "Bearer " + ALNUM, "Bearer " + marker("authorization", ALNUM)),
        ("token", SECRETS[12][1], marker(SECRETS[12][0], SECRETS[12][1])),
        ("password", "${PW}", "${PW}"),
        ("password", 123456, 123456),
        ("max_tokens", ALNUM, ALNUM),
        ("digest", HEX, HEX),
        ("token", "short", "short"),
    ],
)
def test_a_key_that_is_a_secret_name_judges_its_value(name: str, value: Any, expected: Any) -> None:
    assert {name: expected} == REDACTOR.clean({name: value})[0]


def test_a_secret_in_a_key_is_replaced_and_no_value_is_lost() -> None:
    secret = FORMATS["npm-token"][0][0]
    mark = marker("npm-token", secret)
    assert ({mark: 1, "x": 2}, 1) == REDACTOR.clean({secret: 1, "x": 2})
    assert ({mark + "~2": 1, mark: 2}, 1) == REDACTOR.clean({secret: 1, mark: 2})


def test_equal_secrets_match_within_a_key_and_differ_across_keys() -> None:
    secret = "password=" + WORD
    other = Redactor(b"other key")
    first, second = MARKER.findall(REDACTOR.clean_text(f"{secret} {secret}")[0])
    assert first == second
    assert REDACTOR.clean_text(secret) != other.clean_text(secret)


def test_own_secret_names_are_looked_for() -> None:
    redactor = Redactor(KEY, secret_names=["X-Door", "aeio"])
    for value in ({"x-door": WORD}, f"my_X-DOOR={WORD}", {"AEIO": WORD}):
        assert redactor.clean(value)[1] == 1
        assert redactor.suspects(canonical(value))
        assert REDACTOR.clean(value)[1] == 0


def test_without_entropy_only_formats_and_own_names_are_found() -> None:
    redactor = Redactor(KEY, secret_names=["door"], entropy=False)
    assert redactor.clean({"password": WORD, "x": "token=" + ALNUM})[1] == 0
    assert redactor.clean({"door": WORD})[1] == 1
    for kind, secret in SECRETS:
        assert redactor.clean_text(secret)[1] == 1, kind
        assert redactor.suspects(canonical(secret))


@pytest.mark.parametrize(("kind", "secret"), SECRETS)
def test_a_file_with_a_certain_secret_is_told(kind: str, secret: str) -> None:
    assert kind == REDACTOR.finds_secret(f"é x = '{secret}'\n".encode())
    assert kind == REDACTOR.finds_secret(f"x = '{secret}'\n".encode("utf-16"))


def test_the_first_secret_of_a_file_is_named() -> None:
    npm, age = FORMATS["npm-token"][0][0], FORMATS["age-key"][0][0]
    assert REDACTOR.finds_secret(f"{npm} {age}".encode()) == "npm-token"
    assert REDACTOR.finds_secret(f"{age} {npm}".encode()) == "age-key"


@pytest.mark.parametrize(
    "code",
    [
        "password = '" + WORD + "'",
        "token = '" + ALNUM + "'",
        "url = 'postgres://app:" + WORD + "@db'",
        f"HEADER = '{DASHES}BEGIN PRIVATE KEY{DASHES}\\n' + body",
        "",
    ],
)
def test_code_is_not_suspected_for_its_names_or_entropy(code: str) -> None:
    assert REDACTOR.finds_secret(code.encode()) is None
    assert REDACTOR.finds_secret(bytes(range(128, 256)) + code.encode()) is None


HOSTILE = [
    *(hint for rule in RULES for hint in rule.hints),
    *("sk-ant-", "eyJ", "eyJ" + "a" * 20 + ".", f"{DASHES}BEGIN ", f"{DASHES}BEGIN PRIVATE KEY"),
    f"{DASHES}BEGIN PRIVATE KEY{DASHES}",
    *(
        "://:",
        "://a:b",
        "a://b:c@",
        "password=",
        "password= ",
        'password="',
        "token='\\",
        'token=\\"',
    ),
    *("token", "token=", "token=(", "--token ", "&a", "token=&a", "token:))", " -u a:", "curl -u "),
    *("\\", '"', "-", ".", "[REDACTED:", "[REDACTED:x:000000000000]", "a", "\u0130password="),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_repetition_is_finished(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    cleaned, count = REDACTOR.clean_text(text)
    assert (count == 0) == (cleaned == text)
    REDACTOR.finds_secret(text.encode())
    REDACTOR.suspects(text.encode())


def test_a_lone_surrogate_in_a_secret_is_no_obstacle() -> None:
    assert REDACTOR.clean_text("password='abc\ud800def'")[1] == 1


@pytest.mark.parametrize("name", ["", "a b", 'a"b', "ä-key", "x" * 65])
def test_a_secret_name_that_cannot_be_searched_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput):
        Redactor(KEY, secret_names=[name])


def test_an_empty_key_is_refused() -> None:
    with pytest.raises(InvalidInput):
        Redactor(b"")


def test_a_value_nested_too_deep_is_refused() -> None:
    value: Any = "x"
    for _ in range(100):
        value = [value]
    with pytest.raises(InvalidInput):
        REDACTOR.clean(value)
