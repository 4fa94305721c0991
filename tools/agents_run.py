"""Write docs/guide/agents-run.md anew: what a run with the real Claude Code printed.

Usage: HOLDFAST_CLIENTS=.scratch/clients/bin python -m tools.agents_run
(`tools/clients.sh` installs Claude Code there. Nothing but a scripted model on loopback is asked.)
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tests.clients.story import Step, Story

PAGE: Final = Path(__file__).parent.parent / "docs" / "guide" / "agents-run.md"

_HEAD: Final = """\
# A context lost, and back

What follows was printed by the real Claude Code {version} and by holdfast; `python -m
tools.agents_run` writes this page, and `make clients` tests that it is current.
The model behind Claude Code is a script on the same machine, and an honest one: to the last
question it answers with the tag that it finds in the request, or that it knows of none.
Folders are shortened, and the differences that `install` shows are left out.
"""

_SAID: Final = (
    "One command, in a repository that has a ledger (`holdfast init`):",
    "A session. Claude Code runs out of room on the way (here it is told to, by its own variable) "
    "and puts a summary in the place of all that was said:",
    'The summary reads: "{summary}" What it left out:',
    "The next question is about one of these. The answer is right:",
    "The file that the agent wrote can come back from the ledger as well:",
    "And all that was recorded is what was sealed:",
)

_KNOWN: Final = """
How the model knew: this is what holdfast's hook put into that request when the session went on.
Nothing else in it names the tag.

```text
From holdfast, this project's ledger{known}
```

Without holdfast the same model, asked the same, says: "I do not know of a tag."
"""


def page(story: Story) -> str:
    """Return the page that tells a story."""
    from tests.clients.story import SUMMARY
    from tests.clients.test_claude_hooks import VERSION

    parts = [_HEAD.format(version=VERSION)]
    for about, step in zip(_SAID, story.steps, strict=True):
        said = about.format(summary=SUMMARY)
        parts.append(f"\n{said}\n\n```console\n$ {step.typed}\n{_shown(step)}\n```\n")
        if "--continue" in step.typed:
            parts.append(_KNOWN.format(known=story.known))
    return "".join(parts)


def _shown(step: Step) -> str:
    """Return what was printed; of an install, what was done with each file."""
    lines = step.printed.rstrip().splitlines()
    if " install " in step.typed:
        lines = [line for line in lines if line.startswith("written")]
    return "\n".join(lines)


def shape(text: str) -> str:
    """Return a page without what differs from run to run: names of sessions, hashes, times."""
    return _CHANGING.sub("…", text)


_CHANGING: Final = re.compile(
    r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{64}\b"
    r"|\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b"
)


def main() -> int:
    """Let the story happen, and write it down."""
    from tests.clients.story import tell

    programs = os.environ.get("HOLDFAST_CLIENTS")
    if not programs:
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        text = page(tell(Path(programs).absolute(), Path(folder)))
    PAGE.write_text(text)
    print(f"wrote {PAGE.relative_to(Path.cwd())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
