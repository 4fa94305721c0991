"""Claude Code with hooks installed, and a model that answers step by step."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from holdfast.testing.model_server import Reply, Said, Way, said_reply
from tests.clients.hooked import Hooked
from tests.clients.test_claude import QUIET

TOOLS = ("--allowedTools", "Read,Edit,Write,Bash")
FORCED = {"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "1"}
"""It compacts by itself as soon as the model says that it was given much."""

Step: TypeAlias = Said | Callable[[Any], Said | Reply]


class Model:
    """Answers what the conversation asks with one step after the other, and keeps what it was told;
    whoever wants a summary gets the summary."""

    def __init__(self, *steps: Step, summary: str = "They talked.") -> None:
        self.steps = list(steps)
        self.summary = summary
        self.told: list[Any] = []
        """What the conversation sent, request by request."""
        self.condensed: list[Any] = []
        """What was sent to be summed up."""

    def __call__(self, body: Any) -> Said | Reply:
        if any("Respond with TEXT ONLY" in text for text in texts(body)[-3:]):
            self.condensed.append(body)
            return Said(f"<analysis>So it was.</analysis>\n<summary>{self.summary}</summary>")
        if not body.get("tools"):
            return Said("A title")
        self.told.append(body)
        step = self.steps.pop(0) if self.steps else Said("All done.")
        return step if isinstance(step, Said) else step(body)


def ask(place: Hooked, programs: Path, words: str, *more: str, **env: str) -> str:
    """Let Claude Code do one thing."""
    given = QUIET | {"ANTHROPIC_BASE_URL": place.server.url} | env
    return place.run(programs / "claude", "-p", words, *TOOLS, *more, env=given)


def never(body: Any) -> Reply:
    """Begin to answer, and say no word until whoever asked is gone."""
    return said_reply("messages", Said("Never."), msgspec.json.encode(body), Way(gated=True))


def full(said: Said) -> Said:
    """Say that what was asked filled most of the context."""
    return msgspec.structs.replace(said, tokens_in=150_000)


def texts(body: Any) -> list[str]:
    """Return the texts of a request's messages, in order."""
    found = []
    for message in body["messages"]:
        content = message["content"]
        blocks = [{"text": content}] if isinstance(content, str) else content
        found += [block["text"] for block in blocks if "text" in block]
    return found


def brought_back(body: Any) -> str:
    """Return what holdfast told the model in a request, the last time."""
    found = [text for text in texts(body) if "From holdfast, this project's ledger" in text]
    return found[-1].rpartition("From holdfast, this project's ledger")[2] if found else ""


def outputs(body: Any) -> dict[str, str]:
    """Return what the model was told of its calls."""
    blocks = [
        block
        for message in body["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
    ]
    return {
        block["tool_use_id"]: _plain(block["content"])
        for block in blocks
        if block.get("type") == "tool_result"
    }


def _plain(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(block.get("text", "") for block in content)
