"""The view of trust: heads that are kept elsewhere, and how saves boot."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from holdfast.config import Settings
from holdfast.evidence import git_state
from holdfast.evidence.git import Git
from holdfast.ledger.ledger import Draft
from holdfast.wiring import web_anchors
from holdfast.wiring.places import place_of
from holdfast.wiring.saving import make_save
from holdfast.wiring.syncing import sync_with
from holdfast.wiring.web_anchors import anchors
from holdfast.wiring.webbing import Site
from tests.cli.harness import Holdfast, forge
from tests.web.projects import keep_elsewhere, opened
from tests.web.seeding import seed
from tests.web.serving import Web, web


@contextmanager
def site_of(folder: Path) -> Iterator[Site]:
    site = Site(place_of(folder), Settings())
    try:
        yield site
    finally:
        site.close()


def _anchors(folder: Path, kind: str) -> list[Any]:
    with site_of(folder) as site:
        return [one for one in anchors(site)["anchors"] if one["kind"] == kind]


def _state(site: Web, save: str) -> Any:
    """Ask for a boot until it has ended."""
    while True:
        told = site.page(f"boot?save={save}")
        if told["state"] not in ("trying", "waiting"):
            return told


@pytest.mark.req("X6")
def test_every_head_that_is_kept_elsewhere_is_held_against_the_ledger(tmp_path: Path) -> None:
    seed(tmp_path, 40)
    save = keep_elsewhere(tmp_path)
    with opened(tmp_path) as project:
        root = project.ledger.root(40)
        project.ledger.append_many([Draft("prompt_given", {"text": "go on"})])
        project.publish()
        made = make_save(project, "CAMPAIGN")
    for kind, where, size in (
        ("git", f"{git_state.REF} ", 40),
        ("save", save, 40),
        ("campaign", f"{made.snapshot.snapshot_id}.campaign", 41),
        ("state", "CURRENT_STATE.json", 41),
    ):
        found = _anchors(tmp_path, kind)
        one = next(one for one in found if one["where"].startswith(where))
        assert (one["size"], one["state"]) == (size, "agrees"), one
        if size == 40:
            assert one["root"] == root


def test_a_head_of_another_history_differs(tmp_path: Path) -> None:
    seed(tmp_path, 40)
    keep_elsewhere(tmp_path)
    ledger = place_of(tmp_path)
    with opened(tmp_path) as project:
        name = project.ledger.head().ledger
    for head in (f"40:{'0' * 64}\n", f"41:{'0' * 64}\n", "many\n"):
        git_state.keep(
            Git(tmp_path), name, {git_state.TREE_HEAD: head.encode()}, message="m", when="@1 +0000"
        )
    broken, longer, other, *_ = _anchors(tmp_path, "git")
    assert (broken["state"], broken["why"]) == ("could not look", "what it keeps is no tree head")
    assert longer["state"] == "differs"
    assert longer["why"] == "it tells of 41 entries; the ledger holds 40"
    assert other["state"] == "differs"
    assert "another root" in other["why"]
    state = ledger.state / "CURRENT_STATE.json"
    state.write_bytes(state.read_bytes().replace(b'"as_of_seq"', b'"as_of_sEq"'))
    assert _anchors(tmp_path, "state")[0]["state"] == "could not look"
    for path in ledger.saves.iterdir():
        path.with_name("f" * 16 + ".campaign").write_bytes(b"PK\x03\x04 and nothing else")
    assert _anchors(tmp_path, "campaign")[0]["state"] == "could not look"


def test_it_is_told_of_which_kinds_more_are_kept_than_were_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed(tmp_path, 5)
    keep_elsewhere(tmp_path)
    with opened(tmp_path) as project:
        project.ledger.append_many([Draft("prompt_given", {"text": "go on"})])
    newest = keep_elsewhere(tmp_path)
    with site_of(tmp_path) as site:
        assert anchors(site)["more"] == []
        monkeypatch.setattr(web_anchors, "WEB_ANCHORS_MAX", 1)
        monkeypatch.setattr(web_anchors, "GIT_MAX", 1)
        told = anchors(site)
    assert told["more"] == ["git", "save"]
    assert [one["where"] for one in told["anchors"] if one["kind"] == "save"] == [newest]


def test_without_git_that_is_told_and_no_agreement(tmp_path: Path) -> None:
    seed(tmp_path, 5)
    assert [(one["state"], one["why"]) for one in _anchors(tmp_path, "git")] == [
        ("could not look", "this is not in a git repository")
    ]


def test_a_peer_that_merged_us_holds_our_head(tmp_path: Path) -> None:
    ours, theirs = seed(tmp_path / "ours", 12), seed(tmp_path / "theirs", 8, chance=3)
    with opened(ours) as project:
        sync_with(project, str(theirs))
    assert _anchors(ours, "peer")[0]["state"] == "none", "it knows nothing of us yet"
    with opened(theirs) as project:
        sync_with(project, str(ours))
    with opened(ours) as project:
        sync_with(project, str(theirs))
    [one] = _anchors(ours, "peer")
    assert (one["state"], one["size"]) == ("agrees", 13)


def test_a_save_is_booted_when_somebody_asks_and_not_before(tmp_path: Path) -> None:
    seed(tmp_path, 60)
    save = keep_elsewhere(tmp_path)
    with web(tmp_path) as site:
        [listed] = site.page("trust")["saves"]
        assert listed["boot"] == {"state": "not tried"}
        assert site.page("boot") == {"saves": {}, "trying": None}
        told = _state(site, save)
        assert told["state"] == "works"
        assert told["digests"] == listed["stores"]
        assert site.page("trust")["saves"][0]["boot"]["state"] == "works"
        assert list(site.page("boot")["saves"]) == [save]
        assert site.ask("/api/boot?save=0000").status == 404


def test_a_save_that_does_not_boot_says_why(tmp_path: Path) -> None:
    seed(tmp_path, 60)
    save = keep_elsewhere(tmp_path)
    forge(Holdfast(tmp_path, tmp_path), 5, "parser", "PARSER")
    forge(Holdfast(tmp_path, tmp_path), 5, "claude-code", "claude-cOde")
    with web(tmp_path) as site:
        told = _state(site, save)
    assert told["state"] == "failed"
    assert told["why"]
    assert told["remedy"]
