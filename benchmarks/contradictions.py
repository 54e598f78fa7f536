"""How many contradictions are found, and how many that are none. See docs/conflicts.md.

    docstrings   notes of the standard library and of what is installed beside us: what is told of is a false alarm, but
                 for the few that contradict each other in earnest; told as sentences under ids, under names made of
                 their words, and under the names of what they describe, and as whole docstrings
    facts        edited facts of the retrieval bench: what a question's answer says against what it said before. Half of
                 the relations were held out: the detector was developed on the others

Notes meet as they do in a store: under the keys of their claims, the newest, at most so many under each.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import re
import sys
import sysconfig
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks import page
from benchmarks.table import Result
from substrate.claims import Claim, Contradiction, contradiction, drop_cached, keys_of, read_claim
from substrate.conflicts.detect import COMPARED, FOUND
from substrate.names import slug_of

__all__ = ["Alarm", "Note", "alarms", "docstrings", "sentences"]

_END: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"`'])")
_NOTES: Final = 10_000
_SEED: Final = 7
_SKIPPED: Final = ("site-packages", "dist-packages", "test/", "tests/", "idlelib", "lib2to3", "turtledemo", "config-")
_FEWEST: Final = 4
"""A word of the facts that is in fewer of them belongs to a name, and not to the relation."""


class Note(NamedTuple):
    """An atom: its name, and what it says."""

    name: str
    value: str


class Alarm(NamedTuple):
    """Two notes that are taken to contradict each other."""

    kind: str
    first: Note
    second: Note


def alarms(
    notes: Sequence[Note], compare: Callable[[Claim, Claim], Contradiction | None] = contradiction
) -> Iterator[Alarm]:
    """Those that saving the notes one after the other would tell of."""
    kept: dict[bytes, list[tuple[int, Claim]]] = defaultdict(list)
    for at, note in enumerate(notes):
        claim = read_claim(*note)
        if claim is None:
            continue
        near = {i: other for key in keys_of(claim, against=True) for i, other in kept[key][-COMPARED:]}
        told = 0
        for i, other in sorted(near.items(), reverse=True):
            found = compare(other, claim) if notes[i].name != note.name else None
            if found is not None and told < FOUND:
                told += 1
                yield Alarm(found.kind, notes[i], note)
        for key in keys_of(claim):
            kept[key].append((at, claim))
    drop_cached()


def docstrings(root: Path, modules: Sequence[str] = ()) -> Iterator[Note]:
    """The docstrings under a folder, each under the name of what it describes; only of these modules, if any."""
    paths = [path for name in modules for path in (root / f"{name}.py", *(root / name).rglob("*.py")) if path.is_file()]
    for path in sorted(paths if modules else root.rglob("*.py")):
        at = path.relative_to(root).as_posix()
        if any(part in at for part in _SKIPPED):
            continue
        try:
            tree = ast.parse(path.read_bytes())
        except (OSError, SyntaxError, ValueError):
            continue
        waiting: list[tuple[str, ast.AST]] = [(at.removesuffix(".py").replace("/", "."), tree)]
        while waiting:
            name, node = waiting.pop()
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                text = ast.get_docstring(node)
                if text:
                    yield Note(f"v1.note.{name}", text)
                waiting += [(f"{name}.{inner.name}", inner) for inner in node.body if hasattr(inner, "name")]


def sentences(notes: Sequence[Note]) -> list[Note]:
    """Each sentence of the notes once, under the name of its note."""
    unique: dict[str, Note] = {}
    for name, text in notes:
        for paragraph in re.split(r"\n\s*\n", text):
            for sentence in _END.split(" ".join(paragraph.split())):
                if ">>>" not in sentence and 12 <= len(sentence) <= 400:
                    unique.setdefault(sentence, Note(name, sentence))
    return list(unique.values())


def _facts(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Which half, dev or held, what was said before, and what was said in its place."""
    lines = [json.loads(line) for line in (folder / "docs.jsonl").read_text(encoding="utf-8").splitlines()]
    said = {line["id"]: line["text"] for line in lines}
    often = Counter(word for text in said.values() for word in set(text.rstrip(".").split()))
    for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines():
        asked = json.loads(line)
        for new in asked["relevant"]:
            for old in asked["outdated"]:
                relation = _relation(said[old].rstrip(".").split(), often)
                yield "dev" if zlib.crc32(relation.encode()) % 2 else "held", said[old], said[new]


def _relation(words: list[str], often: Counter[str]) -> str:
    """What a fact says, whoever it says it of: `The capital`, `is a citizen of`."""
    if words[0] == "The" and "of" in words[:6]:
        return "The " + " ".join(words[1 : words.index("of")])
    for i, word in enumerate(words):
        verb = word.islower() and often[word] >= _FEWEST and (word in ("is", "was") or word.endswith(("s", "ed")))
        if i and verb:
            return " ".join(other for other in words[i : i + 4] if often[other] >= _FEWEST and other.islower())
    return " ".join(words[:2])


def _tell(what: str, notes: Sequence[Note], shown: int) -> None:
    found = list(alarms(notes))
    kinds = ", ".join(f"{kind} {count}" for kind, count in Counter(alarm.kind for alarm in found).most_common())
    rate = len(found) / max(1, len(notes)) * 2000
    print(f"{what:44}{len(notes):>8,}{len(found):>8}{rate:>8.2f}   {kinds}", flush=True)
    page.note([Result(f"false alarms in 2,000: {what}", len(notes), rate, "share", 1.0)])
    for alarm in found[:shown]:
        print(f"    {alarm.kind}: {alarm.first.value[:90]!r} | {alarm.second.value[:90]!r}")


def main() -> None:
    """Print how many are found, of those that are and of those that are none, and what reading costs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.contradictions", description=__doc__)
    parser.add_argument(
        "--bench", metavar="FOLDER", help="the bench; default: SUBSTRATE_BENCH, or beside the repository"
    )
    parser.add_argument("--notes", type=int, default=_NOTES, help="notes of each set (default 10,000)")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print so many alarms of each set")
    given = parser.parse_args()
    print(f"{'':44}{'notes':>8}{'alarms':>8}{'/2,000':>8}")
    for place in ("stdlib", "purelib"):
        whole = list(docstrings(Path(sysconfig.get_path(place)).resolve()))
        said = sentences(whole)
        for notes in (whole, said):
            random.Random(_SEED).shuffle(notes)
        told = [Note(f"v1.note.n{i}", note.value) for i, note in enumerate(said[: given.notes])]
        _tell(f"{place}, sentences under ids", told, given.show)
        told = [Note(f"v1.note.{slug_of(note.value) or 'text'}_{i:08x}", note.value) for i, note in enumerate(told)]
        _tell(f"{place}, sentences as remember names them", told, given.show)
        _tell(f"{place}, sentences under names", said[: given.notes], given.show)
        _tell(f"{place}, whole docstrings", whole[: given.notes], given.show)
        drop_cached()
        start = time.process_time()
        for note in said[: given.notes]:
            read_claim(*note)
        each = (time.process_time() - start) / max(1, len(said[: given.notes]))
        print(f"    {each * 1e6:.0f} µs of CPU to read a sentence")
    from benchmarks.retrieval import bench_folder  # noqa: PLC0415 - it loads numpy; whoever counts alarms does not

    try:
        folder = bench_folder(given.bench) / "data" / "facts"
    except FileNotFoundError as error:
        print(error)
        return
    of: dict[str, list[bool]] = defaultdict(list)
    for half, old, new in _facts(folder):
        of[half].append(any(alarms([Note("v1.fact.f1", old), Note("v1.fact.f2", new)])))
    for half, hits in sorted(of.items()):
        print(f"facts, {half}: {sum(hits)} of {len(hits)} found, {sum(hits) / len(hits):.3f}")
        page.note([Result(f"edited facts found, {half}", len(hits), sum(hits) / len(hits), "recall", 0.85)])


if __name__ == "__main__":
    sys.exit(main())
