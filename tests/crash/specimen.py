"""A store with something of everything in it, to be damaged. The same bytes every time: so a seed can be replayed."""

from __future__ import annotations

import json
import random
import sys
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from substrate.clock import ManualClock
from substrate.codec import draft_forget, draft_other, draft_put, draft_tombstone
from substrate.kv.api import ReadTransaction
from substrate.log.append import Decision
from substrate.log.heads import require_head
from substrate.log.identity import draw_id
from substrate.log.log import Log, open_log
from substrate.log.tables import SESSIONS
from substrate.proof.entry import Kind
from substrate.views.catalogue import VIEWS
from substrate.views.learned.sessions import Heard, draft_training, next_key, session_row
from tests.crash.children import Child

__all__ = ["Specimen", "make_specimen"]


@dataclass(frozen=True, slots=True)
class Specimen:
    """Where the store and its keys are, the key in force, and for some names the proof of what is true of them."""

    store: Path
    home: Path
    key: str
    proofs: dict[str, str]

    @property
    def data(self) -> Path:
        """The one data file."""
        (path,) = self.store.glob("env.*/data.mdb")
        return path


def forget(log: Log, name: str) -> None:
    record = log.record(name)
    assert record is not None
    log.append([draft_forget(record.subject, [record.seq], record.key)])


def learn(log: Log, part: int) -> None:
    """A training, and a session of the same atoms. Of a session, no more than what the model is learnt from.

    Weights, and in which letters an objective was written, are proven by nothing: no check could tell their damage.
    """
    records = [log.record(f"v1.fact.n{part}_{i}") for i in range(5)]
    heard = Heard(tuple(record.subject for record in records if record), log.clock.now())
    log.append([draft_training(heard._replace(weight=2, objective=f"part {part}"))])

    def plan(transaction: ReadTransaction, _: int) -> Decision:
        key = next_key(transaction, require_head(transaction).head.size)
        return Decision((), [(SESSIONS, key, session_row(heard))])

    log.decide(plan)


def make_specimen(folder: Path) -> Specimen:
    """A new one below `folder`."""
    # In a child of its own: in which order tables are created, and so where they lie, depends on the hash seed.
    child = Child("tests.crash.specimen", str(folder), environment={"PYTHONHASHSEED": "0"})
    key, proofs = json.loads(child.end(kill=False)[0])
    return Specimen(folder / "store", folder / "home", key, proofs)


def main(folder: Path) -> None:
    """Some 300 entries: versions, tombstones, forgotten atoms, two rotations, bodies of many pages, trainings.

    And sessions, and free pages.
    """
    store, home = folder / "store", folder / "home"
    rng = random.Random(0)
    with (
        patch("os.urandom", rng.randbytes),
        patch.object(Ed25519PrivateKey, "generate", lambda: Ed25519PrivateKey.from_private_bytes(rng.randbytes(32))),
        open_log(store, home=home, origin="specimen", clock=ManualClock(), views=VIEWS) as log,
    ):
        for part in range(8):
            log.append([draft_put(f"v1.fact.n{part}_{i}", f"first {'x' * (i * 7)}") for i in range(25)])
            log.append([draft_put(f"v1.fact.n{part}_{i}", f"second {i}") for i in range(6)])
            log.append([draft_put(f"v1.fact.large{part}", f"{part}" * 9000)])
            ends = [draw_id().hex() for _ in range(4)]
            edges = [{"source": ends[0], "type": "needs", "target": end} for end in ends]
            log.append([draft_other(Kind.EDGE, edge) for edge in edges])
            if part in {2, 5}:
                log.rotate_key()
                forget(log, f"v1.fact.n{part}_20")
                log.append([draft_tombstone(f"v1.fact.n{part}_{i}") for i in (7, 8)])
        for part in range(8):
            learn(log, part)
        names = [f"v1.fact.n{part}_{i}" for part in range(0, 8, 2) for i in (0, 7, 20)]
        names += ["v1.fact.large3", "v1.fact.never", "v1.fact.nor_this"]
        proofs = {name: log.prove(name).to_json() for name in names}
        print(json.dumps([str(log.key()), proofs]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
