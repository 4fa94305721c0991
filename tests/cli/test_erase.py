from __future__ import annotations

import json

import pytest

from tests.cli.harness import Holdfast

LARGE = "plover " * 6000


def record_large(holdfast: Holdfast, text: str = LARGE) -> str:
    seq = holdfast.record("decision", 0, "--session", "s1", reasoning=text)["seq"]
    entry = holdfast("show", str(seq), "--json").json()
    found: str = entry["data"]["reasoning"]["$artifact"]
    return found


@pytest.mark.req("X8")
@pytest.mark.parametrize("sealed", [False, True])
def test_the_bytes_go_and_the_chain_still_proves(holdfast: Holdfast, sealed: bool) -> None:
    sha256 = record_large(holdfast)
    if sealed:
        assert holdfast("seal", "--keep", "0").code == 0
    before = holdfast("log", "--json").out
    answer = holdfast("erase", sha256[:8], "--reason", "a customer asked", "--yes", "--json").json()
    [erased] = answer["erased"]
    assert erased["sha256"] == sha256
    assert erased["bytes"] == len(LARGE)
    assert erased["named_by"] == [0]
    assert erased["packs"] == int(sealed)
    assert "Backups" in answer["note"]
    assert holdfast("log", "--json").out.startswith(before)
    note = holdfast("show", str(erased["seq"]), "--json").json()
    assert note["type"] == "artifact_erased"
    assert note["data"]["reason"] == "a customer asked"
    assert holdfast("verify").code == 0
    for path in (holdfast.folder / ".holdfast").rglob("*"):
        assert not path.is_file() or b"plover" not in path.read_bytes(), path.name


def test_it_is_found_no_more(holdfast: Holdfast) -> None:
    sha256 = record_large(holdfast)
    found = holdfast("search", "plover", "--json").out.splitlines()
    assert json.loads(found[-1])["hits"] == 1
    holdfast("erase", sha256, "--yes")
    found = holdfast("search", "plover", "--json").out.splitlines()
    assert json.loads(found[-1])["hits"] == 0


def test_show_says_what_was_erased(holdfast: Holdfast) -> None:
    sha256 = record_large(holdfast)
    holdfast("erase", "0", "--yes")
    shown = holdfast("show", "0", "--full")
    assert shown.code == 0
    assert f"(42,000 bytes, {sha256[:12]}, were erased)" in shown.text
    data = holdfast("show", "0", "--full", "--json").json()["data"]
    assert data["reasoning"]["erased"] is True
    assert data["choice"] == "Way 0"


def test_nobody_to_ask_needs_yes(holdfast: Holdfast) -> None:
    sha256 = record_large(holdfast)
    done = holdfast("erase", sha256, "--json")
    assert done.code == 2
    assert f"{sha256}  42,000 bytes, part of entry 0" in done.err
    assert "nobody to ask" in done.err
    assert holdfast("show", "0", "--full").text.count("plover") > 100


@pytest.mark.parametrize(("answer", "code"), [(b"n\n", 1), (b"\n", 1), (b"y\n", 0)])
def test_somebody_who_is_there_is_asked(
    holdfast: Holdfast, monkeypatch: pytest.MonkeyPatch, answer: bytes, code: int
) -> None:
    monkeypatch.setattr("holdfast.cli.commands.erase._somebody_is_there", lambda: True)
    sha256 = record_large(holdfast)
    done = holdfast("erase", sha256, stdin=answer)
    assert done.code == code
    assert "Drop the bytes of this artifact for good?" in done.err
    assert ("plover" in holdfast("show", "0", "--full").text) == (code == 1)


def test_entries_themselves_are_never_erased(holdfast: Holdfast) -> None:
    holdfast.record("decision", 0)
    done = holdfast("erase", "0", "--yes")
    assert done.code == 1
    assert "Entries themselves never are" in done.err
    assert len(holdfast.entries()) == 1


@pytest.mark.parametrize("key", ["f" * 64, "abcdef0", "nothing", "17"])
def test_what_is_not_there_is_no(holdfast: Holdfast, key: str) -> None:
    record_large(holdfast)
    done = holdfast("erase", key, "--yes", "--json")
    assert (done.code, done.json()["error"]["kind"]) == (1, "NotFound")


def test_again_is_harmless(holdfast: Holdfast) -> None:
    sha256 = record_large(holdfast)
    assert holdfast("erase", sha256, "--yes").code == 0
    again = holdfast("erase", sha256, "--yes")
    assert again.code == 0
    assert "erased before" in again.err
    assert holdfast("verify").code == 0


def test_a_blank_reason_is_refused(holdfast: Holdfast) -> None:
    sha256 = record_large(holdfast)
    assert holdfast("erase", sha256, "--yes", "--reason", " ").code == 2
    assert "plover" in holdfast("show", "0", "--full").text


def record_long_prompt(holdfast: Holdfast) -> None:
    holdfast("session", "start", "--session", "s1")
    data = json.dumps({"text": "canaryword " + "q" * 60_000})
    holdfast("record", "prompt_given", "--data", "-", "--session", "s1", stdin=data.encode())


def quoting(holdfast: Holdfast) -> list[str]:
    lines = holdfast("search", "canaryword", "--json").out.splitlines()[:-1]
    return [json.loads(line)["type"] for line in lines]


def test_no_checkpoint_and_no_note_of_a_seal_keeps_words_of_it(holdfast: Holdfast) -> None:
    record_long_prompt(holdfast)
    holdfast("checkpoint", "--session", "s1")
    holdfast("session", "end", "--session", "s1")
    holdfast("seal", "--keep", "0")
    assert quoting(holdfast) == ["prompt_given"]
    assert "canaryword" in holdfast("show", "1", "--full").text
    assert holdfast("erase", "1", "--yes").code == 0
    assert quoting(holdfast) == []
    kinds = [entry["type"] for entry in holdfast.entries()]
    assert {"checkpoint", "compression"} <= set(kinds)
    assert b"canaryword" not in json.dumps(holdfast.entries()).encode()
    assert holdfast("verify").code == 0


def test_it_is_told_that_entries_keep_what_they_quote(holdfast: Holdfast) -> None:
    """An earlier version's checkpoint may hold the beginning of it, and no entry ever changes."""
    record_long_prompt(holdfast)
    holdfast("checkpoint", "--session", "s1", "--task", "canaryword qqq, as versions before did")
    done = holdfast("erase", "1", "--yes")
    assert done.code == 0, done.err
    assert "keep what they quote" in done.text
    assert quoting(holdfast) == ["checkpoint"]
    assert holdfast("verify").code == 0
