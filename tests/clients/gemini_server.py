"""A model server for Gemini CLI: answers from a script, in its own dialect, on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Parts = list[dict[str, Any]]
Script = Callable[[Any], Parts]
"""Returns the parts of the answer to a request's body."""


@contextmanager
def gemini_server(script: Script) -> Iterator[str]:
    """Answer as a script says, until the block ends; yields where."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            streams = ":streamGenerateContent" in self.path
            answer = json.dumps(_answer(script(body))).encode()
            content = b"data: " + answer + b"\r\n\r\n" if streams else answer
            self.send_response(200)
            kind = "text/event-stream" if streams else "application/json"
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, name="gemini-server", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _answer(parts: Parts) -> dict[str, Any]:
    used = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": used, "modelVersion": "scripted"}
