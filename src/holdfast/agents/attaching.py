"""The files that a tool says it wrote, as they are right now: the next call may change them again.

Part of the shortest process there is: loads next to nothing. What a payload names is looked at only
below the project's root, and never through a link.
"""

import os
import stat

FILES_MAX = 64
"""Files of one event that are looked at; the others are found by the next scan."""

_WRITERS_WORDS = (
    "write edit multiedit notebookedit apply_patch patch write_file replace create_file"
)
_WRITERS = frozenset(_WRITERS_WORDS.split())
_PLACES = ("file_path", "notebook_path", "filePath", "path", "absolute_path")
_PATCHED = ("*** Add File: ", "*** Update File: ", "*** Move to: ")
_OURS = (".git", ".holdfast")

_SECRET_NAMES_WORDS = (
    ".env .netrc _netrc .npmrc .pypirc .pgpass .my.cnf .htpasswd .git-credentials .dockercfg"
    " .vault-token id_rsa id_dsa id_ecdsa id_ed25519 credentials master.key"
    " secrets.yml secrets.yaml secrets.json secrets.toml"
)
_SECRET_NAMES = frozenset(_SECRET_NAMES_WORDS.split())
_SECRET_ENDS_WORDS = ".pem .key .p12 .pfx .jks .keystore .kdbx .ppk .env .tfvars"
_SECRET_ENDS = tuple(_SECRET_ENDS_WORDS.split())
_PATTERN_ENDS = (".example", ".sample", ".template", ".dist", ".defaults")


def is_for_secrets(path: str) -> bool:
    """Tell whether a file's name says that it holds secrets: its bytes are kept nowhere.

    In such files anything may be one, and most have no format that tells it.
    """
    name = path.rpartition("/")[2].lower()
    if name.endswith(_PATTERN_ENDS):
        return False
    return name in _SECRET_NAMES or name.startswith(".env.") or name.endswith(_SECRET_ENDS)


def call(value: "dict[str, object]") -> "tuple[str, dict[str, object]]":
    """Return the tool that an event is about, and what it was given; empty when it is about none.

    opencode's plugin tells it under `input`.
    """
    given = value.get("input")
    told = given if isinstance(given, dict) else value
    tool = told.get("tool_name", told.get("tool"))
    given = told.get("tool_input", told.get("args"))
    if given is None:
        output = value.get("output")
        given = output.get("args") if isinstance(output, dict) else None
    return (tool if isinstance(tool, str) else ""), (given if isinstance(given, dict) else {})


def written(value: "dict[str, object]") -> "list[str]":
    """Return the paths that an event says were written, as it spells them."""
    tool, given = call(value)
    if value.get("hook_event_name") in ("afterFileEdit", "afterTabFileEdit"):
        given = value
    elif tool.lower() not in _WRITERS:
        return []
    found = [given[name] for name in _PLACES if isinstance(given.get(name), str)]
    patch = given.get("command", given.get("input", given.get("patch")))
    if isinstance(patch, list):
        patch = patch[-1] if patch else ""
    if tool.lower() in ("apply_patch", "patch") and isinstance(patch, str):
        for line in patch.splitlines():
            found += [line[len(mark) :].strip() for mark in _PATCHED if line.startswith(mark)]
    return list(dict.fromkeys(str(one) for one in found if one))[:FILES_MAX]


def content(root: str, cwd: str, path: str, bytes_max: int) -> "bytes | None":
    """Return what a file below the root holds, None when it is none, too large, or elsewhere."""
    if "\0" in path or len(path) > 4096 or is_for_secrets(path):
        return None
    whole = os.path.join(cwd if cwd.startswith("/") else root, path)
    folder, name = os.path.split(whole)
    try:
        root, folder = os.path.realpath(root), os.path.realpath(folder)
    except (OSError, ValueError):  # no file has such a name
        return None
    if folder != root and not folder.startswith(root.rstrip("/") + "/"):
        return None
    if any(part in _OURS for part in [*folder[len(root) :].split("/"), name]):
        return None
    try:
        flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        handle = os.open(f"{folder}/{name}", flags)
    except (OSError, ValueError):
        return None
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_size > bytes_max:
            return None
        held = _read(handle, bytes_max + 1)
        return held if len(held) <= bytes_max else None
    except OSError:
        return None
    finally:
        os.close(handle)


def _read(handle: int, most: int) -> bytes:
    parts = []
    while most > 0:
        part = os.read(handle, most)
        if not part:
            break
        parts.append(part)
        most -= len(part)
    return b"".join(parts)
