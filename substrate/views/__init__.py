"""Views: tables that follow from the log alone, and other rows that stand beside it.

    catalogue.py  every view there is, with its version; what else fsck looks at
    atoms.py      which version a name is at, which versions an atom has, what was forgotten
    counts.py     how many atoms there are, by type and by domain; kept by the view of atoms
    edges.py      what is stated between atoms, in both directions, now and before
    cards.py      how many edges an atom has, of which kinds; kept by the view of edges
    joins.py      all that joins atoms, as rows of fixed width; kept by the view of edges
    words.py      which versions hold a term, and what ranking and filters need of each version
    turns.py      what a version is in a conversation; kept by the view of words
    claims.py     what the current version of each atom claims
    models.py     which model embeds from which entry on
    learned/      what a store has learnt of what is needed after what
    vectors.py    a cache: what the model made of each version's text
    nearest/      a cache: the vectors nearest to a query
    traces.py     traces: which version was last confirmed, which names edges wait for
    touches.py    traces: when an atom was used, and how strong that made it
    beside/       conflicts that were found, what waits for a person, and checkpoints that belong together
    follow.py     how something in memory follows the log, and what was erased from it since

A view is written in the append's own transaction. `log/view_versions.py` has its applied seq and its version,
`log/upgrade.py` brings an outdated one up to date, and `log/missing_views.py` answers without it until then.
"""

__all__: list[str] = []
