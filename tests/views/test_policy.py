"""The policy of a working set: read back whole, or refused."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from holdfast.kernel import canonical
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import WORKING_SET_TOKENS_FLOOR, WORKING_SET_TOKENS_MAX
from holdfast.kernel.snapshot import freeze
from holdfast.views.policy import WORKING_SET_POLICY, Policy, policy_of


def test_a_policy_reads_back_as_it_was_written() -> None:
    policy = Policy(tokens=5000, facts=0)
    assert policy_of(msgspec.json.decode(canonical.encode(policy.value()))) == policy


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"id": "working-set/2"}, "not known"),
        ({"id": None}, "not known"),
        ({"tokens": None}, "tokens"),
        ({"tokens": "8000"}, "tokens"),
        ({"tokens": True}, "tokens"),
        ({"tokens": 8000.5}, "tokens"),
        ({"tokens": WORKING_SET_TOKENS_FLOOR - 1}, "tokens"),
        ({"tokens": WORKING_SET_TOKENS_MAX + 1}, "tokens"),
        ({"facts": -1}, "facts"),
        ({"pending": 0}, "pending"),
        ({"surprise": 1}, "surprise"),
    ],
)
@pytest.mark.lesson("O2")
def test_a_policy_that_is_not_known_to_the_field_is_refused(
    changes: dict[str, Any], says: str
) -> None:
    with pytest.raises(InvalidInput, match=says):
        policy_of({**WORKING_SET_POLICY.value(), **changes})


@pytest.mark.parametrize("name", Policy.__struct_fields__)
def test_a_policy_without_one_of_its_fields_is_refused(name: str) -> None:
    value = WORKING_SET_POLICY.value()
    del value[name]
    with pytest.raises(InvalidInput, match=name if name != "id" else "not known"):
        policy_of(value)


def test_a_frozen_policy_of_a_save_is_read_as_well() -> None:
    assert policy_of(freeze(WORKING_SET_POLICY.value())) == WORKING_SET_POLICY


def test_a_policy_cannot_be_made_under_an_id_nobody_knows() -> None:
    with pytest.raises(InvalidInput, match="not known"):
        Policy(id="working-set/0")
