"""Who speaks: what is taken from others, echoes and their sources, and the newest statement of how things are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from substrate.search.conversation.question import NOBODY, Addressed
from substrate.text.turns import Role
from substrate.views.turns import FILLER, QUESTION, ROLE, STANDING, role_flags

__all__ = ["FILLER_SHARE", "Echoes", "Turns", "echoes_in", "restated", "said_by"]

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

_OTHERS: Final = 0.3
"""What is taken from those who speak and are not asked about, as a share of their score."""
_REPLIES: Final = 0.1
"""And from replies, where nobody is asked about: most of what is sought was said by the user."""
_ASKING: Final = 0.15
_ASKING_LISTED: Final = 0.7
"""And from a text that is nothing but questions: most where things are to be listed, since it tells of none."""
FILLER_SHARE: Final = 0.25
"""How much of what neighbours lend a filler gets."""
_SOURCE: Final = 0.6
"""How well the statement before a reply must match by itself, beside the reply, to be its source."""
_ECHO: Final = 0.25
"""Or how near the two must be to each other."""
_AGAIN: Final = 0.65
"""How near a reply must be to an echo to be one too, wherever it stands."""
_STEP: Final = 0.001
"""How far an echo stands behind its source."""
_SAME: Final = 1.2
"""When a newer statement is of the same thing as the best one: its score as a share of that one's, how near the two are
and how near the replies to them are come to so much together."""
_MANY: Final = 50
"""Near is meant as seen from the centre of so many candidates."""

_BOTH: Final = 4
"""How many turns of the user there may be for each reply where both take turns."""

_USER: Final = role_flags(Role.USER)
_ASSISTANT: Final = role_flags(Role.ASSISTANT)


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

    @property
    def is_dialogue(self) -> bool:
        """Whether a user and who replies are both heard: a diary has one voice, and the chunks of a document none."""
        replies = int(np.count_nonzero(self.of(_ASSISTANT)))
        return replies > 0 and bool(_BOTH * replies >= np.count_nonzero(self.of(_USER)))

    @property
    def asks_of_the_user(self) -> bool:
        """Whether the question is how things are with the user; in a dialogue, also if it names nobody."""
        role = self.addressed.role
        return self.addressed.state and (role is Role.USER or (role is Role.UNKNOWN and self.is_dialogue))

    def in_turns(self, before: Ints, after: Ints) -> Turns:
        """The same with who speaks by turns, where nothing else says it: the user before a reply, who replies after."""
        unknown = self.flags & (ROLE | FILLER) == 0
        user, assistant = self.of(_USER), self.of(_ASSISTANT)
        if not self.is_dialogue or not unknown.any():
            return self
        asking = self.flags & QUESTION != 0
        replies = unknown & ~asking & (before >= 0) & (user | asking)[before]
        states = unknown & ~replies & (after >= 0) & (assistant | replies)[after]
        flags = self.flags.copy()
        flags[replies] |= _ASSISTANT
        flags[states] |= _USER
        return replace(self, flags=flags)

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
    if addressed.speakers and turns.speaker.any():
        named = np.isin(turns.speaker, list(addressed.speakers))
        if named.any():
            taken[~named & (turns.speaker > 0)] = _OTHERS
    taken[turns.flags & QUESTION != 0] += _ASKING_LISTED if addressed.spread else _ASKING
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


def restated(turns: Turns, echoes: Echoes, vectors: Floats | None, when: Ints, score: Floats) -> Floats:
    """What is added to the newest of the user's statements of what a question asks, where that is how things are.

    `score`: that of a statement is at least that of its echo.
    """
    added = np.zeros(len(score), np.float32)
    if vectors is None or not turns.asks_of_the_user:
        return added
    stated = np.flatnonzero(turns.of(_USER) & (turns.flags & (QUESTION | FILLER | STANDING) == 0))
    if not len(stated):
        return added
    best = int(stated[np.argmax(score[stated])])
    if score[best] <= 0:
        return added
    # The rarest word of the question keeps a newer statement about the cat from answering for the dog.
    keyed = echoes.lifted(turns.keyed.astype(np.float32))
    newer = stated[(when[stated] > when[best]) & (keyed[stated] >= keyed[best])]
    if not len(newer):
        return added
    # Two statements are worded as it comes; what was replied to them shows what both are about.
    reply = np.arange(len(score))
    reply[echoes.sources[::-1]] = echoes.replies[::-1]
    share = np.float32(min(1.0, len(score) / _MANY))  # the mean of a few is no centre: it is them
    centre = share * np.nan_to_num(vectors).mean(axis=0)
    said, heard = _likeness(vectors, centre, newer, best), _likeness(vectors, centre, reply[newer], reply[best])
    newer = newer[score[newer] / score[best] + said + heard >= _SAME]
    if len(newer):
        newest = int(newer[np.argmax(when[newer])])
        added[newest] = score[best] + _STEP - score[newest]
    return added


def _likeness(vectors: Floats, centre: Floats, places: Ints, place: int) -> Floats:
    """Cosine with one of them, as seen from the centre of all: what they share tells nothing apart. 0 at least."""
    rows, one = vectors[places] - centre, vectors[place] - centre
    lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(one)
    alike: Floats = np.maximum(np.nan_to_num(rows @ one / np.maximum(lengths, np.float32(1e-9))), 0)
    return alike
