"""The process that the proxy lives in: this one, begun anew with nothing but what serving takes.

A command line loads much that is needed once: what reads arguments, settings and help. A proxy runs
for days, so the process replaces itself by a Python that is told what was read and loads the proxy
alone. Its id, its folder, its files and its place in the shell stay what they were.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import BinaryIO, Final, NoReturn

from holdfast.cli.missing import not_installed
from holdfast.cli.output import print_json, talk, visible
from holdfast.wiring.proxy_options import Listening, Options, read, spelled
from holdfast.workers.python import command, places

_START: Final = """
import sys
given = open(int(sys.argv[1]), "rb")
sys.path[:] = given.readline()[:-1].decode("utf-8", "surrogateescape").split("\\0")
from holdfast.cli.serving import main
main(given)
"""


def is_own_process() -> bool:
    """Tell whether this process is the command's alone, so that it may be begun anew: it was
    started as `holdfast` or `python -m holdfast`, on a system where that keeps its id."""
    program = sys.modules["__main__"]
    module = getattr(getattr(program, "__spec__", None), "name", None)
    name = Path(getattr(program, "__file__", None) or "").name if module is None else module
    ours = name in {"holdfast", "holdfast.__main__"}
    return ours and os.name == "posix" and bool(sys.executable)


def begin_anew(options: Options) -> NoReturn:
    """Let this process become one that only serves."""
    from tempfile import TemporaryFile

    with TemporaryFile() as given:
        given.write("\0".join(places()).encode("utf-8", "surrogateescape") + b"\n")
        given.write(spelled(options))
        given.seek(0)
        os.set_inheritable(given.fileno(), True)
        sys.stdout.flush()
        sys.stderr.flush()
        told = [*command(_START), str(given.fileno()), "holdfast", *sys.argv[1:]]
        os.execv(sys.executable, told)


def main(given: BinaryIO) -> NoReturn:
    """Serve as told, then end the process with the exit code of the command."""
    try:
        with given:
            options = read(given.read())
        if not any("https://" in one.lower() for one in options.named):
            sys.modules["ssl"] = None  # type: ignore[assignment] # 3 MB that nobody would need
        code = serve(options)
    except (Exception, KeyboardInterrupt) as problem:
        code = _told(problem)
    sys.exit(code)


def serve(options: Options) -> int:
    """Run the proxy in this process until it is told to stop; return the exit code."""
    try:
        from holdfast.wiring.proxying import serve as run
    except ModuleNotFoundError as missing:
        raise not_installed("The proxy", missing, "proxy", "code") from missing
    unrecorded = run(options, ready=_ready, say=lambda text: talk(visible(text)))
    return 1 if unrecorded else 0


def _told(problem: BaseException) -> int:
    """Say what went wrong as every command does."""
    import click

    from holdfast.cli import errors

    def again() -> NoReturn:
        if isinstance(problem, KeyboardInterrupt):
            raise click.exceptions.Abort from problem
        raise problem

    return errors.guarded(again, as_json="--json" in sys.argv)


def _ready(listening: Listening) -> None:
    print_json(listening)
    sys.stdout.flush()
