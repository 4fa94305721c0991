"""Who may ask what, through HTTP."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.proxy.diagnostics import ROUTES
from holdfast.proxy.guard import DIAGNOSTICS, FORBIDDEN, canonical, host_name, is_loopback
from holdfast.testing.model_server import ModelServer, Reply
from tests.proxy.crossing import PATHS, TOKEN, Crossing, asking, spelled

BEARER = f"Authorization: Bearer {TOKEN}"
SPELLINGS = [
    "{}",
    "{}/",
    "{}?x=1",
    "/{}",
    "//{}//",
    "/.{}",
    "/v1/..{}",
    "/%2e%2e{}",
    "{}%2f",
    "{};a=b",
    "{}%3fx",
    "{}/.",
    "/x%2f..{}",
    "{}%00",
    "/\\{}",
]


def odd(path: str) -> list[str]:
    """Spell a path in ways that some server may take for it."""
    encoded = "/" + "".join(f"%{ord(char):02X}" for char in path[1:])
    twice = encoded.replace("%", "%25")
    return [form.format(path) for form in SPELLINGS] + [path.upper(), encoded, twice]


@pytest.mark.req("T18")
@pytest.mark.parametrize("path", sorted(FORBIDDEN))
def test_forbidden_paths_are_404_before_anything_else_however_they_are_spelled(path: str) -> None:
    with ModelServer() as server, Crossing(server.url) as crossing:
        for target in odd(path):
            for method in ("GET", "POST", "DELETE"):
                assert crossing.get(target, method=method).status == 404, (method, target)
        assert crossing.get(path, "Host: evil.example").status == 404
        assert crossing.get(path, "Upgrade: websocket", "Connection: Upgrade").status == 404
        assert crossing.get(path, BEARER).status == 404
        assert server.requests == []
        assert crossing.diagnostics.asked == []


@pytest.mark.req("T18")
def test_paths_that_only_look_like_forbidden_ones_pass() -> None:
    with ModelServer(*[Reply(b"{}")] * 4) as server, Crossing(server.url) as crossing:
        for target in ("/v1/search", "/memory-bank", "/searching", "/api/rewrite"):
            assert crossing.get(target).status == 200, target
        assert len(server.requests) == 4


@pytest.mark.req("T17", "T18")
@pytest.mark.parametrize("path", sorted(DIAGNOSTICS))
def test_diagnostics_shadow_the_upstream_s_and_answer_only_to_get_with_the_token(path: str) -> None:
    with ModelServer() as server, Crossing(server.url) as crossing:
        heard = crossing.get(path + "?n=3", BEARER)
        assert (heard.status, json.loads(heard.body)) == (200, {"page": path})
        assert crossing.diagnostics.asked == [(path, {"n": "3"})]
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"):
            assert crossing.get(path, BEARER, method=method).status == 405, method
        open_to_all = path == "/health"
        assert crossing.get(path).status == (200 if open_to_all else 401)
        for wrong in ("Bearer", "Bearer x", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer \xe4"):
            refused = crossing.get(path, f"Authorization: {wrong}")
            assert refused.status == (200 if open_to_all else 401), wrong
        for target in odd(path):
            if target.partition("?")[0] != path:
                assert crossing.get(target, BEARER).status == 404, target
        assert server.requests == []


@pytest.mark.req("T18")
def test_a_diagnostic_looked_at_changes_no_byte_of_the_next_prompt() -> None:
    body = asking("messages")
    with ModelServer() as server, Crossing(server.url) as crossing:
        for _ in range(2):
            assert crossing.post(PATHS["messages"], body).whole
            for path in sorted(DIAGNOSTICS):
                assert crossing.get(path, BEARER).status == 200
        assert len(crossing.desk.asked) == 2
        assert [one.body for one in server.requests] == [body, body]
        assert server.requests[0].headers == server.requests[1].headers


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost:1", "LOCALHOST.", "[::1]:80", "127.9.9.9"]
)
def test_loopback_names_are_answered(host: str) -> None:
    with Crossing() as crossing:
        assert crossing.get("/health", f"Host: {host}").status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "10.0.0.1",
        "localhost.evil",
        "127.0.0.1:x",
        "",
        "::1",
    ],
)
def test_other_names_are_not(host: str) -> None:
    with ModelServer() as server, Crossing(server.url) as crossing:
        assert crossing.get("/health", f"Host: {host}").status == 421
        assert crossing.post(PATHS["chat"], asking("chat"), f"Host: {host}").status == 421
        assert server.requests == []


def test_a_name_that_was_given_is_answered() -> None:
    with Crossing(names=("Box.Example",)) as crossing:
        assert crossing.get("/health", "Host: box.example:99").status == 200
        assert crossing.get("/health", "Host: ox.example").status == 421


def test_only_pages_of_the_proxy_itself_may_ask() -> None:
    with ModelServer() as server, Crossing(server.url) as crossing:
        own = f"http://127.0.0.1:{crossing.port}"
        assert crossing.get("/health", f"Origin: {own}").status == 200
        for origin in (
            "null",
            "https://evil.example",
            "http://localhost",
            f"https://127.0.0.1:{crossing.port}",
            f"http://127.0.0.1:{crossing.port}.evil.example",
            f"http://127.0.0.1:{crossing.port + 1}",
        ):
            assert crossing.get("/health", f"Origin: {origin}").status == 403, origin
            asked = crossing.post(PATHS["chat"], asking("chat"), f"Origin: {origin}")
            assert asked.status == 403, origin
        assert server.requests == []


def test_a_request_that_a_browser_sends_for_somebody_elses_page_is_refused() -> None:
    with ModelServer(*[Reply(b"{}")] * 4) as server, Crossing(server.url) as crossing:
        for path in ("/v1/models", "/health"):
            for site in ("cross-site", "Cross-Site"):
                # a link or a picture has no origin
                heard = crossing.get(path, f"Sec-Fetch-Site: {site}", "Referer: http://evil/")
                assert heard.status == 403, (path, site)
        assert server.requests == []
        for site in ("same-origin", "none"):  # typed by the user, or the proxy's own
            assert crossing.get("/v1/models", f"Sec-Fetch-Site: {site}").status == 200


KEYS = ["Authorization: Bearer {}", "Authorization: bearer  {}", "X-Api-Key: {}", "api-key: {}"]


@pytest.mark.req("T17")
@pytest.mark.parametrize("header", KEYS)
def test_the_proxys_own_token_never_goes_up(header: str) -> None:
    with ModelServer(Reply(b"{}")) as server, Crossing(server.url) as crossing:
        heard = crossing.post(PATHS["chat"], asking("chat"), header.format(TOKEN))
        assert heard.status == 401
        assert TOKEN.encode() not in heard.body
        assert crossing.get("/v1/models", header.format(TOKEN)).status == 401
        assert (server.requests, crossing.desk.asked) == ([], [])


@pytest.mark.parametrize("header", KEYS)
def test_any_other_key_goes_up(header: str) -> None:
    with ModelServer(Reply(b"{}"), Reply(b"{}")) as server, Crossing(server.url) as crossing:
        for key in (f"{TOKEN}x", TOKEN[:-1]):
            assert crossing.get("/v1/models", header.format(key)).status == 200
            assert key in str(server.requests[-1].headers)


@pytest.mark.req("T18")
@pytest.mark.parametrize("times", [3, 4, 5, 6, 9])
def test_a_path_that_is_encoded_again_and_again_is_still_that_path(times: int) -> None:
    with ModelServer() as server, Crossing(server.url) as crossing:
        for path in ("memory", "state"):
            target = f"/%{'25' * (times - 1)}{ord(path[0]):02x}{path[1:]}"
            assert crossing.get(target, BEARER).status == 404, target
        assert (server.requests, crossing.diagnostics.asked) == ([], [])


def test_a_path_that_is_encoded_and_nobodys_here_passes_as_it_is() -> None:
    target = "/v1/models/org%252Fmodel"
    with ModelServer(Reply(b"{}")) as server, Crossing(server.url) as crossing:
        assert crossing.get(target).status == 200
        assert server.requests[0].path == target


def test_websockets_are_answered_with_426_and_the_connection_goes_on() -> None:
    with ModelServer() as server, Crossing(server.url) as crossing, crossing.client() as client:
        for _ in range(2):
            client.send(
                spelled(
                    "GET", PATHS["responses"], None, "Connection: Upgrade", "Upgrade: websocket"
                )
            )
            heard = client.hear()
            assert (heard.status, heard.header("upgrade")) == (426, "HTTP/1.1")
        client.send(spelled("POST", PATHS["responses"], asking("responses")))
        assert client.hear().status == 200


@pytest.mark.parametrize(
    "line",
    ["GET http://127.0.0.1/x HTTP/1.1", "CONNECT a:443 HTTP/1.1", "OPTIONS * HTTP/1.1",
     "GET /a#b HTTP/1.1"],
)  # fmt: skip
def test_what_is_no_path_of_a_server_is_refused(line: str) -> None:
    with ModelServer() as server, Crossing(server.url) as crossing, crossing.client() as client:
        client.send(f"{line}\r\nHost: 127.0.0.1\r\n\r\n".encode())
        assert client.hear_head().status == 400
        assert server.requests == []


def test_an_absolute_address_cannot_reach_a_diagnostic_or_a_forbidden_path() -> None:
    with ModelServer() as server, Crossing(server.url) as crossing:
        for path in sorted(DIAGNOSTICS | FORBIDDEN):
            heard = crossing.get(f"http://127.0.0.1{path}", BEARER)
            assert heard.status == 404, path
        assert (server.requests, crossing.diagnostics.asked) == ([], [])


@given(st.text(alphabet="/.%2fFeE\\;a ", max_size=30))
def test_what_a_path_comes_to_is_stable(path: str) -> None:
    once = canonical("/" + path)
    assert once.startswith("/")
    assert canonical(once) == once or "%" in once


def test_hosts_are_read_strictly() -> None:
    assert host_name("[::1]") == "::1"
    assert host_name("a:80:90") is None
    assert host_name("[::1]x") is None or not is_loopback(host_name("[::1]x") or "")
    assert not is_loopback("2130706433")


@pytest.mark.req("T17", "T18")
def test_the_five_diagnostics_are_all_that_the_proxy_answers_by_itself() -> None:
    others = (
        "/", "/metrics", "/docs", "/admin", "/status", "/ready", "/healthz", "/debug",
        "/debug/vars", "/debug/last-prompt/x", "/state/x", "/states", "/recents", "/v1/state",
        "/v1/health", "/api/health", "/ledger", "/vault", "/config", "/token", "/favicon.ico",
    )  # fmt: skip
    assert frozenset(ROUTES) == DIAGNOSTICS
    theirs = Reply(b"theirs", status=418, reason="Teapot")
    with ModelServer() as server, Crossing(server.url) as crossing:
        for path in others:
            for method in ("GET", "POST"):
                server.say(theirs)
                assert crossing.get(path, method=method).body == b"theirs", path
        assert len(server.requests) == 2 * len(others)
        assert crossing.diagnostics.asked == []
