"""`holdfast ground` and `show --evidence`: what a decision rests on, today and for ever."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from holdfast.testing import data_for
from tests.cli.harness import Holdfast, Result

CODE = """import threading


class Queue:
    def take(self):
        with self._lock:
            return self._items.pop(0)
"""
RIGHT = "`return self._items.pop(0)` [${PROJECT_ROOT}/src/queue.py:7]"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
"""Put together here, so that none stands in the repository."""


@pytest.fixture
def source(holdfast: Holdfast) -> Path:
    path = holdfast.folder / "src" / "queue.py"
    path.parent.mkdir()
    path.write_text(CODE)
    return path


def decide(holdfast: Holdfast, *evidence: str, what: str = "lists") -> str:
    """Record a decision with what it rests on; return its id."""
    options = [part for text in evidence for part in ("--evidence", text)]
    done = holdfast("decide", what, "--because", "it is enough", "--json", *options)
    assert done.code in (0, 1), done.err
    found: str = json.loads(done.out.splitlines()[0])["id"]
    return found


def states(done: Result) -> list[str]:
    return [one["state"] for one in done.json()["citations"]]


@pytest.mark.req("L7")
@pytest.mark.usefixtures("source")
def test_a_decision_that_rests_on_a_quote_is_grounded(holdfast: Holdfast) -> None:
    decision = decide(holdfast, RIGHT)
    done = holdfast("ground", decision, "--json")
    assert done.code == 0
    assert done.json() == {
        "decision": decision,
        "seq": 0,
        "choice": "lists",
        "grounded": True,
        "assumption": False,
        "faults": [],
        "checks": {"passed": 0, "failed": 0, "failed_entries": []},
        "citations": [
            {
                "path": "src/queue.py",
                "line": 7,
                "last": None,
                "quote": "return self._items.pop(0)",
                "state": "exact",
                "recorded": "exact",
                "fault": None,
                "found": 7,
                "symbol": "Queue.take",
                "how": None,
                "remedy": None,
            }
        ],
    }


@pytest.mark.req("L7")
@pytest.mark.lesson("L1")
@pytest.mark.usefixtures("source")
def test_an_invented_quote_is_not_and_exits_1(holdfast: Holdfast) -> None:
    decide(holdfast, "`return self._items.popleft()` [${PROJECT_ROOT}/src/queue.py:7]")
    done = holdfast("ground", "0", "--json")
    assert done.code == 1
    assert (done.json()["grounded"], done.json()["faults"]) == (False, ["changed"])
    assert "NOT GROUNDED: changed." in holdfast("ground", "0").text


def test_a_decision_without_evidence_is_not_grounded(holdfast: Holdfast) -> None:
    decide(holdfast)
    done = holdfast("ground", "0", "--json")
    assert (done.code, done.json()["faults"]) == (1, ["no-citation"])


@pytest.mark.req("L7")
def test_what_became_of_a_quote_is_told_apart(holdfast: Holdfast, source: Path) -> None:
    """It was proved when it was decided: so it stays grounded, whatever happens to the file."""
    decide(holdfast, RIGHT)
    for change, state in (
        (lambda: source.write_text(f"# above\n{CODE}"), "moved"),
        (lambda: source.write_text(CODE.replace("pop(0)", "popleft()")), "changed"),
        (lambda: source.write_bytes(b"\0"), "unreadable"),
        (source.unlink, "gone"),
    ):
        change()
        done = holdfast("ground", "0", "--json")
        assert (done.code, states(done)) == (0, [state])
        assert done.json()["citations"][0]["remedy"]
        assert "(was exact)" in holdfast("ground", "0").text


def test_moved_says_where_to_and_how_to_cite_it(holdfast: Holdfast, source: Path) -> None:
    decide(holdfast, RIGHT)
    source.write_text(f"# above\n{CODE}")
    [found] = holdfast("ground", "0", "--json").json()["citations"]
    assert (found["found"], found["symbol"]) == (8, "Queue.take")
    assert "[${PROJECT_ROOT}/src/queue.py:8]" in found["remedy"]


def test_grounded_anew_it_rests_on_the_new_quote(holdfast: Holdfast, source: Path) -> None:
    decide(holdfast, "`x` [src/queue.py:1]")
    assert holdfast("ground", "0").code == 1
    done = holdfast("ground", "0", "--evidence", RIGHT, "--json")
    assert (done.code, done.json()["grounded"], states(done)) == (0, True, ["exact"])
    [_, entry] = holdfast.entries()
    assert entry["type"] == "decision_grounded"
    assert entry["data"]["grounds"]["exact"] == entry["data"]["grounds"]["cited"] == 1
    source.unlink()
    assert holdfast("ground", "0").code == 0


@pytest.mark.usefixtures("source")
def test_a_wrong_quote_takes_the_place_of_nothing(holdfast: Holdfast) -> None:
    decide(holdfast, RIGHT)
    done = holdfast("ground", "0", "--evidence", "`x` [${PROJECT_ROOT}/src/queue.py:1]")
    assert done.code == 1
    assert "NOT GROUNDED: changed. Nothing was recorded" in done.err
    assert len(holdfast.entries()) == 1
    assert holdfast("ground", "0").code == 0


@pytest.mark.req("L18")
@pytest.mark.usefixtures("source")
@pytest.mark.parametrize(
    ("evidence", "fault"),
    [
        ("`import threading` [src/queue.py:1]", "relative-path"),
        ("`import threading` [${PROJECT_ROOT}/src/../src/queue.py:1]", "parent-path"),
        ("`root` [/etc/passwd:1]", "leaves-root"),
        ("import [${PROJECT_ROOT}/src/queue.py:1]", "no-quote"),
        ("`import threading` [${PROJECT_ROOT}/src/queue.py]", "no-line"),
    ],
)
def test_what_is_refused_names_its_fault_and_the_right_form(
    holdfast: Holdfast, evidence: str, fault: str
) -> None:
    decide(holdfast)
    done = holdfast("ground", "0", "--evidence", evidence, "--json")
    assert done.code == 1
    [found] = done.json()["citations"]
    assert (found["state"], found["fault"]) == ("refused", fault)
    assert "${PROJECT_ROOT}/" in found["remedy"]


@pytest.mark.req("L18")
def test_a_link_that_leaves_the_project_is_refused(holdfast: Holdfast) -> None:
    outside = holdfast.folder.parent / "outside.py"
    outside.write_text("secret = 1\n")
    (holdfast.folder / "link.py").symlink_to(outside)
    decide(holdfast, "`secret = 1` [${PROJECT_ROOT}/link.py:1]")
    [found] = holdfast("ground", "0", "--json").json()["citations"]
    assert (found["state"], found["fault"]) == ("refused", "leaves-root")


def test_an_assumption_is_marked_and_is_not_grounded(holdfast: Holdfast) -> None:
    decide(holdfast)
    assert holdfast("ground", "0", "--assumption").code == 0
    done = holdfast("ground", "0", "--json")
    assert (done.code, done.json()["assumption"], done.json()["grounded"]) == (1, True, False)
    assert holdfast("ground", "--all").code == 0


@pytest.mark.usefixtures("source")
def test_all_tells_of_each_decision_that_holds_the_newest_first(holdfast: Holdfast) -> None:
    first = decide(holdfast, RIGHT, what="lists")
    second = decide(holdfast, what="strings")
    done = holdfast("ground", "--all", "--json")
    found = [json.loads(line) for line in done.out.splitlines()]
    assert [(one["decision"], one["grounded"]) for one in found] == [(second, False), (first, True)]
    assert done.code == 1
    holdfast("ground", second, "--evidence", RIGHT)
    assert holdfast("ground", "--all").code == 0


def test_quotes_in_the_words_of_a_decision_are_told_as_not_recorded(
    holdfast: Holdfast, source: Path
) -> None:
    holdfast.record("decision", reasoning=f"as in {RIGHT}")
    assert source.exists()
    done = holdfast("ground", "0", "--json")
    assert (done.code, states(done)) == (1, ["exact"])
    assert done.json()["citations"][0]["recorded"] is None
    assert "not recorded as evidence" in holdfast("ground", "0").text


def test_the_beginning_of_an_id_will_do(holdfast: Holdfast) -> None:
    decision = decide(holdfast)
    assert holdfast("ground", decision[:23], "--json").json()["decision"] == decision


def test_what_is_no_decision_has_no_grounds(holdfast: Holdfast) -> None:
    holdfast.record("metric")
    assert holdfast("ground", "0").code == 2
    assert holdfast("ground", "9").code == 1
    assert holdfast("ground", "nothing").code == 1


@pytest.mark.parametrize(
    "args", [(), ("0", "--all"), ("--all", "--assumption"), ("--all", "--evidence", RIGHT)]
)
def test_misuse_is_refused(holdfast: Holdfast, args: tuple[str, ...]) -> None:
    decide(holdfast)
    assert holdfast("ground", *args).code == 2
    assert len(holdfast.entries()) == 1


def test_a_decision_that_was_rolled_back_is_not_told_as_holding(holdfast: Holdfast) -> None:
    holdfast.record("metric")
    decision = decide(holdfast)
    assert holdfast("rollback", "0", "--reason", "the plan was wrong").code == 0
    done = holdfast("ground", decision)
    assert done.code == 1
    assert "rolled back" in done.err


def deleted(source: Path) -> None:
    source.unlink()


def moved(source: Path) -> None:
    source.rename(source.with_name("elsewhere.py"))


def edited(source: Path) -> None:
    source.write_text("something = else_entirely()\n")


def folder_removed(source: Path) -> None:
    shutil.rmtree(source.parent)


def untouched(source: Path) -> None:
    assert source.exists()


@pytest.mark.req("L7", "L19")
@pytest.mark.lesson("L1")
@pytest.mark.parametrize(
    ("change", "state"),
    [
        (untouched, "exact"),
        (edited, "gone"),
        (moved, "gone"),
        (deleted, "gone"),
        (folder_removed, "gone"),
    ],
)
def test_the_vault_proves_a_quote_whatever_became_of_the_file(
    holdfast: Holdfast, source: Path, change: Callable[[Path], None], state: str
) -> None:
    decide(holdfast, RIGHT)
    change(source)
    done = holdfast("show", "0", "--evidence", "--json")
    assert done.code == 0
    [found] = done.json()["citations"]
    assert found["proof"]["verdict"] == "proved"
    assert found["proof"]["first"] == 5
    assert found["proof"]["section"] == "\n".join(CODE.split("\n")[4:7])
    assert found["state"] == state
    assert done.json()["proved"]


@pytest.mark.req("L19")
def test_it_shows_the_proof_and_what_became_of_it(holdfast: Holdfast, source: Path) -> None:
    decide(holdfast, RIGHT)
    source.unlink()
    text = holdfast("show", "0", "--evidence").text
    assert "The vault proves it" in text
    assert "7 |             return self._items.pop(0)" in text
    assert "gone       ${PROJECT_ROOT}/src/queue.py:7  (was exact)" in text


@pytest.mark.usefixtures("source")
def test_without_proof_it_exits_1(holdfast: Holdfast) -> None:
    decide(holdfast, "`invented` [${PROJECT_ROOT}/src/queue.py:7]")
    other = decide(holdfast, what="nothing")
    done = holdfast("show", "0", "--evidence", "--json")
    assert (done.code, done.json()["proved"]) == (1, False)
    assert done.json()["citations"][0]["proof"]["verdict"] == "nothing kept"
    assert holdfast("show", other, "--evidence").code == 1


def alter_artifacts(holdfast: Holdfast) -> None:
    """Add a byte to every artifact, and put the guard back as if nothing had happened."""
    connection = apsw.Connection(str(holdfast.database))
    [(guard,)] = connection.execute(
        "SELECT sql FROM sqlite_master WHERE name = 'artifacts_no_update'"
    )
    connection.execute("DROP TRIGGER artifacts_no_update")
    connection.execute("UPDATE artifacts SET content = CAST(content || x'0a' AS BLOB)")
    connection.execute(str(guard))
    connection.close()


@pytest.mark.usefixtures("source")
def test_a_section_that_was_altered_proves_nothing(holdfast: Holdfast) -> None:
    """The quote still stands in it; but its bytes are not those that were sealed."""
    decide(holdfast, RIGHT)
    alter_artifacts(holdfast)
    for command in (("show", "0", "--evidence"), ("ground", "0"), ("ground", "--all")):
        done = holdfast(*command)
        assert done.code == 2
        assert "is not what was stored" in done.err


@pytest.mark.lesson("L1")
def test_labels_that_somebody_typed_ground_nothing(holdfast: Holdfast, source: Path) -> None:
    """An entry that calls itself grounded, with nothing behind it."""
    assert source.exists()
    quote = {"path": "src/queue.py", "line": 1, "quote": "invented", "state": "exact"}
    for evidence in ([], [quote]):
        grounds = {"cited": 1, "exact": 1, "evidence": evidence}
        decision = holdfast.record("decision", grounds=grounds)["id"]
        done = holdfast("ground", decision, "--json")
        assert (done.code, done.json()["grounded"]) == (1, False)
        assert done.json()["faults"] == ["unproved"]
        assert holdfast("show", decision, "--evidence").code == 1


@pytest.mark.lesson("L1")
@pytest.mark.parametrize(
    "section",
    [
        {"first": 1, "text": "invented"},
        {"first": 1, "text": "invented\n" * 10_000},  # large enough for the vault
        {"first": 1, "text": {"withheld": "secret", "sha256": "ab" * 32, "bytes": 9}},
        {"first": 1, "text": {"$artifact": "ab" * 32, "bytes": 9, "form": "text"}},
        "invented",
    ],
)
def test_what_no_file_said_cannot_be_typed_in_as_proof(holdfast: Holdfast, section: Any) -> None:
    quote = {"path": "a.py", "line": 1, "quote": "invented", "state": "exact", "section": section}
    data = data_for("decision", grounds={"cited": 1, "exact": 1, "evidence": [quote]})
    done = holdfast("record", "decision", "--data", "-", stdin=json.dumps(data).encode())
    assert done.code == 2
    assert "was typed in, not read" in done.err
    assert holdfast.entries() == []


def test_an_erased_section_is_said_to_be_erased(holdfast: Holdfast, source: Path) -> None:
    decide(holdfast, RIGHT)
    assert source.exists()
    [found] = holdfast("show", "0", "--evidence", "--json").json()["citations"]
    assert holdfast("erase", found["proof"]["artifact"], "--yes").code == 0
    done = holdfast("show", "0", "--evidence", "--json")
    assert (done.code, done.json()["proved"]) == (1, False)
    assert done.json()["citations"][0]["proof"]["verdict"] == "erased"


@pytest.mark.req("L19")
def test_the_vault_proves_it_after_the_entry_was_archived(holdfast: Holdfast, source: Path) -> None:
    decide(holdfast, RIGHT)
    source.unlink()
    for number in range(3):
        holdfast.record("metric", number)
    assert holdfast("seal", "--keep", "0").code == 0
    done = holdfast("show", "0", "--evidence", "--json")
    assert (done.code, done.json()["proved"], done.json()["grounded"]) == (0, True, True)


@pytest.mark.req("L18")
def test_a_secret_is_not_in_what_is_kept_or_shown(holdfast: Holdfast, source: Path) -> None:
    source.write_text(f"def f():\n    token = {TOKEN!r}\n    return token\n")
    decide(holdfast, "`return token` [${PROJECT_ROOT}/src/queue.py:3]")
    done = holdfast("show", "0", "--evidence", "--json")
    assert (done.code, done.json()["proved"]) == (0, True)
    assert TOKEN.encode() not in done.out + holdfast.database.read_bytes()


@pytest.mark.usefixtures("source")
def test_full_and_evidence_do_not_go_together(holdfast: Holdfast) -> None:
    decide(holdfast, RIGHT)
    assert holdfast("show", "0", "--evidence", "--full").code == 2
