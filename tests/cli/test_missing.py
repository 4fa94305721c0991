"""What is said when an extra is missing."""

from __future__ import annotations

import pytest

from holdfast.cli.missing import not_installed


@pytest.mark.parametrize(
    ("extras", "told"),
    [
        (("web",), "its extra `web`."),
        (("proxy", "code"), "its extras `proxy` and `code`."),
        (("proxy", "code", "web"), "its extras `proxy`, `code` and `web`."),
    ],
)
def test_the_module_and_every_extra_that_brings_it_are_named(
    extras: tuple[str, ...], told: str
) -> None:
    problem = not_installed("The page", ModuleNotFoundError(name="aiohttp"), *extras)
    assert "The page needs aiohttp, which is not installed." in str(problem)
    assert problem.remedy == f"Install holdfast with {told}"
