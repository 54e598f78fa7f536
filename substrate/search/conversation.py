"""Conversations in the ranking: who is asked about, who speaks, what only says it again, and which rules hold.

1. *Who is asked about.* `my dog` is what the user said, `did you suggest` what was replied, `Caroline's dog` what
   Caroline said. What somebody else says of it counts less.
2. *An echo* is a reply to a statement that has what it has: no second witness, so it never stands before its source.
3. *Fillers* say nothing: they are found neither by a word in them, such as who speaks, nor for long by what stands
   beside them.
4. *Standing instructions* of the user join the hits of a question that they govern: they share no word with it.
5. *Spread*: of a question for an order, a summary or a list, hits that say what a better one says come later.

Pure arrays, no store. What a text is was read when it was saved: see views/turns.py.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from substrate.text.turns import Role
from substrate.views.turns import FILLER, QUESTION, ROLE, STANDING, role_flags, speaker_number

__all__ = [
    "FILLER_SHARE",
    "NOBODY",
    "Addressed",
    "Echoes",
    "Turns",
    "echoes_in",
    "read_addressed",
    "restated",
    "rules_in",
    "said_by",
    "spread",
    "standing",
]

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

_OTHERS: Final = 0.3
"""What is taken from those who speak and are not asked about, as a share of their score."""
_REPLIES: Final = 0.1
"""And from replies, where nobody is asked about: most of what is sought was said by the user."""
_ASKING: Final = 0.15
"""And from a text that is nothing but questions."""
FILLER_SHARE: Final = 0.25
"""How much of what neighbours lend a filler gets."""
_SOURCE: Final = 0.6
"""How well the statement before a reply must match by itself, beside the reply, to be its source."""
_ECHO: Final = 0.4
"""Or how near the two must be to each other."""
_AGAIN: Final = 0.75
"""How near a reply must be to an echo to be one too, wherever it stands."""
_STEP: Final = 0.001
"""How far an echo stands behind its source."""
_RULES: Final = 4
_RULE: Final = 0.7
"""So many instructions join the hits of a question, at this share of the best score."""
_KIND: Final = 0.3
"""How near an instruction must be to a question that does not ask for work."""
_SAME: Final = 0.45
_FITS: Final = 0.6
_WORDED: Final = 0.5
"""When two statements of one speaker are of one thing: so near to each other, and beside the better one of such a score
and with so much of the question's words."""
_RULES_READ: Final = 64
_SPREAD: Final = 0.7
"""How much of its score a hit loses that says just what one before it says."""

_USER: Final = role_flags(Role.USER)
_ASSISTANT: Final = role_flags(Role.ASSISTANT)


# -- the question ------------------------------------------------------------------------------------------------------

_FIRST_PERSON: Final = re.compile(r"\b(?:I|i|I'm|I've|I'd|my|My|mine|myself|we|We|our|Our)\b")
_THE_USER: Final = re.compile(r"\bthe (?:user|human)\b", re.IGNORECASE)
_SECOND_PERSON: Final = re.compile(
    r"\b(?:did|have|had|were|do) you\b(?! (?:know|remember|think|have))|"
    r"\byou (?:\w+ed|said|told|gave|wrote|made|came up|had|were|showed|sent|taught|found|chose|put)\b|"
    r"\byour (?:\w+ ){0,2}(?:suggestion|recommendation|answer|advice|reply|response|explanation|example|tip|idea)s?\b",
    re.IGNORECASE,
)
_WORK: Final = re.compile(
    r"^\s*(?:(?:please|hey|hi|ok|okay|so|and|now)[,]?\s+)*(?:"
    r"(?:can|could|would|will) you\b(?! (?:remind|recall|remember))|"
    r"how (?:to\b|(?:do|can|could|should|would) (?:i|we|you|one)\b)|"
    r"how [^?]{1,40} (?:should|works?)\b|why (?:is|are|do|does|should|would)\b|"
    r"(?:what|which|where|how)\b[^?]{0,40} (?:should|could|would|can) (?:i|we|you|one)\b|should (?:i|we)\b|"
    r"is it (?:safe|ok|okay|possible|better|worth|true|a good)|any (?:ideas?|tips?|advice|suggestions?)\b|"
    r"(?:write|draft|explain|show|give|suggest|recommend|help|make|create|plan|compare|describe|translate|generate|"
    r"compose|design|outline|propose|prepare|teach|build|implement|fix|solve|calculate|convert|rewrite|provide)\b)",
    re.IGNORECASE,
)
"""Asks for something to be made or explained, rather than for what was said."""
_PRESENT: Final = re.compile(r"\b(?:is|are|am|'s|do|does|have|has|can)\b", re.IGNORECASE)
_PAST: Final = re.compile(
    r"\b(?:did|was|were|had|been|used to|first|ago|last|before|ever|when|since|told|said|mentioned)\b", re.IGNORECASE
)
"""How things are, and how they were."""
_SPREADS: Final = re.compile(
    r"\b(?:in (?:what|which) (?:order|sequence)|chronolog\w*|(?:order|sequence|timeline) (?:of|in which)|"
    r"summar(?:y|ies|i[sz]e\w*)|overview|recap|list (?:all|every|each|the|out)|(?:what|which) (?:are|were) all|"
    r"all (?:of )?the (?:different|various|things|ways|parts|topics|aspects)|how many (?:different|distinct|separate)|"
    r"(?:the )?(?:different|various) (?:aspects|topics|parts|things|ways|kinds|types)|everything (?:i|we|that|about)|"
    r"walk me through|enumerate|over the course of)\b",
    re.IGNORECASE,
)
_WORDS: Final = re.compile(r"[^\W_]+(?:[.'-][^\W_]+)*")
_POSSESSIVE: Final = re.compile(r"['\u2019]s?$")
_QUESTION: Final = 400
"""Characters; longer texts are no questions."""


@dataclass(frozen=True, slots=True)
class Addressed:
    """Whom a question is about, and what it asks for."""

    role: Role = Role.UNKNOWN
    speakers: frozenset[int] = frozenset()
    """Numbers of all that may be a speaker's name in it."""
    work: bool = False
    """Whether it asks for something to be made or explained."""
    spread: bool = False
    """Whether it asks for an order, a summary or a list."""
    state: bool = False
    """Whether it asks how things are."""


NOBODY: Final = Addressed()


def read_addressed(text: str) -> Addressed:
    """Whom a question is about, by its form."""
    if len(text) > _QUESTION:
        return NOBODY
    role = Role.UNKNOWN
    if _SECOND_PERSON.search(text):
        role = Role.ASSISTANT
    elif _FIRST_PERSON.search(text) or _THE_USER.search(text):
        role = Role.USER
    words = [_POSSESSIVE.sub("", word) for word in _WORDS.findall(text)]
    names = {
        " ".join(words[at : at + count])
        for at, word in enumerate(words)
        if word[0].isupper()
        for count in (1, 2, 3)
        if at + count <= len(words)
    }
    names |= {word for word in words if word in ("user", "assistant")}
    spread = bool(_SPREADS.search(text))
    return Addressed(
        role,
        frozenset(map(speaker_number, names)),
        work=bool(_WORK.search(text)),
        spread=spread,
        state=not spread and bool(_PRESENT.search(text)) and not _PAST.search(text),
    )


# -- the candidates ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Turns:
    """What each candidate is in a conversation, and whom the question is about."""

    flags: NDArray[np.uint8]
    speaker: NDArray[np.uint16]
    keyed: Mask
    """Which have the rarest word of the question, of those that any text has."""
    addressed: Addressed = NOBODY

    @property
    def fillers(self) -> Mask:
        """Which have nothing to say."""
        filler: Mask = self.flags & FILLER != 0
        return filler

    @property
    def spreads(self) -> bool:
        """Whether the question asks for many things, and they are told in a conversation."""
        return self.addressed.spread and bool(2 * np.count_nonzero(self.flags & ROLE) > len(self.flags))

    def of(self, role: int) -> Mask:
        """Which are of somebody in this role."""
        mask: Mask = self.flags & ROLE == role
        return mask


def said_by(turns: Turns, score: Floats) -> Floats:
    """What is taken from a score, since somebody else speaks than is asked about, or since it only asks."""
    addressed, taken = turns.addressed, np.zeros(len(score), np.float32)
    if not turns.flags.any():
        return taken
    if addressed.role is Role.USER:
        taken[turns.of(_ASSISTANT)] = _OTHERS
    elif addressed.role is Role.ASSISTANT:
        taken[turns.of(_USER)] = _OTHERS
    else:
        taken[turns.of(_ASSISTANT)] = _REPLIES
    if addressed.speakers:
        named = np.isin(turns.speaker, list(addressed.speakers))
        if named.any():
            taken[~named & (turns.speaker > 0)] = _OTHERS
    taken[turns.flags & QUESTION != 0] += _ASKING
    return -taken * score


class Echoes(NamedTuple):
    """Places of replies that only say again what they reply to, and of what that is."""

    replies: Ints
    sources: Ints

    def lifted(self, values: Floats) -> Floats:
        """The values, those of sources at least as high as those of their echoes."""
        high = values.copy()
        np.maximum.at(high, self.sources, values[self.replies])
        return high

    def with_later(self, vectors: Floats, others: Ints) -> Echoes:
        """The same, and those of other replies that say what an echo says."""
        if not len(self.replies) or not len(others):
            return self
        like = vectors[others] @ vectors[self.replies].T
        nearest = np.nan_to_num(like).argmax(axis=1)
        later = like[np.arange(len(others)), nearest] >= _AGAIN
        replies = np.concatenate([self.replies, others[later]])
        return Echoes(replies, np.concatenate([self.sources, self.sources[nearest[later]]]))

    def behind(self, score: Floats) -> Floats:
        """What is taken from echoes, so that they stand behind their sources."""
        taken = np.zeros(len(score), np.float32)
        taken[self.replies] = np.minimum(0, score[self.sources] - _STEP - score[self.replies])
        return taken


_NONE: Final = np.zeros(0, np.int64)
_NO_ECHOES: Final = Echoes(_NONE, _NONE)


def echoes_in(turns: Turns, vectors: Floats | None, before: Ints, own: Floats) -> Echoes:
    """Replies to a statement of the user that match as it does, or say about the same. `own`: words and meaning.

    Of a question for what was replied, it is the other way round: what a reply answers stands behind the reply.
    """
    follows = before >= 0
    if turns.addressed.role is Role.ASSISTANT:
        asks = turns.flags & QUESTION != 0
        known = turns.of(_ASSISTANT) & follows & turns.of(_USER)[before]
        replies = np.flatnonzero(known | (turns.of(0) & follows & ~asks & asks[before]))
        return Echoes(before[replies], replies)
    replies = np.flatnonzero(turns.of(_ASSISTANT) & follows)
    if not len(replies):
        return _NO_ECHOES
    sources = before[replies]
    states = turns.of(_USER)[sources] & (turns.flags[sources] & (QUESTION | FILLER | STANDING) == 0)
    again = own[sources] >= _SOURCE * own[replies]
    if vectors is None:
        return Echoes(replies[states & again], sources[states & again])
    again |= np.einsum("ij,ij->i", vectors[replies], vectors[sources]) >= _ECHO
    echoes = Echoes(replies[states & again], sources[states & again])
    return echoes.with_later(vectors, np.setdiff1d(np.flatnonzero(turns.of(_ASSISTANT)), echoes.replies))


def restated(turns: Turns, echoes: Echoes, vectors: Floats | None, words: Floats, when: Ints, score: Floats) -> Floats:  # noqa: PLR0913, PLR0917
    """What is added to the newest of the user's statements of what a question asks, where that is how things are.

    `words` and `score`: those of a statement are at least those of its echo.
    """
    added = np.zeros(len(score), np.float32)
    if vectors is None or not turns.addressed.state or turns.addressed.role is not Role.USER:
        return added
    stated = np.flatnonzero(turns.of(_USER) & (turns.flags & (QUESTION | FILLER | STANDING) == 0) & (words > 0))
    if len(stated) < 2:  # noqa: PLR2004 - newer takes two
        return added
    best = int(stated[np.argmax(score[stated])])
    keyed = echoes.lifted(turns.keyed.astype(np.float32))
    fits = (score[stated] >= _FITS * score[best]) & (words[stated] >= _WORDED * words[best])
    stated = stated[fits & (keyed[stated] >= keyed[best])]
    same = vectors[stated] @ vectors[best]
    # Two statements are worded as it comes; what was replied to them shows what both are about.
    reply = np.arange(len(score))
    reply[echoes.sources[::-1]] = echoes.replies[::-1]
    same = np.maximum(same, vectors[reply[stated]] @ vectors[reply[best]])
    stated = stated[np.nan_to_num(same) >= _SAME]
    newest = int(stated[np.argmax(when[stated])]) if len(stated) else best
    if newest != best:
        added[newest] = score[best] + _STEP - score[newest]
    return added


# -- instructions and spread -------------------------------------------------------------------------------------------


def rules_in(flags: NDArray[np.uint8], mask: Mask) -> Ints:
    """The standing instructions of the mask, the newest."""
    return np.flatnonzero((flags & STANDING != 0) & mask)[-_RULES_READ:]


def standing(turns: Turns, vectors: Floats | None, query: Floats | None, score: Floats) -> Floats:
    """What is added to the instructions that govern the question: all do, if it asks for work, and else the near."""
    added = np.zeros(len(score), np.float32)
    rules = np.flatnonzero(turns.flags & STANDING != 0)
    if not len(rules):
        return added
    near = np.zeros(len(rules), np.float32)
    if vectors is not None and query is not None:
        near = np.nan_to_num(vectors[rules] @ query)
    if not turns.addressed.work:
        rules, near = rules[near >= _KIND], near[near >= _KIND]
    rules = rules[np.argsort(-near, kind="stable")[:_RULES]]
    added[rules] = np.maximum(0, _RULE * score.max() - score[rules])
    return added


def spread(vectors: Floats | None, beside: tuple[Ints, Ints], score: Floats) -> Floats:
    """What each loses that says what a better one says, or stands beside one: taken greedily, best first."""
    lost = np.zeros(len(score), np.float32)
    if vectors is None:
        return lost
    rows = np.nan_to_num(vectors)
    rows = rows - rows.mean(axis=0)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-9))
    like = np.maximum(rows @ rows.T, 0)
    for places in beside:
        has = np.flatnonzero(places >= 0)
        like[has, places[has]] = like[places[has], has] = 1
    nearest = np.zeros(len(score), np.float32)
    value = score.copy()
    for _ in range(len(score)):
        best = int(np.argmax(value))
        lost[best] = score[best] - value[best]
        np.maximum(nearest, like[best], out=nearest)
        done = np.isneginf(value)
        value = score * (1 - _SPREAD * nearest)
        value[done] = -np.inf
        value[best] = -np.inf
    return -lost
