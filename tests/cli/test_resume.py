"""`holdfast resume`: where the work stands, never older than the ledger."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import holdfast as api
from holdfast.testing.builders import data_for, draft
from tests.cli.harness import Holdfast


def view(holdfast: Holdfast) -> Path:
    return holdfast.folder / ".holdfast/state/CURRENT_STATE.json"


def both(holdfast: Holdfast, *args: str, **env: Any) -> Any:
    """Ask on the short way and on the long one; they must agree."""
    short = holdfast.process("resume", "--json", *args, **env)
    long = holdfast("resume", "--json", *args, **env)
    assert (short.code, long.code) == (0, 0), short.err + long.err
    assert short.out == long.out
    return short.json()


@pytest.mark.req("P7")
def test_it_is_the_last_checkpoints_quick_resume(holdfast: Holdfast) -> None:
    for n in range(3):
        text = f"Working on append-only state, {n}/12 done"
        holdfast("checkpoint", "--resume", text, "--session", f"s{n}")
    answer = both(holdfast)
    assert set(answer) == {"text", "tokens", "as_of_seq"}
    assert answer["text"] == "Working on append-only state, 2/12 done"
    assert 0 < answer["tokens"] < 100
    assert answer["as_of_seq"] == 2
    assert holdfast.process("resume").text == f"{answer['text']}\n"


@pytest.mark.req("P12")
def test_after_a_compaction_it_names_the_next_item(holdfast: Holdfast) -> None:
    holdfast("session", "start", "--session", "s1")
    progress = ("--completed", "10", "--total", "20")
    holdfast("checkpoint", "--task", "items", *progress, "--next", "item 11")
    assert "10/20" in both(holdfast)["text"]
    assert "next: item 11" in both(holdfast)["text"]


@pytest.mark.lesson("P11")
def test_a_stale_view_is_rebuilt_before_it_is_shown(holdfast: Holdfast) -> None:
    holdfast("checkpoint", "--resume", "the old state of things")
    old = view(holdfast).read_bytes()
    holdfast("checkpoint", "--resume", "the new state of things")
    view(holdfast).write_bytes(old)
    done = holdfast.process("resume", "--json")
    assert done.json()["text"] == "the new state of things"
    assert done.json()["as_of_seq"] == 1
    assert json.loads(view(holdfast).read_bytes())["as_of_seq"] == 1


@pytest.mark.lesson("P11")
def test_entries_that_no_command_recorded_make_a_view_stale(holdfast: Holdfast) -> None:
    holdfast("checkpoint", "--resume", "the old state of things")
    with api.open(holdfast.folder) as ledger:
        data = data_for("checkpoint", quick_resume="the new state of things")
        ledger.append("checkpoint", data)
    assert both(holdfast)["text"] == "the new state of things"


@pytest.mark.lesson("P11")
@pytest.mark.parametrize("harm", ["edited", "torn", "gone", "foreign", "a list", "not text"])
def test_a_view_that_was_harmed_is_not_believed(holdfast: Holdfast, harm: str) -> None:
    holdfast("checkpoint", "--resume", "what is true")
    path = view(holdfast)
    content = path.read_bytes()
    match harm:
        case "edited":
            path.write_bytes(content.replace(b"what is true", b"what is made up"))
        case "torn":
            path.write_bytes(content[: len(content) // 2])
        case "gone":
            path.unlink()
        case "foreign":
            path.write_bytes(content.replace(b'"ledger": "', b'"ledger": "0'))
        case "a list":
            path.write_bytes(b"[1, 2]")
        case _:
            path.write_bytes(b"\xff\xfe\x00")
    assert holdfast.process("resume").text == "what is true\n"


def test_what_came_since_is_said_in_a_clause(holdfast: Holdfast) -> None:
    holdfast("session", "start", "--session", "s1")
    holdfast("checkpoint", "--resume", "the lexer is half done")
    holdfast.record("file_change", 3)
    text = both(holdfast, "--session", "s1")["text"]
    assert text.startswith("the lexer is half done")
    assert "src/part_3.py" in text


def test_a_session_is_named_by_option_or_environment(holdfast: Holdfast) -> None:
    for name in ("one", "two"):
        holdfast("checkpoint", "--resume", f"the lexer, by {name}", "--session", name)
    assert both(holdfast)["text"] == "the lexer, by two"
    assert both(holdfast, "--session", "on")["text"] == "the lexer, by one"
    assert both(holdfast, HOLDFAST_SESSION="one")["text"] == "the lexer, by one"
    # a session that has only just begun goes on from what there is
    assert both(holdfast, HOLDFAST_SESSION="three")["text"] == "the lexer, by two"


def test_of_two_agents_at_once_it_says_whose_checkpoint_it_is(holdfast: Holdfast) -> None:
    for name in ("a", "b"):
        holdfast("session", "start", "--session", f"of-{name}", "--actor", name)
        holdfast("checkpoint", "--resume", f"the lexer, by {name}", "--actor", name)
    assert both(holdfast)["text"] == "the lexer, by b"
    for done in (holdfast.process("resume"), holdfast("resume")):
        assert done.err == "2 sessions are open; this is of of-b. --session chooses another.\n"
    for name in ("a", "b"):
        done = holdfast.process("resume", HOLDFAST_SESSION=f"of-{name}")
        assert (done.text, done.err) == (f"the lexer, by {name}\n", "")
    holdfast("session", "end", "--session", "of-a")
    assert holdfast.process("resume").err == ""


def test_an_unknown_or_ambiguous_session_is_refused(holdfast: Holdfast) -> None:
    for name in ("review-1", "review-2"):
        holdfast("checkpoint", "--resume", "the lexer", "--session", name)
    assert holdfast("resume", "--session", "nope").code == 1
    done = holdfast("resume", "--session", "review")
    assert (done.code, "review-1, review-2" in done.err) == (2, True)


def test_without_a_checkpoint_it_says_so_with_what_is_known(holdfast: Holdfast) -> None:
    assert both(holdfast) == {"text": "Nothing was recorded yet.", "tokens": 8, "as_of_seq": -1}
    holdfast.record("file_change", 5, "--session", "s1")
    for answer in (both(holdfast), both(holdfast, "--session", "s1")):
        assert answer["text"].startswith("No checkpoint yet.")
        assert "src/part_5.py" in answer["text"]
        assert answer["as_of_seq"] == 0


def test_outside_a_project_it_says_how_to_make_one(bare: Holdfast) -> None:
    done = bare.process("resume")
    assert done.code == 2
    assert "holdfast init" in done.err


def test_it_finds_the_ledger_from_a_folder_below(holdfast: Holdfast) -> None:
    holdfast("checkpoint", "--resume", "what is true")
    below = Holdfast(holdfast.folder / "src/deep", holdfast.home)
    below.folder.mkdir(parents=True)
    assert below.process("resume").text == "what is true\n"


def test_a_worktree_resumes_from_its_main_worktree(holdfast: Holdfast, tmp_path: Path) -> None:
    holdfast("checkpoint", "--resume", "what is true")
    (holdfast.folder / ".git/worktrees/side").mkdir(parents=True)
    side = Holdfast(tmp_path / "side", holdfast.home)
    side.folder.mkdir()
    (side.folder / ".git").write_text(f"gitdir: {holdfast.folder}/.git/worktrees/side\n")
    assert side.process("resume").text == "what is true\n"


def test_a_named_ledger_is_the_one_that_is_looked_at(holdfast: Holdfast, tmp_path: Path) -> None:
    holdfast("checkpoint", "--resume", "what is true here")
    elsewhere = Holdfast(tmp_path / "elsewhere", holdfast.home)
    elsewhere.folder.mkdir()
    elsewhere("init")
    elsewhere("checkpoint", "--resume", "what is true there")
    named = holdfast.process("resume", HOLDFAST_LEDGER=str(elsewhere.folder))
    assert named.text == "what is true there\n"


def test_it_only_shows_and_never_steers_the_terminal(holdfast: Holdfast) -> None:
    holdfast("checkpoint", "--resume", "cleared \x1b[2J \u202e and so on")
    for done in (holdfast.process("resume"), holdfast("resume")):
        assert done.text.startswith("cleared ")
        assert done.text.endswith(" and so on\n")
        assert not {"\x1b", "\u202e"} & set(done.text)


def test_odd_letters_are_told_the_same_on_both_ways(holdfast: Holdfast) -> None:
    words = 'Grüße, 世界 🎉 "quoted" \\ backslash'
    holdfast("checkpoint", "--resume", f"{words} \u2028 \x7f \ue000 done")
    assert both(holdfast)["text"].startswith(words)


def test_a_state_folder_that_cannot_be_written_hides_nothing(holdfast: Holdfast) -> None:
    holdfast("checkpoint", "--resume", "what is true")
    state = holdfast.folder / ".holdfast/state"
    state.rename(state.with_name("aside"))
    state.write_text("a file in its place")
    done = holdfast.process("resume")
    assert (done.code, done.text) == (0, "what is true\n")


@pytest.mark.req("P7")
@pytest.mark.parametrize("session", ["", "s1"])
def test_the_short_way_loads_nothing_heavy_and_reads_no_entry(
    holdfast: Holdfast, session: str
) -> None:
    with api.open(holdfast.folder) as ledger:
        ledger.append_many([draft("decision", n) for n in range(300)])
    holdfast("checkpoint", "--resume", "what is true", "--session", "s1")
    probe = (
        "import sys\n"
        "sys.argv = ['holdfast', 'resume']\n"
        "from holdfast.cli.main import main\n"
        "main()\n"
        "heavy = ('click', 'rich', 'msgspec', 'pathlib', 'holdfast.kernel.entry',\n"
        "         'holdfast.ledger', 'holdfast.index', 'holdfast.wiring')\n"
        "print([name for name in heavy if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe],
        cwd=holdfast.folder,
        env=holdfast.env(HOLDFAST_SESSION=session),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "what is true\n[]\n"


def test_looking_leaves_the_ledgers_log_where_it_is(holdfast: Holdfast) -> None:
    holdfast("checkpoint", "--resume", "what is true")
    log = holdfast.database.with_name("ledger.db-wal")
    before = log.stat().st_size
    assert before > 0
    holdfast.process("resume")
    assert log.stat().st_size == before


def test_a_reader_that_went_away_ends_it_quietly(holdfast: Holdfast) -> None:
    holdfast("checkpoint", "--resume", "what is true")
    with subprocess.Popen(
        holdfast.command("resume"),
        cwd=holdfast.folder,
        env=holdfast.env(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        process.stdout = None
        _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (141, b"")
