"""Vectors from weights that ship inside a package: nothing is downloaded, not at run time either.

`wordllama` brings a table with a vector for each of 32,000 pieces of words; it is read as it lies
there, without loading the package. The vector of a text is the mean over its words, turned into
256 whole numbers from -127 to 127. Identifiers are split at case and underscore first. A rare word
counts more than a common one, one that is repeated less each time, those of a name several times.
Loaded on first use; where the extra `search` is not installed there is no model.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from holdfast.index.terms import STOP_WORDS
from holdfast.kernel.limits import (
    VECTOR_BATCH,
    VECTOR_ROWS,
    VECTOR_TEXT_CHARS,
    VECTOR_WORDS_CACHED_MAX,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    Floats: TypeAlias = NDArray[np.float32]

Weights: TypeAlias = dict[str, float]

DIMENSIONS: Final = 256
_PACKAGE: Final = "wordllama"
_WEIGHTS: Final = "weights/l2_supercat_256.safetensors"
_PIECES: Final = "tokenizers/l2_supercat_tokenizer_config.json"
_LAYOUT: Final = 1
"""Changes whenever the same text would give another vector."""

find_words: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+").findall
"""Words as identifiers are made of them."""

_SYNTAX: Final = """
    args bool cls const def elif false float func function import int kwargs lambda len let list
    none null object pass print raise return self static str string super true try tuple type var
    void
"""
_FIRST_PIECE: Final = 258
_RANK_OF_SEVERAL: Final = 40_000
"""Where the numbers of pieces that are no single bytes begin, and what stands for the number of a
word that has several."""

NAME_WEIGHT: Final = 3.0
PATH_WEIGHT: Final = 1.0
"""How often a word of a name, and one of a path, counts beside those of the text."""

_JOINING: Final = STOP_WORDS | frozenset(_SYNTAX.split())
"""Words that say nothing about what a piece of code is for."""


class Model:
    """Turns texts into vectors, and compares them."""

    def __init__(self, tokenizer: Tokenizer, weights: NDArray[np.float16], name: str) -> None:
        self._tokenizer = tokenizer
        self._weights = weights
        self._words: dict[str, _Word] = {}
        self.name = name
        """Which weights, and which way to use them: vectors of another name cannot be compared."""

    def pack(self, texts: Sequence[Weights]) -> bytes:
        """Return the vectors of texts, given as how much each word counts, one after the other."""
        import numpy as np

        parts = []
        for begin in range(0, len(texts), VECTOR_BATCH):
            means = self._means(texts[begin : begin + VECTOR_BATCH], rarity=True)
            most = np.abs(means).max(axis=1, keepdims=True)
            parts.append(np.rint(means * (127 / np.maximum(most, 1e-9))).astype(np.int8).tobytes())
        return b"".join(parts)

    def nearest(
        self, words: Weights, packed: Sequence[tuple[int, bytes]], limit: int
    ) -> list[tuple[int, float]]:
        """Return the numbers of the vectors nearest to some words, with their cosines.

        How much each word of a question counts is for the caller to say, who knows how rare it is
        in this project.
        """
        import numpy as np

        cosines = self.cosines(words, b"".join(data for _, data in packed))
        if cosines is None:
            return []
        ids = np.concatenate([np.arange(f, f + len(d) // DIMENSIONS) for f, d in packed])
        best = np.argsort(-cosines, kind="stable")[:limit]
        return [(int(ids[n]), float(cosines[n])) for n in best]

    def cosines(self, words: Weights, packed: bytes, *, rarity: bool = False) -> Floats | None:
        """Return the cosine of some words with each packed vector; None where that says nothing.

        `rarity`: let rare words count more, where the caller does not know how rare they are.
        """
        import numpy as np

        question = self._means([words], rarity=rarity)[0]
        length = float(np.linalg.norm(question))
        if not length or not packed:
            return None
        rows = np.frombuffer(packed, np.int8).reshape(-1, DIMENSIONS)
        return _cosines(rows, question / length)

    def compare(self, words: Sequence[str], others: Sequence[str]) -> Floats:
        """Return the cosine of each of some words with each of others, a row for each word."""
        import numpy as np

        if not others:
            return np.zeros((len(words), 0), np.float32)
        mine = np.stack([self._word(word).vector for word in words])
        cosines = np.empty((len(words), len(others)), np.float32)
        for begin in range(0, len(others), VECTOR_ROWS):
            part = np.stack(
                [self._word(word).vector for word in others[begin : begin + VECTOR_ROWS]]
            )
            cosines[:, begin : begin + VECTOR_ROWS] = mine @ part.T
        return cosines

    def compare_texts(self, words: Weights, texts: Sequence[str]) -> list[float]:
        """Return the cosine of a question, weighed by the caller, with each of some short texts."""
        import numpy as np

        asked = self._means([words], rarity=False)[0]
        means = self._means([dict.fromkeys(words_of(text), 1.0) for text in texts], rarity=True)
        lengths = np.linalg.norm(means, axis=1) * np.linalg.norm(asked)
        return [float(one) for one in means @ asked / np.maximum(lengths, 1e-9)]

    def similarity(self, one: str, other: str) -> float:
        """Return the cosine of two texts."""
        import numpy as np

        first, second = self._means([damped(words_of(one)), damped(words_of(other))], rarity=True)
        lengths = float(np.linalg.norm(first) * np.linalg.norm(second))
        return float(first @ second) / lengths if lengths else 0.0

    def _means(self, texts: Sequence[Weights], *, rarity: bool) -> Floats:
        import numpy as np

        means = np.zeros((len(texts), DIMENSIONS), np.float32)
        for number, weights in enumerate(texts):
            if weights:
                words = [self._word(word) for word in weights]
                factors = [word.rarity if rarity else 1.0 for word in words]
                counts = np.fromiter(weights.values(), np.float32, len(words))
                rows = np.stack([word.vector for word in words])
                means[number] = (counts * np.array(factors, np.float32)) @ rows
        return means

    def _word(self, word: str) -> _Word:
        import numpy as np

        known = self._words.get(word)
        if known is None:
            if len(self._words) >= VECTOR_WORDS_CACHED_MAX:
                self._words.clear()
            pieces = self._tokenizer.encode(word, add_special_tokens=False).ids
            vector = self._weights[pieces].sum(axis=0, dtype=np.float32)
            vector /= max(float(np.linalg.norm(vector)), 1e-9)
            known = self._words[word] = _Word(vector, _rarity(pieces))
        return known


class _Word(NamedTuple):
    vector: Floats
    """Of length 1."""
    rarity: float


def words_of_section(name: str, path: str, text: str) -> Weights:
    """Return how much each word of a section counts."""
    weights = damped(words_of(text))
    for more, said in ((NAME_WEIGHT, name), (PATH_WEIGHT, path.rpartition(".")[0] or path)):
        for word in words_of(said):
            weights[word] = weights.get(word, 0.0) + more
    return weights


def damped(counts: Mapping[str, int]) -> Weights:
    """Let a word that is repeated count less each time."""
    return {word: 1 + math.log(count) for word, count in counts.items()}


def _rarity(pieces: Sequence[int]) -> float:
    """Say how rare a word is: pieces are numbered from common to rare, rare words have several."""
    rank = max(pieces[0] - _FIRST_PIECE, 1) if len(pieces) == 1 else _RANK_OF_SEVERAL
    return math.log(rank + 10)


def words_of(text: str) -> Counter[str]:
    """Return how often each word stands in a text; those that only join, if it has no others."""
    counts = Counter(map(str.lower, find_words(text[:VECTOR_TEXT_CHARS])))
    telling = Counter({word: n for word, n in counts.items() if word not in _JOINING})
    return telling or counts


@cache
def load() -> Model | None:
    """Return the model; None where it is not installed."""
    try:
        import numpy as np
        from tokenizers import Tokenizer
    except ImportError:
        return None
    found = find_spec(_PACKAGE)
    if found is None or not found.submodule_search_locations:
        return None
    folder = Path(found.submodule_search_locations[0])
    if not (folder / _WEIGHTS).is_file() or not (folder / _PIECES).is_file():
        return None
    tokenizer = Tokenizer.from_file(str(folder / _PIECES))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    shape, offset = _table(folder / _WEIGHTS)
    weights = np.memmap(folder / _WEIGHTS, np.float16, "r", offset, shape)
    return Model(tokenizer, weights, f"{_PACKAGE}-{version(_PACKAGE)}-{_LAYOUT}")


def _table(path: Path) -> tuple[tuple[int, int], int]:
    """Return the shape of the table in a file of tensors, and where it begins."""
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        [tensor] = [v for k, v in json.loads(file.read(size)).items() if k != "__metadata__"]
    rows, columns = tensor["shape"]
    if tensor["dtype"] != "F16" or columns != DIMENSIONS:
        raise ValueError(f"weights of another kind: {tensor}")
    return (rows, columns), 8 + size + tensor["data_offsets"][0]


def _cosines(rows: NDArray[np.int8], question: Floats) -> Floats:
    """Compare in steps: as floats all rows would take four times the memory."""
    import numpy as np

    cosines = np.empty(len(rows), np.float32)
    for begin in range(0, len(rows), VECTOR_ROWS):
        part = rows[begin : begin + VECTOR_ROWS].astype(np.float32)
        lengths = np.maximum(np.linalg.norm(part, axis=1), 1e-9)
        cosines[begin : begin + VECTOR_ROWS] = part @ question / lengths
    return cosines
