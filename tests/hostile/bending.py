"""Small ways to change a value, a path, a spelling or a line, for the mutations of tampering.py."""

from __future__ import annotations

import random
from base64 import b64decode
from collections.abc import Callable, Iterator

from tests.proof.reference import Json, b64

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


class Unfit(Exception):
    """This mutation says nothing about this bundle."""


def fit(condition: object) -> None:
    if not condition:
        raise Unfit


def flip(data: bytes, chance: random.Random, start: int = 0, end: int | None = None) -> bytes:
    """One bit changed, within bytes start..end."""
    place = chance.randrange(8 * start, 8 * (len(data) if end is None else end))
    return data[: place // 8] + bytes([data[place // 8] ^ 1 << place % 8]) + data[place // 8 + 1 :]


def flip64(text: str, chance: random.Random, start: int = 0, end: int | None = None) -> str:
    return b64(flip(b64decode(text), chance, start, end))


def other_length(text: str, chance: random.Random) -> str:
    """The same bytes but for one more or one less. HMAC pads a short key with zeros, so zeros come first."""
    raw = b64decode(text)
    return b64(chance.choice([raw + b"\0", raw + bytes(16), raw[:-1], raw[1:], b"\0" + raw]))


def bend_number(number: int, chance: random.Random) -> object:
    wrong: list[object] = [number + 1, number - 1, -number - 1, 2 * number + 2, 2**63, 2**64 + number, 10**4000]
    wrong += [float(number), str(number), True, False, None, [number], {}]
    return chance.choice(wrong)


def bend_path(path: list[str], chance: random.Random) -> None:
    """One element changed, lost, added, doubled, moved, or not a hash at all."""
    place = chance.randrange(len(path)) if path else 0
    match chance.randrange(9) if path else 2:
        case 0:
            path[place] = b64(chance.randbytes(32)) if path[place] == "" else flip64(path[place], chance)
        case 1:
            del path[place]
        case 2:
            path.insert(place, b64(chance.randbytes(32)))
        case 3:
            path.append(path[place])
        case 4:
            fit(path != path[::-1])
            path.reverse()
        case 5:
            fit(path[place])
            path[place] = other_length(path[place], chance)
        case 6:
            fit(path[place])
            path[place] = ""
        case 7:
            path[place] = chance.choice([None, 0, True, [], {}, " ", "=", "\u00e9", b64(bytes(32))])  # type: ignore[call-overload]
        case 8:
            path.extend([""] * chance.choice([1, 57, 253, 257]))


def respell(text: str, chance: random.Random) -> str:
    """Base64 of the same bytes for a lenient reader."""
    ways = [text + "\n", " " + text, text + "=", text[:8] + "\n" + text[8:], text + "====", text[:4] + "-" + text[4:]]
    if text.endswith("="):
        ways += [text.rstrip("="), text.rstrip("=") + "\u003d\u200b"]
        last = len(text.rstrip("=")) - 1
        unused = 1 if text.count("=") == 1 else 2
        ways += [
            text[:last] + ALPHABET[ALPHABET.index(text[last]) | chance.randrange(1, 2 * unused)] + text[last + 1 :]
        ] * 6
    if "+" in text or "/" in text:
        ways.append(text.replace("+", "-").replace("/", "_"))
    spelled = chance.choice(ways)
    fit(spelled != text)
    return spelled


def lines_of(note: str) -> list[str]:
    return note.split("\n")


def bend_line(note: str, line: int, change: Callable[[str], str]) -> str:
    lines = lines_of(note)
    lines[line] = change(lines[line])
    fit("\n".join(lines) != note)
    return "\n".join(lines)


def bend_signature(note: str, change: Callable[[bytes], bytes]) -> str:
    """The first signature line with other bytes."""

    def changed(line: str) -> str:
        dash, name, code = line.split(" ")
        return f"{dash} {name} {b64(change(b64decode(code)))}"

    return bend_line(note, 5, changed)


def objects(bundle: Json) -> Iterator[Json]:
    yield bundle
    for value in bundle.values():
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict):
                yield from objects(item)
