"""A server that lets other ledgers read this one, and does nothing else.

It has no tool and no prompt, so nobody who reaches it can record. What it answers is exact: bytes,
not text for a model. Whoever takes them proves them; nothing here is believed.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeAlias

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.shared.exceptions import MCPError

from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import MCP_CALLS_AT_ONCE
from holdfast.mcp_server.server import NAME, Context, Report, listed, listed_templates
from holdfast.mcp_server.values import Listed

ADDRESS: Final = "holdfast://sync/"
INSTRUCTIONS: Final = (
    "A ledger that other ledgers may read: `holdfast sync --mcp` does. There is nothing to call."
)

HEAD: Final = Listed(
    f"{ADDRESS}head",
    "head",
    "Which ledger this is, how many entries it has, and the root of the tree over them.",
    "application/json",
)
TEMPLATES: Final = (
    Listed(
        f"{ADDRESS}proof{{?old,new}}",
        "proof",
        "That the tree of `old` entries is the beginning of the tree of `new`.",
        "application/json",
    ),
    Listed(
        f"{ADDRESS}entries{{?first,stop}}",
        "entries",
        "Entries as they are stored, a line each, as many as fit.",
        "application/jsonl",
    ),
    Listed(
        f"{ADDRESS}artifacts/{{sha256}}{{?from}}",
        "artifact",
        "The part of an artifact that begins at a byte.",
        "application/octet-stream",
    ),
)

Tell: TypeAlias = Callable[[str], bytes | None]
"""Answers a question, None when there is no such thing; ValueError for one that makes no sense."""


def make_sharing(tell: Tell, *, version: str, report: Report) -> Server[Any]:
    """Put the server together. `report` is told of what went wrong in a way nobody expected."""
    answers = _Answers(tell, report)
    return Server(
        NAME,
        version=version,
        instructions=INSTRUCTIONS,
        on_list_resources=answers.list_resources,
        on_list_resource_templates=answers.list_templates,
        on_read_resource=answers.read_resource,
    )


class _Answers:
    def __init__(self, tell: Tell, report: Report) -> None:
        self._tell = tell
        self._report = report
        self._at_once = anyio.CapacityLimiter(MCP_CALLS_AT_ONCE)

    async def list_resources(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return listed([HEAD])

    async def list_templates(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return listed_templates(TEMPLATES)

    async def read_resource(
        self, _context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Answer with bytes; with nothing at all where there is no such thing."""
        uri = str(params.uri)
        try:
            asked = partial(self._tell, uri)
            content = await anyio.to_thread.run_sync(asked, limiter=self._at_once)
        except HoldfastError as error:
            raise _refusal(types.INTERNAL_ERROR, error.what) from error
        except ValueError as error:
            raise _refusal(types.INVALID_PARAMS, "That is no question.") from error
        except Exception as error:
            self._report(error)
            raise _refusal(types.INTERNAL_ERROR, type(error).__name__) from error
        if content is None:
            return types.ReadResourceResult(contents=[])
        blob = base64.b64encode(content).decode()
        part = types.BlobResourceContents(uri=uri, blob=blob, mime_type="application/octet-stream")
        return types.ReadResourceResult(contents=[part])


def _refusal(code: int, what: str) -> MCPError:
    return MCPError(code=code, message=what)
