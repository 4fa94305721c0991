"""Proving a campaign file before it is used: every member, every artifact, every entry.

The entries must be a whole chain under the root that the save names; the artifacts must be just
those that they name, less those they say were erased; compactions and pins must be those that
follow. Nothing is written anywhere, and no more than one frame and one pack is held at a time.
"""

from __future__ import annotations

import msgspec

from holdfast.kernel import chain, merkle
from holdfast.kernel import entry as entries
from holdfast.kernel import snapshot as snapshots
from holdfast.kernel.errors import Damaged
from holdfast.kernel.hashing import ZERO_LEAF, leaf_hash
from holdfast.kernel.limits import TREE_BLOCK_LEAVES
from holdfast.kernel.merkle import Frontier
from holdfast.kernel.snapshot import SaveSnapshot
from holdfast.ledger.campaigns import format as manifests
from holdfast.ledger.campaigns.contents import Contents, Load, disagreement
from holdfast.ledger.campaigns.format import Row
from holdfast.ledger.campaigns.layout import refuse
from holdfast.ledger.campaigns.members import Members, artifact_places
from holdfast.ledger.campaigns.packs import content_at
from holdfast.ledger.campaigns.writing import compactions_json, pins_json
from holdfast.ledger.verify import Progress, no_progress
from holdfast.storage.archives.container import Unreadable
from holdfast.views.compaction import Compaction, Purpose


class Tree:
    """The tree over the entries: whole blocks by their roots, and the last leaf."""

    def __init__(self) -> None:
        self.blocks: list[bytes] = []
        self.leaf = ZERO_LEAF
        self._open: list[bytes] = []

    def take(self, leaf: bytes) -> None:
        """Take the next leaf."""
        self.leaf = leaf
        self._open.append(leaf)
        if len(self._open) == TREE_BLOCK_LEAVES:
            self.blocks.append(merkle.root_of(self._open))
            self._open = []

    def root(self) -> bytes:
        """Return the root over all of them."""
        frontier = Frontier()
        for block in self.blocks:
            frontier = frontier.append_subtree(block, TREE_BLOCK_LEAVES)
        return frontier.extend(self._open).root()


def read_snapshot(members: Members) -> SaveSnapshot:
    """Return the save that the campaign was made of."""
    manifest = members.manifest
    snapshot = snapshots.read(members.json(manifest.members[0]))
    if snapshot.save_type != "CAMPAIGN":
        refuse(f"it holds a save of type {snapshot.save_type}", expected="CAMPAIGN")
    said = (manifest.ledger, manifest.size, manifest.root, manifest.snapshot_id)
    saved = (snapshot.ledger, snapshot.tree_size, snapshot.tree_root, snapshot.snapshot_id)
    if said != saved or snapshot.timestamp_event_id != manifest.size - 1:
        refuse(
            f"{manifests.MANIFEST} and {manifests.SNAPSHOT} tell of different ledgers",
            expected=" ".join(map(str, saved)),
            found=" ".join(map(str, said)),
        )
    return snapshot


def index_artifacts(members: Members) -> dict[bytes, int]:
    """Prove every pack and every artifact; return which pack each is in."""
    index: dict[bytes, int] = {}
    for number, row in enumerate(members.manifest.packs):
        raw = members.pack(row, members.proof(row))
        for place in artifact_places(raw, row):
            if place[0] in index:
                refuse(f"the artifact {place[0].hex()} is there twice", step=3)
            try:
                content_at(raw, place)
            except Unreadable as problem:
                refuse(f"the member {row.name}: {problem}", step=3)
            index[place[0]] = number
    return index


def check_entries(
    members: Members, load: Load, progress: Progress = no_progress
) -> tuple[Tree, Contents]:
    """Prove every entry; return the tree over them, and what they name."""
    tree, contents = Tree(), Contents(load)
    for row in members.manifest.segments:
        _check_segment(members, row, tree, contents)
        progress(contents.entries, members.manifest.size)
    root = tree.root().hex()
    if root != members.manifest.root:
        refuse(
            "its entries are not those that the save was made of",
            step=3,
            expected=members.manifest.root,
            found=root,
        )
    return tree, contents


def _check_segment(members: Members, row: Row, tree: Tree, contents: Contents) -> None:
    proof, ledger = members.proof(row), members.manifest.ledger
    for frame in members.frames(row):
        for seq, body in enumerate(members.lines(frame, proof), frame.first):
            try:
                entry = entries.read(body)
                for _, why in chain.link(entry, ledger=ledger, seq=seq, prev=tree.leaf.hex()):
                    raise Damaged(why)
                contents.take(entry, body)
            except Damaged as problem:
                refuse(
                    f"the member {row.name}, entry {seq}: {problem.what}",
                    step=3,
                    expected=f"entry {seq} as it was sealed",
                    found=problem.what,
                )
            tree.take(leaf_hash(body))
    proof.finish()


def check_contents(
    members: Members, snapshot: SaveSnapshot, contents: Contents, index: dict[bytes, int]
) -> None:
    """See that the artifacts are those which the entries name, neither more nor fewer."""
    if why := disagreement(contents, snapshot.contents.get("manifest")):
        refuse(f"it holds other things than the save counts: {why}", step=3)
    erased = {bytes.fromhex(name) for name in _hashes(members.manifest.erased)}
    for digest in contents.named:
        name = digest.hex()
        if digest not in index and digest not in erased:
            refuse(f"the artifact {name} is missing", step=3, expected=name, found="nothing")
        if digest in erased and (digest in index or not contents.was_erased(digest)):
            refuse(f"no entry says that the artifact {name} was erased", step=3)
    if len(contents.named) != len(index) + len(erased):
        refuse("it holds artifacts that no entry names", step=3)


def _hashes(names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if len(name) != 64 or name.strip("0123456789abcdef"):
            refuse(f"{manifests.MANIFEST} names an erased artifact {name[:80]!r}", step=3)
    if list(names) != sorted(set(names)):
        refuse(f"{manifests.MANIFEST} names erased artifacts twice or out of order", step=3)
    return names


def read_compactions(
    members: Members, snapshot: SaveSnapshot, contents: Contents
) -> tuple[Compaction, ...]:
    """Return the compactions of the save; a boot makes them anew and compares."""
    row = members.manifest.members[-2]
    content = members.json(row)
    try:
        boundary = msgspec.json.decode(content, type=_Compactions).boundary
        made = tuple(_compaction(one) for one in boundary)
        same = compactions_json(made, contents) == content
    except (msgspec.DecodeError, UnicodeError, RecursionError, TypeError, ValueError) as error:
        refuse(f"the member {row.name} cannot be read: {error}")
    named = tuple(one.compaction_id for one in made)
    hashes = {one.compaction_id: one.output_hash for one in made}
    fits = named == snapshot.compaction_ids and hashes == dict(snapshot.compaction_hashes)
    if not same or not fits:
        refuse(
            f"the member {row.name} does not hold the compactions of the save",
            expected=", ".join(snapshot.compaction_ids),
            found=", ".join(named),
        )
    return made


def check_pins(members: Members, snapshot: SaveSnapshot, contents: Contents) -> None:
    """See that the pins are those of the save and of the entries."""
    row = members.manifest.members[-1]
    if members.json(row) != pins_json(snapshot, contents):
        refuse(f"the member {row.name} does not hold the pins of the save")


class _Compaction(msgspec.Struct, forbid_unknown_fields=True):
    compaction_id: str
    purpose: Purpose
    compaction_policy_id: str
    input_handles: tuple[str, ...]
    output: str
    output_hash: str
    allowmention_handles: tuple[str, ...]


class _Compactions(msgspec.Struct):
    boundary: list[_Compaction]


def _compaction(one: _Compaction) -> Compaction:
    return Compaction(
        one.compaction_id,
        one.purpose,
        one.compaction_policy_id,
        one.input_handles,
        one.output.encode(),
        one.output_hash,
        one.allowmention_handles,
    )
