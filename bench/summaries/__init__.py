"""Sessions and what summaries make of them: planted, so that it is known what is lost.

Nothing here knows how losses are found: sentences and their paraphrases are written by hand, the
rest is put together from lists. A dropped item leaves a sentence behind that speaks of the same
thing and does not say it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec

Fate: TypeAlias = Literal["kept", "paraphrased", "dropped"]
FATES: Final[tuple[Fate, ...]] = ("kept", "paraphrased", "dropped")

Recorded: TypeAlias = tuple[str, dict[str, Any]]


class Planted(msgspec.Struct, frozen=True):
    """Something that a session had, how it is recorded, and what the summary says for it."""

    kind: str
    text: str
    fate: Fate
    entry: Recorded
    line: str


class Session(msgspec.Struct, frozen=True):
    """A session and its summary."""

    planted: tuple[Planted, ...]
    summary: str


def session(name: str, seed: int, *, prose: int = 62) -> Session:
    """Make a session of 200 items; its sentences come from the file of that name."""
    chance = random.Random(seed)
    said = chance.sample(_rows(name), prose)
    planted = [_sentence(row, fate) for row, fate in _fated(said, chance)]
    rest = 200 - prose
    numbers, commands = rest * 38 // 138, rest * 50 // 138
    for makes, count in (
        (_number, numbers),
        (_command, commands),
        (_path, rest - numbers - commands),
    ):
        made = _Made(chance)
        planted += [makes(made, fate) for _, fate in _fated(range(count), chance)]
    chance.shuffle(planted)
    return Session(tuple(planted), _summary(planted, chance))


def _fated(of: Sequence[Any], chance: random.Random) -> list[tuple[Any, Fate]]:
    """Give each a fate, a third of them each."""
    fates = [FATES[at % 3] for at in range(len(of))]
    chance.shuffle(fates)
    return list(zip(of, fates, strict=True))


def _rows(name: str) -> list[list[str]]:
    lines = (Path(__file__).parent / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [
        [part.strip() for part in line.split("|")]
        for line in lines
        if line.strip() and not line.startswith(("# ", "#\t"))
    ]


def _sentence(row: list[str], fate: Fate) -> Planted:
    kind, said, put, near = row
    line = {"kept": said, "paraphrased": put, "dropped": near}[fate]
    entries: dict[str, Recorded] = {
        "decision": (
            "decision",
            {"question": "How?", "choice": said, "reasoning": "Discussed.", "alternatives": []},
        ),
        "constraint": ("prompt_given", {"text": said}),
        "open_work": ("work_opened", {"work": sha256(said.encode()).hexdigest(), "title": said}),
    }
    return Planted(kind, said, fate, entries[kind], line)


class _Made:
    """Puts things together from lists, each once."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self._taken: set[Any] = set()
        self.rows = _rows("numbers")

    def once(self, make: Any) -> Any:
        """Make something that was not made before."""
        while (made := make()) in self._taken:
            pass
        self._taken.add(made)
        return made

    def name(self) -> str:
        """Return a name of two words."""
        return f"{self.chance.choice(_ADJECTIVES)}_{self.chance.choice(_NOUNS)}"


def _number(made: _Made, fate: Fate) -> Planted:
    chance = made.chance
    said, kept, put, near = made.rows[chance.randrange(len(made.rows))]
    value = made.once(lambda: chance.randrange(13, 990))
    line = {"kept": kept, "paraphrased": put, "dropped": near}[fate]
    said, line = (text.replace("#", str(value)).replace("&", str(value)) for text in (said, line))
    return Planted("number", said, fate, ("prompt_given", {"text": said}), line)


def _command(made: _Made, fate: Fate) -> Planted:
    chance = made.chance
    command, put, near = made.once(lambda: _typed(made))
    code = chance.choice((0, 0, 1, 2))
    ended = {0: ("passed", "exit 0", "succeeded"), 1: ("failed", "exit 1", "exit code 1")}.get(
        code, ("failed", "exit 2", "exit code 2")
    )
    how = chance.choice(ended)
    kept = chance.choice(
        (f"`{command}` ({how})", f"Ran `{command}`: {how}", f"ran {command} → {how}")
    )
    line = {"kept": kept, "paraphrased": f"{put}, {how}", "dropped": near}[fate]
    return Planted(
        "command", command, fate, ("command_ran", {"command": command, "exit_code": code}), line
    )


def _typed(made: _Made) -> tuple[str, str, str]:
    """Return a command, how a summary may put it, and what is near it."""
    one, chance = made.name(), made.chance
    branch, number = f"{one.replace('_', '-')}-{chance.randrange(10, 99)}", chance.randrange(2, 40)
    return chance.choice(
        (
            (
                f"pytest -x -q tests/test_{one}.py",
                f"pytest was run on tests/test_{one}.py",
                f"The tests of the {one.replace('_', ' ')} were run",
            ),
            (
                f"git push --force-with-lease origin {branch}",
                f"the branch {branch} went to origin with a git push",
                "The branch was pushed",
            ),
            (
                f"docker build -t {one}:{number} .",
                f"docker build for {one}:{number}",
                "The image was built anew",
            ),
            (
                f"npm run build -- --filter {branch}",
                f"npm run build, filtered to {branch}",
                "The build was run for one package",
            ),
            (
                f"cargo test --package {branch} -- --nocapture",
                f"cargo test for the package {branch}",
                "A package was tested",
            ),
            (
                f"psql -f migrations/{number:04}_{one}.sql shop",
                f"psql applied {number:04}_{one}.sql to shop",
                "A migration was applied to the shop",
            ),
            (
                f"python tools/{one}.py --limit {number}00",
                f"tools/{one}.py was run with python, limited to {number}00",
                f"The tool for {one.replace('_', ' ')} was tried",
            ),
            (
                f"kubectl rollout restart deployment/{branch}",
                f"a rollout restart of deployment/{branch} with kubectl",
                "A deployment was restarted",
            ),
        )
    )


def _path(made: _Made, fate: Fate) -> Planted:
    chance = made.chance
    folder = chance.choice(_FOLDERS)
    ending = chance.choice(("py", "py", "ts", "sql", "md", "rs"))
    last = made.once(lambda: f"{made.name()}.{ending}")
    path = f"{folder}/{last}"
    what = chance.choice(("got a new method", "was simplified", "holds the types now"))
    line = {
        "kept": chance.choice((f"{path}: {what}", f"`{path}` {what}")),
        "paraphrased": chance.choice((f"{last} {what}", f"in `{last}`, something {what}")),
        "dropped": f"A file in {folder} {what}",
    }[fate]
    change = {
        "path": path,
        "action": "modify",
        "size_before": 100,
        "size_after": 120,
        "lines_changed": 3,
        "diff_summary": "three lines",
        "hash_after": "0" * 64,
    }
    return Planted("path", path, fate, ("file_change", change), line)


def _summary(planted: Sequence[Planted], chance: random.Random) -> str:
    """Put what a summary says for each item under headings, as agents do."""
    by_heading: dict[str, list[str]] = {heading: [] for heading in _HEADINGS}
    for one in planted:
        by_heading[chance.choice(_HEADINGS)].append(one.line)
    return "\n\n".join(
        "\n".join([f"## {heading}", *_said(lines, chance)]) for heading, lines in by_heading.items()
    )


def _said(lines: list[str], chance: random.Random) -> Iterator[str]:
    """Tell lines in lists, or one after the other in paragraphs."""
    while lines:
        if chance.random() < 0.5:
            yield f"- {lines.pop()}"
            continue
        some = [lines.pop() for _ in range(min(len(lines), chance.randrange(2, 5)))]
        yield " ".join(f"{_begun(line)}." for line in (*some, chance.choice(_FILLING)))


def _begun(line: str) -> str:
    """Begin a sentence with a capital letter, unless it begins with a name."""
    first = line.partition(" ")[0]
    return f"{line[:1].upper()}{line[1:]}" if first.isalpha() else line


_HEADINGS: Final = (
    "Primary Request and Intent",
    "Key Technical Concepts",
    "Files and Code Sections",
    "Errors and Fixes",
    "Pending Tasks",
    "Current Work",
)
_FILLING: Final = (
    "The work went on from there",
    "This was discussed with the user",
    "Details are in the code",
    "Nothing else was changed in this step",
    "The user agreed",
)
_FOLDERS: Final = ("src/core", "src/api/routes", "lib/shared", "tests/unit", "docs", "app/models")
_ADJECTIVES: Final = ("amber", "brisk", "coarse", "dual", "early", "flat", "grand", "hollow")
_NOUNS: Final = ("ledger", "queue", "router", "cursor", "buffer", "loader", "mapper", "bridge")
