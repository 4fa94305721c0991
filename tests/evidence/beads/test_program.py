"""Beads by its program: nothing is believed that was not read back."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.evidence.beads.port import OURS
from holdfast.kernel.errors import CouldNotLook, StorageFailed
from tests.evidence.beads.places import Place, issue_row, remark, wanted


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


SHAPES = [(), ("envelope",), ("items",)]


@pytest.mark.req("L14")
@pytest.mark.lesson("N16")
@pytest.mark.parametrize("quirks", SHAPES, ids=lambda quirks: "-".join(quirks) or "flat")
def test_an_issue_is_made_changed_and_closed_whatever_shape_answers_have(
    place: Place, quirks: tuple[str, ...]
) -> None:
    bd = place.bd(*quirks)
    made = bd.put(wanted(remarks=[remark()]))
    assert (made.title, made.status, made.priority) == ("Rotate tokens", "open", 1)
    assert made.metadata == {OURS: {"next_steps": ["look"], "depends_on": []}}
    assert made.comments == ["Decision: rotate\n\n[holdfast e1]"]
    changed = bd.put(wanted(title="Rotate all", status="in_progress", remarks=[remark()]))
    assert (changed.title, changed.status) == ("Rotate all", "in_progress")
    closed = bd.put(wanted(status="closed", close_reason="merged", remarks=[remark()]))
    assert (closed.status, closed.close_reason) == ("closed", "merged")
    assert place.stored("hf-1a2b")["issue_type"] == "feature"
    assert len(place.stored("hf-1a2b")["comments"]) == 1
    assert [one.id for one in bd.issues().issues] == ["hf-1a2b"]


@pytest.mark.lesson("N16")
def test_what_people_wrote_into_notes_and_metadata_stays(place: Place) -> None:
    place.store({"id": "hf-1a2b", "notes": "mine", "metadata": {"team": "x"}, "labels": ["l"]})
    for quirk in ("", "replaces-metadata"):
        place.bd(quirk).put(wanted(title=f"Now {quirk}", remarks=[remark()]))
        stored = place.stored("hf-1a2b")
        assert (stored["notes"], stored["labels"]) == ("mine", ["l"])
        assert stored["metadata"]["team"] == "x"
    assert all("notes" not in flags for _, flags in place.calls())


@pytest.mark.lesson("N7")
@pytest.mark.parametrize(
    ("quirk", "missing"),
    [("forgets-metadata", "metadata.holdfast is None"), ("forgets-comments", "comments lack")],
)
def test_a_write_that_left_nothing_is_an_error_that_says_what_is_where(
    place: Place, quirk: str, missing: str
) -> None:
    with pytest.raises(StorageFailed) as caught:
        place.bd(quirk).put(wanted(remarks=[remark()]))
    assert missing in caught.value.what
    assert "hf-1a2b" in caught.value.what
    assert "The task stands in the ledger" in caught.value.meaning


@pytest.mark.lesson("N16")
@pytest.mark.parametrize("quirk", ["unreachable", "database-gone"])
def test_a_database_that_cannot_be_reached_is_not_an_empty_one(place: Place, quirk: str) -> None:
    bd = place.bd(quirk)
    for ask in (bd.issues, lambda: bd.issue("hf-1a2b"), lambda: bd.put(wanted())):
        with pytest.raises(CouldNotLook) as caught:
            ask()
        assert "Dolt server" in caught.value.what
        assert "not the same as no tasks" in caught.value.meaning
        assert "bd init" not in str(caught.value)


@pytest.mark.lesson("N16")
def test_an_empty_list_of_another_database_is_noticed(place: Place) -> None:
    with pytest.raises(CouldNotLook, match="not this project's"):
        place.bd("elsewhere").issues()
    with pytest.raises(CouldNotLook, match="not this project's"):
        place.bd("elsewhere").put(wanted())


@pytest.mark.lesson("N16")
def test_an_empty_list_beside_a_full_export_is_doubted(place: Place) -> None:
    assert place.bd("no-where").issues().issues == []
    (place.folder / "issues.jsonl").write_text('{"id": "bd-1", "title": "One"}\n')
    with pytest.raises(CouldNotLook, match="lists no issue"):
        place.bd("no-where").issues()


def test_a_missing_database_is_no_empty_one_and_nobody_is_told_to_make_a_new_one(
    place: Place,
) -> None:
    (place.folder / "recorded.json").unlink()
    with pytest.raises(CouldNotLook) as caught:
        place.bd().issues()
    assert "no beads database found" in caught.value.what
    assert "init" not in str(caught.value)


def test_more_than_fifty_issues_are_all_listed_and_closed_ones_too(place: Place) -> None:
    place.store(*({"id": f"bd-{n}", "status": "closed" if n % 2 else "open"} for n in range(120)))
    assert len(place.bd().issues().issues) == 120


def test_an_id_is_never_taken_for_one_that_begins_with_it(place: Place) -> None:
    place.store({"id": "hf-1a2b9", "title": "Another"})
    assert place.bd().issue("hf-1a2b") is None
    place.store({"id": "hf-1a2b8"})
    assert place.bd().issue("hf-1a2b") is None
    place.bd().put(wanted("hf-1a2b"))
    assert place.stored("hf-1a2b9")["title"] == "Another"


def test_dependencies_are_added_and_only_ours_are_taken_away(place: Place) -> None:
    place.store({"id": "bd-1"}, {"id": "bd-2"}, {"id": "bd-3"})
    bd = place.bd()
    assert bd.put(wanted(depends_on=["bd-1", "bd-2"])).depends_on == ["bd-1", "bd-2"]
    theirs = place.stored("hf-1a2b")["dependencies"] + [
        {"issue_id": "hf-1a2b", "depends_on_id": "bd-3", "type": "blocks"}
    ]
    place.store(place.stored("hf-1a2b") | {"dependencies": theirs})
    assert bd.put(wanted(depends_on=["bd-2"])).depends_on == ["bd-2", "bd-3"]


def test_text_that_looks_like_a_flag_is_text(place: Place) -> None:
    nasty = wanted(
        title="--force it", description="-d\n--notes gone", remarks=[remark("[holdfast -x]")]
    )
    made = place.bd().put(nasty)
    assert (made.title, made.description) == ("--force it", "-d\n--notes gone")


def test_a_status_of_its_own_is_left_to_beads(place: Place) -> None:
    place.store({"id": "hf-1a2b", "status": "hooked", "issue_type": "molecule"})
    kept = place.bd().put(wanted(issue_type=None, priority=None))
    assert (kept.status, kept.issue_type, kept.priority) == ("hooked", "molecule", 2)


def test_a_program_that_hangs_floods_or_chats_is_told_apart_from_one_without_tasks(
    place: Place,
) -> None:
    with pytest.raises(CouldNotLook, match="did not end within"):
        place.bd("hangs", timeout_s=0.3).issues()
    with pytest.raises(CouldNotLook, match="said more than 1,000,000 bytes"):
        place.bd("floods", bytes_max=1_000_000).issues()
    with pytest.raises(CouldNotLook, match="no JSON"):
        place.bd("chatty").issues()
    (place.program).chmod(0o644)
    with pytest.raises(CouldNotLook, match="cannot be started"):
        place.bd().issues()


def test_variables_that_lead_elsewhere_are_not_handed_on(place: Place) -> None:
    env = {"BEADS_DIR": "/nowhere", "BD_JSON_ENVELOPE": "1", "BEADS_DB": "/nowhere/x.db"}
    place.store(issue_row(id="bd-1"))
    assert [one.id for one in place.bd(env=env).issues().issues] == ["bd-1"]


def test_a_write_that_is_refused_says_so(place: Place) -> None:
    with pytest.raises(StorageFailed, match="title must be 500 characters"):
        place.bd().put(wanted(title="t" * 501))


def test_a_task_that_is_closed_here_is_closed_there_though_another_blocks_it(place: Place) -> None:
    place.store({"id": "bd-1"})
    bd = place.bd()
    bd.put(wanted(depends_on=["bd-1"]))
    closed = bd.put(wanted(depends_on=["bd-1"], status="closed", close_reason="not needed"))
    assert (closed.status, closed.close_reason) == ("closed", "not needed")
