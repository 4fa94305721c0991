"""Pins: one for everything whose change would change bytes."""

from __future__ import annotations

from holdfast.stores.registry import STORES
from holdfast.views.compactions import POLICIES
from holdfast.views.pins import environment_pins


def test_every_format_store_and_policy_has_a_pin() -> None:
    pins = environment_pins()
    formats = {"canonical", "entry", "hash", "snapshot", "tokens", "tree"}
    policies = {"context-cache", "recap", "session-summary", "synopsis", "working-set"}
    stores = {store.name for store in STORES}
    assert set(pins) == {
        *formats,
        *(f"policy.{name}" for name in policies),
        *(f"store.{name}" for name in stores),
    }
    assert all(type(value) is str and value for value in pins.values())


def test_pins_say_what_runs() -> None:
    pins = environment_pins()
    assert {f"store.{one.name}": str(one.version) for one in STORES}.items() <= pins.items()
    assert set(POLICIES) <= set(pins.values())
    assert pins["policy.working-set"] == "working-set/1"
    assert (pins["hash"], pins["canonical"], pins["tree"]) == ("sha256", "rfc8785", "rfc9162")


def test_nobody_can_change_the_pins_of_others() -> None:
    environment_pins()["hash"] = "md5"
    assert environment_pins()["hash"] == "sha256"
