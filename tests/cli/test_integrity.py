"""`holdfast integrity`, and what drift means for a session that begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast import StateManager
from holdfast.kernel.errors import Damaged
from tests.cli.harness import Holdfast

JIT = ".claude/protocols/jit-retrieval.md"
STRICT = '[integrity]\nenforcement = "strict"\n'


@pytest.fixture
def installed(holdfast: Holdfast) -> Holdfast:
    assert holdfast("protocols", "install").code == 0
    return holdfast


@pytest.fixture
def drifted(installed: Holdfast) -> Holdfast:
    (installed.folder / JIT).write_text("something else\n")
    return installed


@pytest.mark.req("L16")
def test_what_is_right_passes_and_what_drifted_does_not(installed: Holdfast) -> None:
    right = installed("integrity", "--json")
    assert right.code == 0
    assert right.json()["ok"] is True
    assert "12 as they should be." in installed("integrity").text
    (installed.folder / JIT).write_text("something else\n")
    wrong = installed("integrity", "--json")
    assert wrong.code == 1
    assert [one for one in wrong.json()["findings"] if one["answer"] != "ok"] == [
        {
            "subject": JIT,
            "answer": "drift",
            "detail": "it was edited since it was installed",
            "remedy": "`holdfast protocols install --keep-mine` makes it your override; with "
            "--restore ours comes back and yours is kept aside.",
        }
    ]
    assert f"drift: {JIT}" in installed("integrity").text


def test_without_an_install_there_is_nothing_to_verify(holdfast: Holdfast) -> None:
    done = holdfast("integrity")
    assert (done.code, done.text) == (0, "Nothing is installed here; there is nothing to verify.\n")


@pytest.mark.req("L16")
def test_strict_halts_a_session_and_records_nothing(drifted: Holdfast) -> None:
    drifted.settings.write_text(STRICT)
    halted = drifted("session", "start")
    assert halted.code == 1
    assert JIT in halted.err
    assert "integrity.enforcement is strict" in halted.err
    assert drifted.entries() == []
    answer = drifted("session", "start", "--json")
    assert (answer.code, answer.json()["ok"]) == (1, False)


@pytest.mark.req("L16")
def test_the_loa_file_can_make_it_strict(drifted: Holdfast) -> None:
    (drifted.folder / ".loa.config.yaml").write_text("integrity_enforcement: strict\n")
    assert drifted("session", "start").code == 1


@pytest.mark.req("L16")
def test_what_could_not_be_looked_at_halts_too(installed: Holdfast) -> None:
    installed.settings.write_text(STRICT)
    (installed.folder / ".claude/checksums.json").write_text("{")
    halted = installed("session", "start")
    assert halted.code == 1
    assert "checksums.json" in halted.err


@pytest.mark.req("L16")
def test_strict_lets_a_session_begin_when_all_is_right(installed: Holdfast) -> None:
    installed.settings.write_text(STRICT)
    assert installed("session", "start").code == 0


def test_warn_tells_and_goes_on(drifted: Holdfast) -> None:
    begun = drifted("session", "start")
    assert begun.code == 0
    assert f"{JIT}: it was edited" in begun.err


def test_disabled_does_not_look(drifted: Holdfast) -> None:
    user = drifted.home / ".config/holdfast/config.toml"
    user.parent.mkdir(parents=True)
    user.write_text('[integrity]\nenforcement = "disabled"\n')
    begun = drifted("session", "start")
    assert (begun.code, JIT in begun.err) == (0, False)
    looked = drifted("integrity")
    assert looked.code == 1
    assert "integrity.enforcement is disabled" in looked.err


def test_a_project_cannot_switch_it_off(drifted: Holdfast) -> None:
    drifted.settings.write_text('[integrity]\nenforcement = "disabled"\n')
    assert JIT in drifted("session", "start").err


@pytest.mark.req("L16")
def test_the_same_by_the_api(drifted: Holdfast) -> None:
    with StateManager(drifted.folder) as manager, pytest.warns(UserWarning, match="jit-retrieval"):
        manager.start_session()
    drifted.settings.write_text(STRICT)
    with StateManager(drifted.folder) as manager, pytest.raises(Damaged, match="jit-retrieval"):
        manager.start_session()


@pytest.mark.req("L16")
def test_ck_is_pinned_and_a_replaced_one_is_found_out(holdfast: Holdfast, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    ck = programs / "ck"
    ck.write_text("#!/bin/sh\necho ck 0.8.1\n")
    ck.chmod(0o755)
    path = f"{programs}:/usr/bin:/bin"
    pinned = holdfast("integrity", "--pin", PATH=path)
    assert pinned.code == 0
    assert "Pinned: ck 0.8.1" in pinned.err
    assert holdfast("integrity", PATH=path).code == 0
    ck.write_text("#!/bin/sh\n# another\necho ck 0.8.1\n")
    replaced = holdfast("integrity", PATH=path)
    assert replaced.code == 1
    assert "drift: ck: the program" in replaced.text
    assert holdfast("integrity", PATH="/usr/bin:/bin").code == 0


def test_there_must_be_a_ck_to_pin(holdfast: Holdfast, tmp_path: Path) -> None:
    assert holdfast("integrity", "--pin", PATH=str(tmp_path)).code == 1
