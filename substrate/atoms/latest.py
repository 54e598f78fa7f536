"""The latest versions of atoms in one state of the store, each read once, whoever asks."""

from __future__ import annotations

from substrate.kv.api import ReadTransaction, kept_by
from substrate.proof.entry import Kind
from substrate.views.atoms import VersionRow, latest_version

__all__ = ["LatestVersions"]


class LatestVersions:
    """Those that a transaction sees. Forecasts and openings ask for the same hundreds again and again."""

    def __init__(self, transaction: ReadTransaction) -> None:
        self._transaction = transaction
        self._known: dict[bytes, VersionRow | None] = kept_by(transaction, "latest versions")

    def of(self, subject: bytes) -> VersionRow | None:
        """As `latest_version`."""
        if subject not in self._known:
            self._known[subject] = latest_version(self._transaction, subject)
        return self._known[subject]

    def is_live(self, subject: bytes) -> bool:
        """Whether an atom is in use."""
        version = self.of(subject)
        return version is not None and version.kind is Kind.PUT
