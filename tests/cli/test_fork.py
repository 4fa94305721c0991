"""`holdfast fork`: what contradicts what, holding a claim against it, and ruling on it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdfast.ledger.forks import fork_id
from holdfast.testing import data_for
from holdfast.wiring.opening import open_ledger
from tests.cli.harness import Holdfast, Result

CODE = "LIMIT = 10\n"
EXACT = "`LIMIT = 10` [${PROJECT_ROOT}/limits.py:1]"
WRONG = "`LIMIT = 20` [${PROJECT_ROOT}/limits.py:1]"


def decide(holdfast: Holdfast, what: str, *args: str) -> Any:
    about = () if "--about" in args else ("--about", "session store")
    return holdfast("decide", what, "--because", "b", "--json", *about, *args).json()


def forked(holdfast: Holdfast) -> tuple[str, str, str]:
    """Return the ids of two decisions and of the fork between them."""
    first = decide(holdfast, "Keep sessions in Redis")
    second = decide(holdfast, "Keep sessions in SQLite", "--actor-kind", "agent")
    return first["id"], second["id"], second["forks"][0]["fork"]


def resolve(holdfast: Holdfast, fork: str, ruling: str, *args: str) -> Result:
    return holdfast("fork", "resolve", fork, "--ruling", ruling, "--because", "so it is", *args)


def current(holdfast: Holdfast) -> list[str]:
    ended = {
        key
        for entry in holdfast.entries("--type", "decision")
        for key in entry["data"].get("supersedes", [])
    }
    return [
        entry["data"]["choice"]
        for entry in holdfast.entries("--type", "decision")
        if entry["id"] not in ended
    ]


def test_without_a_fork_the_list_is_empty_and_exits_0(holdfast: Holdfast) -> None:
    done = holdfast("fork", "list")
    assert (done.code, done.text) == (0, "")
    assert "No fork is open." in done.err


@pytest.mark.req("L2")
def test_open_forks_are_listed_with_both_sides_and_exit_1(holdfast: Holdfast) -> None:
    first, second, fork = forked(holdfast)
    done = holdfast("fork", "list", "--json")
    assert done.code == 1
    row = done.json()
    assert (row["fork"], row["decision"], row["against_decision"]) == (fork, second, first)
    assert (row["statement"], row["against"]) == (
        "Keep sessions in SQLite",
        "Keep sessions in Redis",
    )
    assert row["open"] is True
    assert fork in holdfast("fork", "list").text


@pytest.mark.lesson("N15")
def test_forks_that_are_not_listed_are_counted(holdfast: Holdfast) -> None:
    for place in ("Redis", "SQLite", "PostgreSQL"):
        decide(holdfast, f"Keep sessions in {place}")
    done = holdfast("fork", "list", "-n", "1")
    assert "2 older forks are not shown; -n 3 shows all." in done.err


def test_show_gives_one_fork_by_the_beginning_of_its_id(holdfast: Holdfast) -> None:
    _, _, fork = forked(holdfast)
    assert holdfast("fork", "show", fork[5:10], "--json").json()["fork"] == fork
    text = holdfast("fork", "show", fork).text
    assert "Keep sessions in Redis" in text
    assert "outranks" in text
    missing = holdfast("fork", "show", "fork-nope")
    assert missing.code == 1
    assert "There is no fork 'fork-nope'" in missing.err


@pytest.mark.req("L2")
@pytest.mark.parametrize(
    ("ruling", "stays"),
    [("agent wrong", "Keep sessions in Redis"), ("ledger outdated", "Keep sessions in SQLite")],
)
def test_a_ruling_is_a_decision_that_ends_the_losing_side(
    holdfast: Holdfast, ruling: str, stays: str
) -> None:
    first, second, fork = forked(holdfast)
    done = resolve(holdfast, fork, ruling, "--json")
    assert done.code == 0, done.err
    decision, resolved = holdfast.entries()[-2:]
    assert (decision["type"], resolved["type"]) == ("decision", "fork_resolved")
    loser, winner = (second, first) if ruling == "agent wrong" else (first, second)
    assert decision["data"]["supersedes"] == [loser, winner]
    assert decision["data"]["cites"] == [winner]
    assert decision["data"]["choice"] == stays
    assert resolved["data"] == {
        **{"fork": fork, "ruling": ruling},
        **{"because": "so it is", "decision": decision["id"]},
    }
    assert decision["timestamp"] == resolved["timestamp"]
    assert current(holdfast) == [stays]
    assert holdfast("fork", "list").code == 0
    assert holdfast("fork", "check", "--all").code == 0
    assert holdfast("ground", decision["id"], "--assumption").code == 0
    assert holdfast("ground", "--all").code == 0


@pytest.mark.req("L2")
def test_compatible_leaves_both_standing(holdfast: Holdfast) -> None:
    _, _, fork = forked(holdfast)
    assert resolve(holdfast, fork, "compatible").code == 0
    assert len(current(holdfast)) == 2
    assert holdfast("fork", "list").code == 0
    shown = holdfast("fork", "show", fork, "--json").json()
    assert (shown["open"], shown["ruling"], shown["because"]) == (False, "compatible", "so it is")


def test_what_is_settled_is_not_ruled_on_again(holdfast: Holdfast) -> None:
    _, _, fork = forked(holdfast)
    resolve(holdfast, fork, "compatible")
    size = len(holdfast.entries())
    done = resolve(holdfast, fork, "agent wrong")
    assert done.code == 2
    assert "is settled: compatible" in done.err
    assert len(holdfast.entries()) == size


@pytest.mark.parametrize(
    "args",
    [
        ("resolve", "x", "--ruling", "maybe", "--because", "b"),
        ("resolve", "x", "--ruling", "compatible", "--because", " "),
        ("resolve", "x", "--ruling", "compatible"),
        ("check", "a claim"),
        ("check", " ", "--about", "x"),
        ("check",),
        ("check", "a claim", "--about", "x", "--all"),
        ("check", "--all", "--about", "x"),
    ],
)
def test_misuse_exits_2(holdfast: Holdfast, args: tuple[str, ...]) -> None:
    assert holdfast("fork", *args).code == 2
    assert holdfast.entries() == []


@pytest.mark.req("L7")
def test_a_ruling_rests_on_what_the_side_that_stays_was_proved_by(holdfast: Holdfast) -> None:
    (holdfast.folder / "limits.py").write_text(CODE)
    decide(holdfast, "Keep sessions in Redis", "--evidence", EXACT)
    decide(holdfast, "Keep sessions in SQLite")
    fork = holdfast("fork", "list", "--json").json()["fork"]
    (holdfast.folder / "limits.py").write_text("LIMIT = 99\n")
    answer = resolve(holdfast, fork, "agent wrong", "--json").json()
    assert answer["grounded"] is True
    first, last = (holdfast("show", key, "--json").json()["data"] for key in ("0", answer["id"]))
    assert last["grounds"] == first["grounds"]
    assert holdfast("verify").code == 0


@pytest.mark.req("L1")
@pytest.mark.parametrize("ruling", ["agent wrong", "ledger outdated"])
def test_against_the_code_it_is_the_decision_that_falls(holdfast: Holdfast, ruling: str) -> None:
    (holdfast.folder / "limits.py").write_text(CODE)
    wrong = decide(holdfast, "The limit is 20", "--about", "limit", "--evidence", WRONG)
    fork = wrong["forks"][0]["fork"]
    answer = resolve(holdfast, fork, ruling, "--json").json()
    assert answer["grounded"] is True
    decision = holdfast.entries("--type", "decision")[-1]["data"]
    assert decision["choice"] == f"The code holds: {EXACT}"
    assert decision["supersedes"] == [wrong["id"]]


def test_what_holds_can_be_put_in_other_words(holdfast: Holdfast) -> None:
    _, _, fork = forked(holdfast)
    resolve(holdfast, fork, "agent wrong", "--choice", "Redis, as the user said", "--assumption")
    decision = holdfast.entries("--type", "decision")[-1]["data"]
    assert decision["choice"] == "Redis, as the user said"
    assert decision["grounds"]["assumption"] is True


@pytest.mark.req("L2")
def test_a_claim_that_contradicts_a_decision_opens_a_fork_once(holdfast: Holdfast) -> None:
    first = decide(holdfast, "Keep sessions in Redis")
    check = ("fork", "check", "Sessions are not kept in Redis", "--about", "session store")
    done = holdfast(*check, "--actor-kind", "agent", "--json")
    assert done.code == 1
    answer = done.json()
    assert answer["ok"] is False
    assert [row["id"] for row in answer["prior"]] == [first["id"]]
    assert answer["forks"][0]["decision"] is None
    assert holdfast(*check, "--actor-kind", "agent", "--json").json()["forks"] == answer["forks"]
    assert len(holdfast.entries("--type", "fork_opened")) == 1


def test_a_claim_that_was_ruled_on_and_comes_again_opens_another_fork(holdfast: Holdfast) -> None:
    decide(holdfast, "Keep sessions in Redis")
    check = ("fork", "check", "Sessions are not kept in Redis", "--about", "session store")
    fork = holdfast(*check, "--json").json()["forks"][0]["fork"]
    resolve(holdfast, fork, "compatible")
    again = holdfast(*check, "--json")
    assert again.code == 1
    assert again.json()["forks"][0]["fork"] != fork


def test_a_claim_that_wins_becomes_a_decision(holdfast: Holdfast) -> None:
    decide(holdfast, "Keep sessions in Redis")
    claim = "Keep sessions in SQLite"
    found = holdfast("fork", "check", claim, "--about", "session store", "--json").json()
    resolve(holdfast, found["forks"][0]["fork"], "ledger outdated")
    assert current(holdfast) == [claim]


@pytest.mark.parametrize(
    ("claim", "about", "said"),
    [
        ("Sessions live in Redis", "session store", "Nothing that was decided contradicts it."),
        ("Keep sessions in SQLite", "colour of the logo", "Nothing was decided about it."),
    ],
)
def test_a_claim_that_contradicts_nothing_exits_0_and_records_nothing(
    holdfast: Holdfast, claim: str, about: str, said: str
) -> None:
    decide(holdfast, "Keep sessions in Redis")
    done = holdfast("fork", "check", claim, "--about", about)
    assert (done.code, done.text.strip()) == (0, said)
    assert len(holdfast.entries()) == 1


@pytest.mark.req("L1")
def test_a_claim_is_held_against_the_code_it_quotes(holdfast: Holdfast) -> None:
    (holdfast.folder / "limits.py").write_text(CODE)
    done = holdfast("fork", "check", "The limit is 20", "--evidence", WRONG, "--json")
    assert done.code == 1
    [fork] = done.json()["forks"]
    assert fork["against"] == EXACT
    assert holdfast("fork", "check", "The limit is 10", "--evidence", EXACT).code == 0


@pytest.mark.req("L2")
def test_superseding_one_side_settles_the_fork(holdfast: Holdfast) -> None:
    first, _, fork = forked(holdfast)
    answer = decide(holdfast, "Keep sessions in SQLite after all", "--supersedes", first)
    assert answer["settled"] == [fork]
    assert holdfast("fork", "list").code == 0


@pytest.mark.req("L2")
def test_what_was_recorded_as_a_plain_entry_is_held_against_the_others_on_request(
    holdfast: Holdfast,
) -> None:
    plain = {"question": "q", "reasoning": "r", "alternatives": [], "subject": "session store"}
    for choice in ("Keep sessions in Redis", "Keep sessions in SQLite", "Name keys by user"):
        data = json.dumps(plain | {"choice": choice})
        assert holdfast("record", "decision", "--data", data).code == 0
    assert holdfast("fork", "list").code == 0
    done = holdfast("fork", "check", "--all", "--json")
    assert done.code == 1
    [fork] = done.json()["forks"]
    assert (fork["statement"], fork["against"]) == (
        "Keep sessions in SQLite",
        "Keep sessions in Redis",
    )
    again = holdfast("fork", "check", "--all", "--json")
    assert (again.code, again.json()) == (0, {"ok": True, "forks": []})
    assert holdfast("fork", "list").code == 1


def append(holdfast: Holdfast, type_name: str, entry_id: str, **changes: Any) -> None:
    """Record what no command would, as the API can and old ledgers may have it."""
    ledger = open_ledger(holdfast.database, create=False)
    ledger.append(type_name, data_for(type_name, **changes), id=entry_id)
    ledger.close()


def squat(holdfast: Holdfast, entry_id: str) -> None:
    """Record something else under the id that a fork, or its ruling, would have."""
    append(holdfast, "prompt_given", entry_id)


@pytest.mark.req("L2")
@pytest.mark.lesson("N2")
def test_a_prompt_with_the_forks_id_hides_no_fork(holdfast: Holdfast) -> None:
    squat(holdfast, fork_id("d2", "d1"))
    decide(holdfast, "Keep sessions in Redis", "--id", "d1")
    second = decide(holdfast, "Keep sessions in SQLite", "--id", "d2")
    fork = second["forks"][0]["fork"]
    assert fork == f"{fork_id('d2', 'd1')}-2"
    assert holdfast("fork", "list", "--json").json()["fork"] == fork
    assert "fork" in holdfast("clear", "--check").text
    assert holdfast("fork", "check", "--all").code == 0
    assert len(holdfast.entries("--type", "fork_opened")) == 1
    assert resolve(holdfast, fork, "agent wrong").code == 0
    assert holdfast("fork", "list").code == 0


@pytest.mark.req("L2")
def test_a_fork_between_plain_entries_is_found_whatever_has_its_id(holdfast: Holdfast) -> None:
    plain = {"question": "q", "reasoning": "r", "alternatives": [], "subject": "session store"}
    for key, place in (("d1", "Redis"), ("d2", "SQLite")):
        data = json.dumps(plain | {"choice": f"Keep sessions in {place}"})
        assert holdfast("record", "decision", "--id", key, "--data", data).code == 0
    squat(holdfast, fork_id("d2", "d1"))
    assert holdfast("fork", "check", "--all").code == 1
    assert holdfast("fork", "check", "--all").code == 0
    assert holdfast("fork", "list").code == 1


@pytest.mark.req("L2")
@pytest.mark.parametrize("ruling", ["agent wrong", "ledger outdated", "compatible"])
def test_a_prompt_with_the_rulings_id_keeps_no_fork_open(holdfast: Holdfast, ruling: str) -> None:
    _, _, fork = forked(holdfast)
    squat(holdfast, f"{fork}-resolved")
    assert holdfast("fork", "show", fork, "--json").json()["ruling"] is None
    assert resolve(holdfast, fork, ruling).code == 0
    shown = holdfast("fork", "show", fork, "--json").json()
    assert (shown["open"], shown["ruling"]) == (False, ruling)
    assert holdfast("fork", "list").code == 0


@pytest.mark.req("L2")
def test_a_fork_whose_entry_is_not_called_like_it_is_settled_by_its_name(
    holdfast: Holdfast,
) -> None:
    _, _, other = forked(holdfast)
    append(holdfast, "fork_opened", "an-entry", fork="odd")
    rows = holdfast("fork", "list", "--json").out.splitlines()
    assert [json.loads(row)["fork"] for row in rows] == ["odd", other]
    assert resolve(holdfast, "odd", "compatible").code == 0
    assert holdfast("fork", "list", "--json").json()["fork"] == other
    assert holdfast("fork", "show", "odd", "--json").json()["ruling"] == "compatible"


@pytest.mark.req("L2")
def test_a_wrong_claim_leaves_one_decision_on_the_subject(holdfast: Holdfast) -> None:
    decide(holdfast, "Keep sessions in Redis")
    claim = ("fork", "check", "Keep sessions in SQLite", "--about", "session store", "--json")
    fork = holdfast(*claim).json()["forks"][0]["fork"]
    assert resolve(holdfast, fork, "agent wrong").code == 0
    assert current(holdfast) == ["Keep sessions in Redis"]


@pytest.mark.req("L2")
def test_another_fork_of_the_side_that_stays_is_not_lost(holdfast: Holdfast) -> None:
    for place in ("Redis", "SQLite", "PostgreSQL"):
        last = decide(holdfast, f"Keep sessions in {place}")
    done = resolve(holdfast, last["forks"][0]["fork"], "ledger outdated", "--json")
    assert done.code == 1
    left = holdfast("fork", "list", "--json")
    assert left.code == 1
    assert len(current(holdfast)) == 2


@pytest.mark.req("L7")
def test_a_failed_check_of_the_side_that_stays_is_not_ruled_away(holdfast: Holdfast) -> None:
    (holdfast.folder / "limits.py").write_text(CODE)
    first = decide(holdfast, "Keep sessions in Redis", "--evidence", EXACT)
    second = decide(holdfast, "Keep sessions in SQLite")
    assert holdfast("evidence", "grep", "nothing", "limits.py", "--for", first["id"]).code == 1
    fork = second["forks"][0]["fork"]
    resolve(holdfast, fork, "agent wrong")
    assert holdfast("ground", "--all", "--json").json()["grounded"] is False


@pytest.mark.req("L1", "L2")
def test_a_fork_of_the_side_that_stays_with_the_code_is_not_ruled_away(holdfast: Holdfast) -> None:
    (holdfast.folder / "limits.py").write_text(CODE)
    first = decide(holdfast, "Keep sessions in Redis", "--evidence", WRONG)
    second = decide(holdfast, "Keep sessions in SQLite")
    done = resolve(holdfast, second["forks"][0]["fork"], "agent wrong", "--json")
    assert done.code == 1
    [fork] = done.json()["forks"]
    before = first["forks"][0]
    assert (fork["decision"], fork["against"]) == (done.json()["id"], before["against"])
    assert holdfast("fork", "list", "--json").json()["fork"] == fork["fork"]
    assert holdfast("ground", done.json()["id"], "--evidence", EXACT).code == 0
    assert holdfast("fork", "list").code == 0


@pytest.mark.req("L1", "L2")
def test_a_ruling_that_quotes_the_code_as_it_is_settles_the_fork_with_it(
    holdfast: Holdfast,
) -> None:
    (holdfast.folder / "limits.py").write_text(CODE)
    decide(holdfast, "Keep sessions in Redis", "--evidence", WRONG)
    second = decide(holdfast, "Keep sessions in SQLite")
    fork = second["forks"][0]["fork"]
    assert resolve(holdfast, fork, "agent wrong", "--evidence", EXACT).code == 0
    assert holdfast("fork", "list").code == 0
