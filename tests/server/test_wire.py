"""The wire: lines in, lines out, nothing else; and what is too long is answered, not taken in."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from threading import Thread
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.server import wire
from substrate.server.wire import Wire
from tests.agents import child_environment
from tests.scale import PATIENCE_S

LIMIT = 64
TOO_LONG = b"x" * (LIMIT + 1) + b"\n"


class Grudging(io.BytesIO):
    """Takes three bytes at a time, as a pipe may that is almost full."""

    def write(self, data: Any, /) -> int:
        return super().write(bytes(data[:3]))


@pytest.fixture(autouse=True, scope="module")
def _low_limit() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wire, "_MOST", LIMIT)
        patch.setattr(wire, "_CHUNK", 16)
        yield


def run(incoming: bytes) -> tuple[list[str], list[Any]]:
    """The lines that come in, and what is answered on the way."""
    outgoing = io.BytesIO()
    ends = Wire(io.BytesIO(incoming), outgoing)
    lines = []
    while line := ends.read_line():
        lines.append(line)
    return lines, [json.loads(answer) for answer in outgoing.getvalue().splitlines()]


@pytest.mark.parametrize("size", [2, LIMIT - 1, LIMIT])
def test_a_line_up_to_the_limit_comes_in_whole(size: int) -> None:
    line = "x" * (size - 1) + "\n"
    assert run(line.encode()) == ([line], [])


@pytest.mark.parametrize("size", [LIMIT + 1, LIMIT + 2, LIMIT + 16, LIMIT + 17, 10 * LIMIT])
def test_a_longer_line_is_answered_with_an_error_and_the_next_one_comes_in(size: int) -> None:
    lines, (answer,) = run(b"x" * (size - 1) + b"\nnext\n")
    assert lines == ["next\n"]
    assert (answer["jsonrpc"], answer["id"], answer["error"]["code"]) == ("2.0", None, -32600)
    assert f"{LIMIT:,} bytes" in answer["error"]["message"]


def test_a_long_line_without_an_end_is_answered_too() -> None:
    lines, answers = run(b"x" * 5 * LIMIT)
    assert (lines, len(answers)) == ([], 1)


def test_a_line_of_nothing_is_passed_over() -> None:
    assert run(b"\n \r\n\t\none\n\n") == (["one\n"], [])


def test_a_last_line_without_an_end_comes_in() -> None:
    assert run(b"one\ntwo") == (["one\n", "two"], [])


@pytest.mark.parametrize(
    ("head", "found"),
    [
        ('{"jsonrpc":"2.0","id":7,"method":"x"', 7),
        ('{"id":-1,"a":"', -1),
        (' { "jsonrpc" : "2.0" , "id" : "abc" , "p":"', "abc"),
        ('{"id":0}', 0),
        ('{"id":"","a":"', None),
        ('{"id":1.5,"a":"', None),
        ('{"id":null,"a":"', None),
        ('{"id":"a\\"b","a":"', None),
        ('{"params":{"id":7},"a":"', None),
        ('{"params":[],"id":7,"a":"', None),
        ('[{"id":7,"a":"', None),
        ('{"method":"x","params":"', None),
        ("id", None),
    ],
)
def test_the_answer_has_the_id_of_the_request_if_that_stands_at_its_beginning(head: str, found: object) -> None:
    _, (answer,) = run(head.encode() + b"x" * LIMIT + b"\n")
    assert answer["id"] == found


@pytest.mark.parametrize(
    ("end", "found"),
    [
        ('","id":7}', 7),
        ('"}, "id" : "abc" } \r', "abc"),
        ('"},"id":7,"a":1}', None),
        ('","params":{"id":7}}', None),
        ('\\",\\"id\\":7}', None),
    ],
)
def test_or_if_it_stands_last_of_all(end: str, found: object) -> None:
    _, (answer,) = run(b'{"a":"' + b"x" * 2000 + end.encode() + b"\n")
    assert answer["id"] == found


def test_an_id_in_the_middle_is_not_looked_for() -> None:
    _, (answer,) = run(b'{"a":"' + b"x" * 2000 + b'","id":7,"b":"' + b"x" * 2000 + b'"}\n')
    assert answer["id"] is None


def test_a_line_that_is_no_message_is_answered_with_what_is_wrong_and_its_id() -> None:
    outgoing = io.BytesIO()
    ends = Wire(io.BytesIO(b'{"id":7,"bad":1}\n{"id":8}\n'), outgoing)
    ends.judge = lambda line: (-32700, "no message") if "bad" in line else None
    assert ends.read_line() == '{"id":8}\n'
    answer = json.loads(outgoing.getvalue())
    assert (answer["id"], answer["error"]) == (7, {"code": -32700, "message": "no message"})


def test_a_client_that_has_stopped_listening_is_left() -> None:
    class Broken(io.BytesIO):
        def write(self, _: Any, /) -> int:
            raise BrokenPipeError

    ends = Wire(io.BytesIO(b"one\ntwo\n"), Broken())
    assert ends.read_line() == "one\n"
    ends.send("said\n")
    assert ends.read_line() == ""


def test_bytes_that_are_no_text_come_in_as_something_that_no_json_is() -> None:
    assert run(b"\xff\xfe\n") == (["\ufffd\ufffd\n"], [])


@given(st.lists(st.binary(max_size=3 * LIMIT).map(lambda line: line.replace(b"\n", b".") + b"\n")))
def test_whatever_comes_is_taken_in_or_answered_once_and_in_order(lines: list[bytes]) -> None:
    taken, answers = run(b"".join(lines))
    texts = [line.decode("utf-8", "replace") for line in lines if len(line) <= LIMIT]
    assert taken == [text for text in texts if not text.isspace()]
    assert len(answers) == sum(len(line) > LIMIT for line in lines)


def test_a_line_is_written_whole_however_little_is_taken_at_once() -> None:
    outgoing = Grudging()
    Wire(io.BytesIO(), outgoing).send("a line of Größe\n" * 10)
    assert outgoing.getvalue().decode() == "a line of Größe\n" * 10


def test_lines_of_several_threads_do_not_mix() -> None:
    outgoing = Grudging()
    ends = Wire(io.BytesIO(TOO_LONG * 20), outgoing)
    threads = [Thread(target=lambda word=word: [ends.send(word * 20 + "\n") for _ in range(50)]) for word in "abc"]  # type: ignore[misc]
    threads.append(Thread(target=ends.read_line))  # which answers, meanwhile
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    written = outgoing.getvalue().decode().splitlines()
    assert sorted(line for line in written if not line.startswith("{")) == sorted(
        word * 20 for word in "abc" for _ in range(50)
    )
    assert sum(json.loads(line)["id"] is None for line in written if line.startswith("{")) == 20


def test_text_that_cannot_be_encoded_does_not_break_the_wire() -> None:
    outgoing = io.BytesIO()
    Wire(io.BytesIO(), outgoing).send('"\ud800"\n')
    assert outgoing.getvalue() == b'"?"\n'


def test_it_is_what_the_transport_takes_for_a_file() -> None:
    outgoing = io.BytesIO()

    async def talk() -> list[str]:
        ends = Wire(io.BytesIO(b"one\n" + TOO_LONG + b"two\n"), outgoing)
        heard = [line async for line in ends]
        await ends.write("said\n")
        await ends.flush()
        return heard

    assert anyio.run(talk) == ["one\n", "two\n"]
    assert outgoing.getvalue().endswith(b"\nsaid\n")


STRAY = """
import os, subprocess, sys
from substrate.server.wire import claim
sys.stdout.write("before\\n")
wire = claim()
print("stray print")
sys.stdout.flush()
os.write(1, b"stray write\\n")
subprocess.run(["sh", "-c", "echo stray child; cat"], check=True)
sys.__stdout__.write("stray original\\n")
sys.__stdout__.flush()
wire.send("said\\n")
wire.send("heard " + wire.read_line())
assert sys.stdin.read() == "" and os.read(0, 10) == b""
wire.send("heard " + wire.read_line())
"""


def test_from_the_claim_on_nobody_else_writes_to_the_wire_or_reads_from_it() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", STRAY],
        input=b"one\ntwo\n",
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
        env=child_environment(),
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout == b"before\nsaid\nheard one\nheard two\n"
    for word in (b"print", b"write", b"child", b"original"):
        assert b"stray " + word in done.stderr


def test_to_claim_the_wire_loads_nothing_of_the_sdk_nor_of_the_engine() -> None:
    heavy = ("mcp", "anyio", "pydantic", "lmdb")
    loaded = f"import sys, substrate.server.wire; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", loaded],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
        env=child_environment(),
    )
    assert done.stdout == "[]\n"


def asking(*lines: bytes) -> Wire:
    ends = Wire(io.BytesIO(b"".join(lines)), io.BytesIO())
    ends.judge = lambda line: json.loads(line)["id"] if "method" in line else None
    return ends


@pytest.mark.parametrize("answer", ['"result":{}', '"error":{"code":1}'])
def test_who_closes_their_end_gets_the_answer_to_what_they_have_asked(answer: str) -> None:
    ends = asking(b'{"id":1,"method":"ping"}\n')
    assert ends.read_line()
    waiting = Thread(target=ends.read_line)
    waiting.start()
    ends.send('{"jsonrpc":"2.0","id":9,"method":"elicitation/create"}\n')  # a question of ours is no answer
    assert waiting.is_alive()
    ends.send(f'{{"jsonrpc":"2.0","id":1,{answer}}}\n')
    waiting.join(PATIENCE_S)
    assert not waiting.is_alive()


def test_but_nobody_waits_for_an_answer_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "_SOON_S", 0.0)
    ends = asking(b'{"id":1,"method":"ping"}\n')
    assert ends.read_line()
    assert ends.read_line() == ""


MANY = b"".join(b'{"id":%d,"method":"ping"}\n' % number for number in range(5))


async def passed_on(ends: Wire, most: int) -> int:
    """How many lines come in, until none does or there are so many."""
    count = 0
    with anyio.move_on_after(0.2):
        async for _ in ends:
            count += 1
            if count == most:
                break
    return count


@pytest.mark.parametrize("limit", ["requests", "bytes"])
def test_of_requests_that_are_not_answered_only_some_are_taken_in(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if limit == "requests":
        monkeypatch.setattr(wire, "_MOST_OWED", 3)
    else:
        monkeypatch.setattr(wire, "_MOST_OWED_BYTES", 3 * 25)
    assert anyio.run(passed_on, asking(MANY), 5) == 3


@pytest.mark.parametrize("how", ["answered", "withdrawn"])
def test_those_that_were_answered_or_withdrawn_make_room(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "_MOST_OWED", 3)
    ends = asking(MANY)

    async def talk() -> int:
        count = 0
        async for line in ends:
            number = json.loads(line)["id"]
            count += 1
            if how == "answered":
                await ends.write(f'{{"jsonrpc":"2.0","id":{number},"result":{{}}}}\n')
            else:
                ends.settle(number)
        return count

    assert anyio.run(talk) == 5


def test_one_request_is_always_taken_in_however_long_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "_MOST_OWED_BYTES", 1)
    assert anyio.run(passed_on, asking(MANY), 1) == 1


def test_a_message_that_asks_nothing_waits_for_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "_MOST_OWED", 3)
    three = MANY[: 3 * 25]
    assert anyio.run(passed_on, asking(three + b'{"id":9,"result":{}}\n' * 4), 7) == 7
