"""Who may ask over HTTP: this machine's programs that show the token, and nobody's web page."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from starlette.datastructures import Headers

from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import MCP_BODY_BYTES_MAX
from holdfast.mcp_server.http import Guard
from holdfast.wiring.mcp.opening import Served
from holdfast.wiring.opening import make_ledger
from holdfast.wiring.places import place_of
from holdfast.wiring.serving_mcp import _listen, serve_http
from tests.mcp.serving import TIMEOUT_S, listening

TOKEN = "open-sesame"
PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})


async def nobody(*_: object) -> None:
    raise AssertionError("nobody is asked")


def look(path: str = "/mcp", **headers: str | None) -> int | None:
    """Return the status that a request is refused with."""
    given = {"host": "127.0.0.1:80", "authorization": f"Bearer {TOKEN}"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    kept = {name: value for name, value in given.items() if value is not None}
    refused = Guard(nobody, TOKEN).look(path, Headers(kept))
    return None if refused is None else refused.status


@pytest.mark.parametrize(
    "host", ["127.0.0.1:80", "localhost:8765", "[::1]:80", "LOCALHOST", "127.8.9.1"]
)
def test_a_program_on_this_machine_that_shows_the_token_is_let_in(host: str) -> None:
    assert look(host=host) is None
    assert look(host=host, authorization=f"bearer  {TOKEN} ") is None


@pytest.mark.req("X4")
@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "evil.example",
        "127.0.0.1.evil.example",
        "127.0.0.1.nip.example:80",
        "localhost.evil.example",
        "127.0.0.1@evil.example",
        "evil.example:80:80",
        "127.0.0.1:80:90",
        "127.0.0.1 evil.example",
        "2130706433",
        "0.0.0.0",
        "192.168.0.1",
        "[::ffff:10.0.0.1]",
        "[fe80::1]",
    ],
)
def test_a_name_that_only_points_here_is_refused_even_with_the_token(host: str | None) -> None:
    """DNS rebinding: the page's own name resolves to loopback, and the browser sends that name."""
    assert look(host=host) == 421


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "", "http://127.0.0.1:80", "http://localhost", "file://"],
)
def test_no_page_may_ask_whatever_its_origin(origin: str) -> None:
    assert look(origin=origin) == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site", " Cross-Site "])
def test_a_request_that_a_page_made_a_browser_send_is_refused(site: str) -> None:
    assert look(sec_fetch_site=site) == 403


@pytest.mark.parametrize(
    "shown",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        f"Basic {TOKEN}",
        TOKEN,
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN.upper()}",
        f"Bearer {TOKEN}, Bearer {TOKEN}",
        "Bearer \xff",
    ],
)
def test_without_the_token_there_is_nothing(shown: str | None) -> None:
    assert look(authorization=shown) == 401
    assert look("/nowhere", authorization=shown) == 401


def test_a_header_that_is_given_twice_counts_as_none() -> None:
    ours, known = (b"host", b"127.0.0.1"), (b"authorization", f"Bearer {TOKEN}".encode())
    evil = (b"host", b"evil.example")
    guard = Guard(nobody, TOKEN)
    for raw, status in (([ours, evil, known], 421), ([ours, known, known], 401)):
        refused = guard.look("/mcp", Headers(raw=raw))
        assert refused is not None
        assert refused.status == status


def test_the_token_is_not_looked_for_in_the_address() -> None:
    assert look(f"/mcp?token={TOKEN}", authorization=None) == 401
    assert look("/mcp/") == 404


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    root = tmp_path_factory.mktemp("served") / "project"
    root.mkdir()
    make_ledger(place_of(root))
    with listening(root, "--token", TOKEN) as told:
        yield told


def ask(
    told: dict[str, str], method: str = "POST", path: str = "/mcp", **headers: str
) -> tuple[int, str]:
    """Send a ping as a real client does, with other headers where they are given."""
    port = urlsplit(told["listening"]).port
    given = {
        "Authorization": f"Bearer {TOKEN}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    } | {name.replace("_", "-"): value for name, value in headers.items()}
    with closing(HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)) as connection:
        connection.request(method, path, PING, given)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def test_a_refusal_says_what_and_what_to_do(running: dict[str, str]) -> None:
    for headers, status in (
        ({"Host": "evil.example"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Authorization": "Bearer guess"}, 401),
    ):
        found, body = ask(running, **headers)
        error = json.loads(body)["error"]
        assert found == status
        assert error["what"]
        assert error["remedy"]
        assert TOKEN not in body


def test_a_preflight_of_a_browser_gets_no_leave(running: dict[str, str]) -> None:
    status, body = ask(
        running,
        "OPTIONS",
        Origin="https://evil.example",
        Access_Control_Request_Method="POST",
        Access_Control_Request_Headers="authorization",
    )
    assert status == 403
    assert "allow" not in body.lower()


def test_it_listens_on_loopback_alone(running: dict[str, str]) -> None:
    port = urlsplit(running["listening"]).port or 0
    assert ask(running)[0] != 401
    with _listen(0) as bound:
        assert bound.getsockname()[0] == "127.0.0.1"
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), port, socket.AF_INET)}
    for address in others - {"127.0.0.1"}:
        if str(address).startswith("127."):
            continue
        with closing(socket.socket()) as probe:
            assert probe.connect_ex((address, port)) != 0


def test_a_body_without_end_is_refused(running: dict[str, str]) -> None:
    status, _ = ask(running, Content_Length=str(MCP_BODY_BYTES_MAX + 1))
    assert status == 413


def test_a_port_that_is_taken_is_an_error_with_a_remedy(project: Path) -> None:
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InvalidInput, match="--port N"):
            serve_http(
                Served(place_of(project), project, project), port=port, token=None, ready=print
            )
