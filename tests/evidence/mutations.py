"""Ways in which a file changes under a citation, each with the state that follows from the change.

A mutation writes the module, changed, into a project, and says what became
of the quote by how it was made; nothing here asks the code under test.
"""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from tests.evidence.quoted import LOOK_ALIKE, Sample, letter_of


class Outcome(NamedTuple):
    """What must be found; `cited` is for a citation that is wrong itself."""

    state: str
    found: int | None = None
    how: str | None = None
    fault: str | None = None
    cited: str | None = None


Mutate = Callable[[Sample, Path, random.Random], Outcome]
KINDS: Final[dict[str, Mutate]] = {}


def kind(mutate: Mutate) -> Mutate:
    KINDS[mutate.__name__] = mutate
    return mutate


# The quote still stands where it stood


@kind
def untouched(sample: Sample, file: Path, _: random.Random) -> Outcome:
    file.write_text(sample.text)
    return Outcome("exact", sample.line)


@kind
def line_ends_of_windows(sample: Sample, file: Path, _: random.Random) -> Outcome:
    file.write_bytes(sample.text.replace("\n", "\r\n").encode())
    return Outcome("exact", sample.line)


@kind
def added_below(sample: Sample, file: Path, chance: random.Random) -> Outcome:
    file.write_text(sample.text + "# more\n" * chance.randint(1, 50))
    return Outcome("exact", sample.line)


@kind
def other_lines_edited(sample: Sample, file: Path, chance: random.Random) -> Outcome:
    lines = sample.lines.copy()
    lines[chance.randrange(sample.line - 1)] = "# edited"
    lines[-1] += "  # edited"
    file.write_text("\n".join(lines) + "\n")
    return Outcome("exact", sample.line)


@kind
def byte_order_mark(sample: Sample, file: Path, _: random.Random) -> Outcome:
    file.write_text(sample.text, encoding="utf-8-sig")
    return Outcome("exact", sample.line)


@kind
def indented_before_the_quote(sample: Sample, file: Path, _: random.Random) -> Outcome:
    """The quote begins behind the blanks; only those of its first line change."""
    lines = sample.lines.copy()
    lines[sample.line - 1] = "        " + lines[sample.line - 1]
    file.write_text("\n".join(lines) + "\n")
    return Outcome("exact", sample.line)


@kind
def link_to_a_file_inside(sample: Sample, file: Path, _: random.Random) -> Outcome:
    real = file.with_name("real.py")
    real.write_text(sample.text)
    file.symlink_to(real)
    return Outcome("exact", sample.line)


# It stands elsewhere


@kind
def lines_added_above(sample: Sample, file: Path, chance: random.Random) -> Outcome:
    more = chance.randint(1, 30)
    file.write_text("# above\n" * more + sample.text)
    return Outcome("moved", sample.line + more)


@kind
def lines_removed_above(sample: Sample, file: Path, chance: random.Random) -> Outcome:
    fewer = chance.randint(1, sample.line - 1)
    file.write_text("\n".join(sample.lines[fewer:]) + "\n")
    return Outcome("moved", sample.line - fewer)


@kind
def moved_to_the_end(sample: Sample, file: Path, _: random.Random) -> Outcome:
    first, last = sample.line - 1, sample.line + sample.more
    rest = sample.lines[:first] + sample.lines[last:]
    file.write_text("\n".join(rest + sample.lines[first:last]) + "\n")
    return Outcome("moved", len(rest) + 1)


@kind
def cited_at_another_line(sample: Sample, file: Path, chance: random.Random) -> Outcome:
    file.write_text(sample.text)
    line = chance.choice([n for n in range(1, len(sample.lines)) if n != sample.line])
    return Outcome("moved", sample.line, cited=f":{line}")


@kind
def moved_and_line_ends_of_windows(sample: Sample, file: Path, _: random.Random) -> Outcome:
    file.write_bytes(("# above\n" * 3 + sample.text).replace("\n", "\r\n").encode())
    return Outcome("moved", sample.line + 3)


# The cited lines say something else


def _edited(sample: Sample, file: Path, line: int, text: str) -> None:
    lines = sample.lines.copy()
    assert lines[line - 1] != text
    lines[line - 1] = text
    file.write_text("\n".join(lines) + "\n")


@kind
def a_word_edited(sample: Sample, file: Path, _: random.Random) -> Outcome:
    line = sample.lines[sample.line - 1]
    word = max(line.split(), key=len)
    _edited(sample, file, sample.line, line.replace(word, f"{word[0]}\u00a7{word[1:]}", 1))
    return Outcome("changed")


@kind
def line_removed(sample: Sample, file: Path, _: random.Random) -> Outcome:
    lines = sample.lines[: sample.line - 1] + sample.lines[sample.line :]
    file.write_text("\n".join(lines) + "\n")
    return Outcome("changed")


@kind
def blanks_doubled_within(sample: Sample, file: Path, _: random.Random) -> Outcome:
    line = sample.lines[sample.line - 1]
    words = line.strip().split(" ", 1)
    indent = line[: len(line) - len(line.lstrip())]
    _edited(sample, file, sample.line, indent + "  ".join(words))
    return Outcome("changed", how="only blanks differ")


@kind
def tab_for_a_blank(sample: Sample, file: Path, _: random.Random) -> Outcome:
    line = sample.lines[sample.line - 1]
    indent = line[: len(line) - len(line.lstrip())]
    _edited(sample, file, sample.line, indent + line.strip().replace(" ", "\t", 1))
    return Outcome("changed", how="only blanks differ")


@kind
def blank_that_does_not_break(sample: Sample, file: Path, _: random.Random) -> Outcome:
    line = sample.lines[sample.line - 1]
    indent = line[: len(line) - len(line.lstrip())]
    _edited(sample, file, sample.line, indent + line.strip().replace(" ", "\u00a0", 1))
    return Outcome("changed", how="only blanks differ")


@kind
def blank_added_at_the_end_of_a_quoted_line(
    sample: Sample, file: Path, _: random.Random
) -> Outcome:
    """A quote of one line does not reach so far; one of three lines does."""
    _edited(sample, file, sample.line, sample.lines[sample.line - 1] + " ")
    if sample.more:
        return Outcome("changed", how="only blanks differ")
    return Outcome("exact", sample.line)


@kind
def look_alike_letter(sample: Sample, file: Path, _: random.Random) -> Outcome:
    line = sample.lines[sample.line - 1]
    at = letter_of(line)
    other = LOOK_ALIKE[line[at]]
    assert "CYRILLIC" in unicodedata.name(other)
    _edited(sample, file, sample.line, line[:at] + other + line[at + 1 :])
    return Outcome("changed", how="look-alike characters")


@kind
def character_that_nobody_sees(sample: Sample, file: Path, _: random.Random) -> Outcome:
    line = sample.lines[sample.line - 1]
    at = letter_of(line)
    line = line[: at + 1] + "\u200b" + line[at + 1 :] if at + 1 < len(line) else f"\u200b{line}"
    _edited(sample, file, sample.line, line)
    hidden = line.strip() != sample.lines[sample.line - 1].strip() and not line.startswith("\u200b")
    assert hidden
    return Outcome("changed", how="look-alike characters")


@kind
def capitals_changed(sample: Sample, file: Path, _: random.Random) -> Outcome:
    line = sample.lines[sample.line - 1]
    _edited(sample, file, sample.line, line.swapcase())
    return Outcome("changed", how="only capitals differ")


@kind
def quote_made_up(sample: Sample, file: Path, _: random.Random) -> Outcome:
    file.write_text(sample.text)
    made_up = f"return proof_of({sample.line}) or certainty"
    return Outcome("changed", cited=f"`{made_up}`")


# The lines, or the file, are no longer there


@kind
def cut_off_before_it(sample: Sample, file: Path, chance: random.Random) -> Outcome:
    kept = chance.randrange(1, sample.line)
    file.write_text("\n".join(sample.lines[:kept]) + "\n")
    return Outcome("gone")


@kind
def emptied(_: Sample, file: Path, __: random.Random) -> Outcome:
    file.write_text("")
    return Outcome("gone")


@kind
def file_renamed(sample: Sample, file: Path, _: random.Random) -> Outcome:
    file.with_name("renamed.py").write_text(sample.text)
    return Outcome("gone")


@kind
def file_deleted(_: Sample, file: Path, __: random.Random) -> Outcome:
    assert not file.exists()
    return Outcome("gone")


@kind
def folder_deleted(_: Sample, file: Path, __: random.Random) -> Outcome:
    file.parent.rmdir()
    return Outcome("gone")


@kind
def link_to_nothing(_: Sample, file: Path, __: random.Random) -> Outcome:
    file.symlink_to(file.with_name("nothing.py"))
    return Outcome("gone")


# Nobody can look


@kind
def became_binary(sample: Sample, file: Path, _: random.Random) -> Outcome:
    file.write_bytes(sample.text.encode() + b"\0")
    return Outcome("unreadable")


@kind
def became_another_encoding(sample: Sample, file: Path, _: random.Random) -> Outcome:
    file.write_bytes(sample.text.encode() + "# \u00fc\n".encode("latin-1"))
    return Outcome("unreadable")


@kind
def became_a_folder(_: Sample, file: Path, __: random.Random) -> Outcome:
    file.mkdir()
    return Outcome("unreadable")


@kind
def link_to_itself(_: Sample, file: Path, __: random.Random) -> Outcome:
    file.symlink_to(file)
    return Outcome("unreadable")


# Nobody may look


@kind
def link_to_a_file_outside(sample: Sample, file: Path, _: random.Random) -> Outcome:
    outside = _outside(file, sample)
    file.symlink_to(outside)
    return Outcome("refused", fault="leaves-root")


@kind
def folder_that_leads_outside(sample: Sample, file: Path, _: random.Random) -> Outcome:
    outside = _outside(file, sample)
    file.parent.rmdir()
    file.parent.symlink_to(outside.parent)
    return Outcome("refused", fault="leaves-root")


def _outside(file: Path, sample: Sample) -> Path:
    """Write the module, unchanged, outside the project: a quote that would be exact."""
    project = file.parents[1]
    folder = project.with_name("outside") / file.parent.name
    folder.mkdir(parents=True, exist_ok=True)
    outside = folder / file.name
    outside.write_text(sample.text)
    return outside


@kind
def path_from_the_root_without_saying_so(sample: Sample, file: Path, _: random.Random) -> Outcome:
    file.write_text(sample.text)
    return Outcome("refused", fault="relative-path", cited=f"[{file.parent.name}/{file.name}")


@kind
def path_by_way_of_the_folder_above(sample: Sample, file: Path, _: random.Random) -> Outcome:
    file.write_text(sample.text)
    way = f"{file.parent.name}/../{file.parent.name}/{file.name}"
    return Outcome("refused", fault="parent-path", cited=f"[${{PROJECT_ROOT}}/{way}")


@kind
def path_of_this_machine(sample: Sample, file: Path, _: random.Random) -> Outcome:
    file.write_text(sample.text)
    return Outcome("refused", fault="absolute-path", cited=f"[{file}")


@kind
def line_of_the_notes(sample: Sample, file: Path, _: random.Random) -> Outcome:
    file.write_text(sample.text)
    file.parents[1].joinpath("NOTES.md").write_text(sample.text)
    return Outcome("refused", fault="own-file", cited="[${PROJECT_ROOT}/NOTES.md")


@kind
def one_letter_of_the_line(sample: Sample, file: Path, _: random.Random) -> Outcome:
    file.write_text(sample.text)
    line = sample.lines[sample.line - 1]
    return Outcome("refused", fault="too-short", cited=f"`{line[letter_of(line)]}`")


@kind
def no_line(sample: Sample, file: Path, _: random.Random) -> Outcome:
    file.write_text(sample.text)
    return Outcome("refused", fault="no-line", cited="]")


@kind
def no_quote(sample: Sample, file: Path, _: random.Random) -> Outcome:
    file.write_text(sample.text)
    return Outcome("refused", fault="no-quote", cited="")
