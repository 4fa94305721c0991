"""`.loa.config.yaml`: read for the keys both have; it may narrow, and never widen."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast import config
from holdfast.config import Loaded
from holdfast.config.foreign import MEANINGS, Foreign, read_foreign
from holdfast.config.model import KNOWN
from holdfast.config.yaml_lines import lines_of
from holdfast.kernel.limits import FOREIGN_UNREAD_MAX, SETTINGS_BYTES_MAX

STRICT: dict[str, object] = {"integrity.enforcement": "strict"}

WHOLE = """\
---
# The configuration of a framework.
persistence_mode: standard

integrity_enforcement: strict   # strict | warn | disabled
disabled_agents: []
# disabled_agents:
#   - one
paths:
  notes: "a # in quotes"
  "quoted key": x
memory:
  notes_file: grimoires/loa/NOTES.md
  hook:
    enabled: true
    tools:
      - Read
      - path: grimoires
        include: ["*.md", "a,b"]
integrations:
- github
- linear
text: |
  grounding_enforcement: disabled
  : not a key
empty:
flow: {a: [1,
  2], grounding_enforcement: warn}
long: the first line
  goes on here
grounding:
  threshold: 0.97
  enforcement: 'strict'
  negative:
    similarity_threshold: 0.4
attention_budget:
  green_threshold: 2000
  yellow_threshold: 4000
  orange_threshold: 7500
  red_threshold: 10000
"""


class Project:
    """A project with its settings file, its `.loa.config.yaml`, and a user's settings."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.user = self.home / ".config" / "holdfast" / "config.toml"
        self.root = folder / "project"
        self.settings = self.root / ".holdfast" / "config.toml"
        for path in (self.user, self.settings):
            path.parent.mkdir(parents=True)

    def load(self, loa: str, *, user: str = "", project: str = "") -> Loaded:
        (self.root / ".loa.config.yaml").write_text(loa)
        self.user.write_text(user)
        self.settings.write_text(project)
        return config.load(self.settings, env={}, home=self.home)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def read(folder: Path, text: str) -> dict[str, object]:
    path = folder / ".loa.config.yaml"
    path.write_text(text)
    return read_foreign(path).values


@pytest.mark.req("L8", "L16")
def test_the_keys_both_have_are_read(project: Project) -> None:
    loaded = project.load(WHOLE)
    assert loaded.settings.gate.enforcement == "strict"
    assert loaded.settings.gate.threshold == 0.97
    assert loaded.settings.integrity.enforcement == "strict"
    attention = loaded.settings.attention
    assert (attention.yellow, attention.orange, attention.red) == (4000, 7500, 10000)
    assert loaded.settings.notes.path == "grimoires/loa/NOTES.md"


def test_each_value_says_that_it_comes_from_there(project: Project) -> None:
    origins = {one.key: one.origin for one in project.load(WHOLE).effective}
    assert origins["integrity.enforcement"] == ".loa.config.yaml"
    assert origins["gate.threshold"] == ".loa.config.yaml"
    assert origins["seal.keep"] == "default"


@pytest.mark.lesson("L4")
def test_keys_that_mean_nothing_here_are_listed_and_no_error(project: Project) -> None:
    assert project.load(WHOLE).unused == (
        "persistence_mode",
        "disabled_agents",
        "paths.notes",
        "paths.quoted key",
        "memory.hook.enabled",
        "memory.hook.tools",
        "integrations",
        "text",
        "empty",
        "flow",
        "long",
        "grounding.negative.similarity_threshold",
        "attention_budget.green_threshold",
    )


def test_every_meaning_is_a_setting() -> None:
    assert set(MEANINGS.values()) <= KNOWN.keys()


@pytest.mark.req("L8")
@pytest.mark.parametrize("asked", ["warn", "disabled"])
def test_a_project_cannot_loosen_the_gate(project: Project, asked: str) -> None:
    loaded = project.load(
        f"grounding_enforcement: {asked}\ngrounding:\n  threshold: 0.1\n",
        project=f'[gate]\nenforcement = "{asked}"\nthreshold = 0.2\n',
    )
    assert (loaded.settings.gate.enforcement, loaded.settings.gate.threshold) == ("strict", 0.95)
    notes = {one.key: one.note for one in loaded.effective}
    assert notes["gate.enforcement"].count(f"asks for {asked}, but may only make it stricter") == 2
    assert "(.loa.config.yaml)" in notes["gate.enforcement"]
    assert "asks for 0.1, but may only raise it" in notes["gate.threshold"]


@pytest.mark.req("L8")
@pytest.mark.parametrize("asked", ["warn", "disabled"])
def test_the_users_own_settings_may_loosen_the_gate(project: Project, asked: str) -> None:
    user = f'[gate]\nenforcement = "{asked}"\nthreshold = 0.5\n'
    loaded = project.load("", user=user)
    assert (loaded.settings.gate.enforcement, loaded.settings.gate.threshold) == (asked, 0.5)
    back = project.load("grounding_enforcement: strict\n", user=user)
    assert back.settings.gate.enforcement == "strict"


@pytest.mark.req("L8")
def test_no_variable_of_the_environment_touches_the_gate() -> None:
    assert [KNOWN[key].about.variable for key in KNOWN if key.startswith("gate.")] == [None, None]


def test_of_two_keys_that_mean_the_same_the_narrower_counts(tmp_path: Path) -> None:
    two = "grounding_enforcement: warn\ngrounding:\n  enforcement: strict\n"
    assert read(tmp_path, two) == {"gate.enforcement": "strict"}
    two = "grounding:\n  threshold: 0.99\nsynthesis_checkpoint:\n  grounding_threshold: 0.9\n"
    assert read(tmp_path, two) == {"gate.threshold": 0.99}


def test_the_projects_own_file_comes_after_it(project: Project) -> None:
    loaded = project.load(
        "memory:\n  notes_file: a.md\nintegrity_enforcement: strict\n",
        project='[notes]\npath = "b.md"\n[integrity]\nenforcement = "warn"\n',
    )
    assert loaded.settings.notes.path == "b.md"
    assert loaded.settings.integrity.enforcement == "strict"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("grounding_enforcement: maybe\n", "line 1, grounding_enforcement: Invalid enum"),
        ("grounding_enforcement: 3\n", "line 1, grounding_enforcement: Expected `str`"),
        ("a: 1\ngrounding:\n  threshold: high\n", "line 3, grounding.threshold: Expected `float`"),
        ("grounding:\n  threshold: 1.5\n", "<= 1"),
        ("grounding_enforcement:\n", "has no value"),
        ("grounding:\n  enforcement: null\n", "line 2, grounding.enforcement: it has no value"),
        ("grounding_enforcement: [strict]\n", "has no single value"),
        ("grounding_enforcement:\n  - strict\n", "has no single value"),
        ("grounding_enforcement: strict\n  and more\n", "has no single value"),
        ("grounding_enforcement: |\n  strict\n", "has no single value"),
        ("grounding_enforcement: *other\n", "not read here"),
        ("grounding_enforcement: !!str strict\n", "not read here"),
        ('grounding_enforcement: "str\\u0069ct"\n', "not read here"),
        ("a: [1,\n", "line 1, a: a bracket that is never closed"),
        ("just words\n", "line 1, which is no key"),
        ("a:\n\tb: 1\n", "line 2, which is no key"),
        ("a: 1\n--- \nb: 2\n", "line 3, what comes after the first document"),
        ("a: 1\n...\nb: 2\n", "line 3, what comes after the first document"),
        ("- a\n- b\n", "line 1, which is no key"),
        ("? complex\n: value\n", "line 1, which is no key"),
        ("{grounding: {threshold: 0.99}}\n", "line 1, which is no key"),
        ("grounding: {threshold: [0.99]}\n", "line 1, grounding: its value"),
        ("grounding: {threshold: 0.99,\n  enforcement: strict}\n", "line 1, grounding: its value"),
        ("grounding: *base\n", "line 1, grounding: its value"),
        ("grounding: |\n  threshold: 0.99\n", "line 1, grounding: its value"),
        (
            "base: &b\n  threshold: 1\ngrounding:\n  <<: *b\n",
            "line 4, grounding.<<: what it merges",
        ),
        ("memory:\n  notes_file: /tmp/x.md\n", "line 2, memory.notes_file: '/tmp/x.md' is no path"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line_and_passed_over(
    tmp_path: Path, text: str, told: str
) -> None:
    path = tmp_path / ".loa.config.yaml"
    path.write_text(text)
    found = read_foreign(path)
    assert told in found.unread[0]
    assert found.values == {}


def test_what_can_be_read_counts_beside_what_cannot(tmp_path: Path) -> None:
    text = "words\n? x\n: y\nintegrity_enforcement: strict\n---\nintegrity_enforcement: warn\n"
    assert read(tmp_path, text) == {"integrity.enforcement": "strict"}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("%YAML 1.2\n%TAG ! x\n---\nintegrity_enforcement: strict\n", STRICT),
        ("integrity_enforcement: strict\n...\n", STRICT),
        ("кл: 2\n日本: {a: b}\nintegrity_enforcement: strict\n", STRICT),
        ("title: a [b,\nintegrity_enforcement: strict\n", STRICT),
        ("integrity_enforcement: &level strict\n", STRICT),
        ("grounding:\n  threshold: .97\n", {"gate.threshold": 0.97}),
        ("grounding:\n  threshold: 1.\n", {"gate.threshold": 1.0}),
        ("attention_budget:\n  red_threshold: 5_000\n", {"attention.red": 5000}),
        ("memory:\n  notes_file: 'it''s.md'\n", {"notes.path": "it's.md"}),
        ("grounding: &here\n  threshold: 0.99\n", {"gate.threshold": 0.99}),
        (
            'grounding: {enforcement: strict, "threshold": 0.99, x: "a, b: {"}  # why\n',
            {"gate.enforcement": "strict", "gate.threshold": 0.99},
        ),
    ],
)
def test_other_ways_of_writing_the_same_are_read(
    tmp_path: Path, text: str, values: dict[str, object]
) -> None:
    path = tmp_path / ".loa.config.yaml"
    path.write_text(text)
    found = read_foreign(path)
    assert (found.values, found.unread) == (values, ())


def test_of_a_key_that_is_there_twice_the_narrower_counts_and_it_is_told(tmp_path: Path) -> None:
    path = tmp_path / ".loa.config.yaml"
    twice = "attention_budget:\n  red_threshold: 9\n  red_threshold: 7\n  red_threshold: 8\n"
    path.write_text(f"{twice}integrity_enforcement: strict\nintegrity_enforcement: warn\n")
    found = read_foreign(path)
    assert found.values == {"attention.red": 7, "integrity.enforcement": "strict"}
    assert ["twice" in why for why in found.unread] == [True, True, True]


def test_of_many_lines_that_cannot_be_read_the_first_are_told_and_the_others_counted(
    tmp_path: Path,
) -> None:
    path = tmp_path / ".loa.config.yaml"
    path.write_text("words\n" * (FOREIGN_UNREAD_MAX + 3))
    unread = read_foreign(path).unread
    assert (len(unread), unread[-1]) == (FOREIGN_UNREAD_MAX + 1, "3 later lines")


def test_a_line_that_cannot_be_read_is_not_repeated(tmp_path: Path) -> None:
    path = tmp_path / ".loa.config.yaml"
    path.write_text("token=hunter2\n")
    assert "hunter2" not in str(read_foreign(path))


def test_a_file_that_is_not_there_sets_nothing(tmp_path: Path) -> None:
    assert read_foreign(tmp_path / "none") == Foreign()


def test_a_file_that_is_no_text_or_too_large_is_told(tmp_path: Path) -> None:
    path = tmp_path / ".loa.config.yaml"
    path.write_bytes(b"a: \xff\n")
    assert read_foreign(path) == Foreign(unread=("is not UTF-8 at byte 3",))
    path.write_bytes(b"#" * (SETTINGS_BYTES_MAX + 1))
    assert "is larger than" in read_foreign(path).unread[0]


def test_a_pipe_is_told_and_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / ".loa.config.yaml"
    os.mkfifo(path)
    assert "a pipe or a device" in read_foreign(path).unread[0]


@given(st.text(max_size=200))
def test_any_text_is_read_or_told(text: str) -> None:
    assert all(line.number > 0 and (line.key or line.problem) for line in lines_of(text))


@given(st.text(alphabet="ab: -{}[],#'\"\n\t&*!|>?%", max_size=60))
def test_any_odd_mapping_is_read_or_told(text: str) -> None:
    assert all(line.number > 0 for line in lines_of(f"grounding: {text}"))


def test_a_long_line_takes_no_long_time(tmp_path: Path) -> None:
    # some of the file's largest size: what grows by the square would not end
    for line in ("a" + " " * SETTINGS_BYTES_MAX, "a: {" * (SETTINGS_BYTES_MAX // 4), "'" * 10**6):
        assert read(tmp_path, line[: SETTINGS_BYTES_MAX - 1] + "x") == {}


def test_comments_marks_and_line_ends_of_other_systems_do_not_matter(tmp_path: Path) -> None:
    text = "\ufeff# first\r\ngrounding_enforcement: strict # why\r\n\r\n"
    assert read(tmp_path, text) == {"gate.enforcement": "strict"}
