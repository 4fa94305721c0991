"""Programs that talk to models, which are on this machine: what to tell each so that it talks to
the proxy, in one line to copy."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Final

import msgspec


class Client(msgspec.Struct, frozen=True):
    """A program that asks models. `{url}` in its line is where the proxy listens."""

    name: str
    program: str | None
    """What it is called on the path; None stands for programs that nobody can look for."""
    line: str
    upstream: str | None
    """Whom it asks by itself, as an upstream is spelled; None: a server on this machine."""


class Told(msgspec.Struct, frozen=True):
    """One line for one client."""

    client: str
    line: str


_ANTHROPIC: Final = "anthropic+https://api.anthropic.com"
_OPENAI: Final = "openai+https://api.openai.com"

CLIENTS: Final = (
    Client("Claude Code", "claude", "ANTHROPIC_BASE_URL={url} claude", _ANTHROPIC),
    Client("Codex", "codex", "codex -c openai_base_url={url}/v1", _OPENAI),
    Client("aider", "aider", "aider --openai-api-base {url}/v1", _OPENAI),
    Client("Ollama", "ollama", "OLLAMA_HOST={url} ollama run MODEL", None),
)
OTHERS: Final = (
    Client("others, OpenAI's way", None, "export OPENAI_BASE_URL={url}/v1", None),
    Client("others, Anthropic's way", None, "export ANTHROPIC_BASE_URL={url}", None),
)


def find_clients(which: Callable[[str], str | None] = shutil.which) -> list[Client]:
    """Return the clients that are on the path."""
    return [one for one in CLIENTS if one.program is not None and which(one.program)]


def lines_for(found: list[Client], url: str) -> list[Told]:
    """Return a line to copy for each client, and for those that cannot be looked for."""
    return [Told(one.name, one.line.format(url=url)) for one in (*found, *OTHERS)]


def servers_of(found: list[Client]) -> tuple[str, ...]:
    """Return whom these clients ask by themselves, each once."""
    return tuple(dict.fromkeys(one.upstream for one in found if one.upstream is not None))
