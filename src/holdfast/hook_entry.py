"""Where a hook process begins: `python -IS hook_entry.py AGENT [--site DIR]`, a payload on stdin.

No traceback reaches the agent, and no mistake of ours holds up its work: whatever fails, this ends
with 0 and says nothing on stdout.
"""

import sys

AGENTS = ("claude-code", "codex", "opencode", "gemini", "cursor")


def main(arguments: "list[str]") -> int:
    """Take one payload, make it durable, and answer where there is something to answer."""
    agent = arguments[0] if arguments else ""
    told = None
    try:
        import os

        from holdfast.agents import short_way

        told = short_way.pass_on(agent, short_way.read_stdin(), dict(os.environ))
        if told.settled:
            _time(told, "short")
            sys.stdout.write(told.notice)
            sys.stdout.flush()
            return 0
        sys.path += _sites(arguments)
        from holdfast.wiring.hooking import handle

        answer = handle(told)
        _time(told, "long")
        sys.stderr.write(answer.stderr)
        sys.stdout.write(answer.stdout)
        sys.stdout.flush()
        return int(answer.exit_code)
    except BaseException as problem:
        return _give_up(told, problem)


def is_plain(arguments: "list[str]") -> bool:
    """Tell whether words are just the name of an agent; all others are for the command line."""
    return len(arguments) == 1 and not arguments[0].startswith("-") and arguments[0] in AGENTS


def _sites(arguments: "list[str]") -> "list[str]":
    """Return the folders of packages that the command names and that are not known yet."""
    places = [at for at, word in enumerate(arguments[:-1]) if word == "--site"]
    named = [arguments[at + 1] for at in places]
    return [folder for folder in named if folder not in sys.path]


def _time(told: "object", way: str) -> None:
    from time import monotonic

    from holdfast.agents import intake, short_way

    if isinstance(told, short_way.Told) and told.folder is not None:
        ms = (monotonic() - told.since) * 1000
        intake.note_timing(told.folder, told.agent, told.event, ms, way, told.at_us)


def _give_up(told: "object", problem: BaseException) -> int:
    """Say in one line what went wrong, here and where `holdfast agents status` finds it."""
    words = f"{type(problem).__name__}: {problem}".replace("\n", " ")[:300]
    try:
        from holdfast.agents import intake, short_way

        kept = isinstance(told, short_way.Told) and told.kept
        what = "is kept, to be recorded later" if kept else "was not recorded"
        sys.stderr.write(f"holdfast: this event {what}: {words}\n")
        if isinstance(told, short_way.Told) and told.folder is not None:
            intake.note_problem(told.folder, f"{told.agent} {told.event}: {words}", told.at_us)
    except BaseException:
        return 0
    return 0


if __name__ == "__main__":
    # -I leaves the script's own folder out, and the package is the folder it stands in
    sys.path.insert(0, __file__.rpartition("/")[0].rpartition("/")[0] or "/")
    # msgspec asks for it and does as well without; it would take a tenth of the long way's time
    sys.modules["typing_extensions"] = None  # type: ignore[assignment]
    code = main(sys.argv[1:])
    sys.stderr.flush()
    from os import _exit

    _exit(code)  # all is written: what is left of ending takes a tenth of the time
