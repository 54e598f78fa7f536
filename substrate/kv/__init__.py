"""Ordered tables of bytes with transactions, below everything that is stored.

    api.py     the seam: what every engine promises, and what only a store in a folder can do
    open.py    opening a store where it lies, for everybody above
    lmdb/      the engine: many processes on one machine
    memory.py  tables of one process, never on disk
    decoded.py what rows say, kept from one read to the next

Importing this package loads none of them: `from substrate.kv.open import open_store`.
"""

from __future__ import annotations

__all__: list[str] = []
