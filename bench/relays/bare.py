"""A bare pass-through: `python -m bench.relays.bare URL`; prints its port.

aiohttp's server and client in one process and nothing else: a request is read whole and sent on,
the answer's chunks are written as they come.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Final

import aiohttp
from aiohttp import web

_SKIPPED: Final = frozenset({"host", "content-length", "transfer-encoding", "connection"})


async def main(upstream: str) -> None:
    """Serve until the process is ended."""
    session = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0), auto_decompress=False,
        timeout=aiohttp.ClientTimeout(total=None),
    )  # fmt: skip

    async def handle(request: web.BaseRequest) -> web.StreamResponse:
        body = await request.read()
        headers = {k: v for k, v in request.headers.items() if k.lower() not in _SKIPPED}
        url = upstream + request.path_qs
        async with session.request(request.method, url, data=body, headers=headers) as up:
            kept = {k: v for k, v in up.headers.items() if k.lower() not in _SKIPPED}
            response = web.StreamResponse(status=up.status, headers=kept)
            await response.prepare(request)
            async for chunk in up.content.iter_any():
                await response.write(chunk)
            await response.write_eof()
            return response

    runner = web.ServerRunner(web.Server(handle, access_log=None))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
