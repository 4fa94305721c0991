"""`holdfast session`: what it answers, in words and for scripts."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from holdfast.testing.builders import data_for
from tests.cli.harness import Holdfast


def call(holdfast: Holdfast, *args: str, tool: str = "Read", **env: Any) -> Any:
    data = json.dumps({"tool": tool})
    done = holdfast("record", "tool_called", "--data", data, "--json", *args, **env)
    assert done.code == 0, done.err
    return done.json()


def sessions(holdfast: Holdfast) -> list[Any]:
    lines = holdfast("session", "list", "--json").out.splitlines()
    return [json.loads(line) for line in lines]


def test_start_answers_with_id_and_parent(holdfast: Holdfast) -> None:
    first = holdfast("session", "start", "--json")
    assert first.code == 0
    assert set(first.json()) == {"session_id", "parent"}
    assert first.json()["parent"] is None
    holdfast("session", "end")
    second = holdfast("session", "start", "--session", "s2", "--json")
    assert second.json() == {"session_id": "s2", "parent": first.json()["session_id"]}


def test_start_takes_the_id_from_the_environment(holdfast: Holdfast) -> None:
    named = holdfast("session", "start", "--json", HOLDFAST_SESSION="from-env")
    assert named.json()["session_id"] == "from-env"
    more = holdfast("session", "start", "--session", "named", "--json", HOLDFAST_SESSION="from-env")
    assert more.json()["session_id"] == "named"


@pytest.mark.req("P11")
def test_start_prints_the_quick_resume_of_the_last_checkpoint(holdfast: Holdfast) -> None:
    holdfast("session", "start", "--session", "s1")
    holdfast("checkpoint", "--resume", "Working on append-only state, 5/12 done")
    holdfast("session", "end")
    done = holdfast("session", "start", "--session", "s2")
    assert done.text == "s2\nQuick Resume: Working on append-only state, 5/12 done\n"
    assert holdfast("session", "start", "--session", "s3", "--quiet").text == "s3\n"


def test_what_a_checkpoint_says_cannot_steer_the_terminal(holdfast: Holdfast) -> None:
    holdfast("checkpoint", "--resume", "done \x1b[2J with it", "--session", "s1")
    done = holdfast("session", "start", "--session", "s2")
    assert "\x1b" not in done.text + done.err
    assert "done \\x1b[2J with it" in done.text


def test_start_says_which_sessions_were_closed(holdfast: Holdfast) -> None:
    holdfast("session", "start", "--session", "s1")
    done = holdfast("session", "start", "--session", "s2", "--json")
    assert done.json() == {"session_id": "s2", "parent": "s1", "crashed": ["s1"]}
    said = holdfast("session", "start", "--session", "s3").err
    assert "Session s2 ended without saying so; it was closed as crashed." in said
    assert [(one["session_id"], one["state"], one["reason"]) for one in sessions(holdfast)] == [
        ("s1", "ended", "crashed"),
        ("s2", "ended", "crashed"),
        ("s3", "open", None),
    ]


def test_starting_what_is_open_gives_the_same_answer_and_records_nothing(
    holdfast: Holdfast,
) -> None:
    first = holdfast("session", "start", "--session", "s1", "--json")
    again = holdfast("session", "start", "--session", "s1", "--json")
    assert again.out == first.out
    assert len(holdfast.entries()) == 1


def test_a_title_and_the_actor_are_kept(holdfast: Holdfast) -> None:
    holdfast("session", "start", "--title", "the parser", "--actor", "a", "--actor-kind", "agent")
    [entry] = holdfast.entries()
    assert entry["data"]["title"] == "the parser"
    assert entry["actor"] == {"kind": "agent", "name": "a"}


@pytest.mark.parametrize("given", [("--session", "  "), ("--session", "a\nb"), ("--parent", "x")])
def test_a_start_that_cannot_be_is_refused_whole(
    holdfast: Holdfast, given: tuple[str, ...]
) -> None:
    holdfast("session", "start", "--session", "s1")
    done = holdfast("session", "start", *given)
    assert done.code in (1, 2)
    assert len(holdfast.entries()) == 1


def test_a_holder_that_does_not_run_is_refused(holdfast: Holdfast) -> None:
    done = holdfast("session", "start", "--holder-pid", "2147483646")
    assert done.code == 2
    assert "There is no process 2147483646." in done.err
    assert holdfast.entries() == []


def test_end_makes_a_checkpoint_notes_the_end_and_answers(holdfast: Holdfast) -> None:
    holdfast("session", "start", "--session", "s1")
    holdfast.record("file_change", 4)
    done = holdfast("session", "end", "--reason", "cleared", "--json")
    assert done.code == 0
    assert done.json() == {"session_id": "s1", "seq": 3, "checkpoint": 2, "sealed": 0}
    _, _, checkpoint, end = holdfast.entries()
    assert "src/part_4.py" in checkpoint["data"]["quick_resume"]
    assert (end["type"], end["data"], end["session_id"]) == (
        "session_ended",
        {"reason": "cleared"},
        "s1",
    )


def test_end_makes_no_second_checkpoint_of_the_same_work(holdfast: Holdfast) -> None:
    holdfast("session", "start", "--session", "s1")
    holdfast("checkpoint", "--next", "item 2")
    done = holdfast("session", "end", "--json")
    assert done.json() == {"session_id": "s1", "seq": 2, "checkpoint": None, "sealed": 0}


def test_end_takes_the_session_from_the_environment(holdfast: Holdfast) -> None:
    for name in ("a", "b"):
        holdfast("session", "start", "--session", f"of-{name}", "--actor", name)
    done = holdfast("session", "end", "--json", HOLDFAST_SESSION="of-a")
    assert done.json()["session_id"] == "of-a"
    assert [one["state"] for one in sessions(holdfast)] == ["open", "ended"]


def test_a_seal_that_fails_does_not_hide_that_the_session_is_over(holdfast: Holdfast) -> None:
    holdfast.settings.write_text("[seal]\nauto = false\nkeep = 0\n")
    holdfast("session", "start", "--session", "s1")
    archives = holdfast.folder / ".holdfast/state/archives"
    archives.rmdir()
    archives.write_text("in the way")
    done = holdfast("session", "end", "--json")
    assert done.code == 0
    assert done.json() == {"session_id": "s1", "seq": 1, "checkpoint": None, "sealed": 0}
    assert "Old entries were not sealed: " in done.err


@pytest.mark.req("P4")
def test_end_seals_what_is_old(holdfast: Holdfast) -> None:
    holdfast.settings.write_text("[seal]\nauto = false\nkeep = 3\n")
    holdfast("session", "start", "--session", "s1")
    for n in range(9):
        holdfast.record("metric", n)
    done = holdfast("session", "end", "--json")
    assert done.json()["sealed"] == 9
    assert len(list((holdfast.folder / ".holdfast/state/archives").glob("*.zst"))) == 1
    assert len(holdfast.entries("--session", "s1")) == 12


def test_an_end_of_what_is_unknown_or_over_is_a_no(holdfast: Holdfast) -> None:
    nothing = holdfast("session", "end")
    assert (nothing.code, "No session is open." in nothing.err) == (1, True)
    holdfast("session", "start", "--session", "s1")
    unknown = holdfast("session", "end", "--session", "nope")
    assert (unknown.code, "There is no session 'nope'." in unknown.err) == (1, True)
    holdfast("session", "end")
    again = holdfast("session", "end", "--session", "s1")
    assert (again.code, "over already (completed)" in again.err) == (1, True)
    assert len(holdfast.entries()) == 2


def test_an_ambiguous_beginning_is_refused_with_the_candidates(holdfast: Holdfast) -> None:
    for name in ("review-1", "review-2"):
        call(holdfast, "--session", name)
    done = holdfast("session", "end", "--session", "rev")
    assert done.code == 2
    assert "2 sessions begin with 'rev': review-1, review-2." in done.err
    assert holdfast("session", "end", "--session", "review-2").code == 0


def test_list_shows_state_entries_and_parent_the_newest_last(holdfast: Holdfast) -> None:
    holdfast("session", "start", "--session", "s1")
    call(holdfast)
    holdfast("session", "end", "--reason", "interrupted")
    holdfast("session", "start", "--session", "s2")
    assert holdfast("session", "list").text.splitlines() == [
        "s1  ended (interrupted)  4 entries",
        "s2  open  1 entries  goes on from s1",
    ]
    [one, two] = sessions(holdfast)
    assert (one["state"], one["entries"], two["parent"]) == ("ended", 4, "s1")


@pytest.mark.lesson("N15")
def test_list_says_how_many_more_there_are(holdfast: Holdfast) -> None:
    for n in range(23):
        call(holdfast, "--session", f"s{n:02}")
    done = holdfast("session", "list")
    assert done.text.splitlines()[0].startswith("s03")
    assert "3 earlier sessions are not shown; -n 23 shows all." in done.err
    assert len(holdfast("session", "list", "-n", "23").text.splitlines()) == 23
    assert len(sessions(holdfast)) == 23


def test_list_of_nothing_says_so(holdfast: Holdfast) -> None:
    done = holdfast("session", "list")
    assert (done.code, done.text) == (0, "")
    assert "There was no session yet." in done.err


def test_entries_go_to_the_session_that_is_open(holdfast: Holdfast) -> None:
    holdfast.record("metric", 0)
    holdfast("session", "start", "--session", "s1")
    holdfast.record("metric", 1)
    holdfast.record("metric", 2, "--session", "elsewhere")
    holdfast("session", "end")
    holdfast.record("metric", 3)
    assert [e["session_id"] for e in holdfast.entries("--type", "metric")] == [
        *(None, "s1", "elsewhere", None)
    ]


def test_two_agents_stay_apart_by_name(holdfast: Holdfast) -> None:
    for name in ("a", "b"):
        assert holdfast("session", "start", "--session", f"of-{name}", "--actor", name).code == 0
    for n, name in enumerate(("a", "b", "b", "a")):
        holdfast.record("metric", n, "--actor", name)
    assert [e["session_id"] for e in holdfast.entries("--type", "metric")] == [
        *("of-a", "of-b", "of-b", "of-a")
    ]


def test_where_it_is_not_clear_nothing_is_recorded(holdfast: Holdfast) -> None:
    for name in ("a", "b"):
        holdfast("session", "start", "--session", f"of-{name}", "--actor", name)
    data = json.dumps(data_for("metric"))
    done = holdfast("record", "metric", "--data", data, "--actor", "c")
    assert done.code == 2
    assert "2 sessions are open: of-a, of-b." in done.err
    assert "--session" in done.err
    assert len(holdfast.entries()) == 2


def test_seq_orders_where_the_clock_does_not(holdfast: Holdfast) -> None:
    for name in ("s1", "s2"):
        holdfast("session", "start", "--session", name)
        call(holdfast)
    assert all(a["seq"] + 1 == b["seq"] for a, b in pairwise(holdfast.entries()))
    assert [one["session_id"] for one in sessions(holdfast)] == ["s1", "s2"]


# Summaries of what is archived


@pytest.mark.req("P5")
def test_an_archived_session_is_summarised_and_the_summary_can_be_made_again(
    holdfast: Holdfast,
) -> None:
    holdfast("session", "start", "--session", "s1")
    holdfast("decide", "one cursor", "--because", "callers hold large buffers")
    holdfast.record("file_change", 1, "--session", "s1")
    holdfast("checkpoint", "--task", "the parser", "--completed", "3", "--total", "9")
    holdfast("session", "end")
    assert holdfast("session", "show", "s1", "--json").json()["summaries"] == []
    holdfast("seal", "--keep", "0")
    done = holdfast("session", "show", "s1", "--json")
    [part] = done.json()["summaries"]
    note = holdfast.entries("--type", "compression")[-1]["data"]
    noted = note["summary"]["sessions"]["s1"]
    assert {name: part[name] for name in noted} == noted
    assert part["reproduced"] is True
    assert part["archive"] == note["archive_path"]
    said = json.dumps(part["output"])
    assert part["purpose"] == "SEGMENT_SUMMARY"
    assert "one cursor" in said
    assert "the parser 3/9" in said
    assert done.code == 0
    assert "one cursor" in holdfast("session", "show", "s1").text


@pytest.mark.req("P5")
def test_a_summary_that_does_not_come_out_as_it_was_is_a_no(holdfast: Holdfast) -> None:
    holdfast("session", "start", "--session", "s1")
    holdfast("decide", "one cursor", "--because", "callers hold large buffers")
    holdfast("seal", "--keep", "0")
    [archive] = (holdfast.folder / ".holdfast/state/archives").glob("*.jsonl.zst")
    archive.unlink()
    done = holdfast("session", "show", "s1", "--json")
    assert [part["reproduced"] for part in done.json()["summaries"]] == [False]
    assert done.code == 1
    assert holdfast("session", "show", "nobody").code == 1
