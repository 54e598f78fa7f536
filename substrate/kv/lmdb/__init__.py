"""The tables of `kv/api.py` on LMDB: many processes on one machine.

environment.py   `open_store`, and the environments of LMDB; the only importer of lmdb
transactions.py  reading and writing, in the thread and the process that began it
handle.py        one open of a store, and the register of what this process has open; fork
process.py       what all handles of one folder in this process share; following CURRENT, replacing it, growing
compaction.py    the store written anew while others write
journal.py       which keys were written meanwhile
scratch.py       tables in a file without a name, for one piece of work
locks.py         the file locks: one writer, one mover, and the gate that a flip needs for itself
free_pages.py    whether a file that ends before its last page lacks only free ones
recover.py       a lost CURRENT, brought back where one sound environment is there
folder.py        the store folder: numbered environments and the pointer to the live one
filesystem.py    network file systems are refused
errors.py        what the errors of LMDB mean
"""

from __future__ import annotations

__all__: list[str] = []
