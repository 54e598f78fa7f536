"""The vectors nearest to a query: a cache of the vectors of record.

    index.py       one for each open store: search, seal, erase; the only importer of faiss
    space.py       what a process has of one space, and how it is searched
    rows.py        vectors in memory, as arrays
    generation.py  sealed files of vectors
    in_memory.py   vectors that are in no file, laid over those of record
    seal.py        writing the vectors of one space into a new file

All of it follows `views/vectors.py` and can be thrown away.
"""

__all__: list[str] = []
