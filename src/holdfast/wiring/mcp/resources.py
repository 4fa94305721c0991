"""What can be read by its address: entries, sessions, the notes, the state map."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from holdfast.evidence.notes_file import NotesFile
from holdfast.evidence.project_files import ProjectFiles
from holdfast.index.texts import shown_text
from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged, InvalidInput, NotFound
from holdfast.kernel.limits import INTEGER_MAX, MCP_LINES_MAX
from holdfast.mcp_server.resources import LISTED, SCHEME, TEMPLATES
from holdfast.mcp_server.values import Content
from holdfast.storage.port import Selection
from holdfast.stores.state_map import entity_name
from holdfast.views.visible import visible_json
from holdfast.wiring.mcp.showing import entry_of
from holdfast.wiring.mcp.telling import line_of, lines

if TYPE_CHECKING:
    from holdfast.wiring.project import Project


def read(project: Project, uri: str) -> Content:
    """Return what a resource holds."""
    try:
        parts = urlsplit(uri)
        options = dict(parse_qsl(parts.query, max_num_fields=8))
    except ValueError as error:
        raise _unknown(uri) from error
    key = unquote(parts.path.removeprefix("/"))
    if parts.scheme != SCHEME:
        raise _unknown(uri)
    if parts.netloc == "entry" and key:
        stored = entry_of(project, key)
        if stored is None:
            raise _unknown(uri)
        body = stored.body.decode("utf-8", "replace")
        return Content(visible_json(body), "application/json")
    if parts.netloc == "session" and key:
        return Content(_entries(project, uri, options, project.sessions.resolve(key)))
    found = None if key else _LISTS.get(parts.netloc)
    if found is None:
        raise _unknown(uri)
    return found(project, options)


def _unknown(uri: str) -> NotFound:
    named = ", ".join(one.uri for one in (*LISTED, *TEMPLATES))
    return NotFound(
        f"There is no resource {uri[:200]!r}.",
        meaning="Nothing was read.",
        remedy=f"The resources are {named}.",
    )


def _entries(
    project: Project, uri: str, options: dict[str, str], session: str | None = None
) -> str:
    """List entries, the newest first, a page of them, and say where the next page begins."""
    before = _number(options, "before")
    chosen = Selection(stop=before, session_id=session, newest_first=True)
    found = list(islice(_readable(project, chosen), MCP_LINES_MAX + 1))
    shown = [_line(project, one) for one in found[:MCP_LINES_MAX]]
    if len(found) > MCP_LINES_MAX:
        address = uri.partition("?")[0]
        shown.append(f"[older ones: {address}?before={_seq(found[MCP_LINES_MAX - 1])}]")
    return lines(shown) or "There is no such entry."


def _readable(project: Project, chosen: Selection) -> Iterator[Entry | Damaged]:
    for stored in project.ledger.reader.read(chosen):
        try:
            yield entries.read(stored.body)
        except Damaged as damage:
            damage.what = f"#{stored.seq} cannot be read: {damage.what}"
            yield damage


def _seq(one: Entry | Damaged) -> int:
    return one.seq if isinstance(one, Entry) else int(one.what[1:].partition(" ")[0])


def _line(project: Project, one: Entry | Damaged) -> str:
    if isinstance(one, Damaged):
        return line_of(one.what)
    text, failed = shown_text(one, project.ledger.artifact)
    mark = " FAILED" if failed else ""
    return f"#{one.seq} {one.timestamp[:16].replace('T', ' ')} {one.type}{mark}: {line_of(text)}"


def _number(options: dict[str, str], name: str) -> int | None:
    text = options.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit()) or int(text[:20]) > INTEGER_MAX:
        raise InvalidInput(
            f"{name}={text[:40]!r} is no number of an entry.",
            meaning="Nothing was read.",
            remedy=f"Give one such as {name}=120.",
        )
    return int(text)


def _newest(project: Project, options: dict[str, str]) -> Content:
    return Content(_entries(project, f"{SCHEME}://entries", options))


def _sessions(project: Project, options: dict[str, str]) -> Content:
    del options
    found = project.sessions.all()[::-1]
    shown = [
        f"{line_of(one.session_id)} {one.state}, {one.entries:,} entries ({one.first} to "
        f"{one.last}), by {line_of(one.actor)}{f': {line_of(one.title)}' if one.title else ''}"
        for one in found[:MCP_LINES_MAX]
    ]
    if (left := len(found) - len(shown)) > 0:
        shown.append(f"[{left:,} older ones: `holdfast session list`]")
    shown.append(f"[the entries of one: {SCHEME}://session/ID]")
    return Content(lines(shown) if found else "There was no session yet.")


def _notes(project: Project, options: dict[str, str]) -> Content:
    del options
    root, path = project.place.project, project.settings.notes.path
    found = None if root is None else NotesFile(ProjectFiles(root, root), path).read()
    if found is None:
        raise NotFound(
            f"There is no {path} yet.",
            meaning="Nothing was read.",
            remedy="`decide` writes it, unless notes.write is off.",
        )
    return Content(found.text, "text/markdown")


def _state_map(project: Project, options: dict[str, str]) -> Content:
    """List definitions in the order of their names, a page of them."""
    project.views.catch_up(project.ledger.reader)
    start, after = options.get("path", ""), options.get("after", "")
    named: Iterator[tuple[str, Any]] = (
        (name, item)
        for key, item in project.views.items("state_map").items()
        if (name := entity_name(key)) is not None and name.startswith(start) and name > after
    )
    found = sorted(named, key=lambda pair: pair[0])
    shown = [_entity(name, item) for name, item in found[:MCP_LINES_MAX]]
    if (left := len(found) - len(shown)) > 0:
        on = quote(found[len(shown) - 1][0], safe="")
        path = f"path={quote(start, safe='')}&" if start else ""
        shown.append(f"[{left:,} more: {SCHEME}://state-map?{path}after={on}]")
    return Content(lines(shown) or "Nothing that crossed the proxy is known of it.")


def _entity(name: str, item: Any) -> str:
    stale = ", STALE" if item["stale"] else ""
    waiting = f", {len(item['proposals'])} proposed" if item["proposals"] else ""
    version = f" {line_of(item['version'])}" if item["version"] else ""
    state = item["state"] or "PROPOSED"
    return f"{line_of(name)} {state}{version}{stale}{waiting} (entry {item['seq']})"


_LISTS: Final[dict[str, Callable[[Project, dict[str, str]], Content]]] = {
    "entries": _newest,
    "sessions": _sessions,
    "notes": _notes,
    "state-map": _state_map,
}
