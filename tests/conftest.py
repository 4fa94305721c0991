"""Hypothesis profiles: `ci` is the default, `--hypothesis-profile=long` searches longer."""

import pytest
from hypothesis import settings

# The conformance suite is no test module by name; its asserts should speak all the same.
pytest.register_assert_rewrite("holdfast.testing.conformance")

settings.register_profile("ci", deadline=None, max_examples=100, derandomize=False)
settings.register_profile("long", deadline=None, max_examples=5_000, derandomize=False)
settings.load_profile("ci")
