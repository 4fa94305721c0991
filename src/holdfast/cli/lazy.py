"""Commands that are imported when they are called, and commands whose help has an example."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Handler: TypeAlias = Callable[..., int | None]
"""What a command runs: returns an exit code, None for 0."""


class ExampleCommand(click.Command):
    """A command whose help ends with an example."""

    def __init__(self, *args: Any, example: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.example = example

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the example line by line, as it would be typed."""
        del ctx
        write_example(formatter, self.example)


class ExampleGroup(click.Group):
    """A group whose help ends with an example."""

    def __init__(self, *args: Any, example: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.example = example

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the example line by line, as it would be typed."""
        del ctx
        write_example(formatter, self.example)


def write_example(formatter: click.HelpFormatter, example: str) -> None:
    """Add the Example section to a help page."""
    formatter.write("\nExample:\n")
    formatter.write(textwrap.indent(textwrap.dedent(example).strip() + "\n", "  "))


def command(*, example: str) -> Callable[[Handler], click.Command]:
    """Make a command of a function; its docstring is the help."""
    return click.command(cls=ExampleCommand, example=example)


def seq_command(*, example: str) -> Callable[[Handler], click.Command]:
    """Make a command that takes numbers of entries: -1 is one that is not there, no option."""
    return click.command(
        cls=ExampleCommand, example=example, context_settings={"ignore_unknown_options": True}
    )


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")


class LazyGroup(click.Group):
    """A group that knows its commands by name, and imports the one that is called."""

    def __init__(self, *args: Any, lazy: dict[str, str], package: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._lazy = lazy
        self._package = package

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table, which is the order they are met in."""
        del ctx
        return list(self._lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        del ctx
        if cmd_name not in self._lazy:
            return None
        found: click.Command = import_module(f"{self._package}.{cmd_name}").command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for a wrong name say which one is near."""
        near = difflib.get_close_matches(args[0], self._lazy, n=1)
        if args[0] not in self._lazy and near and not args[0].startswith("-"):
            raise click.UsageError(
                f"There is no command {args[0]!r}; did you mean {near[0]!r}?", ctx
            )
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Offer the commands from the table, without importing any; options as every command."""
        if incomplete.startswith("-"):
            return click.Command.shell_complete(self, ctx, incomplete)
        from click.shell_completion import CompletionItem

        return [
            CompletionItem(name, help=help)
            for name, help in self._lazy.items()
            if name.startswith(incomplete)
        ]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table, without importing any."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(self._lazy.items()))
