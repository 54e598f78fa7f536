"""The verb bootstrap: what a session should know when it begins, within a budget of tokens.

1. All of it is read in one snapshot, and nothing is counted as an access: who opens a session has not used anything.
2. Candidates are read in portions, most needed first, until they would fill the room twice over.
3. What is shown is worth its need times its evidence; see `bootstrap/choose.py`. Goals, constraints and preferences may
   take a part of the room before all others; beyond that they stand in line with them.
4. The reply as a whole is measured, and made smaller until it fits; see `bootstrap/fit.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import nlargest
from itertools import islice
from typing import Final
from uuid import UUID

import numpy as np

from substrate.atoms.domains import DOMAIN, Domains, read_domain
from substrate.atoms.meant.near_names import or_near
from substrate.atoms.resolve import find_subject, name_of
from substrate.bootstrap.absent import NEVER, absent_in, absent_under, why_absent
from substrate.bootstrap.candidates import BOOST, LEFT, Candidate, Gatherer, is_filling
from substrate.bootstrap.choose import BEST, NEARLY, PINNED_PART, choose
from substrate.bootstrap.evidence import HIGH_IMPACT
from substrate.bootstrap.fit import LEAST_TOKENS, Measure, Shown, cost_of, fit, form_of, is_countable, room_in
from substrate.bootstrap.last import last_session
from substrate.bootstrap.outdated import Outdated
from substrate.bootstrap.pack import Item
from substrate.bootstrap.rules import Pinned, pinned
from substrate.bootstrap.show import Costs, Look, Offer, Texts, clashes_shown, looking, shortened, why_of
from substrate.embed.tokens import TokenCounter, cut, token_counter
from substrate.errors import InputError, SchemaInvalid
from substrate.learn.forecast import Forecaster, Need
from substrate.limits import check_size
from substrate.messages import Arg
from substrate.result import compact
from substrate.search.columns.documents import Documents, Mask
from substrate.search.index import SearchIndex
from substrate.search.objective import Match
from substrate.search.recent import newest
from substrate.search.when import Which, read_when
from substrate.snapshot import Snapshot
from substrate.values.opening import LEFT_OUT, Absent, LeftOut, Opening, OpeningAtom
from substrate.views.learned.sessions import HOLE

__all__ = ["Request", "bootstrap", "open_with"]

_PORTION: Final = 8
_ENOUGH: Final = 2
"""Candidates are read until they would fill the room so many times."""
_PINNED_SHARES: Final = {"constraints": 0.0006, "goals": 0.0005, "preferences": 0.0004}
"""The need of a rule at least: what counts where it stands in line with others. To break a constraint is dearest."""
_MEMBER_SHARE: Final = 0.002
"""The need of a member of the domain at least."""
_RECENT_SHARE: Final = 0.001
"""The need of what was recorded last, where nobody knows anything better."""
_FEW: Final = 20
"""If no more are known to be needed, what was recorded last comes into question too: a young store has few habits."""
_FEWEST: Final = 40
_TOKENS: Final = 40
"""For so many tokens of an opening one more atom comes into question: few of them are as short as that."""
_RECENT: Final = 100
"""Of what was recorded last so many come into question."""
_FILLERS: Final = 5
"""Beside an objective alone: so much of what only use or novelty speaks for. Room is no reason to fill it."""
_LAST: Final = 8
"""Of what was saved and accessed last so much stands beside what is needed: it says what to go on with."""
_LAST_SHARE: Final = 0.01
"""The need of the first of it."""
_LAST_PART: Final = 0.5
"""What it takes of the room, at most."""
_SCANNED: Final = 400
"""Entries that are looked through for them."""
_MEMBERS: Final = 32
"""Of the domain's members so many come into question, if nothing else speaks for them."""
_LIKELY: Final = 64
"""Of so many who come into question it is seen whether a hub leads from them to the domain."""
_BRIEFLY: Final = 400
"""Budgets below this are for names and values: what is said about an atom takes as much room as the atom."""
_VALUE_PART: Final = 3
"""No value takes more than this part of the room."""
_ECHO_PART: Final = 10
"""Nor do the objective and the domain's name take more than this part of the budget."""
_BEST: Final = 3
"""Of what had no room so many are named."""
_MOST_ABSENT: Final = 10
_PAST: Final = frozenset({Which.PREVIOUS, Which.FIRST, Which.ALL})
"""Objectives that ask for what is outdated."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a caller asks for, checked."""

    objective: str | None
    max_tokens: int
    threshold: float
    domain: str | None
    ingested: bool

    @classmethod
    def of(  # noqa: PLR0913
        cls,
        objective: str | None = None,
        *,
        max_tokens: int = 1200,
        high_impact: bool = False,
        evidence_threshold: float | None = None,
        domain: str | None = None,
        ingested: bool = False,
    ) -> Request:
        """InputError, SchemaInvalid, TooLarge or NameInvalid, with what to do."""
        if isinstance(max_tokens, bool) or not isinstance(max_tokens, int):
            raise SchemaInvalid(Arg("max_tokens"), " must be a whole number, such as 1200")
        if max_tokens < LEAST_TOKENS:
            raise InputError(
                Arg("max_tokens"),
                f" must be at least {LEAST_TOKENS}: a smaller reply cannot hold anything; 1200 is usual",
            )
        check_size(Arg("max_tokens"), max_tokens, "opening_tokens", "tokens")
        least = evidence_threshold
        if least is not None and (isinstance(least, bool) or not isinstance(least, int | float) or not 0 <= least <= 1):
            raise SchemaInvalid(Arg("evidence_threshold"), " must be a number from 0 to 1, such as 0.65")
        if least is None:
            least = HIGH_IMPACT if high_impact else 0.0
        return cls(_objective(objective), max_tokens, float(least), read_domain(domain), bool(ingested))


def _objective(given: str | None) -> str | None:
    if given is None:
        return None
    if not isinstance(given, str) or any("\ud800" <= letter <= "\udfff" for letter in given):
        raise SchemaInvalid(Arg("objective"), " must be a text of valid Unicode")
    check_size(Arg("objective"), len(given), "query_characters", "characters")
    return given.strip() or None


def bootstrap(  # noqa: PLR0913
    snapshot: Snapshot,
    index: SearchIndex,
    asked: Request,
    match: Match | None = None,
    *,
    meaning: str = "",
    shown: Shown = compact,
) -> Opening:
    """See `Memory.bootstrap`.

    `match` is the objective, prepared; `meaning`: why the objective was matched by words alone, if so.
    """
    domain = None
    if asked.domain is not None and not why_absent(snapshot.transaction, asked.domain):
        domain = find_subject(snapshot.transaction, asked.domain)
    count = _FEWEST + asked.max_tokens // _TOKENS
    match = None if match is None else replace(match, ingested=asked.ingested)
    forecaster = Forecaster(snapshot)
    needs = forecaster.opening(domain or HOLE, asked.objective or "", match, count)
    documents = index.documents(snapshot.transaction)
    inside = None
    if domain is not None:
        inside = index.domains.mask(snapshot, documents, Domains(snapshot).domain(domain))
    last: tuple[bytes, ...] = ()
    is_unknown = not forecaster.is_known and not any(need.is_taught for need in needs)
    if is_unknown or (asked.objective is None and len(needs) >= _FEW):  # a young store shows what is newest anyway
        last = last_session(snapshot, documents, domain, inside)
    return open_with(
        snapshot,
        documents,
        asked,
        needs,
        inside=inside,
        meaning=meaning,
        shown=shown,
        set_aside=forecaster.set_aside,
        lag=forecaster.lag,
        last=last,
        last_first=forecaster.is_met,
    )


def open_with(  # noqa: PLR0913
    snapshot: Snapshot,
    documents: Documents,
    asked: Request,
    needs: Sequence[Need],
    *,
    counter: TokenCounter | None = None,
    inside: Mask | None = None,
    meaning: str = "",
    shown: Shown = compact,
    set_aside: int = 0,
    lag: int = 0,
    last: Sequence[bytes] = (),
    last_first: bool = False,
) -> Opening:
    """The opening of a session that needs these, as the model has it. `counter`: if not as everywhere.

    `inside`: which versions are of atoms of the domain, if that is known; `set_aside`: how many pages match besides;
    `lag`: how many versions were compared by words alone; `last`: what the last session left, newest first, where
    nothing is known to match the objective well; `last_first`: whether it comes before what past objectives needed.
    """
    measure = Measure.of(counter or token_counter(), shown)
    opener = _Opener(snapshot, documents, asked, needs, measure, inside, last, last_first=last_first)
    return opener.open(meaning, set_aside, lag)


class _Opener:
    """One opening, out of one snapshot."""

    def __init__(  # noqa: PLR0913, PLR0917
        self,
        snapshot: Snapshot,
        documents: Documents,
        asked: Request,
        needs: Sequence[Need],
        measure: Measure,
        inside: Mask | None,
        last: Sequence[bytes],
        *,
        last_first: bool,
    ) -> None:
        self._snapshot = snapshot
        self._documents = documents
        self._asked = asked
        self._foreseen = needs
        self._measure = measure
        self._absent: list[Absent] = []
        self._domain = None if asked.domain is None else self._found(asked.domain)
        self._pins = pinned(snapshot, documents)
        # Rules are shown anyway, in their own order.
        self._last = tuple(islice((subject for subject in last if subject not in self._pins), _LAST))
        self._last_first = asked.objective is not None and bool(self._last) and last_first
        self._costs, self._texts = Costs(snapshot.transaction, measure), Texts(snapshot.transaction)
        self._gatherer = Gatherer(
            snapshot, domain=self._domain, threshold=asked.threshold, ingested=asked.ingested, inside=inside
        )
        self._outdated = Outdated(snapshot, documents, self._gatherer.latest, self._gatherer.clashes_of)
        self._known: dict[bytes, Need] = {}
        """What is needed, by atom: what takes the place of another is needed as both are."""
        self._seen: set[bytes] = set()
        """Atoms that were gathered already, be it in the place of what they outdate."""
        self._lacking: set[bytes] = set()
        """Those of them that may not be shown."""

    def _found(self, domain: str) -> bytes | None:
        why = why_absent(self._snapshot.transaction, domain)
        if why:
            near = or_near(self._snapshot.transaction, domain, DOMAIN) if why == NEVER else ""
            self._absent.append(Absent(domain, why + near))
            return None
        return find_subject(self._snapshot.transaction, domain)

    def open(self, meaning: str, set_aside: int, lag: int) -> Opening:
        """The opening. `meaning`: why the objective was matched by words alone, if so; `lag`: how many were else."""
        asked, measure = self._asked, self._measure
        self._gatherer.left_out["ingested"] += set_aside
        if asked.objective is not None:
            self._absent += absent_in(self._snapshot.transaction, self._documents, asked.objective)
        envelope = replace(self._envelope(), meaning=meaning, lag=lag)
        room = room_in(envelope, measure)
        offers = self._offers(room)
        chosen, rest = choose(offers, room, measure, aimed=self._is_aimed, last_first=self._last_first)
        weakest = [offer.name for offer in reversed(chosen)]
        costs = {offer.name: offer.tokens for offer in chosen}
        return fit(self._draft(envelope, chosen, rest), weakest, measure, costs)

    @property
    def _is_aimed(self) -> bool:
        """Whether it is for an objective alone, and not for a domain."""
        return self._asked.objective is not None and self._domain is None

    def _envelope(self) -> Opening:
        """What is said in any case: what was asked, of a long text its beginning."""
        asked, counter = self._asked, self._measure.counter
        most = asked.max_tokens // _ECHO_PART // self._measure.copies
        objective, domain = asked.objective, asked.domain
        if objective is not None:
            echoed = cut(objective, most, counter)
            objective = (echoed if echoed == objective else f"{echoed}…") if echoed else None
        if domain is not None and counter.count(domain) > most:
            domain = None
        last = self._documents.size - 1
        unmatched = asked.objective is not None and bool(self._last)
        return Opening(
            counter.name, 0, asked.max_tokens, objective=objective, domain=domain, seq=last, unmatched=unmatched
        )

    # -- who comes into question -----------------------------------------------------------------------------------

    def _needs(self) -> tuple[list[Need], list[Need]]:
        """Who is needed, each once: goals, constraints and preferences; and all others, most needed first."""
        needs = {need.subject: need for need in self._left()}
        for need in self._foreseen:
            needs.setdefault(need.subject, need)
        for member in self._gatherer.some_members(_MEMBERS):
            if member not in needs:
                needs[member] = Need(member, _MEMBER_SHARE, {"member": _MEMBER_SHARE})
        if len(needs) < _FEW:
            most = len(needs) + self._most_recent(needs.values())
            for rank, (subject, is_brought) in enumerate(self._recent()):
                if len(needs) >= most:
                    break
                share = _RECENT_SHARE / (1 + rank / _RECENT)
                needs.setdefault(subject, Need(subject, share, {"newest": share}, waits=is_brought))

        members = self._members(self._pins)

        def precedes(item: tuple[Need, Pinned]) -> tuple[bool, float, int]:
            need, pin = item
            return need.subject not in members, -need.share, -pin.seq

        pins = [(needs.pop(subject, Need(subject, 0.0, {})), pin) for subject, pin in self._pins.items()]
        least = [(need._replace(share=max(need.share, _PINNED_SHARES[pin.section])), pin) for need, pin in pins]
        held = [need for need, _ in sorted(least, key=precedes)]
        return held, self._boosted(list(needs.values()))

    def _left(self) -> Iterator[Need]:
        """What the last session left, with what else it is needed for; weak matches wait behind it."""
        if not self._last:
            return
        foreseen = {need.subject: need for need in self._foreseen}
        for rank, subject in enumerate(self._last):
            also, share = foreseen.pop(subject, None), _LAST_SHARE / (1 + rank / _LAST)
            parts = {} if also is None or also.is_beside else dict(also.parts)
            if also is not None and also.is_weak:  # that the last session left it says more
                parts.pop("match", None)
            parts[LEFT] = share
            yield Need(subject, sum(parts.values()), parts)
        for need in foreseen.values():
            waits = need.waits or (need.is_beside and not self._gatherer.is_in_domain(need.subject))
            yield need._replace(waits=waits)

    def _most_recent(self, needs: Iterable[Need]) -> int:
        """How much of what was recorded last comes into question."""
        if not self._is_aimed:
            return _RECENT
        is_young = np.count_nonzero(self._documents.now) < _FEW
        # More than are shown: some of them may be out of use by now.
        return _FEW if is_young or not any(need.parts.get("match", 0) > 0 for need in needs) else 0

    def _boosted(self, needs: list[Need]) -> list[Need]:
        """In the order in which to look at them: what was taught first, those that wait last; members count double.

        The best matches do not wait to be looked at, whatever else is needed: they have a place (`choose.py`).
        """
        shares = {need.subject: need.parts["match"] for need in self._foreseen if need.parts.get("match", 0.0) > 0}
        least = NEARLY * max(shares.values(), default=0.0)
        best = {subject for subject in nlargest(BEST, shares, key=shares.__getitem__) if shares[subject] >= least}

        def comes_first(need: Need) -> bool:
            return need.is_taught or need.subject in best

        if self._domain is None:
            aimed = self._is_aimed
            return sorted(needs, key=lambda need: (not comes_first(need), aimed and is_filling(need), need.waits))
        subjects = [need.subject for need in needs]
        likely, others = subjects[:_LIKELY], subjects[_LIKELY:]
        # Who belongs to the domain by one edge does so by at most two: of the likely ones, one look tells both.
        members = self._members(others if self._gatherer.knows_domain else subjects)
        members |= {at for at in likely if at not in members and self._gatherer.is_in_domain(at)}

        def precedes(need: Need) -> tuple[bool, bool, float]:
            return (
                not comes_first(need),
                need.waits,
                -need.share * (BOOST if need.subject in members else 1.0),
            )

        return sorted(needs, key=precedes)

    def _members(self, subjects: Collection[bytes]) -> set[bytes]:
        """Those that belong to the domain itself: one look at all, since there may be hundreds to be put in order."""
        if self._domain is None:
            return set()
        return self._gatherer.domains.direct(self._domain, subjects)

    def _recent(self) -> Iterator[tuple[bytes, bool]]:
        """The atoms recorded last, newest first; but for documents and what was made of them.

        What an import brought waits for what people and agents saved a few at a time, if there is any of it. In a
        domain it does not: its members come first there.
        """
        found = newest(self._snapshot.transaction, self._documents, _SCANNED)
        if self._asked.domain is not None:
            last = np.sort(np.concatenate([found.own, found.brought]))[::-1][:_SCANNED]
            yield from islice(dict.fromkeys(self._documents.subjects(last), False).items(), _RECENT)
            return
        subjects = dict.fromkeys(self._documents.subjects(found.own), False)
        waits = bool(subjects)
        for subject in self._documents.subjects(found.brought):
            subjects.setdefault(subject, waits)
        yield from islice(subjects.items(), _RECENT)

    # -- what of it is shown ---------------------------------------------------------------------------------------

    def _offers(self, room: int) -> list[Offer]:
        """What could be shown, each in the form in which it would be; most worth first, and nothing twice.

        Beside an objective alone, few of what nothing but use speaks for; what a person said in a session is not among
        these, since this is where she is asked about it.
        """
        held, others = self._needs()
        self._known = {need.subject: need for need in (*held, *others)}
        offers = self._filling(held, int(room * PINNED_PART), room) + self._filling(others, room, room)
        offers.sort(key=lambda offer: (not self._is_pinned(offer), -offer.item.value))
        seen: set[str] = set()
        once = []
        left = self._left_in(offers, int(room * _LAST_PART))
        fillers = len(left)
        for offer in offers:
            candidate = offer.candidate
            text = self._texts.same(candidate)
            if text in seen:
                self._gatherer.drop("duplicate", candidate)
                continue
            if self._is_aimed and offer.section == "atoms" and candidate.is_spare and not candidate.is_unconfirmed:
                fillers += 1
                if fillers > _FILLERS:
                    continue
            if candidate.is_left and offer.section == "atoms" and offer.name not in left and not offer.is_outdated:
                self._gatherer.drop("no_room", candidate)
                continue
            if text is not None:
                seen.add(text)
            once.append(offer)
        return once

    def _is_pinned(self, offer: Offer) -> bool:
        return offer.candidate.need.subject in self._pins

    def _left_in(self, offers: list[Offer], room: int) -> set[str]:
        """The names of those that the last session left, as far as there is room. The first is there in any case.

        Where it takes more, it is made shorter.
        """
        names: set[str] = set()
        for at, offer in enumerate(offers):
            if not offer.candidate.is_left or offer.section != "atoms" or offer.is_outdated:
                continue
            if not names and offer.item.cost > room:
                offers[at] = shortened(offer, room, self._measure) or offer
            elif offer.item.cost > room:
                continue
            room -= offers[at].item.cost
            names.add(offer.name)
        return names

    def _filling(self, needs: Sequence[Need], part: int, room: int) -> list[Offer]:
        """Offers of those who are needed most: so many that they would fill a part of the room twice over."""
        offers: list[Offer] = []
        read = 0
        while read < len(needs) and sum(offer.item.cost for offer in offers) < _ENOUGH * part:
            offers += self._forms(needs[read : read + _PORTION], room)
            read += _PORTION
        self._gatherer.left_out["less_needed"] += len(needs[read:])
        return offers

    def _forms(self, needs: Sequence[Need], room: int) -> list[Offer]:
        offers, is_brief = [], self._asked.max_tokens < _BRIEFLY
        for candidate in self._current(needs):
            pin = self._pins.get(candidate.need.subject)
            # Of a rule it is not said why it is here: where it stands says so.
            newer = "" if candidate.newer is None else self._name(candidate.newer)
            look = Look(why_of(candidate) if pin is None else "", is_brief, newer)
            form = self._form(candidate, look, room)
            if form is None:
                self._gatherer.drop("too_large", candidate)
                continue
            atom, tokens = form
            clashes = clashes_shown(candidate, self._name, self._outdated.newest) if candidate.clashes else ()
            cost = min(room, tokens + sum(cost_of(clash, self._measure) for clash in clashes))
            item = Item(candidate.value, cost, self._texts.cluster(candidate, self._domain))
            section, is_outdated = "atoms" if pin is None else pin.section, bool(newer) and not self._is_of_the_past
            offers.append(Offer(candidate, section, look, tokens, clashes, item, is_outdated, atom))
        return offers

    def _current(self, needs: Sequence[Need]) -> Iterator[Candidate]:
        """The candidates of these, and before each that is outdated the newest of the same thing, needed as both are.

        Of what is outdated stays what matches well, what was left, and rules: time may have settled what both hold.
        """
        if not self._gatherer.in_conflict:
            yield from self._gatherer.gather(needs)
            return
        asked = {need.subject: need for need in needs if need.subject not in self._seen}
        found = {candidate.need.subject: candidate for candidate in self._gatherer.gather(list(asked.values()))}
        for subject, candidate in found.items():
            newer = self._outdated.newest(subject) if candidate.clashes else None
            if newer is None:
                if subject not in self._seen:
                    self._seen.add(subject)
                    yield candidate
                continue
            if newer not in self._seen:
                self._seen.add(newer)
                need = _both(candidate.need, self._known.get(newer), newer)
                if newer not in asked:
                    found_now = self._gatherer.gather([need])
                else:
                    found_now = [replace(found[newer], need=need)] if newer in found else []
                self._lacking.update([] if found_now else [newer])
                yield from found_now
            if newer in self._lacking:
                self._gatherer.drop("outdated", candidate)
                continue
            parts = candidate.need.parts
            matches = parts.get("match", 0.0) > 0 and not candidate.need.is_weak
            if matches or candidate.is_left or candidate.is_taught or subject in self._pins or self._is_of_the_past:
                yield replace(candidate, newer=newer)
            else:
                self._gatherer.drop("outdated", candidate)

    @cached_property
    def _is_of_the_past(self) -> bool:
        """Whether the objective asks for what held before."""
        return self._asked.objective is not None and read_when(self._asked.objective, self._snapshot.at).asked in _PAST

    def _form(self, candidate: Candidate, look: Look, room: int) -> tuple[OpeningAtom | None, int] | None:
        """The form in which a candidate would be shown, and what it takes; None in place of one that is just whole."""
        longest = room // _VALUE_PART
        if is_countable(str(candidate.body.members.get("value")), longest):
            cost = self._costs.of(candidate, look)
            if cost is not None and cost <= longest <= room:
                return None, cost
        return form_of(looking(candidate, look), room, longest, self._measure)

    def _name(self, subject: bytes) -> str:
        return name_of(self._snapshot.transaction, subject) or str(UUID(bytes=subject))

    def _named_first(self, need: Need) -> tuple[bool, bool, bool, float]:
        """The order in which to name what is not shown: rules, corrections, all others, and weak matches that wait.

        Who does not know that there is a rule would break it.
        """
        return need.subject not in self._pins, not need.is_taught, need.waits, -need.share

    def _draft(self, envelope: Opening, shown: Sequence[Offer], rest: Sequence[Offer]) -> Opening:
        """All that there is to say, in a reply that may still be too large."""
        gatherer = self._gatherer
        for offer in rest:
            reason = "rule_no_room" if self._is_pinned(offer) else "no_room"
            gatherer.drop("outdated" if offer.is_outdated else reason, offer.candidate)
        absent = {missing.name: missing for missing in self._absent}
        for offer in filter(lambda offer: gatherer.depends(offer.candidate), shown):
            for missing in absent_under(self._snapshot.transaction, offer.candidate.need.subject, offer.name):
                absent.setdefault(missing.name, missing)
        current = (lost for lost in gatherer.lost if lost.reason != "outdated")
        best = sorted(current, key=lambda lost: self._named_first(lost.need))[:_BEST]
        sections: dict[str, tuple[OpeningAtom, ...]] = {}

        def place(offer: Offer) -> tuple[bool, bool, float]:
            rank = offer.candidate.version.seq if offer.is_outdated else offer.item.value
            return offer.is_outdated, offer.waits and not offer.is_outdated, -rank

        for offer in sorted(shown, key=place):
            sections[offer.section] = (*sections.get(offer.section, ()), offer.atom)
        return replace(
            envelope,
            goals=sections.get("goals", ()),
            constraints=sections.get("constraints", ()),
            preferences=sections.get("preferences", ()),
            atoms=sections.get("atoms", ()),
            conflicting_facts=tuple(dict.fromkeys(clash for offer in shown for clash in offer.clashes)),
            absent=tuple(islice(absent.values(), _MOST_ABSENT)),
            left_out=LeftOut(
                {reason: gatherer.left_out[reason] for reason in LEFT_OUT if gatherer.left_out[reason]},
                {lost.name: lost.reason for lost in best},
            ),
        )


def _both(outdated: Need, own: Need | None, subject: bytes) -> Need:
    """The need of what takes the place of an outdated one: as the two are needed."""
    if own is None:
        return outdated._replace(subject=subject)
    parts = {
        part: max(outdated.parts.get(part, 0.0), own.parts.get(part, 0.0)) for part in {**outdated.parts, **own.parts}
    }
    matches = [need for need in (outdated, own) if need.parts.get("match", 0.0) > 0]
    is_weak = bool(matches) and all(need.is_weak for need in matches)
    waits, is_beside = outdated.waits and own.waits, outdated.is_beside and own.is_beside
    return Need(subject, max(outdated.share, own.share), parts, is_weak, waits, is_beside)
