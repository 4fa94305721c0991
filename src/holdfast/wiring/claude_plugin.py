"""holdfast as a plugin of Claude Code: one folder, made of what is shipped and of this machine's
commands."""

from __future__ import annotations

import json
import os
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from holdfast.agents import claude_code_setup
from holdfast.agents.setups import Commands
from holdfast.evidence.shipped import read_bytes, shipped
from holdfast.kernel.errors import InvalidInput
from holdfast.storage.files import RealFiles
from holdfast.version import __version__

MANIFEST: Final = ".claude-plugin/plugin.json"
_PROTOCOLS: Final = "${CLAUDE_PLUGIN_ROOT}/protocols/"
_TAKEN: Final = ("commands/", "protocols/", "skills/")
"""What of the shipped files is part of the plugin; scripts are for projects."""


def plugin_files(commands: Commands) -> dict[str, bytes]:
    """Return every file of the plugin, by its path."""
    hooks = claude_code_setup.hooks(commands.hook, commands.events)
    files = {
        MANIFEST: _spelled(_manifest()),
        "hooks/hooks.json": _spelled({"hooks": {event: [group] for event, group in hooks.items()}}),
        "README.md": (Path(claude_code_setup.__file__).parent / "claude_plugin.md").read_bytes(),
        "LICENSE": _license(),
        "commands/clear.md": claude_code_setup.clear_command().encode(),
    }
    if commands.mcp is not None:
        server = claude_code_setup.server(commands.mcp)
        files[".mcp.json"] = _spelled({"mcpServers": {"holdfast": server}})
    for one in shipped():
        path = one.path.removeprefix(".claude/")
        if path.startswith(_TAKEN):
            text = one.content.decode().replace(".claude/protocols/", _PROTOCOLS)
            files[path] = text.encode()
    return dict(sorted(files.items()))


def write_plugin(folder: Path, commands: Commands | None = None) -> list[str]:
    """Write the plugin into a folder; return the paths. One that holds anything else is refused."""
    from holdfast.wiring.agent_setup import commands_of

    files = plugin_files(commands or commands_of("claude-code"))
    folder = folder.absolute()
    _refuse(folder)
    for path, content in files.items():
        _write(folder / path, content)
    return list(files)


def _manifest() -> dict[str, Any]:
    return {
        "name": "holdfast",
        "version": __version__,
        "description": "The lossless ledger for AI agents: recorded and recovered by itself.",
        "author": {"name": "holdfast"},
        "license": "Apache-2.0",
        "keywords": ["ledger", "memory", "context", "compaction"],
    }


def _license() -> bytes:
    text = metadata.distribution("holdfast").read_text("licenses/LICENSE")
    if text is None:
        raise InvalidInput(
            "This installation of holdfast has no LICENSE.",
            meaning="A plugin must have one. Nothing was written.",
            remedy="Install holdfast from its package.",
        )
    return text.encode()


def _spelled(document: Any) -> bytes:
    return json.dumps(document, indent=2, ensure_ascii=False).encode() + b"\n"


def _refuse(folder: Path) -> None:
    """Refuse a folder that somebody else filled, and links anywhere in it."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise _refused(folder, "is a link, or no folder")
    if not folder.exists() or not any(folder.iterdir()):
        return
    for name, folders, files in os.walk(folder):
        links = [one for one in (*folders, *files) if (Path(name) / one).is_symlink()]
        if links:
            raise _refused(folder, f"holds a link: {links[0]}")
    try:
        manifest = json.loads(read_bytes(folder / MANIFEST) or b"null")
    except (ValueError, RecursionError):
        manifest = None
    if not isinstance(manifest, dict) or manifest.get("name") != "holdfast":
        raise _refused(folder, "holds something else than this plugin")


def _refused(folder: Path, why: str) -> InvalidInput:
    return InvalidInput(
        f"{folder} {why}.",
        meaning="Nothing was written.",
        remedy="Name a new or an empty folder.",
    )


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    files = RealFiles()
    draft = path.with_name(f"{path.name}.{os.urandom(4).hex()}.new")
    files.create(str(draft), content)
    draft.chmod(0o644)
    files.rename(str(draft), str(path))
    files.sync_folder(str(path.parent))
