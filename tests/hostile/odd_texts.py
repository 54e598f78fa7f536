"""Bundles, keys and pins of which two readers may think differently: odd spellings, odd numbers, odd signers.

Some of them are honest and some are not. What matters is that both verifiers say the same of each.
"""

from __future__ import annotations

import hmac
import json
import random
import re
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass

from tests.hostile.bending import flip64, objects, respell
from tests.hostile.liar import ATOM, ORIGIN, new_store
from tests.hostile.lies_about_keys import IDENTITY, vkey_of
from tests.proof import reference
from tests.proof.reference import Case, Json, Key, Store, b64, honest_cases

NUMBERS = [
    *("-0", "-1", "01", "+1", "1.", ".5", "1.0", "1e0", "1E+0", "0x1", "1_0", "1e999", "-1e999", "1e-999"),
    *("NaN", "Infinity", "-Infinity", "true", "false", "null", '"1"', "[1]", "{}", "\u0661", "\uff11"),
    *(str(2**53 + 1), str(2**63 - 1), str(2**63), str(2**64 + 1), "1" + "0" * 4000, "9" * 4301, "-" + "9" * 4301),
]
DEPTHS = (1, 2, 10, 64, 98, 99, 100, 101, 102, 103, 128, 300, 490, 900, 990, 1100, 5000, 100_000)
KINDS = ("current", "absent", "extended", "recorded", "forgotten")


@dataclass(frozen=True)
class Odd:
    """A text, and what the one who verifies it has in hand."""

    label: str
    text: str
    key: str | None = None
    pin: str | None = None


def odd_texts(seed: int) -> list[Odd]:
    """All of them: the same for the same seed."""
    made = list(_of_a_liar(seed))
    chance = random.Random(seed)
    cases = honest_cases(seed)
    for place, kind in enumerate(KINDS):
        of_kind = [case for case in cases if case.label.startswith(kind)]
        case = chance.choice([case for case in of_kind if bool(case.pin) is bool(place % 2)])
        made += [Odd(f"{label} ({case.label})", text, case.key, case.pin) for label, text in _texts(case, chance)]
        for case in of_kind[:1] + of_kind[-1:]:
            made += _trusts(case)
    return made


def _texts(case: Case, chance: random.Random) -> Iterator[tuple[str, str]]:
    """The text of an honest bundle, bent."""
    text = case.text
    yield "as it is", text
    yield from _around(text)
    yield from _numbers(case, text)
    yield from _strings(case, text, chance)
    yield from _notes(case, chance)
    for number in range(40):  # one character lost, doubled or another
        at = chance.randrange(len(text))
        other = chance.choice(["", text[at] * 2, chr(ord(text[at]) ^ 1), chance.choice('"\\{}[],:0 \x00\u00e9')])
        yield f"character {at} is {other!r}, {number}", text[:at] + other + text[at + 1 :]


def _around(text: str) -> Iterator[tuple[str, str]]:
    bundle = json.loads(text)
    for before in ("\ufeff", "\x00", "\x0b", "\xa0", "\u2028", "/**/", "//\n", " \t\r\n", "\n" * 100_000, "\x1f"):
        yield f"after {before[:4]!r}", before + text
        yield f"before {before[:4]!r}", text + before
    yield "one long line", json.dumps(bundle) + " " * 1_000_000
    yield "CRLF", json.dumps(bundle, indent=1).replace("\n", "\r\n")
    yield "CR", json.dumps(bundle, indent=1).replace("\n", "\r")
    yield "twice", text + text
    yield "two lines", f"{text}\n{text}"
    yield "in a list", f"[{text}]"
    yield "as a string", json.dumps(text)
    yield "cut", text[:-1]
    yield "a comma too many", text[:-1] + ",}"
    yield "single quotes", text.replace('"', "'")
    yield "in UTF-16, read as Latin", text.encode("utf-16").decode("latin-1")
    for said in ("", " ", "{}", "[]", "null", "0", '""', "{", "\x00", '{"format"', '{"format":"substrate-bundle/1"}'):
        yield f"only {said!r}", said
    for depth in DEPTHS:
        for opening, closing in (("[", "]"), ('{"a":', "}")):
            deep = opening * depth + "1" + closing * depth
            yield f"{depth} deep in {opening}", deep
            yield f"a claim {depth} deep in {opening}", re.sub(r'"claim": "\w+"', f'"claim": {deep}', text)


def _numbers(case: Case, text: str) -> Iterator[tuple[str, str]]:
    for member in ("seq", "size"):
        there = re.search(rf'"{member}": (\d+)', text)
        if there is None:
            continue
        for number in (*NUMBERS, f"{there[1]}.0", f"{there[1]}e0", f"0{there[1]}", f"-{there[1]}"):
            yield f"{member} {number[:20]}", text[: there.start(1)] + number + text[there.end(1) :]
    yield "a number for the head", json.dumps(case.bundle | {"head": 1})


def _strings(case: Case, text: str, chance: random.Random) -> Iterator[tuple[str, str]]:
    yield "all escaped", re.sub(r'[^"\\\x00-\x1f]', lambda c: f"\\u{ord(c[0]):04x}" if c[0] in "abc" else c[0], text)
    yield "nothing escaped", json.dumps(case.bundle, ensure_ascii=False)
    escapes = [r"\ud800", r"\udc00\ud800", r"\ud83d\ude00", r"\ud83d", r"\u0000", r"\x41"]
    for odd in [*escapes, "\x00", "\n", "\x7f", "\ud800"]:
        for member in ("name", "claim", "head", "format", "body"):
            there = re.search(rf'"{member}": "', text)
            if there is not None:
                yield f"{odd!r} in {member}", text[: there.end()] + odd + text[there.end() :]
    for place in objects(case.bundle):
        for member, value in place.items():
            for again in (member, f"\\u{ord(member[0]):04x}{member[1:]}"):
                pair = f'"{again}": {json.dumps(value)}, "{member}": {json.dumps(value)}'
                doubled = text.replace(f'"{member}": {json.dumps(value)}', pair, 1)
                yield f"{member} twice, as {again}", doubled
            yield f"without {member}", json.dumps(_without(case.bundle, place, member))
    codes = re.findall(r'"([A-Za-z0-9+/]{22,}={0,2})"', text)
    for code in codes[:4]:
        for spelled in {respell(code, chance) for _ in range(8)}:
            yield f"base64 {spelled!r}", text.replace(code, json.dumps(spelled)[1:-1], 1)
        yield "other bytes", text.replace(code, flip64(code, chance), 1)
        yield "no bytes", text.replace(code, "", 1)
        yield "zeros", text.replace(code, b64(bytes(len(code) * 3 // 4 - code.count("="))), 1)


def _without(bundle: Json, place: Json, member: str) -> Json:
    if bundle is place:
        return {word: value for word, value in bundle.items() if word != member}
    inner = {word: _without(value, place, member) for word, value in bundle.items() if isinstance(value, dict)}
    return bundle | inner


def _notes(case: Case, chance: random.Random) -> Iterator[tuple[str, str]]:
    """Signature lines beside the right one: of strangers they are ignored, of those one knows they count."""
    head = case.bundle["head"]
    text, _, tail = head.partition("\n\n")
    name, code = tail.split("\n")[0].split(" ")[1:]
    key_id = b64decode(code)[:4]
    lines = [
        *(f"\u2014 witness.org/w {b64(bytes(length))}\n" for length in (1, 3, 4, 5, 31, 32, 33, 36, 64, 68, 100)),
        *(f"\u2014 {name} {b64(bytes(length))}\n" for length in (1, 4, 32, 68)),
        f"\u2014 {name} {b64(key_id + bytes(28))}\n",
        f"\u2014 {name} {b64(key_id + bytes(64))}\n",
        f"\u2014 {name} {b64(key_id[:3])}\n",
        f"\u2014 witness.org/w {b64(key_id + bytes(64))}\n",
        f"\u2014 w\u00e9 {b64(bytes(68))}\n",
        f"\u2014 w\u200b\x00 {b64(bytes(68))}\n",
        f"\u2014 w\u2028 {b64(bytes(68))}\n",
        f"\u2014 w\x1c {b64(bytes(68))}\n",
        f"\u2014 w\x85w {b64(bytes(68))}\n",
        "\u2014 w ====\n",
        "\u2014 w \n",
        "\u2014 w\n",
        "\n",
        "\r\n",
        Key.from_seed("witness.org/w", "stranger").line(text + "\n"),
        tail,
        f"\u2014 w {b64(bytes(68))}\n" * 300,
        f"\u2014 w {b64(bytes(68))}\n" * 700,
    ]
    for number, line in enumerate(lines):
        yield f"signature line {number} behind", json.dumps(case.bundle | {"head": head + line})
        yield f"signature line {number} before", json.dumps(case.bundle | {"head": f"{text}\n\n{line}{tail}"})
        yield f"signature line {number} alone", json.dumps(case.bundle | {"head": f"{text}\n\n{line}"})
    for at in range(6):
        for spoiled in ("", "\r", " ", "\t", "\x00", "\u00a0"):
            parts = head.split("\n")
            parts[at] = parts[at] + spoiled if spoiled else ""
            yield f"line {at} of the head with {spoiled!r}", json.dumps(case.bundle | {"head": "\n".join(parts)})
    other = chance.choice([b64(bytes(32)), b64(bytes(31)), b64(bytes(33))])
    yield "a root of zeros", json.dumps(case.bundle | {"head": head.replace(text.split("\n")[2], other)})


def _trusts(case: Case) -> Iterator[Odd]:
    """The same bundle for one whose key or pin is odd, who has both, or who has neither."""
    yield Odd(f"nothing in hand ({case.label})", case.text)
    if case.key is not None:
        name, key_id, code = case.key.split("+", 2)
        odd = [case.key + "\n", " " + case.key, case.key + "\r\n", "\ufeff" + case.key, case.key + "="]
        odd += [f"{name}+{key_id.upper()}+{code}", f"{name}+{int(key_id, 16):x}+{code}", f"{name}+{code}", "", "++"]
        odd += [f"{name}+{key_id}+{code.rstrip('=')}", case.key.upper(), vkey_of(name, b"\x01" + IDENTITY)]
        for number, key in enumerate(odd):
            yield Odd(f"key {number} ({case.label})", case.text, key=key)
    if case.pin is not None:
        yield Odd(f"both in hand ({case.label})", case.text, case.pin.split("\n")[1], case.pin)
        odd = [case.pin + "\n", case.pin.replace("\n", "\r\n"), "\ufeff" + case.pin, " " + case.pin, case.pin[:-1]]
        odd += [
            case.pin.replace("\n\n", "\n", 1),
            case.pin.replace("pin v1", "pin v2"),
            "\n" + case.pin,
            case.pin + "x",
        ]
        odd += [case.pin + f"\u2014 w {b64(bytes(32))}\n", case.pin.replace("\n", "\n\n", 1), ""]
        for number, pin in enumerate(odd):
            yield Odd(f"pin {number} ({case.label})", case.text, pin=pin)


# -- what the holder of the key signed himself -------------------------------------------------------------------------


def _of_a_liar(seed: int) -> Iterator[Odd]:
    for label, body in _bodies():
        store = new_store(seed)
        _append(store, body)
        text = json.dumps(store.bundle("recorded", store.size - 1))
        yield from _by_all(label, text, store)
    store = new_store(seed)
    for label, root, map_root in (
        ("a log root of zeros", bytes(32), store.map_root),
        ("a map root of zeros", store.root, bytes(32)),
        ("two roots of zeros", bytes(32), bytes(32)),
    ):
        head = reference.note(ORIGIN, store.size, root, map_root, store.keys[0])
        since = {"size": store.size, "root": b64(root), "path": []}
        for bundle in (
            store.bundle("absent", "v1.none"),
            store.bundle("recorded", 3),
            store.bundle("current", "v1.n3"),
            {"format": "substrate-bundle/1", "claim": "extended", "since": since},
        ):
            yield from _by_all(f"{label}, {bundle['claim']}", json.dumps(bundle | {"head": head}), store)
    for label, vkey in (
        ("a key of small order", vkey_of(ORIGIN, b"\x01" + IDENTITY)),
        ("a key off the curve", vkey_of(ORIGIN, b"\x01\x02" + bytes(31))),
        ("a key of another log", Key.from_seed("elsewhere.org/log", "x").vkey),
        ("a key that is a number", 7),
        ("a key that is none", "a+b+c"),
    ):
        store = new_store(seed)
        store.append("key", ATOM, {"vkey": vkey})
        rotation = {"head": store.head(store.keys[0]), **store.proven(store.size - 1)}
        bundle = store.bundle("recorded", 1) | {"rotations": [rotation]}
        yield from _by_all(f"{label} takes over", json.dumps(bundle), store)


def _by_all(label: str, text: str, store: Store) -> Iterator[Odd]:
    yield Odd(f"{label}, by key", text, key=store.keys[0].vkey)
    yield Odd(f"{label}, by pin", text, pin=store.pin())
    yield Odd(f"{label}, by nothing", text)


def _bodies() -> Iterator[tuple[str, str]]:
    for depth in DEPTHS:
        for opening, closing in (("[", "]"), ('{"a":', "}")):
            yield f"a body {depth} deep in {opening}", f'{{"value":{opening * depth}1{closing * depth}}}'
            yield f"an empty end {depth} deep in {opening}", f'{{"value":{opening * depth}{closing * depth}}}'
    for number in NUMBERS:
        yield f"a body with {number[:20]}", f'{{"value":{number}}}'
    brackets = "[{" * 200
    for said in (
        *("", "{}", "[]", "null", "1", '"{}"', " {}", "{} ", "{}\n", "{} {}", "\ufeff{}", "{}\x00", '{"a":1,"a":1}'),
        *(
            '{"a":1,"\\u0061":1}',
            '{"a":"\\ud800"}',
            '{"\\udfff":1}',
            '{"a":"\\ud83d\\ude00"}',
            '{"a":"\x01"}',
            "{'a':1}",
        ),
        *(f'{{"value":"{brackets}"}}', '{"value":"' + "x" * 200_000 + '"}', '{"a":{"b":1,"b":2}}', '{"a":1,}', "{,}"),
    ):
        yield f"the body {said[:20]!r}", said


def _append(store: Store, body: str) -> None:
    """An entry with just this text for a body."""
    salt = store.random.randbytes(16)
    commitment = hmac.digest(salt, body.encode(), "sha256")
    entry = bytes([1, reference.KINDS["put"]]) + ATOM + store.time.to_bytes(8, "big") + commitment
    store.entries.append(entry)
    store.leaves.append(reference.leaf_hash(entry))
    store.atoms.append((salt, body))
