"""Classes of words, and what may stand between a name and the verb or noun that it belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from substrate.relations.clauses import FIRST, JOINED, OF_ONE, OWNER, SECOND
from substrate.relations.phrases import PREPOSITIONS, is_past, word_set

__all__ = [
    "ADVERBS",
    "AUXILIARY",
    "BE",
    "DETERMINERS",
    "DOUBTS",
    "NEGATIONS",
    "PAST",
    "STOPS",
    "UNREAL",
    "after_adverbs",
    "after_time",
    "ends_name",
    "is_light",
    "is_object",
    "is_part",
    "is_plain",
    "is_subject",
    "without_quantity",
    "without_region",
]

BE: Final = word_set("is are was were be been being am")
AUXILIARY: Final = BE | word_set("has have had do does did got gets get")
ADVERBS: Final = word_set(
    "also still now currently always often just already again first both all even usually mainly mostly yet ever then "
    "thus only here there once today each"
)
DETERMINERS: Final = word_set("the a an its their his her our my your this that these those each every all any some")
STOPS: Final = word_set(
    ", : ( ) and or but nor while which that who whom whose because though although whereas so if when where since "
    "unlike however as"
)
"""What ends a phrase."""
NEGATIONS: Final = word_set(
    "not never no cannot neither nor nobody none nothing hardly rarely without isnt arent dont doesnt didnt wasnt cant "
    "rather instead except"
)
DOUBTS: Final = word_set(
    "might may could would should if whether perhaps maybe possibly probably likely allegedly reportedly supposedly "
    "claim claims claimed rumour rumours rumor rumors doubtful unclear unsure unknown unless plan plans planned "
    "planning consider considers considering proposed proposes propose suggests suggested hopes hope wants want wish "
    "intends will shall expected false wrong untrue imagine suppose pretend almost nearly alleges alleged believed "
    "speculated speculates speculation assumed myth legend rumoured rumored supposed suspected hypothetically tipped "
    "purportedly apparently presumably assume assumes assuming"
)
PAST: Final = word_set("until formerly previously former ex erstwhile onetime one-time")
UNREAL: Final = word_set(
    "former late ex then next future incoming outgoing would-be deputy vice assistant potential possible "
    "proposed planned alleged supposed self-styled self-proclaimed purported putative fake prospective designate "
    "aspiring onetime one-time erstwhile previous departing retired ousted favourite favorite presumed presumptive "
    "likely rumoured rumored aborted failed abortive attempted partial incomplete unfinished pretend fictional "
    "fictitious hypothetical suspected anti non pseudo old last associate sub junior honorary estranged "
    "divorced intended unlikely poor ex-wife ex-husband not no never hardly neither"
)
"""What stands before a noun and takes it back, or puts it into another time: `the former head`, `the deputy head`."""
_PRONOUNS: Final = word_set("he she it they we i you him them us me somebody someone nobody everyone")
_PARTICLES: Final = word_set("up down away back apart together forth aside around ago")
"""What makes another verb of a verb: `A backs up B`."""
_SMALL: Final = frozenset((FIRST, SECOND, OWNER, JOINED)).union(
    *(STOPS, PREPOSITIONS, DETERMINERS, AUXILIARY, ADVERBS, NEGATIONS, DOUBTS, _PRONOUNS)
)
_MONTHS: Final = word_set(
    "january february march april may june july august september october november december jan feb mar apr jun jul aug "
    "sept sep oct nov dec monday tuesday wednesday thursday friday saturday sunday"
)
_SPANS: Final = _MONTHS | word_set(
    "week month year decade century spring summer autumn fall winter morning night evening quarter weekend "
    "weeks months years days time early late mid"
)
_TIMES: Final = word_set("this last earlier later each every next early late these")
_BEFORE_TIME: Final = word_set("in on since during from around about at for")
_BEHIND: Final = word_set(
    "alongside jointly "
    "directly successfully team project group package library family company department service system module "
    "framework server app club band committee party division unit office board organisation organization foundation "
    "institute community cluster database component tool application platform plugin extension repository language "
    "simulator compiler parser engine editor driver kernel daemon client toolkit runtime browser algorithm interpreter "
    "protocol specification standard format interface api topic table queue file directory folder band quickly ago "
    "instead internally locally regularly ever anyway too himself herself itself themselves says said"
)
"""What may stand behind a name without making another name of it: `the Checkout service`, `twice`."""
_AT_ONCE: Final = word_set("today yesterday once twice thrice daily weekly monthly hourly nightly outright together")
_ANOTHER: Final = word_set("a an the its their his her our my your any some")
_QUANTITIES: Final = word_set(
    "lots dozens hundreds thousands millions plenty copies tonnes tons litres gallons pounds kilos barrels"
)
_PORTIONS: Final = word_set(
    "percent per version versions part parts half third quarter release releases section chapter"
)
_REGIONS: Final = word_set(
    "north south east west northeast northwest southeast southwest centre center heart middle midlands highlands "
    "lowlands outskirts suburbs hills mountains interior region province county district state city town part"
)
_UNIT_LONGEST: Final = 6
_TAIL: Final = 2
"""Words that may follow a name and belong to it: `the Checkout service`."""
_MODIFIERS: Final = 3
"""Words that may stand before a name and belong to it: `the first stable`."""
_PIECE: Final = 3
"""Words of one thing in a list."""
_LIKE_PREPOSITIONS: Final = word_set("per despite following regarding concerning given") | {OWNER, JOINED}
_AWAY: Final = frozenset(("using", "once"))
"""What leads away from a verb: `created using B`, `called once B is finished`."""
_JOINING: Final = (",", "and", "or")
_OF: Final = word_set("of for about behind like unlike")


def is_plain(word: str) -> bool:
    """Whether a word may be a noun or an adjective, as far as small words tell."""
    return word not in _SMALL


def is_light(word: str) -> bool:
    """Whether a word between a subject and its verb changes neither."""
    return (
        word in AUXILIARY
        or word in ADVERBS
        or word in DETERMINERS
        or word in NEGATIONS
        or word in DOUBTS
        or word.endswith(("ly", "n't", "n\u2019t"))
        or word in ("longer", "more", "used", "yet")
    )


def is_part(word: str) -> bool:
    """Whether a word may stand within the phrase of a noun."""
    return (is_plain(word) and word not in _PARTICLES) or word in DETERMINERS or word in ADVERBS or word in NEGATIONS


def is_subject(words: Sequence[str], at: int) -> bool:
    """Whether a name can be what a verb is said of: not so behind a preposition, `of Uganda, exports`."""
    before = at - 1
    while before >= 0 and words[before] in DETERMINERS:
        before -= 1
    if before < 0:
        return True
    if words[before] in PREPOSITIONS or words[before] in _LIKE_PREPOSITIONS:
        return False
    if before < at - 1:  # the determiner begins what is spoken of
        return True
    while before >= max(0, at - _TAIL) and is_plain(words[before]) and not words[before][0].isdigit():
        before -= 1  # `users of the new A`
    while before >= 0 and words[before] in DETERMINERS:
        before -= 1
    return before < 0 or words[before] not in _OF


def is_object(between: Sequence[str], behind: Sequence[str]) -> bool:
    """Whether what stands between a verb and a name lets the name be its object, alone or in a list."""
    if not between or (len(between) == 1 and between[0] in DETERMINERS - STOPS):
        return True
    is_cut = between[0] in _JOINING and not _is_predicate(between[1:2])  # not so in `uses and maintains B`
    if is_cut or not _AWAY.isdisjoint(between) or any(word.endswith("ing") for word in between[1:]):
        return False  # `offers ways using B`
    if STOPS.isdisjoint(between):
        return len(between) <= _MODIFIERS + 1 and all(is_part(word) for word in between)
    pieces: list[list[str]] = [[]]
    for word in between:
        if word in _JOINING:
            pieces.append([])
        elif word == ":" and len(pieces) == 1 and (not pieces[0] or pieces[0][-1][-1] in "sg"):
            pieces.append([])  # `the following:`, `three parts:`
        elif word in STOPS or not is_part(word):
            return False
        else:
            pieces[-1].append(word)
    if pieces[0] and _is_predicate(after_adverbs(pieces[-1])):
        return False  # `uses C and replaced B`
    ends = not behind or behind[0] in STOPS or (behind[0] in PREPOSITIONS and behind[0] != "of")
    return ends and all(len(piece) <= _PIECE for piece in pieces)


def _is_predicate(words: Sequence[str]) -> bool:
    """Whether words begin with one that may be a verb of its own, as far as its ending tells."""
    word = words[0] if words else ""
    return is_plain(word) and (is_past(word) or (word.endswith("s") and not word.endswith(OF_ONE)))


def ends_name(words: Sequence[str], at: int) -> bool:
    """Whether a name ends where its token stands, and is not part of another: `B`, `the B team`, not `B's shares`."""
    behind = words[at + 1 : at + 3]
    if not behind:
        return True
    word = behind[0]
    if word in _ANOTHER or word == "of":  # `bought B a drink`, `a B of small parts`
        return False
    if word in _AT_ONCE:
        return True
    if word in _BEHIND:
        after = behind[-1]
        return after in _BEHIND or after.endswith("ly") or (after in _SMALL and after not in (OWNER, JOINED))
    return word not in (OWNER, JOINED) and (
        word in _SMALL or word.endswith("ly") or word[0].isdigit() or word in _TIMES
    )


def after_adverbs(words: Sequence[str]) -> list[str]:
    """The words without the adverbs that they begin with."""
    rest = list(words)
    while rest and (rest[0] in ADVERBS or rest[0].endswith("ly")):
        rest.pop(0)
    return rest


def after_time(words: Sequence[str]) -> list[str]:
    """The words without the adverbs, and without a time, that they begin with: `in May 1971`, `this week`."""
    rest = after_adverbs(words)
    if not rest:
        return rest
    end = 0
    if rest[0] in ("yesterday", "recently"):
        end = 1
    elif rest[0] in _TIMES:
        end = 2 if rest[1:2] and rest[1] in _SPANS else 0
    elif rest[0] in _BEFORE_TIME:
        end = 1
        while end < len(rest) and (rest[end] in _SPANS or rest[end][0].isdigit() or rest[end] in ("the", ",", "of")):
            end += 1
        while end > 1 and rest[end - 1] in ("the", ",", "of"):
            end -= 1
        end = end if end > 1 else 0
    return after_adverbs(rest[end:]) if end else rest


def without_quantity(words: Sequence[str]) -> list[str]:
    """The words without a quantity that they begin with: `some 40,000 tonnes of`. Per cent is a part, and stays."""
    rest = list(words)
    if "of" not in rest[1:_UNIT_LONGEST]:
        return rest
    end = rest.index("of")
    head = rest[:end]
    if not all(is_part(word) or word == "," for word in head) or not _PORTIONS.isdisjoint(head):
        return rest
    return rest[end + 1 :] if any(word[0].isdigit() or word in _QUANTITIES for word in head) else rest


def without_region(words: Sequence[str]) -> list[str]:
    """The words without the part of a place that they begin with: `the midlands of`."""
    rest = list(words)
    if "of" not in rest[1:_UNIT_LONGEST]:
        return rest
    end = rest.index("of")
    is_region = rest[end - 1] in _REGIONS and all(word in DETERMINERS or is_plain(word) for word in rest[:end])
    return rest[end + 1 :] if is_region else rest
