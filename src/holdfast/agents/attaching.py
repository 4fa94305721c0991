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
    ".env .netrc _netrc .npmrc .pypirc .pgpass .my.cnf .mylogin.cnf .htpasswd .git-credentials"
    " .dockercfg .vault-token .vault_pass .dev.vars .s3cfg .boto rclone.conf auth.json"
    " id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk"
    " credentials credentials.json credentials.toml credentials.yml credentials.yaml"
    " secrets.yml secrets.yaml secrets.json secrets.toml master.key wp-config.php"
    " kubeconfig kubeconfig.yml kubeconfig.yaml terraform.tfstate terraform.tfstate.backup"
)
_SECRET_NAMES = frozenset(_SECRET_NAMES_WORDS.split())
_SECRET_ENDS_WORDS = (
    ".pem .key .p12 .pfx .jks .keystore .keytab .kdbx .ppk .ovpn .env .tfvars .tfvars.json .tfstate"
    " .kubeconfig"
)
_SECRET_ENDS = tuple(_SECRET_ENDS_WORDS.split())
_SECRET_PLACES = (
    "/.kube/config",
    "/.docker/config.json",
    "/.m2/settings.xml",
    "/.m2/settings-security.xml",
)
_PATTERN_ENDS = (".example", ".sample", ".template", ".dist", ".defaults")

_CONFIG_ENDS_WORDS = (
    ".yaml .yml .json .jsonc .json5 .toml .ini .cfg .cnf .conf .config .properties .xml .plist"
    " .envrc .service .rc"
)
_CONFIG_ENDS = tuple(_CONFIG_ENDS_WORDS.split())
_CONFIG_NAMES = frozenset(("config", ".gitconfig", "dockerfile", "containerfile"))
_NO_CONFIG = frozenset(
    ("package-lock.json", "npm-shrinkwrap.json", "composer.lock", "tsconfig.json")
)


def is_for_secrets(path: str) -> bool:
    """Tell whether a file's name says that it holds secrets: its bytes are kept nowhere.

    In such files anything may be one, and most have no format that tells it.
    """
    name = path.rpartition("/")[2].lower()
    if name.endswith(_PATTERN_ENDS):
        return False
    if name in _SECRET_NAMES or name.startswith(".env."):
        return True
    if name.startswith("client_secret") and name.endswith(".json"):
        return True  # as it is downloaded; code about such files is code
    return name.endswith(_SECRET_ENDS) or f"/{path}".lower().endswith(_SECRET_PLACES)


def is_config(path: str) -> bool:
    """Tell whether a file's name says that it holds settings: then names and values in it count.

    Of all other files, code above all, only secrets of a certain format are told, so that what an
    agent wrote comes back byte for byte.
    """
    name = path.rpartition("/")[2].lower()
    for end in _PATTERN_ENDS:
        name = name.removesuffix(end)
    if name in _NO_CONFIG:
        return False
    is_rc = name.startswith(".") and name.endswith("rc")
    named = name in _CONFIG_NAMES or name.endswith(_CONFIG_ENDS)
    return named or is_rc or name.startswith(".env")


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
