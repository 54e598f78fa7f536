"""Pure proof code: hashes, paths, heads, bundles, verification.

No storage, no clock, no other part of the package but `errors`: what is here can be read, and trusted, alone.
`docs/proofs.md` is the specification; `examples/verify_proof.py` is a second implementation of it.

    entry     the layout of an entry
    encoding  strict readers of base64 and JSON
    hashes    leaves, nodes, commitments
    paths     inclusion and consistency
    record    what the map says of a name
    note      signed notes and keys
    head      heads and pins
    bundle    the file that carries a proof
    verify    the strict verifier
"""

__all__: list[str] = []
