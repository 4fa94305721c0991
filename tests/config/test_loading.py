"""Settings: sources, what a project may do, and how mistakes are told."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from holdfast import config
from holdfast.config import Loaded, Settings
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import (
    PROXY_HYDRATION_TOKENS,
    SCAN_FILE_BYTES_DEFAULT,
    SCAN_FILES_DEFAULT,
    SETTINGS_BYTES_MAX,
)


class Desk:
    """A user's home and a project, each with a settings file."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.user = self.home / ".config" / "holdfast" / "config.toml"
        self.project = folder / "config.toml"
        self.user.parent.mkdir(parents=True)

    def load(self, user: str = "", project: str = "", **env: str) -> Loaded:
        self.user.write_text(user)
        self.project.write_text(project)
        return config.load(self.project, env=env, home=self.home)

    def settings(self, user: str = "", project: str = "", **env: str) -> Settings:
        return self.load(user, project, **env).settings

    def origin(self, key: str, *args: str, **env: str) -> str:
        return {one.key: one.origin for one in self.load(*args, **env).effective}[key]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def actor(name: str) -> str:
    return f"[record]\nactor = {name!r}\n"


def test_without_any_file_the_defaults_count(tmp_path: Path) -> None:
    loaded = config.load(tmp_path / "none.toml", env={}, home=tmp_path)
    assert loaded.settings == Settings()
    assert {one.origin for one in loaded.effective} == {"default"}
    assert config.load(env={}, home=tmp_path).settings == Settings()


def test_later_sources_count_more(desk: Desk) -> None:
    assert desk.settings(actor("u")).record.actor == "u"
    assert desk.settings(actor("u"), actor("p")).record.actor == "p"
    assert desk.settings(actor("u"), actor("p"), HOLDFAST_ACTOR="e").record.actor == "e"


def test_each_value_knows_where_it_comes_from(desk: Desk) -> None:
    assert desk.origin("record.actor") == "default"
    assert desk.origin("record.actor", actor("u")) == "user"
    assert desk.origin("record.actor", actor("u"), actor("p")) == "project"
    assert desk.origin("record.actor", "", actor("p"), HOLDFAST_ACTOR="e") == "env"


def test_the_environment_names_session_and_ledger(desk: Desk) -> None:
    settings = desk.settings(HOLDFAST_SESSION="s", HOLDFAST_LEDGER="/x")
    assert (settings.record.session, settings.ledger.path) == ("s", "/x")
    assert config.named_ledger({"HOLDFAST_LEDGER": "/x"}) == "/x"
    assert config.named_ledger({"HOLDFAST_LEDGER": ""}) is None


def test_an_empty_variable_is_none(desk: Desk) -> None:
    assert desk.settings(HOLDFAST_SESSION="", HOLDFAST_ACTOR="").record == Settings().record


def test_the_users_file_follows_xdg(tmp_path: Path) -> None:
    moved = config.user_file(env={"XDG_CONFIG_HOME": str(tmp_path)}, home=Path("/h"))
    assert moved == tmp_path / "holdfast" / "config.toml"
    relative = config.user_file(env={"XDG_CONFIG_HOME": "here"}, home=Path("/h"))
    assert relative == Path("/h/.config/holdfast/config.toml")


def test_secret_names_only_add_up(desk: Desk) -> None:
    loaded = desk.load(
        "[redaction]\nsecret_names = ['a', 'b']", "[redaction]\nsecret_names = ['b', 'c']"
    )
    assert loaded.settings.redaction.secret_names == ("a", "b", "c")
    assert {one.origin for one in loaded.effective if one.value == ("a", "b", "c")} == {
        "user and project"
    }


def test_a_project_may_lower_the_wait_and_not_raise_it(desk: Desk) -> None:
    assert desk.settings("[lock]\nwait_s = 5", "[lock]\nwait_s = 2").lock.wait_s == 2
    assert desk.settings("", "[lock]\nwait_s = 0").lock.wait_s == 0
    raised = desk.load("[lock]\nwait_s = 5", "[lock]\nwait_s = 60")
    (wait,) = (one for one in raised.effective if one.key == "lock.wait_s")
    assert (wait.value, wait.origin) == (5, "user")
    assert "the project asks for 60" in wait.note
    assert desk.settings("[lock]\nwait_s = 60").lock.wait_s == 60


def test_only_the_user_may_switch_the_entropy_rule_off(desk: Desk) -> None:
    off = "[redaction]\nentropy = false"
    assert desk.settings(off).redaction.entropy is False
    with pytest.raises(InvalidInput, match="only the user's own settings can"):
        desk.settings("", off)
    with pytest.raises(InvalidInput, match="only the user's own settings can"):
        desk.settings(off, off)


def test_a_project_may_switch_the_entropy_rule_on_again(desk: Desk) -> None:
    off, on = "[redaction]\nentropy = false", "[redaction]\nentropy = true"
    assert desk.settings(off, on).redaction.entropy is True


def test_only_the_user_may_have_tool_calls_denied(desk: Desk) -> None:
    deny = "[attention]\ndeny = true"
    assert desk.settings(deny).attention.deny is True
    with pytest.raises(InvalidInput, match="only the user's own settings can"):
        desk.settings("", deny)


def test_a_project_may_lower_where_zones_begin_and_not_raise_it(desk: Desk) -> None:
    lowered = desk.settings("", "[attention]\nred = 9000\nred_share = 0.5").attention
    assert (lowered.red, lowered.red_share) == (9000, 0.5)
    raised = desk.settings("", "[attention]\nred = 90000\nred_share = 1").attention
    assert (raised.red, raised.red_share) == (15_000, 0.75)


@pytest.mark.parametrize(
    "text",
    [
        "upstreams = ['http://127.0.0.1:11434']",
        "upstreams = []",
        "port = 1",
        "audit = 'on'",
        "debug = true",
    ],
)
def test_a_project_cannot_say_where_models_are_nor_what_the_proxy_shows(
    desk: Desk, text: str
) -> None:
    desk.settings(f"[proxy]\n{text}")
    with pytest.raises(InvalidInput, match="only the user's own settings can"):
        desk.settings("", f"[proxy]\n{text}")


def test_a_project_may_ask_the_proxy_for_more_care_and_not_for_less(desk: Desk) -> None:
    careful = desk.settings("", "[proxy]\nparity_share = 0.9\nhydrate_tokens = 10").proxy
    assert (careful.parity_share, careful.hydrate_tokens) == (0.9, 10)
    loose = desk.settings("", "[proxy]\nparity_share = 0.1\nhydrate_tokens = 1000000").proxy
    assert (loose.parity_share, loose.hydrate_tokens) == (0.5, PROXY_HYDRATION_TOKENS)


def test_what_belongs_to_no_project_is_kept_in_the_users_data_folder(tmp_path: Path) -> None:
    assert config.data_folder(env={}, home=tmp_path) == tmp_path / ".local/share/holdfast"
    set_here = {"XDG_DATA_HOME": str(tmp_path / "data")}
    assert config.data_folder(env=set_here, home=tmp_path) == tmp_path / "data/holdfast"
    relative = {"XDG_DATA_HOME": "data"}
    assert config.data_folder(env=relative, home=tmp_path) == tmp_path / ".local/share/holdfast"


@pytest.mark.lesson("L4")
@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("[record]\nactr = 'x'", "'record.actor'"),
        ("[recrod]\nactor = 'x'", "'record.actor'"),
        ("actor = 'x'", "'record.actor'"),
        ("[lock]\nactor = 'x'", "'record.actor'"),
        ("wait_s = 1", "'lock.wait_s'"),
        ("[redaction.more]\nentropy = true", "'redaction.entropy'"),
        ("[redaction]\nsecret-names = []", "'redaction.secret_names'"),
        ("[gat]\nenforcement = 'warn'", "'gate.enforcement'"),
        ("[integrty]\nenforcement = 'warn'", "'integrity.enforcement'"),
        ("[gate]\ntreshold = 1", "'gate.threshold'"),
        ("[zzz]\nqqq = 1", "Known: record.actor, redaction.secret_names"),
        ("[zzz]", "Known: record.actor"),
        ("[record]\nsession = 'x'", "HOLDFAST_SESSION"),
        ("[ledger]\npath = '/x'", "HOLDFAST_LEDGER"),
    ],
)
@pytest.mark.parametrize("whose", ["user", "project"])
def test_an_unknown_or_misplaced_key_is_an_error(
    desk: Desk, text: str, meant: str, whose: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        desk.load(**{whose: text})
    assert meant in str(caught.value)
    assert str(getattr(desk, whose)) in caught.value.what


@pytest.mark.lesson("L4")
def test_every_known_key_is_taken(desk: Desk) -> None:
    text = (
        "[record]\nactor = 'x'\n[redaction]\nsecret_names = ['y']\nentropy = true\n"
        "[lock]\nwait_s = 1.5\n"
    )
    changed = {one.key for one in desk.load(text).effective if one.origin == "user"}
    assert changed == {
        "record.actor",
        "redaction.secret_names",
        "redaction.entropy",
        "lock.wait_s",
    }


@pytest.mark.parametrize(
    ("text", "key", "expected"),
    [
        ("[record]\nactor = 3", "record.actor", "Expected `str`, got `int`"),
        ("[record]\nactor = ''", "record.actor", "Expected text without blanks"),
        ("[redaction]\nentropy = 'no'", "redaction.entropy", "Expected `bool`, got `str`"),
        ("[redaction]\nsecret_names = 'x'", "redaction.secret_names", "Expected `array`"),
        ("[redaction]\nsecret_names = [1]", "redaction.secret_names", "got `int`"),
        ("[lock]\nwait_s = '1'", "lock.wait_s", "Expected `float`, got `str`"),
        ("[lock]\nwait_s = true", "lock.wait_s", "Expected `float`, got `bool`"),
        ("[lock]\nwait_s = -1", "lock.wait_s", ">= 0"),
        ("[lock]\nwait_s = nan", "lock.wait_s", ">= 0"),
        ("[lock]\nwait_s = inf", "lock.wait_s", "<= 3600"),
    ],
)
def test_a_value_of_the_wrong_kind_names_key_file_and_kind(
    desk: Desk, text: str, key: str, expected: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        desk.load(user=text)
    for part in (key, str(desk.user), expected):
        assert part in caught.value.what


def test_a_variable_of_the_wrong_kind_is_named(desk: Desk) -> None:
    with pytest.raises(InvalidInput, match="variable HOLDFAST_ACTOR"):
        desk.load(HOLDFAST_ACTOR=" x")


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"[record", "is not TOML"),
        (b"[record]\nactor = '\xff'", "not UTF-8 at byte 18"),
        (b"x = " + b"[" * 50_000, "nested too deeply"),
        (b"#" * (SETTINGS_BYTES_MAX + 1), "larger than"),
    ],
)
def test_a_file_that_is_not_settings_is_named(desk: Desk, content: bytes, named: str) -> None:
    desk.user.write_bytes(content)
    with pytest.raises(InvalidInput, match=named) as caught:
        config.load(env={}, home=desk.home)
    assert str(desk.user) in caught.value.what


def test_a_folder_in_the_place_of_a_file_is_named(desk: Desk) -> None:
    desk.user.mkdir()
    with pytest.raises(InvalidInput, match="cannot be read"):
        config.load(env={}, home=desk.home)


@pytest.mark.parametrize("whose", ["user", "project"])
def test_a_pipe_in_the_place_of_a_file_is_refused_and_not_waited_for(
    desk: Desk, whose: str
) -> None:
    path = getattr(desk, whose)
    os.mkfifo(path)
    with pytest.raises(InvalidInput, match="a pipe or a device") as caught:
        config.load(desk.project, env={}, home=desk.home)
    assert str(path) in caught.value.what


def test_only_the_user_may_switch_the_notes_off(desk: Desk) -> None:
    off = "[notes]\nwrite = false"
    assert desk.settings(off).notes.write is False
    assert desk.settings(off, "[notes]\nwrite = true").notes.write is True
    with pytest.raises(InvalidInput, match="only the user's own settings can"):
        desk.settings("", off)


@pytest.mark.parametrize("path", ["/tmp/x.md", "~/x.md", "\\\\x.md", " x.md"])
@pytest.mark.parametrize("whose", ["user", "project"])
def test_notes_are_named_from_the_projects_root(desk: Desk, path: str, whose: str) -> None:
    with pytest.raises(InvalidInput, match=r"notes\.path .* is no path from the project's root"):
        desk.load(**{whose: f"[notes]\npath = {path!r}"})


def test_every_setting_has_a_line_about_it() -> None:
    for one in config.load(env={}, home=Path("/nonexistent")).effective:
        assert one.doc.endswith(".")
        assert "\n" not in one.doc


@pytest.mark.parametrize(("value", "on"), [("", False), ("0", False), ("1", True)])
def test_debugging_is_asked_for_by_a_variable(value: str, on: bool) -> None:
    env: dict[str, Any] = {config.DEBUG_VARIABLE: value}
    assert config.debugging(env) is on
    assert config.debugging({}) is False


def test_a_project_cannot_widen_or_switch_off_what_is_looked_at_for_changes(desk: Desk) -> None:
    asked = "[agents]\nscan_files_max = 1000000\nfile_bytes_max = 30000000"
    agents = desk.settings("", asked).agents
    assert (agents.scan_files_max, agents.file_bytes_max) == (
        SCAN_FILES_DEFAULT,
        SCAN_FILE_BYTES_DEFAULT,
    )
    assert desk.settings(asked).agents.scan_files_max == 1_000_000
    assert desk.settings("", "[agents]\nscan_files_max = 10").agents.scan_files_max == 10
    assert not desk.settings("[agents]\nscan = false").agents.scan
    with pytest.raises(InvalidInput, match="cannot switch it off"):
        desk.settings("", "[agents]\nscan = false")
