"""What the crash test of documents kills: a child that ingests a folder, in many small checkpoints.

    python -m tests.crash.ingester STORE HOME FOLDER [early]

For each line on standard input, a number of seconds, it forks a child that ingests the folder, kills it after that
time, and says how it ended: to start one is quick, since all is loaded. Without a number it is not killed. `early` is
the broken twin, which writes a document before its chunks.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from substrate.documents import ingest, write
from substrate.documents.write import Plan
from substrate.memory import open_memory
from substrate.save.batch import Batch


def early(plan: Plan) -> Iterator[Batch]:
    """The document first, and then its chunks, one by one."""
    yield Batch(atoms=() if plan.document is None else (plan.document,))
    yield from (Batch(atoms=(atom,)) for atom in plan.atoms)
    yield from (Batch(tombstones=(stone,)) for stone in plan.tombstones)


def main() -> None:
    store, home, folder = map(Path, sys.argv[1:4])
    ingest._TOGETHER, write.PART = 8, 3
    if sys.argv[4:] == ["early"]:
        Plan.batches = early  # type: ignore[method-assign]
        ingest._TOGETHER = 0
        expecting = ingest.Writer._write
        ingest.Writer._write = lambda self, batch, _: expecting(self, batch, {})  # type: ignore[method-assign]
    for line in sys.stdin:
        child = os.fork()
        if not child:
            with open_memory(store, home=home, model="none", background=False) as memory:
                memory.ingest(folder, domain="d")
            os._exit(0)
        if line.strip():
            time.sleep(float(line))  # when it is killed is what is tried
            os.kill(child, signal.SIGKILL)  # nobody has waited for it yet, so the number is still its own
        _, status = os.waitpid(child, 0)
        os.write(1, f"{os.waitstatus_to_exitcode(status)}\n".encode())


if __name__ == "__main__":
    main()
