"""The verbs that learn and predict. `Memory` has them all."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from substrate.engine.around import around
from substrate.engine.conflicts import conflicts_of
from substrate.engine.finding import Finding
from substrate.engine.forecasting import Match, needs_by, uses_of
from substrate.engine.intake import read_end
from substrate.engine.moments import Time
from substrate.engine.observe import SessionInput, observe
from substrate.engine.observing import domain_of, read_domain, read_label, read_objective
from substrate.engine.predict import FLOOR, check_predict, context_of, predict
from substrate.engine.progress import Progress
from substrate.engine.recording import OpenSession, Recorder
from substrate.engine.staleness import stale_because
from substrate.engine.train import train
from substrate.engine.watch import is_watched, watch
from substrate.errors import Denied, SchemaInvalid, SubstrateError
from substrate.kv.api import ReadTransaction
from substrate.learned import Around, Observed, Predictions, Trained
from substrate.limits import LIMITS
from substrate.log.log import Log
from substrate.log.tables import SESSIONS
from substrate.model import Name, Refused
from substrate.prediction import Prediction
from substrate.results import Result, compact

if TYPE_CHECKING:
    from substrate.engine.bootstrap import Asked
    from substrate.engine.gathering import Needs, Seams
    from substrate.engine.matrix import Transitions
    from substrate.openings import Opening, OpeningAtom

__all__ = ["Learning"]

_ANYTHING = "what was decided"
"""To be searched for where it does not matter what is found."""
_MAKING = threading.Lock()
_FEWEST = 40
_TOKENS = 40
"""For so many tokens of an opening one more atom comes into question: few of them are as short as that."""


class Learning(Finding):
    """What an open store learns from use, and says of what comes next."""

    _log: Log
    _actor: str | None
    _session_name: str | None
    _recording: Recorder | None
    _read_only: bool
    _observes: bool
    _background: bool

    # -- sessions ------------------------------------------------------------------------------------------------

    def _begin(self, objective: str | None, domain: Name | None, name: str | None, *, observed: bool) -> OpenSession:
        """A session that begins."""
        state = OpenSession(
            objective=read_objective(objective),
            domain_name=read_domain(domain),
            name=read_label(name, "the name of a session") or self._session_name,
            actor=self._actor,
            observed=observed and self._observes and not self._read_only,
        )
        with self._log.snapshot() as transaction:
            state.domain = domain_of(transaction, state.domain_name)
        state.match = self._matching(state.objective) if state.objective and state.observed else None
        return state

    def watch(self, on: bool = True) -> None:  # noqa: FBT001, FBT002 - watch(False) reads well
        """Whether sessions of this store are observed, by anyone who has it open; they are, until it is said."""
        watch(self._log, on=on)

    @property
    def watching(self) -> bool:
        """Whether what is accessed here is learnt from."""
        return self._observes and not self._read_only and self.watched

    @property
    def watched(self) -> bool:
        """Whether sessions of this store are observed, as `watch` said; also where this memory observes none."""
        with self._log.snapshot() as transaction:
            return is_watched(transaction)

    def observed(self) -> int:
        """How many sessions, and parts of sessions, are written down. To ask takes microseconds.

        What is learnt from use adds no entry to the log: who follows a store looks at this, too.
        """
        with self._log.snapshot() as transaction:
            return transaction.count(SESSIONS)

    # -- learn ---------------------------------------------------------------------------------------------------

    def observe(  # noqa: PLR0913
        self,
        sequence: Iterable[Name] | Iterable[SessionInput],
        *,
        at: Time | None = None,
        objective: str | None = None,
        domain: Name | None = None,
        session: str | None = None,
        progress: Progress | None = None,
    ) -> Observed:
        """Take in what was accessed elsewhere or before: the names of one session, in order; or many sessions at once.

        Many: mappings with `items` and as far as known `at`, `objective`, `domain`, `session`. `at` is when (default:
        now); the longer ago, the less it weighs. On return it is on disk and learnt. What is not in use is skipped, and
        said to be. Many are written in portions: an error names its session, and those of the portions before it are
        taken in. Raises InputError, TooLarge, SecretFound, Denied (read-only, or nobody may watch), Busy, Full.
        """
        self._check_learns()
        if isinstance(sequence, str | bytes | Mapping) or not isinstance(sequence, Iterable):
            raise SchemaInvalid("observe takes the names of one session as a list, or a list of sessions")
        given = iter(sequence)
        first: list[Any] = list(islice(given, 1))
        sessions: Iterable[Any]
        if first and isinstance(first[0], Mapping):
            if any(said is not None for said in (at, objective, domain, session)):
                raise SchemaInvalid("of many sessions each says its own at, objective, domain and session")
            sessions = sequence if isinstance(sequence, Sequence) else chain(first, given)
        else:
            items = [*first, *islice(given, LIMITS["checkpoint_items"])]
            one = {"items": items, "at": at, "objective": objective, "domain": domain, "session": session}
            sessions = [one] if items else []
        return observe(self._log, sessions, actor=self._actor, matching=self._matching, progress=progress)

    def train(
        self,
        atoms: Iterable[Name],
        passes: int = 1,
        *,
        objective: str | None = None,
        domain: Name | None = None,
    ) -> Trained:
        """Learn on your word that these atoms are needed together, in this order. It is logged.

        As one session that weighs as much as `passes`: 1 in general, 2 for a way that worked, 3 after a correction;
        more are taken as 3, which is said. Without `objective` and `domain` those of the current session hold. What is
        unknown, tombstoned or forgotten is skipped, and said to be. Raises InputError, TooLarge, Denied, Busy, Full.
        """
        current = self._recorder.current()
        return train(
            self._log,
            atoms,
            passes,
            objective=current.objective if objective is None else read_objective(objective),
            domain=_domain(current, objective, domain),
            session=current.name,
            actor=self._actor,
            after=current.opened[-1] if current.opened else None,
        )

    # -- predict -------------------------------------------------------------------------------------------------

    def predict(  # noqa: PLR0913
        self,
        context: Name | Iterable[Name] | None = None,
        k: int = 5,
        *,
        objective: str | None = None,
        domain: Name | None = None,
        horizon: str = "next",
        again: bool = False,
        floor: float = FLOOR,
    ) -> Predictions:
        """What will be needed after these atoms were opened, in this order; the likeliest first, with the reasons.

        Without `context`: in the current session. If nothing is open, by the objective, the domain and what is in use.
        `horizon`: what is opened `next`, or what the whole `session` will need. What is open already is left out,
        unless it may be opened `again`. What is less likely than `floor` is not said. Raises InputError.
        """
        check_predict(k, horizon, floor)
        current = self._recorder.current()
        names = None if context is None else _names(context)
        said = current.objective if objective is None else read_objective(objective)
        of = _domain(current, objective, domain)
        opening = not (current.opened if names is None else names)
        match = self._matching(said) if said and opening else None
        skipped: list[Refused] = []
        with self._log.snapshot() as transaction:
            opened = current.opened if names is None else context_of(transaction, names, skipped)
            return predict(
                transaction,
                self._log,
                opened,
                k,
                domain=domain_of(transaction, of),
                objective=said,
                match=match,
                horizon=horizon,
                again=again,
                floor=floor,
                skipped=skipped,
            )

    def around(self, name: Name, k: int = 12, *, part: str | None = None, domain: Name | None = None) -> Around:
        """What is needed after an atom, and after which atoms it is needed: at most `k` each, the likeliest first.

        `part`: as one part of the model says, alone: `next`, `skip`, `edges` (what was stated) or `episodes`. It goes
        by no session, and counts as no access. Of an atom that follows more than a thousand others the best of some
        are found, and `more` says so. Raises NotFound, Forgotten, InputError.
        """
        with self._log.snapshot() as transaction:
            of = domain_of(transaction, read_domain(domain))
        return around(self._log, name, k, part, of)

    def weigh(self, names: Iterable[Name]) -> tuple[OpeningAtom, ...]:
        """These atoms as an opening would show them: with `evidence`, how well each is supported, and its `grounds`.

        What is superseded or does not hold now is left out. Nothing of it counts as an access. Raises NotFound,
        Forgotten, InputError.
        """
        from substrate.engine.weigh import weigh  # noqa: PLC0415 - only for those who ask

        return weigh(self._log, self._seams(lambda *_: ()), _names(names))

    def bootstrap(  # noqa: PLR0913
        self,
        objective: str | None = None,
        *,
        max_tokens: int = 1200,
        high_impact: bool = False,
        evidence_threshold: float | None = None,
        domain: Name | None = None,
        ingested: bool = False,
        wait: float = 0,
        shown: Callable[[Result], str] = compact,
        begin: bool = True,
    ) -> Opening:
        """What a session with this objective should know when it begins; the whole reply within `max_tokens`.

        Atoms that are needed and well supported, with the reasons; goals, constraints and preferences; open conflicts;
        what was left out and why; what is absent. `high_impact` keeps what has evidence of 0.65, `evidence_threshold`
        of another number. A `domain` (v1.domain.x, or x) makes its members more needed, and excludes nobody.
        `ingested` also shows text that was taken in from elsewhere. Until the model is up, the objective is matched by
        words alone, and `meaning` says so; `wait` waits so many seconds for it. Nothing of it counts as an access. The
        reply says by what its tokens are counted. Outside of `session()`, a session with this objective begins here;
        unless `begin` is False: then nothing does, and this is a look at what it would open with.

        The budget is that of `opening.json()`; who sends another text says with `shown` how the opening, and each item
        of it, becomes text: then `shown(opening)` is within it, and `tokens` counts that. Raises InputError (fewer than
        50 tokens, or than the shortest reply takes), TooLarge, SchemaInvalid, NameInvalid, SecretFound.
        """
        from substrate.engine.bootstrap import Asked  # noqa: PLC0415 - loads numpy

        current = self._recorder.explicit() or OpenSession()  # outside of one, another begins here
        asked = Asked.of(
            current.objective or None if objective is None else read_objective(objective),
            max_tokens=max_tokens,
            high_impact=high_impact,
            evidence_threshold=evidence_threshold,
            domain=_domain(current, objective, domain),
            ingested=ingested,
        )
        opening, match = self._opening(asked, wait, shown)
        if begin:
            self._recorder.begin(asked.objective, asked.domain, match)
        return opening

    def _opening(
        self, asked: Asked, wait: float = 0, shown: Callable[[Result], str] = compact
    ) -> tuple[Opening, Match | None]:
        """An opening, with which no session begins; and how its objective was matched."""
        from substrate.engine.bootstrap import Bootstrapper  # noqa: PLC0415 - loads numpy

        match = None if asked.objective is None else self._matching(asked.objective, wait)
        needs = needs_by(self._log, match, _FEWEST + asked.max_tokens // _TOKENS)
        by_words = match.why if match is not None and self._models.wanted else ""
        opener = Bootstrapper(self._log, self._seams(needs), self._searcher.documents)
        return opener.bootstrap(asked, meaning=by_words, shown=shown), match

    @staticmethod
    def _seams(needs: Needs) -> Seams:
        from substrate.engine.gathering import Seams  # noqa: PLC0415

        return Seams(needs, conflicts_of, stale_because, uses_of)

    def warm(self) -> None:
        """Load what search, bootstrap and predict need, so that the next of them is fast. Returns when that is done.

        That takes seconds, and more where the model must be made ready first: a server calls it in a thread. Nothing of
        it counts as an access. What cannot be loaded is left to who needs it, and refused there; so it raises no
        SubstrateError.
        """
        from substrate.engine.bootstrap import Asked  # noqa: PLC0415 - loads numpy

        # The verbs themselves: whatever they load, now and in later versions, is loaded by this.
        with suppress(SubstrateError):
            self._matching(_ANYTHING, threading.TIMEOUT_MAX)
        with suppress(SubstrateError):
            self.search(_ANYTHING)
        with suppress(SubstrateError):
            self._opening(Asked.of(_ANYTHING))

    def transition_matrix(self, *, kind: str = "skip", prefix: str = "") -> Transitions:
        """All arcs as a sparse matrix (scipy CSR) of probabilities, with the names of its rows and columns.

        `kind`: `next` (what came right after) or `skip` (what came within ten steps). `prefix`: only atoms whose names
        begin so. It is made when it is asked for, from every row there is: keep it, for as long as it will do.
        """
        from substrate.engine.matrix import transition_matrix  # noqa: PLC0415 - loads scipy

        return transition_matrix(self._log, kind, prefix)

    # -- the house -----------------------------------------------------------------------------------------------

    @property
    def _recorder(self) -> Recorder:
        """Made when it is first needed: a process that was forked after the store was opened has its own."""
        if self._recording is None:
            with _MAKING:
                self._recording = self._recording or self._shared.add(self._new_recorder())
        return self._recording

    def _new_recorder(self) -> Recorder:
        return Recorder(
            self._log,
            self._actor,
            self._session_name,
            observing=self._is_watching,
            observed=self._observes and not self._read_only,
            background=self._background,
        )

    def _foresee(
        self, transaction: ReadTransaction, session: OpenSession, subject: bytes, count: int
    ) -> tuple[Prediction, ...]:
        """What will probably be needed when this atom is opened too."""
        check_predict(count, "next", FLOOR)
        with session.guard:
            opened = [*session.opened, subject]
        return predict(transaction, self._log, opened, count, domain=session.domain).items if count else ()

    def _is_watching(self) -> bool:
        return self.watching

    def _matching(self, objective: str, wait: float = 0) -> Match:
        return self._searcher.match(objective, wait)

    def _check_learns(self) -> None:
        if self._read_only:
            raise Denied("the store is open for reading only: to take sessions in, open it for writing")
        if not self._observes:
            raise Denied("this memory was opened with observe=False: open it without, to take sessions in")
        if not self.watched:
            raise Denied("this store is not to be observed; to allow it again: watch(), or substrate watch on")


def _domain(current: OpenSession, objective: str | None, domain: Name | None) -> str | None:
    """The domain given, or the session's; but not for another objective than the session's."""
    return current.domain_name if domain is None and objective is None else read_domain(domain)


def _names(context: Name | Iterable[Name]) -> list[str]:
    if isinstance(context, str):
        return [read_end(context, "context")]
    if not isinstance(context, Iterable) or isinstance(context, bytes | Mapping):
        raise SchemaInvalid("context is a name, or a list of names in the order of their access")
    return [read_end(name, "context") for name in context]
