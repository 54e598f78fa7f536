"""Whether two claims contradict each other, and the keys under which those that can do so meet.

1. Two claims contradict each other only if they are of one kind and about the same, by their names or by what they say.
2. Who compares a claim with those that are kept under its keys misses none that could contradict it.
3. It does not matter which of the two comes first, but for the reason, which speaks of the first first.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import Final, NamedTuple

from substrate.claims.amounts import same_amount, same_day
from substrate.claims.lexicon import GENERIC, POLAR, SCOPES, SILENT, even
from substrate.claims.read import NOBODY, Claim, drop_read
from substrate.claims.words import is_id

__all__ = ["KEY_BYTES", "Contradiction", "contradiction", "drop_cached", "is_about", "keys_of"]

KEY_BYTES: Final = 8
_SIGNS: Final = {even(word): sign for word, sign in POLAR.items()}


class Contradiction(NamedTuple):
    """How two claims contradict each other, and why, in a line: what the first says, then what the second says."""

    kind: str
    """value, number, date or negation."""
    reason: str


def keys_of(claim: Claim, *, against: bool = False) -> tuple[bytes, ...]:
    """A few short keys under which a claim is kept; `against`: under which those are kept that could contradict it.

    The two are the same but for what is so or not so: only those are kept together that agree.
    """
    return _keys(claim)[against]


def drop_cached() -> None:
    """Let go of the claims that were read, and of their keys. For who keeps them: nobody asks for these again."""
    drop_read()
    _keys.cache_clear()


@lru_cache(maxsize=10_000)  # asked for by who compares a claim, and a moment later by who keeps it
def _keys(claim: Claim) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    whole, part = _topics(claim)
    topics = tuple(dict.fromkeys((*whole, *part)))
    if claim.kind != "truth":
        keys = tuple(_key(claim.kind, words) for words in topics)
        return keys, keys
    so, not_so = (tuple(_key(said, words) for words in topics) for said in ("so", "not so"))
    return (so, not_so) if claim.affirmed else (not_so, so)


def _key(kind: str, words: tuple[str, ...]) -> bytes:
    return blake2b("\x1f".join((kind, *words)).encode(), digest_size=KEY_BYTES).digest()


def _topics(claim: Claim) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """What a claim is about, in full; and without words that another may leave out."""
    topic, about = claim.topic, claim.about
    if not topic:
        whole = [about]
    elif claim.kind == "truth":
        whole = [topic]
        if claim.thing and (rest := tuple(word for word in topic if word not in claim.thing)):
            return whole, [rest]  # what nobody does, somebody of this name does
        if not about or not set(topic).issuperset(about):
            return whole, []  # a sentence says what it says
    elif about and topic != about and GENERIC.union(about).issuperset(topic):
        whole = [topic, about]  # the sentence speaks of what the name says, and perhaps leaves out whose it is
    else:
        whole = [topic]
    shortened = (tuple(word for word in words if word not in GENERIC) for words in whole)
    return whole, [kept for kept, words in zip(shortened, whole, strict=True) if kept and kept != words]


def contradiction(a: Claim, b: Claim) -> Contradiction | None:
    """How `a` and `b` contradict each other; None if they do not, or it cannot be told."""
    if a.kind != b.kind:
        return None
    # What is said is looked at first: that is cheap, and ends most comparisons.
    found = _differ(a, b)
    return found if found is not None and _same_topic(a, b) and _same_scope(a, b) and _same_whom(a, b) else None


def is_about(claim: Claim, word: str) -> bool:
    """Whether a claim is about what this word says, in whatever words: that Ada lives in Rome is about her city."""
    return even(word) in claim.topic or (not is_id(claim.about) and even(word) in claim.about)


def _differ(a: Claim, b: Claim) -> Contradiction | None:
    if a.amount is not None and b.amount is not None:
        differ = same_amount(a.amount, b.amount) is False
        return Contradiction("number", f"{a.written} is not {b.written}") if differ else None
    if a.day is not None and b.day is not None:
        return None if same_day(a.day, b.day) else Contradiction("date", f"{a.written} is not {b.written}")
    if a.kind == "thing":
        return _other_thing(a, b)
    return None if a.affirmed == b.affirmed else _denial(a, b)


def _denial(a: Claim, b: Claim) -> Contradiction:
    return Contradiction("negation", f"“{a.written}” contradicts “{b.written}”")


def _other_thing(a: Claim, b: Claim) -> Contradiction | None:
    one, other = set(a.thing), set(b.thing)
    if a.affirmed != b.affirmed:
        return _denial(a, b) if one == other and _same_question(a, b) else None
    if not a.affirmed or a.many or b.many or one <= other or other <= one:
        return None
    shared = one & other
    if shared and not (len(one) == len(other) and len(shared) == len(one) - 1) and not _other_name(a, b):
        return None  # the same in other words, perhaps
    if _shape(a.written) != _shape(b.written) or not _same_question(a, b):
        return None
    return Contradiction("value", f"{a.written} is not {b.written}")


def _are_opposite(ours: set[str], theirs: set[str]) -> bool:
    """`breakpoint.enable` and `breakpoint.disable`: two things that one can do."""
    signs = [{_SIGNS[word] for word in words if word in _SIGNS} for words in (ours, theirs)]
    return any((one, not plus) in signs[1] for one, plus in signs[0])


def _other_name(a: Claim, b: Claim) -> bool:
    """Whether both are names, and not of one with the same last name and initial: `Lawrence S. Bacow`, `L. Bacow`."""
    one, other = ([word for word in claim.written.split() if word.lower() not in SILENT] for claim in (a, b))
    if not all(word[0].isupper() for word in (*one, *other)):
        return False
    return one[-1] != other[-1] or one[0][0] != other[0][0]


def _same_question(a: Claim, b: Claim) -> bool:
    """Not so of `works at Acme` and `works in Berlin`, nor of `database = Postgres` and `The database is in Rome`.

    Where one is no sentence, its name is the question: it has to say more than who is somewhere.
    """
    if a.topic and b.topic:
        return a.place == b.place
    return not (a.place or b.place).startswith("@") or (a.topic or a.about) != (b.topic or b.about)


def _shape(text: str) -> str:
    """An address, a path or a word: these do not contradict each other."""
    return "@" if "@" in text else "/" if text.startswith(("/", "~", "./")) or "://" in text else ""


def _same_topic(a: Claim, b: Claim) -> bool:
    whole, part = _topics(a)
    whole_b, part_b = _topics(b)
    if a.kind == "truth" and NOBODY not in (a.place, b.place):
        part = [] if a.thing else part
        part_b = [] if b.thing else part_b
    # Not part with part: `model_size` and `model_count` both speak of a model, but not of the same.
    return any(words in whole_b or words in part_b for words in whole) or any(words in whole_b for words in part)


def _same_whom(a: Claim, b: Claim) -> bool:
    """Whether they may be about one entity. Not if both are stated to be about others: `Ada`, and `Bob`.

    `Ada` may be Ada Lovelace, and what names nobody is about anybody.
    """
    if not a.whom or not b.whom:
        return True
    ours, theirs = map(set, a.whom), [set(words) for words in b.whom]
    return any(one <= other or other <= one for one in ours for other in theirs)


def _same_scope(a: Claim, b: Claim) -> bool:
    """Whether their names do not tell two subjects apart.

    A number does so where it counts something (`model_1`, `sprint_12`, `v2`), and not where the name is an id.
    """
    names, others = (set() if is_id(claim.about) else set(claim.about) for claim in (a, b))
    said, heard = names.union(a.topic, a.thing), others.union(b.topic, b.thing)
    ours, theirs = names - heard - GENERIC, others - said - GENERIC
    if names != others and _are_opposite(names - others, others - names):
        return False
    if any(word in SCOPES or any(map(str.isdigit, word)) for word in ours | theirs):
        return False
    # staging.tls and production.tls: as they have a word in common, the other tells them apart.
    return not (ours and theirs and (names & others) - GENERIC)
