"""The verbs that find, and those that keep the vectors they find by. `Memory` has them all."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from substrate.engine.arcs import Arcs, arcs_by
from substrate.engine.context import context
from substrate.engine.filters import Filters
from substrate.engine.moments import Moment, Time
from substrate.engine.progress import Progress
from substrate.engine.shared import Shared
from substrate.engine.stale import stale_atoms
from substrate.findings import Associations, Context, Embedding, Found, Indexed, StaleAtoms
from substrate.log.log import Log
from substrate.model import Name

if TYPE_CHECKING:
    from substrate.engine.associate import Associator
    from substrate.engine.search import Searcher

__all__ = ["Finding"]


class Finding:
    """What an open store finds. It keeps itself up to date in the background, if it may."""

    def __init__(self, log: Log, *, model: str | Path | None, read_only: bool, background: bool) -> None:
        self._log = log
        self._shared = Shared(log, model=model, read_only=read_only, background=background)
        self._models, self._nearest, self._follower = self._shared.models, self._shared.nearest, self._shared.follower
        self._arcs: Arcs = arcs_by(log)
        self._follower.wake_if_behind()

    def search(  # noqa: PLR0913
        self,
        query: str,
        *,
        limit: int = 10,
        offset: int = 0,
        type: str | None = None,  # noqa: A002 - the word for it
        prefix: str | None = None,
        domain: str | None = None,
        tags: str | Iterable[str] = (),
        entities: str | Iterable[str] = (),
        source: str | None = None,
        origin: str | None = None,
        actor: str | None = None,
        session: str | None = None,
        since: Time | None = None,
        until: Time | None = None,
        as_of: Moment | None = None,
        valid_at: Time | None = None,
        min_score: float | None = None,
        wait: float = 0,
    ) -> Found:
        """Atoms that answer a question: by word, by meaning and by time, best first, each with its reasons.

        All filters given must hold; they come before ranking. `domain` takes members by two `member_of` edges; `since`
        and `until` are about when it happened. Words of time in the query (now, before the current one, in May 2025)
        say which of several statements comes first; `as_of` and `valid_at` go back exactly. Until the model is up it is
        a search by words, and `meaning` says so; `wait` waits so many seconds for it, and for what is not embedded yet.
        Raises InputError, TooLarge, NotFound (a domain that is not there).
        """
        filters = Filters.of(
            type=type,
            prefix=prefix,
            domain=domain,
            tags=tags,
            entities=entities,
            source=source,
            origin=origin,
            actor=actor,
            session=session,
            since=since,
            until=until,
        )
        if wait > 0:
            self._follower.wait(wait)
        found = self._searcher.search(
            query,
            filters,
            as_of=as_of,
            valid_at=valid_at,
            min_score=min_score,
            limit=limit,
            offset=offset,
            wait_s=wait,
        )
        if found.lag:
            self._follower.wake()  # what another process saved, it may have had no time to embed
        return found

    def recent(  # noqa: PLR0913
        self,
        *,
        limit: int = 10,
        offset: int = 0,
        type: str | None = None,  # noqa: A002 - the word for it
        prefix: str | None = None,
        domain: str | None = None,
        tags: str | Iterable[str] = (),
        entities: str | Iterable[str] = (),
        source: str | None = None,
        origin: str | None = None,
        actor: str | None = None,
        session: str | None = None,
        since: Time | None = None,
        until: Time | None = None,
        as_of: Moment | None = None,
    ) -> Found:
        """What was recorded last, newest first: atoms in use, each as it is now, or was known at `as_of`.

        As a search without a question: the same filters, and hits without a score. Raises InputError, TooLarge,
        NotFound (a domain that is not there).
        """
        from substrate.engine.recent import recent  # noqa: PLC0415 - loads numpy

        filters = Filters.of(
            type=type,
            prefix=prefix,
            domain=domain,
            tags=tags,
            entities=entities,
            source=source,
            origin=origin,
            actor=actor,
            session=session,
            since=since,
            until=until,
        )
        return recent(self._log, self._searcher.documents, filters, as_of=as_of, limit=limit, offset=offset)

    @property
    def _searcher(self) -> Searcher:
        return self._shared.searcher

    @property
    def _associator(self) -> Associator:
        return self._shared.associator

    def context(  # noqa: PLR0913
        self,
        keys: Name | Iterable[Name],
        *,
        depth: int = 1,
        limit: int = 100,
        offset: int = 0,
        type: str | None = None,  # noqa: A002 - the word for it
        as_of: Moment | None = None,
        valid_at: Time | None = None,
    ) -> Context:
        """What surrounds atoms: the edges around them in both directions, up to `depth` (3) away, the nearest first.

        With the atoms that these lead to (and whether they are superseded, out of use or not there yet; of those asked
        about, whether they are to be reviewed), and the arcs beside them. Only edges that hold at the moments; of one
        `type` or all. An atom further on is followed over 25 edges in each direction; `cut` names those that have
        more. The same page is the same edges, as long as nothing is written. Those asked about that are not there are
        `missing`; NotFound or Forgotten if none is. InputError, TooLarge (behind 10,000 edges: narrow it by type, or
        use `edges`).
        """
        return context(
            self._log,
            keys,
            depth=depth,
            limit=limit,
            offset=offset,
            type=type,
            as_of=as_of,
            valid_at=valid_at,
            arcs=self._arcs,
        )

    def associate(
        self,
        atoms: Name | Iterable[Name],
        *,
        domain: str | None = None,
        all_domains: str | Iterable[str] | None = None,
        limit: int = 10,
    ) -> Associations:
        """Unexpected connections of atoms to atoms of other domains, the strongest first, each with its reason.

        Strong by meaning, by rare words, by arcs or by shared neighbours; and not stated: no edge joins the two, nor
        did one that was taken back. `association.edge` is what accepts it. The domains of an atom are those it belongs
        to, and `domain`; those looked in are `all_domains`, or all others. Atoms without a domain are as one of their
        own. Uses the vectors that there are; `meaning` says so if some are not. Atoms that are not there are `missing`;
        NotFound or Forgotten if none is, or if there is no such domain. InputError, TooLarge.
        """
        return self._associator.associate(atoms, domain=domain, all_domains=all_domains, limit=limit, arcs=self._arcs)

    def stale(self, prefix: str = "", *, limit: int = 100, after: str | None = None) -> StaleAtoms:
        """Atoms to be reviewed, by name: what they depend on has changed since they were last said. With the reasons.

        By `depends_on` and `derived_from` edges, over any number of steps (1,000 edges from each atom). To say an atom
        again, as it is or anew, clears it. Looks at every name with the prefix until the page is full; go on with
        `after=page.next`.
        """
        return stale_atoms(self._log, prefix, limit=limit, after=after)

    def index(self, progress: Progress | None = None) -> Indexed:
        """On return every version that was there has its vectors: for scripts, after bulk loads, before a measurement.

        Without it, that happens in the background. It goes on where it was, also after a kill. Raises ModelUnavailable
        (with what to do), Denied, Busy, Full.
        """
        return self._follower.index(progress)

    def use_model(self, spec: str | Path) -> Embedding:
        """From here on this model embeds: a name, or a folder that sentence-transformers saved.

        The log says so. What there is is embedded anew, in the background or by `index()`; until that is done, search
        uses the old vectors. ModelUnavailable, with nothing changed, if it is not on this machine or cannot be run.
        """
        return self._follower.use(spec)

    def model(self) -> Embedding:
        """Which model embeds, and how far it has got."""
        return self._follower.status()
