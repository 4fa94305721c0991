"""Driving `holdfast`, in this process or as one of its own, and harming its files from outside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import msgspec
from click.testing import CliRunner

from holdfast.cli.context import Invocation
from holdfast.cli.root import root
from holdfast.testing.builders import data_for
from holdfast.wiring.own_types import OWN


class Result:
    """What a finished process left."""

    def __init__(self, code: int, out: bytes, err: bytes) -> None:
        self.code = code
        self.out = out
        self.err = err.decode("utf-8", "replace")

    @property
    def text(self) -> str:
        return self.out.decode()

    def json(self) -> Any:
        return json.loads(self.out)


class Holdfast:
    """Runs `holdfast` in a folder, with a home of its own and none of this machine's settings.

    Called, it runs the command line in this process; `process` starts a real one.
    """

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        self.home = home

    @property
    def database(self) -> Path:
        return self.folder / ".holdfast" / "ledger.db"

    @property
    def settings(self) -> Path:
        return self.folder / ".holdfast" / "config.toml"

    def __call__(self, *args: str | Path, stdin: bytes = b"", **env: str) -> Result:
        foreign = {name: None for name in os.environ if _is_foreign(name)}
        done = CliRunner().invoke(
            root,
            ["-C", str(self.folder), *map(str, args)],
            input=stdin,
            env={**foreign, "HOME": str(self.home), **env},
        )
        return Result(done.exit_code, done.stdout_bytes, done.stderr_bytes)

    def process(self, *args: str | Path, stdin: bytes = b"", **env: str) -> Result:
        done = subprocess.run(
            self.command(*args),
            cwd=self.folder,
            env=self.env(**env),
            input=stdin,
            capture_output=True,
            check=False,
            timeout=60,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    def command(self, *args: str | Path) -> list[str]:
        return [sys.executable, "-m", "holdfast", *map(str, args)]

    def env(self, **changes: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not _is_foreign(name)}
        return {**kept, "HOME": str(self.home), **changes}

    def record(self, type_name: str = "decision", n: int = 0, *args: str, **changes: Any) -> Any:
        """Record valid data and return the answer; what no command records, through the API."""
        if type_name in OWN:
            return self.append(type_name, data_for(type_name, n, **changes), *args)
        data = json.dumps(data_for(type_name, n, **changes))
        done = self("record", type_name, "--data", data, "--json", *args)
        assert done.code == 0, done.err
        return done.json()

    def append(self, type_name: str, data: Any, *args: str) -> Any:
        """Append what only commands of ours write, as any caller in Python could."""
        session = args[args.index("--session") + 1] if "--session" in args else None
        with Invocation(str(self.folder)).recorder("user", "script", session) as project:
            return msgspec.to_builtins(project.ledger.append(type_name, data))

    def entries(self, *args: str) -> list[Any]:
        """Return what `log --json` prints, read line by line."""
        return [json.loads(line) for line in self("log", "--json", *args).out.splitlines()]

    def sql(self, *statements: str) -> None:
        """Do what somebody with another program could do to the database."""
        connection = apsw.Connection(str(self.database))
        try:
            for statement in statements:
                connection.execute(statement)
        finally:
            connection.close()


@contextmanager
def running(
    holdfast: Holdfast, *args: str | Path, **given: Any
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process of `holdfast` that ends with the block, whatever happens in it."""
    process = subprocess.Popen(
        holdfast.command(*args), cwd=holdfast.folder, stderr=subprocess.PIPE, **given
    )
    with process:  # waits for it in the end
        try:
            yield process
        finally:
            process.kill()  # by its own id; nothing happens to one that has ended


def _is_foreign(name: str) -> bool:
    return name.startswith(("HOLDFAST", "XDG_"))


def forge(holdfast: Holdfast, seq: int, old: str, new: str) -> None:
    """Change the stored bytes of an entry, with the guard down for a moment."""
    connection = apsw.Connection(str(holdfast.database))
    try:
        guard = str(
            connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'runs_no_update'").get
        )
        connection.execute("DROP TRIGGER runs_no_update")
        connection.execute(
            "UPDATE runs SET lines = CAST(replace(CAST(lines AS TEXT), ?, ?) AS BLOB)"
            " WHERE first <= ? AND last >= ?",
            (old, new, seq, seq),
        )
        connection.execute(guard)
    finally:
        connection.close()
