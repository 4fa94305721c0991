"""`holdfast evidence`: file-exists, grep, run, test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE, NO
from holdfast.cli.lazy import ExampleCommand, ExampleGroup, json_option
from holdfast.cli.options import actor_options, session_option
from holdfast.cli.output import say, visible
from holdfast.cli.receipts import give
from holdfast.kernel.entry import ActorKind
from holdfast.kernel.limits import CHECK_TIMEOUT_S

if TYPE_CHECKING:
    from holdfast.wiring.running_checks import Checks, Recorded


@click.group(
    "evidence",
    cls=ExampleGroup,
    example="""
    holdfast evidence file-exists '${PROJECT_ROOT}/src/queue.py' --for 12
    holdfast evidence grep 'def take' '${PROJECT_ROOT}/src/queue.py' --for 12
    holdfast evidence test --for 12 -- pytest -q tests/test_queue.py
    """,
)
def command() -> None:
    """Check something here and now, and record how it came out. Each of these has --json.

    A failed check of a decision keeps it from being grounded until the same check passes. Checks
    that passed are shown with it; they do not take the place of a quote. Exit code 1: it failed.
    """


def _options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add what every check takes."""
    named = click.option("--for", "decision", metavar="SEQ|ID", help="Decision it speaks for.")
    return named(session_option(actor_options(json_option(click.pass_obj(function)))))


@contextmanager
def _checks(
    invocation: Invocation,
    decision: str | None,
    session: str | None,
    actor_kind: ActorKind,
    actor: str | None,
) -> Iterator[Checks]:
    from holdfast.wiring.running_checks import Checks

    files = invocation.files()
    with invocation.recorder(actor_kind, actor, session) as project:
        yield Checks(project, files, decision)


def _tell(recorded: Recorded, what: str, *, as_json: bool) -> int:
    if not as_json:
        word, style = ("PASSED", "green") if recorded.passed else ("FAILED", "bold red")
        say(visible(f"{word}: {what}"), style)
    shown = ("kind", "passed", "decision", "exit_code", "matches")
    found = {name: recorded.data.get(name) for name in shown}
    code = give(recorded.receipt, as_json=as_json, **found)
    return code or (DONE if recorded.passed else NO)


@command.command(
    "file-exists",
    cls=ExampleCommand,
    example="holdfast evidence file-exists '${PROJECT_ROOT}/src/queue.py' --for 12 --json",
)
@click.argument("path")
@_options
def file_exists(
    invocation: Invocation, path: str, decision: str | None, as_json: bool, **who: Any
) -> int:
    """Look whether a file of the project is there."""
    with _checks(invocation, decision, **who) as checks:
        return _tell(checks.file_exists(path), f"{path} is there", as_json=as_json)


@command.command(
    cls=ExampleCommand,
    example="holdfast evidence grep 'def take' '${PROJECT_ROOT}/src/queue.py' --for 12",
)
@click.argument("pattern")
@click.argument("path")
@_options
def grep(
    invocation: Invocation,
    pattern: str,
    path: str,
    decision: str | None,
    as_json: bool,
    **who: Any,
) -> int:
    """Look whether a pattern is found in a line of one file. Patterns are those of RE2."""
    with _checks(invocation, decision, **who) as checks:
        recorded = checks.grep(pattern, path)
        found = recorded.data["matches"]
        what = f"{found:,} lines of {path} match"
        return _tell(recorded, what, as_json=as_json)


def _timeout(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--timeout",
        "timeout_s",
        type=click.FloatRange(0, min_open=True),
        default=CHECK_TIMEOUT_S,
        show_default=True,
        metavar="SECONDS",
        help="End it after so long; then it failed.",
    )(function)


@command.command(cls=ExampleCommand, example="holdfast evidence run --for 12 -- make lint")
@click.argument("argv", nargs=-1, required=True, metavar="-- COMMAND...")
@_timeout
@_options
def run(
    invocation: Invocation,
    argv: tuple[str, ...],
    timeout_s: float,
    decision: str | None,
    as_json: bool,
    **who: Any,
) -> int:
    """Run a command in this folder, without a shell; it passes when its exit code is 0.

    It has no input. The end of its output is recorded.
    """
    with _checks(invocation, decision, **who) as checks:
        return _run(checks, argv, timeout_s, test=False, as_json=as_json)


@command.command(
    cls=ExampleCommand, example="holdfast evidence test --for 12 -- pytest -q tests/test_queue.py"
)
@click.argument("argv", nargs=-1, required=True, metavar="-- COMMAND...")
@_timeout
@_options
def test(
    invocation: Invocation,
    argv: tuple[str, ...],
    timeout_s: float,
    decision: str | None,
    as_json: bool,
    **who: Any,
) -> int:
    """Run a test in this folder, without a shell; it passes when its exit code is 0."""
    with _checks(invocation, decision, **who) as checks:
        return _run(checks, argv, timeout_s, test=True, as_json=as_json)


def _run(
    checks: Checks, argv: tuple[str, ...], timeout_s: float, *, test: bool, as_json: bool
) -> int:
    recorded, ran = checks.run(argv, test=test, timeout_s=timeout_s)
    if not as_json and ran.output:
        say(visible(ran.output.rstrip("\n"), lines=True))
    if ran.exit_code is None:
        how = f"took longer than {timeout_s:g} s"
    else:
        how = f"exit code {ran.exit_code}"
    return _tell(recorded, f"{recorded.data['command']} ({how})", as_json=as_json)
