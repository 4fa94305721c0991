"""How many tokens a text takes, and who counted.

    count("a text")                # Counted(tokens=2, counter="splintr/o200k_base")
    count("a text", "gpt-4")       # by cl100k_base, which that model reads
    count("a text", "holdfast-2")  # by the built-in estimate, whatever is installed

The tokenizers come with the extra `tokens` and need no network. Where it is not installed, or where
no tokenizer of a model is public, the kernel's estimate answers, which errs high. A figure is worth
nothing without its counter, so none goes without. A tokenizer that is asked for by its own name and
is not there is `CouldNotLook`.

Not here: cutting a text to a budget, and what an upstream says that a request took.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Final

import msgspec

from holdfast.kernel import tokens
from holdfast.kernel.errors import CouldNotLook

if TYPE_CHECKING:
    from splintr import AnyTokenizer

VOCABULARY_DEFAULT: Final = "o200k_base"
VOCABULARIES: Final = frozenset(
    {"cl100k_base", "deepseek_v3", "llama3", "mistral_v3", "o200k_base", "qwen3"}
)
"""What can be asked for by name and has its tables in the package."""

_EXTRA: Final = "Install holdfast with its extra `tokens`."


class Counted(msgspec.Struct, frozen=True):
    """A number of tokens, and the name of the counter that it comes from."""

    tokens: int
    counter: str


def count(text: str, model: str | None = None) -> Counted:
    """Count the tokens of a text as a model would, or estimate them."""
    vocabulary = vocabulary_of(model)
    if vocabulary is None or not (is_installed() or model in VOCABULARIES):
        return Counted(tokens.estimate(text), tokens.COUNTER)
    found = _tokenizer(vocabulary).encode_ordinary(_whole_characters(text))
    return Counted(len(found), f"splintr/{vocabulary}")


def vocabulary_of(model: str | None) -> str | None:
    """Name the vocabulary that a model reads; None when it is not known."""
    if model is None:
        return VOCABULARY_DEFAULT
    if model in VOCABULARIES:
        return model
    name = model.lower().rpartition("/")[2].removeprefix("ft:")
    for vocabulary, names in _MODELS.items():
        if names.fullmatch(name):
            return vocabulary
    return None


def is_installed() -> bool:
    """Tell whether the tokenizers can be loaded."""
    return _splintr() is not None


def why_estimated(model: str | None) -> str | None:
    """Say why the answer for a model is an estimate; None when it is not, or was asked for."""
    if model == tokens.COUNTER:
        return None
    if vocabulary_of(model) is None:
        return f"No public tokenizer is known for {model}: this is the built-in estimate."
    if not is_installed():
        return f"No tokenizer is installed: this is an estimate that errs high. {_EXTRA}"
    return None


@cache
def _tokenizer(vocabulary: str) -> AnyTokenizer:
    module = _splintr()
    if module is None:
        raise CouldNotLook(
            f"The tokenizer {vocabulary} (splintr-rs) is not installed.",
            meaning="Nothing was counted.",
            remedy=f"{_EXTRA} Or leave the model out, for an estimate that errs high.",
        )
    tokenizer: AnyTokenizer = module.Tokenizer.from_pretrained(vocabulary)
    return tokenizer


@cache
def _splintr() -> ModuleType | None:
    try:
        return import_module("splintr")
    except ImportError:
        return None


def _whole_characters(text: str) -> str:
    """Put U+FFFD for half a character, as it would reach a tokenizer."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _named(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{pattern})(?:[-:@].*)?", re.DOTALL)


_MODELS: Final = {
    "o200k_base": _named(r"gpt-4o|chatgpt-4o|gpt-4\.[15]|gpt-5(?:\.[0-9]+)?|gpt-oss|o[134]"),
    "cl100k_base": _named(r"gpt-4|gpt-3\.5|gpt-35"),
    "llama3": _named(r"(?:meta-)?llama-?3(?:\.[0-3])?"),
    "qwen3": _named(r"qwen-?3"),
    "deepseek_v3": _named(r"deepseek-v3"),
}
"""Models by the vocabulary they read; a newer one that is not listed is estimated, not guessed."""
