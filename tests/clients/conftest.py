"""The programs of others, as `make clients` built them; else none of these tests is chosen."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture
def programs() -> Path:
    """The folder they are in."""
    return Path(os.environ["HOLDFAST_CLIENTS"])
