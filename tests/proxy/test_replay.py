"""Histories of files cross the proxy, and at every step the State Map is what others' parsers say.

`python -m bench --only replay` does the same with 300 histories of real releases. Here the texts
are modules of the standard library, changed by chance, and scripts of which `scripts.json` holds
what the TypeScript compiler finds in them.
"""

from __future__ import annotations

import json
import random
import sysconfig
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

import pytest

from holdfast.proxy import judging
from holdfast.proxy.weighing import Weighed
from holdfast.testing.model_server import ModelServer
from tests.proxy.conversing import PATHS
from tests.proxy.replaying import FORMS, Outcome, Replay, play_all
from tests.proxy.running import Running, options
from tests.proxy.truth import History, Truth, of_offsets, of_python

LIBRARY: Final = Path(sysconfig.get_paths()["stdlib"])
MODULES: Final = (
    "abc.py", "bisect.py", "calendar.py", "cmd.py", "contextlib.py", "copy.py", "fnmatch.py",
    "fractions.py", "heapq.py", "queue.py", "sched.py", "shlex.py", "textwrap.py", "tokenize.py",
)  # fmt: skip
SCRIPTS: Final = Path(__file__).parent / "scripts.json"
ADDED: Final = "def added_{0}(value):\n    return value + {0}\n"


@pytest.fixture
def replay(tmp_path: Path) -> Iterator[Replay]:
    with (
        ModelServer() as server,
        Running(options(tmp_path / "ledger.db", server.url)) as proxy,
    ):
        yield Replay(proxy, server)


def module_history(name: str, seed: int) -> History:
    """Return a module of the library, and what it became by some changes."""
    chance = random.Random(seed)
    texts = [of_python((LIBRARY / name).read_text(encoding="utf-8"))]
    while len(texts) < 4:
        texts.append(_changed(texts[-1], chance))
    return History("library", f"lib/{name}", "python", tuple(texts))


def _changed(truth: Truth, chance: random.Random) -> Truth:
    """Change some functions, and now and then add one."""
    source = truth.text.encode()
    names = [name for name in truth.slices if "#" not in name and _is_function(truth, name)]
    for name in sorted(chance.sample(names, 2), key=lambda one: -truth.slices[one].end):
        code, end = truth.slices[name].code, truth.slices[name].end
        indent = source[:code].rpartition(b"\n")[2] + b"    "
        source = source[:end] + b"\n%sreturn %d" % (indent, chance.randrange(99)) + source[end:]
    added = ADDED.format(chance.randrange(1_000)) if chance.random() < 0.5 else ""
    text = source.decode() + (f"\n\n{added}" if added else "")
    return of_python(text)


def _is_function(truth: Truth, name: str) -> bool:
    code = truth.text.encode()[truth.slices[name].code : truth.slices[name].end].decode()
    return code.startswith("def ") and "\n" in code


def scripts() -> list[History]:
    """Return the scripts, with what the TypeScript compiler finds in them."""
    return [
        History(
            "scripts",
            script["path"],
            script["language"],
            tuple(of_offsets(one["text"], one["slices"]) for one in script["texts"]),
        )
        for script in json.loads(SCRIPTS.read_text(encoding="utf-8"))
    ]


def histories() -> list[History]:
    return [module_history(name, seed) for seed, name in enumerate(MODULES)] + scripts()


@pytest.mark.req("T5", "T6", "T7", "T8", "T11", "T12", "T15")
@pytest.mark.lesson("T1", "T2", "T3", "T4", "T5")
def test_the_state_map_is_the_truth_at_every_step(replay: Replay) -> None:
    outcomes = play_all(replay, histories())
    assert [(one.history.path, one.form, one.wrong) for one in outcomes if one.wrong] == []
    counted = [one for one in outcomes if one.counted]
    promoted = [one for one in counted if one.promoted]
    assert len(promoted) >= 0.85 * len(counted), [_told(one) for one in counted if not one.promoted]
    assert {one.dialect for one in outcomes} == set(PATHS)
    assert {one.streamed for one in outcomes} == {False, True}
    assert {one.history.language for one in promoted} == {"python", "typescript", "javascript"}
    assert len({one.form for one in promoted if one.speaker == "model"}) >= 0.8 * len(FORMS)
    quiet = [one for one in outcomes if one.speaker == "nobody"]
    assert len({one.form for one in quiet}) >= 5
    assert all(one.promoted for one in quiet if one.history.language == "python")


def _told(outcome: Outcome) -> str:
    return f"{outcome.history.path} {outcome.form}: {outcome.left} left, {outcome.reasons}"


def test_rules_that_let_all_through_would_be_seen(
    replay: Replay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "weigh", lambda *_: Weighed())
    monkeypatch.setattr(judging, "_proved", lambda case, *_: list(case.reading.symbols))
    outcomes = play_all(replay, histories()[:5])
    assert any(one.wrong for one in outcomes)


# The truth


def test_python_says_what_is_defined_and_where() -> None:
    text = (
        "# about x\nx = 1\nx = 2\n\n\n# about f\n@wraps\ndef f():\n    return 1\n    # behind\n\n\n"
        "class C:\n    def m(self): pass\n    def m(self): pass\n"
    )
    truth = of_python(text)
    assert sorted(truth.slices) == ["C", "C.m", "C.m#2", "f", "x"]
    for slice_of_f in (
        "# about f\n@wraps\ndef f():\n    return 1",
        "@wraps\ndef f():\n    return 1",
        "@wraps\ndef f():\n    return 1\n    # behind",
    ):
        assert truth.holds("f", sha256(slice_of_f.encode()).hexdigest())
    for other in ("def f():\n    return 1", "@wraps\ndef f():\n    return", "x = 2"):
        assert not truth.holds("f", sha256(other.encode()).hexdigest())
    assert not truth.holds("x", sha256(b"x = 2").hexdigest())
    assert not truth.holds("g", sha256(b"").hexdigest())


def test_the_compilers_offsets_are_slices_of_the_scripts() -> None:
    queue, store = scripts()
    source = queue.texts[0].text.encode()
    place = queue.texts[0].slices["attempt"]
    assert source[place.code : place.end].startswith(b"export async function attempt<T>")
    assert "named#3" in queue.texts[0].slices
    assert "Store.prototype.put" in store.texts[0].slices
