"""Bundles that must not pass: honest ones with one thing changed, and ones that a lying key-holder signed.

A mutation changes what the bundle says or how it is spelled. One that leaves the meaning as it was (white space between
members), or turns one true statement into another (a `recorded` bundle cut out of a `current` one), is no tampering and
is not made here.
"""

from __future__ import annotations

import copy
import json
import random
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass

from tests.hostile.bending import (
    Unfit,
    bend_line,
    bend_number,
    bend_path,
    fit,
    flip64,
    lines_of,
    objects,
    other_length,
    respell,
)
from tests.hostile.tampering_heads import (
    Pool,
    tamper_key_id,
    tamper_key_name,
    tamper_map_root,
    tamper_note_form,
    tamper_origin,
    tamper_root,
    tamper_signature,
    tamper_signer,
    tamper_size,
)
from tests.proof import reference
from tests.proof.reference import Case, Json, Store, b64


@dataclass(frozen=True)
class Tampered:
    """A bundle that must be rejected, and how it came about."""

    kind: str
    label: str
    seed: int
    text: str
    key: str | None
    pin: str | None


# ---- entries and bodies


def proven(bundle: Json, chance: random.Random) -> Json:
    places = [place for place in [bundle, *bundle.get("rotations", [])] if "entry" in place]
    fit(places)
    return chance.choice(places)


def tamper_body(bundle: Json, chance: random.Random, _pool: Pool) -> None:
    atom = proven(bundle, chance)["atom"]
    body, place = atom["body"], chance.randrange(len(atom["body"]))
    ways = [body[:place] + chr(ord(body[place]) ^ 1) + body[place + 1 :], body + " ", " " + body, body[:-1], "", "{}"]
    ways += [body.replace(":", ": ", 1), body.replace("{", '{"name":"x",', 1), body + "\0", body[:place] + "\ud800"]
    atom["body"] = chance.choice(ways)


def tamper_salt(bundle: Json, chance: random.Random, _pool: Pool) -> None:
    atom = proven(bundle, chance)["atom"]
    atom["salt"] = chance.choice([flip64, other_length])(atom["salt"], chance)


def tamper_header(start: int, end: int) -> Callable[[Json, random.Random, Pool], None]:
    def tamper(bundle: Json, chance: random.Random, _pool: Pool) -> None:
        entry = proven(bundle, chance)["entry"]
        entry["bytes"] = flip64(entry["bytes"], chance, start, end)

    return tamper


def tamper_entry_length(bundle: Json, chance: random.Random, _pool: Pool) -> None:
    entry = proven(bundle, chance)["entry"]
    entry["bytes"] = other_length(entry["bytes"], chance)


def tamper_path(bundle: Json, chance: random.Random, _pool: Pool) -> None:
    bend_path(proven(bundle, chance)["entry"]["path"], chance)


def tamper_seq(bundle: Json, chance: random.Random, _pool: Pool) -> None:
    entry = proven(bundle, chance)["entry"]
    entry["seq"] = bend_number(entry["seq"], chance)


# ---- claim, name and map


def tamper_claim(bundle: Json, chance: random.Random, _pool: Pool) -> None:
    words = ["recorded", "current", "tombstoned", "forgotten", "absent", "extended"]
    words += ["Current", "live", "", "current ", "proven", None, 1, [], {}]  # type: ignore[list-item]
    bundle["claim"] = chance.choice([word for word in words if word != bundle["claim"]])
    if bundle["claim"] == "absent" and chance.random() < 0.8:  # with just the members that this claim has
        bundle.pop("entry", None)
        bundle.pop("atom", None)


def tamper_name(bundle: Json, chance: random.Random, pool: Pool) -> None:
    fit("name" in bundle)
    if bundle["claim"] == "absent":  # of some other name it may well be true, but not of one that is there
        there = {case.bundle["name"] for case in pool.cases if case.bundle["claim"] == "current"} - {"v1.only"}
        fit(len(bundle["map"]["path"]) > 1)
        bundle["name"] = chance.choice(sorted(there))
    else:
        name = bundle["name"]
        ways = [name + " ", name.upper(), name[:-1], name + "\0", "", name + "\u0301", "v1.other", None, 7, [name]]
        bundle["name"] = chance.choice([*ways, name[:-1] + "\ud800"])


def tamper_leaf(start: int, end: int) -> Callable[[Json, random.Random, Pool], None]:
    def tamper(bundle: Json, chance: random.Random, _pool: Pool) -> None:
        fit(bundle.get("map", {}).get("leaf"))
        bundle["map"]["leaf"] = flip64(bundle["map"]["leaf"], chance, start, end)

    return tamper


def tamper_leaf_whole(bundle: Json, chance: random.Random, pool: Pool) -> None:
    """Another leaf, none, or one where there was none."""
    fit("map" in bundle)
    others = [case.bundle["map"]["leaf"] for case in pool.cases if "map" in case.bundle]
    leaf = chance.choice([*others, None, "", b64(chance.randbytes(57)), b64(bytes(57)), b64(chance.randbytes(56)), 0])
    fit(leaf != bundle["map"]["leaf"])
    bundle["map"]["leaf"] = leaf


def tamper_map_path(bundle: Json, chance: random.Random, _pool: Pool) -> None:
    fit("map" in bundle)
    bend_path(bundle["map"]["path"], chance)


def tamper_empty(bundle: Json, chance: random.Random, _pool: Pool) -> None:
    """An empty sibling spelled out as 32 zero bytes, or as another kind of nothing: it has one spelling."""
    path = bundle.get("map", {}).get("path", [])
    fit("" in path)
    path[chance.choice([place for place, node in enumerate(path) if node == ""])] = chance.choice(
        [b64(bytes(32)), None, 0, False, [], {}, "\n"]
    )


def tamper_map_salt(bundle: Json, chance: random.Random, _pool: Pool) -> None:
    fit("map" in bundle)
    bundle["map"]["salt"] = chance.choice([flip64, other_length])(bundle["map"]["salt"], chance)


def tamper_absence(bundle: Json, chance: random.Random, _pool: Pool) -> None:
    """A name that is there, "absent" under a salt found by trying: its key then falls into another's place."""
    fit(bundle["claim"] == "current" and bundle["map"]["path"])
    leaf, depth = b64decode(bundle["map"]["leaf"]), len(bundle["map"]["path"])
    wanted = int.from_bytes(leaf[:32], "big") >> 256 - depth
    salt = next(
        salt
        for salt in iter(lambda: chance.randbytes(32), None)
        if int.from_bytes(reference.map_key(salt, bundle["name"]), "big") >> 256 - depth == wanted
    )
    bundle["claim"], bundle["map"]["salt"] = "absent", b64(salt)
    del bundle["entry"], bundle["atom"]


# ---- since and rotations


def tamper_since(bundle: Json, chance: random.Random, _pool: Pool) -> None:
    fit("since" in bundle)
    since = bundle["since"]
    match chance.randrange(5):
        case 0:
            since["size"] = bend_number(since["size"], chance)
        case 1:
            since["root"] = flip64(since["root"], chance)
        case 2:
            since["root"] = other_length(since["root"], chance)
        case 3:
            bend_path(since["path"], chance)
        case 4:
            bundle["since"] = {"size": 0, "root": b64(reference.sha(b"")), "path": []}


def tamper_rotations(bundle: Json, chance: random.Random, pool: Pool) -> None:
    fit(bundle.get("rotations"))
    rotations = bundle["rotations"]
    match chance.randrange(6):
        case 0:
            rotations.pop(chance.randrange(len(rotations)))
        case 1:
            fit(len(rotations) > 1)
            rotations.reverse()
        case 2:
            del bundle["rotations"]
        case 3:
            bundle["rotations"] = chance.choice([{}, None, rotations[0], "", [[]], [None], [rotations]])
        case 4:  # the new key is another's
            rotation, body = chance.choice(rotations), {"vkey": pool.other_key.vkey}
            rotation["atom"]["body"] = reference.canonical(body)
        case 5:  # a well-formed handover, but of one who was never trusted
            store = Store("example.org/log", chance.randrange(10**6) + 10**6)
            store.rotate()
            rotations[:] = store.rotations
            bundle["head"] = store.head()


def tamper_takeover(bundle: Json, _chance: random.Random, pool: Pool) -> None:
    """The attacker hands the log over to himself, and signs the head as its new keeper."""
    attacker = pool.other_key
    text = bundle["head"].partition("\n\n")[0] + "\n"
    bundle["head"] = text + "\n" + attacker.line(text)
    store = Store("example.org/log", 1)
    store.append("key", bytes(16), {"vkey": attacker.vkey})
    rotation = {"head": store.head(attacker), **store.proven(store.size - 1)}
    bundle["rotations"] = [*bundle.get("rotations", []), rotation]


# ---- spelling


def tamper_unknown(bundle: Json, chance: random.Random, _pool: Pool) -> None:
    place = chance.choice(list(objects(bundle)))
    member = chance.choice(
        ["alg", "algorithm", "comment", "", "Seq", "size", "vkey", "rule", "directions", "\ud800", "leaf "]
    )
    fit(member not in place)
    place[member] = chance.choice([None, 0, "sha256", {}, []])


def tamper_missing(bundle: Json, chance: random.Random, _pool: Pool) -> None:
    place = chance.choice(list(objects(bundle)))
    optional = {"rotations"} if bundle["claim"] == "extended" else {"rotations", "since"}
    member = chance.choice([member for member in place if place is not bundle or member not in optional])
    del place[member]


def tamper_type(bundle: Json, chance: random.Random, _pool: Pool) -> None:
    place = chance.choice(list(objects(bundle)))
    member = chance.choice(list(place))
    wrong = chance.choice([None, True, 0, 1.5, "", [], {}, [[]], "x", -1])
    fit(wrong != place[member] and not (member == "rotations" and wrong == []))
    fit(not (bundle["claim"] == "absent" and member == "name" and isinstance(wrong, str)))
    place[member] = wrong


def tamper_format(bundle: Json, chance: random.Random, _pool: Pool) -> None:
    ways = ["substrate-bundle/2", "substrate-bundle/1 ", "SUBSTRATE-BUNDLE/1", "substrate-bundle/01", "", None, 1]
    bundle["format"] = chance.choice(ways)


def tamper_base64(bundle: Json, chance: random.Random, _pool: Pool) -> None:
    kinds = ("salt", "bytes", "root", "leaf")
    places: list[tuple[object, object]] = [
        (place, kind) for place in objects(bundle) for kind in kinds if place.get(kind)
    ]
    places += [
        (place["path"], index) for place in objects(bundle) for index, node in enumerate(place.get("path", [])) if node
    ]
    if not places or chance.random() < 0.2:
        dash, name, code = lines_of(bundle["head"])[5].split(" ")
        bundle["head"] = bend_line(bundle["head"], 5, lambda _: f"{dash} {name} {respell(code, chance)}")
    else:
        holder, key = chance.choice(places)
        holder[key] = respell(holder[key], chance)  # type: ignore[index]


def doubled(bundle: Json, chance: random.Random, _pool: Pool) -> str:
    """JSON text with one member twice, with the same value or another. Readers differ on which of the two counts."""
    place = chance.choice(list(objects(bundle)))
    member = chance.choice(list(place))
    twice = "\ue000" + member
    other = place[member] if chance.random() < 0.5 else chance.choice([None, 0, "", [], {}])
    pairs = list(place.items())
    pairs.insert(chance.randrange(len(pairs) + 1), (twice, other))
    place.clear()
    place.update(pairs)
    return json.dumps(bundle, ensure_ascii=False).replace("\ue000", "")


def broken(bundle: Json, chance: random.Random, _pool: Pool) -> str:
    """Text that is no longer JSON, or that only lenient readers take for it."""
    text = json.dumps(bundle)
    ways = [text[:-1], text + text, text + "x", "\ufeff" + text, text.replace('"', "'"), text[:-1] + ",}", "", "null"]
    ways += [text[:-1] + ', "since": NaN}', f"[{text}]", text.replace("{", "[", 1), "[" * 100_000, '{"a":' * 100_000]
    ways += [text[: chance.randrange(len(text))], text + "\0", "/**/" + text, text.replace('"seq": ', '"seq": 0')]
    spelled = chance.choice(ways)
    fit(spelled != text)
    return spelled


# ---- whole parts of other bundles


def tamper_swap(bundle: Json, chance: random.Random, pool: Pool) -> None:
    """One member taken from another bundle, of the same log or of another."""
    other = chance.choice(chance.choice([pool.cases, pool.foreign])).bundle
    member = chance.choice(["entry", "atom", "map", "head", "since"])
    fit(member in bundle and member in other and bundle[member] != other[member])
    # At the same head another `since` is true as well.
    fit(member not in {"since", "head"} or lines_of(bundle["head"])[:4] != lines_of(other["head"])[:4])
    bundle[member] = copy.deepcopy(other[member])


def tamper_older(bundle: Json, chance: random.Random, pool: Pool) -> None:
    """The entry of another version or name, whole and proven at the same head, under this name's claim."""
    fit(bundle["claim"] in {"current", "tombstoned", "forgotten"})
    others = [
        case.bundle
        for case in pool.cases
        if "entry" in case.bundle
        and lines_of(case.bundle["head"])[:4] == lines_of(bundle["head"])[:4]
        and case.bundle["entry"]["seq"] != bundle["entry"]["seq"]
    ]
    fit(others)
    other = chance.choice(others)
    bundle["entry"], bundle["atom"] = copy.deepcopy(other["entry"]), copy.deepcopy(other["atom"])


Mutation = Callable[[Json, random.Random, Pool], str | None]

MUTATIONS: dict[str, Mutation] = {
    "body": tamper_body,
    "salt": tamper_salt,
    "entry format": tamper_header(0, 1),
    "entry kind": tamper_header(1, 2),
    "entry subject": tamper_header(2, 18),
    "entry time": tamper_header(18, 26),
    "entry commitment": tamper_header(26, 58),
    "entry length": tamper_entry_length,
    "log path": tamper_path,
    "seq": tamper_seq,
    "head size": tamper_size,
    "log root": tamper_root,
    "map root": tamper_map_root,
    "origin": tamper_origin,
    "signature": tamper_signature,
    "key id": tamper_key_id,
    "key name": tamper_key_name,
    "form of the note": tamper_note_form,
    "signer": tamper_signer,
    "claim": tamper_claim,
    "name": tamper_name,
    "map key": tamper_leaf(0, 32),
    "map id": tamper_leaf(32, 48),
    "map seq": tamper_leaf(48, 56),
    "map state": tamper_leaf(56, 57),
    "map leaf": tamper_leaf_whole,
    "map path": tamper_map_path,
    "empty sibling": tamper_empty,
    "map salt": tamper_map_salt,
    "absence under another salt": tamper_absence,
    "since": tamper_since,
    "rotations": tamper_rotations,
    "takeover": tamper_takeover,
    "unknown member": tamper_unknown,
    "missing member": tamper_missing,
    "type": tamper_type,
    "format name": tamper_format,
    "base64": tamper_base64,
    "duplicate member": doubled,
    "broken text": broken,
    "swapped proofs": tamper_swap,
    "older version": tamper_older,
}


def distrust(case: Case, chance: random.Random, pool: Pool) -> tuple[str | None, str | None]:
    """Another key or pin than the bundle was made for: of another log, a fork, newer, or not signed by its own key."""
    fork, foreign = pool.fork, chance.choice(pool.foreign)
    unsigned = reference.pin_text(fork.keys[0], fork.head(pool.other_key))
    pairs = [(foreign.key, foreign.pin), (pool.other_key.vkey, None), (None, fork.pin()), (None, unsigned)]
    if case.pin is not None:  # the same log, pinned at a larger size
        _, _, _, origin, size, root, map_root, *_ = case.pin.split("\n")
        text, signer = f"{origin}\n{int(size) + 1000}\n{root}\n{map_root}\n", fork.keys[0]
        pairs.append((None, reference.pin_text(signer, f"{text}\n{signer.line(text)}")))
    return chance.choice(pairs)


KINDS = [*MUTATIONS, "key or pin", "pin unconnected"]


def tamper(kind: str, seed: int, pool: Pool) -> Tampered:
    """One bundle tampered with in this way, always the same for the same seed and pool."""
    chance = random.Random(seed)
    while True:
        case = chance.choice(pool.cases)
        bundle, key, pin, text = copy.deepcopy(case.bundle), case.key, case.pin, None
        try:
            if kind == "key or pin":
                key, pin = distrust(case, chance, pool)
            elif kind == "pin unconnected":
                fit("early pin" in case.label)
                del bundle["since"]
            else:
                text = MUTATIONS[kind](bundle, chance, pool)
        except Unfit:
            continue
        text = json.dumps(bundle) if text is None else text
        if (text, key, pin) != (case.text, case.key, case.pin):
            return Tampered(kind, case.label, seed, text, key, pin)
