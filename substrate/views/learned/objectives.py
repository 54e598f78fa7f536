"""What past objectives mean: the vector of each objective of the last sessions and trainings. A cache.

    objectives   key of a trace (12) -> space (8), then the vector as half floats
                 b"upto" -> space (8), key of a trace (12), a random number (8): all objectives up to that trace have
                 their vectors in this space; the number is another one whenever a row has changed

The key is that of the episode's trace (`episodes.py`): of a session its first row, of a training its seq and ones. Such
keys ascend with time. An objective is a text that somebody wrote: its vector goes with the session or training.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from substrate.errors import StoreDamaged
from substrate.kv.api import ReadTransaction
from substrate.log.replay import replay
from substrate.log.tables import BODIES, OBJECTIVES, SEQ_BYTES, SESSIONS, read_seq, seq_key
from substrate.proof.entry import Kind
from substrate.views.learned.episodes import oldest_trace, traces_after
from substrate.views.learned.sessions import KEY_BYTES, TRAINED, read_session, read_training
from substrate.views.vectors import SPACE_BYTES, CacheRow

__all__ = [
    "Pending",
    "check_objectives",
    "erase_objectives",
    "keep_objectives",
    "objective_rows",
    "objectives_stamp",
    "pending_objectives",
    "training_trace",
]

_UPTO: Final = b"upto"
_NUMBER_BYTES: Final = 8
_UPTO_BYTES: Final = SPACE_BYTES + KEY_BYTES + _NUMBER_BYTES
_LENGTH: Final = 0.01
"""How far from 1 the length of a vector may be, for the rounding of half floats."""
_REMEDY: Final = "substrate rebuild throws the vectors away, and they are made again"


class Pending(NamedTuple):
    """Objectives that have no vector yet, by the keys of their traces; `upto`: all up to this one were looked at."""

    texts: Mapping[bytes, str]
    upto: bytes


def objective_rows(transaction: ReadTransaction, space: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The key of a trace and the vector of its objective, for all that have one in this space."""
    for key, row in transaction.scan(OBJECTIVES):
        if len(key) == KEY_BYTES and row.startswith(space):
            yield key, row[SPACE_BYTES:]


def objectives_stamp(transaction: ReadTransaction) -> bytes:
    """Another one whenever a row has changed."""
    return transaction.get(OBJECTIVES, _UPTO) or b""


def pending_objectives(transaction: ReadTransaction, space: bytes, most: int) -> Pending | None:
    """What to embed next in this space; None if there is nothing."""
    done = transaction.get(OBJECTIVES, _UPTO) or b""
    last = done[SPACE_BYTES : SPACE_BYTES + KEY_BYTES] if done.startswith(space) else b""
    texts: dict[bytes, str] = {}
    upto = last
    for trace in traces_after(transaction, last):
        if len(texts) >= most:
            break
        upto = trace
        text = _objective_of(transaction, trace)
        if text and not (transaction.get(OBJECTIVES, trace) or b"").startswith(space):
            texts[trace] = text
    return Pending(texts, upto) if upto != last else None


def keep_objectives(
    transaction: ReadTransaction, space: bytes, pending: Pending, vectors: Mapping[bytes, bytes]
) -> Iterator[CacheRow]:
    """The rows that record these vectors. Call it under the write lock; what is too old to be compared goes.

    What was forgotten while it was embedded is left out, also if another session has its key by now.
    """
    for trace, vector in vectors.items():
        if _objective_of(transaction, trace) == pending.texts[trace]:
            yield OBJECTIVES, trace, space + vector
    for key, _ in transaction.scan(OBJECTIVES, b"", oldest_trace(transaction)):
        yield OBJECTIVES, key, None
    yield OBJECTIVES, _UPTO, space + pending.upto + os.urandom(_NUMBER_BYTES)


def erase_objectives(transaction: ReadTransaction, traces: Iterable[bytes]) -> Iterator[CacheRow]:
    """The rows whose writing leaves no vector of what these traces were for. The next look at them begins anew."""
    keys = [key for key in dict.fromkeys(traces) if transaction.get(OBJECTIVES, key) is not None]
    for key in keys:
        yield OBJECTIVES, key, None
    if keys:
        yield OBJECTIVES, _UPTO, bytes(SPACE_BYTES + KEY_BYTES) + os.urandom(_NUMBER_BYTES)


def training_trace(seq: int) -> bytes:
    """The key by which a train entry stands among the traces."""
    return seq_key(seq) + TRAINED


def _objective_of(transaction: ReadTransaction, trace: bytes) -> str:
    """What a session or a training was for; empty if it does not say, or is not there (any more)."""
    if trace.endswith(TRAINED):
        seq = read_seq(trace[:SEQ_BYTES])
        if transaction.get(BODIES, trace[:SEQ_BYTES]) is None:
            return ""
        (entry,) = replay(transaction, seq, seq + 1)
        heard = None if entry.body is None or entry.kind is not Kind.TRAIN else read_training(entry.body, entry.time)
    else:
        row = transaction.get(SESSIONS, trace)
        heard = None if row is None else read_session(row)
    return "" if heard is None else heard.objective


def check_objectives(transaction: ReadTransaction) -> None:
    """StoreDamaged, with the remedy, if the vectors cannot be those of objectives that there are."""
    import numpy as np  # noqa: PLC0415 - for who checks

    for key, row in transaction.scan(OBJECTIVES):
        if key == _UPTO and len(row) == _UPTO_BYTES:
            continue
        vector = row[SPACE_BYTES:]
        if len(key) != KEY_BYTES or not vector or len(vector) % 2:
            raise StoreDamaged(f"table {OBJECTIVES} has a row that is malformed: {key.hex()}. ", _REMEDY)
        if abs(float(np.linalg.norm(np.frombuffer(vector, "<f2").astype(np.float32))) - 1) > _LENGTH:
            raise StoreDamaged(f"table {OBJECTIVES} has a vector that is not of length 1: {key.hex()}. ", _REMEDY)
        if not _objective_of(transaction, key):
            raise StoreDamaged(f"table {OBJECTIVES} has the vector of a text that is gone: {key.hex()}. ", _REMEDY)
