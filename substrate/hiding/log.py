"""The log as a client under a policy has it: every snapshot is veiled, and every decision to write is checked.

It is no open log: what `Log` keeps it does not have. So a method of `Log` that has no counterpart here fails, rather
than show what is hidden; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from substrate.atoms.bodies import body_of
from substrate.atoms.links import is_hidden_name
from substrate.codec import Draft
from substrate.errors import Conflict, Denied
from substrate.hiding.check import check_decision
from substrate.hiding.hidden import HiddenAtoms
from substrate.kv.api import ReadTransaction
from substrate.log.append import Appended, Decision, Plan
from substrate.log.decode import stored_entry
from substrate.log.expect import Expect
from substrate.log.heads import place_of
from substrate.log.log import Log
from substrate.log.replay import Check
from substrate.log.tables import ENTRIES, seq_key
from substrate.names import check_known_name
from substrate.policy import Policy
from substrate.proof.bundle import Bundle
from substrate.proof.entry import Kind
from substrate.proof.head import MAX_SIZE, Pin, SignedHead
from substrate.proof.note import VerifierKey
from substrate.values.behind import Behind
from substrate.values.progress import Progress
from substrate.veil import Hidden, Veiled
from substrate.views.atoms import find_name, gaps_of

__all__ = ["VeiledLog"]

_SHOWN = (Kind.PUT, Kind.TOMBSTONE, Kind.EDGE, Kind.UNEDGE)
"""Entries that tell of atoms which can be hidden or not."""


class VeiledLog(Log):
    """See the module."""

    def __init__(self, log: Log, hidden: HiddenAtoms, policy: Policy) -> None:
        # Not that of `Log`: nothing here may lead around the veil.
        self.path = log.path
        self.cache = log.cache
        self.clock = log.clock
        self._below = log
        self._hidden = hidden
        self._policy = policy

    def close(self) -> None:
        """Nothing: the store is closed by who opened it."""

    # -- reading -------------------------------------------------------------------------------------------------

    @contextmanager
    def snapshot(self) -> Iterator[ReadTransaction]:
        """All tables as of now, without what is hidden."""
        with self._look() as (transaction, hidden):
            yield transaction if hidden is None else Veiled(transaction, hidden)

    @contextmanager
    def _look(self) -> Iterator[tuple[ReadTransaction, Hidden | None]]:
        """A snapshot with all there is, and what of it is hidden."""
        while True:
            with self._below.snapshot() as transaction:
                covered = self._hidden.covered(transaction)
                if covered is not None:  # else another thread has seen a later one: look again
                    yield transaction, self._hidden.under(self._policy, covered)
                    return

    def behind(self) -> Behind | None:
        """See `Log.behind`."""
        return self._below.behind()

    def check_current(self) -> None:
        """See `Log.check_current`."""
        self._below.check_current()

    def check_unforked(self) -> None:
        """See `Log.check_unforked`."""
        self._below.check_unforked()

    def size_on_disk(self) -> int:
        """See `Log.size_on_disk`."""
        return self._below.size_on_disk()

    # -- writing -------------------------------------------------------------------------------------------------

    def decide(self, plan: Plan, *, expect: Expect | None = None) -> Appended:
        """Append what `plan` decides from what this client may see. Denied if it is about what it may not see."""
        return self._below.decide(self._checked(plan), expect=None if expect is None else self._expect(expect))

    def consider(self, plan: Plan) -> None:
        """Let `plan` decide, and append nothing. Denied as in `decide`."""
        self._below.consider(self._checked(plan))

    def _checked(self, plan: Plan) -> Plan:
        """The same decision, if this client may make it."""

        def checked(transaction: ReadTransaction, time: int) -> Decision:
            covered = self._hidden.covered(transaction) or transaction
            hidden = self._hidden.under(self._policy, covered)
            decision = plan(transaction if hidden is None else Veiled(transaction, hidden), time)
            check_decision(transaction, covered, hidden, decision, self._hidden.key_of)
            return decision

        return checked

    def append(self, drafts: Sequence[Draft], *, expect: Expect | None = None) -> Appended:  # type: ignore[override]
        """The same of what is decided already."""
        return self.decide(lambda _, __: Decision(drafts), expect=expect)

    def _expect(self, expect: Expect) -> Expect:
        """What is expected of hidden names is compared here: they are absent."""
        with self._look() as (transaction, hidden):
            unseen = [name for name in expect.versions if hidden is not None and _hides(hidden, transaction, name)]
        for name in unseen:
            if expect.versions[name] is not None:
                raise Conflict(f"{name} is absent, not at version {expect.versions[name]}: read again, then repeat")
        return replace(expect, versions={name: at for name, at in expect.versions.items() if name not in unseen})

    # -- proving -------------------------------------------------------------------------------------------------

    def head(self) -> SignedHead:
        """See `Log.head`."""
        return self._below.head()

    def key(self) -> VerifierKey:
        """See `Log.key`."""
        return self._below.key()

    def pin(self, size: int | None = None) -> Pin:
        """See `Log.pin`."""
        return self._below.pin(size)

    def check_pin(self, pin: Pin | str) -> None:
        """See `Log.check_pin`."""
        self._below.check_pin(pin)

    def prove_extended(self, since: Pin | str, *, until: int | None = None) -> Bundle:
        """See `Log.prove_extended`."""
        return self._below.prove_extended(since, until=until)

    def prove(self, name: str, *, since: Pin | str | None = None, trusting: VerifierKey | str | None = None) -> Bundle:
        """What a name is that this client sees, or that was forgotten. Denied of others: absence is not proven to it.

        A proof that a name is absent would be false of a hidden atom, and its refusal would tell of it.
        """
        name = check_known_name(name)
        with self._look() as (transaction, hidden):
            known = find_name(transaction, name) is not None or bool(gaps_of(transaction, place_of(transaction, name)))
            if not known or (hidden is not None and _hides(hidden, transaction, name)):
                raise Denied(f"{name}: this client gets no proof that a name is absent. Ask a person to prove it")
        return self._below.prove(name, since=since, trusting=trusting)

    def prove_entry(
        self, seq: int, *, since: Pin | str | None = None, trusting: VerifierKey | str | None = None
    ) -> Bundle:
        """That an entry of an atom or edge which this client sees is in the log. Denied of all others.

        A proof shows the whole body. So it is denied of an edge that cites a hidden chunk, too.
        """
        if isinstance(seq, int) and 0 <= seq <= MAX_SIZE:
            with self._look() as (transaction, hidden):
                data = transaction.get(ENTRIES, seq_key(seq))
                shown = data is None or stored_entry(seq, data).kind in _SHOWN
                unseen = hidden is not None and (hidden.hides_seq(seq) or _cites_hidden(hidden, transaction, seq))
                if not shown or unseen:
                    raise Denied(f"this client may not read entry {seq}. Ask a person to prove it")
        return self._below.prove_entry(seq, since=since, trusting=trusting)

    # -- care ----------------------------------------------------------------------------------------------------

    def compact(
        self,
        wait_s: float | None = None,
        *,
        queue_s: float | None = None,
        readers_s: float | None = None,
        needed: Callable[[], bool] | None = None,
    ) -> None:
        """See `Log.compact`: what a forget owes."""
        self._below.compact(wait_s, queue_s=queue_s, readers_s=readers_s, needed=needed)

    def rotate_key(self) -> NoReturn:
        """Denied."""
        raise _for_people("changing the signing key")

    def rebuild(self, progress: Progress | None = None, caches: Sequence[Check] = ()) -> NoReturn:  # noqa: ARG002
        """Denied."""
        raise _for_people("rebuilding the store")

    def backup(self, target: str | Path, progress: Progress | None = None) -> NoReturn:  # noqa: ARG002
        """Denied: it would copy all there is."""
        raise _for_people("copying the store")


def _cites_hidden(hidden: Hidden, transaction: ReadTransaction, seq: int) -> bool:
    body = body_of(transaction, seq)
    return body is not None and is_hidden_name(Veiled(transaction, hidden), body.members.get("cited"))


def _hides(hidden: Hidden, transaction: ReadTransaction, name: str) -> bool:
    row = find_name(transaction, name)
    return hidden.hides_name(name) or (row is not None and row.subject in hidden.atoms)


def _for_people(what: str) -> Denied:
    return Denied(f"{what} is not for this client: ask a person to do it")
