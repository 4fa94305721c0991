"""`holdfast show`."""

from __future__ import annotations

import json
from typing import Any, Final

import click

from holdfast.cli.artifact_page import find_artifact, show_artifact
from holdfast.cli.context import Invocation
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_bytes, say, talk, visible
from holdfast.cli.parts import colour_of, link, say_parts
from holdfast.cli.summary import lay_out
from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged, InvalidInput, NotALedger, NotFound
from holdfast.kernel.hashing import leaf_hash
from holdfast.kernel.limits import INTEGER_MAX
from holdfast.ledger import vault
from holdfast.ledger.erased import ErasedArtifacts
from holdfast.recall import identifiers
from holdfast.recall.identifiers import Identifier
from holdfast.storage.port import Reader, Selection, Stored
from holdfast.stores.store import Items


@make_command(
    example="""
    holdfast show 12
    holdfast show retry-7 --full --json
    holdfast show '${PROJECT_ROOT}/src/queue.py:45-67'
    holdfast show src/queue.py:45
    holdfast show src/queue.py::Queue.take --json
    holdfast show 12 --evidence
    """
)
@click.argument("key", metavar="SEQ|ID|IDENTIFIER|SHA256")
@click.option("--full", is_flag=True, help="Put large values of an entry back from the vault.")
@click.option("--evidence", is_flag=True, help="Prove the quotes of a decision from the vault.")
@json_option
@click.pass_obj
def command(
    invocation: Invocation, key: str, full: bool, evidence: bool, as_json: bool
) -> int | None:
    """Show one entry, by its number or its id; code, by its identifier; or an artifact of the
    vault, by its SHA-256.

    An entry with --json: the exact bytes that are stored; with --full as well, an object of the
    entry and its data as it was given. A part that was erased stays a reference that says so.

    PATH:FIRST-LAST are lines, PATH:LINE is the whole definition around a line, PATH::NAME the one
    of a qualified name. PATH is in this project, from its root as ${PROJECT_ROOT}/PATH or from this
    folder. A number is an entry, ${PROJECT_ROOT}/… is code; the rest is an entry if it is an id.

    With --evidence, what a decision rests on: each quote is proved from what the vault kept of its
    file, and what became of it since is told. Exit code 1: not every quote is proved.
    """
    if evidence:
        if full:
            raise click.UsageError("--full and --evidence do not go together.")
        return _prove(invocation, key, as_json=as_json)
    identifier = None if _is_number(key) else identifiers.parse(key)
    if identifier is not None and not _is_entry(invocation, key, identifier):
        if full:
            raise click.UsageError("--full is for entries; code is always shown as it is.")
        from holdfast.cli.code_page import show_code

        show_code(invocation, key, identifier, as_json=as_json)
        return None
    with invocation.reader() as reader:
        artifact = find_artifact(reader, key)
        if artifact is not None:
            show_artifact(key, artifact, as_json=as_json)
            return None
        stored = _find(reader, key)
        if leaf_hash(stored.body) != stored.leaf:
            talk(f"Entry {stored.seq} is not what was sealed. Run `holdfast verify`.", "bold red")
        if as_json and not full:
            print_bytes(stored.body)
            return None
        try:
            entry = entries.read(stored.body)
        except Damaged as problem:
            raise _refusal(stored, problem) from problem
        is_erased = ErasedArtifacts(reader)
        data = vault.resolve(entry.value(), reader.artifact, is_erased) if full else entry.value()
        if as_json:
            print_bytes(_both(stored, data))
            return None
        _tell(invocation, entry, stored, data)
        if entry.type in ("decision", "checkpoint", "fact_recorded"):
            _tell_standing(invocation, reader, entry)
    return None


def _prove(invocation: Invocation, key: str, *, as_json: bool) -> int:
    """Show what a decision rests on, with the proof of each quote."""
    from holdfast.cli.errors import DONE, NO
    from holdfast.cli.grounds import proven_document, tell
    from holdfast.cli.output import print_json
    from holdfast.wiring.proving import prove_again

    files = invocation.files()
    with invocation.project(publish=False) as project:
        proven = prove_again(project, files, key)
    if as_json:
        print_json(proven_document(proven))
    else:
        tell(proven.report, proven.proofs)
    return DONE if proven.ok else NO


def _is_number(key: str) -> bool:
    return key.isascii() and key.isdigit()


def _is_entry(invocation: Invocation, key: str, identifier: Identifier) -> bool:
    """Tell whether what has the form of an identifier is the id of an entry; refuse if it is both.

    An id may hold any printable character, so the form alone does not tell.
    """
    if key.startswith(identifiers.PROJECT_ROOT):
        return False
    try:
        with invocation.reader() as reader:
            stored = next(iter(reader.read(Selection(id=key))), None)
    except NotALedger:
        if invocation.named_place() is not None:
            raise
        return False
    if stored is None:
        return False
    if invocation.files().has(identifier.path):
        raise InvalidInput(
            f"{key!r} is the id of entry {stored.seq}, and code of this project, too.",
            meaning="Nothing is shown, because either could be meant.",
            remedy=f"The entry: `holdfast show {stored.seq}`. The code: put "
            f"{identifiers.PROJECT_ROOT} and the path from the project's root.",
        )
    return True


def _tell_standing(invocation: Invocation, reader: Reader, entry: Entry) -> None:
    """Say what came of this entry since: it stands as it was, but may no longer hold."""
    from holdfast.cli.output import progress
    from holdfast.index.views import Views

    with Views(str(invocation.place().views)) as views:
        with progress("Looking whether it still holds") as advance:
            folded = views.fold_up(reader, progress=advance)
        if folded <= entry.seq:
            return  # what came before it cannot be read: nobody knows
        if entry.type == "fact_recorded":
            standing = _fact_standing(entry, views.items("facts"))
        else:
            standing = _standing(entry, views.items("decisions"))
    for line in standing:
        say(visible(line), "bold yellow")


def _standing(entry: Entry, decisions: Items) -> list[str]:
    found: Any = decisions.get(entry.id)
    if found is None or found["kind"] is None:
        return ["", _ROLLED_BACK] if entry.type == "decision" else []
    by = found["superseded_by"]
    lines = [] if by is None else ["", f"SUPERSEDED by {by}"]
    return lines + [
        f"It rests on {cited}, which no longer holds." for cited in found["cites_superseded"]
    ]


def _fact_standing(entry: Entry, facts: Items) -> list[str]:
    from holdfast.stores.facts import fact_id

    data: Any = entry.value()
    key = fact_id(data["kind"], data["payload"])
    found: Any = facts.get(key)
    lines = ["", f"fact     {key}"]
    if found is None:
        return [*lines, _ROLLED_BACK]
    if found["superseded_by"] is not None:
        lines.append(f"SUPERSEDED by the fact {found['superseded_by']}")
    if found["withdrawn"] is not None:
        lines.append(f"WITHDRAWN in entry {found['withdrawn']}")
    return lines


_ROLLED_BACK: Final = "ROLLED BACK: it no longer holds."


def _find(reader: Reader, key: str) -> Stored:
    """Return an entry; what looks like a number is one."""
    if _is_number(key):
        seq = int(key[:20])
        wanted = Selection(seq, seq + 1) if seq < INTEGER_MAX else None
    else:
        wanted = Selection(id=key)
    for stored in reader.read(wanted) if wanted is not None else ():
        return stored
    size = reader.head().size
    raise NotFound(
        f"There is no entry {key!r}.",
        meaning=f"The ledger holds entries 0 to {size - 1}." if size else "The ledger is empty.",
        remedy="`holdfast log` lists them.",
    )


def _refusal(stored: Stored, problem: Damaged) -> Damaged:
    return Damaged(
        f"Entry {stored.seq} is damaged. {problem.what}",
        meaning=problem.meaning,
        remedy=f"`holdfast show {stored.seq} --json` prints its bytes as they are.",
    )


def _both(stored: Stored, data: Any) -> bytes:
    """Spell the stored entry and its resolved data; json, as it can spell what odd values hold."""
    spelled = json.dumps(data, default=_raw, separators=(",", ":"))
    return b'{"entry":%b,"data":%b}' % (stored.body, spelled.encode())


def _raw(value: object) -> dict[str, str]:
    assert isinstance(value, vault.RawJSON)
    return {"$raw": value.text.decode("utf-8", "backslashreplace")}


def _tell(invocation: Invocation, entry: Entry, stored: Stored, data: Any) -> None:
    """Write an entry on a page: who and when, what seals it, what it says."""
    head = {
        "entry": f"{entry.seq}  {entry.id}",
        "type": f"{entry.type} (version {entry.v})",
        "time": entry.timestamp,
        "session": entry.session_id or "-",
        "actor": f"{entry.actor.name} ({entry.actor.kind})",
        "hash": entry.hash,
        "leaf": stored.leaf.hex(),
        "before": entry.prev,
    }
    styles = {"type": colour_of(entry.type), "entry": "bold"}
    styles |= dict.fromkeys(("hash", "leaf", "before"), "dim")
    for name, text in head.items():
        say_parts((f"{name:<8} ", "dim"), (visible(text), styles.get(name, "")))
    say()
    for line in lay_out(_said(data)):
        label, colon, value = line.partition(": ")
        parts = (label + colon, "dim" if colon else ""), (value, _file(invocation, label, value))
        say_parts(*parts, hang=len(line) - len(line.lstrip()) + 2)


def _file(invocation: Invocation, label: str, value: str) -> str:
    """Return the style of a value: that of a path opens the file."""
    root = invocation.place().project
    if label.strip() != "path" or root is None:
        return ""
    return link(root / value)


def _said(value: Any) -> Any:
    """Put words in the place of each part that was erased."""
    match value:
        case {"$artifact": str(sha256), "bytes": int(size), "erased": True}:
            return f"({size:,} bytes, {sha256[:12]}, were erased)"
        case dict():
            return {key: _said(part) for key, part in value.items()}
        case list():
            return [_said(part) for part in value]
        case _:
            return value
