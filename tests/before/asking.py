"""The store of before, asked: how a question is put, what of an answer is kept, and how two answers are compared.

A question is `{"number", "verb", "args"}`, and `by_meaning` if the model is needed for it; an answer is `{"number",
"answer"}`. `python -m tests.before.asking questions.jsonl answers.jsonl.xz` records answers: for a version that is
known to be right.
"""

from __future__ import annotations

import json
import lzma
import math
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import substrate
from substrate.clock import ManualClock
from substrate.errors import SubstrateError

HERE = Path(__file__).parent
ARCHIVE = HERE / "store.tar.xz"
QUESTIONS = HERE / "questions.jsonl"
ANSWERS = HERE / "answers.jsonl.xz"
NOW = 1_760_529_600_000_000
"""2025-10-15, noon: when all is asked. The last entry is of some days before."""
IN_A_SESSION = frozenset({"access"})
"""Verbs that go by what was opened before: each question is asked in a session of its own."""
DROPPED = frozenset({"bytes"})
"""How large a file is depends on the machine."""
DIGITS = 6
_CLOSE = 1.1e-5
"""Relative: one in the last digit that is kept."""
_CLOSE_BY_MEANING = 1.5e-3
"""Absolute: the vector of a query differs a little from one kind of processor to the other."""


def unpack(folder: Path, packed: Path = ARCHIVE) -> Path:
    """The store, with its keys in `home`, and a pin and a proof beside it."""
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")
    return folder / "store"


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a file of JSON, packed or not."""
    text = lzma.decompress(path.read_bytes()).decode() if path.suffix == ".xz" else path.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


class Asker:
    """The store in `path`, open for reading as of `NOW`; with a model if questions are asked by meaning."""

    def __init__(self, path: Path, *, by_meaning: bool = False) -> None:
        self._by_meaning = by_meaning
        self._path = str(path)
        model = None if by_meaning else "none"
        self.memory = substrate.open(path, read_only=True, clock=ManualClock(NOW), model=model, background=False)

    def ask(self, question: Mapping[str, Any]) -> Any:
        """The answer, as JSON has it; of an error what it says."""
        verb, args = question["verb"], dict(question["args"])
        if self._by_meaning:
            args["wait"] = 120
        if verb == "bootstrap":
            args["begin"] = False
        try:
            if verb in IN_A_SESSION:
                with self.memory.session(observe=False) as session:
                    return kept(getattr(session, verb)(**args))
            return kept(getattr(self.memory, verb)(**args))
        except SubstrateError as error:
            return {"error": error.code, "message": str(error).replace(self._path, "STORE")}


def kept(answer: Any) -> Any:
    """What is compared of an answer: what it says as JSON, with some digits of each number; and what it keeps back."""
    if isinstance(answer, tuple):  # `weigh`, which answers without an envelope
        return [{**_rounded(one.to_dict()), "beyond": _beyond(one)} for one in answer]
    said = _rounded(answer.to_dict())
    if isinstance(answer, substrate.Opening):
        said["beyond"] = {"truncated": answer.truncated, "atoms": [_beyond(atom) for atom in answer]}
    return said


def _beyond(atom: Any) -> Any:
    """Of an atom in an opening, what is not sent."""
    grounds, parts = dict(atom.grounds), dict(atom.parts)
    return _rounded({"name": atom.name, "need": atom.need, "tokens": atom.tokens, "grounds": grounds, "parts": parts})


def _rounded(value: Any) -> Any:
    match value:
        case float():
            return float(f"{value:.{DIGITS}g}")
        case Mapping():
            return {key: _rounded(item) for key, item in value.items() if key not in DROPPED}
        case list() | tuple():
            return [_rounded(item) for item in value]
        case _:
            return value


def differences(expected: Any, got: Any, *, by_meaning: bool = False, at: str = "") -> Iterator[str]:
    """Where an answer is not what it was, each as a line; nothing if it is the same."""
    match expected, got:
        case ((int() | float()), (int() | float())) if not isinstance(expected, bool) and not isinstance(got, bool):
            if not _is_close(expected, got, by_meaning=by_meaning):
                yield f"{at}: was {expected}, is {got}"
        case Mapping(), Mapping():
            for key in dict.fromkeys((*expected, *got)):
                where = f"{at}.{key}" if at else str(key)
                if key not in got or key not in expected:
                    yield f"{where}: {'is not said any more' if key not in got else f'is new: {_short(got[key])}'}"
                else:
                    yield from differences(expected[key], got[key], by_meaning=by_meaning, at=where)
        case list(), list():
            if len(expected) != len(got):
                yield f"{at}: were {len(expected)}, are {len(got)}"
            for number, (one, other) in enumerate(zip(expected, got, strict=False)):
                yield from differences(one, other, by_meaning=by_meaning, at=f"{at}[{number}]")
        case _:
            if expected != got or (type(expected) is not type(got) and not isinstance(got, str)):
                yield f"{at}: was {_short(expected)}, is {_short(got)}"


def _is_close(one: float, other: float, *, by_meaning: bool) -> bool:
    if isinstance(one, int) and isinstance(other, int):
        return one == other
    if by_meaning:
        return math.isclose(one, other, rel_tol=0, abs_tol=_CLOSE_BY_MEANING)
    return math.isclose(one, other, rel_tol=_CLOSE, abs_tol=1e-9)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 120 else text[:119] + "…"


def compare(
    asker: Asker,
    questions: Sequence[Mapping[str, Any]],
    answers: Mapping[int, Any],
    explained: Mapping[int, str],
) -> list[str]:
    """Every difference, by question number, but for those that are explained; and explanations of none."""
    found: list[str] = []
    for question in questions:
        number = question["number"]
        by_meaning = question.get("by_meaning", False)
        changed = list(differences(answers[number], asker.ask(question), by_meaning=by_meaning))
        if changed and number not in explained:
            put = f"{question['verb']} {json.dumps(question['args'], ensure_ascii=False)}"
            found.append("\n  ".join([f"question {number}: {put}", *changed[:8]]))
        if not changed and number in explained:
            found.append(f"question {number}: is explained, and has not changed")
    return found


def record(questions: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """All answers, from a copy of the store that nobody has opened before."""
    with tempfile.TemporaryDirectory() as folder:
        path = unpack(Path(folder))
        for by_meaning in (False, True):
            asker = Asker(path, by_meaning=by_meaning)
            for question in questions:
                if question.get("by_meaning", False) == by_meaning:
                    yield {"number": question["number"], "answer": asker.ask(question)}
            asker.memory.close()


if __name__ == "__main__":
    lines = sorted(record(read_lines(Path(sys.argv[1]))), key=lambda line: line["number"])
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    Path(sys.argv[2]).write_bytes(lzma.compress(text.encode(), preset=9))
