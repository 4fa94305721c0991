"""`holdfast show SHA256` opens what the vault holds."""

from __future__ import annotations

import base64
from hashlib import sha256
from typing import Any

import pytest

import holdfast as api
from tests.cli.harness import Holdfast

LONG = "é line\n" * 10_000


@pytest.mark.req("T2")
def test_an_artifact_is_opened_by_its_hash(holdfast: Holdfast) -> None:
    with api.open(holdfast.folder) as ledger:
        ledger.append("session_ended", {"reason": LONG})
    digest = sha256(LONG.encode()).hexdigest()
    assert holdfast("show", digest).out == LONG.encode()
    told = holdfast("show", digest, "--json").json()
    assert told == {"artifact": digest, "bytes": len(LONG.encode()), "text": LONG}


def test_one_that_is_no_text_is_given_whole(holdfast: Holdfast) -> None:
    with api.open(holdfast.folder) as ledger:
        ledger.append("session_ended", {"reason": "half a character: \ud800"})
        [entry] = ledger.read()
        reason: Any = entry.value()["reason"]
        content = ledger.artifact(reason["$artifact"])
    shown = holdfast("show", reason["$artifact"])
    assert shown.out == content
    told = holdfast("show", reason["$artifact"], "--json").json()
    assert base64.b64decode(told["base64"]) == content


def test_an_entry_whose_id_looks_like_a_hash_is_an_entry(holdfast: Holdfast) -> None:
    digest = sha256(LONG.encode()).hexdigest()
    with api.open(holdfast.folder) as ledger:
        ledger.append("session_ended", {"reason": LONG}, id=digest)
    assert f"entry    0  {digest}" in holdfast("show", digest).text


def test_a_hash_that_nobody_knows_is_not_found(holdfast: Holdfast) -> None:
    missing = holdfast("show", "0" * 64)
    assert missing.code == 1
    assert "There is no entry" in missing.err
