"""The public face is a list in the repo: a name comes or goes on purpose."""

from pathlib import Path

import pytest

import holdfast

EXPECTED = (Path(__file__).parent / "public_names.txt").read_text().split()


def test_the_package_offers_exactly_the_listed_names() -> None:
    assert sorted(holdfast.__all__) == EXPECTED


@pytest.mark.parametrize("name", EXPECTED)
def test_a_listed_name_can_be_used(name: str) -> None:
    assert getattr(holdfast, name) is not None
