"""The `holdfast` command: its global options and the table of its commands."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from typing import Any, Final, NoReturn

import click

from holdfast.cli import errors
from holdfast.cli.context import Invocation
from holdfast.cli.lazy import LazyGroup, write_example
from holdfast.version import __version__

COMMANDS: Final = {
    "init": "Make a ledger for this project.",
    "status": "Say what the ledger holds, and when it was last written.",
    "resume": "Say where the work stands, from the last checkpoint.",
    "session": "Start and end sessions, and list them.",
    "decide": "Record a decision and why it was made.",
    "task": "Keep tasks: what is to do, in which order, how it is tested.",
    "fork": "See what contradicts what, and rule on it.",
    "ground": "Say what a decision rests on, and whether it still stands there.",
    "evidence": "Run a check here and now, and record how it came out.",
    "checkpoint": "Record where the work stands and what comes next.",
    "record": "Append an entry of any type.",
    "log": "List entries.",
    "show": "Show one entry, or the code that an identifier stands for.",
    "search": "Find entries by their words.",
    "ghost": "Show that a feature is missing in the code, or find it.",
    "pivot": "Say why a search found too much.",
    "notes": "Say where the notes stand, and bring them up to date.",
    "outline": "List what a file of the project defines.",
    "tokens": "Count the tokens of a text, and say who counted.",
    "fact": "Record what is so, withdraw it, and say what may be told.",
    "scene": "Start and end scenes.",
    "pending": "Keep track of what waits for an answer.",
    "milestone": "Note a point worth a save of everything.",
    "attention": "Say how full the context is, and do what that asks for.",
    "clear": "Pass the gate before a clear, and hand over.",
    "lost": "Say what a compaction dropped, by its entries.",
    "handoff": "Show what the last clear handed over; hand work to other agents.",
    "restore": "Give a session back, word for word.",
    "save": "Save what is true now, as digests that can be proved.",
    "boot": "Rebuild what was true from a save and the log, and prove it.",
    "at": "Show what was true right after an entry.",
    "diff": "Show what changed between two entries.",
    "rollback": "Let facts and decisions read as they did after an entry.",
    "export": "Write the whole ledger into one file.",
    "pin": "Show what saves depend on, and revise it on purpose.",
    "compactions": "List, verify and rebuild derived summaries.",
    "seal": "Move old entries, in full, into an archive.",
    "verify": "Prove every entry from its bytes.",
    "metrics": "Measure restore time, integrity, compression and loss.",
    "heal": "Recover what is missing or damaged around the ledger.",
    "doctor": "Look for what could keep the ledger from working.",
    "backup": "Copy the ledger into one file, and verify the copy.",
    "sync": "Keep other ledgers beside this one, proved, and look at them.",
    "erase": "Drop the bytes of an artifact; the chain still proves the rest.",
    "hook": "Take what an agent tells its hook, and answer it.",
    "proxy": "Stand between clients and models, and keep the code true.",
    "up": "Start the proxy and the web page, and say what to tell clients.",
    "web": "Show the ledger as a page in the browser, live.",
    "mcp": "Serve this ledger to an agent, by the Model Context Protocol.",
    "import": "Take in the state folder of another system.",
    "agents": "Let agents record by themselves: hooks, and what became of them.",
    "pause": "Let hooks record nothing for a while, and say so.",
    "protocols": "Install what agents read, see whether it is current, take it away.",
    "integrity": "Verify the files installed for agents.",
    "config": "Show every setting and where it comes from.",
    "completion": "Print what lets a shell complete commands of holdfast.",
    "demo": "Watch holdfast survive a crash and catch a forgery.",
}

EXAMPLE: Final = """
    holdfast init
    holdfast record metric --data '{"name":"tests","value":12,"threshold":12,
                                    "passed":true,"components":{}}'
    holdfast log
    holdfast verify
"""


class Root(LazyGroup):
    """The outermost command: every error leaves through it."""

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        """Run a command line; end the process with 0, 1 or 2."""
        arguments = sys.argv[1:] if args is None else list(args)
        extra["standalone_mode"] = False
        run = super().main
        sys.exit(
            errors.guarded(
                lambda: run(arguments, prog_name or "holdfast", **extra),
                as_json="--json" in arguments,
            )
        )

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a reader that went away ends it quietly."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise click.exceptions.Exit(errors.give_up_stdout()) from None

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """End the help with the first minute of a project."""
        del ctx
        write_example(formatter, EXAMPLE)


@click.group(
    cls=Root,
    lazy=COMMANDS,
    package="holdfast.cli.commands",
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("-C", "directory", metavar="DIR", help="Run as if started in DIR.")
@click.option("--ledger", metavar="PATH", help="Project root or database to use.")
@click.option("--peer", metavar="ID", help="Look at a peer's chain instead, see `sync`.")
@click.version_option(__version__, message="holdfast %(version)s")
@click.pass_context
def root(
    ctx: click.Context, directory: str | None, ledger: str | None, peer: str | None
) -> int | None:
    """The lossless ledger for AI agents: append, prove, never lose.

    The ledger is --ledger, else $HOLDFAST_LEDGER, else the one of the project this folder is in.
    Exit codes: 0 done, 1 no, 2 error or misuse.
    """
    if directory is not None:
        try:
            ctx.with_resource(contextlib.chdir(directory))
        except OSError as error:
            raise click.BadParameter(f"{directory}: {error.strerror}", param_hint="-C") from error
    ctx.obj = Invocation(ledger, peer)
    if ctx.invoked_subcommand is not None:
        return None
    from holdfast.cli.welcome import welcome

    return welcome(ctx.obj)
