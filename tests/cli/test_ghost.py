"""`holdfast ghost`: confirmed, present, in doubt or not looked at; every attempt is an entry."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from tests.cli.harness import Holdfast

ABSENT = ("--query", "OAuth2 login with a consent screen", "--query", "sign in by a provider")
PRESENT = ("--query", "count how often a request was tried", "--query", "attempts of a retry")


@pytest.fixture
def coded(holdfast: Holdfast) -> Holdfast:
    """A project with a little code."""
    (holdfast.folder / "src").mkdir()
    (holdfast.folder / "src" / "retry.py").write_text(
        'def count_attempts(retry):\n    """Count how often a request was tried."""\n    return 7\n'
    )
    (holdfast.home / ".config" / "holdfast").mkdir(parents=True)
    (holdfast.home / ".config" / "holdfast" / "config.toml").write_text('[search]\nck = "never"\n')
    return holdfast


def entries(holdfast: Holdfast, kind: str) -> list[Any]:
    log = holdfast("log", "--type", kind, "--json")
    return [json.loads(line)["data"] for line in log.out.splitlines()]


@pytest.mark.req("L9")
def test_the_answer_for_scripts_has_its_shape_and_is_recorded(coded: Holdfast) -> None:
    done = coded.process("ghost", "OAuth", *ABSENT, "--json")
    told = done.json()
    assert (done.code, told["status"], len(told["queries"])) == (0, "confirmed", 3)
    assert [one["query"] for one in told["queries"]] == [ABSENT[1], ABSENT[3], "OAuth"]
    [entry] = entries(coded, "ghost_checked")
    assert (entry["ghost"], entry["status"], entry["threshold"]) == ("OAuth", "confirmed", 0.4)
    assert entry["queries"] == told["queries"]
    assert (entry["jaccard"], entry["cosine"]) == (told["jaccard"], told["cosine"])
    assert {"query", "level", "files", "unread", "hits", "best", "model", "index"} <= set(
        entry["queries"][0]
    )


@pytest.mark.req("L9")
def test_what_is_there_is_named_and_exits_1(coded: Holdfast) -> None:
    done = coded("ghost", "retries", *PRESENT)
    assert done.code == 1
    assert done.text.startswith("present  retries")
    assert "src/retry.py:1-3 count_attempts" in done.err


@pytest.mark.req("L9")
def test_one_query_leaves_it_unverified_and_marked(coded: Holdfast) -> None:
    done = coded("ghost", "OAuth", *ABSENT[:2])
    assert (done.code, "[UNVERIFIED GHOST]" in done.text) == (1, True)
    assert [one["status"] for one in entries(coded, "ghost_checked")] == ["unverified"]


@pytest.mark.req("L9")
def test_queries_that_are_alike_are_refused_and_nothing_is_recorded(coded: Holdfast) -> None:
    done = coded("ghost", "OAuth", "--query", "OAuth2 login flow", "--query", "the OAuth2 login")
    assert done.code == 2
    assert "too much alike" in done.err
    assert entries(coded, "ghost_checked") == []


@pytest.mark.lesson("L9")
def test_what_could_not_be_searched_exits_1_and_says_which(coded: Holdfast) -> None:
    (coded.folder / "huge.py").write_text("x" * (4 * 1024 * 1024 + 1))
    done = coded("ghost", "OAuth", *ABSENT, "--json")
    assert (done.code, done.json()["status"]) == (1, "could_not_look")
    assert "huge.py" in done.json()["reason"]
    assert [one["status"] for one in entries(coded, "ghost_checked")] == ["could_not_look"]


@pytest.mark.req("L9")
def test_a_person_may_vouch_and_that_is_listed_apart(coded: Holdfast) -> None:
    coded("ghost", "sessions", "--claim", "the old docs")
    assert [one["ghost"] for one in coded("ghost", "list", "--json").json()["unverified"]] == [
        "sessions"
    ]
    assert coded("ghost", "sessions", "--manual", "--because", "read every file").code == 0
    told = coded("ghost", "list", "--json").json()
    assert (told["unverified"], [one["ghost"] for one in told["manual"]]) == ([], ["sessions"])
    assert told["manual"][0]["by"]["kind"] == "user"
    assert "vouched for, not searched" in coded("ghost", "list").text
    [entry] = entries(coded, "ghost_checked")
    assert (entry["status"], entry["because"]) == ("manual", "read every file")


@pytest.mark.req("L9")
def test_a_list_says_who_vouched(coded: Holdfast) -> None:
    vouch = ("--manual", "--because", "read every file")
    coded("ghost", "sessions", *vouch, "--actor-kind", "agent", "--actor", "coder")
    [one] = coded("ghost", "list", "--json").json()["manual"]
    assert one["by"] == {"kind": "agent", "name": "coder"}
    listed = coded("ghost", "list").text
    assert "sessions  manual by agent coder" in listed
    assert "person" not in listed


@pytest.mark.req("L9")
def test_questions_that_have_nothing_to_do_with_it_do_not_confirm_what_is_there(
    coded: Holdfast,
) -> None:
    unrelated = ("--query", "banana phone handset", "--query", "purple elephant zoo")
    done = coded("ghost", "count attempts", *unrelated)
    assert (done.code, done.text.startswith("present  count attempts")) == (1, True)
    assert "src/retry.py:1-3 count_attempts" in done.err


@pytest.mark.req("L9")
@pytest.mark.parametrize(
    ("name", "queries"),
    [
        ("OAuth", ("the of and", "sign in by a provider")),
        ("OAuth", ("consent screen", "a an is")),
        ("OAuth", ("x", "y")),
        ("OAuth", ("class", "def")),
        ("x", ("consent screen", "sign in by a provider")),
    ],
)
def test_questions_and_names_that_tell_nothing_are_refused(
    coded: Holdfast, name: str, queries: tuple[str, str]
) -> None:
    done = coded("ghost", name, "--query", queries[0], "--query", queries[1])
    assert (done.code, "no word that tells" in done.err) == (2, True)
    assert entries(coded, "ghost_checked") == []


@pytest.mark.lesson("L9")
def test_what_was_left_out_is_said_and_recorded(coded: Holdfast) -> None:
    for number in range(3):
        (coded.folder / "web" / "node_modules" / str(number)).mkdir(parents=True)
        (coded.folder / "web" / "node_modules" / str(number) / "a.js").write_text("let a = 1\n")
    done = coded("ghost", "OAuth", *ABSENT, "--json")
    assert (done.code, done.json()["status"]) == (0, "confirmed")
    assert done.json()["left_out"] == [{"path": "web/node_modules", "files": 3, "more": False}]
    [entry] = entries(coded, "ghost_checked")
    assert "Left out: web/node_modules (3 files of code)." in entry["because"]
    assert "web/node_modules (3 files of code)" in coded("ghost", "OAuth", *ABSENT).err


def blocks_of_ghosts(holdfast: Holdfast) -> list[Any]:
    blocks = holdfast("clear", "--check", "--json").json()["blocks"]
    return [one for one in blocks if "GHOST" in one["reason"]]


@pytest.mark.parametrize("name", ["-x", "--force", "list"])
def test_the_remedy_of_the_gate_settles_a_ghost_whatever_its_name(
    coded: Holdfast, name: str
) -> None:
    assert coded("ghost", "--claim", "the old docs", "--", name).code == 0
    [block] = blocks_of_ghosts(coded)
    pasted = block["remedy"].rpartition("`holdfast ")[2].partition("`")[0]
    assert coded(*shlex.split(pasted.replace("WHY", "'read every file'"))).code == 0
    assert blocks_of_ghosts(coded) == []


@pytest.mark.parametrize("name", ["--force", "list"])
def test_a_ghost_with_an_odd_name_can_be_searched_for(coded: Holdfast, name: str) -> None:
    done = coded("ghost", *ABSENT, "--json", "--", name)
    assert (done.code, done.json()["status"]) == (0, "confirmed")


@pytest.mark.parametrize("name", ["a\tb", "a\nb", "a\x1b[31mb", "a\x00b", "a\x7fb", "a\u202eb"])
def test_names_that_cannot_be_shown_are_refused(coded: Holdfast, name: str) -> None:
    for options in ((), ABSENT, ("--manual", "--because", "read")):
        done = coded("ghost", name, *options)
        assert (done.code, "characters that cannot be shown" in done.err) == (2, True)
    assert entries(coded, "ghost_checked") == entries(coded, "ghost_flagged") == []


def test_a_ghost_that_has_such_a_name_already_can_be_settled(coded: Holdfast) -> None:
    coded.append("ghost_flagged", {"ghost": "a\tb"})
    assert len(blocks_of_ghosts(coded)) == 1
    assert coded("ghost", "a\tb", "--manual", "--because", "read every file").code == 0
    assert blocks_of_ghosts(coded) == []


@pytest.mark.parametrize(
    "args",
    [
        ("x", "--manual"),
        ("x", "--because", "y"),
        ("x", "--manual", "--because", "y", "--query", "z"),
        ("x", "--query", "a", "--query", "b", "--query", "c"),
        ("x", "--claim", "a", "--query", "b"),
        ("list", "--query", "a"),
        (" ",),
        ("x", "--manual", "--because", " "),
        ("x", "--query", " "),
    ],
)
def test_misuse_is_refused_and_nothing_is_recorded(coded: Holdfast, args: tuple[str, ...]) -> None:
    assert coded("ghost", *args).code == 2
    assert entries(coded, "ghost_checked") == entries(coded, "ghost_flagged") == []
