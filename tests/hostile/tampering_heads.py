"""Mutations of signed heads; see tampering.py."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from tests.hostile.bending import bend_line, bend_signature, flip, flip64, lines_of
from tests.proof import reference
from tests.proof.reference import Case, Json, Key, Store

ORDER = 2**252 + 27742317777372353535851937790883648493


@dataclass(frozen=True)
class Pool:
    """Honest bundles to tamper with, those of another log, and a fork of the log signed with the same keys."""

    cases: list[Case]
    foreign: list[Case]
    fork: Store
    other_key: Key

    @classmethod
    def of(cls, seed: int) -> Pool:
        fork = Store("example.org/log", seed)
        for number in range(10):
            fork.put(f"v1.fork.n{number}", number)
        other = Key.from_seed("example.org/log", f"nobody {seed}")
        return cls(reference.honest_cases(seed), reference.honest_cases(seed, "elsewhere.org/log"), fork, other)


def heads(bundle: Json, chance: random.Random) -> Json:
    """The bundle itself, or one of its rotations: whatever has a `head`, an `entry` and an `atom`."""
    return chance.choice([bundle, *bundle.get("rotations", [])])


def tamper_size(bundle: Json, chance: random.Random, _pool: Pool) -> None:
    place = heads(bundle, chance)
    size = lines_of(place["head"])[1]
    ways = [
        str(int(size) + 1),
        str(int(size) - 1),
        "0" + size,
        "+" + size,
        size + " ",
        "-" + size,
        "0",
        "",
        size + ".0",
    ]
    ways += [f"{int(size):,}", "\u0661", str(2**63), str(2**64 + int(size)), "9" * 5000, hex(int(size))]
    place["head"] = bend_line(place["head"], 1, lambda _: chance.choice(ways))


def tamper_root(bundle: Json, chance: random.Random, _pool: Pool) -> None:
    place = heads(bundle, chance)
    if chance.random() < 0.2:  # the two roots change places
        lines = lines_of(place["head"])
        lines[2], lines[3] = lines[3].removeprefix("map "), "map " + lines[2]
        place["head"] = "\n".join(lines)
    else:
        place["head"] = bend_line(place["head"], 2, lambda line: flip64(line, chance))


def tamper_map_root(bundle: Json, chance: random.Random, _pool: Pool) -> None:
    place = heads(bundle, chance)
    ways = [lambda line: "map " + flip64(line[4:], chance), lambda line: line[4:], lambda line: "Map" + line[3:]]
    place["head"] = bend_line(place["head"], 3, chance.choice(ways))


def tamper_origin(bundle: Json, chance: random.Random, _pool: Pool) -> None:
    place = heads(bundle, chance)
    ways = ["elsewhere.org/log", "example.org/log ", "", "example.org/Log", "example.org/log\u200b", "e+x", "\ud800"]
    origin = chance.choice(ways)
    note = bend_line(place["head"], 0, lambda _: origin)
    if chance.random() < 0.5:  # the key's name goes along
        note = bend_line(note, 5, lambda line: line.replace("example.org/log", origin))
    place["head"] = note


def tamper_signature(bundle: Json, chance: random.Random, _pool: Pool) -> None:
    place = heads(bundle, chance)

    def plus_order(raw: bytes) -> bytes:
        return raw[:36] + (int.from_bytes(raw[36:], "little") + ORDER).to_bytes(32, "little")

    ways: list[Callable[[bytes], bytes]] = [lambda raw: flip(raw, chance, 4)] * 4
    ways += [plus_order, lambda raw: raw + b"\0", lambda raw: raw[:-1], lambda raw: raw[:4] + bytes(64)]
    ways += [lambda raw: raw[:4], lambda raw: raw[:4] + raw[36:] + raw[4:36]]
    place["head"] = bend_signature(place["head"], chance.choice(ways))


def tamper_key_id(bundle: Json, chance: random.Random, _pool: Pool) -> None:
    place = heads(bundle, chance)
    place["head"] = bend_signature(place["head"], lambda raw: flip(raw, chance, 0, 4))


def tamper_key_name(bundle: Json, chance: random.Random, _pool: Pool) -> None:
    place = heads(bundle, chance)
    name = chance.choice(["elsewhere.org/log", "example.org/lo", "", "example.org/log+", "EXAMPLE.org/log", "a b"])
    place["head"] = bend_line(place["head"], 5, lambda line: f"\u2014 {name} {line.split(' ')[2]}")


def tamper_note_form(bundle: Json, chance: random.Random, _pool: Pool) -> None:
    """The lines of a note in another form than the one that is signed notes'."""
    place = heads(bundle, chance)
    note = place["head"]
    text, _, tail = note.partition("\n\n")
    ways = [text + "\n", text + "\n\n", note[:-1], note + "\n", "\n" + note, text + "\nextra line\n\n" + tail]
    ways += [note.replace("\u2014", "-"), note.replace("\n", "\r\n"), text + "\n" + tail, note.replace("map ", "map  ")]
    ways += [note + "junk", note + "\u2014 x\n", "", text + "\n\n" + tail.replace("\u2014 ", "\u2014  ", 1)]
    place["head"] = chance.choice(ways)


def tamper_signer(bundle: Json, _chance: random.Random, pool: Pool) -> None:
    """The head as it was, but signed by somebody else."""
    text = bundle["head"].partition("\n\n")[0] + "\n"
    bundle["head"] = text + "\n" + pool.other_key.line(text)
