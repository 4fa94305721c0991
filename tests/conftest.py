"""Hypothesis profiles. `ci` is the default: the same examples in every run, so that it says whether
a change broke something. `--hypothesis-profile=long` looks for what nobody knows yet: others each
time, and more of them where a test does not say how many."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

# The conformance suite is no test module by name; its asserts should speak all the same.
pytest.register_assert_rewrite("holdfast.testing.conformance")

settings.register_profile("ci", deadline=None, max_examples=100, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=5_000, derandomize=False)
settings.load_profile("ci")


@pytest.fixture(scope="session", autouse=True)
def state_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let ledgers that tests make be noted as the user's in a folder that goes away."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield
