"""Whether a result says that its call did nothing.

Some dialects have a field for that; clients of the others say it in words, each in its own. What a
result begins with counts: behind it may stand a file, a linter's complaints, a log. Words of
success outweigh words of failure that stand behind them.
"""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

_HEAD_CHARS: Final = 300
_BRACKETS: Final = " \t\r\n[<(❌⚠✖✗✘🚫⛔️"
_DECORATION: Final = " \t\r\n*`\"'>#-[(<❌⚠✖✗✘🚫⛔️:"

_FAILURE: Final = re.compile(
    r"(?:an? |the )?(?:(?:unknown|unexpected|internal|fatal|tool(?:_use)?|execution|system) ?)*"
    r"(?:errors?|exception|failed|failure|fatal|traceback|permission denied|access (?:is )?denied|"
    r"operation not permitted|cancell?ed|abort(?:ed)?|rejected|denied|declined|refused|skipped|"
    r"timeout|timed out|interrupted|could not|couldn['’]t|cannot|can['’]t|unable to|invalid|"
    r"no such file|(?:\w+ )?not found|no match(?:es)?|no changes|nothing (?:was )?changed|"
    r"unknown tool|missing|request interrupted|read-only file system|no space left|"
    r"E(?:ACCES|PERM|NOENT|ISDIR|NOTDIR|EXIST|BUSY|NOSPC|ROFS|MFILE|LOOP)|"
    r"exit (?:code|status)(?: was)?:? *[1-9]\d*|exited with (?:code )?[1-9]\d*)"
    r"(?![\w(.=]|\s*(?:[=+]|:?\s*(?:0|none)\b))",
    re.IGNORECASE,
)
"""A result that begins so says that nothing was done."""

_SUCCESS: Final = re.compile(
    r"\bsuccess(?:ful|fully)?\b|\b(?:has|have|was|were) (?:been )?(?:successfully )?"
    r"(?:updated|created|written|modified|saved|edited|changed|replaced|applied|deleted|removed)\b|"
    r"^(?:done|ok|okay|wrote|updated|created|saved|edited|applied|replaced|written)\b|"
    r"exit (?:code|status):? 0\b",
    re.IGNORECASE,
)

_WITHIN: Final = re.compile(
    r"\b(?:users?|operator|human|client|permission)\b[^.\n]{0,40}?\b(?:denied|rejected|declined|"
    r"cancell?ed|refused|interrupted|aborted|doesn['’]t want|does not want|"
    r"did not (?:allow|approve)|disallowed|blocked)\b|"
    r"\b(?:rejected|denied|declined|cancell?ed|refused|interrupted|aborted|blocked) by\b|"
    r"\b(?:is|was|were|been|be) (?:rejected|denied|declined|cancell?ed|refused|aborted|blocked|"
    r"interrupted|skipped|"
    r"not (?:applied|written|made|saved|executed|changed|found|allowed|permitted))\b|"
    r"verification failed|\bfailed to \w+|\bfailed:|(?<![-+])\berror(?: occurred)?:|"
    r"\bno such file\b|"
    r"\b(?:did not|does not|doesn['’]t|didn['’]t) (?:match|apply|exist|appear|contain)\b|"
    r"\bnot found\b|\bno match\b|\bpermission denied\b|\bdisk full\b|\bhas not been read\b|"
    r"\bE(?:ACCES|PERM|NOENT|ISDIR|NOTDIR|NOSPC|ROFS)\b|\bfound \d+ matches\b",
    re.IGNORECASE,
)
"""So a result says it within its first sentences."""

_BAD: Final = frozenset(
    ("error", "failed", "failure", "denied", "rejected", "cancelled", "canceled", "declined",
     "aborted", "timeout")
)  # fmt: skip


def says_failed(text: str) -> bool:
    """Tell whether a result says that its call did nothing."""
    spelled = text.lstrip()
    if spelled.startswith("{"):
        return _object_says(spelled)
    if spelled.startswith("<tool_use_error>"):
        return True
    head = spelled[:_HEAD_CHARS].lstrip(_DECORATION)
    if _FAILURE.match(head):
        return True
    return not _SUCCESS.search(head) and _WITHIN.search(head) is not None


def is_refusal(text: str) -> bool:
    """Tell whether a result that should be a file is the words of a tool that could not read it."""
    spelled = text.lstrip()
    if spelled.startswith(("{", "<tool_use_error>")):
        return says_failed(spelled)
    if _FAILURE.match(spelled[:_HEAD_CHARS].lstrip(_BRACKETS)):
        return True  # a comment or a text in quotes may begin with these words as well
    # One line alone can be a message; the second line of a file is no tool's.
    return "\n" not in spelled.rstrip() and says_failed(spelled)


def _object_says(text: str) -> bool:
    try:
        value: Any = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return False
    match value:
        case {"metadata": {"exit_code": int(code)}} | {"exit_code": int(code)}:
            return code != 0
        case {"success": False} | {"ok": False} | {"isError": True} | {"is_error": True}:
            return True
        case {"error": problem} if problem:
            return True
        case {"status": str(status)}:
            return status.lower() in _BAD
        case _:
            return False
