"""The strict verifier: believes nothing that a proof says about itself, and says why it rejects.

1. Sizes, indices and directions come from the claim and the head, never from a path.
2. Every path has exactly one right length; every element exactly 32 bytes.
3. Keys come from the person who verifies. A bundle can lead on to a later key only under a signature of the one before,
   which from there on counts no more.
4. Without a key or a pin the best verdict is "consistent, origin untrusted": `Verdict.trusted` is False.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from unicodedata import is_normalized

from substrate.errors import InputError, ProofInvalid
from substrate.messages import PROVE_SINCE, PROVE_TRUSTING
from substrate.proof.bundle import MAX_DEPTH, Bundle, EntryProof, MapProof, Opening, Since
from substrate.proof.encoding import Json, read_json
from substrate.proof.entry import Entry, Kind, decode_entry
from substrate.proof.hashes import EMPTY, HASH_BYTES, commitment, leaf_hash, map_key, map_root, node_hash
from substrate.proof.head import Head, Pin, SignedHead
from substrate.proof.note import VerifierKey
from substrate.proof.record import State, decode_record, encode_record
from substrate.result import Tabular

__all__ = ["Verdict", "Verifier", "fold_map", "verify_consistency", "verify_inclusion"]

_STATES = {
    "current": (Kind.PUT, State.LIVE),
    "tombstoned": (Kind.TOMBSTONE, State.TOMBSTONED),
    "forgotten": (Kind.FORGET, State.FORGOTTEN),
}
_KNOWN_HEADS = 1024


def verify_inclusion(leaf_hash: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> None:
    """Return if `path` shows that the leaf is at `index` in the tree of `size` leaves with `root` (RFC 6962 2.1.1).

    Raises ProofInvalid otherwise; its `reason` is index_range, path_length, length or root_mismatch.
    """
    if not 0 <= index < size:
        raise ProofInvalid("index_range", f"index {index} is not in a tree of {size} leaves")
    _check_hashes([leaf_hash, root, *path])
    inner = (index ^ (size - 1)).bit_length()
    if len(path) != inner + (index >> inner).bit_count():
        raise ProofInvalid("path_length", f"the path of leaf {index} of {size} does not have {len(path)} elements")
    node = _climb(leaf_hash, index, path, inner)
    if node != root:
        raise ProofInvalid("root_mismatch", "leaf and path do not lead to the root")


def verify_consistency(size1: int, size2: int, path: Sequence[bytes], root1: bytes, root2: bytes) -> None:
    """Return if `path` shows that the tree (size2, root2) begins with all of the tree (size1, root1) (RFC 6962 2.1.2).

    Raises ProofInvalid otherwise; its `reason` is size_range, path_length, length or root_mismatch.
    A proof from size 0 is rejected unless both sizes are 0: it would say nothing.
    """
    if not 0 <= size1 <= size2:
        raise ProofInvalid("size_range", f"a log of size {size2} cannot extend one of size {size1}")
    _check_hashes([root1, root2, *path])
    if size1 == size2:
        if path:
            raise ProofInvalid("path_length", "between equal sizes the path is empty")
        if root1 != root2:
            raise ProofInvalid("root_mismatch", "equal sizes with different roots: two histories")
        return
    if size1 == 0:
        raise ProofInvalid("size_range", "a proof from the empty log says nothing")
    shift = (size1 & -size1).bit_length() - 1
    rest = list(path)
    # The largest subtree that ends where the old tree ends is the seed; it is the old root itself for a power of two.
    seed = root1 if size1 == 1 << shift else rest.pop(0) if rest else b""
    index = (size1 - 1) >> shift
    last = (size2 - 1) >> shift
    inner = (index ^ last).bit_length()
    if not seed or len(rest) != inner + (index >> inner).bit_count():
        raise ProofInvalid("path_length", f"the path from {size1} to {size2} does not have {len(path)} elements")
    old = seed
    for level, sibling in enumerate(rest):
        if level >= inner or index >> level & 1:
            old = node_hash(sibling, old)
    if old != root1:
        raise ProofInvalid("root_mismatch", "the path does not lead to the older root")
    if _climb(seed, index, rest, inner) != root2:
        raise ProofInvalid("root_mismatch", "the path does not lead to the newer root")


def _climb(node: bytes, index: int, path: Sequence[bytes], inner: int) -> bytes:
    """Fold a path: below `inner` the bits of `index` say the side, above it every sibling stands to the left."""
    bits = index | -1 << inner
    for sibling in path:
        node = sha256(b"\x01" + sibling + node if bits & 1 else b"\x01" + node + sibling).digest()
        bits >>= 1
    return node


def _check_hashes(hashes: Sequence[bytes]) -> None:
    if not {HASH_BYTES}.issuperset(map(len, hashes)):
        raise ProofInvalid("length", f"a hash has {HASH_BYTES} bytes")


def fold_map(key: bytes, proof: MapProof) -> bytes:
    """The map root that a place of `key` with these siblings leads to."""
    depth = len(proof.path)
    if depth > MAX_DEPTH:
        raise ProofInvalid("path_length", "no place in the map is deeper than 256")
    _check_hashes(proof.path)
    node = EMPTY if proof.record is None else leaf_hash(proof.record)
    bits = int.from_bytes(key, "big") >> (MAX_DEPTH - depth)
    return map_root(proof.salt, _climb(node, bits, proof.path, depth))


@dataclass(frozen=True, slots=True, repr=False)
class Verdict(Tabular):
    """The result of a check. With `trusted` False: everything fits together, but anyone could have made it."""

    claim: str
    trusted: bool
    head: Head
    name: str | None = None
    seq: int | None = None
    entry: Entry | None = None
    body: str | None = None
    since: Since | None = None
    """The earlier log that this one was shown to contain. Whose it is, only a pin tells."""
    against: str | None = None
    """The key or pin that it was checked against, in words; None if there was none."""

    def __repr__(self) -> str:
        word = f"verified by {self.against}" if self.trusted else "consistent, origin untrusted"
        about = "" if self.name is None else f" {self.name}"
        entry = "" if self.seq is None else f", entry {self.seq}"
        since = "" if self.since is None else f", contains the first {self.since.size} entries unchanged"
        return f"Verdict({word}: {self.claim}{about}{entry}{since}, {self.head})"

    def to_dict(self) -> dict[str, Json]:
        """The same as a dictionary for JSON."""
        said: dict[str, Json] = {
            "claim": self.claim,
            "trusted": self.trusted,
            "name": self.name,
            "seq": self.seq,
            "kind": None if self.entry is None else self.entry.kind.name.lower(),
            "body": None if self.body is None else read_json(self.body, "the body"),
            "since": None if self.since is None else self.since.size,
            "against": self.against,
            "head": self.head.to_dict(),
        }
        return {word: value for word, value in said.items() if value is not None}


class Verifier:
    """Checks bundles against what *you* trust: a verifier key, a pin, or (then nothing is trusted) neither.

    It remembers heads whose signature it has checked, so that further bundles under the same head cost no signature.
    Arguments are a vkey or a pin, as such or as text; ProofInvalid if malformed. Not safe to share between threads.
    `against` names the owner of the key; verdicts repeat it.
    """

    def __init__(
        self, key: str | VerifierKey | None = None, pin: str | Pin | None = None, *, against: str | None = None
    ) -> None:
        if key is not None and pin is not None:
            raise InputError("give a key or a pin, not both: a pin brings the key that was in force with it")
        self._pin = None if pin is None else Pin.parse(str(pin))
        self._key = VerifierKey.parse(str(key)) if key is not None else self._pin.key if self._pin is not None else None
        given = "the pin you gave" if pin is not None else "the key you gave"
        self._against = None if self._key is None else against or given
        self._heads: dict[str, Head] = {}

    @property
    def against(self) -> str | None:
        """The key or pin that bundles are checked against, in words; None if there is none."""
        return self._against

    def verify(self, text: str, *, claim: str | None = None, name: str | None = None) -> Verdict:
        """The verdict on a bundle file's text. ProofInvalid, with a `reason`, if anything at all does not hold.

        Say what you asked for: a bundle with another `claim`, or about another `name`, is rejected then. Otherwise look
        at the verdict, since a true bundle about something else is as valid as the one you wanted.
        """
        return self.verify_bundle(Bundle.parse(text), claim=claim, name=name)

    def verify_bundle(self, bundle: Bundle, *, claim: str | None = None, name: str | None = None) -> Verdict:
        """As `verify`, for a bundle already parsed."""
        if claim not in (None, bundle.claim) or name not in (None, bundle.name):
            raise ProofInvalid("not_asked", "a bundle with another claim, or about another name, than was asked for")
        key, turned = self._key, 0
        for rotation in bundle.rotations:
            head = self._signed_head(rotation.head, key)
            if rotation.entry.seq != head.size - 1 or head.size <= turned:
                raise ProofInvalid(
                    "rotation", "a key entry is the last one before its head, and later than the one before"
                )
            entry, body = _check_entry(rotation.entry, rotation.opening, head)
            key, turned = _next_key(entry, body, head), head.size
        head = self._signed_head(bundle.head, key)
        if head.size < turned:
            raise ProofInvalid("rotation", "the head is older than the rotation that is to lead to it")
        self._check_pin(bundle, head)
        if bundle.since is not None:
            since = bundle.since
            verify_consistency(since.size, head.size, since.path, since.root, head.root)
        return self._check_claim(bundle, head)

    def _signed_head(self, text: str, key: VerifierKey | None) -> Head:
        """The head in a note that `key` signed; if the caller trusts none, in any well-formed note."""
        known = self._heads.get(text) if key == self._key else None
        if known is not None:
            return known
        signed = SignedHead.parse(text)
        if self._key is None:
            return signed.head
        if key is None or not signed.signed_by(key):
            raise ProofInvalid(
                "signature",
                f"the head of {signed.head.origin} has no valid signature by the key of {self._key.name}. If "
                "that key was rotated, ask the owner for ",
                PROVE_TRUSTING,
                ". If the key is newer than the proof, ask for a new proof",
            )
        # Only what the caller's own keys vouch for is remembered: a key learnt from one bundle is not trusted in the
        # next.
        if key == self._key:
            if len(self._heads) >= _KNOWN_HEADS:
                self._heads.clear()
            self._heads[text] = signed.head
        return signed.head

    def _check_pin(self, bundle: Bundle, head: Head) -> None:
        if self._pin is None:
            return
        pin = self._pin.head  # of the same origin: its key signs for no other
        if head.size < pin.size:
            raise ProofInvalid("older_than_pin", f"the bundle's head ({head}) is older than the pin ({pin})")
        if head.size == pin.size:
            if head != pin:
                raise ProofInvalid("forked", f"two histories: pinned {pin}, bundle {head}")
        elif bundle.since is None or bundle.since.size != pin.size:
            raise ProofInvalid(
                "pin_unconnected",
                f"the proof cannot be checked against this pin ({pin}). Give the pin to the owner, and ask for ",
                PROVE_SINCE,
            )
        elif bundle.since.root != pin.root:
            raise ProofInvalid("forked", f"two histories: pinned {pin}, bundle since {bundle.since.root.hex()[:16]}")

    def _check_claim(self, bundle: Bundle, head: Head) -> Verdict:
        """A bundle has just the members of its claim (`Bundle` sees to that), so what is there is what must hold."""
        entry, body, seq = None, None, None
        members: dict[str, Json] = {}
        if bundle.entry is not None and bundle.opening is not None:
            entry, members = _check_entry(bundle.entry, bundle.opening, head)
            body = bundle.opening.body.decode()
            seq = bundle.entry.seq
        if bundle.name is not None and bundle.map is not None:
            if not is_normalized("NFC", bundle.name):
                raise ProofInvalid("name_form", "a name is spelled in Unicode NFC: no store has another spelling")
            key = map_key(bundle.map.salt, bundle.name)
            if fold_map(key, bundle.map) != head.map_root:
                raise ProofInvalid("map_root_mismatch", "leaf and path do not lead to the map root of the head")
            if entry is None or seq is None:
                _check_absent(key, bundle.map.record, len(bundle.map.path))
            else:
                kind, state = _STATES[bundle.claim]
                _check_subject(entry, members, kind, bundle.name, key)
                if bundle.map.record != encode_record(key, entry.subject, seq, state):
                    raise ProofInvalid("map_leaf", "the map's leaf is of another name, atom, seq or state, or missing")
        trusted = self._key is not None
        return Verdict(bundle.claim, trusted, head, bundle.name, seq, entry, body, bundle.since, self._against)


def _check_entry(proof: EntryProof, opening: Opening, head: Head) -> tuple[Entry, dict[str, Json]]:
    """The entry and the members of its body: the one commits to the other, and is in the log of `head`."""
    entry = decode_entry(proof.data)
    if commitment(opening.salt, opening.body) != entry.commitment:
        raise ProofInvalid("commitment", "salt and body are not those the entry commits to")
    verify_inclusion(leaf_hash(proof.data), proof.seq, head.size, proof.path, head.root)
    members = read_json(opening.body.decode(), "the body")
    if not isinstance(members, dict):
        raise ProofInvalid("shape", "the body must be a JSON object")
    return entry, members


def _next_key(entry: Entry, members: dict[str, Json], head: Head) -> VerifierKey:
    if entry.kind is not Kind.KEY:
        raise ProofInvalid("rotation", "the entry of a rotation is of kind key")
    vkey = members.get("vkey")
    key = VerifierKey.parse(vkey if isinstance(vkey, str) else "")
    if key.name != head.origin:
        raise ProofInvalid("rotation", "a rotation does not change the origin")
    return key


def _check_absent(key: bytes, record: bytes | None, depth: int) -> None:
    """The place is empty, or another leaf lives there, so that the asked key can be nowhere else."""
    if record is None:
        return
    other = decode_record(record).key
    if other == key:
        raise ProofInvalid("not_absent", "the map holds this very name")
    shared = MAX_DEPTH - (int.from_bytes(other, "big") ^ int.from_bytes(key, "big")).bit_length()
    if shared < depth:
        raise ProofInvalid("other_place", "the leaf shown lives elsewhere in the map")


def _check_subject(entry: Entry, members: dict[str, Json], kind: Kind, name: str, key: bytes) -> None:
    """The entry is of this kind and, by its body, about this name."""
    if entry.kind is not kind:
        raise ProofInvalid("kind_mismatch", f"the claim needs an entry of kind {kind.name.lower()}")
    said, asked = (members.get("key"), key.hex()) if kind is Kind.FORGET else (members.get("name"), name)
    if said != asked:
        raise ProofInvalid("name_mismatch", "the entry is about another name")
