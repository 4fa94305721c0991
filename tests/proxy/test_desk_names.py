"""What a request names is looked for once, and again when there are other names meanwhile."""

from __future__ import annotations

import asyncio

import pytest

from holdfast.proxy.desk import Desk
from tests.proxy.desks import FakeMap, FakeQueue, asked

ADD = "def add(a, b):\n    return a + b"


@pytest.fixture
def known() -> FakeMap:
    return FakeMap({"a.py::add": ADD})


@pytest.fixture
def looks(known: FakeMap, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Texts in which names were looked for."""
    found: list[str] = []
    find = known.names.find

    def noted(text: str, root: str | None = None) -> list[str]:
        found.append(text)
        return find(text, root)

    monkeypatch.setattr(known.names, "find", noted)
    return found


def test_names_are_looked_for_once(known: FakeMap, looks: list[str]) -> None:
    desk = Desk(known, known.names, FakeQueue())
    request = asked("e1", ("user", "what does add do?"))
    asyncio.run(desk.ready(request))
    assert desk.prepare(request).hydrated == ("a.py::add",)
    assert len(looks) == 1


def test_what_came_meanwhile_is_found_too(known: FakeMap, looks: list[str]) -> None:
    desk = Desk(known, known.names, FakeQueue())
    request = asked("e1", ("user", "what do add and sub do?"))
    asyncio.run(desk.ready(request))
    known.put("a.py::sub", "def sub(a, b):\n    return a - b")
    assert desk.prepare(request).hydrated == ("a.py::add", "a.py::sub")
    assert len(looks) == 2


def test_what_went_meanwhile_is_not(known: FakeMap) -> None:
    desk = Desk(known, known.names, FakeQueue())
    request = asked("e1", ("user", "what does add do?"))
    asyncio.run(desk.ready(request))
    known.names.remove("a.py::add")
    assert desk.prepare(request).hydrated == ()
