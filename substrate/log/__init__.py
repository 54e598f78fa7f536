"""The log: the one write transaction, the trees over it, heads, proofs; and how views follow it.

    log.py            opening a log; appending, reading and proving
    append.py         the one write transaction
    expect.py         compare-and-set: what a writer expects to be so still
    names.py          what the drafts of one append do to names
    identity.py       the ids of atoms and edges
    tree.py           the log tree
    map.py            the map of names, a sparse Merkle tree
    heads.py          reading heads and keys; whether one log contains another
    prove.py          making bundles
    decode.py         reading back what the log stored itself
    tables.py         every table of the store, with its name
    replay.py         what a view is, and how entries are handed to it
    view_versions.py  which version of each view a store has, and how far it has got
    upgrade.py        bringing outdated views up to date, in slices
    missing_views.py  answering without outdated views, from a replay in memory
    keys/             signing key, high-water mark and origin, outside the store
    copies/           backup, restore, clone, rebuild and fsck of a whole log; what is behind another copy

Views are handed in by who opens the log: it knows none of them by name.
"""

__all__: list[str] = []
