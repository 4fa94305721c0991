"""Files that are no campaigns, or no longer: each is refused, and nothing happens."""

import random
import stat
import struct
import zipfile
from collections.abc import Callable
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec
import pytest

from holdfast.kernel import canonical
from holdfast.kernel.errors import BootFailed, NewerFormat
from holdfast.kernel.limits import CAMPAIGN_ARTIFACT_BYTES_MAX
from holdfast.ledger.campaigns import open_campaign
from holdfast.storage.archives import container
from holdfast.testing.builders import data_for, open_memory_ledger
from tests.ledger.campaigns.material import (
    LARGE,
    campaign_of,
    erase,
    filled,
    hash_of,
    put,
    put_together,
    taken_apart,
    unchanged,
    with_manifest,
)

ENTRIES = "entries/00000000.jsonl.zst"
PACK = "artifacts/00000000.pack.zst"


@pytest.fixture(scope="module")
def content() -> bytes:
    ledger = filled()
    erase(ledger, hash_of(LARGE))
    return campaign_of(ledger.reader)


@pytest.fixture
def parts(content: bytes) -> dict[str, bytes]:
    return taken_apart(content)


Refused = Callable[..., BootFailed]


@pytest.fixture
def refused(tmp_path: Path) -> Refused:
    """Open a file that must be refused; nothing may come of it on disk."""

    def check(content: bytes, told: str, step: int | None = None) -> BootFailed:
        folder = tmp_path / "alone"
        folder.mkdir(exist_ok=True)
        path = put(folder / "x.campaign", content)
        with pytest.raises(BootFailed, match=told) as failure:
            open_campaign(path)
        assert [one.name for one in folder.iterdir()] == ["x.campaign"]
        assert [one.name for one in tmp_path.iterdir()] == ["alone"]
        assert step in (None, failure.value.step)
        assert failure.value.expected
        assert failure.value.found
        return failure.value

    return check


def test_what_these_tests_start_from_is_sound(content: bytes, tmp_path: Path) -> None:
    parts = taken_apart(content)
    assert put_together(parts.items()) == content
    assert with_manifest(parts, unchanged) == content
    open_campaign(put(tmp_path / "x", content)).close()


@pytest.mark.req("O10")
def test_every_one_of_two_thousand_flips_is_found(content: bytes, tmp_path: Path) -> None:
    chance = random.Random(2026)
    path = tmp_path / "x.campaign"
    for _ in range(2000):
        place, bit = chance.randrange(len(content)), 1 << chance.randrange(8)
        changed = bytearray(content)
        changed[place] ^= bit
        path.write_bytes(changed)
        with pytest.raises(BootFailed) as failure:
            open_campaign(path)
        assert failure.value.step in (1, 3), place


def test_every_byte_outside_of_the_members_is_compared(content: bytes, tmp_path: Path) -> None:
    """Headers and the list of members, each byte of them."""
    path = tmp_path / "x.campaign"
    with zipfile.ZipFile(BytesIO(content)) as archive:
        infos = archive.infolist()
    outside = set(range(infos[-1].header_offset + 30 + 20 + 13 + infos[-1].file_size, len(content)))
    for info in infos:
        start = info.header_offset
        outside |= set(range(start, start + 30 + len(info.filename) + 20))
    for place in sorted(outside):
        changed = bytearray(content)
        changed[place] ^= 0x41
        path.write_bytes(changed)
        with pytest.raises(BootFailed):
            open_campaign(path)


@pytest.mark.req("O10")
def test_a_file_that_is_cut_short_is_refused(content: bytes, refused: Refused) -> None:
    for length in (0, 1, 21, 97, 98, 5000, len(content) // 2, len(content) - 1):
        refused(content[:length], "cut short|too short", 1)


@pytest.mark.parametrize("more", [b"\0", b"PK\x05\x06" + bytes(18), b"x" * 5000])
def test_bytes_before_or_behind_it_are_refused(
    content: bytes, refused: Refused, more: bytes
) -> None:
    refused(content + more, "cannot be used", 1)
    refused(more + content, "cannot be used", 1)


def test_a_gap_between_members_is_refused(parts: dict[str, bytes], refused: Refused) -> None:
    whole = put_together(parts.items())
    at = whole.index(b"PK\x03\x04", 10)
    refused(whole[:at] + b"\0" + whole[at:], "cannot be used", 1)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("../evil", "leads out"),
        ("entries/../../evil", "leads out"),
        ("/etc/passwd", "leads out"),
        ("C:evil", "leads out"),
        ("a\\..\\b", "leads out"),
        ("entries/00000001.jsonl.zst", "are not those of manifest.json"),
        ("entries/", "are not those of manifest.json"),
        ("e\nvil", "has the name"),
        ("n" * 65, "has the name"),
    ],
)
@pytest.mark.req("O10")
def test_a_member_with_another_name_is_refused(
    parts: dict[str, bytes], refused: Refused, name: str, told: str
) -> None:
    more = [*list(parts.items())[:-1], (name, b"evil"), ("manifest.json", parts["manifest.json"])]
    refused(put_together(more), told, 1)


@pytest.mark.parametrize("name", ["../evil", "/evil", "entries/1.jsonl.zst", "entries/../a"])
def test_a_manifest_that_lists_another_name_is_refused(
    parts: dict[str, bytes], refused: Refused, name: str
) -> None:
    renamed = {name if key == ENTRIES else key: part for key, part in parts.items()}

    def change(manifest: dict[str, Any]) -> None:
        manifest["members"][1] |= {"name": name, "bytes": len(parts[ENTRIES])}
        manifest["members"][1]["sha256"] = sha256(parts[ENTRIES]).hexdigest()

    refused(with_manifest(renamed, change), "leads out|should", 1)


def test_a_member_that_is_there_twice_is_refused(parts: dict[str, bytes], refused: Refused) -> None:
    twice = list(parts.items())
    refused(put_together([*twice[:2], twice[1], *twice[2:]]), f"two members are called {ENTRIES}")


@pytest.mark.parametrize("name", ["snapshot.json", ENTRIES, PACK, "compactions.json", "pins.json"])
def test_a_member_that_is_missing_is_named(
    parts: dict[str, bytes], refused: Refused, name: str
) -> None:
    without = {key: part for key, part in parts.items() if key != name}

    def change(manifest: dict[str, Any]) -> None:
        manifest["members"] = [row for row in manifest["members"] if row["name"] != name]

    refused(with_manifest(without, unchanged), "are not those of manifest.json", 1)
    told = refused(with_manifest(without, change), "missing|should").what
    assert name in told or (name == PACK and "artifact" in told)


def test_a_file_without_a_manifest_is_refused(parts: dict[str, bytes], refused: Refused) -> None:
    refused(put_together(list(parts.items())[:-1]), "its last member is 'pins.json'", 1)
    refused(put_together([]), "list of its members cannot be found", 1)


def test_what_is_no_zip_is_refused(refused: Refused) -> None:
    for junk in (b"", b"x" * 1000, bytes(100), random.Random(1).randbytes(20_000)):
        refused(junk, "cannot be used", 1)


def rezipped(parts: dict[str, bytes], **fields: Any) -> bytes:
    """Return the same members in a ZIP of somebody else's making."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, part in parts.items():
            info = zipfile.ZipInfo(name)
            for key, value in fields.items():
                setattr(info, key, value)
            archive.writestr(info, part)
    return out.getvalue()


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"compress_type": zipfile.ZIP_DEFLATED},
        {"compress_type": zipfile.ZIP_LZMA},
        {"external_attr": (stat.S_IFLNK | 0o777) << 16},
        {"date_time": (2026, 1, 1, 0, 0, 0)},
        {"comment": b"hello"},
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_a_zip_that_another_tool_made_is_refused(
    parts: dict[str, bytes], refused: Refused, fields: dict[str, Any]
) -> None:
    refused(rezipped(parts, **fields), "cannot be used", 1)


# Where fields stand in a row of the list, from its signature on.
@pytest.mark.parametrize(
    ("offset", "value", "told"),
    [
        (8, 1, "is encrypted"),
        (10, 8, "by method 8"),
        (10, 99, "by method 99"),
        (40, stat.S_IFLNK | 0o777, "not a plain file"),
        (32, 4, "not as it was written|cannot be used"),
    ],
)
def test_an_odd_row_of_the_list_is_told(
    content: bytes, refused: Refused, offset: int, value: int, told: str
) -> None:
    at = content.index(b"PK\x01\x02")
    changed = bytearray(content)
    struct.pack_into("<H", changed, at + offset, value)
    refused(bytes(changed), told, 1)


@pytest.mark.parametrize("size", [0, 2**31, 2**63, 2**64 - 1])
def test_a_member_that_says_it_is_longer_than_the_file_is_refused(
    content: bytes, refused: Refused, size: int
) -> None:
    """Also the last one, behind which no other begins."""
    for name in (b"manifest.json", b"snapshot.json"):
        changed = bytearray(content)
        for signature, fixed in ((b"PK\x03\x04", 30), (b"PK\x01\x02", 46)):
            at = next(
                place
                for place in range(len(content))
                if content[place : place + 4] == signature
                and content[place + fixed : place + fixed + len(name)] == name
            )
            struct.pack_into("<QQ", changed, at + fixed + len(name) + 4, size, size)
        refused(bytes(changed), "does not end|does not begin", 1)


def test_a_newer_format_is_told_as_such(parts: dict[str, bytes], tmp_path: Path) -> None:
    def change(manifest: dict[str, Any]) -> None:
        manifest["format"] = 2
        manifest["something"] = "new"

    newer = {**parts, "z.new": b"a member that nobody knows yet"}
    order = [*[key for key in newer if key != "manifest.json"], "manifest.json"]
    remade = with_manifest({key: newer[key] for key in order}, change)
    with pytest.raises(NewerFormat, match="format 2"):
        open_campaign(put(tmp_path / "x", remade))


@pytest.mark.parametrize(
    "spelled",
    [b"", b"[]", b"{}", b'{"format":1}', b'{"format":"1"}', b"\xff", b"[" * 100_000, b"null"],
)
def test_a_manifest_that_is_none_is_refused(
    parts: dict[str, bytes], refused: Refused, spelled: bytes
) -> None:
    refused(put_together({**parts, "manifest.json": spelled}.items()), "manifest.json", 1)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "something else"},
        {"format": 0},
        {"size": -1},
        {"size": 15},
        {"size": 2**53 - 1},
        {"ledger": "f" * 32},
        {"root": "0" * 64},
        {"snapshot_id": "0" * 16},
        {"erased": []},
        {"erased": ["../evil"]},
        {"erased": [hash_of("b" * 40_000), hash_of(LARGE)]},
        {"erased": [hash_of(LARGE), hash_of(LARGE)]},
        {"erased": [hash_of(LARGE), "f" * 64]},
        {"members": []},
        {"more": 1},
    ],
)
def test_a_manifest_that_tells_something_else_is_refused(
    parts: dict[str, bytes], refused: Refused, change: dict[str, Any]
) -> None:
    refused(with_manifest(parts, lambda manifest: manifest.update(change)), "cannot be used")


def test_a_manifest_with_other_spelling_is_refused(
    parts: dict[str, bytes], refused: Refused
) -> None:
    spaced = parts["manifest.json"].replace(b":", b": ", 1)
    refused(put_together({**parts, "manifest.json": spaced}.items()), "not as it was written", 1)


def bomb(parts: dict[str, bytes], name: str, raw: bytes, stated: dict[str, Any]) -> bytes:
    [frame] = container.compress([raw], 19)

    def change(manifest: dict[str, Any]) -> None:
        row = next(row for row in manifest["members"] if row["name"] == name)
        row.update(stated)
        if "frames" in row:
            row["frames"] = [[len(frame), row["raw_bytes"], 16]]

    return with_manifest({**parts, name: frame}, change)


ZEROS = bytes(100 << 20)


@pytest.mark.req("O10")
@pytest.mark.parametrize(
    ("name", "stated", "told"),
    [
        (ENTRIES, {"raw_bytes": 100 << 20}, "impossible sizes"),
        (ENTRIES, {"raw_bytes": 1 << 20}, "impossible size"),
        (PACK, {"raw_bytes": 100 << 20, "artifacts": 2}, "impossible sizes"),
        (PACK, {"raw_bytes": 1 << 20}, "impossible size"),
        (PACK, {"raw_bytes": CAMPAIGN_ARTIFACT_BYTES_MAX + 2000, "artifacts": 1}, "impossible"),
        (PACK, {"raw_bytes": 100 << 20, "artifacts": 1}, "list of artifacts"),
    ],
)
def test_a_bomb_is_refused(
    parts: dict[str, bytes], refused: Refused, name: str, stated: dict[str, Any], told: str
) -> None:
    """Either what is stated is too much, or what comes out would be more than stated."""
    refused(bomb(parts, name, ZEROS, stated), told)


def test_a_bomb_is_not_decompressed(parts: dict[str, bytes], refused: Refused) -> None:
    import tracemalloc

    hostile = bomb(parts, ENTRIES, ZEROS, {"raw_bytes": 1 << 20})
    tracemalloc.start()
    try:
        refused(hostile, "impossible size")
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()


def test_many_members_that_are_a_bomb_together_are_refused(
    parts: dict[str, bytes], refused: Refused
) -> None:
    packs = {f"artifacts/{n:08d}.pack.zst": b"x" * 10 for n in range(20)}
    names = list(parts)
    whole = {name: parts[name] for name in names[:2]} | packs
    whole |= {name: parts[name] for name in names[-3:]}

    def change(manifest: dict[str, Any]) -> None:
        rows = {row["name"]: row for row in manifest["members"]}
        manifest["members"] = [
            rows.get(name)
            or {
                "name": name,
                "bytes": 10,
                "sha256": sha256(part).hexdigest(),
                "raw_bytes": CAMPAIGN_ARTIFACT_BYTES_MAX,
                "artifacts": 1,
            }
            for name, part in whole.items()
            if name != "manifest.json"
        ]

    told = refused(with_manifest(whole, change), "would become", 3)
    assert told.expected.startswith("at most")


def lines_of(parts: dict[str, bytes]) -> list[bytes]:
    return container.decompress(parts[ENTRIES], 1 << 20).splitlines()


def with_lines(parts: dict[str, bytes], lines: list[bytes]) -> bytes:
    """Put other entries into a file, so that all sizes and hashes of members fit."""
    raw = b"".join(line + b"\n" for line in lines)
    [frame] = container.compress([raw], 3)

    def change(manifest: dict[str, Any]) -> None:
        row = manifest["members"][1]
        row["raw_bytes"] = len(raw)
        row["frames"] = [[len(frame), len(raw), 16]]

    return with_manifest({**parts, ENTRIES: frame}, change)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda lines: [*lines[:4], lines[5], lines[4], *lines[6:]], "entry 4"),
        (lambda lines: lines[:-1], "are no 16 entries"),
        (lambda lines: [*lines, lines[-1]], "are no 16 entries"),
        (lambda lines: [*lines[:4], b"{}", *lines[5:]], "entry 4"),
        (lambda lines: [*lines[:4], b"", *lines[5:]], "entry 4"),
        (lambda lines: [line.replace(b"shorter", b"longer.") for line in lines], "entry 1"),
        (lambda lines: [*lines[:-1], lines[-1].replace(b"asked", b"ASKED")], "entry 15"),
    ],
)
def test_other_entries_than_those_of_the_save_are_refused(
    parts: dict[str, bytes],
    refused: Refused,
    change: Callable[[list[bytes]], list[bytes]],
    told: str,
) -> None:
    lines = lines_of(parts)
    assert with_lines(parts, lines) == put_together(parts.items())
    refused(with_lines(parts, change(lines)), told, 3)


def test_entries_of_another_time_are_refused_by_the_root(
    parts: dict[str, bytes], refused: Refused
) -> None:
    """The last entry is bound by nothing but the tree: its time is in no hash but the leaf."""
    lines = lines_of(parts)
    at = lines[-1].index(b'"timestamp":"2026') + len(b'"timestamp":"')
    lines[-1] = lines[-1][:at] + b"2027" + lines[-1][at + 4 :]
    refused(with_lines(parts, lines), "not those that the save was made of", 3)


def with_pack(parts: dict[str, bytes], raw: bytes, count: int) -> bytes:
    [frame] = container.compress([raw], 3)

    def change(manifest: dict[str, Any]) -> None:
        manifest["members"][2] |= {"raw_bytes": len(raw), "artifacts": count}

    return with_manifest({**parts, PACK: frame}, change)


def test_other_artifacts_than_the_entries_name_are_refused(
    parts: dict[str, bytes], refused: Refused
) -> None:
    raw = container.decompress(parts[PACK], 1 << 20)
    assert with_pack(parts, raw, 2) == put_together(parts.items())
    first, second, _, rest = raw.split(b"\n", 3)
    size = int(first.split()[1])
    alone = first + b"\n\n" + rest[:size]
    other = hash_of("x").encode() + b" 1\n"
    for wrong, count, told in (
        (raw.replace(b"bbbb", b"bbbc", 1), 2, "is not what its name says"),
        (alone, 1, "is missing"),
        (first + b"\n" + second + b"\n" + other + b"\n" + rest + b"x", 3, "no entry names"),
        (first + b"\n" + first + b"\n\n" + rest[:size] * 2, 2, "is there twice"),
        (raw, 1, "more or fewer"),
        (raw + b"x", 2, "longer or shorter"),
        (raw.replace(b" ", b"  ", 1), 2, "cannot be read"),
        (raw.replace(b" ", b" -", 1), 2, "cannot be read"),
        (b"x" * 500, 2, "cut short"),
    ):
        refused(with_pack(parts, wrong, count), told, 3)


def test_an_artifact_is_not_erased_because_the_manifest_says_so(refused: Refused) -> None:
    """Without the note of an erasure among the entries, it is missing."""
    ledger = open_memory_ledger()
    ledger.append("command_ran", data_for("command_ran", 1, output=LARGE))
    parts = taken_apart(campaign_of(ledger.reader))
    without = {name: part for name, part in parts.items() if name != PACK}

    def change(manifest: dict[str, Any]) -> None:
        manifest["members"] = [row for row in manifest["members"] if row["name"] != PACK]
        manifest["erased"] = [hash_of(LARGE)]

    refused(with_manifest(without, change), "no entry says that the artifact", 3)


@pytest.mark.parametrize("name", ["snapshot.json", ENTRIES, PACK, "pins.json", "manifest.json"])
def test_a_wrong_checksum_is_told(parts: dict[str, bytes], refused: Refused, name: str) -> None:
    """The bytes are right, and both headers say the same wrong thing of them."""
    refused(put_together(parts.items(), wrong=name), f"{name} is damaged: its checksum")


@pytest.mark.parametrize("name", ["snapshot.json", ENTRIES, PACK, "pins.json"])
def test_a_wrong_hash_is_told(parts: dict[str, bytes], refused: Refused, name: str) -> None:
    def change(manifest: dict[str, Any]) -> None:
        row = next(row for row in manifest["members"] if row["name"] == name)
        row["sha256"] = "0" * 64

    told = refused(with_manifest(parts, change), f"{name} is not what manifest.json says")
    assert (told.expected, told.found) == ("0" * 64, sha256(parts[name]).hexdigest())
    assert told.step == (1 if name.endswith(".json") else 3)


def test_a_snapshot_pins_or_compactions_of_another_save_are_refused(
    parts: dict[str, bytes], refused: Refused
) -> None:
    other = taken_apart(campaign_of(open_memory_ledger().reader))
    for name in ("snapshot.json", "pins.json", "compactions.json"):
        refused(with_manifest({**parts, name: other[name]}, unchanged), "cannot be used", 1)
    for name in ("pins.json", "compactions.json"):
        value = msgspec.json.decode(parts[name])
        value["more"] = 1
        altered = canonical.encode(value) + b"\n"
        refused(with_manifest({**parts, name: altered}, unchanged), name, 1)
        refused(with_manifest({**parts, name: b"[" * 100_000}, unchanged), name, 1)


def test_a_save_of_another_kind_is_refused(parts: dict[str, bytes], refused: Refused) -> None:
    from holdfast.kernel import snapshot as snapshots

    saved = snapshots.read(parts["snapshot.json"])
    scene = msgspec.structs.replace(saved, save_type="SCENE")

    def change(manifest: dict[str, Any]) -> None:
        manifest["snapshot_id"] = scene.snapshot_id

    other = {**parts, "snapshot.json": scene.to_line() + b"\n"}
    assert refused(with_manifest(other, change), "of type SCENE", 1).expected == "CAMPAIGN"
