"""Opening a store where it lies. Today that is a folder of LMDB on this machine, and this file alone knows it.

Code above `kv/` opens stores from here and holds them by `api.py`; it imports nothing of an engine.
"""

from __future__ import annotations

from substrate.kv.lmdb.environment import make_store, open_store, scratch_store
from substrate.kv.lmdb.folder import refuse_occupied, refuse_unfinished
from substrate.kv.lmdb.recover import recover

__all__ = ["make_store", "open_store", "recover", "refuse_occupied", "refuse_unfinished", "scratch_store"]
