"""The web page's site: one project, looked at by the pages of `web_*`.

The ledger's views are brought up to date beside, so that a page never waits for them; each answer
says as of which entry it is. What takes much memory is done by processes apart (`web_apart`). No
page records anything.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

from holdfast.config import Settings
from holdfast.index.views import Views
from holdfast.kernel.entry import Actor
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import WEB_APART_IDLE_S, WEB_BEHIND_MAX, WEB_STOP_S, WEB_VIEWS_S
from holdfast.storage.port import Reader
from holdfast.web.values import Page, Progress, Told
from holdfast.wiring import (
    web_anchors,
    web_boots,
    web_code,
    web_decisions,
    web_entries,
    web_loss,
    web_now,
    web_time,
    web_timeline,
    web_trust,
)
from holdfast.wiring.hooking import drain
from holdfast.wiring.opening import open_ledger
from holdfast.wiring.places import Place
from holdfast.wiring.project import Project
from holdfast.wiring.verifying import verify_place
from holdfast.wiring.web_apart import Apart, Question
from holdfast.wiring.web_boots import Boots
from holdfast.wiring.web_gate import Gate

ACTOR = Actor("holdfast", "web")


class Site:
    """A project to look at. Safe to ask from several threads."""

    def __init__(self, place: Place, settings: Settings) -> None:
        self.place = place
        ledger = open_ledger(
            place.database,
            create=False,
            actor=ACTOR,
            secret_names=settings.redaction.secret_names,
            entropy=settings.redaction.entropy,
            seal=settings.seal,
        )
        self.project = Project(place, settings, ledger)
        self.beside = Apart(
            place, what="make this page", remedy="`holdfast at` and `holdfast diff` have no limit.",
            idle_s=WEB_APART_IDLE_S,
        )  # fmt: skip
        gating = Apart(place, what="look", remedy="Run `holdfast clear --check`.")
        booting = Apart(place, what="boot it", remedy="Run `holdfast boot`.")
        self._taking_in = Apart(place, what="take in", remedy="It is tried again.")
        self._apart = (self.beside, gating, booting, self._taking_in)
        self.gate = Gate(gating)
        self.boots = Boots(booting)
        self._ending = threading.Event()
        self._behind = 0
        self._verified: Any = None
        self._catching = threading.Thread(target=self._catch_up, name="views", daemon=True)
        self._wanted = threading.Event()
        self._catching.start()

    @property
    def reader(self) -> Reader:
        """The ledger for those who only look."""
        return self.project.ledger.reader

    @cached_property
    def pages(self) -> Mapping[str, Page]:
        """Every page by its name."""
        return {
            **web_now.pages(self),
            **web_entries.pages(self),
            **web_timeline.pages(self),
            **web_decisions.pages(self),
            **web_code.pages(self),
            **web_loss.pages(self),
            **web_time.pages(self),
            **web_trust.pages(self),
            **web_anchors.pages(self),
            **web_boots.pages(self),
        }

    @property
    def verified(self) -> Any:
        """How the last verify from here ended; None when there was none."""
        return self._verified

    def look(self) -> Told:
        """Say where the chain ends now, and let the views follow.

        What hooks have left in the intake is recorded first, as by whoever opens a project: an
        agent's work is seen while it goes on.
        """
        drain(self.project, wait_s=0)
        head = self.reader.head()
        self._behind = max(0, head.size - min(self.project.views.size, self.project.views.folded))
        if self._behind:
            self._wanted.set()
        return Told(head.ledger, head.size, self._behind)

    def verify(self, progress: Progress) -> Any:
        """Prove every entry anew."""
        report = verify_place(self.place, progress=progress)
        self._verified = report
        return report

    def hush(self) -> None:
        """End what is looked at beside; whoever waits for it is told so."""
        self._ending.set()
        for apart in self._apart:
            apart.close()

    def close(self) -> None:
        """Let go of the ledger."""
        self.hush()
        self._wanted.set()
        self._catching.join(WEB_STOP_S)
        if not self._catching.is_alive():  # else it ends with the process; what it made is derived
            self.project.close()

    def _catch_up(self) -> None:
        """Bring the views up to date whenever they are behind, in steps that can be ended."""

        def advance(_done: int, _total: int) -> None:
            if self._ending.is_set():
                raise _Ended

        while not self._ending.is_set():
            self._wanted.wait()
            self._wanted.clear()
            if self._ending.is_set():
                return
            if self._behind > WEB_BEHIND_MAX and self._taken_in_apart():
                continue
            # with a connection of its own, so that pages need not wait for it
            with suppress(_Ended, HoldfastError, OSError), Views(str(self.place.views)) as views:
                views.catch_up(self.reader, progress=advance)  # or the next look tries again

    def _taken_in_apart(self) -> bool:
        """Let much be taken in by another process, whose memory goes with it."""
        try:
            self._taking_in.ask(Question("views"), WEB_VIEWS_S)
        except HoldfastError:
            return self._ending.is_set()  # else it is tried here
        self._behind = 0
        return True


class _Ended(Exception):
    """Nobody wants the rest."""
