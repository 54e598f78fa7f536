"""The words that claims are read by: one spelling for words of one meaning, opposites, and words that say nothing.

English, and a few verbs of its neighbours. All tables hold words as they are written; `even` brings both them and what
is read into one form.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from substrate.text.terms import keyword, spans

__all__ = [
    "ADDING",
    "ADVERBS",
    "ATTRIBUTES",
    "CHANGES",
    "CLAUSES",
    "COPULAS",
    "COUNTERS",
    "COUNTING",
    "DATED",
    "DETERMINERS",
    "DUE",
    "EVENTS",
    "GENERIC",
    "HAVE",
    "IDS",
    "INDEFINITE",
    "INVERSE",
    "JOINTS",
    "KEPT",
    "KINDS",
    "LABELS",
    "MANY",
    "MEANS",
    "NAMING",
    "NEGATIONS",
    "NOISE",
    "NOT_NOW",
    "OFFICES",
    "PAST",
    "PLACES",
    "POINTERS",
    "POLAR",
    "POSITIONS",
    "RELATIONS",
    "ROLES",
    "SCOPES",
    "SEVERAL",
    "SILENT",
    "SWITCHES",
    "TIED",
    "URGES",
    "VAGUE",
    "even",
]

_EXACT: Final = {"production": "prod", "productive": "prod", "last": "final", "report": "paper"}
"""Words whose stem is that of another: `last` is not `lasts`, nor does a report report to anyone."""
_SAME: Final = """
database db
postgresql postgres
provider vendor
repository repo
certificate cert
max maximum limit limited most
min minimum least
favorite favourite prefer preferred preference
license licence licensed
application app
authentication auth
configuration config
environment env
staging stage
development dev
kubernetes k8s
javascript js
typescript ts
message msg
request req
average avg
retain retention retained
expire expiry expires expiration
price cost costs
height tall high
width wide
length lasts long
weight heavy weighs
city lives live live residence home habite wohnt vive resides
manager reports
headquarters headquartered hq
birthday born birthdate
founded founding
owner owns own
lead leads leader
color colour
timezone tz
encrypt encrypted encryption
enable enabled active activated
temperature temp
"""
"""Each line: the one word, then those that are taken for it."""


@lru_cache(maxsize=1 << 14)
def even(word: str) -> str:
    """The one form of a word: without case, accents and ending, and its first name among words of one meaning."""
    word = _EXACT.get(word, word)
    if "-" in word and word.replace("-", "").isalpha():
        word = word.replace("-", "")  # `kick-off` is `kickoff`
    if word.isascii() and not word.isalpha():
        return word.lower()  # a version, a host, a path: there is nothing to even out
    found = list(spans(word))
    stem = found[0].terms[-1] if len(found) == 1 and found[0].terms else keyword(word)
    return _ONE.get(stem, stem)


_ONE: dict[str, str] = {}
for _line in _SAME.split("\n"):
    _words = _line.split()
    # Filled after the stems are known: the table itself is looked up by `even`.
    _ONE.update({even.__wrapped__(word): even.__wrapped__(_words[0]) for word in _words[1:]} if _words else {})
even.cache_clear()


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _evened(text: str) -> frozenset[str]:
    return frozenset(even(word) for word in text.split())


SILENT: Final = _set(
    "a an the of to in on at for with by from our my we i you your us me it its he she they their his her this that "
    "these those as be been am is are has have had do does did and or also just only still now currently always "
    "somebody someone anybody anyone everybody everyone "
    "there so very please make sure can must shall will ist sind est sont der die das le la les el à en"
)
"""Words that say nothing about what a claim is of."""
DETERMINERS: Final = _set("the our my your their its his her this die der das la le el")
INDEFINITE: Final = _set("a an one some another any")
ADVERBS: Final = _set("now currently always also only still just already officially actually really generally usually")
NEGATIONS: Final = _set(
    "not never no cannot without nor neither nobody nicht kein keine nie pas jamais isnt arent dont doesnt"
)
COPULAS: Final = _set("is are am be equals ist sind est sont")
HAVE: Final = _set("has have hat")
PLACES: Final = _set("in at on under with from into by to as à en auf bei unter mit")
"""Prepositions behind which the object of a claim stands."""
POSITIONS: Final = _set(
    "behind above below over near beside between inside outside within across through via against about around after "
    "before beyond for of like off out up down without"
)
"""Those behind which something stands that is one of many: `is behind a VPN`."""
PAST: Final = _set(
    "was were had did used grew fell met spoke ran came went took made got found left lost won began sent wrote told "
    "said saw chose bought sold paid previously formerly former earlier once ago until till yesterday back "
    "war waren était"
)
NOT_NOW: Final = _set(
    "will would might may could should if whether plan plans planned planning going intend want wants hope hopes maybe "
    "perhaps probably possibly likely soon next later upcoming eventually consider considering propose proposed think "
    "guess suppose unless reach aim goal"
)
"""Who says one of these speaks of what is not, not yet, or not surely so."""
ADDING: Final = _set("also additionally")
"""Who says one of these adds to what was said, and takes nothing back."""
CHANGES: Final = _set(
    "moved changed raised lowered increased decreased reduced cut bumped extended shortened postponed delayed pushed "
    "rescheduled went took taken"
)
"""Verbs that tell of a change: `moved to`, `went up to`, `took over`."""
EVENTS: Final = _set(
    "born founded established created invented built opened incorporated buried developed designed discovered written "
    "composed painted directed produced published performed recorded released launched manufactured made introduced "
    "drawn sung translated adapted won"
)
"""What happened once, and so stays as it was: `was founded in 2011`, `was created by Alice`."""
DATED: Final = EVENTS | _set("signed ratified enacted repealed inaugurated consecrated demolished dissolved abolished")
"""What happened on one day, by whomever: several may sign a treaty, but it was signed once."""
NAMING: Final = _set("called named titled")
"""What says by which name a thing goes: `is called main`."""
DUE: Final = _set("set due scheduled slated")
"""What stands before a time, and says no more than `is on`: `is due on Friday`."""
KEPT: Final = _set(
    "located situated based hosted stored kept held deployed headquartered registered housed installed filed archived "
    "published written built made owned led managed maintained employed chaired operated sponsored licensed "
    "implemented coded trained cached saved logged tracked"
)
"""What is done with a thing at one place, or by one, at a time: `is hosted on AWS`, `is owned by Alice`."""
MEANS: Final = _set(
    "hashed encrypted signed encoded compressed formatted imputed normalized serialized authenticated rendered paid "
    "measured built compiled packaged deployed provisioned"
)
"""What is done with one means at a time: `is hashed with bcrypt`."""
TIED: Final = _set("married engaged set assigned pinned limited restricted bound fixed deployed")
"""What ties a thing to one other: `is married to`, `is set to`. Not so `is committed to`, `is related to`."""
ROLES: Final = _evened("citizen national native resident inhabitant employee subsidiary province suburb capital")
"""What one is of one other: `is a citizen of`. Not so `member`, `fan`, `part`."""
KINDS: Final = _evened(
    "city town village country state province region district county continent island planet language sport position "
    "field profession occupation religion faith genre rank party school industry category currency color species "
    "department nationality"
)
"""What is said before a name to say what kind it is of: `the city of Paris`. Who is tied to one is tied to one."""
SEVERAL: Final = _set("speaks speak knows know likes like loves visits visited teaches covers includes supports")
"""Verbs that also have another object."""
CLAUSES: Final = _set("that which who whom whose where")
"""What begins a clause within the subject: `the company that made it is`."""
JOINTS: Final = frozenset((",", "and", "or", "than", "because", "that", "which"))
"""Who says more than one thing is not taken apart."""
POINTERS: Final = _set("it its this that these those they their he she his her him here such one both each")
"""Words in place of what a sentence is about, if it is alone: what that is stands elsewhere."""
VAGUE: Final = _evened(
    "default value result return type name size number parameter argument arg output input option field item element "
    "object class function method module example first second third last other new old same length count string "
    "order format exception error instance attribute key variable list keyword data index information see detail "
    "program shape array dimension note callback caller mode flag "
    "decision idea problem bug issue fix solution reason goal"
)
"""Nouns that are of something, and do not say of what: `the default is 30`."""
COUNTERS: Final = _evened(
    "day scene step chapter part act episode season round phase lesson week page section figure table line item volume "
    "sprint stage grade question exercise option task level session experiment case appendix paragraph night verse "
    "game match set book issue ticket bug rule note slide module unit no number pep rfc"
)
"""Words behind which a bare number says which one is meant, and not how much: `scene 4`."""
RELATIONS: Final = _set(
    "lives live resides works runs run reports reply respond answer takes costs listens lasts expires ends starts "
    "begins belongs sits stands uses use needs requires habite wohnt vive"
)
"""Verbs with one object at a time."""
INVERSE: Final = _set("owns leads manages chairs")
"""Verbs that say who has an office: `Alice owns billing` is `the owner of billing is Alice`."""
OFFICES: Final = _set(
    "handles processes hosts maintains runs operates powers coordinates heads directs supervises administers controls "
    "moderates oversees"
)
"""Those that do so of what is ours: `Stripe handles our card payments`."""
ATTRIBUTES: Final = _evened(
    "branch key provider engine framework language color theme mode format method strategy policy library tool editor "
    "font unit license role plan model queue store host region zone target column metric loss optimizer database orm "
    "currency owner lead city capital broker cache protocol shell compiler manager seed encoding separator delimiter "
    "source sink platform backend bucket schema index timezone os default favorite sport genre type kind religion "
    "profession occupation nationality"
)
"""Nouns that are asked `which`, not `how`: what follows `the branch is` is a thing, also in small letters."""
GENERIC: Final = _evened(
    "size count number value system target share date time amount status state location place setting current length "
    "level duration period total provider engine visibility version info only access table detail preferred day"
)
"""Words that a name may have or not: `sla` and `sla_target`."""
NOISE: Final = _evened("note notes memo fact misc todo remark observation")
"""Words of a name that say nothing of what it is about."""
LABELS: Final = NOISE | _evened("chunk message turn entry item")
"""The same, and those that do so where nothing but a number is beside them: `message_12`, but not `mailbox.message`."""
IDS: Final = LABELS | _evened(
    "memory mem record journal diary id uid uuid ref snippet obs one two three four five six seven eight nine ten"
)
"""Words that with a number are an id, and count nothing: `memory_3`, `one0`."""
COUNTING: Final = _set("v q h p w")
"""Letters that with a number are more than an id: versions, quarters, halves, percentiles, weeks."""
SCOPES: Final = _evened(
    "staging production test dev qa old new previous former next legacy train validation primary secondary replica "
    "read write min max start end first last before after local remote north south east west left right upper lower "
    "draft planned history archive backup past future expected actual"
)
"""Words that tell two subjects apart, wherever one name has them and the other does not."""
MANY: Final = _evened(
    "tag member skill dependency stakeholder hobby example bug child friend author contributor reviewer label keyword "
    "topic link file alias comment reference feature issue risk idea question step package participant attendee "
    "customer supplier competitor symptom allergy interest like dislike event task requirement goal constraint lesson "
    "finding insight decision contact subscriber permission visited note summary description reason text title quote"
)
"""What one can have several of."""

_OPPOSITES: Final = """
enable enabled active activated on true yes / disable disabled inactive deactivated off false no
public / private
open opened / closed shut
pass passes passing passed / fail fails failing failed
required mandatory compulsory obligatory / optional voluntary
complete completed done finished / incomplete unfinished pending
allowed permitted / forbidden prohibited banned disallowed
available / unavailable
encrypted / unencrypted
valid / invalid
supported / unsupported
visible / hidden
married / single unmarried
like likes love loves / dislike dislikes hate hates
safe / unsafe
stable / unstable
known / unknown
healthy / unhealthy
compatible / incompatible
accessible / inaccessible
reachable / unreachable
successful / unsuccessful
synchronous / asynchronous
mutable / immutable
accepted approved / rejected declined denied
online / offline
green / red broken
deprecated / undeprecated
"""
_URGES: Final = """
increase increases raises rises grows / decrease decreases reduce reduces lowers drops falls shrinks
improve improves / worsen worsens degrades
allow allows permits / forbid forbids prohibits disallows
accept accepts / reject rejects refuses
include includes / exclude excludes
encourage encourages / discourage discourages
enables / disables
accelerates speeds / slows
strengthens / weakens
promotes stimulates / inhibits suppresses
"""
"""Verbs. At the beginning of a sentence they tell what to do, or what a function does, and claim nothing."""
POLAR: Final[dict[str, tuple[str, bool]]] = {}
"""A word as written -> the one word for it and its opposites, and whether it affirms that."""
URGES: Final = _set(_URGES.replace("/", " "))
for _line in (_URGES + _OPPOSITES.lstrip()).strip().split("\n"):
    _plus, _minus = (side.split() for side in _line.split("/"))
    POLAR.update({word: (even(_plus[0]), True) for word in _plus})
    POLAR.update({word: (even(_plus[0]), False) for word in _minus})
SWITCHES: Final = _set("on off true false yes no")
"""Opposites only where they are all of a value, or end it; elsewhere they are other words."""
