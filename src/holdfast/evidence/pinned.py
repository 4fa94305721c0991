"""The pins of `ck`: its version, and the digest of the program that runs under that name.

Pins are in the project's `.loa-version.json` (`dependencies.ck.version`, `binary_fingerprints.ck`)
and in what this machine remembers (`holdfast integrity --pin`). Both must hold. A program that is
not installed is not missed, unless the project says that it is not optional.
"""

from __future__ import annotations

import os
import re
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import msgspec

from holdfast.evidence.programs import find, run
from holdfast.evidence.shipped import read_bytes
from holdfast.kernel.errors import CouldNotLook, NotFound
from holdfast.kernel.limits import CK_BYTES_MAX, CK_WAIT_S

NAME: Final = "ck"
VERSIONS: Final = ".loa-version.json"
_CHUNK_BYTES: Final = 1 << 20
_OUTPUT_BYTES_MAX: Final = 64 * 1024


class Program(NamedTuple):
    """What was found about a pinned program."""

    name: str
    answer: Literal["ok", "note", "drift", "could_not_look"]
    detail: str
    remedy: str = ""


class _Pins(msgspec.Struct, frozen=True):
    version: str = ""
    sha256: str = ""
    optional: bool = True


def check_program(root: Path, local: dict[str, str]) -> list[Program]:
    """Hold `ck` against its pins; nothing where there are none."""
    try:
        theirs = _project_pins(root)
    except CouldNotLook as error:
        return [Program(VERSIONS, "could_not_look", error.what, error.remedy)]
    wants_version = theirs.version not in ("", "any", "*")
    digests = {digest for digest in (theirs.sha256, local.get("sha256", "")) if digest}
    if not digests and not wants_version and theirs.optional:
        return []
    try:
        program = find_program(root)
    except CouldNotLook as error:
        return [Program(NAME, "could_not_look", error.what, error.remedy)]
    if program is None:
        return [_absent(theirs)]
    try:
        return _compared(program, theirs if wants_version else _Pins(), digests, local)
    except CouldNotLook as error:
        return [Program(NAME, "could_not_look", error.what, error.remedy)]


def pins_of(root: Path) -> dict[str, str]:
    """Return the pins that the installed `ck` meets."""
    program = find_program(root)
    if program is None:
        raise NotFound(
            f"There is no program {NAME} to pin.",
            meaning="Nothing was pinned.",
            remedy=f"Install {NAME}, or leave it: nothing needs it.",
        )
    return {"version": version_of(program), "sha256": digest_of(program)}


def find_program(root: Path) -> Path | None:
    """Return where `ck` is; one inside the project is never run."""
    found = find(NAME, root)
    return None if found is None else Path(os.path.realpath(found))


def version_of(program: Path) -> str:
    """Ask the program for its version, without a shell and not for long."""
    done = run(
        [str(program), "--version"],
        folder=program.parent,
        env={"LC_ALL": "C"},
        timeout_s=CK_WAIT_S,
        bytes_max=_OUTPUT_BYTES_MAX,
    )
    found = _VERSION.search(done.out.decode("utf-8", "replace"))
    if done.code != 0 or found is None:
        raise _could_not(f"{program} --version says no version (exit {done.code})")
    return found[0]


def digest_of(program: Path) -> str:
    """Return the digest of the program's bytes."""
    hashed, size = sha256(), 0
    try:
        with program.open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                hashed.update(chunk)
                size += len(chunk)
                if size > CK_BYTES_MAX:
                    raise _could_not(f"{program} is larger than {CK_BYTES_MAX:,} bytes")
    except OSError as error:
        raise _could_not(f"{program} cannot be read: {error.strerror}") from error
    return hashed.hexdigest()


def meets(version: str, wanted: str) -> bool:
    """Tell whether a version meets a requirement like `>=0.7.0` or `0.8.0`.

    Raises `CouldNotLook` for a requirement that cannot be read.
    """
    found = _REQUIREMENT.fullmatch(wanted.strip())
    if found is None:
        raise _could_not(f"the version {wanted!r} in {VERSIONS} cannot be read")
    have, need = _padded(version), _padded(found["version"])
    match found["sign"]:
        case ">=":
            return have >= need
        case ">":
            return have > need
        case "<=":
            return have <= need
        case "<":
            return have < need
        case "^":
            return have >= need and _same_series(have, need)
        case "~":
            return have >= need and have[:2] == need[:2]
        case _:
            return have == need


def _compared(
    program: Path, theirs: _Pins, digests: set[str], local: dict[str, str]
) -> list[Program]:
    found = []
    digest = digest_of(program) if digests else ""
    if digests:
        if digests == {digest}:
            found.append(Program(NAME, "ok", f"the program is the pinned one ({digest[:12]})"))
        else:
            wrong = ", ".join(sorted(pin[:12] for pin in digests - {digest}))
            detail = f"the program {program} is {digest[:12]}, pinned is {wrong}"
            found.append(Program(NAME, "drift", detail, _REPIN))
    if theirs.version:
        same = digest != "" and digest == local.get("sha256")
        version = local["version"] if same else version_of(program)
        if meets(version, theirs.version):
            found.append(Program(NAME, "ok", f"version {version} meets {theirs.version}"))
        else:
            detail = f"version {version} does not meet {theirs.version}"
            found.append(Program(NAME, "drift", detail, f"Install a version of {NAME} that does."))
    return found


def _absent(theirs: _Pins) -> Program:
    if theirs.optional:
        return Program(NAME, "note", "it is pinned and not installed; it is not used then")
    remedy = f"Install it, or say in {VERSIONS} that it is optional."
    return Program(NAME, "drift", "the project needs it, and it is not installed", remedy)


def _project_pins(root: Path) -> _Pins:
    content = read_bytes(root / VERSIONS)
    if content is None:
        return _Pins()
    try:
        document = msgspec.json.decode(content, type=dict[str, Any])
        wanted = document.get("dependencies", {}).get(NAME, {})
        digest = document.get("binary_fingerprints", {}).get(NAME, "") or ""
        pins = msgspec.convert({**wanted, "sha256": digest.lower()}, _Pins)
    except (msgspec.DecodeError, AttributeError, TypeError) as error:
        raise _could_not(f"{VERSIONS} is not what it should be: {error}") from error
    if pins.sha256 and not _DIGEST.fullmatch(pins.sha256):
        raise _could_not(f"the fingerprint in {VERSIONS} is no SHA-256 digest")
    return pins


def _padded(version: str) -> tuple[int, ...]:
    numbers = [int(part) for part in version.split(".")]
    return tuple([*numbers, 0, 0, 0][: max(3, len(numbers))])


def _same_series(have: tuple[int, ...], need: tuple[int, ...]) -> bool:
    """Tell whether the first number that is not zero, and all before it, are the same."""
    first = next((at for at, number in enumerate(need) if number), len(need) - 1)
    return have[: first + 1] == need[: first + 1]


def _could_not(why: str) -> CouldNotLook:
    return CouldNotLook(
        f"{why}.", meaning=f"The pins of {NAME} were not verified.", remedy="Correct that first."
    )


_REPIN: Final = "If you replaced it on purpose, `holdfast integrity --pin` pins it anew."
_VERSION: Final = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9}){1,3}")
_REQUIREMENT: Final = re.compile(
    r"(?P<sign>>=|<=|==|=|>|<|\^|~|)\s*v?(?P<version>[0-9]{1,9}(?:\.[0-9]{1,9}){0,3})"
)
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
