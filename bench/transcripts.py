"""Take in transcripts of Claude Code, beside parsing the same lines with msgspec.

The lines are made after real ones (`tests/agents/transcripts`, written by the client itself): each
has the fields that the client gives that type of line; what stands in them are prompts and answers
of words people wrote, and source files of this Python as they are read, changed and printed. Turns
of about eight calls, sub-agents left out; a session has about 10 MB, mostly results of
tools. An entry for each line and for each command; ids are looked for in the ledger first, as in
every import.

`parse` reads the same files line by line and decodes each line into plain values, and does nothing
with them, on one core. `import` is the call that the command makes, into a new ledger on the same
disk: parsed, looked through for secrets (by RE2, which the extra `code` brings), sealed, durable.
Where there are two cores it does that in two processes, of which one reads and decides the bytes of
entries and the other one records them; starting the second one counts. `again` is the same import
once more, which adds nothing and is read in one process.

Speeds are by the clock. Processor time stands beside them, for each of the two processes: on a
machine that does other work it says what the clock cannot. Memory is what the importing process
holds at most and what the reading one does, together, the first tenth of the lines beside all of
them; the processes are new ones each time. What is not counted: bringing the search index up to
date, which the command does afterwards and which is shown apart, of the tenth.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from bench.harness import (
    Figure,
    Measured,
    Options,
    Result,
    Row,
    ratios,
    scratch_folder,
    side_by_side,
    spread_of,
)
from holdfast.kernel.limits import MIB

NAME = "transcripts"
TITLE = "Take in an agent's transcripts"
PARSE: Final = "parse with msgspec"
IMPORT: Final = "import"
AGAIN: Final = "import again"
PART: Final = "part"
"""The folder with a tenth of the lines."""

SESSION_BYTES: Final = 10 * MIB
_SAMPLES: Final = Path(__file__).parents[1] / "tests/agents/transcripts/claude-code/projects"


def run(options: Options) -> Result:
    """Measure."""
    size = options.pick(1024, 128) * MIB
    with scratch_folder() as folder:
        write(folder / "all", size)
        write(folder / PART, size // 10)
        work = _Work(folder)
        found = side_by_side(
            {PARSE: work.parse, IMPORT: work.take_in, AGAIN: work.again}, options.rounds
        )
        little = work.run(PART)
    return Result(
        NAME,
        TITLE,
        __doc__ or "",
        options.rounds,
        figures=_figures(found, little, size // MIB),
        rows=_rows(found, little),
    )


def _figures(found: dict[str, list[Measured]], little: Measured, mib: int) -> list[Figure]:
    held = [{"ratio": one["mib"] / little["mib"]} for one in found[IMPORT]]
    return [
        Figure(
            f"{IMPORT} : {PARSE}, MiB/s, {mib:,} MiB, {_how(found[IMPORT][-1])}",
            ratios(found[IMPORT], found[PARSE], "mib_s"),
            at_least=0.1,
        ),
        Figure(
            f"{PARSE} : the busier process of the {IMPORT}, processor time",
            ratios(found[PARSE], found[IMPORT], "busiest_ms"),
        ),
        Figure(
            f"{PARSE} : all processes of the {IMPORT}, processor time",
            ratios(found[PARSE], found[IMPORT], "cpu_ms"),
        ),
        Figure(
            "memory at most, all of the lines : a tenth of them",
            spread_of(held, "ratio"),
            at_most=1.25,
        ),
    ]


def _rows(found: dict[str, list[Measured]], little: Measured) -> list[Row]:
    speeds = [
        Row(name, "speed", "MiB/s", spread_of(found[name], "mib_s"))
        for name in (PARSE, IMPORT, AGAIN)
    ]
    times = [
        Row(name, "processor time", "ms/MiB", spread_of(found[name], "cpu_ms"))
        for name in (PARSE, IMPORT, AGAIN)
    ]
    more = (
        ("processor time, recording", "ms/MiB", "own_ms"),
        ("processor time, reading", "ms/MiB", "reader_ms"),
        ("memory, both processes", "MiB", "mib"),
        ("memory, recording", "MiB", "own_mib"),
        ("memory, reading", "MiB", "reader_mib"),
        ("entries", "entries/s", "entries_s"),
    )
    return [
        *speeds,
        *times,
        *(Row(IMPORT, what, unit, spread_of(found[IMPORT], key)) for what, unit, key in more),
        Row("index a tenth of it", "speed", "MiB/s", spread_of([little], "index_mib_s")),
    ]


def _how(done: Measured) -> str:
    processes = "two processes" if done["reader_ms"] else "one process"
    return f"{processes} on {done['cores']:.0f} cores"


class _Work:
    """Does each thing once more."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0

    def parse(self) -> Measured:
        """Decode every line."""
        decode, total = msgspec.json.decode, 0
        before, used = time.perf_counter(), time.process_time()
        for path in sorted((self._folder / "all").rglob("*.jsonl")):
            with path.open("rb") as file:
                for line in file:
                    decode(line)
                    total += len(line)
        spent, used = time.perf_counter() - before, time.process_time() - used
        cpu_ms = used * 1000 / (total / MIB)
        return {"mib_s": total / MIB / spent, "cpu_ms": cpu_ms, "busiest_ms": cpu_ms}

    def take_in(self) -> Measured:
        """Import everything into a new ledger."""
        return self.run("all")

    def again(self) -> Measured:
        """Import it into the ledger that has it already."""
        return self._ask("all", self._folder / f"ledger-{self._count}")

    def run(self, name: str) -> Measured:
        """Import a folder into a new ledger, in a process of its own; the one before goes."""
        shutil.rmtree(self._folder / f"ledger-{self._count}", ignore_errors=True)
        self._count += 1
        return self._ask(name, self._folder / f"ledger-{self._count}")

    def _ask(self, name: str, ledger: Path) -> Measured:
        command = [sys.executable, "-m", "bench.transcripts", str(ledger)]
        command.append(str(self._folder / name))
        done = subprocess.run(command, capture_output=True, check=True)
        found: Measured = msgspec.json.decode(done.stdout)
        return found


# The lines


def write(folder: Path, size: int) -> None:
    """Write sessions of about so many bytes."""
    shapes = _Shapes()
    while size > 0:
        name = shapes.new_session()
        path = folder / "-project" / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            while size > 0 and file.tell() < SESSION_BYTES:
                for record in shapes.turn():
                    size -= file.write(msgspec.json.encode(record) + b"\n")


class _Shapes:
    """Makes lines after those of the client."""

    def __init__(self) -> None:
        self._chance = random.Random(7)
        self._real = _real_lines()
        self._files = _source_files()
        self._spoken = [word for _, text in self._files for word in _spoken_in(text)]
        self._session = ""
        self._turn = ""
        self._calls = 0

    def new_session(self) -> str:
        """Begin a session, and return its id."""
        self._session = self._uuid()
        return self._session

    def turn(self) -> Iterator[dict[str, Any]]:
        """Yield the lines of one prompt, its calls and the answer to it."""
        self._turn = self._uuid()
        yield self._line("prompt", message={"role": "user", "content": self._words(12, 120)})
        for _ in range(self._chance.randint(3, 13)):
            yield self._line("api-request")
            if self._chance.random() < 0.3:
                yield self._said()
            yield from self._called()
            if self._chance.random() < 0.2:
                yield self._line("attachment")
        yield self._said()
        yield self._line("last-prompt")

    def _said(self) -> dict[str, Any]:
        return self._assistant({"type": "text", "text": self._words(8, 200)})

    def _called(self) -> Iterator[dict[str, Any]]:
        self._calls += 1
        call = f"toolu_{self._calls:024d}"
        path, text = self._chance.choice(self._files)
        start = self._chance.randrange(max(len(text) - 12_000, 1))
        text = text[start : start + int(self._chance.lognormvariate(7.8, 1.0))]
        kind = self._chance.choice(("Bash", "Bash", "Read", "Read", "Edit"))
        given: dict[str, Any] = {"file_path": path}
        result: dict[str, Any] = {"type": "text", "file": {"filePath": path, "content": text}}
        if kind == "Bash":
            given = {"command": f"cat {path} | head -{len(text) // 40}", "description": path}
            result = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
        elif kind == "Edit":
            given |= {"old_string": text[:300], "new_string": text[:280], "replace_all": False}
            result = {**given, "originalFile": text, "structuredPatch": [], "userModified": False}
        yield self._assistant({"type": "tool_use", "id": call, "name": kind, "input": given})
        shown = text if kind != "Edit" else f"The file {path} has been updated successfully."
        block = {"tool_use_id": call, "type": "tool_result", "content": shown, "is_error": False}
        message = {"role": "user", "content": [block]}
        yield self._line("result", message=message, toolUseResult=result)

    def _assistant(self, block: dict[str, Any]) -> dict[str, Any]:
        message = {**self._real["assistant"]["message"], "id": self._uuid(), "content": [block]}
        return self._line("assistant", message=message)

    def _line(self, shape: str, **fields: Any) -> dict[str, Any]:
        record = {**self._real[shape], **fields, "sessionId": self._session}
        if "uuid" in record:
            record |= {"uuid": self._uuid(), "parentUuid": self._uuid()}
        if "promptId" in record:
            record["promptId"] = self._turn
        return record

    def _words(self, least: int, most: int) -> str:
        start = self._chance.randrange(len(self._spoken) - most)
        return " ".join(self._spoken[start : start + self._chance.randint(least, most)])

    def _uuid(self) -> str:
        text = f"{self._chance.getrandbits(128):032x}"
        return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def _real_lines() -> dict[str, dict[str, Any]]:
    """Return one line of the client's for each shape."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(_SAMPLES.glob("*/*.jsonl")):
        for line in path.read_bytes().splitlines():
            record = msgspec.json.decode(line)
            shape = record["type"]
            if shape == "user":
                plain = isinstance(record["message"]["content"], str)
                shape = "prompt" if plain and not record.get("isMeta") else "result"
            found.setdefault(shape, record)
    return found


def _source_files() -> list[tuple[str, str]]:
    """Return files of this Python's library, with the names a project would have for them."""
    library = Path(random.__file__).parent
    paths = sorted(library.glob("*.py"))[:120]
    return [(f"/project/src/{path.name}", path.read_text("utf-8", "replace")) for path in paths]


def _spoken_in(text: str) -> list[str]:
    """Return the words of the comments in a file."""
    return " ".join(re.findall(r"^\s*# ?(.+)$", text, re.MULTILINE)).split()


# The importing process


def _take_in(root: Path, source: Path) -> Measured:
    from holdfast import config
    from holdfast.kernel.entry import Actor
    from holdfast.wiring.opening import make_ledger
    from holdfast.wiring.places import place_of
    from holdfast.wiring.project import open_project
    from holdfast.wiring.transcribing import import_transcripts

    fresh = not root.exists()
    if fresh:
        root.mkdir()
    place = place_of(root)
    make_ledger(place)
    settings = config.load(place.settings).settings
    size = sum(path.stat().st_size for path in source.rglob("*.jsonl")) / MIB
    with open_project(place, settings, Actor("user", "bench")) as project:
        before, used = time.perf_counter(), time.process_time()
        done = import_transcripts(project, "claude-code", source)
        spent, used = time.perf_counter() - before, time.process_time() - used
        held = _held(used * 1000 / size, size)
        index_s = 0.0
        if source.name == PART:
            before = time.perf_counter()
            project.views.catch_up(project.ledger.reader)
            index_s = time.perf_counter() - before
    if bool(done.imported) != fresh or done.quarantined:
        raise AssertionError(f"{done}")
    return {
        "mib_s": size / spent,
        "entries_s": (done.imported + done.duplicates) / spent,
        "index_mib_s": size / index_s if index_s else 0.0,
        **held,
    }


def _held(own_ms: float, size: float) -> Measured:
    """Return what this process and the one that it had started used; that one has ended."""
    import resource

    from holdfast.wiring import workers

    own = resource.getrusage(resource.RUSAGE_SELF)
    reader = resource.getrusage(resource.RUSAGE_CHILDREN)
    reader_ms = (reader.ru_utime + reader.ru_stime) * 1000 / size
    own_mib, reader_mib = own.ru_maxrss / 1024, reader.ru_maxrss / 1024
    return {
        "own_ms": own_ms,
        "reader_ms": reader_ms,
        "cpu_ms": own_ms + reader_ms,
        "busiest_ms": max(own_ms, reader_ms),
        "own_mib": own_mib,
        "reader_mib": reader_mib,
        "mib": own_mib + reader_mib,
        "cores": workers._cores(),
    }


if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.encode(_take_in(Path(sys.argv[1]), Path(sys.argv[2]))))
