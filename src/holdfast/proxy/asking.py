"""Asks upstreams for the audit: one question, one answer that is not streamed, both bounded."""

from __future__ import annotations

from holdfast.kernel.limits import PROXY_AUDIT_ANSWER_BYTES_MAX
from holdfast.proxy import answering
from holdfast.proxy.audit import Question
from holdfast.proxy.reaching import Reaching
from holdfast.proxy.upstreams import Upstream, Upstreams


class Asking:
    """Sends the audit's questions; in the loop that it is used in."""

    def __init__(self, upstreams: Upstreams) -> None:
        self._upstreams: dict[str, Upstream] = {one.name: one for one in upstreams.all}
        self._reaching: Reaching | None = None

    def is_local(self, upstream: str) -> bool:
        """Tell whether an upstream is on this machine."""
        known = self._upstreams.get(upstream)
        return known is not None and known.local

    async def __call__(self, question: Question) -> tuple[int, bytes]:
        """Return the status and the body of the answer; of a long one, more than may be used."""
        upstream = self._upstreams[question.upstream]
        given = {**question.key, "Accept-Encoding": "identity", "Content-Type": "application/json"}
        headers = [
            (name.encode(), value.encode(errors="surrogateescape")) for name, value in given.items()
        ]
        asked = answering.Asking("POST", upstream.path + question.path, headers, question.body)
        if self._reaching is None:
            self._reaching = Reaching()
        up = await self._reaching.ask(upstream.base, asked)
        body = bytearray()

        def take(data: bytes, _: bool) -> None:
            body.extend(data)
            if len(body) > PROXY_AUDIT_ANSWER_BYTES_MAX:
                up.cut()

        try:
            if not await up.pour(take) and len(body) <= PROXY_AUDIT_ANSWER_BYTES_MAX:
                raise answering.HungUp("The answer broke off.")
        finally:
            up.close()
        return up.status, bytes(body)

    async def close(self) -> None:
        """Hang up."""
        if self._reaching is not None:
            await self._reaching.close()
            self._reaching = None
