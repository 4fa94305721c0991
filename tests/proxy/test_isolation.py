"""The proxy works with what crosses it, and nothing else: no file, no git, no search."""

from __future__ import annotations

import ast
import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import holdfast.proxy
from holdfast.testing.model_server import ModelServer, Said
from tests.proxy.running import Chat, fenced, proxy_process

SOURCES = Path(holdfast.proxy.__file__).parent
MODULES = sorted(path.stem for path in SOURCES.glob("*.py") if path.stem != "__init__")
NOBODY = 65534
FORBIDDEN = (
    "apsw",
    "holdfast.cli",
    "holdfast.config",
    "holdfast.evidence",
    "holdfast.index",
    "holdfast.recall",
    "holdfast.storage.archives",
    "holdfast.storage.files",
    "holdfast.storage.locks",
    "holdfast.storage.sqlite",
    "holdfast.wiring",
    "holdfast.workers",
    "sqlite3",
)


@pytest.mark.req("T1")
@pytest.mark.lesson("N9")
def test_loading_all_of_it_loads_nothing_that_touches_files_git_or_search() -> None:
    program = (
        "import importlib, json, sys\n"
        f"for name in {MODULES!r}: importlib.import_module('holdfast.proxy.' + name)\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    ran = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, check=True, text=True
    )
    loaded = json.loads(ran.stdout)
    assert "holdfast.proxy.app" in loaded
    below = tuple(f"{name}." for name in FORBIDDEN)
    assert [name for name in loaded if name in FORBIDDEN or name.startswith(below)] == []


@pytest.mark.req("T1")
@pytest.mark.lesson("T9")
@pytest.mark.parametrize("module", MODULES)
def test_no_module_opens_a_file_runs_a_program_or_reads_the_environment(module: str) -> None:
    tree = ast.parse((SOURCES / f"{module}.py").read_text())
    assert sorted(_reaches(tree)) == []


def _reaches(tree: ast.AST) -> Iterator[str]:
    """Yield what a program does that leaves the process, sockets aside."""
    banned = {"glob", "importlib", "io", "os", "pathlib", "shutil", "socket", "subprocess"}
    banned |= {"tempfile", "runpy", "ctypes", "multiprocessing"}
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (one.name for one in names if one.name.split(".")[0] in banned)
            case ast.ImportFrom(module=str(home), names=names):
                found = home.split(".")[0] in banned
                in_memory = home == "io" and {one.name for one in names} <= {"BytesIO", "StringIO"}
                numbers = home == "socket" and all(one.name.isupper() for one in names)
                if found and not in_memory and not numbers:
                    yield home
            case ast.Call(func=ast.Name(id="open" | "exec" | "eval" | "compile" | "__import__")):
                yield ast.unparse(node.func)
            case ast.Attribute(attr="create_subprocess_exec" | "create_subprocess_shell"):
                yield node.attr
            case _:
                pass


def test_the_check_above_finds_what_it_looks_for() -> None:
    sly = "import os.path\nfrom pathlib import Path\nopen('x')\nasyncio.create_subprocess_exec()\n"
    sly += "from socket import SOL_SOCKET, create_connection"
    assert sorted(_reaches(ast.parse(sly))) == [
        "create_subprocess_exec",
        "open",
        "os.path",
        "pathlib",
        "socket",
    ]


WATCHED = """
import os, sys
try:
    os.listdir(".")
except PermissionError:
    pass
else:
    sys.exit("the folder can be read: nothing would be proved")
log = os.open(os.environ["WATCH_LOG"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
kinds = ("open", "os.listdir", "os.scandir", "os.chdir", "subprocess.Popen", "os.system", "os.exec")
def watch(event, args):
    if event in kinds and not isinstance(args[0], int):
        told = args[1] if event == "subprocess.Popen" else args[0]
        os.write(log, f"{event} {told!r}\\n".encode())
sys.addaudithook(watch)
from holdfast.cli.main import main
main()
"""


@pytest.mark.req("T1")
def test_it_works_in_a_folder_that_it_cannot_read(tmp_path: Path) -> None:
    folder, kept, log = tmp_path / "project", tmp_path / "kept", tmp_path / "log"
    folder.mkdir()
    kept.mkdir(mode=0o700)
    (folder / "a.py").write_text("def f():\n    return 'what the disk says'\n")
    crossed = "def f():\n    return 'what crossed'\n"
    shut_out = _shut_out(folder)
    try:
        with (
            ModelServer(Said(fenced("a.py", crossed))) as server,
            proxy_process(
                *("--upstream", server.url, "--port", "0", "--ledger", str(kept / "ledger.db")),
                cwd=folder,
                env={"WATCH_LOG": str(log), "HOME": str(kept)},
                code=WATCHED,
                preexec=shut_out,
            ) as (proxy, _),
        ):
            ready = len(_watched(log))
            Chat(proxy, server).say("write f in a.py")
            assert proxy.true_text("a.py::f") == crossed.rstrip("\n")
            other = Chat(proxy, server)
            other.say("explain a.py::f")
            assert "what crossed" in other.seen()
            assert proxy.look("/doctor")["ok"] is True
    finally:
        folder.chmod(0o700)
    touched = _watched(log)
    assert [line for line in touched if str(folder) in line or "a.py'" in line] == []
    later = [line for line in touched[ready:] if not _is_ours(line, kept)]
    assert later == []


def _watched(log: Path) -> list[str]:
    return log.read_text().splitlines()


def _is_ours(line: str, kept: Path) -> bool:
    """Tell whether something is the ledger's, Python's own, the process that parses, or what says
    which file system the ledger is on."""
    event, _, told = line.partition(" ")
    if event == "subprocess.Popen":
        return "'holdfast.workers.child'" in told
    path = str(ast.literal_eval(told))
    own = [kept, Path(sys.prefix), Path(sys.base_prefix), SOURCES.parent]
    own += [Path("/dev/null"), Path("/proc/self/mountinfo")]
    return any(Path(path).is_relative_to(one) for one in own)


def _shut_out(folder: Path) -> Callable[[], None]:
    """Make a folder unreadable for a child that already stands in it; return what it runs first."""
    if os.geteuid() != 0:
        return lambda: folder.chmod(0)
    # Root reads everything, unless it gives that up and the folder is somebody else's.
    os.chown(folder, NOBODY, NOBODY)
    folder.chmod(0)
    libc = ctypes.CDLL(None)

    def give_up() -> None:
        for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP

    return give_up
