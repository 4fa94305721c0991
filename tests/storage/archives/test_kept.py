"""What readers remember: bounded, shared by threads, safe after a fork."""

from __future__ import annotations

import os
import subprocess
import sys

from holdfast.storage.archives.kept import Kept
from holdfast.testing.conformance.engines import run_threads


def test_what_was_not_used_for_longest_goes_first() -> None:
    kept: Kept[str] = Kept(3)
    for name in "abc":
        kept.put(name, name)
    assert kept.get("a") == "a"
    kept.put("d", "d")
    assert [kept.get(name) for name in "abcd"] == ["a", None, "c", "d"]


def test_the_weight_is_bounded() -> None:
    kept: Kept[int] = Kept(10)
    for number in range(100):
        kept.put(number, number, weight=4)
    assert [number for number in range(100) if kept.get(number) is not None] == [98, 99]
    kept.put("heavy", 1, weight=11)
    assert kept.get("heavy") is None
    assert kept.get(99) == 99


def test_putting_the_same_again_does_not_add_to_the_weight() -> None:
    kept: Kept[int] = Kept(10)
    kept.put("other", 0, weight=5)
    for _ in range(5):
        kept.put("same", 1, weight=5)
    assert kept.get("other") == 0


def test_threads_share_it() -> None:
    kept: Kept[int] = Kept(50)

    def work() -> None:
        for number in range(2000):
            kept.put(number % 120, number % 120, weight=number % 7 + 1)
            assert kept.get(number % 120) in (None, number % 120)

    run_threads(work, 6)


FORKING = """
import os
from holdfast.storage.archives.kept import Kept

kept = Kept(10)
kept.put("a", 1)
with kept._own_lock():
    child = os.fork()
    if child == 0:
        kept.put("b", 2)
        os._exit(0 if (kept.get("a"), kept.get("b")) == (None, 2) else 1)
    assert os.waitpid(child, 0)[1] == 0
assert kept.get("a") == 1
"""


def test_a_lock_that_was_held_at_a_fork_stops_nobody() -> None:
    paths = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, "-c", FORKING],
        check=False,
        timeout=60,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert done.returncode == 0
