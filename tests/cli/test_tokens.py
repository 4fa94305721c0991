"""`holdfast tokens`: a number and who counted."""

from __future__ import annotations

import subprocess
import sys

import pytest
import splintr

from holdfast import counting
from holdfast.kernel import tokens
from tests.cli.harness import Holdfast

TEXT = "What the service had promised was not what it had done. größer 🙂\n"


@pytest.fixture
def project(bare: Holdfast) -> Holdfast:
    """A project with a text and without a ledger."""
    (bare.folder / "a.txt").write_text(TEXT)
    return bare


def true_count(vocabulary: str) -> int:
    return len(splintr.Tokenizer.from_pretrained(vocabulary).encode_ordinary(TEXT))


@pytest.mark.req("L4")
def test_a_real_tokenizer_counts_and_is_named(project: Holdfast) -> None:
    true = true_count("o200k_base")
    expected = {"tokens": true, "counter": "splintr/o200k_base", "model": None}
    assert project.process("tokens", "a.txt", "--json").json() == expected
    assert project("tokens", "-", "--json", stdin=TEXT.encode()).json() == expected
    assert project("tokens", "a.txt").text == f"{true} tokens (splintr/o200k_base)\n"


@pytest.mark.req("L4")
def test_a_model_is_counted_by_its_own_tokenizer(project: Holdfast) -> None:
    found = project("tokens", "a.txt", "--model", "gpt-4", "--json").json()
    assert found["tokens"] == true_count("cl100k_base")
    assert (found["counter"], found["model"]) == ("splintr/cl100k_base", "gpt-4")


def test_a_model_without_a_public_tokenizer_is_estimated_and_says_so(project: Holdfast) -> None:
    done = project("tokens", "a.txt", "--model", "claude-opus\x1b[2J", "--json")
    assert done.json()["tokens"] == tokens.estimate(TEXT)
    assert done.json()["counter"] == tokens.COUNTER
    assert "No public tokenizer is known" in done.err
    assert "\x1b" not in done.err


def test_without_the_extra_it_says_how_to_have_it(
    project: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "_splintr", lambda: None)
    counting._tokenizer.cache_clear()
    done = project("tokens", "a.txt", "--json")
    assert (done.code, done.json()["counter"]) == (0, tokens.COUNTER)
    assert "extra `tokens`" in done.err
    asked = project("tokens", "a.txt", "--model", "cl100k_base", "--json")
    assert (asked.code, asked.json()["error"]["kind"]) == (2, "CouldNotLook")
    assert "extra `tokens`" in asked.err


def test_the_tokenizers_are_not_loaded_for_an_estimate(project: Holdfast) -> None:
    project.folder.joinpath("probe.py").write_text(
        "import sys\n"
        f"sys.argv = ['holdfast', 'tokens', 'a.txt', '--model', {tokens.COUNTER!r}]\n"
        "from holdfast.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit:\n    print('splintr' in sys.modules)\n"
    )
    out = subprocess.run(
        [sys.executable, "probe.py"],
        cwd=project.folder,
        env=project.env(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert out.stdout == f"{tokens.estimate(TEXT)} tokens ({tokens.COUNTER})\nFalse\n"


@pytest.mark.parametrize(
    ("args", "stdin", "code"),
    [
        (("b.txt",), b"", 1),
        (("../a.txt",), b"", 2),
        (("/etc/hostname",), b"", 2),
        (("-",), b"a\0b", 2),
        (("-",), b"\xff", 2),
    ],
)
def test_what_cannot_be_counted_is_refused(
    project: Holdfast, args: tuple[str, ...], stdin: bytes, code: int
) -> None:
    done = project("tokens", *args, stdin=stdin)
    assert (done.code, done.text) == (code, "")


def test_nothing_takes_no_tokens(project: Holdfast) -> None:
    assert project("tokens", "-", "--json").json()["tokens"] == 0
