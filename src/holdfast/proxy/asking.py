"""Asks upstreams for the audit: one question, one answer that is not streamed, both bounded."""

from __future__ import annotations

import aiohttp

from holdfast.kernel.limits import PROXY_AUDIT_ANSWER_BYTES_MAX, PROXY_CONNECT_S
from holdfast.proxy.audit import Question
from holdfast.proxy.upstreams import Upstream, Upstreams


class Asking:
    """Sends the audit's questions; in the loop that it is used in."""

    def __init__(self, upstreams: Upstreams) -> None:
        self._upstreams: dict[str, Upstream] = {one.name: one for one in upstreams.all}
        self._session: aiohttp.ClientSession | None = None

    def is_local(self, upstream: str) -> bool:
        """Tell whether an upstream is on this machine."""
        known = self._upstreams.get(upstream)
        return known is not None and known.local

    async def __call__(self, question: Question) -> tuple[int, bytes]:
        """Return the status and the body of the answer; of a long one, more than may be used."""
        upstream = self._upstreams[question.upstream]
        headers = {**question.key, "Content-Type": "application/json"}
        async with self._open().post(
            upstream.base + question.path,
            data=question.body,
            headers=headers,
            allow_redirects=False,
        ) as response:
            body = await response.content.read(PROXY_AUDIT_ANSWER_BYTES_MAX + 1)
            while len(body) <= PROXY_AUDIT_ANSWER_BYTES_MAX:
                more = await response.content.readany()
                if not more:
                    break
                body += more
            return response.status, body

    async def close(self) -> None:
        """Hang up."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=PROXY_CONNECT_S),
                trust_env=False,
                headers={"Accept-Encoding": "identity"},
            )
        return self._session
