"""Pure proof code: hashes, paths, heads, bundles, verification.

No storage, no clock, no other part of the package but `errors`: what is here can be read, and trusted, alone.
`docs/proofs.md` is the specification; `examples/verify_proof.py` is a second implementation of it.
"""

__all__: list[str] = []
