"""`holdfast pin`: what saves depend on, and saying that it changed on purpose."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdfast.views import pins
from tests.cli.harness import Holdfast


@pytest.fixture
def changed(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let the code that runs have other pins from now on; null takes one away."""
    real = pins.environment_pins

    def change(**values: str | None) -> None:
        now: dict[str, str | None] = {**real(), **values}
        kept = {name: value for name, value in now.items() if value is not None}
        for place in ("holdfast.views.pins", "holdfast.wiring.booting"):
            monkeypatch.setattr(f"{place}.environment_pins", lambda: kept)

    return change


def listed(holdfast: Holdfast) -> dict[str, Any]:
    lines = holdfast("pin", "list", "--json").out.splitlines()
    return {one["pin"]: one for one in map(json.loads, lines)}


def test_every_pin_is_listed_beside_the_newest_saves(holdfast: Holdfast, changed: Any) -> None:
    environment = pins.environment_pins()
    assert {name: one["value"] for name, one in listed(holdfast).items()} == environment
    assert {one["saved"] for one in listed(holdfast).values()} == {None}
    holdfast("save")
    assert {name: one["saved"] for name, one in listed(holdfast).items()} == environment
    changed(tokens="holdfast-3")
    assert holdfast("pin", "--json").out == holdfast("pin", "list", "--json").out
    assert "holdfast-3  (the newest save has holdfast-2)" in holdfast("pin").text


@pytest.mark.req("O9")
@pytest.mark.lesson("O1")
def test_a_revision_lets_old_saves_boot_and_only_those(holdfast: Holdfast, changed: Any) -> None:
    holdfast.record()
    holdfast("save")
    changed(tokens="holdfast-3")
    assert holdfast("boot").code == 1
    done = holdfast("pin", "revise", "tokens", "--reason", "counts better", "--json")
    assert (done.json()["before"], done.json()["after"]) == ("holdfast-2", "holdfast-3")
    assert holdfast("boot").code == 0
    changed(tokens="holdfast-4")
    assert holdfast("boot").code == 1
    holdfast("pin", "revise", "tokens", "--to", "holdfast-4", "--reason", "and better")
    assert holdfast("boot").code == 0


@pytest.mark.req("O9")
def test_an_older_save_than_the_newest_can_be_revised_for(holdfast: Holdfast, changed: Any) -> None:
    old = holdfast("save", "--json").json()["snapshot_id"]
    changed(tokens="holdfast-3")
    holdfast.record()
    holdfast("save")
    assert holdfast("boot", old).code == 1
    assert holdfast("pin", "revise", "tokens", "--reason", "counts better").code == 0
    assert holdfast("boot", old).code == 0


@pytest.mark.req("O9")
def test_a_pin_that_is_new_or_gone_is_revised_too(holdfast: Holdfast, changed: Any) -> None:
    holdfast.record()
    holdfast("save")
    changed(tokens=None, counter="words")
    assert holdfast("boot").code == 1
    gone = holdfast("pin", "revise", "tokens", "--reason", "renamed", "--json").json()
    assert (gone["before"], gone["after"]) == ("holdfast-2", "absent")
    new = holdfast("pin", "revise", "counter", "--reason", "renamed", "--json").json()
    assert (new["before"], new["after"]) == ("absent", "words")
    assert holdfast("boot").code == 0


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (("nope", "--reason", "x"), 1, "There is no pin 'nope'."),
        (("tokens", "--reason", "x"), 2, "would change nothing"),
        (("tokens", "--to", "holdfast-2", "--reason", "x"), 2, "would change nothing"),
        (("tokens",), 2, "--reason"),
        (("tokens", "--to", "other", "--reason", " "), 2, "does not fit"),
    ],
)
def test_what_changes_nothing_is_refused(
    holdfast: Holdfast, args: tuple[str, ...], code: int, said: str
) -> None:
    holdfast("save")
    done = holdfast("pin", "revise", *args)
    assert (done.code, holdfast.entries()) == (code, [])
    assert said in done.err


def test_a_save_that_is_damaged_is_named(holdfast: Holdfast) -> None:
    holdfast("save")
    (holdfast.folder / ".holdfast/saves/feedfeedfeedfeed.json").write_bytes(b"{")
    assert "feedfeedfeedfeed.json is no save" in holdfast("pin").err
    revised = holdfast("pin", "revise", "tokens", "--to", "x", "--reason", "y")
    assert "feedfeedfeedfeed.json is no save" in revised.err


def test_without_a_save_there_is_nothing_to_revise(holdfast: Holdfast) -> None:
    done = holdfast("pin", "revise", "tokens", "--to", "x", "--reason", "y")
    assert (done.code, holdfast.entries()) == (2, [])
    assert "There is no save yet" in done.err


def test_the_same_revision_is_recorded_once(holdfast: Holdfast, changed: Any) -> None:
    holdfast("save")
    changed(tokens="holdfast-3")
    assert holdfast("pin", "revise", "tokens", "--reason", "x").code == 0
    again = holdfast("pin", "revise", "tokens", "--reason", "x")
    assert (again.code, len(holdfast.entries())) == (2, 1)
    assert "Entry 0 revises tokens from holdfast-2 to holdfast-3 already." in again.err
