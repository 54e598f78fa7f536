"""Lies about heads, keys, pins and handovers; see lies.py."""

from __future__ import annotations

import hmac
from dataclasses import replace

from tests.hostile.liar import ATOM, ORIGIN, case_of, leaf_of, new_store, set_leaf
from tests.proof import reference
from tests.proof.reference import TOMBSTONED, Case, Json, Key, Store, b64

IDENTITY = b"\x01" + bytes(31)
"""The neutral point of the curve: as a key, it takes `IDENTITY` and zeros for a signature of every message."""


def about_heads(seed: int) -> list[Case]:
    """A trusted key signs what it has no business to sign, or signs it in another form."""
    store = new_store(seed)
    key, bundle = store.keys[0], store.bundle("current", "v1.n3")
    root, map_root = b64(store.root), b64(store.map_root)
    foreign = "".join(chr(0x0660 + int(digit)) for digit in str(store.size))
    texts = {
        "another origin": f"elsewhere.org/log\n{store.size}\n{root}\nmap {map_root}\n",
        "leading zero": f"{ORIGIN}\n0{store.size}\n{root}\nmap {map_root}\n",
        "sign": f"{ORIGIN}\n+{store.size}\n{root}\nmap {map_root}\n",
        "foreign digits": f"{ORIGIN}\n{foreign}\n{root}\nmap {map_root}\n",
        "space": f"{ORIGIN}\n{store.size} \n{root}\nmap {map_root}\n",
        "no map": f"{ORIGIN}\n{store.size}\n{root}\n",
        "map root alone": f"{ORIGIN}\n{store.size}\n{root}\n{map_root}\n",
        "another word for map": f"{ORIGIN}\n{store.size}\n{root}\nMap {map_root}\n",
        "a fifth line": f"{ORIGIN}\n{store.size}\n{root}\nmap {map_root}\nmore\n",
        "a respelled root": f"{ORIGIN}\n{store.size}\n{root}=\nmap {map_root}\n",
        "an unpadded root": f"{ORIGIN}\n{store.size}\n{root.rstrip('=')}\nmap {map_root}\n",
        "a respelled map root": f"{ORIGIN}\n{store.size}\n{root}\nmap {map_root.rstrip('=')}\n",
        "a longer root": f"{ORIGIN}\n{store.size}\n{b64(store.root + bytes(1))}\nmap {map_root}\n",
        "a size beyond all logs": f"{ORIGIN}\n{10**30}\n{root}\nmap {map_root}\n",
        "no size": f"{ORIGIN}\n\n{root}\nmap {map_root}\n",
    }
    zeros = b64(bytes(32))
    # Where a claim does not use a root, no path can show that it is none.
    unused = {
        "a log root of zeros": ("absent", "v1.none", f"{ORIGIN}\n{store.size}\n{zeros}\nmap {map_root}\n"),
        "a map root of zeros": ("recorded", 3, f"{ORIGIN}\n{store.size}\n{root}\nmap {zeros}\n"),
    }
    made = [
        case_of(f"a head with {label}", store, bundle | {"head": f"{text}\n{key.line(text)}"})
        for label, text in texts.items()
    ]
    made += [
        case_of(f"a head with {label}", store, store.bundle(claim, what) | {"head": f"{text}\n{key.line(text)}"})
        for label, (claim, what, text) in unused.items()
    ]
    good = f"{ORIGIN}\n{store.size}\n{root}\nmap {map_root}\n"
    line = key.line(good)
    forms = {
        "no signature": f"{good}\n",
        "no blank line": good + line,
        "no last newline": f"{good}\n{line}".rstrip("\n"),
        "an empty line after": f"{good}\n{line}\n",
        "a hyphen": f"{good}\n{line.replace(chr(0x2014), '-')}",
        "a second malformed line": f"{good}\n{line}\u2014 nobody\n",
        "a second line that is not base64": f"{good}\n{line}\u2014 nobody !!!!\n",
        "a line without dash": f"{good}\n{line}x {line[2:]}",
        "a signer's name with a plus": f"{good}\n{line}\u2014 a+b {line.split(' ')[2]}",
    }
    made += [case_of(f"a note with {label}", store, bundle | {"head": note}) for label, note in forms.items()]
    # Keys that are no keys: whoever gave them did not mean to trust anything.
    name, key_id, code = key.vkey.split("+", 2)
    raw = key.public
    bad_keys = {
        "another key id": f"{name}+{'0' * 8}+{code}",
        "an upper-case key id": f"{name}+{key_id.upper()}+{code}" if key_id.upper() != key_id else f"{name}++{code}",
        "another algorithm": vkey_of(name, b"\x02" + raw[1:]),
        "a longer key": vkey_of(name, raw + b"\0"),
        "no name": vkey_of("", raw),
        "a space in the name": vkey_of("example org", raw),
        "respelled base64": f"{name}+{key_id}+{code.rstrip('=')}=",
        "a newline": key.vkey + "\n",
        "nothing": "",
        "one plus": name + "+" + key_id,
        "a name that is no Unicode": f"\udcff+{key_id}+{code}",
    }
    made += [replace(case_of(f"a vkey with {label}", store, bundle), key=text) for label, text in bad_keys.items()]
    anyone = vkey_of(ORIGIN, b"\x01" + IDENTITY)
    forged = f"\u2014 {ORIGIN} {b64(bytes.fromhex(anyone.split('+')[1]) + IDENTITY + bytes(32))}\n"
    by_anyone = case_of("a key that anyone can sign for", store, bundle | {"head": f"{good}\n{forged}"})
    made.append(replace(by_anyone, key=anyone))
    other = OtherAlgorithm(ORIGIN, key.private)
    made.append(
        replace(case_of("another algorithm throughout", store, bundle | {"head": store.head(other)}), key=other.vkey)
    )
    return made


class OtherAlgorithm(Key):
    """An Ed25519 key that calls itself something else, with the key id of that."""

    @property
    def public(self) -> bytes:
        return b"\x02" + super().public[1:]


def vkey_of(name: str, raw: bytes) -> str:
    """A verifier key with a right key id, whatever the bytes are."""
    return f"{name}+{reference.sha(name.encode() + chr(10).encode() + raw)[:4].hex()}+{b64(raw)}"


def about_history(seed: int) -> list[Case]:
    """Pins and `since`."""
    store = new_store(seed)
    pin, size = store.pin(), store.size
    made = []
    for label, changed in {
        "title": pin.replace("pin v1", "pin v2"),
        "no blank line": pin.replace("\n\n", "\n", 1),
        "text in the blank line": pin.replace("\n\n", "\nx\n", 1),
        "signed by another": reference.pin_text(store.keys[0], store.head(Key.from_seed(ORIGIN, "x"))),
        "the key of another": reference.pin_text(Key.from_seed(ORIGIN, "x"), store.head()),
        "the key of another name": reference.pin_text(Key.from_seed("elsewhere.org/log", "x"), store.head()),
        "cut": pin[: len(pin) // 2],
        "empty": "",
    }.items():
        made.append(Case(f"a pin: {label}", store.bundle("current", "v1.n3"), pin=changed))
    # The same log, the same size, another map: the map is part of what was pinned.
    set_leaf(store, "v1.n3", leaf_of(store, "v1.n3")[:56] + bytes([TOMBSTONED]))
    made.append(Case("the pinned log with another map", store.bundle("recorded", 3), pin=pin))
    # A fork after the pin's size, whose `since` proves something about itself.
    fork = Store(ORIGIN, seed)
    for number in range(30):
        fork.put(f"v1.f{number}", number)
    made += [
        Case("a fork since its own root", fork.bundle("recorded", 3, since=size), pin=pin),
        Case("a fork since another size", fork.bundle("recorded", 3, since=size - 1), pin=pin),
        Case("a fork without since", fork.bundle("recorded", 3), pin=pin),
        Case("a fork at itself", fork.bundle("recorded", 3, since=fork.size), pin=pin),
    ]
    claimed = fork.since(size) | {"root": b64(reference.Log(store.leaves).root(size))}
    made.append(Case("a fork that claims the pinned root", fork.bundle("recorded", 3) | {"since": claimed}, pin=pin))
    # The pinned log cloned under another name, signed by a key of that name.
    clone = Store("elsewhere.org/log", seed)
    clone.leaves, clone.entries, clone.atoms = store.leaves, store.entries, store.atoms
    copied = clone.bundle("recorded", 3)
    made.append(Case("a clone of the pinned log", copied, pin=pin))
    for number in range(3):
        clone.put(f"v1.clone{number}", number)
    copied = clone.bundle("recorded", 3, since=size)
    made.append(Case("a clone of the pinned log, extended", copied, pin=pin))
    store = new_store(seed)
    longer = store.bundle("recorded", 3)
    for number in range(3):
        store.put(f"v1.more{number}", number)
    made.append(Case("behind the pin", longer, pin=store.pin()))
    empty = {"size": 0, "root": b64(reference.sha(b"")), "path": []}
    made.append(case_of("since nothing", store, store.bundle("extended", since=5) | {"since": empty}))
    made.append(case_of("since the future", store, longer | {"since": store.since(store.size)}))
    return made


def about_eras(seed: int) -> list[Case]:
    """Each key counts for its own log, and from one handover to the next."""
    made = []
    other, new = Key.from_seed("elsewhere.org/log", "new"), Key.from_seed(ORIGIN, "new")
    # A handover to a key of another name, under whose name the log then goes on.
    store = new_store(seed)
    old, seq = store.keys[0], store.append("key", ATOM, {"vkey": other.vkey})
    rotation = {"head": store.head(old), **store.proven(seq)}
    store.origin, store.keys = other.name, [other]
    made.append(
        Case("a handover to another log", store.bundle("recorded", 3) | {"rotations": [rotation]}, key=old.vkey)
    )
    # A head from before the handover, signed by the key that was not yet in force.
    store = new_store(seed)
    old, early = store.keys[0], store.bundle("recorded", 3) | {"head": store.head(new)}
    seq = store.append("key", ATOM, {"vkey": new.vkey})
    rotation = {"head": store.head(old), **store.proven(seq)}
    made.append(Case("a head from before its key", early | {"rotations": [rotation]}, key=old.vkey))
    # A head from after the handover, signed by the key that is no longer in force.
    store.put("v1.late", 1)
    late = store.bundle("current", "v1.late") | {"head": store.head(old), "rotations": [rotation]}
    made.append(Case("a head from after its key", late, key=old.vkey))
    return made


def about_rotations(seed: int) -> list[Case]:
    """The old key signs a handover that is none."""
    made = about_eras(seed)

    def handover(label: str, body: Json, kind: str = "key", *, after: int = 0, new_signs: bool = True) -> None:
        store = new_store(seed)
        old, new = store.keys[0], Key.from_seed(ORIGIN, "new")
        seq = store.append(kind, ATOM, {"vkey": new.vkey, **body})
        for number in range(after):
            store.put(f"v1.after{number}", number)
        rotation = {"head": store.head(old), **store.proven(seq)}
        store.put("v1.end", 1)
        store.keys = [new] if new_signs else [old]
        bundle = store.bundle("current", "v1.end") | {"rotations": [rotation]}
        made.append(Case(f"a handover: {label}", bundle, key=old.vkey))

    other = Key.from_seed("elsewhere.org/log", "new")
    new = Key.from_seed(ORIGIN, "new")
    for kind in reference.KINDS:
        if kind != "key":
            handover(f"by an entry of kind {kind}", {}, kind)
    handover("that is not the last entry", {}, after=1)
    handover("that is far from the last entry", {}, after=7)
    handover("to no key", {"vkey": None})
    handover("to a list", {"vkey": [new.vkey]})
    handover("to another name", {"vkey": other.vkey})
    handover("to another name, though the old key signs on", {"vkey": other.vkey}, new_signs=False)
    handover("to what is no key", {"vkey": "x"}, new_signs=False)
    handover("to a key with a false id", {"vkey": new.vkey.replace("+", "+0", 1)})
    handover("to a third key", {"vkey": Key.from_seed(ORIGIN, "third").vkey})
    for text in ("[]", "{", '{"vkey":1}', f'{{"vkey":"{other.vkey}","vkey":"{new.vkey}"}}'):
        store = new_store(seed)
        old = store.keys[0]
        seq = store.append("key", ATOM, {})
        salt = bytes(16)
        entry = store.entries[seq][:26] + hmac.digest(salt, text.encode(), "sha256")
        store.entries[seq], store.leaves[seq], store.atoms[seq] = entry, reference.leaf_hash(entry), (salt, text)
        rotation = {"head": store.head(old), **store.proven(seq)}
        store.keys = [new]
        made.append(Case(f"a handover: {text}", store.bundle("recorded", 3) | {"rotations": [rotation]}, key=old.vkey))
    return made
