"""The plain .gai file of Graphnosis' engine: written here as its format page says, and read."""

from __future__ import annotations

import hmac
import struct
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.errors import InputError, SubstrateError
from substrate.memory import Memory
from substrate.moving.kind import kind_of
from substrate.moving.messagepack import unpack

DAY = 1_734_528_000_000


def pack(value: Any) -> bytes:  # noqa: PLR0911 - one for each type
    """As msgpackr packs it: large numbers are doubles."""
    match value:
        case None:
            return b"\xc0"
        case bool():
            return b"\xc3" if value else b"\xc2"
        case int() if -32 <= value < 128:
            return struct.pack("b" if value < 0 else "B", value)
        case int() if 0 <= value < 2**32:
            return b"\xce" + struct.pack(">I", value)
        case int() | float():
            return b"\xcb" + struct.pack(">d", value)
        case str():
            data = value.encode()
            return b"\xda" + struct.pack(">H", len(data)) + data
        case list():
            return b"\xdd" + struct.pack(">I", len(value)) + b"".join(map(pack, value))
        case _:
            return b"\xde" + struct.pack(">H", len(value)) + b"".join(pack(k) + pack(v) for k, v in value.items())


def gai(body: dict[str, Any], *, key: bytes | None = None, **header: Any) -> bytes:
    said = {"version": 1, "name": "coffee", "id": "g1", **({"integrity": "hmac-sha256"} if key else {}), **header}
    head, data = pack(said), pack(body)
    signed = hmac.new(key, head + data, sha256).digest() if key else b""
    total = sum(head + data) & 0xFFFFFFFF
    return b"GAI\x01" + struct.pack(">I", len(head)) + head + data + struct.pack(">I", total) + signed


def node(identity: str, content: str, offset: int = 0, **more: Any) -> dict[str, Any]:
    return {
        "id": identity,
        "content": content,
        "contentHash": "a",
        "type": "fact",
        "source": {"file": "notes.md", "offset": offset, "line": 7},
        "entities": ["Yirgacheffe"],
        "metadata": {},
        "level": 0,
        "confidence": 0.92,
        "createdAt": DAY,
        "lastAccessedAt": DAY + 1000,
        "accessCount": 0,
        **more,
    }


BODY = {
    "nodes": [
        node("n0", "My coffee notes", type="document"),
        node("n2", "I prefer light roasts", 300, accessCount=4),
        node("n1", "Ethiopian Yirgacheffe is a light roast", 204),
        node("n3", "Filter coffee is best at 90 degrees", 400, validUntil=DAY + 5000),
        node("n4", "Filter coffee is best at 93 degrees", 500),
    ],
    "directedEdges": [
        {"id": "e1", "from": "n1", "to": "n2", "type": "depends-on", "weight": 0.75, "evidence": "said so"},
        {"id": "e2", "from": "n3", "to": "n4", "type": "supersedes", "weight": 1},
        {"id": "e3", "from": "n1", "to": "nowhere", "type": "cites", "weight": 1},
    ],
    "undirectedEdges": [{"id": "u1", "nodes": ["n1", "n4"], "type": "similar-to", "weight": 0.4}],
    "metadata": {},
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "coffee.gai"
    path.write_bytes(gai(BODY))
    return path


def test_nodes_edges_validity_and_accesses_come_over(memory: Memory, file: Path) -> None:
    assert kind_of(file) == "graphnosis"
    taken = memory.import_file(file, domain="coffee", partial=True)
    assert [one.reason for one in taken.refused] == ["an edge without a type, or of a node that is not in the file"]
    (document,) = memory.list("v1.document.coffee.")
    whole = memory.document(document.name)
    assert (whole.title, whole.exact) == ("My coffee notes", True)
    texts = [one.value.strip() for one in whole.chunks]
    assert texts[:2] == ["Ethiopian Yirgacheffe is a light roast", "I prefer light roasts"]
    first, second, old, new = whole.chunks
    assert (first.confidence, first.entities, first.attrs["imported"]["id"]) == (0.92, ("Yirgacheffe",), "n1")  # type: ignore[index]
    assert memory.access(new.name).atom.superseded_by == ()
    assert {(one.source, one.type, one.target) for one in memory.edges(new.name, direction="out")} == {
        (new.name, "supersedes", old.name)
    }
    (stated,) = memory.edges(second.name, type="depends_on")
    assert (stated.source, stated.confidence) == (first.name, 0.75)
    assert old.valid_to is not None
    assert memory.fading(second.name)[0].uses == 4
    assert len(memory.edges(first.name, type="similar_to")) == 1
    again = memory.import_file(file, domain="coffee", partial=True)
    assert not again.recorded


def test_a_signed_file_needs_its_key(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "signed.gai"
    path.write_bytes(gai(BODY, key=b"k"))
    for options in ({}, {"secret": "wrong"}):
        with pytest.raises(InputError, match="sign"):
            memory.import_file(path, partial=True, **options)  # type: ignore[arg-type]
    assert memory.import_file(path, partial=True, secret="k").recorded  # noqa: S106 - of the test
    assert memory.import_file(path, domain="other", partial=True, unverified=True).recorded


@pytest.mark.parametrize(
    "data",
    [
        b"GNAPP\x01" + b"x" * 40,
        b"GAI\x01",
        b"GAI\x01\x00\x00\x00\xff",
        gai(BODY)[:-1] + b"\x00",
        gai(BODY)[:-9],
        gai(BODY, version=2),
        b"GAI\x01" + struct.pack(">I", 2**31) + b"x" * 50,
        b"PK\x03\x04",
    ],
)
def test_a_file_that_is_damaged_encrypted_or_of_another_kind_is_refused(
    memory: Memory, tmp_path: Path, data: bytes
) -> None:
    path = tmp_path / "bad.gai"
    path.write_bytes(data)
    with pytest.raises(InputError):
        memory.import_file(path, from_kind="graphnosis")
    assert not memory.list("v1.chunk.")


@given(st.binary(max_size=200))
def test_no_bytes_break_the_reader_of_messagepack(data: bytes) -> None:
    for packed in (data, b"\xdd\xff\xff\xff\xff" + data, b"\x91" * 100 + data):
        try:
            unpack(packed)
        except SubstrateError:
            continue


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-32, 2**32 - 1) | st.floats(allow_nan=False) | st.text(max_size=9),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
        max_leaves=12,
    )
)
def test_what_was_packed_is_read_back(value: Any) -> None:
    assert unpack(pack(value)) == value
