"""Names of hosts: which is this machine's own."""

from __future__ import annotations

import pytest

from holdfast.wire.hosts import has_port, host_name, is_loopback


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("localhost", "localhost"),
        ("LOCALHOST.:80", "localhost"),
        ("127.0.0.1:8484", "127.0.0.1"),
        ("[::1]:80", "::1"),
        ("a:80:90", None),
        ("a:b", None),
        ("", None),
    ],
)
def test_a_name_is_read_without_its_port(host: str, name: str | None) -> None:
    assert host_name(host) == name


def test_a_port_is_told_from_an_address() -> None:
    assert has_port("[::1]:80")
    assert not has_port("[::1]")


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "127.8.9.1", "::1"])
def test_loopback_is_ours(name: str) -> None:
    assert is_loopback(name)


@pytest.mark.parametrize(
    "name", ["", "0.0.0.0", "localhost.example", "127.0.0.1.example", "2130706433", "10.0.0.1"]
)
def test_nothing_else_is(name: str) -> None:
    assert not is_loopback(name)
