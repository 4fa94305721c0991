"""Where every error of the command line ends: a message in three parts, and an exit code.

0 done, 1 no, 2 error or misuse, 130 interrupted, 141 nobody reads any more. Never a traceback,
unless HOLDFAST_DEBUG asks for one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, Final

import click

from holdfast.cli.output import print_json, talk, visible
from holdfast.kernel.errors import BootFailed, HoldfastError, NotFound, StorageFailed

DONE: Final = 0
NO: Final = 1
ERROR: Final = 2
INTERRUPTED: Final = 130
UNREAD: Final = 141


def guarded(run: Callable[[], int | None], *, as_json: bool) -> int:
    """Run a command line and return its exit code, whatever happens."""
    try:
        code = run()
        sys.stdout.flush()
        return code or DONE
    except HoldfastError as error:
        _report(type(error).__name__, error, as_json=as_json)
        return NO if isinstance(error, (NotFound, BootFailed)) else ERROR
    except click.exceptions.Abort:
        talk("Interrupted. What was acknowledged before is in the ledger.")
        return INTERRUPTED
    except click.ClickException as error:
        _report("Usage", _from_click(error), as_json=as_json)
        return ERROR
    except BrokenPipeError:
        return give_up_stdout()
    except OSError as error:
        return _refused_by_the_system(error, as_json=as_json)
    except Exception as error:
        return _unexpected(error, as_json=as_json)


def give_up_stdout() -> int:
    """Stop writing to a stdout that takes nothing, so that the end of the process is quiet."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):
        pass  # it is closed already
    return UNREAD


def _report(kind: str, error: HoldfastError, *, as_json: bool) -> None:
    parts = {"what": error.what, "meaning": error.meaning, "remedy": error.remedy}
    shown = {name: visible(part) for name, part in parts.items()}
    talk(f"holdfast: {shown['what']}", "bold red")
    for part in (shown["meaning"], shown["remedy"]):
        if part:
            talk(f"  {part}")
    if isinstance(error, BootFailed):
        talk(f"  Step {error.step} expected {visible(error.expected)}")
        talk(f"  {'':<{len(str(error.step))}}       found {visible(error.found)}")
    if as_json:
        print_json({**_marks(error), "error": {"kind": kind, **shown}})
        sys.stdout.flush()


def _marks(error: HoldfastError) -> dict[str, Any]:
    """Return what a script looks at when a boot failed."""
    if not isinstance(error, BootFailed):
        return {}
    return {"ok": False, "step": error.step, "expected": error.expected, "found": error.found}


def _from_click(error: click.ClickException) -> HoldfastError:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "holdfast"
    return HoldfastError(
        error.format_message(),
        meaning="Nothing was done.",
        remedy=f"`{path} --help` shows how it is used.",
    )


def _refused_by_the_system(error: OSError, *, as_json: bool) -> int:
    """Report a file, a disk or an output that refused; nothing of it is a mistake of ours."""
    from holdfast import config

    _show_where(error)
    if error.filename is None:
        give_up_stdout()  # most likely a full disk behind a redirection
        what, check = "The output could not be written", "the room behind the output"
    else:
        named = os.fsdecode(error.filename)
        what, check = f"{named} could not be read or written", "its permissions"
    ours = StorageFailed(
        f"{what}: {error.strerror or error}.",
        meaning="What was acknowledged before is in the ledger.",
        remedy=f"Check {check} and the room on the disk; "
        f"{config.DEBUG_VARIABLE}=1 shows where it comes from.",
    )
    _report(type(ours).__name__, ours, as_json=as_json)
    return ERROR


def _show_where(error: Exception) -> None:
    from holdfast import config

    if config.debugging():
        import traceback

        traceback.print_exception(error)


def _unexpected(error: Exception, *, as_json: bool) -> int:
    from holdfast import config

    _show_where(error)
    ours = HoldfastError(
        f"An unexpected error: {type(error).__name__}: {error}.",
        meaning="What was acknowledged before is in the ledger.",
        remedy=f"Set {config.DEBUG_VARIABLE}=1 to see where it comes from, and report it.",
    )
    _report("Unexpected", ours, as_json=as_json)
    return ERROR
