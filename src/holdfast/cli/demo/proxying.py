"""The demo's model: it remembers code that is no longer so, and is told what is.

The model is a scripted server of `holdfast.testing`, in a process of its own; the proxy is real.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.request import Request, urlopen

from holdfast.cli.demo.step import Step
from holdfast.cli.demo.terminal import Terminal

MODEL: Final = "holdfast.testing.demo_model"
QUESTION: Final = "What does `ship` do?"
TIMEOUT_S: Final = 30.0


def keep_the_code_true(project: Path) -> Step:
    """Let a model write a function and change it, then ask in a chat that saw neither."""
    typed = ("proxy", "--project", "--port", "0", "--upstream")
    with _running("-m", MODEL) as model:
        url = _line(model)["url"]
        with _running("-m", "holdfast", *typed, url, cwd=project) as proxy:
            ready = _line(proxy)
            got, entities = [], dict[str, str]()
            for words in ("Write ship() in ship.py", "Orders over 50 ship free", QUESTION):
                answer = _ask(f"{ready['listening']}/v1/chat/completions", words)
                got.append((words, _line(model)["got"], answer))
                entities = _state(ready)  # answers once all that crossed is settled
        ended = proxy.returncode
    seen = got[-1][1]
    lines = [f"$ holdfast {' '.join(typed)} http://127.0.0.1:…"]
    for words, _, answer in got[:2]:
        lines += [f"user: {words}", *(f"    {line}" for line in _rows(answer))]
    lines += ["a new chat, which saw none of it; the model gets:"]
    lines += [f"    {line}" for line in _rows(seen)]
    ok = ended == 0 and "return 0 if" in seen and "return 5\n" not in seen
    return Step(
        "The proxy keeps a model on the true code",
        "It stands between a client and a model. Of all that crossed it knows the one true text,"
        " and puts that, not the old one, before the model when it is named.",
        lines,
        ok and entities == {"ship.py::ship": "AUTHORITATIVE"} and seen.startswith(QUESTION),
        {"entities": entities},
    )


def _rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if line]


def _ask(url: str, words: str) -> str:
    """Ask in a chat of its own, as a client would; return what the model said."""
    body = {"model": "any", "messages": [{"role": "user", "content": words}]}
    request = Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urlopen(request, timeout=TIMEOUT_S) as answer:
        said: str = json.load(answer)["choices"][0]["message"]["content"]
    return said


def _state(ready: dict[str, str]) -> dict[str, str]:
    """Return what the proxy says is true."""
    bearer = {"Authorization": f"Bearer {ready['token']}"}
    with urlopen(Request(f"{ready['listening']}/state", headers=bearer), timeout=TIMEOUT_S) as told:
        return {one["entity"]: one["state"] for one in json.load(told)["entities"]}


@contextmanager
def _running(*arguments: str, cwd: Path | None = None) -> Iterator[subprocess.Popen[str]]:
    """Run a process of Python's that ends with the block."""
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=cwd,
        env=Terminal.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def _line(process: subprocess.Popen[str]) -> Any:
    assert process.stdout is not None
    return json.loads(process.stdout.readline())
