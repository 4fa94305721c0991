"""A `bd` for tests: answers as the real one does where holdfast asks it, and keeps one JSON file.

Written after the public documentation of Beads: the commands and flags that holdfast uses, arrays
and objects where it prints them, errors as JSON with exit code 1. Also its traps, on purpose:
`list` shows fifty unless told otherwise, `show` takes the beginning of an id, `update --notes`
replaces. $RECORDED_BD names quirks of other versions and of bad days (see QUIRKS).

Run as a script it needs nothing but the standard library, so that it starts at once.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NoReturn

QUIRKS: Final = {
    "envelope": "every answer is {schema_version, data}",
    "items": "lists are {schema_version, items}",
    "replaces-metadata": "`update --metadata` drops other keys, as it once did",
    "forgets-metadata": "`update --metadata` says it is done, and nothing is stored",
    "forgets-comments": "`comments add` says it is done, and nothing is stored",
    "unreachable": "the database server does not answer",
    "database-gone": "the database server answers, and does not have the database",
    "elsewhere": "it looks into another folder, where there is nothing",
    "no-where": "it has no command `where`, as it once had not",
    "chatty": "it prints text where JSON is expected",
    "hangs": "it never ends",
    "floods": "it never stops talking",
}
STORE: Final = "recorded.json"
CALLS: Final = "recorded-calls.jsonl"
SCHEMA_VERSION: Final = 1
TITLE_CHARS_MAX: Final = 500
LIST_LIMIT: Final = 50
TYPES: Final = ("bug", "feature", "task", "epic", "chore", "decision")
NOW: Final = "2026-11-15T12:00:00Z"
_SHORT: Final = {"-p": "--priority", "-t": "--type", "-d": "--description", "-f": "--file"}
_SWITCHES: Final = frozenset({"--json", "--force", "--all"})


def install(folder: Path) -> Path:
    """Put a `bd` into a folder that a test puts on the path, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "bd"
    script = Path(__file__).resolve()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -IS "{script}" "$@"\n')
    program.chmod(0o755)
    return program


def begin(root: Path, prefix: str = "bd") -> Path:
    """Make the database of a project, as `bd init` does, and return its folder."""
    folder = root / ".beads"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / STORE).write_text(json.dumps({"prefix": prefix, "issues": {}}))
    return folder


class Answer(Exception):
    """Leave with an answer."""

    def __init__(self, value: Any, code: int = 0) -> None:
        super().__init__(value)
        self.value = value
        self.code = code


class Recorded:
    """One run."""

    def __init__(self, argv: list[str], env: dict[str, str]) -> None:
        self.quirks = frozenset(filter(None, env.get("RECORDED_BD", "").split(",")))
        self.envelope = env.get("BD_JSON_ENVELOPE") == "1" or "envelope" in self.quirks
        self.words, self.flags = _parse(argv)
        self.folder = self._find(env)
        self.data: dict[str, Any] = {"prefix": "bd", "issues": {}}

    def run(self) -> Any:
        """Do what the words say, and return the answer."""
        if "hangs" in self.quirks:
            os.read(os.pipe()[0], 1)
        while "floods" in self.quirks:
            os.write(1, b"x" * 65536)
        pair = " ".join(self.words[:2])
        verb = pair if pair in ("dep add", "dep remove", "comments add") else self.words[0]
        commands: dict[str, Callable[[], Any]] = {
            "where": self.where,
            "create": self.create,
            "show": self.show,
            "list": self.list,
            "update": self.update,
            "close": self.close,
            "dep add": self.dep_add,
            "dep remove": self.dep_remove,
            "comments": self.comments,
            "comments add": self.comments_add,
        }
        if verb not in commands or (verb == "where" and "no-where" in self.quirks):
            sys.stderr.write(f'Error: unknown command "{verb}" for "bd"\nRun \'bd --help\'.\n')
            sys.exit(1)
        if verb != "where":
            self._open()
        return commands[verb]()

    def where(self) -> Any:
        if self.folder is None:
            self.fail("no_beads_directory", message="No active beads workspace found.")
        return {"path": str(self.folder), "prefix": self.data["prefix"]}

    def create(self) -> Any:
        title = self.flag("title") or self.words[1]
        name = self.flag("id") or f"{self.data['prefix']}-{len(self.issues) + 1}"
        if len(title) > TITLE_CHARS_MAX:
            self.fail(f"title must be {TITLE_CHARS_MAX} characters or less (got {len(title)})")
        if name in self.issues:
            self.fail(f"issue {name} already exists")
        if not name.startswith(f"{self.data['prefix']}-") and "force" not in self.flags:
            self.fail(f"prefix mismatch: database uses '{self.data['prefix']}'")
        issue = {
            "id": name,
            "title": title,
            "status": "open",
            "priority": int(self.flag("priority", "2")),
            "issue_type": self._type(self.flag("type", "task")),
            "created_at": NOW,
            "updated_at": NOW,
            "created_by": "somebody",
        }
        if description := self.flag("description"):
            issue["description"] = description
        self.issues[name] = issue
        self._save()
        return issue

    def show(self) -> Any:
        issue = self._resolve(self.words[1])
        linked = [
            _without(self.issues[one["depends_on_id"]], "comments", "dependencies")
            | {"dependency_type": one["type"]}
            for one in issue.get("dependencies", [])
        ]
        shown = dict(issue)
        for name, value in (("dependencies", linked), ("comments", issue.get("comments"))):
            shown.pop(name, None)
            if value:
                shown[name] = value
        return [shown]

    def list(self) -> Any:
        limit = int(self.flag("limit", str(LIST_LIMIT))) or None
        found = [
            _without(issue, "comments") | {"comment_count": len(issue.get("comments", []))}
            for issue in self.issues.values()
            if "all" in self.flags or issue["status"] != "closed"
        ][:limit]
        return {"schema_version": 1, "items": found} if "items" in self.quirks else found

    def update(self) -> Any:
        issue = self._resolve(self.words[1])
        for name in ("title", "description", "status"):
            if name in self.flags:
                issue[name] = self.flag(name)
        if "type" in self.flags:
            issue["issue_type"] = self._type(self.flag("type"))
        if "priority" in self.flags:
            issue["priority"] = int(self.flag("priority"))
        if "notes" in self.flags:
            if issue.get("notes"):
                sys.stderr.write(f"warning: {issue['id']}: --notes replaced existing notes\n")
            issue["notes"] = self.flag("notes")
        if "metadata" in self.flags and "forgets-metadata" not in self.quirks:
            before = {} if "replaces-metadata" in self.quirks else issue.get("metadata", {})
            issue["metadata"] = before | json.loads(self._given("metadata"))
        if issue["status"] != "closed":
            issue.pop("closed_at", None)
            issue.pop("close_reason", None)
        self._save()
        return [issue]

    def close(self) -> Any:
        issue = self._resolve(self.words[1])
        blockers = [
            one["depends_on_id"]
            for one in issue.get("dependencies", [])
            if one["type"] == "blocks" and self.issues[one["depends_on_id"]]["status"] != "closed"
        ]
        if blockers and "force" not in self.flags:
            self.fail(f"cannot close {issue['id']}: blocked by open issues {blockers}")
        issue |= {"status": "closed", "closed_at": NOW, "close_reason": self.flag("reason")}
        self._save()
        return [_without(issue, "dependencies")]

    def dep_add(self) -> Any:
        issue, other = self._resolve(self.words[2]), self._resolve(self.words[3])
        record = {"issue_id": issue["id"], "depends_on_id": other["id"], "type": "blocks"}
        issue.setdefault("dependencies", []).append(record | {"created_at": NOW})
        self._save()
        return {"status": "added", **record}

    def dep_remove(self) -> Any:
        issue, other = self._resolve(self.words[2]), self._resolve(self.words[3])
        kept = [one for one in issue["dependencies"] if one["depends_on_id"] != other["id"]]
        issue["dependencies"] = kept
        self._save()
        return {"status": "removed", "issue_id": issue["id"], "depends_on_id": other["id"]}

    def comments(self) -> Any:
        return self._resolve(self.words[1]).get("comments", [])

    def comments_add(self) -> Any:
        issue = self._resolve(self.words[2])
        if issue["id"] != self.words[2]:
            self.fail("id abbreviations are not accepted on comment writes")
        text = Path(self.flag("file")).read_text() if "file" in self.flags else self.words[3]
        comment = {
            "id": f"{issue['id']}.c{len(issue.get('comments', [])) + 1}",
            "issue_id": issue["id"],
            "author": self.flag("author", "somebody"),
            "text": text,
            "created_at": NOW,
        }
        if "forgets-comments" not in self.quirks:
            issue.setdefault("comments", []).append(comment)
            self._save()
        return comment

    @property
    def issues(self) -> dict[str, Any]:
        issues: dict[str, Any] = self.data["issues"]
        return issues

    def flag(self, name: str, default: str = "") -> str:
        return self.flags.get(name, default)

    def fail(self, error: str, message: str = "") -> NoReturn:
        inner = {"error": error, "hint": "run 'bd init' to create a new database"}
        if message:
            inner["message"] = message
        raise Answer(inner, 1)

    def wrapped(self, value: Any) -> Any:
        """Put around an answer what this version puts there."""
        if self.envelope:
            return {"schema_version": SCHEMA_VERSION, "data": value}
        return {"schema_version": SCHEMA_VERSION} | value if isinstance(value, dict) else value

    def _given(self, name: str) -> str:
        value = self.flag(name)
        return Path(value[1:]).read_text() if value.startswith("@") else value

    def _type(self, name: str) -> str:
        if name not in TYPES:
            self.fail(f"invalid issue type: {name}")
        return name

    def _resolve(self, name: str) -> dict[str, Any]:
        found = [name] if name in self.issues else [one for one in self.issues if name in one]
        if len(found) > 1:
            self.fail(f"resolving {name}: ambiguous ID '{name}' matches {len(found)} issues")
        if not found:
            self.fail(f"resolving {name}: no issue found matching '{name}'")
        issue: dict[str, Any] = self.issues[found[0]]
        return issue

    def _find(self, env: dict[str, str]) -> Path | None:
        if "elsewhere" in self.quirks:
            return Path(env["HOME"]) / ".beads"
        if env.get("BEADS_DB"):
            return Path(env["BEADS_DB"]).parent  # names the database itself, so it counts more
        if env.get("BEADS_DIR"):
            return Path(env["BEADS_DIR"])
        here = Path.cwd()
        return next(
            (one / ".beads" for one in (here, *here.parents) if (one / ".beads").is_dir()), None
        )

    def _open(self) -> None:
        if "unreachable" in self.quirks:
            self.fail("failed to open database: Dolt server unreachable at 127.0.0.1:3307")
        if "database-gone" in self.quirks:
            self.fail('failed to open database: database "bd" not found on Dolt server')
        if "elsewhere" in self.quirks:
            return
        if self.folder is None or not (self.folder / STORE).is_file():
            self.fail("no beads database found")
        self.data = json.loads((self.folder / STORE).read_text())
        with (self.folder / CALLS).open("a") as calls:
            calls.write(json.dumps([self.words, self.flags]) + "\n")

    def _save(self) -> None:
        if self.folder is not None and "elsewhere" not in self.quirks:
            (self.folder / STORE).write_text(json.dumps(self.data))


def _without(issue: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in issue.items() if name not in names}


def _parse(argv: list[str]) -> tuple[list[str], dict[str, str]]:
    """Tell words and flags apart; a flag's value stands behind it, or behind `=`."""
    words: list[str] = []
    flags: dict[str, str] = {}
    left = iter(argv)
    for given in left:
        word = _SHORT.get(given, given)
        name, joined, value = word.partition("=")
        if not word.startswith("--"):
            words.append(word)
        elif joined or name in _SWITCHES:
            flags[name[2:]] = value
        else:
            flags[name[2:]] = next(left)
    return words, flags


def main(argv: list[str], env: dict[str, str]) -> int:
    """Answer one command line."""
    recorded = Recorded(argv, env)
    try:
        answer = Answer(recorded.run())
    except Answer as left:
        answer = left
    if "chatty" in recorded.quirks:
        sys.stdout.write("Deprecation notice: set BD_JSON_ENVELOPE=1\n")
    sys.stdout.write(json.dumps(recorded.wrapped(answer.value), indent=2) + "\n")
    return answer.code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], dict(os.environ)))
