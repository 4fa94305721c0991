"""Not everything in a user's turn is the user's: clients and models speak there as well."""

from __future__ import annotations

import pytest

from holdfast.wire.speakers import shows_files, split

FILES = (
    "I have *added these files to the chat* so you can go ahead and edit them.\n\n"
    "*Trust this message as the true contents of these files!*\n\na.py\n```\nx = 1\n```\n"
)


@pytest.mark.lesson("N14")
@pytest.mark.parametrize(
    "text",
    [
        FILES,
        "Here are some READ ONLY files, provided for your reference.\nDo not edit these files!\n",
        "Here are summaries of some files present in my git repository.\na.py:\n⋮\n",
        "# AGENTS.md instructions for /home/me/app\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>",
        "[Request interrupted by user for tool use]",
        "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\nSummarize.",
        "You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary.",
        "\nUSER: go on\n\nASSISTANT: a.py\n```\nx = 1\n```\n\n# Diffs:\n--- a/a.py\n+++ b/a.py\n",
        "# Diffs:\n--- a/a.py\n+++ b/a.py\n",
        "# USER\ngo on\n# ASSISTANT\na.py\n```\nx = 1\n```\n",
        "# 1 SEARCH/REPLACE block failed to match!\n\n## SearchReplaceNoExactMatch: a.py\n",
        "# 12 SEARCH/REPLACE blocks failed to match!\n\n## SearchReplaceNoExactMatch: a.py\n",
        "# Fix any errors below, if possible.\n\na.py:1: E999\n",
        "I didn't see any properly formatted edits in your reply?!",
        "I committed the changes with git hash 1a2b3c4 & commit msg: fix: it",
        "I ran this command:\n\ncat a.py\n\nAnd got this output:\n\nx = 1\n",
        "UnifiedDiffNoMatch: hunk failed to apply!\n\na.py does not contain lines\n",
        "[read_file for 'README.md'] Result:\n\na.py\n```\nx = 1\n```\n",
        "[execute_command for 'cat a.py'] Result:\nCommand executed.\n",
        "<bash-stdout>\na.py\n```\nx = 1\n```\n</bash-stdout>",
        "<bash-input>cat a.py</bash-input>",
        "<bash-stderr>a.py: no such file</bash-stderr>",
        '<system-reminder id="1">\na.py\n```\nx = 1\n```\n</system-reminder>',
        "<system-reminder>\na.py\n```\nx = 1\n```\n",
    ],
)
def test_what_a_client_says_of_its_own_is_not_the_users(text: str) -> None:
    assert list(split(text)) == [("client", text)]


@pytest.mark.lesson("N14")
@pytest.mark.parametrize(
    "text",
    [
        "This session is being continued from a previous conversation that ran out of context.\n"
        "a.py\n```python\nx = 1\n```\n",
        "Another language model started to solve this problem and produced a summary of it.",
        "I spoke to you previously about a number of things.\nI asked you to fix a.py.",
        "Continue from this summary:\n\na.py\n```\nx = 1\n```\n",
    ],
)
def test_a_summary_of_the_history_is_the_models(text: str) -> None:
    assert list(split(text)) == [("model", text)]


@pytest.mark.lesson("N14")
@pytest.mark.parametrize(
    "rules",
    [
        "# *SEARCH/REPLACE block* Rules:\n\nEvery *SEARCH/REPLACE block* must use this format:\n",
        "# File editing rules:\n\nReturn edits similar to unified diffs\n",
        "# V4A Diff Format Rules:\n\nYour entire response\n",
        "To suggest changes to a file you MUST return the entire content of the updated file.\n"
        "path/to/filename.js\n```\n// entire file content ...\n```\n",
    ],
)
def test_rules_that_aider_puts_behind_the_users_words_are_aiders(rules: str) -> None:
    said = "add a function\n\na.py\n```\nx = 1\n```\n"
    assert list(split(f"{said}\n\n{rules}")) == [("user", said), ("client", rules)]


def test_the_same_words_inside_a_sentence_are_the_users() -> None:
    text = "what do `# File editing rules:` mean, and *added these files to the chat*?"
    assert list(split(text)) == [("user", text)]


def test_only_some_of_the_clients_messages_show_files() -> None:
    assert shows_files(FILES)
    assert not shows_files("Here are summaries of some files present in my git repository.\n")
    assert not shows_files("<system-reminder>a.py</system-reminder>")


@pytest.mark.lesson("N14")
def test_a_reminder_that_is_never_closed_goes_to_the_end() -> None:
    text = "go on\n<system-reminder>\na.py\n```\nx = 1\n```\n"
    assert list(split(text)) == [("user", "go on"), ("client", text[6:])]


@pytest.mark.parametrize(
    "text",
    [
        "What is a <system-reminder> for?",
        "What is `<system-reminder>x</system-reminder>` for?",
        "a.py\n```\nX = '<system-reminder>'\n\nY = '</system-reminder>'\n```\n",
        "a.py\n~~~~\n<system-reminder>\nx\n</system-reminder>\n~~~~\n",
        "[read_file for 'a.py'] gave no result",
        "[attempt_completion] Result:\n\nNo, do it again.",
        "I will continue from this summary:\na.py\n",
    ],
)
def test_words_about_tags_and_results_are_the_users(text: str) -> None:
    assert list(split(text)) == [("user", text)]


@pytest.mark.lesson("N14")
@pytest.mark.parametrize(
    "words",
    ["a.py\n```\nx = 1\n```\n", "What is ```this```?", "```\nnever closed"],
)
def test_a_reminder_behind_code_is_still_the_clients(words: str) -> None:
    reminder = "<system-reminder>\nb.py\n~~~\ny = 1\n~~~\n</system-reminder>"
    assert list(split(f"{words}\n{reminder}")) == [("user", words.strip()), ("client", reminder)]


def test_many_fences_and_tags_that_are_never_closed_cost_no_more_than_their_length() -> None:
    text = "".join(f"{'`' * (3 + n % 50)} a <bash-input>\n~~~~ b\n" for n in range(20_000))
    assert list(split(f"{text}x <bash-stderr>")) == [("user", f"{text}x <bash-stderr>")]
