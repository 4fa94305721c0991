"""An answer as far as it came."""

from __future__ import annotations

import msgspec

from holdfast.kernel.limits import WIRE_ANSWER_BYTES_MAX
from holdfast.wire.events import Call, End, Event, Failure, Unread, Usage, Words


class Block(msgspec.Struct):
    """A part of an answer: words, or a call of a tool."""

    name: str | None
    """The tool's; None for words."""
    pieces: list[str]
    hidden: bool = False
    call: str | None = None
    """What the call is called, where it has a name."""

    @property
    def text(self) -> str:
        """What was said, or the call's arguments."""
        return "".join(self.pieces)


class Answer:
    """Puts the events of an answer together, in the order its blocks began."""

    def __init__(self, *, bytes_max: int = WIRE_ANSWER_BYTES_MAX) -> None:
        self.usage = Usage(None, None)
        self.ended: End | None = None
        """How it ended; None while it did not, or when it was cut."""
        self.failures: list[str] = []
        self.unread = 0
        """Events that could not be read."""
        self.cut = False
        """There was more than is kept."""
        self._blocks: dict[str, Block] = {}
        self._room = bytes_max

    @property
    def blocks(self) -> list[Block]:
        """The words and calls, as far as they came."""
        return list(self._blocks.values())

    @property
    def text(self) -> str:
        """What the model said, without its thinking and its calls."""
        return "".join(
            block.text for block in self.blocks if block.name is None and not block.hidden
        )

    @property
    def whole(self) -> bool:
        """Everything came and was read."""
        return self.ended is not None and not self.cut and not self.unread and not self.failures

    def take(self, event: Event) -> None:
        """Take one event in."""
        match event:
            case Words(block=key, text=text, hidden=hidden):
                self._add(key, None, text, hidden)
            case Call(block=key, name=name, arguments=arguments, id=call):
                self._add(key, name, arguments, hidden=False)
                if call and key in self._blocks:
                    self._blocks[key].call = call
            case Usage(input=given, output=made):
                self.usage = Usage(
                    self.usage.input if given is None else given,
                    self.usage.output if made is None else made,
                )
            case End(reason=reason):
                if self.ended is None or reason is not None:
                    self.ended = event
            case Failure(message=message):
                self.failures.append(message)
            case Unread():
                self.unread += 1

    def _add(self, key: str, name: str | None, text: str, hidden: bool) -> None:
        self._room -= len(text)
        if self._room < 0:
            self.cut = True
            return
        block = self._blocks.setdefault(key, Block(name, [], hidden))
        if name:
            block.name = name
        block.pieces.append(text)
