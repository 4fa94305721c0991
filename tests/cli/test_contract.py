"""What scripts may rely on; the first answer of each command comes from a real process."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import apsw
import pytest
import rfc8785

import holdfast as api
from holdfast.testing.builders import data_for, draft
from holdfast.version import __version__
from tests.cli.harness import Holdfast, forge

ENTRY_KEYS = {
    *("actor", "data", "hash", "id", "ledger", "prev"),
    *("seq", "session_id", "span", "timestamp", "type", "v"),
}


def test_version_is_printed_without_loading_the_ledger_or_click(bare: Holdfast) -> None:
    bare.folder.joinpath("probe.py").write_text(
        "import sys\n"
        "sys.argv = ['holdfast', '--version']\n"
        "from holdfast.cli.main import main\n"
        "main()\n"
        "heavy = ('click', 'rich', 'msgspec', 'apsw', 'holdfast.ledger', 'holdfast.wiring')\n"
        "print([name for name in heavy if name in sys.modules])\n"
    )
    out = subprocess.run([sys.executable, bare.folder / "probe.py"], capture_output=True, text=True)
    assert out.stdout == f"holdfast {__version__}\n[]\n"


def test_init_twice_is_harmless(bare: Holdfast) -> None:
    first = bare.process("init", "--json").json()
    bare.record()
    second = bare.process("init", "--json").json()
    assert first == {"ledger": first["ledger"], "path": str(bare.database), "created": True}
    assert second == {**first, "created": False}
    assert len(bare.entries()) == 1


def test_init_makes_the_folder_it_is_given(bare: Holdfast) -> None:
    made = bare("init", "deep/project", "--json").json()
    assert made["path"] == str(bare.folder / "deep/project/.holdfast/ledger.db")
    assert Path(made["path"]).exists()


@pytest.mark.req("P1")
def test_an_entry_has_its_fields_and_the_hash_of_its_data(holdfast: Holdfast) -> None:
    answer = holdfast.record("decision", 1, "--session", "s1")
    entry = holdfast("show", "0", "--json").json()
    assert set(entry) == ENTRY_KEYS
    assert entry["hash"] == sha256(rfc8785.dumps(data_for("decision", 1))).hexdigest()
    assert entry["session_id"] == "s1"
    assert entry["timestamp"][10] + entry["timestamp"][-1] == "TZ"
    assert answer == {
        "seq": 0,
        "id": entry["id"],
        "hash": entry["hash"],
        "leaf": sha256(b"\0" + holdfast("show", "0", "--json").out[:-1]).hexdigest(),
        "redactions": 0,
    }


@pytest.mark.req("P1")
def test_an_entry_whose_data_does_not_fit_its_hash_is_named(holdfast: Holdfast) -> None:
    holdfast.record("decision", 1)
    forge(holdfast, 0, "Way 1", "Way 9")
    report = holdfast("verify", "--json")
    assert report.code == 1
    assert {"seq": 0, "kind": "data"} in [
        {"seq": fault["seq"], "kind": fault["kind"]} for fault in report.json()["faults"]
    ]


def test_the_same_id_again_returns_the_first_answer(holdfast: Holdfast) -> None:
    secret = "ghp_" + "a1B2" * 9
    first = holdfast.record("error", 1, "--id", "retry-1", message=f"no: {secret}")
    again = holdfast.record("error", 1, "--id", "retry-1", message=f"no: {secret}")
    assert first["redactions"] == 1
    assert again == {**first, "duplicate": True}
    assert len(holdfast.entries()) == 1


def test_the_same_id_with_other_data_is_a_no_and_says_so(holdfast: Holdfast) -> None:
    first = holdfast.record("error", 1, "--id", "retry-1")
    other = json.dumps(data_for("error", 2))
    done = holdfast.process("record", "error", "--data", other, "--id", "retry-1", "--json")
    assert done.code == 1
    assert done.json() == {**first, "duplicate": True, "differs": True}
    assert "NOT recorded" in done.err
    assert [entry["data"] for entry in holdfast.entries()] == [data_for("error", 1)]


def test_log_and_show_print_the_exact_stored_bytes(holdfast: Holdfast) -> None:
    for n in range(3):
        holdfast.record("metric", n)
    lines = holdfast.process("log", "--json").out.splitlines(keepends=True)
    assert lines == [holdfast.process("show", str(n), "--json").out for n in range(3)]
    leaves = [sha256(b"\0" + line[:-1]).hexdigest() for line in lines]
    assert json.loads(lines[1])["prev"] == leaves[0]
    assert holdfast("verify", "--json").json()["head"] == leaves[2]


def test_verify_answers_with_the_contract(holdfast: Holdfast) -> None:
    receipt = holdfast.record()
    done = holdfast.process("verify", "--json")
    assert done.code == 0
    assert done.json() == {
        "ok": True,
        "entries": 1,
        "head": receipt["leaf"],
        "root": receipt["leaf"],
        "faults": [],
    }


@pytest.mark.req("P3")
def test_the_engine_refuses_another_program(holdfast: Holdfast) -> None:
    holdfast.record("error", 0, message="x" * 40_000)
    with api.open(holdfast.folder) as ledger:
        ledger.append_many([draft("decision", n) for n in range(300)])
    before = holdfast("log", "--json").out
    statements = list(_changes(holdfast))
    assert len(statements) >= 14
    for statement in statements:
        with pytest.raises(apsw.Error, match=r"ever |never|holdfast_(sealing|erasing)"):
            holdfast.sql(statement)
    assert holdfast("log", "--json").out == before
    assert holdfast("verify").code == 0


def _changes(holdfast: Holdfast) -> Iterator[str]:
    """Yield every way to change or take away a row, for each table that has one."""
    connection = apsw.Connection(str(holdfast.database))
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    for (table,) in tables:
        if connection.execute(f"SELECT count(*) FROM {table}").get:
            column = connection.execute(
                f"SELECT name FROM pragma_table_info('{table}') LIMIT 1"
            ).get
            yield f"UPDATE {table} SET {column} = {column}"
            yield f"DELETE FROM {table}"
    connection.close()
    yield "INSERT OR REPLACE INTO runs SELECT * FROM runs"
    yield "INSERT OR REPLACE INTO meta SELECT * FROM meta"


@pytest.mark.req("P3")
def test_with_the_guard_taken_down_the_change_is_found(holdfast: Holdfast) -> None:
    holdfast.record()
    holdfast.sql("DROP TRIGGER runs_no_update")
    report = holdfast("verify", "--json")
    assert report.code == 1
    assert [fault["kind"] for fault in report.json()["faults"]] == ["schema"]
    assert report.json()["entries"] == 1
    refused = holdfast("record", "decision", "--data", json.dumps(data_for("decision")))
    assert refused.code == 2
    assert "schema" in refused.err
    shown = holdfast("log", "--json")
    assert len(shown.out.splitlines()) == 1
    assert "schema" in shown.err


def test_verify_finds_a_ledger_that_was_cut_back(holdfast: Holdfast) -> None:
    for n in range(3):
        holdfast.record("decision", n)
    kept = holdfast("status", "--json").json()
    fits = f"{kept['entries']}:{kept['root']}"
    assert holdfast("verify", "--expect", fits).code == 0
    longer = holdfast("verify", "--expect", f"4:{kept['root']}", "--json")
    assert longer.code == 1
    assert [fault["kind"] for fault in longer.json()["faults"]] == ["expected"]
    assert holdfast("verify", "--expect", f"2:{kept['root']}").code == 1
    assert holdfast("verify", "--expect", "many").code == 2


@pytest.mark.req("X8")
def test_status_says_what_is_there(holdfast: Holdfast) -> None:
    empty = holdfast.process("status", "--json").json()
    assert (empty["entries"], empty["last_entry"]) == (0, None)
    holdfast.record("session_started", 0, "--session", "open-one")
    holdfast.record("session_started", 1, "--session", "closed-one")
    holdfast.record("session_ended", 2, "--session", "closed-one")
    status = holdfast("status", "--json").json()
    newest = holdfast.entries()[-1]
    assert status["entries"] == 3
    assert status["last_entry"] == {
        "seq": 2,
        "type": "session_ended",
        "timestamp": newest["timestamp"],
    }
    assert status["sessions_open"] == ["open-one"]
    assert status["project"] == str(holdfast.folder)
    assert status["bytes"]["database"] == holdfast.database.stat().st_size
    assert status["bytes"]["wal"] > 0


@pytest.mark.req("X8")
def test_the_ledger_is_private(holdfast: Holdfast) -> None:
    holdfast.record()
    folder = holdfast.database.parent
    assert oct(folder.stat().st_mode)[-3:] == "700"
    found = {path: oct(path.stat().st_mode)[-3:] for path in folder.rglob("*")}
    assert found == {path: "700" if path.is_dir() else "600" for path in found}
    names = {path.name for path in found}
    assert {"ledger.db", "ledger.db-wal", "ledger.key", "ledger.lock", ".gitignore"} <= names


@pytest.mark.lesson("P9")
def test_processes_of_one_session_share_it(holdfast: Holdfast) -> None:
    for n in range(2):
        data = json.dumps(data_for("decision", n))
        args = ("record", "decision", "--data", data)
        assert holdfast.process(*args, HOLDFAST_SESSION="s-7").code == 0
    holdfast.record("decision", 2)
    assert [entry["seq"] for entry in holdfast.entries("--session", "s-7")] == [0, 1]
    assert holdfast.entries()[2]["session_id"] is None


def test_the_named_session_counts_more_than_the_environment(holdfast: Holdfast) -> None:
    data = json.dumps(data_for("decision"))
    args = ("record", "decision", "--data", data, "--session", "named")
    assert holdfast(*args, HOLDFAST_SESSION="other").code == 0
    assert holdfast.entries()[0]["session_id"] == "named"


@pytest.mark.lesson("N12")
def test_a_secret_is_in_no_file(holdfast: Holdfast) -> None:
    canary, harmless = "ghp_" + "q9Z8" * 9, "harmless-marker-4711"
    answer = holdfast.record("error", 0, message=f"token {canary} {harmless}")
    data = json.dumps(data_for("error", 1, message=canary * 2000))
    assert holdfast.process("record", "error", "--data", "-", stdin=data.encode()).code == 0
    contents = {file: file.read_bytes() for file in holdfast.folder.rglob("*") if file.is_file()}
    assert answer["redactions"] == 1
    assert [file for file, content in contents.items() if canary.encode() in content] == []
    assert [file for file, content in contents.items() if harmless.encode() in content] != []
    assert canary not in holdfast("log").text + holdfast("show", "0").text


def test_the_ledger_of_the_project_is_found_from_below(holdfast: Holdfast) -> None:
    below = holdfast.folder / "a" / "b"
    below.mkdir(parents=True)
    holdfast.record()
    assert holdfast("-C", below, "status", "--json").json()["entries"] == 1
    elsewhere = holdfast("-C", holdfast.home, "status")
    assert elsewhere.code == 2
    assert "holdfast init" in elsewhere.err


def test_a_ledger_can_be_named(holdfast: Holdfast) -> None:
    holdfast.record()
    away = ("-C", holdfast.home)
    by_option = holdfast(*away, "--ledger", holdfast.folder, "status", "--json")
    by_variable = holdfast(*away, "status", "--json", HOLDFAST_LEDGER=str(holdfast.database))
    assert by_option.json()["entries"] == 1
    assert by_variable.json() == by_option.json()


def test_an_error_is_one_object_for_scripts(holdfast: Holdfast) -> None:
    done = holdfast("show", "7", "--json")
    assert done.code == 1
    error = done.json()["error"]
    assert sorted(error) == ["kind", "meaning", "remedy", "what"]
    assert error["kind"] == "NotFound"
    assert error["what"] in done.err
    assert holdfast("show", "no-such-id").code == 1
    assert holdfast("show", "9" * 30).code == 1


@pytest.mark.req("P2")
def test_what_is_large_or_odd_goes_to_the_vault_and_comes_back(holdfast: Holdfast) -> None:
    long = "x" * 40_000
    data = data_for("decision", 0, reasoning=long, weight=2**70, half="\ud800", **{"$artifact": 1})
    holdfast("record", "decision", "--data", "-", stdin=json.dumps(data).encode())
    stored = holdfast("show", "0", "--json").json()
    both = holdfast("show", "0", "--full", "--json").json()
    assert stored["data"]["reasoning"]["bytes"] == 40_000
    assert "2^53" in stored["data"]["weight"]["why"]
    assert "surrogate" in stored["data"]["half"]["why"]
    assert both == {"entry": stored, "data": data}
    assert long in holdfast("show", "0", "--full").text
    assert "40,000 bytes in the vault" in holdfast("show", "0").text
