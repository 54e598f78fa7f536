"""The one ranking: candidates with what is known of each, in; an order with its reasons, out. Pure arrays, no store.

How a candidate scores, and why so (the figures behind each choice are in docs/decisions/0010-ranking.md):

1. *Words*: BM25 as a share of the best that any text could reach for this query. Words that no text has count as
   missing, so a query that its words do not cover is decided by meaning, and one that they do cover by words: each
   query weighs its lists by what they show.
2. *Meaning*: cosine of the query and the text; half of it seen from where the best candidates lie on average, so that
   what they all share (the person, the project) does not drown what tells them apart; and a step towards the best of
   them.
3. *Neighbours*: a share of the score of the turn or chunk before and after, the less the further apart in time.
   *Edges*: a share of the best hit that a stated edge leads from. The best path counts, paths are not summed.
   *Walk*: where the search walks further along edges, what the best walk from a hit is worth. It never lifts a
   candidate to the hit that the walk began at.
4. *Evidence*: a little for what is confirmed and trusted. It decides between equals only.
   *Name*: an atom whose name, or its last part, is just what was typed comes before all others.
5. *Time*: where the question says when, among the candidates that fit about as well as the best one the statement that
   it means comes first. Otherwise time decides between equals only: recency never hides a better match.

The same text said many times is one answer: of those the question's time is looked for in one, its representative; who
shows the hits puts the others behind everything else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from substrate.search.conversation.rules import standing
from substrate.search.conversation.spread import spread
from substrate.search.conversation.turns import FILLER_SHARE, Turns, echoes_in, restated, said_by
from substrate.search.when import When, Which
from substrate.values.hits import FULL_SCORE

__all__ = [
    "FAINT",
    "WORDS",
    "Candidates",
    "Ranked",
    "first_scores",
    "full_score",
    "ordered",
    "rank",
    "with_named",
    "with_walks",
]

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

FAINT: Final = 0.05
"""What meaning alone must add: below, texts that have nothing to do with each other are as near."""
WORDS: Final = FULL_SCORE - 1
"""What all words matched weigh, where cosine 1 weighs 1."""
_CENTRED: Final = 0.5
_CENTRE: Final = 0.8
"""How much of the cosine is seen from the centre of the best candidates, and how far there that centre lies."""
_SHORTEST: Final = np.float32(1e-12)
"""The least square of a distance from it: nothing is divided by 0."""
_BEST: Final = 50
"""Candidates that make up that centre."""
_TOWARDS: Final = 0.5
_LEADERS: Final = 8
_SHARPNESS: Final = 0.1
"""How far the query is moved towards the best candidates, of how many, and how fast a lower score counts less."""
_BEFORE: Final = 0.25
_AFTER: Final = 0.15
_NEAR_US: Final = 3.6e9
"""Shares of the neighbours' scores; an hour apart they count 1/e."""
_EDGE: Final = 0.1
_BELOW: Final = 0.95
"""How far a walk can lift a candidate, as a share of the score of the hit that it began at."""
_EVIDENCE: Final = 0.02
_BEFORE_ALL: Final = 0.001
"""How far an atom whose name is the query stands before the best of the others."""
_BAND: Final = 0.6
"""Which candidates may be statements of what is asked for: this far down the way from the best to the median."""
_FLOOR: Final = 0.6
"""And not below this share of the best."""
_LEAST_WAY: Final = 0.05
"""That way, where all fit alike."""
_FORM: Final = 0.7
"""How much of the fit is that of all sentences of its form."""
_TIME: Final = 1.0
_INSIDE: Final = 0.3
_WEAK: Final = 0.6
"""What it weighs to lie in the span asked about, fit or not, as a share of that way. Where nothing fits well (`what
happened last week`), it weighs more than all else: what is missing to this score."""
_UNDATED: Final = 0.5
"""Which share of it those get whose time is not given, among others whose time is."""
_STEP: Final = 0.05
"""How far the previous one is put before the current one, as a share of that way."""
_LATE: Final = 1.0
_MOST_TAKEN: Final = 0.9
"""What the right time weighs, and what one behind the span asked for costs, as shares of that way. Of its score that is
no more than the last of these: time orders, it does not hide."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What is known of each candidate, as columns of one length."""

    words: Floats
    """BM25 by the best that the query allows: 0 to 1."""
    vectors: Floats | None
    """One row each, of length 1; rows of nan: not embedded yet. None: there is no meaning to go by."""
    when: Ints
    """When it happened, or was said: microseconds since 1970."""
    dated: Mask
    """Whether that time was given; else it is when it was recorded."""
    texts: NDArray[np.uint64]
    """Equal where the text is the same."""
    atoms: NDArray[np.uint64]
    """Equal where they are versions of one atom (and by a chance of one in ten to the twelfth, where not)."""
    before: Ints
    """Place of the neighbour before it among the candidates, or -1."""
    after: Ints
    linked: Ints
    """Place of a candidate from which an edge leads here, the best one; -1: none."""
    trust: Floats
    """How sure the statement is, 0 to 1, where 0.5 is what nothing is known of."""
    turns: Turns | None
    """What each is in a conversation; None: none of them is a turn of one."""
    named: Mask | None = None
    """Whether it has all the names that the query has; None: not looked at, as the query says no time."""
    forms: Ints | None = None
    """Equal where they are sentences of one form, which differ in one span; None: it was not looked at."""
    matched: int = -1
    """How many of them, the first, were found by themselves; -1: all. Those that walks reached shift no other score."""

    def __len__(self) -> int:
        return len(self.words)

    @property
    def walked_to(self) -> Mask:
        """Which were found by walks alone."""
        walked = np.zeros(len(self), np.bool_)
        if self.matched >= 0:
            walked[self.matched :] = True
        return walked


@dataclass(frozen=True, slots=True)
class Ranked:
    """Places of the candidates, best first, their scores, and the parts that these are the sums of."""

    order: Ints
    score: Floats
    parts: dict[str, Floats]


def first_scores(words: Floats, cosine: Floats | None) -> Floats:
    """A first score, by words and meaning alone: whose neighbours to look at."""
    return WORDS * words if cosine is None else cosine + WORDS * words


def full_score(*, meaning: bool) -> float:
    """What words, and meaning if it is looked at, give where they match in full: scores are shares of it."""
    return WORDS + 1 if meaning else WORDS


def rank(found: Candidates, query: Floats | None, when: When) -> Ranked:
    """Order the candidates. Scores are such that words and meaning that match in full give 1."""
    if not len(found):
        empty = np.zeros(0, np.float32)
        return Ranked(np.zeros(0, np.int64), empty, {})
    meaning = np.zeros(len(found), np.float32)
    full = full_score(meaning=query is not None and found.vectors is not None)
    if query is not None and found.vectors is not None:
        absent = np.isnan(found.vectors[:, 0])
        if np.count_nonzero(absent) < len(absent):
            meaning = _meaning(found, found.vectors, query, absent)
    words = np.float32(WORDS) * found.words
    turns = None if found.turns is None else found.turns.in_turns(found.before, found.after)
    if turns is not None:
        words[turns.fillers] = 0
    own = score = words + meaning
    beside = _beside(found, score)
    if turns is not None:
        beside[turns.fillers] *= FILLER_SHARE
    linked = _linked(found, score)
    evidence = (_EVIDENCE * (found.trust - 0.5)).astype(np.float32)
    score = score + beside + linked + evidence
    parts = {"words": words, "meaning": meaning, "neighbours": beside, "edges": linked, "evidence": evidence}
    if turns is None:
        parts["time"] = _time(found, score, when)
    else:
        echoes = echoes_in(turns, found.vectors, found.before, own)
        heard = echoes.lifted(score + said_by(turns, score))
        if when.asked is Which.ANY or (when.asked is Which.NOW and turns.is_dialogue and turns.asks_of_the_user):
            time = restated(turns, echoes, found.vectors, found.when, heard)
        else:
            time = _time(found, heard, when)
        parts |= {"time": time, "rule": standing(turns, found.vectors, query, heard + time)}
        parts["speaker"] = heard + echoes.behind(heard + time) - score
        score = score + parts["rule"] + parts["speaker"]
    total = ((score + parts["time"]) / full).astype(np.float32)
    parts = {part: (values / full).astype(np.float32, copy=False) for part, values in parts.items()}
    if turns is not None and turns.spreads:
        parts["spread"] = spread(found.vectors, (found.before, found.after), total)
        total = total + parts["spread"]
    return Ranked(ordered(found, total), total, parts)


def with_walks(found: Candidates, ranked: Ranked, worth: Floats, start: Ints) -> Ranked:
    """The same with what walks add. `worth`: of the best walk to each, as a score; `start`: where that began, or -1."""
    room = np.where(start >= 0, _BELOW * ranked.score[start] - ranked.score, 0)
    # An edge that led here counted already.
    added = np.minimum(worth - ranked.parts["edges"], room)
    walk = np.where(worth > 0, np.maximum(added, 0), 0).astype(np.float32)
    total = (ranked.score + walk).astype(np.float32)
    return Ranked(ordered(found, total), total, {**ranked.parts, "walk": walk})


def with_named(found: Candidates, ranked: Ranked, places: list[int]) -> Ranked:
    """The same with these places before all others, in the order they had: their names are what was typed."""
    if set(places) <= set(ranked.order[: len(places)].tolist()):
        return ranked  # also if there are none
    score = ranked.score.copy()
    score[places] += max(float(ranked.score.max() - ranked.score[places].min()), 0.0) + _BEFORE_ALL
    words = ranked.parts["words"] + (score - ranked.score)
    return Ranked(ordered(found, score), score, {**ranked.parts, "words": words.astype(np.float32)})


def ordered(found: Candidates, score: Floats) -> Ints:
    """Best first; of equals the newest."""
    return np.lexsort((-found.when, -score.round(6)))


def _representatives(found: Candidates, order: Ints, when: When) -> dict[int, int]:
    """Which of the candidates with the same text stands for them: the newest that is not behind the span asked for."""
    late = _late(found, when)
    oldest = when.asked in {Which.FIRST, Which.SINCE}
    chosen: dict[int, int] = {}
    for place in order.tolist():
        text = int(found.texts[place])
        held = chosen.get(text)
        if held is None:
            chosen[text] = place
            continue
        ours, theirs = (late[place], found.when[place]), (late[held], found.when[held])
        newer = ours[1] > theirs[1]
        if ours[0] < theirs[0] or (ours[0] == theirs[0] and (newer != oldest)):
            chosen[text] = place
    return chosen


def _late(found: Candidates, when: When) -> Mask:
    """Which lie behind the span asked for. Before a span is not outside: what was said then may have held on."""
    if when.asked is not Which.SPAN:
        return np.zeros(len(found), np.bool_)
    if when.end is None:  # since then: here what lies before is not meant
        return found.when < (when.start or 0)
    return found.when >= when.end


def _inside(found: Candidates, places: Ints, when: When) -> Mask:
    """Which lie in the span asked for, from its beginning to its end."""
    if when.asked is not Which.SPAN or when.start is None:
        return np.zeros(len(places), np.bool_)
    end = np.iinfo(np.int64).max if when.end is None else when.end
    inside: Mask = (found.when[places] >= when.start) & (found.when[places] < end)
    return inside


def _unit(row: Floats) -> Floats:
    unit: Floats = row / max(float(row @ row) ** 0.5, 1e-9)
    return unit


def _meaning(found: Candidates, vectors: Floats, query: Floats, absent: Mask) -> Floats:
    """Cosine, half of it seen from the centre of the best candidates and moved towards them.

    `absent`: whose vector is not there.
    """
    some_absent = np.count_nonzero(absent) > 0
    if some_absent:
        vectors = np.where(absent[:, None], np.float32(0), vectors)
    cosine = vectors @ query
    aside = absent if found.matched < 0 else absent | found.walked_to
    if np.count_nonzero(aside) == len(aside):
        aside = absent
    # What is not embedded yet is taken as no better and no worse than the others: its words decide.
    if some_absent:
        cosine[absent] = cosine[~aside].mean()
    words = np.float32(WORDS) * found.words
    best = _distinct(found, cosine + words, aside, _BEST)
    share = _CENTRED * min(1.0, len(best) / _BEST)  # the mean of a few is no centre: it is them
    centre = _CENTRE * (np.add.reduce(vectors[best]) / len(best))  # the mean, without the detours of numpy's
    # How far each is from the centre, and its cosine from there, without moving all of them there.
    lengths = np.einsum("ij,ij->i", vectors, vectors)
    lengths -= 2 * (vectors @ centre) - centre @ centre
    lengths = np.sqrt(np.maximum(lengths, _SHORTEST))

    def seen_from_centre(target: Floats) -> Floats:
        seen: Floats = (vectors @ target - centre @ target) / lengths
        return seen

    target = _unit(query - centre)
    first = (1 - share) * cosine + share * seen_from_centre(target)
    fit = first + words
    leaders = _distinct(found, fit, aside, _LEADERS)
    weight = np.exp((fit[leaders] - fit[leaders[0]]) / _SHARPNESS)
    weight /= weight.sum() * lengths[leaders]
    target = _unit(target + _TOWARDS * (weight @ (vectors[leaders] - centre)))
    centred = seen_from_centre(target)
    if some_absent:
        centred[absent] = centred[~aside].mean()
    # Not near is no evidence against: what its words have found stays found.
    return np.maximum((1 - share) * cosine + share * centred, 0).astype(np.float32)


def _distinct(found: Candidates, score: Floats, aside: Mask, count: int) -> Ints:
    """The best candidates, each text once; without those that are left aside, such as who has no vector."""
    order = (-score).argsort(kind="stable")
    if np.count_nonzero(aside):
        order = order[~aside[order]]
    best = order[:count]
    if len(set(found.texts[best].tolist())) == len(best):  # mostly, each says something else
        return best
    first: dict[int, int] = {}
    for place, text in zip(order.tolist(), found.texts[order].tolist(), strict=True):
        first.setdefault(text, place)
        if len(first) == count:
            break
    return np.array(list(first.values()), np.int64)


def _beside(found: Candidates, score: Floats) -> Floats:
    """What the neighbours lend."""
    lent = np.zeros(len(found), np.float32)
    for places, share in ((found.before, _BEFORE), (found.after, _AFTER)):
        has = places >= 0
        if not np.count_nonzero(has):
            continue
        apart = np.abs(found.when[has] - found.when[places[has]]).astype(np.float64)
        lent[has] += (share * np.exp(-apart / _NEAR_US) * score[places[has]]).astype(np.float32)
    return lent


def _linked(found: Candidates, score: Floats) -> Floats:
    """What the best hit lends from which an edge leads to each."""
    lent = np.zeros(len(found), np.float32)
    has = found.linked >= 0
    if np.count_nonzero(has):
        lent[has] = _EDGE * score[found.linked[has]]
    return lent


def _time(found: Candidates, score: Floats, when: When) -> Floats:
    """What the question's time adds or takes, on the scale of the scores."""
    given = np.zeros(len(found), np.float32)
    if when.asked in (Which.ANY, Which.ALL):
        return given
    order = np.argsort(-score, kind="stable")
    order = order[~found.walked_to[order]]
    _, first = np.unique(found.texts[order], return_index=True)
    chosen = _representatives(found, order, when)
    several = np.array([chosen[int(found.texts[order[at]])] for at in np.sort(first)], np.int64)
    places = several[(np.arange(len(several)) < _BEST) | _inside(found, several, when)]
    # Versions of one atom are statements of the same thing by definition: they fit as well as the best of them.
    fit = _of_form(found, score, several, _best_of_atom(found, score, places), places)
    best, middle = float(fit.max()), float(np.median(fit))
    way = max(best - middle, _LEAST_WAY)
    late = _late(found, when)[places]
    fits = (fit >= best - _BAND * way) & (fit >= _FLOOR * best) & ~late & _named(found, places)
    given[places] += fit - score[places]
    given[places[_inside(found, places, when)]] += max(_INSIDE * way, _WEAK - best)
    given[places[late]] -= np.minimum(_LATE * way, _MOST_TAKEN * fit[late])
    band = places[fits]
    if len(band) > 1:
        given[band] += _TIME * way * _share_by_time(found, band, newest=when.asked is not Which.FIRST)
    if when.asked is Which.PREVIOUS:
        _put_previous_first(found, score, given, band, way)
    return given


def _best_of_atom(found: Candidates, score: Floats, places: Ints) -> Floats:
    _, atom = np.unique(found.atoms[places], return_inverse=True)
    best = np.full(int(atom.max()) + 1, -np.inf, np.float32)
    np.maximum.at(best, atom, score[places])
    return best[atom]


def _of_form(found: Candidates, score: Floats, several: Ints, fit: Floats, places: Ints) -> Floats:
    """How well each fits, most of it by its form: the value in it draws single ones near by chance.

    `several`: of each text one, also of those that do not fit so well that they are `places`.
    """
    if found.forms is None:
        return fit
    form, size = found.forms, len(found)
    count = np.bincount(form[several], minlength=size)[form[places]]
    mean = np.bincount(form[several], score[several], minlength=size)[form[places]] / np.maximum(count, 1)
    return np.where(count > 1, (1 - _FORM) * fit + _FORM * mean, fit).astype(np.float32)


def _named(found: Candidates, places: Ints) -> Mask:
    named = None if found.named is None else found.named[places]
    return np.ones(len(places), np.bool_) if named is None or not named.any() else named


def _share_by_time(found: Candidates, band: Ints, *, newest: bool) -> Floats:
    """From 0 for the oldest (newest) of them to 1, by their order alone: how far apart they are says nothing."""
    dated = found.dated[band]
    if dated.any() and not dated.all():
        # When something was written down says little about when it was so, where for others it is said.
        share = np.full(len(band), _UNDATED, np.float32)
        share[dated] = _share_by_time(found, band[dated], newest=newest)
        return share
    order = np.argsort(found.when[band], kind="stable")
    share = np.empty(len(band), np.float32)
    share[order[::-1]] = 1 - np.linspace(0, 1, len(band), dtype=np.float32)
    return share if newest or len(band) == 1 else 1 - share


def _put_previous_first(found: Candidates, score: Floats, given: Floats, band: Ints, way: float) -> None:
    """The statement that seems to hold now goes second; first comes the newest of the older ones."""
    if len(band) < 2:  # noqa: PLR2004 - one before another takes two
        return
    total = score[band] + given[band]
    now = band[int(np.argmax(total))]
    older = band[found.when[band] < found.when[now]]
    if not len(older):
        return
    given[older] = 0
    given[older] += _TIME * way * (_share_by_time(found, older, newest=True) if len(older) > 1 else np.float32(1))
    first = older[int(np.argmax(score[older] + given[older]))]
    top = max(float((score[band] + given[band]).max()), float(score[first] + given[first]))
    given[first] = top + _STEP * way - score[first]
    given[now] = min(given[now], top - _STEP * way - score[now])
