"""The verbs that prove, and what they are checked against. `Memory` has them all."""

from __future__ import annotations

from substrate.engine.growth import growth
from substrate.engine.heads import heads
from substrate.engine.moments import Moment
from substrate.errors import SchemaInvalid
from substrate.growth import Growth, Heads
from substrate.log.log import Log
from substrate.proof.bundle import Bundle
from substrate.proof.head import Pin, SignedHead
from substrate.proof.note import VerifierKey
from substrate.proof.verify import Verdict, Verifier

__all__ = ["Proving"]


class Proving:
    """What an open store proves of itself."""

    _log: Log

    def prove(self, name: str, *, since: Pin | str | None = None, trusting: VerifierKey | str | None = None) -> Bundle:
        """What `name` is at the latest head: current, tombstoned, forgotten or absent.

        With `since`, the bundle also connects that pin to the head; with `trusting`, it leads from that (older) key
        to the one in force. RolledBack if the pin is not of this history.
        """
        return self._log.prove(name, since=since, trusting=trusting)

    def prove_entry(
        self, seq: int, *, since: Pin | str | None = None, trusting: VerifierKey | str | None = None
    ) -> Bundle:
        """That entry `seq` is in the log, with its body. NotFound, or Forgotten if the body was erased."""
        return self._log.prove_entry(seq, since=since, trusting=trusting)

    def prove_extended(self, since: Pin | str, *, until: int | None = None) -> Bundle:
        """That the log contains all of the pinned one: the log of now, or as it was at the head of size `until`.

        RolledBack if it does not. NotFound if no head was signed at that size, InputError if the pin is newer.
        """
        return self._log.prove_extended(since, until=until)

    def verify(
        self,
        bundle: Bundle | str,
        *,
        pin: Pin | str | None = None,
        key: VerifierKey | str | None = None,
        name: str | None = None,
        claim: str | None = None,
    ) -> Verdict:
        """Check a bundle against a pin, a key, or without either this store's own key. ProofInvalid if it is not true.

        Someone else than this store's owner uses `substrate.Verifier`, or the script, with a key got by another way.
        """
        text = bundle.to_json() if isinstance(bundle, Bundle) else bundle
        if not isinstance(text, str):
            raise SchemaInvalid("a bundle is a Bundle, or the text of a proof file")
        trusted = self._log.key() if key is None and pin is None else key
        verifier = Verifier(key=trusted, pin=pin)
        return verifier.verify(text, name=name, claim=claim)

    def head(self) -> SignedHead:
        """The latest head."""
        return self._log.head()

    def pin(self, size: int | None = None) -> Pin:
        """The latest head, or the one of this size, and the key in force after it, to be remembered outside the store.

        NotFound if no head was signed at that size.
        """
        return self._log.pin(size)

    def heads(self, *, before: int | None = None, limit: int = 100) -> Heads:
        """The heads that were signed, newest first, each with what it added; go on with `before=heads.next`.

        `before` is a size: heads of fewer entries are meant. `limit` is at most 1,000. Reads the entries that the
        heads of the page added, not their bodies.
        """
        return heads(self._log, before=before, limit=limit)

    def growth(
        self, start: Moment | None = None, stop: Moment | None = None, *, parts: int = 200, by: str = "time"
    ) -> Growth:
        """How the log grew after `start` until `stop` (None: from its beginning, until now), for an overview.

        The stretch is cut into at most so many equal `parts` (up to 1,000), of `time` or of `entries`; each item says
        from which head to which the log grew in one of them, and parts without a head are left out. However many
        heads there are, a few rows are read for each part.
        """
        return growth(self._log, start, stop, parts=parts, by=by)

    def check_pin(self, pin: Pin | str) -> None:
        """Return if this log contains the pinned one; RolledBack, naming both heads, if not."""
        self._log.check_pin(pin)

    def key(self) -> VerifierKey:
        """The verifier key in force: what an auditor needs, and should get by another way than the bundle."""
        return self._log.key()

    def rotate_key(self) -> VerifierKey:
        """Put a new signing key in force and destroy the old one. Old heads stay valid under the old verifier key."""
        return self._log.rotate_key()
