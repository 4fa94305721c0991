"""A copy of what crosses can be read in every coding that is asked for; bombs stay small."""

from __future__ import annotations

import gzip
import zlib

import pytest
import zstandard

from holdfast.proxy.decoding import READABLE, Undecodable, decoded

CONTENT = b'data: {"choices": []}\n\n' * 500


def bare(content: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(content) + packer.flush()


CODED = {
    "": CONTENT,
    "identity": CONTENT,
    "gzip": gzip.compress(CONTENT),
    "X-GZIP": gzip.compress(CONTENT),
    "deflate": zlib.compress(CONTENT),
    "zstd": zstandard.compress(CONTENT),
    "gzip, zstd": zstandard.compress(gzip.compress(CONTENT)),
}


@pytest.mark.parametrize("coding", CODED)
def test_every_coding_that_is_asked_for_can_be_read(coding: str) -> None:
    assert decoded(CODED[coding], coding, bytes_max=100_000) == CONTENT
    assert set(READABLE) <= {*CODED}


def test_deflate_without_its_head_can_be_read() -> None:
    assert decoded(bare(CONTENT), "deflate", bytes_max=100_000) == CONTENT


def test_several_members_are_read_one_after_the_other() -> None:
    content = gzip.compress(b"a") + gzip.compress(b"b")
    assert decoded(content, "gzip", bytes_max=10) == b"ab"
    content = zstandard.compress(b"a") + zstandard.compress(b"b")
    assert decoded(content, "zstd", bytes_max=10) == b"ab"


@pytest.mark.parametrize("coding", ["gzip", "deflate", "zstd"])
def test_what_was_cut_is_read_as_far_as_it_came(coding: str) -> None:
    # what a server that streams has flushed is all there
    match coding:
        case "zstd":
            packer = zstandard.ZstdCompressor().compressobj()
            sent = packer.compress(CONTENT) + packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
        case _:
            wbits = zlib.MAX_WBITS | (16 if coding == "gzip" else 0)
            inflating = zlib.compressobj(wbits=wbits)
            sent = inflating.compress(CONTENT) + inflating.flush(zlib.Z_SYNC_FLUSH)
    assert decoded(sent, coding, bytes_max=100_000) == CONTENT


@pytest.mark.parametrize("coding", ["gzip", "deflate", "zstd", "gzip, zstd"])
def test_a_bomb_is_not_unpacked(coding: str) -> None:
    bomb = b"\0" * 50_000_000
    packed = {
        "gzip": gzip.compress(bomb, 9),
        "deflate": zlib.compress(bomb, 9),
        "zstd": zstandard.compress(bomb),
        "gzip, zstd": zstandard.compress(gzip.compress(bomb)),
    }
    with pytest.raises(Undecodable, match="larger than 1000 bytes"):
        decoded(packed[coding], coding, bytes_max=1000)


@pytest.mark.parametrize(
    ("coding", "content"),
    [
        ("br", b"x"),
        ("gzip", b"no gzip"),
        ("deflate", b"\x78\x9cno"),
        ("zstd", b"no zstd"),
        ("?", b""),
    ],
)
def test_what_cannot_be_read_says_so(coding: str, content: bytes) -> None:
    with pytest.raises(Undecodable):
        decoded(content, coding, bytes_max=1000)
