"""The verbs of the MCP server, over one project: opened for each call, as a command opens it."""

from __future__ import annotations

from holdfast.evidence.project_files import ProjectFiles
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import MCP_LINES_MAX
from holdfast.mcp_server import values
from holdfast.mcp_server.values import Caller, Content, Told
from holdfast.wiring.mcp import prompts, resources, showing, telling
from holdfast.wiring.mcp.opening import Opening, Served, take_session
from holdfast.wiring.mcp.telling import lines, recorded


class ProjectVerbs:
    """What the server can have done. Holds nothing open between calls."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self._opening = Opening(served)
        self._files = ProjectFiles(served.root, served.folder)

    # Looking

    def resume(self, caller: Caller, asked: values.Resume) -> Told:
        """Say where the work stands."""
        from holdfast.wiring.levels import resume_level

        with self._opening.project(caller) as project:
            session = None if asked.session is None else project.sessions.resolve(asked.session)
            told = resume_level(
                project,
                asked.level,
                query=asked.query,
                session_id=session,
                root=self._served.root,
                yes_all=True,
            )
        more = {
            1: "More: level=2 with a query, or `recall`; `show` opens an entry.",
            2: "More: `recall`, or level=3 for everything that holds.",
            3: "`show` opens an entry.",
        }
        cut = "Level 2 with a query tells what you need; `holdfast resume` prints all."
        return Told(telling.quoted(told.text), (more[told.level],), cut)

    def recall(self, caller: Caller, asked: values.Recall) -> Told:
        """Search the ledger or the code, unless the search before waits for its pivot."""
        from holdfast.wiring.mcp.recalling import recall

        with self._opening.project(caller, asked.session) as project:
            take_session(project)
            return recall(project, asked, folder=self._served.folder)

    def show(self, caller: Caller, asked: values.Show) -> Told:
        """Open an entry, an artifact or code."""
        with self._opening.project(caller) as project:
            return showing.show(project, self._files, asked)

    def task_list(self, caller: Caller, asked: values.TaskList) -> Told:
        """List tasks, or show one."""
        with self._opening.project(caller) as project:
            if asked.task is not None:
                return Told(lines(telling.whole_task(project.tasks.show(asked.task))))
            tasks = project.tasks
            found = tasks.ready() if asked.ready else tasks.list(finished=asked.closed)
        shown = [telling.task(one) for one in found[:MCP_LINES_MAX]]
        left = len(found) - len(shown)
        more = [f"{left:,} less urgent ones are not shown."] if left else []
        if found:
            more.append("task=ID shows one with its decisions and tests.")
        return Told(lines(shown) or "There is no such task.", tuple(more))

    def clear_check(self, caller: Caller, asked: values.ClearCheck) -> Told:
        """Look at everything that a clear needs."""
        from holdfast.wiring.clearing import require_session
        from holdfast.wiring.gate import look

        with self._opening.project(caller, asked.session) as project:
            take_session(project)
            require_session(project)
            report = look(project)
        after = "`holdfast clear` passes the gate and hands over; then clear the context."
        return Told(lines(telling.gate(report)), (after,) if report.ok else ())

    def read(self, uri: str) -> Content:
        """Return what a resource holds."""
        with self._opening.project(Caller()) as project:
            return resources.read(project, uri)

    def prompt(self, name: str, arguments: dict[str, str]) -> str:
        """Return the text of a prompt."""
        with self._opening.project(Caller()) as project:
            return prompts.prompt(project, name, arguments)

    # Recording

    def decide(self, caller: Caller, asked: values.Decide) -> Told:
        """Record a decision."""
        from holdfast.ledger.decisions import Asked
        from holdfast.wiring.deciding import Evidence, decide, question_of

        _need_words(what=asked.what, because=asked.because)
        with self._opening.recording(caller, asked.session) as (project, told):
            decision = Asked(
                asked.what,
                asked.because,
                asked.question or question_of(project, asked.task) or asked.about or asked.what,
                asked.alternatives,
                asked.confidence,
                asked.about,
                tuple(map(str, asked.supersedes)),
                tuple(map(str, asked.cites)),
            )
            evidence = Evidence(
                citations=asked.evidence,
                assumption=asked.assumption,
                task=asked.task,
                scenarios=asked.scenarios,
            )
            outcome = decide(project, decision, evidence, files=self._files, id=asked.id)
            text = lines(telling.decided(outcome))
        return Told(text, tuple(told))

    def checkpoint(self, caller: Caller, asked: values.Checkpoint) -> Told:
        """Record where the work stands."""
        with self._opening.recording(caller, asked.session) as (project, told):
            receipt = project.checkpoints.create(
                project.ledger.session_id,
                task=asked.task,
                completed=asked.completed,
                total=asked.total,
                next_action=asked.next,
                quick_resume=asked.resume,
                id=asked.id,
            )
        return Told(recorded(receipt), (*told, "`resume` tells it again."))

    def ground(self, caller: Caller, asked: values.Ground) -> Told:
        """Say what a decision rests on, or let it rest on something else."""
        from holdfast.wiring.grounding import Grounding

        key = str(asked.decision)
        if not asked.evidence and not asked.assumption:
            with self._opening.project(caller) as project:
                report = Grounding(project, self._files).report(key)
            proof = f"`show` with key={report.seq}, evidence=true proves the quotes."
            return Told(lines(telling.grounds(report)), (proof,) if report.citations else ())
        with self._opening.recording(caller, asked.session) as (project, told):
            done = Grounding(project, self._files).ground(
                key, asked.evidence, assumption=asked.assumption
            )
        return Told(lines(telling.regrounded(done)), tuple(told))

    def ghost(self, caller: Caller, asked: values.Ghost) -> Told:
        """Flag a feature that is said to be missing, look for it, or list all."""
        from holdfast.wiring import ghosts

        if asked.name is None:
            with self._opening.project(caller) as project:
                return Told(lines(telling.ghosts(ghosts.ghosts(project))))
        with self._opening.recording(caller, asked.session) as (project, told):
            if asked.queries:
                checked = ghosts.check(project, asked.name, asked.queries)
                said = lines(telling.looked(checked))
                told += [ghosts.spell_left_out(checked.left_out)] if checked.left_out else []
            else:
                said = recorded(ghosts.flag(project, asked.name, asked.claim))
                told.append("In doubt, and in the way of a clear, until two queries found nothing.")
        return Told(said, tuple(told))

    def pivot(self, caller: Caller, asked: values.Pivot) -> Told:
        """Record what was learned from a search that found too much."""
        from holdfast.wiring import pivots

        _need_words(reason=asked.reason, failed=asked.failed, refined=asked.refined)
        with self._opening.recording(caller, asked.session) as (project, told):
            receipt = pivots.log(project, pivots.Pivot(asked.reason, asked.failed, asked.refined))
        return Told(recorded(receipt), tuple(told))

    def task_add(self, caller: Caller, asked: values.TaskAdd) -> Told:
        """Record something to do."""
        from holdfast.wiring.tasks import mirror

        _need_words(title=asked.title)
        with self._opening.recording(caller, asked.session) as (project, told):
            receipt, name = project.tasks.add(
                asked.title,
                description=asked.description,
                kind=asked.kind,
                priority=asked.priority,
                depends_on=asked.depends_on,
            )
            told += mirror(project, name)
        return Told(lines([f"Task {name}.", recorded(receipt)]), tuple(told))

    def task_update(self, caller: Caller, asked: values.TaskUpdate) -> Told:
        """Change a task, and say how it will be tested."""
        from holdfast.wiring.mcp.tasks import update

        with self._opening.recording(caller, asked.session) as (project, told):
            said = update(project, asked, told)
        return Told(said, tuple(told))

    def task_close(self, caller: Caller, asked: values.TaskClose) -> Told:
        """Record that a task is over."""
        from holdfast.wiring.tasks import mirror

        _need_words(reason=asked.reason)
        with self._opening.recording(caller, asked.session) as (project, told):
            receipt, closed = project.tasks.close(asked.task, asked.reason)
            told += mirror(project, closed.task)
        return Told(lines([telling.task(closed), recorded(receipt)]), tuple(told))

    def handoff(self, caller: Caller, asked: values.Handoff) -> Told:
        """Show, offer or answer a handoff."""
        from holdfast.wiring.mcp import handing

        if asked.action in ("last", "list"):
            with self._opening.project(caller, asked.session) as project:
                return handing.look(project, asked)
        with self._opening.recording(caller, asked.session) as (project, told):
            said = handing.answer(project, asked)
        return Told(said, tuple(told))


def _need_words(**given: str) -> None:
    for name, text in given.items():
        if not text.strip():
            raise InvalidInput(
                f"`{name}` is empty.",
                meaning="Nothing was recorded.",
                remedy="Say it in words.",
            )
