"""The SDKs of others: what each asks for, and what it makes of the answer.

They are imported when they are used: it takes them a second or two.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol


class Sdk(Protocol):
    """Asks one kind of server, and says what it got as plain values."""

    dialect: str

    def __init__(self, url: str) -> None: ...

    def ask(self, turns: list[Any], **more: Any) -> Any:
        """Ask, and return the whole answer."""

    def stream(self, turns: list[Any], **more: Any) -> list[Any]:
        """Ask, and return what came, event by event."""

    def reply(self, answer: Any) -> list[Any]:
        """Return what an answer is in the history of the next request."""

    def words(self, answer: Any) -> str:
        """Return the text of an answer."""

    def close(self) -> None:
        """Let go of its connections."""


class _Client:
    _client: Any

    def close(self) -> None:
        self._client.close()


class Chat(_Client):
    """`openai`, chat completions."""

    dialect = "chat"

    def __init__(self, url: str) -> None:
        self._client = _openai(url)

    def ask(self, turns: list[Any], **more: Any) -> Any:
        done = self._client.chat.completions.create(model="scripted", messages=turns, **more)
        return done.model_dump()

    def stream(self, turns: list[Any], **more: Any) -> list[Any]:
        with self._client.chat.completions.create(
            model="scripted", messages=turns, stream=True, **more
        ) as stream:
            return _dumped(stream)

    def reply(self, answer: Any) -> list[Any]:
        return [_plain(answer["choices"][0]["message"])]

    def words(self, answer: Any) -> str:
        return str(answer["choices"][0]["message"]["content"])


class Responses(_Client):
    """`openai`, responses."""

    dialect = "responses"

    def __init__(self, url: str) -> None:
        self._client = _openai(url)

    def ask(self, turns: list[Any], **more: Any) -> Any:
        return self._client.responses.create(model="scripted", input=turns, **more).model_dump()

    def stream(self, turns: list[Any], **more: Any) -> list[Any]:
        with self._client.responses.create(
            model="scripted", input=turns, stream=True, **more
        ) as stream:
            return _dumped(stream)

    def reply(self, answer: Any) -> list[Any]:
        return [_plain(item) for item in answer["output"]]

    def words(self, answer: Any) -> str:
        parts = (part for item in answer["output"] for part in item.get("content") or ())
        return "".join(part["text"] for part in parts)


class Messages(_Client):
    """`anthropic`, messages."""

    dialect = "messages"

    def __init__(self, url: str) -> None:
        from anthropic import Anthropic

        self._client = Anthropic(base_url=url, api_key="x", max_retries=0, timeout=60)

    def ask(self, turns: list[Any], **more: Any) -> Any:
        more.setdefault("max_tokens", 64)
        return self._client.messages.create(model="scripted", messages=turns, **more).model_dump()

    def stream(self, turns: list[Any], **more: Any) -> list[Any]:
        more.setdefault("max_tokens", 64)
        with self._client.messages.stream(model="scripted", messages=turns, **more) as stream:
            return [*_dumped(stream), stream.get_final_message().model_dump()]

    def reply(self, answer: Any) -> list[Any]:
        return [{"role": "assistant", "content": [_plain(one) for one in answer["content"]]}]

    def words(self, answer: Any) -> str:
        return "".join(one["text"] for one in answer["content"] if one["type"] == "text")


class Llm:
    """`llm`, with its settings in a folder of its own; its models are called as they are given."""

    def __init__(self, folder: Path, **urls: str) -> None:
        spelled = [
            f"- model_id: {name}\n  model_name: scripted\n  api_base: {url}/v1\n"
            for name, url in urls.items()
        ]
        (folder / "extra-openai-models.yaml").write_text("".join(spelled))
        given = {"LLM_USER_PATH": str(folder), "LLM_LOAD_PLUGINS": "", "OPENAI_API_KEY": "x"}
        self._env = {**os.environ, **given}

    def __call__(self, *words: str) -> str:
        """Run it, and return what it printed."""
        done = subprocess.run(
            [sys.executable, "-m", "llm", *words],
            env=self._env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()


SDKS: Mapping[str, type[Sdk]] = {sdk.dialect: sdk for sdk in (Chat, Responses, Messages)}


def _openai(url: str) -> Any:
    from openai import OpenAI

    return OpenAI(base_url=f"{url}/v1", api_key="x", max_retries=0, timeout=60)


def _dumped(events: Iterable[Any]) -> list[Any]:
    return [event.model_dump() for event in events]


def _plain(value: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is not there, as clients do."""
    return {name: given for name, given in value.items() if given is not None}
