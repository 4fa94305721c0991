"""Parts of a text under a token budget: the least important give way first, and it is said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from holdfast.kernel.limits import RESUME_PART_CHARS_MAX
from holdfast.kernel.tokens import estimate
from holdfast.views.wording import cut_middle

_LENGTHS: Final = (80, 48, 24)
"""Characters that a part may be cut to; one that would have to be shorter is left out instead,
unless it must be there."""

MUST: Final = 3
"""Parts of a rank below this are never left out."""

SEPARATOR: Final = "; "


class Part(msgspec.Struct, frozen=True):
    """A fact with its label. Rank 0 matters most."""

    rank: int
    label: str
    text: str
    shorter: str = ""
    """The same said more briefly, if it can be; taken before it is cut."""
    chars: int = RESUME_PART_CHARS_MAX

    def __str__(self) -> str:
        return f"{self.label}{cut_middle(self.text, self.chars)}"

    @property
    def length(self) -> int:
        """How many characters of the text are shown."""
        return min(len(self.text), self.chars)


_NONE: Final = Part(0, "", "")


def joined(parts: Sequence[Part], tokens_max: int) -> str:
    """Join the parts in their order, cut so that they fit; those left out are counted."""
    kept = _briefly(parts, tokens_max) if estimate(_text(parts, 0)) > tokens_max else list(parts)
    return _text(kept, len(parts) - len(kept))


def _briefly(parts: Sequence[Part], tokens_max: int) -> list[Part]:
    """Take the parts that must be there, then the others by rank as long as there is room."""
    chosen = {index: part for index, part in enumerate(parts) if part.rank < MUST}
    _shorten(chosen, len(parts), tokens_max)
    optional = [index for index, part in enumerate(parts) if part.rank >= MUST]
    for index in sorted(optional, key=lambda index: parts[index].rank):
        for chars in _LENGTHS:
            trial = chosen | {index: msgspec.structs.replace(parts[index], chars=chars)}
            if estimate(_text(_ordered(trial), len(parts))) <= tokens_max:
                chosen = trial
                break
    return _ordered(chosen)


def _shorten(parts: dict[int, Part], gone: int, tokens_max: int) -> None:
    """Say it more briefly when it takes more than its share, and cut the longest until it fits."""
    for index, part in parts.items():
        if part.shorter and estimate(_text(_ordered(parts), gone)) > tokens_max * 3 // 5:
            parts[index] = msgspec.structs.replace(part, text=part.shorter)
    while estimate(_text(_ordered(parts), gone)) > tokens_max:
        index, longest = max(parts.items(), key=lambda item: item[1].length, default=(0, _NONE))
        if longest.length == 0:
            return
        parts[index] = msgspec.structs.replace(longest, chars=longest.length * 3 // 4)


def _ordered(parts: dict[int, Part]) -> list[Part]:
    return [parts[index] for index in sorted(parts)]


def _text(parts: Sequence[Part], gone: int) -> str:
    text = SEPARATOR.join(str(part) for part in parts)
    return f"{text} (+{gone} facts)" if gone else text
