"""How saves boot, for a page that does not wait: each is tried when somebody asks for it.

A boot records nothing, so nobody knows how the last one went; it is tried anew, from the log alone,
in a process beside the server, one save at a time. What came of it is kept while the server runs.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from holdfast.kernel.errors import HoldfastError, InvalidInput
from holdfast.kernel.limits import WEB_BOOT_S, WEB_BOOTS_KEPT
from holdfast.web.values import Asked, Page
from holdfast.wiring.saves import SavesFolder
from holdfast.wiring.web_answers import Shown
from holdfast.wiring.web_apart import Apart, Question

NOT_TRIED: Mapping[str, Any] = {"state": "not tried"}


def pages(site: Shown) -> Mapping[str, Page]:
    """Return the pages of this part."""
    return {"boot": lambda asked: tried(site, asked)}


def tried(site: Shown, asked: Asked) -> dict[str, Any]:
    """Say how a save boots; the first who asks lets it be tried. Without a save: all that is
    known."""
    key = asked.query.get("save")
    if key is None:
        return site.boots.known()
    if not key:
        raise InvalidInput(
            "No save was named.", meaning="Nothing was tried.", remedy="Name one by its id."
        )
    save = SavesFolder(site.place.saves).find(key)
    head = site.reader.head().size
    return {"save": save.snapshot_id} | site.boots.told(save.snapshot_id, head)


class Boots:
    """What is known of how saves boot."""

    def __init__(
        self,
        apart: Apart,
        *,
        limit_s: float = WEB_BOOT_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._apart = apart
        self._limit_s = limit_s
        self._clock = clock
        self._lock = threading.Lock()
        self._known: dict[str, dict[str, Any]] = {}
        self._trying: str | None = None
        self._far: dict[str, Any] = {}

    def known(self) -> dict[str, Any]:
        """Return what is known of every save that was tried."""
        with self._lock:
            return {"saves": dict(self._known), "trying": self._trying}

    def of(self, save: str) -> dict[str, Any]:
        """Say what is known of a save, and try nothing."""
        with self._lock:
            return self._of(save)

    def told(self, save: str, head: int) -> dict[str, Any]:
        """Say what is known of a save; one that nobody tried is tried now, unless another is.

        What failed is tried again once something was recorded: it may be that a pin was revised.
        """
        with self._lock:
            known = self._known.get(save)
            fresh = known is not None and (known["state"] == "works" or known["as_of"] == head)
            if not fresh and self._trying is None:
                self._trying, self._far = save, {}
                threading.Thread(target=self._try, args=(save, head), daemon=True).start()
            elif not fresh and self._trying != save:
                return {"state": "waiting", "for": self._trying}
            return self._of(save)

    def _of(self, save: str) -> dict[str, Any]:
        if self._trying == save:
            return {"state": "trying", **self._far}
        return self._known.get(save) or dict(NOT_TRIED)

    def _try(self, save: str, head: int) -> None:
        began_s = self._clock()
        told: dict[str, Any]
        try:
            raw = self._apart.ask(Question("boot", save), self._limit_s, self._advance)
            told = msgspec.json.decode(raw, type=dict[str, Any])
        except HoldfastError as problem:
            told = {"state": "could not look", "why": problem.what, "remedy": problem.remedy}
        except Exception as problem:  # one that cannot be tried must not keep the others waiting
            told = {"state": "could not look", "why": f"{type(problem).__name__}: {problem}"}
        told |= {"took_s": round(self._clock() - began_s, 2), "as_of": head}
        with self._lock:
            self._known[save] = told
            while len(self._known) > WEB_BOOTS_KEPT:
                del self._known[next(iter(self._known))]
            self._trying = None

    def _advance(self, done: int, total: int) -> None:
        with self._lock:
            self._far = {"done": done, "total": total}
