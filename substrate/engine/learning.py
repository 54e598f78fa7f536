"""The verbs that learn what is needed, and open a session with it. `Memory` has them all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING
from uuid import UUID

from substrate.engine.finding import Finding
from substrate.kv.api import ReadTransaction
from substrate.markov.needs import Need
from substrate.openings import Opening

if TYPE_CHECKING:
    from substrate.engine.bootstrap import Bootstrapper

__all__ = ["Learning"]

_FOUND = 60


class Learning(Finding):
    """What an open store learns from its use, and does with it."""

    def bootstrap(  # noqa: PLR0913
        self,
        objective: str | None = None,
        *,
        max_tokens: int = 1200,
        high_impact: bool = False,
        evidence_threshold: float | None = None,
        domain: str | None = None,
        ingested: bool = False,
    ) -> Opening:
        """What a session with this objective should know when it begins; the whole reply within `max_tokens`.

        Atoms that are needed and well supported, with the reasons; goals, constraints and preferences; open conflicts;
        what was left out and why; what is absent. `high_impact` keeps what has evidence of 0.65, `evidence_threshold`
        of another number. A `domain` (v1.domain.x, or x) makes its members more needed, and excludes nobody.
        `ingested` also shows text that was taken in from elsewhere. Nothing of it counts as an access. The reply says
        by what its tokens are counted. Raises InputError (fewer than 50 tokens), TooLarge, SchemaInvalid, NameInvalid.
        """
        from substrate.engine.bootstrap import Asked  # noqa: PLC0415 - loads numpy

        asked = Asked.of(
            objective,
            max_tokens=max_tokens,
            high_impact=high_impact,
            evidence_threshold=evidence_threshold,
            domain=domain,
            ingested=ingested,
        )
        return self._bootstrapper.bootstrap(asked)

    @cached_property
    def _bootstrapper(self) -> Bootstrapper:
        from substrate.engine.bootstrap import Bootstrapper  # noqa: PLC0415 - loads numpy
        from substrate.engine.gathering import Seams  # noqa: PLC0415

        return Bootstrapper(self._log, Seams(self._needs), self._searcher.documents)

    def _needs(self, _transaction: ReadTransaction, objective: str | None, _domain: bytes | None) -> Sequence[Need]:
        """Who is needed, by the match with the objective alone, until a model says more."""
        if objective is None:
            return ()
        found = self.search(objective, limit=_FOUND)
        whole = sum(max(hit.score, 0.0) for hit in found) or 1.0
        return [Need(UUID(hit.atom.id).bytes, max(hit.score, 0.0) / whole, {"match": hit.score}) for hit in found]
