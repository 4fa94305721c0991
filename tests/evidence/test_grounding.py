"""What a decision rests on is proved when it is made, kept in the vault, and told again later."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from holdfast.code import CouldNotLook, Reading, read_symbols
from holdfast.evidence.checking import Checked, Checker
from holdfast.evidence.citations import Cited, parse, spell
from holdfast.evidence.grounding import Proved, cited_of, prove, proved_by
from holdfast.evidence.project_files import ProjectFiles
from holdfast.kernel import canonical
from holdfast.kernel.entry import Entry
from holdfast.kernel.limits import (
    CITATION_QUOTE_CHARS_MAX,
    CITATIONS_MAX,
    INLINE_BYTES_MAX,
    SECTION_BYTES_MAX,
)
from holdfast.kernel.types.evidence import Citation, grounds_of
from holdfast.ledger.ledger import Ledger
from holdfast.testing.builders import data_for, open_memory_ledger

CODE = '''"""A queue."""

import threading


class Queue:
    """First in, first out."""

    def put(self, item):
        with self._lock:
            self._items.append(item)

    def take(self):
        with self._lock:
            return self._items.pop(0)
'''
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
"""Put together here, so that none stands in the repository."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "queue.py").write_text(CODE)
    return tmp_path


@pytest.fixture
def ledger() -> Ledger:
    return open_memory_ledger()


def proved(root: Path, ledger: Ledger, *texts: str, **options: Any) -> Proved:
    files = ProjectFiles(root, root)
    return prove(files, ledger.redact, texts, read_symbols=read_symbols, **options)


def cite(quote: str, line: int, path: str = "src/queue.py", last: int | None = None) -> str:
    return spell(quote, path, line, last)


def decide(ledger: Ledger, found: Proved) -> tuple[Entry, list[Citation]]:
    ledger.append("decision", data_for("decision", grounds=found.grounds))
    entry = list(ledger.read())[-1]
    data: Any = entry.value()
    grounds = grounds_of(data["grounds"])
    assert grounds is not None
    assert isinstance(grounds.evidence, list)
    return entry, grounds.evidence


@pytest.mark.req("L7")
def test_a_quote_that_stands_grounds_a_decision(root: Path, ledger: Ledger) -> None:
    found = proved(root, ledger, f"Because {cite('return self._items.pop(0)', 15)}.")
    assert found.ok
    assert found.grounds["cited"] == found.grounds["exact"] == 1
    assert found.grounds["symbols"] == ["src/queue.py::Queue.take"]
    assert "faults" not in found.grounds


@pytest.mark.req("L7")
@pytest.mark.lesson("L1")
def test_an_invented_quote_grounds_nothing(root: Path, ledger: Ledger) -> None:
    found = proved(root, ledger, cite("return self._items.popleft()", 15))
    assert not found.ok
    assert (found.grounds["cited"], found.grounds["exact"]) == (1, 0)
    assert found.grounds["faults"] == ["changed"]


def test_one_wrong_quote_beside_a_right_one_grounds_nothing(root: Path, ledger: Ledger) -> None:
    found = proved(root, ledger, cite("import threading", 3), cite("import os", 3))
    assert not found.ok
    assert [one.state for one in found.citations] == ["exact", "changed"]
    assert [one.state for one in found.checked] == ["exact", "changed"]


def test_no_citation_is_no_ground(root: Path, ledger: Ledger) -> None:
    found = proved(root, ledger, "because I say so")
    assert not found.ok
    assert found.grounds == {"cited": 0, "exact": 0, "faults": ["no-citation"]}


def test_an_assumption_says_so_and_is_not_grounded(root: Path, ledger: Ledger) -> None:
    found = proved(root, ledger, assumption=True, task="hf-1")
    assert not found.ok
    assert found.grounds == {"cited": 0, "exact": 0, "assumption": True, "task": "hf-1"}


@pytest.mark.req("L19")
def test_the_whole_definition_goes_to_the_vault(root: Path, ledger: Ledger) -> None:
    found = proved(root, ledger, cite("return self._items.pop(0)", 15))
    entry, [citation] = decide(ledger, found)
    section = citation.section
    assert section["first"] == 13
    kept = ledger.artifact(section["text"]["$artifact"])
    assert kept == "\n".join(CODE.split("\n")[12:15]).encode()
    assert citation.file == sha256(CODE.encode()).hexdigest()
    assert citation.symbol == "Queue.take"
    assert ledger.verify().ok
    assert ledger.data(entry)["grounds"]["evidence"][0]["section"]["text"] == kept.decode()


def test_outside_of_a_definition_the_lines_are_kept(root: Path, ledger: Ledger) -> None:
    _, [citation] = decide(ledger, proved(root, ledger, cite("threading", 3)))
    assert citation.symbol is None
    assert citation.section["first"] == 3
    assert ledger.artifact(citation.section["text"]["$artifact"]) == b"import threading"


def test_a_quote_over_two_definitions_is_kept_with_what_holds_both(
    root: Path, ledger: Ledger
) -> None:
    quote = "self._items.append(item)\n\n    def take(self):"
    _, [citation] = decide(ledger, proved(root, ledger, cite(quote, 11, last=13)))
    assert citation.symbol == "Queue"
    assert proved_by(citation, _kept(ledger, citation), 6, ledger.redact)


def test_a_definition_that_is_too_large_is_not_kept_whole(root: Path, ledger: Ledger) -> None:
    body = "".join(f"    x{n} = {n}\n" for n in range(SECTION_BYTES_MAX // 10))
    (root / "large.py").write_text(f"def f():\n{body}")
    found = proved(root, ledger, cite("x7 = 7", 9, "large.py"))
    _, [citation] = decide(ledger, found)
    assert found.ok
    assert _kept(ledger, citation) == "    x7 = 7"


def _kept(ledger: Ledger, citation: Citation) -> str:
    content = ledger.artifact(citation.section["text"]["$artifact"])
    assert content is not None
    return content.decode()


@pytest.mark.req("L19")
def test_the_vault_proves_a_quote_at_its_line_and_no_other(root: Path, ledger: Ledger) -> None:
    _, [citation] = decide(ledger, proved(root, ledger, cite("self._lock", 14)))
    section, first = _kept(ledger, citation), citation.section["first"]
    assert proved_by(citation, section, first, ledger.redact)
    assert not proved_by(citation, section.replace("_lock", "lock"), first, ledger.redact)
    assert not proved_by(citation, section, first + 1, ledger.redact)


@pytest.mark.req("L18")
def test_a_section_with_a_secret_is_not_kept_but_the_lines_are(root: Path, ledger: Ledger) -> None:
    (root / "s.py").write_text(f"def f():\n    token = {TOKEN!r}\n    return send(token)\n")
    found = proved(root, ledger, cite("return send(token)", 3, "s.py"))
    entry, [citation] = decide(ledger, found)
    assert found.ok
    assert citation.section["first"] == 3
    assert _kept(ledger, citation) == "    return send(token)"
    assert TOKEN not in str(ledger.data(entry))


@pytest.mark.req("L18")
def test_lines_with_a_secret_are_withheld_and_the_quote_is_redacted(
    root: Path, ledger: Ledger
) -> None:
    line = f"token = {TOKEN!r}"
    (root / "s.py").write_text(line + "\n")
    found = proved(root, ledger, cite(line, 1, "s.py"))
    entry, [citation] = decide(ledger, found)
    assert found.ok
    withheld = citation.section["text"]
    assert withheld["withheld"] == "secret"
    assert withheld["sha256"] == sha256(line.encode()).hexdigest()
    assert TOKEN not in str(ledger.data(entry))
    assert "[REDACTED:" in str(citation.quote)
    assert _now(root, ledger, citation).state == "exact"


@pytest.mark.req("L18")
def test_a_redacted_quote_is_found_changed_when_the_secret_changes(
    root: Path, ledger: Ledger
) -> None:
    (root / "s.py").write_text(f"token = {TOKEN!r}\n")
    _, [citation] = decide(ledger, proved(root, ledger, cite(f"token = {TOKEN!r}", 1, "s.py")))
    (root / "s.py").write_text(f"token = {TOKEN[:-1] + 'Z'!r}\n")
    assert _now(root, ledger, citation).state == "changed"


@pytest.mark.req("L18")
def test_a_quote_that_begins_inside_a_secret_is_refused(root: Path, ledger: Ledger) -> None:
    (root / "s.py").write_text(f"token = {TOKEN!r}\n")
    found = proved(root, ledger, cite(f"{TOKEN[9:]}'", 1, "s.py"))
    assert not found.ok
    assert found.grounds["faults"] == ["cuts-secret"]


def _now(root: Path, ledger: Ledger, citation: Citation) -> Checked:
    checker = Checker(ProjectFiles(root, root), ledger.redact, read_symbols)
    return checker.check([cited_of(citation)], [citation.symbol])[0]  # type: ignore[list-item]


def test_of_several_places_the_one_in_the_same_definition_is_meant(
    root: Path, ledger: Ledger
) -> None:
    """A method with the same line comes before it: nearer to the cited line, and not meant."""
    _, [citation] = decide(ledger, proved(root, ledger, cite("with self._lock:", 14)))
    shifted = CODE.replace(
        "    def take",
        "    def look(self):\n        with self._lock:\n            return 0\n\n    def take",
    )
    (root / "src/queue.py").write_text(shifted)
    lines = shifted.split("\n")
    now = _now(root, ledger, citation)
    assert lines[13] == "        with self._lock:"  # by its number alone it would be exact
    assert (now.state, now.found) == ("exact", 14)
    (root / "src/queue.py").write_text("# above\n" + shifted)
    now = _now(root, ledger, citation)
    assert (now.state, now.found, now.symbol) == ("moved", 19, "Queue.take")
    assert lines[17] == "        with self._lock:"


def test_files_are_parsed_only_for_quotes_that_moved(root: Path, ledger: Ledger) -> None:
    parsed: list[str] = []

    def count(text: str, language: str) -> Reading:
        parsed.append(language)
        return read_symbols(text, language)

    checker = Checker(ProjectFiles(root, root), ledger.redact, count)
    stays = [*parse(cite("import threading", 3)), *parse(cite("import os", 3))]
    assert [one.state for one in checker.check(stays)] == ["exact", "changed"]
    assert parsed == []
    moved = [*parse(cite("import threading", 4)), *parse(cite("class Queue", 4))]
    assert [one.state for one in checker.check(moved)] == ["moved", "moved"]
    assert parsed == ["python"]


def test_each_file_is_read_once(root: Path, ledger: Ledger, monkeypatch: Any) -> None:
    from holdfast.evidence.reading import ReadingFiles

    read: list[str] = []
    really = ReadingFiles.read

    def count(self: ReadingFiles, path: str) -> Any:
        read.append(path)
        return really(self, path)

    monkeypatch.setattr(ReadingFiles, "read", count)
    (root / "b.py").write_text("b = 1\n")
    texts = [cite("import", 3), cite("b = 1", 1, "b.py"), cite("class", 6), cite("x", 1, "b.py")]
    proved(root, ledger, *texts)
    assert sorted(read) == ["b.py", "src/queue.py"]


def test_a_file_that_nobody_can_parse_is_quoted_all_the_same(root: Path, ledger: Ledger) -> None:
    def refuse(text: str, language: str) -> Reading:
        raise CouldNotLook("The text is too odd.")

    files = ProjectFiles(root, root)
    found = prove(files, ledger.redact, [cite("self._lock", 14)], read_symbols=refuse)
    _, [citation] = decide(ledger, found)
    assert found.ok
    assert citation.symbol is None
    assert _kept(ledger, citation) == "        with self._lock:"


@pytest.mark.req("L18")
@pytest.mark.parametrize(
    ("text", "fault", "right"),
    [
        (
            "`import threading` [src/queue.py:3]",
            "relative-path",
            "[${PROJECT_ROOT}/src/queue.py:3]",
        ),
        ("`x` [${PROJECT_ROOT}/../a.py:3]", "parent-path", "[${PROJECT_ROOT}/path:line]"),
        ("`x` [/etc/passwd:3]", "leaves-root", "[${PROJECT_ROOT}/path:line]"),
        ("queue [${PROJECT_ROOT}/src/queue.py:3]", "no-quote", "`quote` [${PROJECT_ROOT}/src"),
        ("`import` [${PROJECT_ROOT}/src/queue.py]", "no-line", "queue.py:1]"),
        ("`import` [${PROJECT_ROOT}/src/queue.py:0]", "bad-lines", "count from 1"),
    ],
)
def test_what_is_refused_says_the_right_form(
    root: Path, ledger: Ledger, text: str, fault: str, right: str
) -> None:
    found = proved(root, ledger, text)
    [one] = found.checked
    assert (one.state, one.fault, found.ok) == ("refused", fault, False)
    assert found.grounds["faults"] == [fault]
    assert right in one.remedy


@pytest.mark.req("L18")
def test_a_path_of_this_machine_is_refused_and_named_from_the_root(
    root: Path, ledger: Ledger
) -> None:
    [one] = proved(root, ledger, f"`import` [{root}/src/queue.py:3]").checked
    assert (one.state, one.fault) == ("refused", "absolute-path")
    assert "[${PROJECT_ROOT}/src/queue.py:3]" in one.remedy


def test_more_citations_than_are_kept_are_refused_not_dropped(root: Path, ledger: Ledger) -> None:
    found = proved(root, ledger, *[cite("import threading", 3)] * (CITATIONS_MAX + 2))
    assert (found.grounds["cited"], found.grounds["exact"]) == (CITATIONS_MAX + 2, CITATIONS_MAX)
    assert found.grounds["faults"] == ["too-many"]
    assert len(found.grounds["evidence"]) == CITATIONS_MAX
    assert not found.ok


def test_a_quote_that_is_too_long_is_refused(root: Path, ledger: Ledger) -> None:
    long = "x" * (CITATION_QUOTE_CHARS_MAX + 1)
    (root / "long.py").write_text(long + "\n")
    found = proved(root, ledger, cite(long, 1, "long.py"))
    assert found.grounds["faults"] == ["too-long"]
    assert len(found.grounds["evidence"][0]["quote"]) < 200


def test_grounds_stay_out_of_the_vault_however_much_is_quoted(root: Path, ledger: Ledger) -> None:
    wide = "\U0001f600" * CITATION_QUOTE_CHARS_MAX
    (root / "wide.py").write_text(f"{wide}\n" * CITATIONS_MAX)
    texts = [cite(wide, line, "wide.py") for line in range(1, CITATIONS_MAX + 1)]
    found = proved(root, ledger, *texts)
    entry, evidence = decide(ledger, found)
    assert len(evidence) == CITATIONS_MAX
    assert len(canonical.encode(entry.value()["grounds"])) < INLINE_BYTES_MAX
    assert "too-long" in found.grounds["faults"]


@pytest.mark.parametrize("text", ["`a` [${PROJECT_ROOT}/\ud800:1]", "`\udcff` [/a\ud800:1]"])
def test_half_a_character_is_refused_and_can_be_recorded(
    root: Path, ledger: Ledger, text: str
) -> None:
    found = proved(root, ledger, text)
    assert found.grounds["faults"] == ["not-text"]
    _, [citation] = decide(ledger, found)
    assert _now(root, ledger, citation).state == "refused"
    assert [one.state for one in _as_is(root, ledger, text)] == ["refused"]


def _as_is(root: Path, ledger: Ledger, text: str) -> list[Checked]:
    return Checker(ProjectFiles(root, root), ledger.redact, read_symbols).check(parse(text))


def test_a_recorded_citation_that_was_refused_stays_refused(root: Path, ledger: Ledger) -> None:
    _, [citation] = decide(ledger, proved(root, ledger, "`import` [src/queue.py:3]"))
    now = _now(root, ledger, citation)
    assert (now.state, now.fault) == ("refused", "relative-path")


def test_by_itself_it_parses_in_a_process_that_can_be_killed(root: Path, ledger: Ledger) -> None:
    found = prove(ProjectFiles(root, root), ledger.redact, [cite("self._lock", 14)])
    assert found.grounds["symbols"] == ["src/queue.py::Queue.take"]


def test_a_link_to_a_file_of_the_project_is_followed(root: Path, ledger: Ledger) -> None:
    (root / "alias.py").symlink_to("src/queue.py")
    assert proved(root, ledger, cite("import threading", 3, "alias.py")).ok


def test_order_is_kept_whatever_the_files(root: Path, ledger: Ledger) -> None:
    (root / "a.py").write_text("a = 1\n")
    texts = [cite("class Queue", 6), cite("a = 1", 1, "a.py"), "`x` [b:1]", cite("import", 3)]
    checker = Checker(ProjectFiles(root, root), ledger.redact, read_symbols)
    cited: list[Cited] = [one for text in texts for one in parse(text)]
    assert [one.cited for one in checker.check(cited)] == cited
