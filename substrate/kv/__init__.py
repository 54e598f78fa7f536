"""Ordered tables of bytes with transactions: `api.py` is the seam, `lmdb.py` the implementation on one machine.

    api.py           what every implementation promises
    lmdb.py          `open_store` and the environments of LMDB; the only importer of lmdb
    transactions.py  reading and writing, in the thread and the process that began it
    handle.py        one open of a store, and the register of what this process has open; fork
    shared.py        what all handles of one folder in this process share; following CURRENT, replacing it
    gate.py          the file locks: one writer, and the gate that a flip needs for itself
    folder.py        the store folder: numbered environments and the pointer to the live one
    filesystem.py    network file systems are refused
    translate.py     what the errors of LMDB and of the system mean

Importing this package loads none of them: `from substrate.kv.lmdb import open_store`.
"""

from __future__ import annotations

__all__: list[str] = []
