"""What associate finds: fifty links planted across five domains of 1,000 atoms. See docs/benchmarks.md.

python -m benchmarks.associations [--each 1000] [--words]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from statistics import median

import substrate
from benchmarks.planted import DOMAINS, Note, notes, pairs
from substrate.memory import Memory

__all__ = ["fill", "recall"]

_BATCH = 1_000
_AT = 10


def fill(memory: Memory, of_each: int) -> None:
    """Save the domains with their notes. Nothing is stated but what belongs to which."""
    memory.checkpoint([f"v1.domain.{domain} = What is known about the {domain}" for domain in DOMAINS])
    all_notes = list(notes(of_each))
    for at in range(0, len(all_notes), _BATCH):
        _save(memory, all_notes[at : at + _BATCH])


def _save(memory: Memory, batch: list[Note]) -> None:
    memory.checkpoint(
        [{"name": note.name, "value": note.value} for note in batch],
        edges=[{"source": note.name, "type": "member_of", "target": f"v1.domain.{note.domain}"} for note in batch],
    )


def recall(memory: Memory, at: int = _AT) -> dict[str, float]:
    """Of each kind of pair the share in which one finds the other, asked from both sides."""
    hits: dict[str, list[bool]] = {}
    for pair in pairs():
        for note, partner in ((pair.one, pair.other), (pair.other, pair.one)):
            found = memory.associate(note.name, limit=at)
            hits.setdefault(pair.kind, []).append(partner.name in [item.target.name for item in found])
    shares = {kind: sum(found) / len(found) for kind, found in hits.items()}
    return {**shares, "all": sum(map(sum, hits.values())) / sum(map(len, hits.values()))}


def main() -> None:
    """Fill a store, ask about every planted note, and print what share of the partners is found."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.associations", description=__doc__)
    parser.add_argument("--each", type=int, default=1_000, help="atoms of each domain (default: 1000)")
    parser.add_argument("--words", action="store_true", help="without a model")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="substrate-bench-") as scratch:
        folder = Path(scratch)
        model = "none" if arguments.words else None
        with substrate.open(folder / "store", home=folder / "home", background=False, model=model) as memory:
            fill(memory, arguments.each)
            if not arguments.words:
                began = time.process_time()
                memory.index()
                print(f"embedded in {time.process_time() - began:.1f} CPU s")
            print({kind: round(share, 3) for kind, share in recall(memory).items()}, f"recall@{_AT}")
            times = []
            for pair in pairs():
                began = time.process_time()
                memory.associate(pair.one.name)
                times.append(time.process_time() - began)
            print(f"associate: {1000 * median(times):.1f} CPU ms, p50, {5 * arguments.each:,} atoms")


if __name__ == "__main__":
    main()
