"""The official client of the former generation, as a program: it runs in an environment of its own.

Arguments: the folder of its packages. On stdin a job: `command` or `url` and `token`, and `calls`,
pairs of a method and its arguments. On stdout what came of it, as JSON.
"""

import asyncio
import importlib
import json
import sys
from contextlib import AsyncExitStack
from typing import Any

sys.path.insert(0, sys.argv[1])


async def main() -> None:
    """Do the job."""
    job = json.load(sys.stdin)
    mcp = importlib.import_module("mcp")
    stdio = importlib.import_module("mcp.client.stdio")
    http = importlib.import_module("mcp.client.streamable_http")
    async with AsyncExitStack() as stack:
        if "command" in job:
            program, *arguments = job["command"]
            parameters = mcp.StdioServerParameters(
                command=program, args=arguments, env=job["environment"]
            )
            streams = await stack.enter_async_context(stdio.stdio_client(parameters))
        else:
            headers = {"Authorization": f"Bearer {job['token']}"}
            utils = importlib.import_module("mcp.shared._httpx_utils")
            client = await stack.enter_async_context(utils.create_mcp_http_client(headers))
            streams = await stack.enter_async_context(
                http.streamable_http_client(job["url"], http_client=client)
            )
        session = await stack.enter_async_context(mcp.ClientSession(*streams[:2]))
        begun = await session.initialize()
        answers = [await ask(session, *call) for call in job["calls"]]
    version = importlib.import_module("importlib.metadata").version("mcp")
    json.dump([version, begun.protocolVersion, begun.serverInfo.name, answers], sys.stdout)


async def ask(session: Any, method: str, arguments: dict[str, Any]) -> Any:
    """Ask for one thing; what is refused is an answer, too."""
    try:
        answer = await getattr(session, method)(**arguments)
    except Exception as error:
        return {"error": str(error)}
    return answer.model_dump(mode="json", by_alias=True, exclude_none=True)


asyncio.run(main())
