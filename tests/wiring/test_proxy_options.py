"""Options that go from one process to another."""

from __future__ import annotations

from pathlib import Path

import msgspec

from holdfast.config import Settings
from holdfast.wiring.places import Place
from holdfast.wiring.proxy_options import Options, read, spelled


def test_options_arrive_as_they_were() -> None:
    settings = Settings()
    redaction = msgspec.structs.replace(settings.redaction, secret_names=("MY_KEY",))
    options = Options(
        place=Place(Path("/tmp/a b/é.db")),
        settings=msgspec.structs.replace(settings, redaction=redaction),
        upstreams=("http://127.0.0.1:1", "gpt-=https://example.com"),
        port=8099,
        audit="off",
        debug=True,
        token="t",
        session="s",
    )
    assert read(spelled(options)) == options


def test_the_settings_name_upstreams_where_the_user_named_none() -> None:
    settings = Settings()
    proxy = msgspec.structs.replace(settings.proxy, upstreams=("http://127.0.0.1:2",))
    settings = msgspec.structs.replace(settings, proxy=proxy)
    options = Options(place=Place(Path("a.db")), settings=settings)
    assert options.named == ("http://127.0.0.1:2",)
    assert msgspec.structs.replace(options, upstreams=("http://a",)).named == ("http://a",)
