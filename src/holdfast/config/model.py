"""The settings: their names, types and defaults. A new one is a field here.

Where their values come from is in `loading`, what a project may do with one in `rules`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal, TypeAlias, get_type_hints

import msgspec
from msgspec import Meta

from holdfast.config.rules import (
    Rule,
    add,
    either,
    higher,
    keep_on,
    lower,
    stricter,
    users_own,
)
from holdfast.kernel.limits import (
    NAME_CHARS_MAX,
    PROXY_HYDRATION_TOKENS,
    SCAN_FILE_BYTES_CEILING,
    SCAN_FILE_BYTES_DEFAULT,
    SCAN_FILES_CEILING,
    SCAN_FILES_DEFAULT,
    UPSTREAM_CHARS_MAX,
)


class Setting(msgspec.Struct, frozen=True):
    """What is said about a setting beside its type and default."""

    doc: str
    rule: Rule | None = None
    """What a project may do; None for a setting that no file may hold."""
    variable: str | None = None


_Name: TypeAlias = Annotated[str, Meta(pattern=r"^\S(.*\S)?$", max_length=NAME_CHARS_MAX)]

BELOW_ROOT: Final = Meta(pattern=r"^[^\s/~\\](.*\S)?$", max_length=NAME_CHARS_MAX)
"""Of a path from the project's root: neither absolute nor from somebody's home."""


class Record(msgspec.Struct, frozen=True):
    """What stands in every entry recorded from here."""

    actor: Annotated[_Name, Setting("Name of the actor.", either, "HOLDFAST_ACTOR")] = "cli"
    session: Annotated[
        _Name | None, Setting("Session that entries belong to.", None, "HOLDFAST_SESSION")
    ] = None


class Redaction(msgspec.Struct, frozen=True):
    """What counts as a secret."""

    secret_names: Annotated[
        tuple[_Name, ...], Setting("More names whose values are always secret.", add)
    ] = ()
    entropy: Annotated[bool, Setting("Treat random-looking values as secrets.", keep_on)] = True


class Lock(msgspec.Struct, frozen=True):
    """The writers' queue."""

    wait_s: Annotated[
        float, Meta(ge=0, le=3600), Setting("Longest wait for other writers, in seconds.", lower)
    ] = 10.0


_Count: TypeAlias = Annotated[int, Meta(ge=0, le=10**9)]


class Seal(msgspec.Struct, frozen=True):
    """When old entries move into an archive."""

    auto: Annotated[bool, Setting("Seal by itself when the log is long.", either)] = True
    threshold: Annotated[
        _Count, Setting("Active entries above which it seals by itself.", either)
    ] = 1000
    keep: Annotated[_Count, Setting("Newest entries that stay active.", either)] = 100


class Checkpoint(msgspec.Struct, frozen=True):
    """When a checkpoint is made."""

    every_calls: Annotated[
        _Count, Setting("Tool calls after which one is made; 0 for never.", either)
    ] = 5


_Enforcement: TypeAlias = Literal["strict", "warn", "disabled"]
_Share: TypeAlias = Annotated[float, Meta(gt=0, le=1)]


class Gate(msgspec.Struct, frozen=True):
    """The gate before a clear."""

    enforcement: Annotated[
        _Enforcement, Setting("Whether what is missing blocks a clear.", stricter)
    ] = "strict"
    threshold: Annotated[
        float, Meta(ge=0, le=1), Setting("Grounding ratio that a clear needs.", higher)
    ] = 0.95


class Attention(msgspec.Struct, frozen=True):
    """The zones of the attention budget: in tokens, or in shares of a window that is known."""

    yellow: Annotated[_Count, Setting("Tokens at which yellow begins.", lower)] = 5_000
    orange: Annotated[_Count, Setting("Tokens at which orange begins.", lower)] = 10_000
    red: Annotated[_Count, Setting("Tokens at which red begins.", lower)] = 15_000
    yellow_share: Annotated[_Share, Setting("Share of the window for yellow.", lower)] = 0.25
    orange_share: Annotated[_Share, Setting("Share of the window for orange.", lower)] = 0.5
    red_share: Annotated[_Share, Setting("Share of the window for red.", lower)] = 0.75
    window: Annotated[
        _Count | None, Setting("Tokens that the model's window holds, if it is known.", either)
    ] = None
    deny: Annotated[
        bool, Setting("Refuse an agent's tool calls in red; recording goes on.", users_own)
    ] = False


class Notes(msgspec.Struct, frozen=True):
    """The notes that people read."""

    write: Annotated[bool, Setting("Keep the notes file up to date.", keep_on)] = True
    path: Annotated[
        str, BELOW_ROOT, Setting("The notes file, below the project's root.", either)
    ] = "NOTES.md"


class Integrity(msgspec.Struct, frozen=True):
    """The files installed for agents."""

    enforcement: Annotated[
        _Enforcement, Setting("Whether files that drifted halt the work.", stricter)
    ] = "warn"


class Search(msgspec.Struct, frozen=True):
    """Searching."""

    pivot_results: Annotated[
        _Count, Setting("Results above which an agent's search needs a pivot.", lower)
    ] = 50
    ck: Annotated[
        Literal["auto", "never"], Setting("Ask `ck` too where it is installed.", either)
    ] = "auto"


class Tasks(msgspec.Struct, frozen=True):
    """Where tasks live."""

    beads: Annotated[
        Literal["auto", "never"], Setting("Use `bd` where a project has it.", either)
    ] = "auto"


_Upstream: TypeAlias = Annotated[str, Meta(pattern=r"^\S+$", max_length=UPSTREAM_CHARS_MAX)]


class Proxy(msgspec.Struct, frozen=True):
    """The proxy between clients and models."""

    upstreams: Annotated[
        tuple[_Upstream, ...],
        Setting("Where models are: URLs, each with `prefix=` before it or not.", users_own),
    ] = ()
    port: Annotated[
        int, Meta(ge=0, le=65535), Setting("Port to listen on; 0 for a free one.", users_own)
    ] = 8484
    audit: Annotated[
        Literal["auto", "on", "off"],
        Setting("Ask the model whether its work is done; auto: only local ones.", users_own),
    ] = "auto"
    debug: Annotated[bool, Setting("Show the last prompt to who has the token.", users_own)] = False
    parity_share: Annotated[
        _Share, Setting("Share of nodes and tokens that a new text must keep.", higher)
    ] = 0.5
    hydrate_tokens: Annotated[
        _Count, Setting("Tokens that may be put behind a request.", lower)
    ] = PROXY_HYDRATION_TOKENS


class Agents(msgspec.Struct, frozen=True):
    """What agents' hooks record."""

    scan: Annotated[
        bool, Setting("Look for files that a command changed, and keep them.", keep_on)
    ] = True
    scan_files_max: Annotated[
        int,
        Meta(ge=1, le=SCAN_FILES_CEILING),
        Setting("Most files of a project that are looked at.", lower),
    ] = SCAN_FILES_DEFAULT
    file_bytes_max: Annotated[
        int,
        Meta(ge=0, le=SCAN_FILE_BYTES_CEILING),
        Setting("Largest changed file whose content is kept, in bytes.", lower),
    ] = SCAN_FILE_BYTES_DEFAULT
    block_compaction: Annotated[
        bool,
        Setting("Hold a compaction back while a clear would be; where an agent lets it.", keep_on),
    ] = False


class Web(msgspec.Struct, frozen=True):
    """The web page."""

    port: Annotated[
        int, Meta(ge=0, le=65535), Setting("Port to listen on; 0 for a free one.", users_own)
    ] = 8485


class Where(msgspec.Struct, frozen=True):
    """Where the ledger is."""

    path: Annotated[
        str | None, Setting("Project root or database to use.", None, "HOLDFAST_LEDGER")
    ] = None


class Settings(msgspec.Struct, frozen=True):
    """Every setting, with the value that counts."""

    record: Record = Record()
    redaction: Redaction = Redaction()
    lock: Lock = Lock()
    seal: Seal = Seal()
    checkpoint: Checkpoint = Checkpoint()
    gate: Gate = Gate()
    attention: Attention = Attention()
    notes: Notes = Notes()
    integrity: Integrity = Integrity()
    search: Search = Search()
    tasks: Tasks = Tasks()
    proxy: Proxy = Proxy()
    web: Web = Web()
    agents: Agents = Agents()
    ledger: Where = Where()


class Known(msgspec.Struct, frozen=True):
    """A setting, put together from its field."""

    type: Any
    default: Any
    about: Setting


def _known() -> Iterator[tuple[str, Known]]:
    defaults = Settings()
    for section, model in get_type_hints(Settings).items():
        for name, hint in get_type_hints(model, include_extras=True).items():
            (about,) = (note for note in hint.__metadata__ if isinstance(note, Setting))
            default = getattr(getattr(defaults, section), name)
            yield f"{section}.{name}", Known(hint, default, about)


KNOWN: Final = dict(_known())
"""Every setting by its full name, `section.name`."""
