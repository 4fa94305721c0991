"""`holdfast config`: each value, where it came from, and what is not used."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.harness import Holdfast

LOA = """\
grounding_enforcement: warn
persistence_mode: standard
attention_budget:
  yellow_threshold: 4000
edd:
  enabled: true
  min_test_scenarios: 3
"""


@pytest.fixture
def loa(holdfast: Holdfast) -> Path:
    path = holdfast.folder / ".loa.config.yaml"
    path.write_text(LOA)
    return path


@pytest.mark.req("L8")
def test_values_of_the_loa_file_say_where_they_come_from(holdfast: Holdfast, loa: Path) -> None:
    shown = {one["key"]: one for one in holdfast("config", "--json").json()}
    assert shown["attention.yellow"]["value"] == 4000
    assert shown["attention.yellow"]["origin"] == ".loa.config.yaml"
    assert shown["gate.enforcement"]["value"] == "strict"
    assert "asks for warn, but may only make it stricter" in shown["gate.enforcement"]["note"]


@pytest.mark.lesson("L4")
def test_keys_that_mean_nothing_here_are_listed(holdfast: Holdfast, loa: Path) -> None:
    unused = [one for one in holdfast("config", "--json").json() if one.get("note") == "not used"]
    assert [one["key"] for one in unused] == [
        "persistence_mode",
        "edd.enabled",
        "edd.min_test_scenarios",
    ]
    assert {one["value"] for one in unused} == {None}  # somebody else's file may hold secrets
    last = holdfast("config").text.splitlines()[-1]
    assert last == "Not used of .loa.config.yaml: persistence_mode, edd (2 keys)"


def test_the_path_of_the_file_is_named(holdfast: Holdfast, loa: Path) -> None:
    assert holdfast("config", "path", "--json").json()[".loa.config.yaml"] == str(loa)


@pytest.mark.lesson("L4")
def test_a_misplaced_key_of_ours_is_an_error_with_the_right_name(holdfast: Holdfast) -> None:
    holdfast.settings.write_text('grounding_enforcement = "warn"\n[gate]\nenforcment = "warn"\n')
    refused = holdfast("config")
    assert refused.code == 2
    holdfast.settings.write_text('[gate]\nenforcment = "warn"\n')
    refused = holdfast("config")
    assert refused.code == 2
    assert "'gate.enforcement' (in the table [gate])" in refused.err
    holdfast.settings.write_text('[grounding]\nenforcement = "warn"\n')
    assert "enforcement" in holdfast("config").err
    assert holdfast("config").code == 2


@pytest.mark.lesson("L4")
def test_what_cannot_be_read_of_a_loa_file_is_told_and_stops_nothing(
    holdfast: Holdfast, loa: Path
) -> None:
    loa.write_text("a: 1\nnonsense\n---\ngrounding_enforcement: strict\n")
    told = holdfast("config")
    assert told.code == 0
    assert ".loa.config.yaml: could not be read: line 2" in told.err
    assert "line 4, what comes after the first document" in told.err
    notes = [one["note"] for one in holdfast("config", "--json").json() if one["key"] == loa.name]
    assert len(notes) == 2
    assert holdfast.record()["seq"] == 0
    for command in (["session", "start", "--session", "s"], ["clear", "--check"]):
        assert holdfast(*command).err.count("could not be read: line 2") == 1


def test_a_pipe_in_the_place_of_settings_is_not_waited_for(holdfast: Holdfast, loa: Path) -> None:
    loa.unlink()
    os.mkfifo(loa)
    assert "a pipe or a device" in holdfast("config").err
    assert holdfast("config").code == 0
    os.mkfifo(holdfast.settings)
    refused = holdfast("record", "metric", "--data", "{}")
    assert (refused.code, "a pipe or a device" in refused.err) == (2, True)
