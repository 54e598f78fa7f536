"""What comes in: from files, from standard input, from the words of a command line. Nothing of it is ever echoed.

What cannot be read is refused with where and why, but without what: it may be a secret in the wrong place.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from substrate.cli.verb import Option, option
from substrate.errors import InputError, TooLarge

__all__ = [
    "AS_OF",
    "VALID_AT",
    "Items",
    "converted",
    "is_text",
    "parse_edge",
    "parse_expect",
    "parse_fraction",
    "parse_moment",
    "parse_number",
    "parse_seqs",
    "parse_unedge",
    "read_items",
    "read_key",
    "read_sessions",
    "read_text",
]

_MAX_INPUT = 256 * 1024 * 1024
"""Of a file or of standard input; the engine has smaller limits of its own."""
_NO_TEXT = re.compile("[\\x00\\ud800-\\udfff]")
_MOST_DIGITS = 19
"""Of a seq."""
_END = r"(?:v[1-9][0-9]{0,5}\.[a-z][a-z0-9_]*\..+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
_EDGE = re.compile(rf"({_END})\s+([a-z][a-z0-9_]*)\s+({_END})", re.DOTALL)
_PLAIN = r"(?:v[1-9][0-9]{0,5}\.[a-z][a-z0-9_]*\.\S+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
_PLAIN_EDGE = re.compile(rf"({_PLAIN})\s+([A-Za-z][\w -]*?)\s+({_PLAIN})")
_TYPE = re.compile(r"\s+([a-z][a-z0-9_]*)\s+(?=v[1-9][0-9]{0,5}\.|[0-9a-f]{8}-)")
_MEMBERS = ("atoms", "edges", "tombstones", "unedges")
Item = str | dict[str, object]


# -- texts -------------------------------------------------------------------------------------------------------


def is_text(word: str) -> bool:
    """Whether a word that the system handed over is text: bytes that are not UTF-8 come as lone surrogates."""
    return _NO_TEXT.search(word) is None


def read_text(path: str, what: str) -> str:
    """The text of a file, or of standard input if the path is `-`. InputError if it cannot be read or is not UTF-8."""
    try:
        if path == "-":
            data = sys.stdin.buffer.read(_MAX_INPUT + 1)
        else:
            with Path(path).expanduser().open("rb") as file:
                data = file.read(_MAX_INPUT + 1)
    except OSError as error:
        raise InputError(f"{what} {_place(path)} cannot be read: {error.strerror or error}") from None
    if len(data) > _MAX_INPUT:
        raise TooLarge(_place(path), len(data), _MAX_INPUT)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{what} {_place(path)} is not UTF-8 at byte {error.start}") from None


def read_key(given: str) -> str:
    """A verifier key: as such if it reads like one, else from the file of that name."""
    return given if given.count("+") > 1 else read_text(given, "the verifier key").strip()


def _place(path: str) -> str:
    return "from standard input" if path == "-" else f"in {path}"


# -- words of the command line -----------------------------------------------------------------------------------


def converted(option: Option) -> Callable[[str], object]:
    """The option's own conversion, with its choices checked."""

    def convert(text: str) -> object:
        if option.choices and text not in option.choices:
            raise InputError(f"{option.spelling.split()[0]} takes one of {', '.join(option.choices)}")
        return option.parse(text)

    return convert


def parse_number(text: str) -> int:
    """A whole number from 0 on."""
    if not text.isdecimal() or not text.isascii() or len(text) > _MOST_DIGITS:
        raise InputError("not a whole number, or too large a one")
    return int(text)


def parse_fraction(text: str) -> float:
    """A number from 0 to 1."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise InputError("not a number from 0 to 1")
    return number


def parse_moment(text: str) -> str:
    """A moment as the engine reads it: a seq, a time, or, for @FILE, the text of a pin or head."""
    if text.startswith("@"):
        return read_text(text[1:], "the pin or head")
    if text.isdecimal() and len(text) > _MOST_DIGITS:
        raise InputError("no log has so many entries")
    return text


def parse_seqs(text: str) -> range:
    """A range of seqs, START:STOP, without STOP itself."""
    start, colon, stop = text.partition(":")
    if not colon or not start.isdecimal() or not stop.isdecimal() or int(start) >= int(stop):
        raise InputError("a range of seqs reads START:STOP, two whole numbers, the second one larger and not included")
    return range(int(start), int(stop))


def parse_expect(text: str) -> tuple[str, int | None] | str:
    """NAME=SEQ or NAME=absent; or, for @FILE, the text of a pin."""
    if text.startswith("@"):
        return read_text(text[1:], "the pin")
    name, equals, said = text.rpartition("=")
    if not equals or not (said == "absent" or said.isdecimal()):
        raise InputError("an expectation reads NAME=SEQ, NAME=absent, or @FILE with a pin in it")
    return name.strip(), None if said == "absent" else int(said)


def parse_edge(text: str) -> dict[str, object]:
    """An edge from `SOURCE TYPE TARGET` or a JSON object. Names may hold spaces, if there is one way to read it."""
    if text.lstrip().startswith("{"):
        return _object(text, "an edge")
    text = text.strip()
    plain = _PLAIN_EDGE.fullmatch(text)
    if plain is not None:  # ends without spaces: what stands between them is the type, `depends on` as well
        return {"source": plain[1], "type": plain[2], "target": plain[3]}
    found = [(text[: at.start()], at[1], text[at.end() :]) for at in _TYPE.finditer(text)]
    found = [(source, kind, target) for source, kind, target in found if _EDGE.fullmatch(f"{source} {kind} {target}")]
    if len(found) != 1:
        why = "can be read in more than one way: give it as a JSON object" if found else "is not one"
        raise InputError(
            f"an edge reads 'SOURCE TYPE TARGET', two names with a word in lower_snake_case between them; this {why}"
        )
    source, kind, target = found[0]
    return {"source": source, "type": kind, "target": target}


def parse_unedge(text: str) -> dict[str, object] | str:
    """An edge as above, or an edge's id."""
    return text.strip() if re.fullmatch(r"[0-9a-fA-F-]{36}", text.strip()) else parse_edge(text)


# -- what a checkpoint takes -------------------------------------------------------------------------------------


@dataclass(slots=True)
class Items:
    """What one text holds, and for each atom where it stood there."""

    atoms: list[Item] = field(default_factory=list)
    edges: list[dict[str, object]] = field(default_factory=list)
    tombstones: list[str] = field(default_factory=list)
    unedges: list[Item] = field(default_factory=list)
    places: list[str] = field(default_factory=list)


def read_items(text: str) -> Items:
    """The items in a text: one JSON document, or lines, each of `name = value` or an atom in JSON.

    A document is a list of atoms, an atom, or an object with `atoms`, `edges`, `tombstones`, `unedges`.
    InputError with the number of the line that cannot be read.
    """
    document = _whole(text)
    if isinstance(document, list):
        return _from_document({"atoms": document})
    if isinstance(document, dict):
        return _from_document(document if document.keys() & set(_MEMBERS) else {"atoms": [document]})
    items = Items()
    # Not splitlines, which knows eight more ends of a line: none of them may make two atoms of one.
    for number, line in enumerate(re.split("\r?\n", text), start=1):
        if line.strip():
            items.atoms.append(_object(line, f"line {number}") if line.lstrip().startswith("{") else line)
            items.places.append(f"line {number}")
    return items


def read_sessions(text: str) -> tuple[list[dict[str, object]], list[int]]:
    """The sessions in a text, a JSON object in each line; and the number of the line where each stood.

    InputError with the number of the line that cannot be read.
    """
    lines = [(number, line) for number, line in enumerate(re.split("\r?\n", text), start=1) if line.strip()]
    return [_object(line, f"line {number}") for number, line in lines], [number for number, _ in lines]


def _whole(text: str) -> object:
    """The one JSON document that the text is, or None if it is lines."""
    if not text.lstrip().startswith(("[", "{")):
        return None
    try:
        return _json(text)
    except ValueError as error:
        first = text.strip().split("\n", 1)[0]
        if first.startswith("{") and _is_object(first):
            return None
        raise InputError(f"the input is not JSON: {error}") from None


def _is_object(line: str) -> bool:
    try:
        return isinstance(_json(line), dict)
    except ValueError:
        return False


def _from_document(document: Mapping[str, object]) -> Items:
    if unknown := document.keys() - set(_MEMBERS):
        known = ", ".join(_MEMBERS)
        raise InputError(f"a document has the members {known}; this one has {len(unknown)} that are none of these")
    items = Items()
    for member in _MEMBERS:
        found = document.get(member, [])
        if not isinstance(found, list):
            raise InputError(f"{member} must be a list")
        for at, item in enumerate(found):
            if not isinstance(item, str | dict) or (member == "tombstones" and isinstance(item, dict)):
                wanted = "a string" if member == "tombstones" else "a string or an object"
                raise InputError(f"{member}[{at}] must be {wanted}")
            _take(items, member, item)
    return items


def _take(items: Items, member: str, item: Item) -> None:
    match member, item:
        case "atoms", _:
            items.atoms.append(item)
        case "tombstones", str():
            items.tombstones.append(item)
        case "edges", _:
            items.edges.append(parse_edge(item) if isinstance(item, str) else item)
        case _:
            items.unedges.append(parse_unedge(item) if isinstance(item, str) else item)


def _object(text: str, what: str) -> dict[str, object]:
    try:
        value = _json(text)
    except ValueError as error:
        raise InputError(f"{what} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise InputError(f"{what} must be a JSON object")
    return value


def _json(text: str) -> object:
    """The value. ValueError, which says where and not what, also for a member that is there twice, NaN and the like."""
    try:
        value: object = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return value


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("an object has the same member twice")
    return members


def _no_number(_: str) -> NoReturn:
    raise ValueError("NaN and infinity are no JSON")


AS_OF = option(
    "--as-of",
    metavar="MOMENT",
    parse=parse_moment,
    help="as we knew it then: a seq, a time in ISO 8601, or @FILE with a pin or head",
)
VALID_AT = option("--valid-at", metavar="TIME", help="as it was in the world then: a time in ISO 8601")
