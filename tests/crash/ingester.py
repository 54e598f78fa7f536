"""What the crash test of documents kills: a child that ingests a folder, in many small checkpoints.

    python -m tests.crash.ingester STORE HOME FOLDER [early]

For each line on standard input, a number of seconds, it forks a child that ingests the folder, kills it after that
time, and says how it ended: to start one is quick, since all is loaded. With `#N` the child is killed after N
checkpoints, however slow it is. Without a number it is not killed. `early` is the broken twin, which writes a document
before its chunks.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from substrate.documents import plan, write
from substrate.documents.plan import Plan
from substrate.memory import open_memory
from substrate.save.batch import Batch


def early(plan: Plan) -> Iterator[Batch]:
    """The document first, and then its chunks, one by one."""
    yield Batch(atoms=() if plan.document is None else (plan.document,))
    yield from (Batch(atoms=(atom,)) for atom in plan.atoms)
    yield from (Batch(tombstones=(stone,)) for stone in plan.tombstones)


def kill_after(checkpoints: int) -> None:
    """Let this process die when it has written so many."""
    write_one, left = write.Writer._write, checkpoints

    def counted(self: write.Writer, batch: Batch, expect: Mapping[str, int | None]) -> None:
        nonlocal left
        write_one(self, batch, expect)
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

    write.Writer._write = counted  # type: ignore[method-assign]


def main() -> None:
    store, home, folder = map(Path, sys.argv[1:4])
    write._TOGETHER, plan.PART = 8, 3
    if sys.argv[4:] == ["early"]:
        Plan.batches = early  # type: ignore[method-assign]
        write._TOGETHER = 0
        expecting = write.Writer._write
        write.Writer._write = lambda self, batch, _: expecting(self, batch, {})  # type: ignore[method-assign]
    for line in sys.stdin:
        child = os.fork()
        if not child:
            if line.startswith("#"):
                kill_after(int(line[1:]))
            with open_memory(store, home=home, model="none", background=False) as memory:
                memory.ingest(folder, domain="d")
            os._exit(0)
        if line.strip() and not line.startswith("#"):
            time.sleep(float(line))  # when it is killed is what is tried
            os.kill(child, signal.SIGKILL)  # nobody has waited for it yet, so the number is still its own
        _, status = os.waitpid(child, 0)
        os.write(1, f"{os.waitstatus_to_exitcode(status)}\n".encode())


if __name__ == "__main__":
    main()
