"""Where the `holdfast` process begins. Imports as little as it can: hooks wait for it."""

from __future__ import annotations

import sys

from holdfast.version import __version__


def main() -> None:
    """Run the command line and end the process with its exit code."""
    if sys.argv[1:] == ["--version"]:
        print(f"holdfast {__version__}")
        return
    if sys.argv[1:2] == ["resume"]:
        from holdfast.cli import quick

        if quick.resume(sys.argv[1:]):
            return
    if sys.argv[1:2] == ["hook"]:
        from holdfast import hook_entry

        if hook_entry.is_plain(sys.argv[2:]):
            sys.exit(hook_entry.main(sys.argv[2:]))
    from holdfast.cli.root import root

    root.main(prog_name="holdfast")
