"""The log: the one write transaction, the trees over it, heads, proofs and fsck."""

__all__: list[str] = []
