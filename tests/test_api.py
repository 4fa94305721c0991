"""What `import holdfast` promises, proved through it and, where it matters, from outside."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import apsw
import pytest

import holdfast
from holdfast.kernel import merkle
from holdfast.kernel.types import TYPES
from holdfast.testing import data_for
from holdfast.wiring.looking import open_reader
from tests.storage import databases
from tests.storage.test_sqlite_cost import steps

PRISM = ("decision", "file_change", "checkpoint", "error", "metric", "compression")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@pytest.fixture
def ledger(project: Path) -> Iterator[holdfast.Ledger]:
    with holdfast.open(project) as ledger:
        yield ledger


def only(ledger: holdfast.Ledger, seq: int) -> holdfast.Entry:
    return next(ledger.read(holdfast.Selection(seq, seq + 1)))


# P1: what an entry is


@pytest.mark.req("P1")
def test_an_entry_has_the_protocols_fields_and_the_hash_of_its_data(
    ledger: holdfast.Ledger,
) -> None:
    receipt = ledger.append("decision", data_for("decision"), session_id="SESSION-1")
    body = json.loads(ledger.get(receipt.seq).body)
    assert {"id", "timestamp", "type", "session_id", "data", "hash"} <= body.keys()
    assert (receipt.id, "decision", "SESSION-1") == (body["id"], body["type"], body["session_id"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", body["timestamp"])
    spelled = json.dumps(body["data"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert sha256(spelled.encode()).hexdigest() == body["hash"] == receipt.hash


@pytest.mark.req("P1")
def test_other_data_has_another_hash(ledger: holdfast.Ledger) -> None:
    hashes = [ledger.append("decision", data_for("decision", n)).hash for n in (0, 1, 0)]
    assert hashes[0] == hashes[2] != hashes[1]


# P2: the six types


@pytest.mark.req("P2")
@pytest.mark.parametrize("name", PRISM)
def test_a_type_of_the_protocol_is_recorded_whole_with_unknown_fields(
    ledger: holdfast.Ledger, name: str
) -> None:
    extra = {"mine": [0, None, {"deep": ["é", 0.5, False]}], "": "", "$artifact": "mine too"}
    data = {**data_for(name), **extra}
    seq = ledger.append(name, data).seq
    assert data == ledger.data(only(ledger, seq))


@pytest.mark.req("P2")
@pytest.mark.parametrize(
    ("name", "field"), [(name, field) for name in PRISM for field in data_for(name)]
)
def test_a_missing_or_ill_typed_field_is_refused_by_name_and_records_nothing(
    ledger: holdfast.Ledger, name: str, field: str
) -> None:
    lacking = {key: value for key, value in data_for(name).items() if key != field}
    attempts = [{**lacking, field: {"not": "this"}}]
    if (name, field) != ("decision", "confidence"):
        attempts.append(lacking)
    if field in ("components", "summary", "restore_index"):
        attempts[0] = {**lacking, field: "not this"}
    for data in attempts:
        with pytest.raises(holdfast.InvalidInput, match=field):
            ledger.append(name, data)
    assert ledger.head().size == 0
    assert ledger.append(name, data_for(name)).seq == 0


@pytest.mark.req("P2")
def test_a_type_that_is_not_in_the_registry_is_refused(ledger: holdfast.Ledger) -> None:
    with pytest.raises(holdfast.InvalidInput, match="Did you mean 'checkpoint'"):
        ledger.append("checkpiont", {})
    assert ledger.head().size == 0


@pytest.mark.req("P2")
@pytest.mark.parametrize(
    "odd",
    [
        10**40,
        1e300,
        "lone \ud800",
        {"\udfff": 1},
        holdfast.RawJSON(b'{"a": 1, "a": 2}'),
        holdfast.RawJSON(b"\xff not JSON"),
    ],
    ids=ascii,
)
def test_what_canonical_json_cannot_hold_goes_to_the_vault_and_the_entry_says_so(
    ledger: holdfast.Ledger, odd: Any
) -> None:
    seq = ledger.append("error", data_for("error", payload=odd)).seq
    entry = only(ledger, seq)
    reference: Any = entry.value()["payload"]
    content = ledger.artifact(reference["$artifact"])
    assert content is not None
    assert reference["$artifact"] == sha256(content).hexdigest()
    assert reference["why"]
    assert odd == ledger.data(entry)["payload"]
    assert ledger.verify().ok


@pytest.mark.lesson("P8")
def test_zero_is_a_value(ledger: holdfast.Ledger) -> None:
    checkpoint = data_for("checkpoint", completed=0, total=0, decisions_made=0)
    metric = data_for("metric", value=0, threshold=0, passed=False)
    ledger.append("checkpoint", checkpoint)
    ledger.append("metric", metric)
    assert [checkpoint, metric] == [ledger.data(entry) for entry in ledger.read()]


# P3: nothing is ever changed


STATEMENTS = [
    "UPDATE runs SET lines = x'00'",
    "DELETE FROM runs",
    "INSERT OR REPLACE INTO runs SELECT first, last, hashes, x'00' FROM runs LIMIT 1",
    "UPDATE OR REPLACE runs SET (first, last, hashes, lines) = (SELECT * FROM runs LIMIT 1)",
    "UPDATE artifacts SET content = x'00'",
    "DELETE FROM artifacts",
    "INSERT OR REPLACE INTO artifacts SELECT sha256, x'00' FROM artifacts",
]


@pytest.mark.req("P3")
@pytest.mark.parametrize("statement", STATEMENTS)
def test_the_database_refuses_change_and_without_its_guards_verify_finds_it(
    project: Path, statement: str
) -> None:
    with holdfast.open(project) as ledger:
        ledger.append("error", data_for("error", message="x" * 40_000))
        ledger.append_many([holdfast.Draft("error", data_for("error", n)) for n in range(5)])
        before, kept = list(ledger.lines()), (ledger.head().size, ledger.root())
    database = project / ".holdfast" / "ledger.db"
    refused = pytest.raises((apsw.ConstraintError, apsw.SQLError))
    with databases.foreign(database) as connection, refused:
        connection.execute(statement)
    with holdfast.open(project) as ledger:
        assert before == list(ledger.lines())
        assert ledger.verify(expected=kept).ok
    with databases.foreign(database) as connection:
        databases.force(connection, statement)
    with holdfast.open(project) as ledger:
        assert not ledger.verify(expected=kept).ok


@pytest.mark.req("P3")
def test_a_ledger_has_no_verb_that_changes_or_removes(ledger: holdfast.Ledger) -> None:
    verbs = {name for name in dir(ledger) if not name.startswith("_")}
    destructive = re.compile("update|delete|remove|replace|drop|truncate|rewrite|edit|set_|clear")
    assert {"append", "append_many", "read", "verify"} <= verbs
    assert [verb for verb in verbs if destructive.match(verb)] == []


@pytest.mark.lesson("P6")
def test_one_damaged_entry_is_reported_and_every_other_one_is_read(project: Path) -> None:
    with holdfast.open(project) as ledger:
        for n in range(6):
            ledger.append("error", data_for("error", n))
    with databases.foreign(project / ".holdfast" / "ledger.db") as connection:
        databases.force(connection, "UPDATE runs SET lines = x'7b74' WHERE first = 2")
    faults: list[holdfast.Fault] = []
    with holdfast.open(project) as ledger:
        read = [entry.seq for entry in ledger.read(on_damaged=faults.append)]
        assert read == [0, 1, 3, 4, 5]
        assert [fault.seq for fault in faults] == [2]
        report = ledger.verify()
        assert not report.ok
        assert 2 in [fault.seq for fault in report.faults]


# X1, X3: one ledger, and proofs that an outsider can check


@pytest.mark.req("X1")
def test_all_types_and_sessions_are_one_chain_seen_differently(ledger: holdfast.Ledger) -> None:
    names = list(TYPES) * 3
    for n, name in enumerate(names):
        ledger.append(name, data_for(name, n), session_id=f"session {n % 4}", at=n)
    entries = list(ledger.read())
    assert list(range(len(names))) == [entry.seq for entry in entries]
    leaves = ["0" * 64, *(stored.leaf.hex() for stored in ledger.lines())]
    assert leaves[:-1] == [entry.prev for entry in entries]
    by_type = [e for name in TYPES for e in ledger.read(holdfast.Selection(type=name))]
    by_session = [
        e for n in range(4) for e in ledger.read(holdfast.Selection(session_id=f"session {n}"))
    ]
    assert entries == sorted(by_type, key=lambda entry: entry.seq)
    assert entries == sorted(by_session, key=lambda entry: entry.seq)


def outsiders_root(bodies: list[bytes]) -> bytes:
    """Work out a root as RFC 9162 §2.1.1 says, with nothing but SHA-256."""
    if not bodies:
        return sha256(b"").digest()
    if len(bodies) == 1:
        return sha256(b"\x00" + bodies[0]).digest()
    split = 1 << (len(bodies) - 1).bit_length() - 1
    halves = outsiders_root(bodies[:split]) + outsiders_root(bodies[split:])
    return sha256(b"\x01" + halves).digest()


@pytest.mark.req("X3")
def test_the_root_and_the_chain_follow_from_the_bytes_alone(ledger: holdfast.Ledger) -> None:
    ledger.append_many([holdfast.Draft("error", data_for("error", n)) for n in range(300)])
    bodies = [stored.body for stored in ledger.lines()]
    for size in (0, 1, 2, 255, 256, 257, 300):
        assert outsiders_root(bodies[:size]).hex() == ledger.root(size)
    before = "0" * 64
    for body in bodies:
        assert before == json.loads(body)["prev"]
        before = sha256(b"\x00" + body).hexdigest()
    assert before == ledger.head().leaf.hex() == ledger.verify().head


@pytest.mark.req("X3")
def test_inclusion_and_consistency_can_be_proved_to_an_outsider(
    project: Path, ledger: holdfast.Ledger
) -> None:
    receipts = ledger.append_many(
        [holdfast.Draft("error", data_for("error", n)) for n in range(530)]
    )
    reader = open_reader(project)
    old_size, size = 300, 530
    old_root, root = bytes.fromhex(ledger.root(old_size)), bytes.fromhex(ledger.root())
    for index in (0, 255, 256, 529):
        leaf = bytes.fromhex(receipts[index].leaf)
        proof = merkle.inclusion_proof(index, size, reader.node)
        assert merkle.verify_inclusion(leaf, index, size, proof, root)
        assert not merkle.verify_inclusion(leaf, index, size, proof, old_root)
        other = bytes.fromhex(receipts[index - 1].leaf)
        assert not merkle.verify_inclusion(other, index, size, proof, root)
    proof = merkle.consistency_proof(old_size, size, reader.node)
    assert merkle.verify_consistency(old_size, old_root, size, root, proof)
    assert not merkle.verify_consistency(old_size, root, size, root, proof)
    assert not merkle.verify_consistency(old_size - 1, old_root, size, root, proof)
    reader.close()


@pytest.mark.req("X3")
def test_a_rewritten_history_is_found_by_a_root_kept_elsewhere(
    ledger: holdfast.Ledger, tmp_path: Path
) -> None:
    for n in range(5):
        ledger.append("error", data_for("error", n))
    kept = (3, ledger.root(3))
    assert ledger.verify(expected=kept).ok
    with holdfast.open(tmp_path / "forged.db") as forged:
        for n in (0, 1, 9, 3, 4):
            forged.append("error", data_for("error", n))
        assert forged.verify().ok
        assert [fault.kind for fault in forged.verify(expected=kept).faults] == ["expected"]


# Lessons


WRITER = """
import sys, holdfast
from holdfast.testing import data_for
name, count = sys.argv[2], int(sys.argv[3])
sys.stdin.readline()
with holdfast.open(sys.argv[1], session_id="shared") as ledger:
    for n in range(count):
        receipt = ledger.append("error", data_for("error", n, message=f"{name} {n}"))
        print(receipt.seq, receipt.leaf, flush=True)
"""


@pytest.mark.lesson("N11")
def test_eight_processes_append_and_nothing_is_lost(project: Path) -> None:
    count = 40
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(project), f"w{n}", str(count)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for n in range(8)
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    answers = [writer.communicate(timeout=120)[0].split("\n")[:-1] for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * 8
    with holdfast.open(project) as ledger:
        found = {str(entry.seq): ledger.data(entry)["message"] for entry in ledger.read()}
        leaves = {str(stored.seq): stored.leaf.hex() for stored in ledger.lines()}
        session = list(ledger.read(holdfast.Selection(session_id="shared")))
        assert ledger.verify().ok
    assert 8 * count == len(found) == len(session)
    for n, lines in enumerate(answers):
        seqs, acknowledged = zip(*(line.split() for line in lines), strict=True)
        assert [f"w{n} {at}" for at in range(count)] == [found[seq] for seq in seqs]
        assert [leaves[seq] for seq in seqs] == list(acknowledged)


@pytest.mark.lesson("N12")
def test_a_secret_is_found_nowhere_on_disk(project: Path) -> None:
    canary = "ghp_" + "".join(chr(ord("A") + n * 7 % 26) + str(n % 10) for n in range(18))
    places = {
        "message": f"curl -H 'Authorization: Bearer {canary}'",
        "nested": [{"deep": {"token": canary}}],
        "large": f"{'x' * 40_000} {canary}",
        "odd": f"\ud800 {canary}",
        "raw": holdfast.RawJSON(f'{{"a": 1, "a": "{canary}"}}'.encode()),
        "text": holdfast.RawJSON(json.dumps({"key": canary}).encode()),
        "surrogate": {"\udfff": canary},
        f"key {canary}": 1,
    }
    with holdfast.open(project) as ledger:
        receipt = ledger.append("error", {**data_for("error"), **places})
        for name, value in places.items():
            alone = ledger.append("error", {**data_for("error"), name: value})
            assert alone.redactions >= 1, name
        control = ledger.append("error", data_for("error", message="a harmless canary"))
        assert receipt.redactions >= len(places)
        assert control.redactions == 0
        assert "[REDACTED:" in json.dumps(ledger.data(only(ledger, receipt.seq)), default=repr)
    content = b"".join(path.read_bytes() for path in project.rglob("*") if path.is_file())
    assert canary.encode() not in content
    assert b"a harmless canary" in content


@pytest.mark.lesson("N12")
def test_a_named_secret_is_redacted_even_where_json_cannot_hold_it(project: Path) -> None:
    secret = "Tr0ub4dor&3-horse\ud800"
    with holdfast.open(project) as ledger:
        seq = ledger.append("error", data_for("error", env={"password": secret})).seq
        assert "Tr0ub4dor" not in repr(ledger.data(only(ledger, seq)))
    content = b"".join(path.read_bytes() for path in project.rglob("*") if path.is_file())
    assert b"Tr0ub4dor" not in content


@pytest.mark.lesson("P7")
@pytest.mark.parametrize("name", ["error", "checkpoint"])
def test_the_cost_of_an_append_does_not_grow_with_the_log(
    ledger: holdfast.Ledger, name: str
) -> None:
    """Measured in steps of the database's machine, which no clock disturbs."""
    engine: Any = ledger._engine

    def cost() -> int:
        return steps(engine, lambda: [ledger.append(name, data_for(name)) for _ in range(64)])

    fill = [holdfast.Draft("error", data_for("error", n)) for n in range(5_000)]
    ledger.append_many(fill[:640])
    small = cost()
    ledger.append_many(fill)
    ledger.append_many(fill[: 10_240 - ledger.head().size])
    assert cost() < small * 1.25


def test_the_same_id_is_recorded_once_across_processes(project: Path) -> None:
    script = (
        "import sys, holdfast\n"
        "from holdfast.testing import data_for\n"
        "with holdfast.open(sys.argv[1]) as ledger:\n"
        "    print(ledger.append('error', data_for('error'), id='once').duplicate)\n"
    )
    answers = [
        subprocess.run(
            [sys.executable, "-c", script, str(project)], check=True, capture_output=True, text=True
        ).stdout.strip()
        for _ in range(2)
    ]
    assert answers == ["False", "True"]
    with holdfast.open(project) as ledger:
        assert ledger.head().size == 1


def test_opening_a_ledger_leaves_no_process_and_no_thread(project: Path) -> None:
    script = (
        "import os, sys, threading, holdfast\n"
        "from holdfast.testing import data_for\n"
        "with holdfast.open(sys.argv[1]) as ledger:\n"
        "    ledger.append('error', data_for('error'))\n"
        "    ledger.verify()\n"
        "assert 1 == threading.active_count()\n"
        "try:\n"
        "    os.waitpid(-1, os.WNOHANG)\n"
        "except ChildProcessError:\n"
        "    print('alone')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(project)], check=True, capture_output=True, text=True
    )
    assert done.stdout == "alone\n"
