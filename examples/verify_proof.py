"""Check a Substrate proof bundle with the Python standard library alone.

Proves, given a key or a pin that you have from someone you trust: the holder of that key signed a log which contains
exactly this entry, in this place, with this text; and, for `current`, `tombstoned`, `forgotten` and `absent`, that the
log's map of names said so at the head in the bundle. With a pin also: the log you pinned is still there, unchanged.
Of an encrypted atom the text is ciphertext. The key that was disclosed for one version (--disclosed) shows its text:
the ciphertext has the key's hash, and is bound to the atom. The key opens nothing else.

Does not prove: that text or times are true; that nothing came after this head; that all saw the same log (compare pins
for that). Without a key or a pin: only that the bundle agrees with itself, and anyone can make one that does.
Exit codes: 0 verified, 1 rejected, 2 unreadable or wrong usage, 3 consistent, origin untrusted. Formats: docs/proofs.md
"""

import argparse
import base64
import hashlib
import hmac
import json
import re
import signal
import struct
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace as Values
from unicodedata import is_normalized

MAX_BYTES, MAX_DEPTH, SHOWN, EPOCH = 16 * 2**20, 100, 300, datetime(1970, 1, 1, tzinfo=UTC)
P, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493  # of Ed25519, and D of its curve
D = -121665 * pow(121666, -1, P)
KINDS = dict(enumerate(("put", "tombstone", "edge", "unedge", "train", "forget", "model", "key"), start=1))
STATES = {"current": ("put", 1), "tombstoned": ("tombstone", 2), "forgotten": ("forget", 3)}  # entry kind, leaf state
NAME, BASE64 = "[A-Za-z0-9._~:/-]{1,200}", "[A-Za-z0-9+/]+={0,2}"  # the name of a log, and so of its keys
NOTE = rf"(({NAME})\n([1-9][0-9]{{0,18}})\n(.+)\nmap (.+)\n)\n((?:\u2014 [^\s+]+ {BASE64}\n)+)"
# The shape of a bundle. A number: base64 of just so many bytes (HMAC would pad a shorter salt in silence), of 32 never
# zeros. A tuple: a special value and what it stands for (no leaf; an empty subtree, 32 zeros), then any other value.
PROVEN = {"entry": {"seq": int, "bytes": 58, "path": [32]}, "atom": {"salt": 16, "body": str}}
NAMED = {"name": str, "map": {"salt": 32, "leaf": (None, b"", 57), "path": [("", bytes(32), 32)]}}
SINCE = {"since": {"size": int, "root": 32, "path": [32]}}
CLAIMS = dict.fromkeys(STATES, PROVEN | NAMED) | {"recorded": PROVEN, "absent": NAMED, "extended": SINCE}
OPTIONAL = SINCE | {"rotations": [{"head": str} | PROVEN]}
# The value of an encrypted atom: domain id, nonce, wrapped key, hash of the key, then ciphertext and tag.
MARK, ID, HASH, TEXT, TAG = "ciphertext1:", slice(0, 16), slice(76, 108), slice(108, -16), slice(-16, None)
COLUMNS = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15))
DIAGONALS = ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))
Result = Values  # claim, trust ("key", "pin" or None), head; name, entry, body, since: None where the claim has none


class Rejected(Exception):
    """The bundle does not hold; the message says why, and never quotes the bundle."""


def need(condition: object, why: str) -> None:
    """Every check goes through here."""
    if not condition:
        raise Rejected(why)


def sha256(*parts: bytes) -> bytes:
    """The hash of the joined parts. The first is a tag that keeps leaves, inner nodes and map roots apart."""
    return hashlib.sha256(b"".join(parts)).digest()


def strict_json(text: str) -> dict:
    """The parsed object. Duplicate members, NaN, infinity, lone surrogates, deep nesting and absurd numbers reject."""
    try:
        value = json.loads(text, object_pairs_hook=lambda p: need(len(dict(p)) == len(p), "a member twice") or dict(p))
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()  # fails on what has no JSON or no UTF-8 form
    except (ValueError, RecursionError):
        raise Rejected("not readable as JSON: the file is damaged or not complete, ask for it again") from None
    layer = [value]  # then what is in it, and so on down
    for _ in range(MAX_DEPTH + 1):
        layer = [x for w in layer if isinstance(w, dict | list) for x in (w.values() if isinstance(w, dict) else w)]
    need(not layer, "nested too deep")
    return read(value, dict, "the JSON text")


def read(value: object, shape: object, what: str) -> object:
    """The value with its base64 decoded, if it has exactly this shape: no member more or less, True is no number."""
    if isinstance(shape, tuple):
        return shape[1] if value == shape[0] else read(value, shape[2], what)
    if isinstance(shape, list):
        return [read(item, shape[0], what) for item in read(value, list, what)]
    if isinstance(shape, dict):
        need(read(value, dict, what).keys() == shape.keys(), f"{what} has other members than {', '.join(shape)}")
        return Values(**{member: read(value[member], shape[member], member) for member in shape})
    need(type(value) is (shape if isinstance(shape, type) else str), f"{what} has the wrong type")
    if isinstance(shape, type):
        return value
    need(len(value) % 4 == 0 and re.fullmatch(BASE64, value), f"{what} is not base64")
    need(base64.b64encode(raw := base64.b64decode(value)).decode() == value, f"{what} is not canonical base64")
    need((shape, raw) != (32, bytes(32)), f"{what} is 32 zeros, which is the hash of nothing")
    need(len(raw) == shape or not shape, f"{what} has {len(raw)} bytes, not {shape}")
    return raw


def ed25519(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the signature is valid (RFC 8032), by the curve's plain addition law: slow, but short."""

    def point(y: int, odd: int) -> tuple[int, int]:
        square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
        x = pow(square, (P + 3) // 8, P)
        x = x if x * x % P == square else x * pow(2, (P - 1) // 4, P) % P
        need(y < P and x * x % P == square and (x or not odd), "not the canonical encoding of a public key")
        return (x if x % 2 == odd else P - x), y

    def add(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
        (t, u), (v, w), m = a, b, D * a[0] * a[1] * b[0] * b[1]
        return (t * w + u * v) * pow(1 + m, -1, P) % P, (u * w + t * v) * pow(1 - m, -1, P) % P

    def times(n: int, a: tuple[int, int]) -> tuple[int, int]:
        half = times(n // 2, add(a, a)) if n > 1 else (0, 1)
        return add(half, a) if n % 2 else half

    s, key = int.from_bytes(signature[32:], "little"), int.from_bytes(public, "little")
    k = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % ORDER
    x, y = point(key % 2**255, key >> 255)
    x, y = add(times(s % ORDER, point(4 * pow(5, -1, P) % P, 0)), times(k, (P - x, y)))
    r = (y | x % 2 << 255).to_bytes(32, "little")  # what R must be; and S, too, has just one valid spelling
    return s < ORDER and signature == r + s.to_bytes(32, "little")


def read_vkey(text: str) -> dict[tuple[str, bytes], bytes]:
    """The public key of `<name>+<key id>+<base64>`, by name and key id."""
    name, key_id, code = (*text.split("+", 2), "", "")[:3]
    need(re.fullmatch(NAME, name), "not a verifier key")
    raw = read(code, 33, "the verifier key")
    digest = sha256(name.encode(), b"\n", raw)[:4]
    need(raw[0] == 1 and key_id == digest.hex(), "the verifier key is not of Ed25519, or has a false key id")
    y = int.from_bytes(raw[1:], "little") % 2**255  # of a point whose order divides 8, these three factors have a zero
    need(y * (y * y - 1) * (D * y**4 + 2 * y * y - 1) % P, "a public key of small order: anyone could sign for it")
    return {(name, digest): raw[1:]}


def read_head(note: str, keys: dict[tuple[str, bytes], bytes]) -> Values:
    """What a signed note says. If there are keys, one of them signed it; a false signature of any of them rejects."""
    parts = re.fullmatch(NOTE, note)
    need(parts and int(parts[3]) < 2**63 and len(note) <= 2**16, "not a signed note of origin, size, root and map root")
    text, origin, size, *roots, tail = parts.groups()
    root, map_root = read(roots, [32], "a root in the head")
    lines = {(line.split()[1], read(line.split()[2], 0, "a signature")) for line in tail.splitlines()}
    known = [(keys[name, raw[:4]], raw[4:]) for name, raw in lines if name == origin and (name, raw[:4]) in keys]
    need(known or not keys, "not signed by a key you trust; if it was rotated, ask for a proof --trusting it")
    need(all(ed25519(key, text.encode(), signature) for key, signature in known), "a signature is false")
    return Values(origin=origin, size=int(size), root=root, map_root=map_root)


def climb(nodes: list[bytes], count: int, size: int, *, leaf: bool) -> tuple[bytes, bytes]:
    """The log roots at `count` and `size` entries, from one node and the path above it (RFC 6962, 2.1.1 and 2.1.2)."""
    bottom = size == 1 or (count == size and not leaf)  # the node: the last leaf of `count`, or largest subtree there
    need(nodes and bottom == (len(nodes) == 1), "a path has the wrong length")
    if bottom:
        return nodes[0], nodes[0]
    half, top = 1 << (size - 1).bit_length() - 1, nodes[-1]
    left = count <= half  # where the node is; to its left, all is in both trees; to its right, only in the later one
    old, new = climb(nodes[:-1], count if left else count - half, half if left else size - half, leaf=leaf)
    return (old, sha256(b"\1", new, top)) if left else (sha256(b"\1", top, old), sha256(b"\1", top, new))


def check_entry(entry: Values, atom: Values, head: Values) -> dict:
    """The body, parsed: the entry commits to it and is in the log at `head`."""
    need(entry.bytes[0] == 1 and entry.bytes[1] in KINDS and entry.bytes[18] < 128, "an unknown format, kind or time")
    need(0 <= entry.seq < head.size, "the entry's seq lies outside the log")
    entry.kind, entry.subject, entry.time = KINDS[entry.bytes[1]], entry.bytes[2:18], int.from_bytes(entry.bytes[18:26])
    need(hmac.digest(atom.salt, atom.body.encode(), "sha256") == entry.bytes[26:], "not the body the entry commits to")
    _, root = climb([sha256(b"\0", entry.bytes), *entry.path], entry.seq + 1, head.size, leaf=True)
    need(root == head.root, "the entry is not in the log of this head")
    return strict_json(atom.body)


def check_map(bundle: Values, head: Values, body: dict) -> None:
    """The map at `head` says of the name what is claimed."""
    leaf, path = bundle.map.leaf, bundle.map.path
    asked = hmac.digest(bundle.map.salt, bundle.name.encode(), "sha256")
    node, bits = sha256(b"\0", leaf) if leaf else bytes(32), f"{int.from_bytes(asked):0256b}"[: len(path)]
    need(len(path) == len(bits) and is_normalized("NFC", bundle.name), "a map path too long, or a name not in NFC")
    for bit, side in zip(reversed(bits), path, strict=True):
        node = sha256(b"\1", side, node) if bit == "1" else sha256(b"\1", node, side)
    need(sha256(b"\2", bundle.map.salt, node) == head.map_root, "the map path does not lead to the head's map root")
    if bundle.claim == "absent":
        other = leaf[:32] != asked and leaf[56:] in b"\1\2\3" and f"{int.from_bytes(leaf[:32]):0256b}".startswith(bits)
        need(other or not leaf, "the leaf does not show that the name is absent")
        return
    entry, (kind, state) = bundle.entry, STATES[bundle.claim]
    right = body.get("key") == asked.hex() if kind == "forget" else body.get("name") == bundle.name
    need(entry.kind == kind and right, "the entry is of another kind, or of another name")
    need(leaf == asked + entry.subject + entry.seq.to_bytes(8) + bytes([state]), "the map says otherwise of the name")


def verify(bundle_text: str, key: str | None = None, pin_text: str | None = None) -> Result:
    """What the bundle proves to one who trusts this key, or this pin. Raises Rejected."""
    raw, pin, size = strict_json(bundle_text), None, 0
    need(raw.get("format") == "substrate-bundle/1" and str(raw.get("claim")) in CLAIMS, "unknown format or claim")
    shape = {"format": str, "claim": str, "head": str} | CLAIMS[raw["claim"]]
    shape |= {member: OPTIONAL[member] for member in OPTIONAL if member in raw}
    bundle = Values(**{"name": None, "entry": None, "since": None, "rotations": []} | vars(read(raw, shape, "bundle")))
    keys = {} if key is None else read_vkey(key)
    if pin_text is not None:
        title, vkey, blank, note = (*pin_text.split("\n", 3), "", "", "")[:4]
        need(key is None and title == "substrate pin v1" and not blank, "not a pin, or a key beside it")
        pin = read_head(note, keys := read_vkey(vkey))
    for rotation in bundle.rotations:
        turn = read_head(rotation.head, keys)
        new = read_vkey(str(check_entry(rotation.entry, rotation.atom, turn).get("vkey")))
        need(rotation.entry.kind == "key" and turn.size == rotation.entry.seq + 1 > size, "a rotation is out of place")
        need({name for name, _ in keys | new} == {turn.origin}, "a rotation is of another log")
        keys, size = keys and new, turn.size  # a handover counts only for who trusts a key to begin with
    head, since = read_head(bundle.head, keys), bundle.since
    need(head.size >= size, "the head is older than a rotation")
    if since:  # at the same size, or at a power of two, the earlier root is itself a node
        need(0 < since.size <= head.size, "the earlier log is empty, or larger than this one")
        nodes = [since.root, *since.path] if since.size in (head.size, since.size & -since.size) else since.path
        need(climb(nodes, since.size, head.size, leaf=False) == (since.root, head.root), "the earlier log is not in it")
    if pin and (head.origin, head.size, head.root, head.map_root) != (pin.origin, pin.size, pin.root, pin.map_root):
        tied = since and head.origin == pin.origin and since.root == pin.root and since.size == pin.size < head.size
        need(tied, "cannot be checked against this pin: ask the owner for a proof made with --since and this pin")
    body = check_entry(bundle.entry, bundle.atom, head) if bundle.entry else {}
    if bundle.name is not None:
        check_map(bundle, head, body)
    return Result(**vars(bundle) | {"trust": "pin" if pin else "key" if keys else None, "head": head, "body": body})


def chacha20(key: bytes, count: int) -> bytes:
    """The block of this number, of 64 bytes (RFC 8439), under a nonce of zeros: each key encrypts one text only."""
    start = struct.unpack("<16I", b"expand 32-byte k" + key + count.to_bytes(4, "little") + bytes(12))
    state = list(start)
    for a, b, c, d in (COLUMNS + DIAGONALS) * 10:
        for to, by, other, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            state[to] = (state[to] + state[by]) % 2**32
            mixed = state[other] ^ state[to]
            state[other] = (mixed << turn | mixed >> (32 - turn)) % 2**32
    return struct.pack("<16I", *((one + two) % 2**32 for one, two in zip(state, start, strict=True)))


def poly1305(once: bytes, message: bytes) -> bytes:
    """The tag (RFC 8439) of a message whose length is a multiple of 16, by a key that is used once."""
    factor = int.from_bytes(once[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    total = 0
    for at in range(0, len(message), 16):
        total = (total + int.from_bytes(message[at : at + 16] + b"\1", "little")) * factor % (2**130 - 5)
    return ((total + int.from_bytes(once[16:32], "little")) % 2**128).to_bytes(16, "little")


def open_disclosed(key_text: str, atom: bytes, value: object) -> dict:
    """The body of a version, by its key, 64 hexadecimal digits, and the id of its atom. Raises Rejected."""
    need(re.fullmatch("[0-9a-f]{64}", key_text), "the disclosed key is not 64 hexadecimal digits")
    key = bytes.fromhex(key_text)
    need(isinstance(value, str) and value.startswith(MARK), "the atom of this proof is not encrypted")
    need(len(raw := read(value[len(MARK) :], 0, "the value")) >= TEXT.start + 16, "the value is not a whole ciphertext")
    need(sha256(key) == raw[HASH], "the key is not that of this version")
    bound, text = raw[ID] + atom, raw[TEXT]
    message = bound + text + bytes(-len(text) % 16) + struct.pack("<QQ", len(bound), len(text))
    need(poly1305(chacha20(key, 0), message) == raw[TAG], "the ciphertext was changed, or is of another atom")
    stream = b"".join(chacha20(key, 1 + at // 64) for at in range(0, len(text), 64))
    plain = bytes(one ^ two for one, two in zip(text, stream, strict=False))
    return strict_json(plain.decode(errors="surrogateescape"))


def load(path: str) -> str:
    """The text of a file. What is not UTF-8 becomes lone surrogates, which no check lets pass."""
    with sys.stdin.buffer if path == "-" else Path(path).open("rb") as file:
        raw = file.read(MAX_BYTES + 1)
    need(len(raw) <= MAX_BYTES, "larger than any bundle")
    return raw.decode(errors="surrogateescape")


def main() -> int:
    """The exit code, after printing what was established. Unprintable characters of the bundle come out escaped."""
    parser = argparse.ArgumentParser(description="Check a proof bundle. The top of this file says what that means.")
    parser.add_argument("bundle", metavar="BUNDLE", help="a file, or - for standard input")
    parser.add_argument("--disclosed", metavar="FILE", help="the disclosed key of one version of an encrypted atom")
    trust = parser.add_mutually_exclusive_group()
    trust.add_argument("--key", metavar="VKEY", help="the verifier key you trust, or a file that holds it")
    trust.add_argument("--pin", metavar="FILE", help="the pin you kept")
    given = parser.parse_args()
    if [given.bundle, given.disclosed, given.key, given.pin].count("-") > 1:
        parser.error("only one of them can be -, standard input")
    try:
        bundle, pin = load(given.bundle), None if given.pin is None else load(given.pin)
        in_file = given.key is not None and given.key.count("+") < 2
        key = load(given.key).strip() if in_file else given.key
        if str(key).startswith("substrate pin") or re.match(rf"{NAME}\+", pin or ""):
            parser.error(f"{given.key} is a pin: use --pin" if key else f"{given.pin} is a key: use --key")
        if in_file and not re.match(rf"{NAME}\+", key):
            parser.error(f"{given.key} holds no verifier key")
        result, opened = verify(bundle, key, pin), None
        if given.disclosed is not None:
            need(result.entry, "this proof holds no version")
            opened = open_disclosed(load(given.disclosed).strip(), result.entry.subject, result.body.get("value"))
    except (OSError, AttributeError) as error:  # a standard input that is closed is None
        parser.error(f"cannot be read: {error}")
    except Rejected as why:
        print(f"REJECTED: {why}")
        return 1
    head, facts = result.head, {"claim": result.claim, "name": result.name}
    if entry := result.entry:
        when = f"{EPOCH + timedelta(microseconds=entry.time)}" if entry.time < 2**57 else f"{entry.time} microseconds"
        said = json.dumps(result.body.get("value"), ensure_ascii=False)
        facts["value"] = f"(first {SHOWN} of {len(said):,} characters) " * (len(said) > SHOWN) + said[:SHOWN]
        facts |= {"text": "encrypted: --disclosed shows it"} if said.startswith(f'"{MARK}') else {}
        facts["entry"] = f"seq {entry.seq}, {entry.kind}, {when} by the store's clock"
    facts["since"] = result.since and f"contains the first {result.since.size} entries, unchanged"
    facts["head"] = f"{head.origin}, {head.size} entries, log root {head.root.hex()}"
    facts["trust"] = f"by the {result.trust} you gave" if result.trust else "none: give --key or --pin"
    if opened is not None:  # whole: who was given the key is to read it
        facts["text"] = "by the disclosed key of this version:"
        facts |= {f"  {word}": json.dumps(said, ensure_ascii=False) for word, said in opened.items()}
    sys.stdout.reconfigure(errors="backslashreplace")
    print("VERIFIED" if result.trust else "CONSISTENT, ORIGIN UNTRUSTED")
    for label, fact in facts.items():
        line = f"  {label:6} {fact or '-'}"  # a label may be a member of the text, which the prover chose
        print("".join(c if c.isprintable() else ascii(c)[1:-1] for c in line))
    return 0 if result.trust else 3


if __name__ == "__main__":
    # A reader that has seen enough, such as `head`, ends this without a traceback. Windows has no such signal.
    signal.signal(getattr(signal, "SIGPIPE", signal.SIGTERM), signal.SIG_DFL)
    sys.exit(main())
