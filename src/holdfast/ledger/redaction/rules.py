"""The formats that give a secret away by themselves: one row each, in order of application.

A pattern must be linear: it begins at a literal, has a left boundary where its body could begin
again, and either ends in a greedy class or has bounded repeats only. Its first group, if it has
one, is what gets replaced. Its hints are lowercase and hold no character that JSON escapes.
A format without a hint among the names in `names.py` MUST hold `prefilter.RUN_CHARS_MIN`
characters of `[A-Za-z0-9_-]` in a row.

Not here: secrets that are told only by the name they are assigned to (`assignments.py`).
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from holdfast.ledger.redaction.looks import is_placeholder, is_reference

Span = tuple[int, int, str]
"""Start, end and kind of a secret in a text."""

CONTEXT_CHARS_MAX: Final = 400
"""How far from a secret the word is looked for that makes it one."""


class Rule(NamedTuple):
    """Say how one kind of secret is recognised."""

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    note: str
    certain: bool = True
    accept: Callable[[re.Match[str]], bool] | None = None
    in_files: re.Pattern[str] | None = None

    def spans(self, text: str) -> Iterator[Span]:
        """Yield the secrets of this kind, left to right."""
        group = 1 if self.pattern.groups else 0
        for match in self.pattern.finditer(text):
            if self.accept is None or self.accept(match):
                yield match.start(group), match.end(group), self.kind

    def first_in_file(self, text: str) -> int | None:
        """Return where the first secret of this kind begins, by the stricter pattern for files."""
        for match in (self.in_files or self.pattern).finditer(text):
            if self.accept is None or self.accept(match):
                return match.start()
        return None


def _is_given(match: re.Match[str]) -> bool:
    return not (is_reference(match[1]) or is_placeholder(match[1]))


def _is_near(word: str) -> Callable[[re.Match[str]], bool]:
    def accept(match: re.Match[str]) -> bool:
        start = max(0, match.start() - CONTEXT_CHARS_MAX)
        around = match.string[start : match.end() + CONTEXT_CHARS_MAX]
        return word in around.lower()

    return accept


def _is_curl(match: re.Match[str]) -> bool:
    before = match.string[max(0, match.start() - CONTEXT_CHARS_MAX) : match.start()]
    return "curl" in before.lower() and _is_given(match)


def _p(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


_KEY_NAME = r"(?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_KEY_BEGIN = r"-{4,5} ?BEGIN " + _KEY_NAME
_KEY_END = r"-{4,5} ?END " + _KEY_NAME
_LINE_END = r"[ \t]{0,8}(?:\r?\n|\\{1,4}[nr])"
_KEY_BODY_FOLLOWS = rf"(?:(?={_LINE_END})(?!\s{{0,64}}\Z)|(?=[ \t]{{0,8}}[A-Za-z0-9+/=]{{16}}))"
_FILE_BODY_FOLLOWS = r"(?=[\s\\nr\"'+]{1,32}(?:[A-Za-z-]{3,32}: [^\n\\]{0,128}[\s\\nr]{1,8}){0,4}"
_FILE_BODY_FOLLOWS += r"[A-Za-z0-9+/=]{32})"
_SEPARATOR = r"[\"'\\]{0,4}[ \t]{0,4}[:=][ \t]{0,4}[\"'\\]{0,4}"
_EDGE = r"(?<![A-Za-z0-9])"
_END = r"(?![A-Za-z0-9])"


def _in_base64(header: str) -> str:
    """Return the base64 that every text beginning with `header` begins with."""
    whole = len(header) // 3 * 3
    return b64encode(header[:whole].encode()).decode()


_KEY_TYPES = ("", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ")
_BASE64_KEYS = "|".join(_in_base64(f"-----BEGIN {name}PRIVATE KEY-----") for name in _KEY_TYPES)

RULES: Final = (
    Rule(
        "private-key",
        ("private key",),
        _p(rf"{_KEY_BEGIN}{_KEY_BODY_FOLLOWS}(?:[\s\S]*?{_KEY_END}|[\s\S]*)"),
        "PEM, OpenSSH, SSH2 and PGP blocks, to the end of the text when unterminated",
        in_files=_p(_KEY_BEGIN + _FILE_BODY_FOLLOWS),
    ),
    Rule(
        "private-key",
        ("ls0tls1crudjti",),
        _p(rf"{_EDGE}(?:{_BASE64_KEYS})[A-Za-z0-9+/=]*"),
        "a PEM private key in base64, as Kubernetes and CI variables hold it",
    ),
    Rule(
        "putty-key",
        ("putty-user-key-file-",),
        _p(
            rf"PuTTY-User-Key-File-[0-9]: ?[a-z0-9-]{{3,64}}{_LINE_END}"
            r"[\s\S]*?(?:Private-MAC: ?[0-9a-f]{1,128}|\Z)"
        ),
        "a whole PuTTY key file, to the end of the text when unterminated",
        in_files=_p(
            rf"PuTTY-User-Key-File-[0-9]: ?[a-z0-9-]{{3,64}}{_LINE_END}"
            r"[\s\S]{0,16384}?Private-Lines: ?[0-9]"
        ),
    ),
    Rule(
        "age-key",
        ("age-secret-key-",),
        _p(r"AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{58,}"),
        "age identities",
    ),
    Rule(
        "aws-access-key",
        ("akia", "asia"),
        _p(rf"{_EDGE}A[KS]IA[A-Z0-9]{{16}}{_END}"),
        "long-lived and temporary access key ids",
    ),
    Rule(
        "aws-secret-key",
        ("secret",),
        _p(
            r"(?i:secret[-_]?(?:access[-_]?)?key)"
            rf"{_SEPARATOR}([A-Za-z0-9/+]{{40}})(?![A-Za-z0-9/+=])"
        ),
        "40 characters assigned to a name such as aws_secret_access_key",
    ),
    Rule(
        "github-token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        _p(rf"{_EDGE}(?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{{36,}}"),
        "personal, OAuth, user, server and refresh tokens; fine-grained tokens",
    ),
    Rule(
        "gitlab-token",
        ("glpat-",),
        _p(rf"{_EDGE}glpat-[A-Za-z0-9_-]{{20,}}(?:\.[0-9a-z]{{2}}\.[0-9a-z]{{7,9}})?"),
        "personal, project and group access tokens",
    ),
    Rule(
        "slack-token",
        ("xox",),
        _p(rf"{_EDGE}xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{{20,}}"),
        "bot, user, app, refresh and legacy tokens",
    ),
    Rule(
        "slack-webhook",
        ("hooks.slack.com/",),
        _p(
            r"hooks\.slack\.com/(?:services|workflows|triggers)/"
            r"((?:[A-Za-z0-9]{1,32}/){1,4}[A-Za-z0-9]{20,})"
        ),
        "the path of an incoming webhook is the secret",
    ),
    Rule(
        "anthropic-key",
        ("sk-ant-",),
        _p(rf"{_EDGE}sk-ant-[A-Za-z0-9_-]{{20,}}"),
        "API and admin keys",
    ),
    Rule(
        "openai-key",
        ("sk-",),
        _p(rf"{_EDGE}sk-(?=[A-Za-z_-]{{0,160}}[0-9])[A-Za-z0-9_-]{{20,}}"),
        "sk-, sk-proj-, sk-svcacct-, and the makers who copied the form; a digit is required, "
        "since style sheets use the prefix too",
    ),
    Rule(
        "google-api-key",
        ("aiza",),
        _p(rf"{_EDGE}AIza[A-Za-z0-9_-]{{35}}{_END}"),
        "Google Cloud, Maps, Firebase, Gemini",
    ),
    Rule(
        "google-oauth",
        ("ya29.", "gocspx-"),
        _p(rf"{_EDGE}(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{{20,}}"),
        "access tokens and client secrets",
    ),
    Rule(
        "stripe-key",
        ("k_live_", "k_test_", "whsec_"),
        _p(rf"{_EDGE}(?:[sr]k_(?:live|test)_[A-Za-z0-9]{{16,}}|whsec_[A-Za-z0-9]{{20,}})"),
        "secret and restricted keys, webhook secrets; publishable keys (pk_) are public",
    ),
    Rule(
        "twilio-key",
        ("twilio",),
        _p(rf"{_EDGE}SK[0-9a-f]{{32}}{_END}"),
        "only where Twilio is named nearby: the form alone could be a digest",
        certain=False,
        accept=_is_near("twilio"),
    ),
    Rule(
        "sendgrid-key",
        ("sg.",),
        _p(rf"{_EDGE}SG\.[A-Za-z0-9_-]{{16,32}}\.[A-Za-z0-9_-]{{32,}}"),
        "API keys",
    ),
    Rule(
        "npm-token",
        ("npm_",),
        _p(rf"{_EDGE}npm_[A-Za-z0-9]{{36,}}"),
        "access tokens; npm_config_… has underscores and does not match",
    ),
    Rule("pypi-token", ("pypi-",), _p(rf"{_EDGE}pypi-[A-Za-z0-9_-]{{50,}}"), "upload tokens"),
    Rule("huggingface-token", ("hf_",), _p(rf"{_EDGE}hf_[A-Za-z0-9]{{30,}}"), "user tokens"),
    Rule(
        "databricks-token",
        ("dapi",),
        _p(rf"{_EDGE}dapi[0-9a-f]{{32}}(?:-[0-9])?{_END}"),
        "personal access tokens",
    ),
    Rule(
        "digitalocean-token",
        ("_v1_",),
        _p(rf"{_EDGE}do[opr]_v1_[0-9a-f]{{64,}}"),
        "personal, OAuth and refresh tokens",
    ),
    Rule(
        "telegram-token",
        (":aa",),
        _p(rf"(?<![0-9])[0-9]{{8,10}}:AA[A-Za-z0-9_-]{{33}}{_END}"),
        "bot tokens, also inside api.telegram.org/bot…",
    ),
    Rule(
        "jwt",
        (".eyj",),
        _p(
            r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{17,}"
            r"\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"
        ),
        "signed JSON web tokens; the unsigned prove nothing",
    ),
    Rule(
        "authorization",
        ("authorization",),
        _p(
            rf"(?i:authorization){_SEPARATOR}(?i:bearer|basic|token)[ \t]{{1,4}}"
            r"([^\s\"'`\\,;<>]{6,})"
        ),
        "the credentials of an Authorization or Proxy-Authorization header",
        certain=False,
        accept=_is_given,
    ),
    Rule(
        "api-key",
        ("x-api-key",),
        _p(rf"(?i:x-api-key){_SEPARATOR}([^\s\"'`\\,;<>]{{8,}})"),
        "the header of many APIs",
        certain=False,
        accept=_is_given,
    ),
    Rule(
        "url-password",
        ("@",),
        _p(
            r"(?<=[A-Za-z0-9+.-])://[^\s/:\"'`<>\\]{0,128}:"
            r"([^\s/\"'`<>?\\]{1,256})@(?=[A-Za-z0-9\[_.%-])"
        ),
        "the password in scheme://user:password@host, and nothing else of it",
        certain=False,
        accept=_is_given,
    ),
    Rule(
        "curl-password",
        ("curl",),
        _p(
            r"(?<=\s)(?:-[uU]|--user|--proxy-user)[ \t=]{0,4}[\"'\\]{0,4}"
            r"[^\s:\"'\\]{1,128}:([^\s\"'\\]{1,256})"
        ),
        "curl -u user:password",
        certain=False,
        accept=_is_curl,
    ),
)
