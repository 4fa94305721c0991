"""One way to count tokens: by a real tokenizer where there is one, else high."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest
import splintr

from bench.token_counts import Compared, compare, corpus, parts
from holdfast import counting
from holdfast.counting import Counted, count, vocabulary_of, why_estimated
from holdfast.kernel import tokens
from holdfast.kernel.errors import CouldNotLook
from holdfast.kernel.token_pieces import PIECES

OVER_MAX = 0.30
TEXT = "def put(self, one):\n    self.all.append(one)  # größer 🙂\n"


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No tokenizer is installed."""
    monkeypatch.setitem(sys.modules, "splintr", None)
    counting._splintr.cache_clear()
    counting._tokenizer.cache_clear()
    yield
    counting._splintr.cache_clear()


@pytest.mark.req("L4")
@pytest.mark.parametrize(
    ("model", "vocabulary"),
    [
        (None, "o200k_base"),
        ("gpt-4o", "o200k_base"),
        ("openai/gpt-4o-mini-2024-07-18", "o200k_base"),
        ("gpt-4.1-nano", "o200k_base"),
        ("gpt-5.1", "o200k_base"),
        ("GPT-5", "o200k_base"),
        ("o3-mini", "o200k_base"),
        ("gpt-4", "cl100k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("ft:gpt-3.5-turbo:x", "cl100k_base"),
        ("meta-llama/Llama-3.1-8B-Instruct", "llama3"),
        ("qwen3:8b", "qwen3"),
        ("deepseek-v3", "deepseek_v3"),
        ("mistral_v3", "mistral_v3"),
    ],
)
def test_a_model_is_counted_by_the_vocabulary_it_reads(model: str | None, vocabulary: str) -> None:
    true = len(splintr.Tokenizer.from_pretrained(vocabulary).encode_ordinary(TEXT))
    assert count(TEXT, model) == Counted(true, f"splintr/{vocabulary}")
    assert why_estimated(model) is None


@pytest.mark.parametrize("model", ["claude-opus", "gpt-4.7", "gpt-40", "o1234", "gpt-6", "", "\n"])
def test_a_model_whose_vocabulary_is_not_known_is_estimated_not_guessed(model: str) -> None:
    assert vocabulary_of(model) is None
    assert count(TEXT, model) == Counted(tokens.estimate(TEXT), tokens.COUNTER)
    assert "No public tokenizer is known" in (why_estimated(model) or "")


def test_the_estimate_can_be_asked_for_by_its_name() -> None:
    assert count(TEXT, tokens.COUNTER) == Counted(tokens.estimate(TEXT), tokens.COUNTER)
    assert why_estimated(tokens.COUNTER) is None


@pytest.mark.parametrize("model", [None, "gpt-4o"])
@pytest.mark.usefixtures("bare")
def test_without_the_extra_it_is_estimated_and_says_so(model: str | None) -> None:
    assert count(TEXT, model) == Counted(tokens.estimate(TEXT), tokens.COUNTER)
    assert "extra `tokens`" in (why_estimated(model) or "")


@pytest.mark.usefixtures("bare")
def test_a_tokenizer_asked_for_by_name_is_not_replaced_by_an_estimate() -> None:
    with pytest.raises(CouldNotLook, match="cl100k_base") as raised:
        count(TEXT, "cl100k_base")
    assert "extra `tokens`" in raised.value.remedy


@pytest.mark.parametrize("vocabulary", sorted(counting.VOCABULARIES))
def test_every_vocabulary_is_in_the_package_and_counts_nothing_as_nothing(vocabulary: str) -> None:
    assert count("", vocabulary) == Counted(0, f"splintr/{vocabulary}")
    assert count(TEXT, vocabulary).tokens > 10


def test_marks_of_a_model_are_text_like_any_other() -> None:
    """Somebody's text must not be counted as one token by spelling out a special one."""
    assert count("<|endoftext|>").tokens > 1


def test_half_a_character_is_counted_as_the_mark_for_what_could_not_be_read() -> None:
    assert count("a\ud800b") == count("a\ufffdb")
    assert count("\ud83d\ude42") == count("🙂")


@pytest.mark.parametrize("vocabulary", ["cl100k_base", "o200k_base"])
def test_the_estimate_is_not_below_the_tokenizers(vocabulary: str) -> None:
    """The whole corpus is compared by `python -m bench --only token-counts`."""
    texts = [text for files in corpus(every=20).values() for text in parts(files)]
    found = compare(texts, vocabulary)
    assert found.texts > 1000
    assert found.low_share < 0.1
    assert found.median_over <= OVER_MAX


def test_a_low_count_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "estimate", lambda text: len(text) // 8)
    texts = list(parts(corpus(every=20)["docs"]))
    assert compare(texts, "o200k_base") > Compared(50, 50, -1)
    assert compare(texts, "o200k_base").low_share > 50
    assert compare(texts, "o200k_base").median_over < 0


@pytest.mark.parametrize("vocabulary", ["cl100k_base", "o200k_base"])
def test_every_piece_of_the_table_is_one_token(vocabulary: str) -> None:
    assert [piece for piece in PIECES if count(piece, vocabulary).tokens != 1] == []


def test_every_piece_of_the_table_is_cut_and_counted_as_one() -> None:
    assert [piece for piece in PIECES if tokens._PIECE.findall(piece) != [piece]] == []
    assert {tokens._piece_cost(piece) for piece in PIECES} == {1}


def test_the_table_is_loaded_when_something_is_counted_and_not_before() -> None:
    code = (
        "import sys; from holdfast.kernel import tokens; name = 'holdfast.kernel.token_pieces'; "
        "before = name in sys.modules; tokens.estimate('a'); print(before, name in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False True\n"
