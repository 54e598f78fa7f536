"""What a client should not write into a server's standard input: bytes, and which ids must be answered all the same."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.wire import request

__all__ = ["LIMIT", "Frames", "Sent"]

LIMIT = 16 << 20
"""As docs/limits.md says it."""

CALLS = (
    ("ping", None),
    ("tools/list", None),
    ("prompts/list", {}),
    ("resources/read", {"uri": "memory://guide"}),
    ("resources/read", {"uri": "memory://atom/v1.fact.never_there"}),
    ("tools/call", {"name": "memory_list_atoms", "arguments": {}}),
    ("tools/call", {"name": "memory_access", "arguments": {"key": "v1.fact.né"}}),
    ("tools/call", {"name": "session_checkpoint", "arguments": {"atoms": ["v1.fact.a = 🏳"]}}),
    ("completion/complete", {"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "key", "value": "v"}}),
)
ODD_IDS = (
    "null",
    "1.5",
    "true",
    '{"a":1}',
    "[1]",
    '""',
    '"\\ud800"',
    '"\\u0000"',
    "1e999",
    "-0",
    "9" * 5000,
    '"own-1"',
)
ODD_METHODS = (
    '""',
    '"nope"',
    "5",
    "null",
    '"tools/call/../list"',
    '"\\u0000"',
    '"' + "x" * 10_000 + '"',
    '"initialize"',
)
STRAYS = (
    '{"jsonrpc":"2.0","id":"own-1","result":{}}', '{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"x"}}',
    '{"jsonrpc":"2.0","id":0,"result":{},"error":{}}', '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"own-1"}}',
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1e308}}',
    '{"jsonrpc":"2.0","method":"notifications/nope","params":{"x":[[]]}}', '{"jsonrpc":"2.0","method":"tools/call"}',
)  # fmt: skip


@dataclass(frozen=True)
class Sent:
    """What is written, piece by piece, and the ids that must be answered."""

    kind: str
    pieces: tuple[bytes, ...]
    answered: tuple[object, ...] = ()


class Frames:
    """Makes what is sent, the same for the same seed."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._numbers = itertools.count(1_000)

    def some(self, count: int, huge: int) -> Iterator[Sent]:
        """So many, with so many huge ones among them."""
        kinds: tuple[Callable[[], Sent], ...] = (
            self._split, self._merged, self._garbled, self._cut, self._bytes, self._deep, self._batch, self._version,
            self._odd_id, self._odd_method, self._stray, self._spaced, self._surrogate, self._number, self._large,
        )  # fmt: skip
        made = [self._rng.choice(kinds) for _ in range(count - huge)] + [self._huge] * huge
        self._rng.shuffle(made)
        return (make() for make in made)

    def _request(self) -> tuple[int | str, bytes]:
        number = next(self._numbers)
        named = number if self._rng.random() < 0.5 else f"n{number}"
        return named, request(named, *self._rng.choice(CALLS))

    def _split(self) -> Sent:
        number, line = self._request()
        cuts = sorted(self._rng.randrange(len(line)) for _ in range(self._rng.randint(1, 8)))
        pieces = tuple(line[start:end] for start, end in itertools.pairwise((0, *cuts, len(line))))
        return Sent("split", pieces, (number,))

    def _merged(self) -> Sent:
        several = [self._request() for _ in range(self._rng.randint(2, 12))]
        return Sent("merged", (b"".join(line for _, line in several),), tuple(number for number, _ in several))

    def _garbled(self) -> Sent:
        """A request with some bytes changed: it may be one still."""
        line = bytearray(self._request()[1][:-1])
        for _ in range(self._rng.randint(1, 5)):
            line[self._rng.randrange(len(line))] = self._rng.choice([*range(10), *range(11, 256)])
        return Sent("garbled", (bytes(line) + b"\n",))

    def _cut(self) -> Sent:
        line = self._request()[1]
        return Sent("cut", (line[: self._rng.randrange(len(line) - 1)] + b"\n",))

    def _bytes(self) -> Sent:
        some = self._rng.choice(
            (b"\xff\xfe\x00", b"\x00" * 100, b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x1b[2J", self._rng.randbytes(50))
        )
        number, line = self._request()
        return Sent("bytes", (some.replace(b"\n", b"") + b"\n", line), (number,))

    def _deep(self) -> Sent:
        number, depth = next(self._numbers), self._rng.choice((150, 1_000, 10_000))
        opening, closing = self._rng.choice(((b"[", b"]"), (b'{"a":', b"}")))
        line = request(number, "tools/call", {"name": "memory_verify", "arguments": {"bundle": {"a": "HERE"}}})
        return Sent("deep", (line.replace(b'"HERE"', opening * depth + b"1" + closing * depth),), (number,))

    def _batch(self) -> Sent:
        lines = [self._request()[1].strip() for _ in range(self._rng.randrange(4))]
        return Sent("batch", (b"[" + b",".join(lines) + b"]\n",))

    def _version(self) -> Sent:
        number = next(self._numbers)
        version = self._rng.choice(('"1.0"', '"2.1"', "2.0", "null", '"2.0 "'))
        return Sent("version", (b'{"jsonrpc":%s,"id":%d,"method":"ping"}\n' % (version.encode(), number),), (number,))

    def _odd_id(self) -> Sent:
        return Sent("id", (b'{"jsonrpc":"2.0","id":%s,"method":"ping"}\n' % self._rng.choice(ODD_IDS).encode(),))

    def _odd_method(self) -> Sent:
        number, method = next(self._numbers), self._rng.choice(ODD_METHODS).encode()
        params = self._rng.choice(("{}", "[]", "null", '"x"', "1", '{"_meta":5}', '{"name":[],"arguments":7}')).encode()
        line = b'{"method":%s,"params":%s,"jsonrpc":"2.0","id":%d}\n' % (method, params, number)
        return Sent("method", (line,), (number,))

    def _stray(self) -> Sent:
        return Sent("stray", (self._rng.choice(STRAYS).encode() + b"\n",))

    def _spaced(self) -> Sent:
        number, line = self._request()
        before = self._rng.choice((b"\n\n", b"\r\n", b" \t ", b""))
        return Sent("spaced", (before, line.strip() + self._rng.choice((b"\r\n", b"  \n", b"\n\n"))), (number,))

    def _surrogate(self) -> Sent:
        """Half an emoji, as clients send it that cut text at any place. The id stands last, as some clients have it."""
        number = next(self._numbers)
        params = {"name": "session_checkpoint", "arguments": {"atoms": ["v1.fact.cut = " + "x" * 2000 + "\ud83c"]}}
        said = {"method": "tools/call", "params": params, "jsonrpc": "2.0", "id": number}
        return Sent("surrogate", (json.dumps(said).encode() + b"\n",), (number,))

    def _number(self) -> Sent:
        number = next(self._numbers)
        large = self._rng.choice(("NaN", "-Infinity", "1e999", "9" * 5000, "0" * 50 + "1", "1." + "0" * 5000))
        line = request(number, "tools/call", {"name": "memory_list_atoms", "arguments": {"limit": "HERE"}})
        return Sent("number", (line.replace(b'"HERE"', large.encode()),), (number,))

    def _large(self) -> Sent:
        """As large as may be sent; more than the tool takes."""
        number = next(self._numbers)
        arguments = {"query": "x" * self._rng.choice((60_000, 1 << 20))}
        return Sent(
            "large", (request(number, "tools/call", {"name": "memory_search", "arguments": arguments}),), (number,)
        )

    def _huge(self) -> Sent:
        """More than a line may have, with the id before or behind it."""
        number, size = next(self._numbers), self._rng.choice((LIMIT, LIMIT + 1, 3 * LIMIT))
        text = b'"method":"ping","params":{"x":"' + b"x" * size + b'"}'
        line = self._rng.choice((b'{"jsonrpc":"2.0","id":%d,%s}\n', b'{"jsonrpc":"2.0",%s,"id":%d}\n'))
        filled = line % ((number, text) if line.index(b"%d") < line.index(b"%s") else (text, number))
        return Sent("huge", (filled,), (number,))
