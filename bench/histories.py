"""Real file histories: the files of consecutive releases of packages that people use.

Wheels come by `pip download`, npm's packages by `npm pack`; both are kept under bench/.scratch.
A history is one file as some releases in a row have it. Releases in which none of its definitions
changed are left out of it; what a definition is, Python's `ast` and the TypeScript compiler say.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from bench.code_edits import PACKAGES, files_of, wheel
from bench.code_oracle_ts import installed
from bench.harness import CannotMeasureError, scratch_folder
from tests.proxy.truth import History, Truth, of_offsets, of_python

FILE_CHARS: Final = range(400, 60_000)
PACKAGE_FILES_MAX: Final = 24
"""Of one package, those that changed most often."""

WHEELS: Final = """
    attrs 24.2.0 24.3.0 25.1.0 25.2.0, celery 5.4.0 5.5.0 5.5.1 5.5.2,
    click 8.1.5 8.1.6 8.1.7 8.1.8, django 5.0.11 5.0.12 5.0.13 5.0.14,
    docutils 0.20.1 0.21 0.21.1 0.21.2, flask 3.0.3 3.1.0 3.1.1 3.1.2,
    httpx 0.27.0 0.27.1 0.27.2 0.28.0, mkdocs 1.5.2 1.5.3 1.6.0 1.6.1,
    networkx 3.2.1 3.3 3.4 3.4.1, paramiko 3.4.1 3.5.0 3.5.1, pip 24.2 24.3 24.3.1 25.0,
    poetry 1.8.4 1.8.5 2.0.0 2.0.1, pydantic 2.9.2 2.10.0 2.10.1 2.10.2,
    pygments 2.17.2 2.18.0 2.19.0 2.19.1, pytest 8.3.3 8.3.4 8.3.5 8.4.0,
    requests 2.32.2 2.32.3 2.32.4 2.32.5, rich 13.9.2 13.9.3 13.9.4 14.0.0,
    scrapy 2.11.0 2.11.1 2.11.2 2.12.0, sphinx 8.1.2 8.1.3 8.2.0 8.2.1,
    sqlglot 25.32.0 25.32.1 25.33.0 25.34.0, starlette 0.45.2 0.45.3 0.46.0 0.46.1,
    textual 0.87.1 0.88.0 0.88.1 0.89.0, tox 4.23.0 4.23.1 4.23.2 4.24.0,
    twisted 24.7.0 24.10.0 24.11.0, urllib3 2.2.1 2.2.2 2.2.3 2.3.0,
    werkzeug 3.0.4 3.0.5 3.0.6 3.1.0
"""

PACKED: Final = """
    zod 4.1.8 4.1.9 4.1.10 4.1.11, rxjs 7.5.7 7.6.0 7.7.0 7.8.0, ethers 6.13.7 6.14.0 6.14.1 6.14.2,
    @reduxjs/toolkit 2.5.0 2.5.1 2.6.0 2.6.1, @tanstack/query-core 5.64.1 5.64.2 5.65.0 5.66.0,
    immer 10.0.2 10.0.3 10.0.4 10.1.0, type-fest 4.39.0 4.39.1 4.40.0 4.40.1,
    fastify 5.1.0 5.2.0 5.2.1 5.2.2, axios 1.8.4 1.9.0 1.10.0 1.11.0,
    express 4.19.2 4.20.0 4.21.0 4.21.1, webpack 5.96.1 5.97.0 5.97.1 5.98.0,
    eslint 9.17.0 9.18.0 9.19.0 9.20.0, undici 7.1.0 7.1.1 7.2.0 7.2.1,
    mongoose 8.9.4 8.9.5 8.9.6 8.9.7, preact 10.25.0 10.25.1 10.25.2 10.25.3
"""

SCRIPTS: Final = Path(__file__).parents[1] / "tests/proxy/scripts.json"
"""Scripts of the tests, with what the compiler finds in them."""

_TYPESCRIPT: Final = (".ts", ".mts", ".tsx")
_JAVASCRIPT: Final = (".js", ".mjs", ".cjs", ".jsx")


def python_histories() -> list[History]:
    """Return the histories of Python's packages, in turn from each package."""
    return _in_turn([list(_histories(*one)) for one in _listed(WHEELS, _wheel_files)])


def typescript_histories() -> list[History]:
    """Return the histories of npm's packages, in turn from each package."""
    listed = [(package, _chains(releases)) for package, releases in _listed(PACKED, _packed_files)]
    named = [
        (name, text) for _, chains in listed for name, chain in chains.items() for text in chain
    ]
    texts = [text for _, text in named]
    truths = dict(zip(texts, _by_the_compiler(named), strict=True))
    return _in_turn([list(_judged(package, chains, truths)) for package, chains in listed])


def _listed(
    spelled: str, files: Callable[[str, str], Mapping[str, str]]
) -> list[tuple[str, list[Mapping[str, str]]]]:
    """Return the files of all releases, by package."""
    wanted = [one.split() for one in spelled.split(",")]
    with ThreadPoolExecutor(4) as pool:
        jobs = [
            (name, [pool.submit(files, name, v) for v in versions]) for name, *versions in wanted
        ]
        return [(name, [job.result() for job in releases]) for name, releases in jobs]


def _wheel_files(package: str, version: str) -> dict[str, str]:
    found = files_of(wheel(package, version))
    return {name: text for name, text in found.items() if name.endswith(".py")}


def _packed_files(package: str, version: str) -> dict[str, str]:
    """Return the sources of an npm package: what its makers wrote, not what was built from it."""
    found = {}
    with tarfile.open(_packed(package, version)) as archive:
        for member in archive.getmembers():
            name = member.name.partition("/")[2]
            file = archive.extractfile(member) if _is_source(name) else None
            if file is None:
                continue
            try:
                found[f"{package.rpartition('/')[2]}/{name}"] = file.read().decode()
            except UnicodeDecodeError:
                continue
    return found


def _is_source(name: str) -> bool:
    built = ("dist/", "dist-", "lib.", "lib.esm/", "lib.commonjs/", "node_modules/", "build/")
    if name.startswith(built) or ".min." in name or not name.endswith(_TYPESCRIPT + _JAVASCRIPT):
        return False
    return "/dist/" not in name


def _packed(package: str, version: str) -> Path:
    PACKAGES.mkdir(parents=True, exist_ok=True)
    name = f"{package.removeprefix('@').replace('/', '-')}-{version}.tgz"
    if not (PACKAGES / name).exists():
        npm = shutil.which("npm")
        if npm is None:
            raise CannotMeasureError("npm is needed")
        pack = [npm, "pack", "--silent", "--ignore-scripts", f"{package}@{version}"]
        subprocess.run(pack, cwd=PACKAGES, check=False, capture_output=True)
    if not (PACKAGES / name).exists():
        raise CannotMeasureError(f"{package} {version} cannot be downloaded")
    return PACKAGES / name


def _chains(releases: Sequence[Mapping[str, str]]) -> dict[str, list[str]]:
    """Return the files that all releases have, each with the texts that were new."""
    chains = {}
    for name in sorted(set(releases[0]).intersection(*releases[1:])):
        texts = [release[name] for release in releases]
        changed = [
            text for place, text in enumerate(texts) if not place or text != texts[place - 1]
        ]
        sound = all(len(text) in FILE_CHARS and "\r" not in text for text in changed)
        if sound and len(changed) > 1:
            chains[name] = changed
    longest = sorted(chains, key=lambda name: (-len(chains[name]), name))[:PACKAGE_FILES_MAX]
    return {name: chains[name] for name in longest}


def _histories(package: str, releases: Sequence[Mapping[str, str]]) -> Iterator[History]:
    chains = _chains(releases)
    truths: dict[str, Truth | None] = {}
    for text in {text for chain in chains.values() for text in chain}:
        try:
            truths[text] = of_python(text)
        except (SyntaxError, ValueError):
            truths[text] = None
    yield from _judged(package, chains, truths)


def _judged(
    package: str, chains: Mapping[str, Sequence[str]], truths: Mapping[str, Truth | None]
) -> Iterator[History]:
    for name, texts in chains.items():
        found: list[Truth] = []
        for text in texts:
            truth = truths[text]
            if truth is not None and truth.slices and (not found or found[-1] != truth):
                found.append(truth)
        if len(found) > 1:
            yield History(package, name, _language(name), tuple(found))


def _language(name: str) -> str:
    if name.endswith(".py"):
        return "python"
    return "typescript" if name.endswith(_TYPESCRIPT) else "javascript"


def _by_the_compiler(named: Sequence[tuple[str, str]]) -> list[Truth | None]:
    """Let the TypeScript compiler read texts, each under a name that tells what it is."""
    home = installed()
    script = Path(__file__).parent / "definitions.cjs"
    with scratch_folder() as folder:
        for number, (name, text) in enumerate(named):
            suffix = "".join(Path(name).suffixes[-2:])
            (folder / f"{number:06}{suffix}").write_bytes(text.encode())
        run = subprocess.run(
            ["node", str(script), str(folder), "all"],
            env={**os.environ, "NODE_PATH": str(home)},
            stdout=subprocess.PIPE,
            check=True,
        )
    found: list[Truth | None] = [None] * len(named)
    for line in run.stdout.splitlines():
        read = json.loads(line)
        number = int(Path(read["place"]).name[:6])
        if not read["errors"]:
            found[number] = of_offsets(named[number][1], read["slices"])
    return found


def _in_turn(by_package: Sequence[Sequence[History]]) -> list[History]:
    found: list[History] = []
    for turn in range(max(map(len, by_package))):
        found += [histories[turn] for histories in by_package if turn < len(histories)]
    return found


def main() -> None:
    """Let the compiler read the scripts of the tests anew: `python -m bench.histories`."""
    scripts = json.loads(SCRIPTS.read_text(encoding="utf-8"))
    for script in scripts:
        named = [(script["path"], one["text"]) for one in script["texts"]]
        for one, truth in zip(script["texts"], _by_the_compiler(named), strict=True):
            assert truth is not None
            one["slices"] = [[name, *place] for name, place in truth.slices.items()]
    SCRIPTS.write_text(json.dumps(scripts, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
