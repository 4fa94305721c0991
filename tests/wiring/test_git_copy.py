"""The copy of a ledger's text in git."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdfast.evidence import git_state
from holdfast.evidence.git import Git
from holdfast.kernel.errors import StorageFailed
from tests.cli.harness import Holdfast
from tests.evidence.repositories import git, repository, seen

REF = "refs/holdfast/state"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def project(folder: Path, home: Path) -> Holdfast:
    holdfast = Holdfast(folder, home)
    assert holdfast("init").code == 0
    return holdfast


def work(holdfast: Holdfast, session: str = "s1") -> str:
    """Decide something in a session and end it; return what was said meanwhile."""
    assert holdfast("session", "start", "--session", session).code == 0
    decided = ("decide", f"PSO over GA in {session}", "--because", "it is faster")
    holdfast(*decided, HOLDFAST_SESSION=session)
    assert holdfast("task", "add", f"tune {session}").code == 0
    done = holdfast("session", "end", "--session", session)
    assert done.code == 0
    return done.err


def kept(folder: Path) -> dict[str, str]:
    """Return the files of the only ledger on the ref."""
    (ledger,) = git(folder, "ls-tree", "--name-only", REF).split()
    names = git(folder, "ls-tree", "-r", "--name-only", f"{REF}:{ledger}").split("\n")
    return {name: git(folder, "show", f"{REF}:{ledger}/{name}") for name in names}


@pytest.mark.req("L12")
def test_the_text_state_is_committed_when_a_session_ends(tmp_path: Path, home: Path) -> None:
    holdfast = project(repository(tmp_path / "project"), home)
    assert "git" not in work(holdfast)
    files = kept(holdfast.folder)
    assert {"NOTES.md", "TREE_HEAD", "tasks.jsonl", "state/CURRENT_STATE.json"} <= set(files)
    assert "state/SESSION_MEMORY.json" in files
    assert any(name.startswith("trajectory/") for name in files)
    assert files["NOTES.md"] == (holdfast.folder / "NOTES.md").read_text().strip()
    assert json.loads(files["tasks.jsonl"])["title"] == "tune s1"
    size, root = files["TREE_HEAD"].split(":")
    status = holdfast("status", "--json").json()
    assert (int(size), root) == (status["entries"], status["root"])


@pytest.mark.req("L12")
@pytest.mark.parametrize("state", ["usual", "no commits", "detached", "conflict"])
def test_nothing_of_the_users_repository_changes(tmp_path: Path, home: Path, state: str) -> None:
    folder = repository(tmp_path / "project", commits=0 if state == "no commits" else 3)
    match state:
        case "detached":
            git(folder, "checkout", "-q", "--detach", "HEAD~1")
        case "conflict":
            (folder / ".git/MERGE_HEAD").write_text(git(folder, "rev-parse", "HEAD~1") + "\n")
        case _:
            pass
    holdfast = project(folder, home)
    work(holdfast)  # the notes are there from now on
    before = seen(folder)
    first = git(folder, "rev-parse", REF)
    work(holdfast, "s2")
    assert git(folder, "rev-parse", f"{REF}~1") == first
    after = seen(folder)
    assert after.pop("status") == before.pop("status")
    assert after == before


def test_a_linked_worktree_ends_its_sessions_on_the_same_ref(tmp_path: Path, home: Path) -> None:
    folder = repository(tmp_path / "project")
    main = project(folder, home)
    git(folder, "worktree", "add", "-q", str(tmp_path / "side"))
    work(Holdfast(tmp_path / "side", home))
    assert git(tmp_path / "side", "rev-parse", REF) == git(main.folder, "rev-parse", REF)


def test_two_ledgers_in_one_repository_keep_a_folder_each(tmp_path: Path, home: Path) -> None:
    folder = repository(tmp_path / "project")
    for name in ("one", "two"):
        (folder / name).mkdir()
        work(project(folder / name, home))
    ledgers = git(folder, "ls-tree", "--name-only", REF).split()
    assert len(ledgers) == 2
    for ledger in ledgers:
        assert "PSO over GA" in git(folder, "show", f"{REF}:{ledger}/NOTES.md")


@pytest.mark.lesson("L11")
def test_what_is_kept_of_a_ledger_says_nothing_of_another(tmp_path: Path, home: Path) -> None:
    folder = repository(tmp_path / "project")
    for name in ("one", "two"):
        (folder / name).mkdir()
        work(project(folder / name, home), f"session-of-{name}")
    for ledger in git(folder, "ls-tree", "--name-only", REF).split():
        said = git(folder, "show", f"{REF}:{ledger}/NOTES.md")
        assert ("session-of-one" in said) != ("session-of-two" in said)


@pytest.mark.parametrize("lack", ["repository", "program"])
def test_without_git_it_says_so_and_the_session_ends(
    tmp_path: Path, home: Path, lack: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    if lack == "program":
        repository(folder)
        monkeypatch.setenv("PATH", str(tmp_path))
    said = work(project(folder, home))
    assert "There is no copy in git" in said


@pytest.mark.lesson("N7")
def test_what_git_does_not_give_back_is_not_called_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    it = Git(repository(tmp_path / "project"))
    monkeypatch.setattr(Git, "read", lambda *_args, **_more: b"something else")
    with pytest.raises(StorageFailed, match=r"does not give a\.md back"):
        git_state.keep(it, "0" * 32, {"a.md": b"x"}, message="m", when="@1794726000 +0000")


def test_whoever_comes_second_joins_its_files(tmp_path: Path) -> None:
    folder = repository(tmp_path / "project")
    it, when = Git(folder), "@1794726000 +0000"

    class Slow(Git):
        """A git to which somebody else comes in between, once."""

        late = True

        def move_ref(self, ref: str, new: str, *, old: str | None) -> bool:
            if self.late:
                self.late = False
                git_state.keep(it, "b" * 32, {"b.md": b"b"}, message="m", when=when)
            return super().move_ref(ref, new, old=old)

    git_state.keep(Slow(folder), "a" * 32, {"x/a.md": b"a"}, message="m", when=when)
    names = git(folder, "ls-tree", "-r", "--name-only", REF).split()
    assert names == [f"{'a' * 32}/x/a.md", f"{'b' * 32}/b.md"]


def test_the_same_state_is_not_committed_twice(tmp_path: Path) -> None:
    it = Git(repository(tmp_path / "project"))
    first, again = (
        git_state.keep(it, "a" * 32, {"a.md": b"a"}, message="m", when="@1794726000 +0000")
        for _ in range(2)
    )
    assert (first.changed, again.changed) == (True, False)
    assert first.commit == again.commit


def test_damaged_notes_do_not_follow_whole_ones(tmp_path: Path, home: Path) -> None:
    holdfast = project(repository(tmp_path / "project"), home)
    work(holdfast)
    whole = kept(holdfast.folder)["NOTES.md"]
    holdfast("session", "start", "--session", "s2")
    (holdfast.folder / "NOTES.md").write_bytes(b"")
    said = holdfast("session", "end", "--session", "s2").err
    assert "Not in the copy in git: NOTES.md (empty)" in said
    assert kept(holdfast.folder)["NOTES.md"] == whole


def test_a_link_among_the_files_is_not_followed(tmp_path: Path, home: Path) -> None:
    holdfast = project(repository(tmp_path / "project"), home)
    work(holdfast)
    (tmp_path / "secret.md").write_text("a secret\n")
    days = holdfast.folder / ".holdfast/trajectory"
    (days / "2020-01-01.jsonl").symlink_to(tmp_path / "secret.md")
    work(holdfast, "s2")
    assert "a secret" not in "".join(kept(holdfast.folder).values())
