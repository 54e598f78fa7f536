"""Walks along edges, from what matches to what is joined to it.

reach  what walks reach from the best hits, and what each is worth
steps  edges as steps from atom to atom
walk   best paths, PageRank and shortest paths, pure
"""

__all__: list[str] = []
