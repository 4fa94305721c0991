"""The version stands in two places; they must agree."""

import tomllib
from pathlib import Path

from holdfast.version import __version__

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"


def test_the_package_and_pyproject_name_the_same_version() -> None:
    assert tomllib.loads(PYPROJECT.read_text())["project"]["version"] == __version__
