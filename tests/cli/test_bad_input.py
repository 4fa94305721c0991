"""Bad input: a clear error that names it, exit 2, and nothing recorded or half written."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

import holdfast as api
from holdfast.kernel.limits import JSON_DEPTH_MAX
from holdfast.storage.sqlite.connection import FORMAT
from holdfast.testing.builders import data_for
from tests.cli.harness import Holdfast

VALID = json.dumps(data_for("metric", 1))


@pytest.mark.parametrize(
    ("data", "named"),
    [
        ('{"name": "\udcff"}', "not UTF-8 at byte 10"),
        ("\ufeff{}", "byte order mark"),
        ('{"a": 1, "a": 2}', "$.a appears twice"),
        ('{"value": NaN}', "NaN"),
        ('{"value": -Infinity}', "Infinity"),
        ('{"value": 1e999}', "too large"),
        ("[" * 100_000, f"deeper than {JSON_DEPTH_MAX}"),
        ('{"a":' * 100 + "1" + "}" * 100, f"deeper than {JSON_DEPTH_MAX}"),
        ("", "line 1, column 1"),
        ("{} {}", "column 4"),
        ("[1]", "an array, not an object"),
        ("null", "null, not an object"),
        ('"x"', "a string, not an object"),
        ("7", "a number, not an object"),
        ("true", "a truth value, not an object"),
        ("@no/such/file", "no/such/file cannot be read"),
        ("@.", "cannot be read"),
    ],
)
def test_data_that_cannot_be_read(holdfast: Holdfast, data: str, named: str) -> None:
    done = holdfast("record", "metric", "--data", data, "--json")
    assert done.code == 2
    assert named in done.err
    assert done.json()["error"]["kind"] == "InvalidInput"
    assert holdfast.entries() == []


def test_bytes_that_are_not_utf8_on_the_command_line(holdfast: Holdfast) -> None:
    done = holdfast.process("record", "metric", "--data", os.fsdecode(b'{"name":"\xff"}'))
    assert done.code == 2
    assert "not UTF-8 at byte 9" in done.err
    assert holdfast.entries() == []


@pytest.mark.parametrize("source", ["file", "stdin"])
def test_100_megabytes_are_not_even_read(holdfast: Holdfast, source: str) -> None:
    big = holdfast.home / "big.json"
    with big.open("wb") as file:
        file.truncate(100 * 1024 * 1024)
    if source == "file":
        done = holdfast.process("record", "metric", "--data", f"@{big}")
    else:
        done = holdfast("record", "metric", "--data", "-", stdin=big.read_bytes())
    assert done.code == 2
    assert "more than 67,108,864 bytes" in done.err
    assert holdfast.entries() == []


@pytest.mark.req("P2")
def test_each_type_is_recorded_with_the_fields_of_the_seed(holdfast: Holdfast) -> None:
    types = ["decision", "file_change", "checkpoint", "error", "metric", "compression"]
    given = [data_for(name, n, extra={"kept": [n, None, "ü"]}) for n, name in enumerate(types)]
    for name, data in zip(types, given, strict=True):
        assert holdfast("record", name, "--data", json.dumps(data)).code == 0
    assert [(entry["type"], entry["data"]) for entry in holdfast.entries()] == list(
        zip(types, given, strict=True)
    )


@pytest.mark.req("P2")
@pytest.mark.parametrize(
    "type_name", ["decision", "file_change", "checkpoint", "error", "metric", "compression"]
)
def test_a_missing_field_is_named(holdfast: Holdfast, type_name: str) -> None:
    whole = data_for(type_name)
    for field in whole.keys() - {"confidence"}:
        data = json.dumps({name: value for name, value in whole.items() if name != field})
        done = holdfast("record", type_name, "--data", data)
        assert done.code == 2
        assert f"`{field}`" in done.err
    assert holdfast.entries() == []


@pytest.mark.req("P2")
def test_an_ill_typed_field_is_named(holdfast: Holdfast) -> None:
    done = holdfast("record", "metric", "--data", json.dumps(data_for("metric", passed="yes")))
    assert done.code == 2
    assert "$.passed" in done.err
    assert holdfast.entries() == []


@pytest.mark.lesson("P8")
def test_zero_is_a_value(holdfast: Holdfast) -> None:
    holdfast.record("checkpoint", 0, completed=0, total=0)
    holdfast.record("metric", 0, value=0, threshold=0, passed=False)
    checkpoint, metric = (entry["data"] for entry in holdfast.entries())
    assert (checkpoint["completed"], checkpoint["total"]) == (0, 0)
    assert (metric["threshold"], metric["passed"]) == (0, False)
    assert "0 (threshold 0, passed no)" in holdfast("log").text


@pytest.mark.lesson("P8")
def test_less_than_zero_is_refused(holdfast: Holdfast) -> None:
    data = json.dumps(data_for("checkpoint", completed=-1))
    done = holdfast("record", "checkpoint", "--data", data)
    assert done.code == 2
    assert "completed" in done.err
    assert holdfast.entries() == []


def test_an_unknown_type_is_refused_with_the_nearest(holdfast: Holdfast) -> None:
    done = holdfast("record", "decison", "--data", VALID)
    assert done.code == 2
    assert "Did you mean 'decision'?" in done.err
    assert holdfast.entries() == []


@pytest.mark.parametrize(
    "args",
    [
        ("record", "metric"),
        ("record", "metric", "--data", VALID, "--actor-kind", "god"),
        ("record", "metric", "--data", VALID, "--session", " "),
        ("record", "metric", "--data", VALID, "--id", "a\nb"),
        ("record", "metric", "--data", VALID, "--actor", ""),
        ("recrod",),
        ("log", "-n", "0"),
        ("log", "--from", "-1"),
        ("log", "--to", "9" * 30),
        ("show",),
        ("-C", "no-such-folder", "log"),
        ("--ledger", "no-such-folder/x.db", "log"),
    ],
)
def test_misuse_is_an_error_in_words(holdfast: Holdfast, args: tuple[str, ...]) -> None:
    done = holdfast(*args)
    assert done.code == 2
    assert done.err.startswith("holdfast: ")
    assert "Traceback" not in done.err
    assert holdfast.entries() == []


def _text(database: Path) -> None:
    database.write_text("this is a diary\n" * 1000)


def _another_database(database: Path) -> None:
    connection = apsw.Connection(str(database))
    connection.execute("CREATE TABLE diary (day)")
    connection.close()


def _empty(database: Path) -> None:
    database.write_bytes(b"")


def _cut(database: Path) -> None:
    os.truncate(database, database.stat().st_size // 2)


DAMAGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "text": (_text, "is not a database"),
    "empty": (_empty, "not a holdfast ledger"),
    "another": (_another_database, "not a holdfast ledger"),
    "cut": (_cut, "is damaged"),
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_file_that_is_no_whole_ledger_is_left_alone(holdfast: Holdfast, kind: str) -> None:
    damage, named = DAMAGES[kind]
    for n in range(3):
        holdfast.record("error", n, message="x" * 9000)
    file = holdfast.home / "x.db"
    if kind == "cut":
        assert holdfast("backup", file).code == 0
    damage(file)
    before = file.read_bytes()
    for args in (("log",), ("status",), ("record", "metric", "--data", VALID), ("backup", "y.db")):
        done = holdfast("--ledger", file, *args)
        assert done.code == 2
        assert named in done.err
    assert file.read_bytes() == before
    assert not (holdfast.folder / "y.db").exists()
    assert not (holdfast.home / "x.key").exists()


def test_verify_reports_a_database_that_was_cut_short(holdfast: Holdfast) -> None:
    for n in range(3):
        holdfast.record("error", n, message="x" * 9000)
    file = holdfast.home / "x.db"
    holdfast("backup", file)
    _cut(file)
    done = holdfast("--ledger", file, "verify", "--json")
    assert done.code == 1
    assert (done.json()["ok"], done.json()["faults"][0]["kind"]) == (False, "database")


def test_a_newer_format_is_left_alone(holdfast: Holdfast) -> None:
    holdfast.record()
    holdfast.sql("PRAGMA user_version = 99")
    for args in (("log",), ("verify",), ("record", "metric", "--data", VALID)):
        done = holdfast(*args)
        assert done.code == 2
        assert "format 99" in done.err
    holdfast.sql(f"PRAGMA user_version = {FORMAT}")
    assert len(holdfast.entries()) == 1


@pytest.mark.parametrize("folder", ["/sys/holdfast", "/proc/holdfast", "/dev/null/holdfast"])
def test_a_folder_that_cannot_be_written(bare: Holdfast, folder: str) -> None:
    done = bare("init", folder)
    assert done.code == 2
    assert f"cannot be made in {folder}" in done.err


def test_a_database_that_is_replaced_while_open_is_noticed(holdfast: Holdfast) -> None:
    holdfast.record()
    other = holdfast.home / "other.db"
    assert holdfast("backup", other).code == 0
    with api.open(holdfast.folder) as ledger:
        ledger.append("metric", data_for("metric", 1))
        aside = holdfast.database.rename(holdfast.home / "aside.db")
        shutil.copy(other, holdfast.database)
        with pytest.raises(api.StorageFailed, match="replaced by another file"):
            ledger.append("metric", data_for("metric", 2))
    assert aside.exists()
    assert [line for line in holdfast.entries() if line["data"] == data_for("metric", 2)] == []


def test_a_ledger_that_others_keep_is_busy_for_as_long_as_the_settings_say(
    holdfast: Holdfast,
) -> None:
    holdfast.settings.write_text("[lock]\nwait_s = 0\n")
    with holdfast.database.with_suffix(".lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = holdfast("record", "metric", "--data", VALID)
    assert done.code == 2
    assert "more than 0 s" in done.err
    assert holdfast.entries() == []
    assert holdfast("record", "metric", "--data", VALID).code == 0


@pytest.mark.lesson("L4")
@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[recrod]\nactor = 'x'\n", "'record.actor'"),
        ("[record]\nwait_s = 3\n", "'lock.wait_s'"),
        ("[record]\nactor = 3\n", "Expected `str`, got `int`"),
        ("[redaction]\nentropy = false\n", "only the user's own settings"),
        ("[record\n", "is not TOML"),
    ],
)
def test_settings_that_cannot_be_used(holdfast: Holdfast, text: str, named: str) -> None:
    holdfast.settings.write_text(text)
    done = holdfast("record", "metric", "--data", VALID)
    assert done.code == 2
    assert named in done.err
    assert str(holdfast.settings) in done.err
    assert holdfast.entries() == []


@pytest.mark.lesson("L4")
def test_settings_that_can_be_used_are(holdfast: Holdfast) -> None:
    holdfast.settings.write_text(
        "[record]\nactor = 'builder'\n[redaction]\nsecret_names = ['nickname']\n"
    )
    answer = holdfast.record("error", 0, context="nickname=Rumpelstilzchen-7713")
    entry = holdfast.entries()[0]
    assert entry["actor"] == {"kind": "user", "name": "builder"}
    assert answer["redactions"] == 1
    assert "Rumpelstilzchen" not in json.dumps(entry)
