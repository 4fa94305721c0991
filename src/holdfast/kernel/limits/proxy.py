"""Bounds of the proxy."""

from __future__ import annotations

from typing import Final

from holdfast.kernel.limits.units import KIB, MIB

PROXY_BODY_BYTES_MAX: Final = 64 * MIB
"""The largest request that is taken; a larger one is refused with 413."""

PROXY_SETTLE_S: Final = 0.05
"""What a request waits at most for what was said before in its conversation to be settled."""

PROXY_SETTLED_WAIT_S: Final = 5.0
"""What a diagnostic waits at most for the episodes that ended before it was asked."""

PROXY_QUEUE_MAX: Final = 10_000
PROXY_QUEUE_BYTES_MAX: Final = 64 * MIB
"""Exchanges that wait to be settled while the ledger cannot be written, and their bytes; what
comes on top passes by unrecorded, and is counted and said."""

PROXY_TEXT_BYTES_MAX: Final = 1 * MIB
"""The largest text that is looked at for definitions."""

PROXY_ALIKE_MAX: Final = 1_000
"""Entities or files of one name among which those of the speaker's own folder are looked for."""

PROXY_EDITS_MAX: Final = 200
"""Edits of one request or answer that are looked at; that there were more is said."""

PROXY_MOVED_MAX: Final = 64
"""Definitions in one entry, so that folds find them in it and not in the vault."""

PROXY_PROPOSALS_MAX: Final = 4
"""Proposals of an entity that may still be promoted, the newest."""

PROXY_TOMBSTONE_EPISODES: Final = 10
"""Episodes for which a tombstone is listed."""

PROXY_CACHE_BYTES_MAX: Final = 2 * MIB
"""Texts of definitions that are kept at hand for hydration."""

PROXY_SEEN_MAX: Final = 512
"""Texts of one conversation that the model is known to have seen, the newest."""

PROXY_RECENT_MAX: Final = 100
PROXY_RECENT_DEFAULT: Final = 20
"""Episodes that `/recent` can list, and lists when it is not told how many."""

PROXY_RECENT_ENTITIES_MAX: Final = 200
"""Entities that `/recent` lists of an episode; how many more there were is said."""

PROXY_CONNECT_CHECK_S: Final = 2.0
"""What the doctor waits at most for an upstream to take a connection."""

UPSTREAM_CHARS_MAX: Final = 2000
"""The spelling of an upstream: a URL, maybe with a prefix of models' names before it."""

PROXY_BATCH_MAX: Final = 512
PROXY_BATCH_WEIGHTY_MAX: Final = 16
"""Requests and answers that are settled together, so that they are recorded with one write to the
disk; and of those from which much may follow."""

PROXY_RETRY_FIRST_S: Final = 0.05
PROXY_RETRY_MAX_S: Final = 5.0
"""What is waited before a ledger that could not be written is tried again; doubled each time."""

PROXY_CLOSE_S: Final = 5.0
"""What a proxy that is stopped waits at most for what was said to be recorded."""

PROXY_REQUESTS_KEPT_MAX: Final = 128
"""Requests that are kept as they were read; when others are looked at, they are read again."""

PROXY_PLACED_MAX: Final = 12_000
"""Requests of which it is remembered how they were placed; more than may wait to be settled."""

PROXY_EPISODES_KEPT_MAX: Final = 32
"""Episodes of a conversation that a request of it may have to wait for, the newest."""

PROXY_HYDRATION_TOKENS: Final = 6_000
"""What is put behind a request at most, by the built-in counter, unless a setting says else."""

PROXY_TOKEN_CHARS_MAX: Final = 12
"""Characters of a token; a text with more of them than the room has tokens is not counted."""

PROXY_SIZES_KEPT_MAX: Final = 10_000
"""Definitions whose tokens are remembered."""

PROXY_NAMED_MAX: Final = 20
PROXY_NAME_CHARS_MAX: Final = 200
"""Entities that are named when they are left out, and the longest name; others are counted."""

PROXY_AUDIT_TOKENS_MAX: Final = 512
PROXY_AUDIT_CHARS_MAX: Final = 12_000
PROXY_AUDIT_ENTITIES_MAX: Final = 16
PROXY_AUDIT_TIMEOUT_S: Final = 30.0
PROXY_AUDIT_ANSWER_BYTES_MAX: Final = 256 * 1024
"""An audit: what the model may answer, what it is shown of the exchange, and how long it has."""

PROXY_AUDITS_WAITING_MAX: Final = 8
"""Audits that wait for their turn; one is asked for at a time, and what comes on top is not."""

PROXY_MOVED_NAMES_BYTES_MAX: Final = 6 * 1024
"""The names in one entry together, so that it is small enough with everything else in it."""

PROXY_PATH_CHARS_MAX: Final = 1_000
PROXY_SYMBOL_CHARS_MAX: Final = 500
"""The longest path and the longest name of a definition that become an entity."""

PROXY_CONFLICTS_MAX: Final = 100
"""How often what follows is worked out anew because others appended, before it is left to wait."""

PROXY_HEADER_BYTES_MAX: Final = 32 * 1024
"""The longest header, and the longest address, of a request or an answer."""

PROXY_HEADERS_MAX: Final = 128
"""Headers of a request or an answer; one with more is refused."""

PROXY_CONNECT_S: Final = 30.0
"""What a request waits at most for its upstream to take a connection."""

PROXY_LINGER_S: Final = 5.0
"""How long the rest of a refused request is read and dropped, so that the refusal is seen."""

PROXY_TERMINAL_BYTES_MAX: Final = 1024 * 1024
"""The end of an answer that is looked at to see whether it was whole when its client left."""

PROXY_CONVERSATION_CHARS_MAX: Final = 200
"""The longest name of a conversation that is taken from a header."""

PROXY_STOP_S: Final = 1.0
"""What a proxy that is stopped waits at most for answers on their way."""

PROXY_SIMILAR_MAX: Final = 64
"""Entities that one text is compared with."""

PROXY_CALLS_MAX: Final = 256
"""Calls of one conversation whose results are waited for, or are known to have come; the newest."""

PROXY_DOUBTS_MAX: Final = 10_000
"""Files whose text is in doubt because a change to them was not taken; the newest."""

PROXY_LOCK_WAIT_S: Final = 2.0
"""What the proxy waits for other writers at a time; then it tries again."""

PROXY_SWITCH_S: Final = 0.0001
"""What a thread of the proxy's process works at most before another one gets its turn."""

PROXY_TOKEN_BYTES: Final = 24
"""Chance in the token of the diagnostics."""

PROXY_READINGS_MAX: Final = 8
"""What texts define, kept at hand: a change is compared with what was there before it."""

PROXY_LOOK_S: Final = 0.5
"""How often the proxy looks whether others appended to its ledger."""

PROXY_LOOKS_BETWEEN_TRIMS: Final = 4
"""How often it looks before memory that was let go is returned to the system."""

PROXY_LANDING_S: Final = 1.0
PROXY_LANDING_LOOKS: Final = 100
"""What a diagnostic waits at most for upstreams to hang up whose answers are whole, and how often
it looks meanwhile."""

PROXY_ROOTS_MAX: Final = 64
"""Texts of clients of which it is remembered which folder they name."""

PROXY_HEARD_BYTES_MAX: Final = 64 * 1024
"""The longest answer that is read on the loop, as soon as it has ended."""

PROXY_LULL_S: Final = 0.05
PROXY_GATHER_S: Final = 0.15
"""Exchanges that nobody waits for are gathered so that they are recorded together: until none came
for a while, and no longer than this."""

PROXY_PLACED_BYTES: Final = 6 * KIB
"""What a request without its bytes takes about, once it was read."""

PROXY_GIVE_WAY_S: Final = 0.25
"""How long settling gives way to the stream altogether."""

PROXY_LEND_S: Final = 2.0
"""How long the loop may take for small steps that were lent to it; then it is stuck, or over."""

PROXY_STEP_S: Final = 0.00003
PROXY_STEPS_S: Final = 0.00006
PROXY_STEPS_SHARE: Final = 0.2
PROXY_HURRIED_S: Final = 0.001
"""How long the loop does small steps of settling before it looks whether something else is to be
done. While something else is, it does some all the same, so that each request bears a little of it
and none bears much: how long at a time, and for which share of the time at most; and how long when
there is a hurry."""

PROXY_WAITING_BYTES_MAX: Final = 4 * MIB
PROXY_ROOM_S: Final = 0.25
"""While more than that waits to be settled, and settling goes on, the next request waits a little
before it goes up: nothing is lost, and memory stays small."""

PROXY_GARBAGE_MAX: Final = 10_000
"""Objects that may have come since garbage was last looked for."""

PROXY_STEPS_MAX: Final = 32
PROXY_STEPPED_MAX: Final = 64
"""Changes of a file's text that are remembered, so that one that was not carried out can be taken
back from under those behind it, the newest; and files that they are remembered of."""

PROXY_STEP_BYTES_MAX: Final = 16 * KIB
"""The largest of these that can be made again."""

PROXY_READ_BYTES_MAX: Final = 2 * MIB
"""The longest request that is read on the loop; a longer one goes up as it is, and is read off
it."""

PROXY_SETTLED_BYTES_MAX: Final = 8 * MIB
"""The longest request that is read at all; of a longer one only that it came is recorded."""

PROXY_WORDS_CHARS_MAX: Final = 128 * 1024
"""What the user said last, as far as it is searched for names: half of it from either end."""

PROXY_LOOKED_MAX: Final = 256
"""Named entities that are looked at and then not shown; those behind them are only counted."""

PROXY_REMEMBERED_MAX: Final = 50_000
"""Hashes of texts and names of calls of all conversations together; those of the ones heard of
longest ago go first."""

PROXY_REQUESTS_BYTES_MAX: Final = 4 * MIB
"""The bytes of all requests that are kept as they were read."""

PROXY_MAPPED_FROM_BYTES: Final = 512 * 1024
"""Blocks of memory from this size on are returned to the system when they are let go. Larger than
what asyncio takes for each look at a socket (256 KiB): to return that each time costs more than the
look."""

PROXY_PAGES_BYTES_MAX: Final = 1 * MIB
"""What SQLite keeps at hand of the ledger in the proxy's process; the system has it as well."""

PROXY_SEAL_PAUSE_S: Final = 10.0
PROXY_SEALS_MAX: Final = 32
"""How long to wait from one process that seals to the next, as most of what it takes is to start;
and how many archives one of them makes at most."""

PROXY_KEPT_S: Final = 15.0
PROXY_IDLE_S: Final = 75.0
"""How long a connection to an upstream is kept for the next request, and a client's without one."""

PROXY_NOTED_S: Final = 0.005
"""When a request that nothing was put behind is read at the latest: answers that begin before that
are not held up by it."""

PROXY_SOCKET_BYTES: Final = 256 * KIB
"""How much is read from a socket at once."""
