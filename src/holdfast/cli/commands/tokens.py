"""`holdfast tokens`."""

from __future__ import annotations

import sys

import click

from holdfast.cli.context import Invocation
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, say, talk, visible
from holdfast.counting import count, why_estimated
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import INPUT_BYTES_MAX


@make_command(
    example="""
    holdfast tokens src/queue.py
    git diff | holdfast tokens - --model gpt-4o --json
    """
)
@click.argument("file", metavar="FILE|-")
@click.option("--model", metavar="M", help="Count as this model, or by this vocabulary.")
@json_option
@click.pass_obj
def command(invocation: Invocation, file: str, model: str | None, as_json: bool) -> None:
    """Count the tokens of a file of the project, or of standard input.

    By a real tokenizer where the extra `tokens` is installed and the model's is public, else by the
    built-in estimate, which errs high. The answer names the counter. M is a model, a vocabulary
    (cl100k_base, o200k_base, llama3, qwen3, deepseek_v3, mistral_v3), or holdfast-2, the estimate.
    """
    counted = count(text_of(invocation, file), model)
    if (why := why_estimated(model)) is not None:
        talk(visible(why))
    if as_json:
        print_json({"tokens": counted.tokens, "counter": counted.counter, "model": model})
    else:
        say(f"{counted.tokens:,} tokens ({counted.counter})")


def text_of(invocation: Invocation, file: str) -> str:
    """Read what is to be counted: a file of the project, or standard input."""
    return _standard_input() if file == "-" else invocation.files().read(file).text


def _standard_input() -> str:
    from holdfast.evidence.project_files import decoded

    content = sys.stdin.buffer.read(INPUT_BYTES_MAX + 1)
    if len(content) > INPUT_BYTES_MAX:
        raise InvalidInput(
            f"Standard input has more than {INPUT_BYTES_MAX:,} bytes.",
            meaning="Nothing was counted.",
            remedy="Count it in several parts.",
        )
    return decoded(content, "Standard input")
