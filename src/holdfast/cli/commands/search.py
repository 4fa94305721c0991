"""`holdfast search`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from holdfast.cli.agent_searches import Agent
from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE, NO
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.options import actor_options
from holdfast.cli.output import print_bytes, print_json, progress, say, talk, visible
from holdfast.cli.parts import say_parts
from holdfast.cli.summary import lay_out
from holdfast.index.views import Views
from holdfast.kernel.entry import ActorKind
from holdfast.kernel.limits import SEARCH_HITS_MAX
from holdfast.recall.answers import Answer, Whole, answer, as_text, limit_for, spell, whole_of
from holdfast.recall.code_search import CodeQuery
from holdfast.recall.search import HITS_DEFAULT, Found, Hit, Query, search
from holdfast.recall.snippets import spans
from holdfast.storage.port import Reader

if TYPE_CHECKING:
    from holdfast.index.meanings import Meanings

RANGES_SHOWN: Final = 20
"""Stretches of entries that are named one by one to a person."""

_amount = click.IntRange(1, SEARCH_HITS_MAX)


@make_command(
    example="""
    holdfast search retry budget
    holdfast search "which command failed in the payments module?" --type command_ran
    holdfast search "what was decided about retries?" --tokens 2000
    holdfast search timeout --path src/api --since 2026-11-01 --no-superseded
    holdfast search --meaning "how often do we try again after a timeout?"
    holdfast search --code "where are retries counted?"
    holdfast search retry --actor-kind agent
    """
)
@click.argument("words", nargs=-1, required=True, metavar="Q")
@click.option("--code", is_flag=True, help="Search the project's files instead of the ledger.")
@click.option(
    "--meaning", is_flag=True, help="Search what was said by its meaning, too [its words alone]."
)
@click.option(
    "--type", "types", multiple=True, metavar="T", help="Only this type; may be repeated."
)
@click.option("--session", metavar="S", help="Only entries of this session.")
@click.option(
    "--path", metavar="P", help="Only entries about, or code in, a path with this text in it."
)
@click.option("--since", metavar="T", help="Recorded at this date or time, or later.")
@click.option("--until", metavar="T", help="Recorded at this date or time, or earlier.")
@click.option(
    "--superseded/--no-superseded",
    default=None,
    help="Only decisions that no longer hold; or none of them. [all, marked]",
)
@click.option("-n", "--limit", "limit", type=_amount, metavar="N", help="Up to N hits [10].")
@click.option("--full", is_flag=True, help="Show each entry whole.")
@click.option(
    "--tokens",
    type=click.IntRange(min=1),
    metavar="N",
    help="Show entries whole, the best first, until about N tokens are used.",
)
@actor_options
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    words: Sequence[str],
    code: bool,
    meaning: bool,
    types: Sequence[str],
    session: str | None,
    path: str | None,
    since: str | None,
    until: str | None,
    superseded: bool | None,
    limit: int | None,
    full: bool,
    tokens: int | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Find entries by their words, active or archived, the best first.

    Q is plain text: words or a question. Exit code 1 when nothing was found, or when a part of the
    ledger could not be looked at. With --json: a line for each hit, then one with the numbers.

    With --meaning, decisions, prompts, answers, errors, tasks and other things that somebody said
    are found by what they mean, too, in words of your own: ranks by words and by vectors, joined.
    It takes the extra `search`; the first time, all entries are read once.

    With --code: sections of the project's files, as git lists them, by their words and, with the
    extra `search`, by their meaning. It says how it searched, how many files, and which it could
    not search. Exit code 1 when nothing was found.

    An agent says so with --actor-kind. When its search has too many good results
    (search.pivot_results), the next one is refused with exit code 1 until `holdfast pivot` says
    what was learned. A person's search is not counted.
    """
    agent = Agent(invocation, actor_kind, actor)
    if code:
        given = types or session or since or until or superseded is not None or full or tokens
        if given or meaning:
            raise click.UsageError("--code goes with --path, --limit and --json only.")
        return _search_code(agent, CodeQuery(" ".join(words), path, limit or HITS_DEFAULT), as_json)
    most = limit or (HITS_DEFAULT if tokens is None else limit_for(tokens))
    query = Query(" ".join(words), types, session, path, since, until, superseded, most)
    if agent.is_refused(as_json):
        return NO
    told = _search(invocation, query, meaning, full=full, tokens=tokens, as_json=as_json)
    agent.searched(query)
    return told


def _search(
    invocation: Invocation,
    query: Query,
    meaning: bool,
    *,
    full: bool,
    tokens: int | None,
    as_json: bool,
) -> int:
    with (
        invocation.reader() as reader,
        Views(str(invocation.place().views)) as views,
    ):
        with progress("Bringing the index up to date") as advance:
            views.catch_up(reader, progress=advance)
        meanings = _meanings(views, reader) if meaning else None
        if tokens is not None:
            told = answer(views, reader, query, tokens, _line if as_json else _text, meanings)
            return _end(_print_answer(told, as_json), as_json, told.tokens)
        found = search(views, reader, query, meanings)
        show = _print_hit if as_json else _show_hit
        for hit in found.hits:
            show(hit, found, _whole(reader, hit) if full else None)
    return _end(found, as_json, full=full)


def _meanings(views: Views, reader: Reader) -> Meanings | None:
    """Return the meanings of entries, up to date; None, and say so, where no model is installed."""
    from holdfast.index import vectors
    from holdfast.index.meanings import Meanings

    model = vectors.load()
    if model is None:
        talk("No model is installed, so words alone count: the extra `search` brings one.")
        return None
    meanings = Meanings(views, model)
    with progress("Reading what was said") as advance:
        meanings.catch_up(reader, progress=advance)
    return meanings


def _search_code(agent: Agent, query: CodeQuery, as_json: bool) -> int:
    from holdfast.cli.code_hits import search_code

    if not agent.is_one:
        return search_code(agent.invocation, query, as_json)
    return NO if agent.is_refused(as_json) else agent.search_code(query, as_json)


def _end(found: Found, as_json: bool, tokens: int | None = None, *, full: bool = False) -> int:
    """Say what is not shown, and tell whether something was found everywhere."""
    if as_json:
        _print_numbers(found, tokens, alike=full or tokens is not None)
    else:
        _tell_numbers(found, tokens)
    return DONE if found.hits and not found.not_searched else NO


def _print_answer(told: Answer, as_json: bool) -> Found:
    for part in told.parts:
        _warn(part.hit, part.problem)
        if as_json:
            print_bytes(part.text.encode())
        else:
            say(part.text)
    return told.found


def _whole(reader: Reader, hit: Hit) -> Whole:
    whole = whole_of(reader, hit.seq)
    _warn(hit, whole.problem)
    return whole


def _warn(hit: Hit, problem: str | None) -> None:
    if problem is not None:
        talk(f"Entry {hit.seq}: {visible(problem)}")


def _text(hit: Hit, whole: Whole, too_long: int | None) -> str:
    return visible(as_text(hit, whole, too_long), lines=True)


def _line(hit: Hit, whole: Whole, too_long: int | None) -> str:
    """Return a hit and its data as a line of JSON; it says so when the data are too long."""
    if too_long is not None:
        return spell({**_fields(hit), "data_over_tokens": too_long}, ascii_only=True)
    return spell({**_fields(hit), "data": whole.entry["data"]}, ascii_only=True)


def _fields(hit: Hit) -> dict[str, Any]:
    return {
        "seq": hit.seq,
        "id": hit.id,
        "type": hit.type,
        "score": hit.score,
        "snippet": hit.snippet,
        "superseded": hit.superseded,
    }


def _print_hit(hit: Hit, _found: Found, whole: Whole | None) -> None:
    line = _fields(hit) if whole is None else {**_fields(hit), "entry": whole.entry}
    print_bytes(spell(line, ascii_only=True).encode())


def _print_numbers(found: Found, tokens: int | None, *, alike: bool) -> None:
    numbers: dict[str, Any] = {
        "hits": len(found.hits),
        "more": found.more,
        "searched": found.searched,
    }
    numbers["level"] = found.level
    if found.level == "hybrid":
        numbers["compared"] = found.compared
    if tokens is not None:
        numbers["tokens"] = tokens
    if alike:
        numbers["alike"] = found.alike
    if not found.exact:
        numbers["more_is"] = "at least"
    if found.not_searched:
        numbers["not_searched"] = found.not_searched
    print_json(numbers)


def _show_hit(hit: Hit, found: Found, whole: Whole | None) -> None:
    when = hit.timestamp[:19].replace("T", " ")
    parts = [f"{hit.seq:>6}", visible(when), visible(hit.type), visible(hit.session_id or "-")]
    if hit.superseded:
        parts.append(f"SUPERSEDED by {hit.superseded_by}")
    say("  ".join(parts), "bold red" if hit.superseded else "bold")
    if whole is None:
        _say_marked(visible(hit.snippet), found.terms)
    else:
        for line in lay_out(whole.entry["data"], "        "):
            say(line)


def _say_marked(text: str, terms: Sequence[str]) -> None:
    """Write a snippet; on a terminal its matches stand out."""
    indent = "        "
    parts, done = [(indent, "")], 0
    for first, stop in spans(text, frozenset(terms)):
        parts += [(text[done:first], ""), (text[first:stop], "bold yellow")]
        done = stop
    say_parts(*parts, (text[done:], ""), hang=len(indent))


def _tell_numbers(found: Found, tokens: int | None) -> None:
    """Say what is not shown, and what could not be looked at."""
    further = found.more - found.alike
    if further:
        word = "entry matches" if further == 1 else "entries match"
        least = "" if found.exact else "At least "
        if tokens is None:
            amount = min(len(found.hits) + found.more, SEARCH_HITS_MAX)
            shown = f"less well; -n {amount} shows more of them."
        else:
            shown = "and did not fit; a larger --tokens shows more of them."
        talk(f"{least}{further:,} further {word}, {shown}")
    elif not found.hits:
        talk(f"Nothing was found in {found.searched:,} entries.")
    if found.level == "hybrid":
        talk(f"By words and meaning; the meaning of {found.compared:,} entries was compared.")
    if found.alike:
        word = "entry says" if found.alike == 1 else "entries say"
        talk(f"{found.alike:,} more {word} the same as one shown, in its session.")
    if found.cut:
        talk(f"Of {found.cut:,} very long entries only the beginning is searched.")
    for first, last in found.not_searched[:RANGES_SHOWN]:
        what = f"Entry {first}" if first == last else f"Entries {first} to {last}"
        talk(f"{what} could not be looked at; run `holdfast verify`.", "bold red")
    if len(found.not_searched) > RANGES_SHOWN:
        left = len(found.not_searched) - RANGES_SHOWN
        talk(f"Nor could {left:,} later stretches of entries; --json lists all.")
