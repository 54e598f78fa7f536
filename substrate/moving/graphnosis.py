"""The plain `.gai` file of Graphnosis' engine: one graph, as its format page describes it.

    GAI 01, length of the header (4 bytes), header and body in MessagePack, sum of their bytes (4), perhaps an HMAC

A node becomes a chunk of the document of its source, in the order of its offsets; edges of both sets become edges. What
a node says of its validity stays, and how often it was accessed becomes touches. Theirs leads from the old node to the
new one where ours supersedes: that edge is turned. The files of the Graphnosis app are encrypted, and refused.
"""

from __future__ import annotations

import hmac
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final

from substrate.documents.naming import chunk_name, document_name
from substrate.errors import InputError, SchemaInvalid
from substrate.files import users_file
from substrate.limits import LIMITS
from substrate.messages import Arg
from substrate.moving.line import Fields, Line, Lines, Read, at_line
from substrate.moving.messagepack import Packed, unpack
from substrate.values.times import from_microseconds
from substrate.views.touches import HUNDREDTHS, Touch, TouchKind

__all__ = ["is_graphnosis", "open_graphnosis"]

_MAGIC: Final = b"GAI\x01"
_APP: Final = b"GNAPP"
_SUM_BYTES: Final = 4
_HMAC_BYTES: Final = 32
_VERSION: Final = 1
_MOST_BYTES: Final = 1024 * 1024 * 1024
_MILLISECOND: Final = 1000
_LATEST: Final = 4_102_444_800_000
"""2100, in milliseconds: a later time is none."""
_MOST_USES: Final = 2**31
_TYPE: Final = re.compile(r"[^a-z0-9]+")
_TURNED: Final = "supersedes"
_TITLE: Final = "document"
_Said = Mapping[str, Packed]


def is_graphnosis(path: Path) -> bool:
    """Whether the file begins as one of Graphnosis does, of the engine or of the app."""
    with path.open("rb") as file:
        return file.read(len(_APP)).startswith((_MAGIC, _APP))


@contextmanager
def open_graphnosis(
    path: Path, domain: str, *, secret: str | bytes | None = None, unverified: bool = False
) -> Iterator[Lines]:
    """The lines of such a file, its documents in the domain of this name. InputError if it cannot be read."""
    with users_file(path):
        try:
            if path.stat().st_size > _MOST_BYTES:
                raise InputError(f"{path} has more than {_MOST_BYTES:,} bytes: export it in parts")
            data = path.read_bytes()
        except FileNotFoundError:
            raise InputError(f"there is no file {path}") from None
    if data.startswith(_APP):
        raise InputError(
            f"{path} is of the Graphnosis app, and encrypted. Export the engram as a plain .gai file, and import that"
        )
    try:
        body = _body(data, secret, unverified=unverified)
    except SchemaInvalid as error:
        raise InputError(f"{path} is not a plain .gai file, or it is damaged: ", error.message) from None
    yield Lines(_lines(body, domain), 0)


def _body(data: bytes, secret: str | bytes | None, *, unverified: bool) -> _Said:
    """What the file holds, checked. SchemaInvalid, InputError."""
    if not data.startswith(_MAGIC):
        raise SchemaInvalid("it does not begin with GAI 01")
    start = len(_MAGIC) + 4
    header_end = start + int.from_bytes(data[len(_MAGIC) : start], "big")
    if len(data) < start or header_end > len(data) - _SUM_BYTES:
        raise SchemaInvalid("it ends in the middle of its header")
    header = _map(unpack(data[start:header_end]), "its header")
    if header.get("version") != _VERSION:
        raise SchemaInvalid(f"it is of version {header.get('version')!r}, and {_VERSION} is known")
    signed = header.get("integrity") == "hmac-sha256"
    body_end = len(data) - _SUM_BYTES - (_HMAC_BYTES if signed else 0)
    packed = data[start:body_end]
    if body_end < header_end or sum(packed) & 0xFFFFFFFF != int.from_bytes(
        data[body_end : body_end + _SUM_BYTES], "big"
    ):
        raise SchemaInvalid("its bytes do not come to the sum at its end")
    if signed and not unverified:
        _check_signature(packed, data[-_HMAC_BYTES:], secret)
    return _map(unpack(data[header_end:body_end]), "its body")


def _check_signature(packed: bytes, signature: bytes, secret: str | bytes | None) -> None:
    if secret is None:
        raise InputError("the file is signed: give its ", Arg("secret"), ", or repeat with ", Arg("unverified"))
    key = secret.encode() if isinstance(secret, str) else secret
    if not hmac.compare_digest(hmac.new(key, packed, sha256).digest(), signature):
        raise InputError("the signature of the file is not by this key: nothing was imported")


def _map(said: Packed, what: str) -> _Said:
    if not isinstance(said, dict):
        raise SchemaInvalid(f"{what} is not a map")
    return said


def _maps(said: Packed) -> list[_Said]:
    return [one for one in said if isinstance(one, dict)] if isinstance(said, list) else []


def _lines(body: _Said, domain: str) -> Iterator[Read]:
    nodes = _maps(body.get("nodes"))
    names: dict[str, str] = {}
    sources: defaultdict[str, list[tuple[int, _Said]]] = defaultdict(list)
    for number, node in enumerate(nodes, 1):
        if not isinstance(node.get("id"), str) or not str(node.get("content") or "").strip():
            yield at_line(number, SchemaInvalid.code, "a node without an id, or without content")
            continue
        sources[_file(node)].append((number, node))
    for file, members in sources.items():
        yield from _document(file, members, domain, names)
    for number, edge in enumerate(
        [*_maps(body.get("directedEdges")), *_maps(body.get("undirectedEdges"))], len(nodes) + 1
    ):
        fields = _edge(edge, names)
        if fields is None:
            yield at_line(number, SchemaInvalid.code, "an edge without a type, or of a node that is not in the file")
        else:
            yield Line(number, "edge", fields, 100)


def _file(node: _Said) -> str:
    source = node.get("source")
    file = source.get("file") if isinstance(source, dict) else None
    return (file if isinstance(file, str) and file.strip() else "graphnosis")[: LIMITS["text_characters"]]


def _document(file: str, members: list[tuple[int, _Said]], domain: str, names: dict[str, str]) -> Iterator[Read]:
    """The chunks of a source, in order, and the document last."""
    name = document_name(domain, file)
    title = next((str(node["content"]) for _, node in members if node.get("type") == _TITLE), file)
    chunks = sorted(
        (one for one in members if one[1].get("type") != _TITLE),
        key=lambda one: (_number(_source(one[1]).get("offset")), one[0]),
    )
    for _, node in members:
        if node.get("type") == _TITLE:
            names[str(node["id"])] = name
    texts = []
    for position, (number, node) in enumerate(chunks):
        last = position + 1 == len(chunks)
        text = str(node["content"]).strip() + ("" if last else "\n\n")
        texts.append(text)
        names[str(node["id"])] = chunk_name(name, position)
        yield Line(number, "put", _chunk(node, name, position, file, text), len(text), touches=_touches(node))
    data = "".join(texts).encode(errors="surrogatepass")
    attrs = {
        "digest": sha256(data).hexdigest(),
        "bytes": len(data),
        "chunks": len(chunks),
        "media_type": "text/markdown",
        "imported": {"from": "graphnosis", "id": file},
    }
    first = members[0][0]
    yield Line(first, "put", {"name": name, "value": title[:1000], "source": file, "attrs": attrs}, len(title))


def _source(node: _Said) -> _Said:
    source = node.get("source")
    return source if isinstance(source, dict) else {}


def _chunk(node: _Said, document: str, position: int, file: str, text: str) -> Fields:
    imported: dict[str, object] = {"from": "graphnosis", "id": node["id"]}
    imported |= {word: node[word] for word in ("type", "level") if isinstance(node.get(word), str | int)}
    imported |= {word: said for word, said in _source(node).items() if word in {"line", "section"} and said is not None}
    fields: Fields = {
        "name": chunk_name(document, position),
        "value": text,
        "parent": document,
        "position": position,
        "source": file,
        "attrs": {"imported": imported},
    }
    entities = node.get("entities")
    if isinstance(entities, list):
        listed = [one for one in entities if isinstance(one, str) and one.strip()]
        fields["entities"] = list(dict.fromkeys(listed))[: LIMITS["entities"]]
    confidence = node.get("confidence")
    if isinstance(confidence, int | float) and not isinstance(confidence, bool) and 0 <= confidence <= 1:
        fields["confidence"] = float(confidence)
    for word, field in (("createdAt", "occurred_at"), ("validUntil", "valid_to")):
        if (time := _time(node.get(word))) is not None:
            fields[field] = from_microseconds(time)
    return fields


def _touches(node: _Said) -> tuple[Touch, ...]:
    """How often it was accessed, as one trace at the time of the last access."""
    last, uses = _time(node.get("lastAccessedAt")), node.get("accessCount")
    if last is None or isinstance(uses, bool) or not isinstance(uses, int | float) or uses < 1:
        return ()
    begun = _time(node.get("createdAt")) or last
    saved = Touch(b"", begun, 0, HUNDREDTHS, TouchKind.SAVED)
    return saved, Touch(b"", last, int(min(uses, _MOST_USES)))


def _edge(edge: _Said, names: Mapping[str, str]) -> Fields | None:
    ends = edge.get("nodes")
    source, target = ends if isinstance(ends, list) and len(ends) == 2 else (edge.get("from"), edge.get("to"))  # noqa: PLR2004
    label = edge.get("type")
    kind = _TYPE.sub("_", label.casefold()).strip("_") if isinstance(label, str) else ""
    first, second = names.get(str(source)), names.get(str(target))
    if not kind or first is None or second is None or first == second:
        return None
    if kind == _TURNED:
        first, second = second, first
    fields: Fields = {"source": first, "type": kind, "target": second, "label": label}
    weight = edge.get("weight")
    if isinstance(weight, int | float) and not isinstance(weight, bool) and 0 <= weight <= 1:
        fields["confidence"] = float(weight)
    evidence = edge.get("evidence")
    if isinstance(evidence, str) and evidence.strip():
        fields["attrs"] = {"evidence": evidence[: LIMITS["text_characters"]]}
    return fields


def _time(said: Packed) -> int | None:
    """Milliseconds since 1970, in microseconds."""
    if isinstance(said, bool) or not isinstance(said, int | float) or not 0 < said < _LATEST:
        return None
    return int(said) * _MILLISECOND


def _number(said: Packed) -> float:
    return float(said) if isinstance(said, int | float) and not isinstance(said, bool) else 0.0
