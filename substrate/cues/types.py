"""Which type of atom a statement is, where its wording makes that clear. In doubt it is none.

A constraint, goal or preference stands in every opening of a session, so a false alarm costs more than a miss. The cue
that comes first decides: "we decided to always use UTC" is a decision, "never push to main, we agreed" a constraint.
A sentence that describes how some other thing has to behave is no constraint: "the callback must return a list".
"""

from __future__ import annotations

import re
from typing import Final

from substrate.cues.phrases import Phrases

__all__ = ["type_cue"]

_READ: Final = 400
"""Characters: what stands later in a long text does not say what the whole of it is."""

_TYPES: Final = Phrases(
    {
        "decision": (
            "^decision/decided :",
            "we/i/they/team decided",
            "we've/i've decided",
            "we/i/they have/had decided",
            "decided to/on/against/that",
            "was/is decided",
            "the/our/my decision is/was",
            "we/they agreed to/on/that",
            "we've agreed to/on/that",
            "we/i/they chose/picked",
            "we've/i've chosen/picked",
            "we/i/they settled on",
            "we/i/they opted for/to",
            "we'll use",
            "we will use",
            "we're/i'm going with",
            "we are going with",
            "^let's use",
            "^let's go with",
            "^from now on",
        ),
        "preference": (
            "^preference/preferences :",
            "i/we/he/she/they/user prefer/prefers/preferred",
            "prefers",
            "i'd/we'd rather",
            "i/we would rather",
            "i/we like/love/hate/dislike",
            "i/we really like/love/hate/dislike",
            "i/we don't like",
            "i/we do not like",
            "my/our preferred",
            "my/our favourite/favorite",
            "i want you to",
            "please always/never/don't/use/answer/write/keep/call/avoid",
            "please do not",
            "^call me",
        ),
        "goal": (
            "^goal/goals/objective/aim :",
            "my/our/the goal/objective/aim/target is",
            "my/our/the main/long/ultimate/next goal/objective/aim is",
            "we/i want to",
            "we/i aim/intend/hope/plan to",
            "we're/i'm aiming/planning/hoping to",
            "we are aiming/planning/hoping to",
        ),
        "constraint": (
            "^constraint/constraints/rule/requirement :",
            "must",
            "mustn't",
            "^never/always",
            "should/shall always/never",
            "shall not",
            "^do not",
            "^don't",
            "is/are not allowed",
            "is/are forbidden/prohibited/mandatory",
            "under no circumstances",
            "^only use",
            "no * may/is allowed",
        ),
        "procedure": (
            "^procedure/steps/runbook/recipe :",
            "^how to",
            "^to * run/call/type/open/click/execute",
            "^to * * run/call/type/open/click/execute",
            "^to * * * run/call/type/open/click/execute",
            "^first run/open/click/install",
            "follow these steps",
        ),
        "task": (
            "^todo/task/reminder",
            "^remember/remind to",
            "^remind me to",
            "^don't forget to",
            "^do not forget to",
            "need/needs to be done",
        ),
        "event": ("^event/incident :",),
        "fact": ("^fact/fyi :",),
        "": (
            "must have been",
            "must be kidding/joking",
            "i/we want to know/ask/understand/say",
            "i/we like/love/hate the idea",
            "never mind",
            "don't know",
            "do not know",
            "don't remember",
            "don't think",
            "^don't worry",
            "i must",
            "must see/read/try/watch",
        ),
    }
)

_OF_A_SUBJECT: Final = ("must", "should", "shall", "is/")
"""How phrases of a constraint begin that stand behind their subject, which decides whether they are a rule."""
_SPEAKERS: Final = frozenset({"we", "you", "everyone", "everybody", "nobody"})
_DESCRIBED: Final = frozenset(
    {
        *("a", "an", "any", "each", "he", "her", "his", "it", "its", "one", "she", "such"),
        *("that", "the", "their", "these", "they", "this", "those", "which"),
        *("caller", "callers", "implementation", "implementations", "implementers", "subclass", "subclasses"),
    }
)
"""Words with which the description of a thing begins."""
_SUBJECT_WORDS: Final = 4
_SENTENCE_END: Final = re.compile(r"[.!?;\n]")
_CODE: Final = re.compile(r"[`_()\[\]<>{}=]|[a-z][A-Z]|\w\.\w")

_HAPPENINGS: Final = Phrases(
    {
        "happened": (
            "moved/switched/migrated/launched/shipped/released/deployed/merged/met/signed/happened/crashed/failed",
            "broke/joined/left/started/finished/upgraded/renamed/hired/closed/opened/announced/went/visited/occurred",
            "bought/sold/moved/published/retired/lost/won/talked/spoke/called",
        ),
        "when": (
            "yesterday",
            "last/this week/month/year/quarter/night/monday/tuesday/wednesday/thursday/friday/saturday/sunday",
            "last spring/summer/autumn/fall/winter",
            "on monday/tuesday/wednesday/thursday/friday/saturday/sunday",
            *(
                f"{word} january/february/march/april/may/june/july/august/september/october/november/december"
                for word in ("in", "on", "since", "last")
            ),
            *(f"in {year}" for year in range(1990, 2060)),
            *(f"on {year}" for year in range(1990, 2060)),
            *(f"on {day}" for day in range(1, 32)),
            "today",
            "this morning/afternoon/evening",
            "days/weeks/months/years ago",
        ),
    }
)

_DOUBTS: Final = Phrases(
    {
        "doubt": (
            "maybe/perhaps/possibly/might",
            "not sure",
            "unsure",
            "not/never decided",
            "haven't/hasn't/didn't decided/decide/agreed/agree",
            "not yet",
            "no decision",
            "to be decided",
            "considering",
            "wondering whether/if",
            "^if",
            "^should/shall/can/could/do/does/did/is/are/was/will/would we/i/you/he/she/it/they/the/there/our/my/this",
            "^what/who/why/when/where/which",
            "still open",
        )
    }
)


def type_cue(text: str) -> str | None:
    """The type of atom that the statement clearly is; None if it is not clear, a question, or in doubt."""
    read = text[:_READ]
    if text.rstrip().endswith("?") or _DOUBTS.find(read):
        return None
    for cue in _TYPES.find(read):
        if (
            cue.kind != "constraint"
            or not cue.phrase.startswith(_OF_A_SUBJECT)
            or _is_ours(cue.before(read), cue.rest_of(read))
        ):
            return cue.kind
    return "event" if {cue.kind for cue in _HAPPENINGS.find(read)} == {"happened", "when"} else None


def _is_ours(before: str, after: str) -> bool:
    """Whether a phrase between these words is a rule of the speaker's: for us, or of a subject in a few plain words.

    "The API key must never be logged" is one, "the API key must be a string" is not.
    """
    words = before.split()
    if words and words[-1].lower() in _SPEAKERS:
        return True
    if not 0 < len(words) <= _SUBJECT_WORDS or (words[0].lower() in _DESCRIBED and not _forbids(words, after)):
        return False
    return not _CODE.search(before) and not _SENTENCE_END.search(before)


def _forbids(words: list[str], after: str) -> bool:
    return words[0].lower() == "the" and after.split()[:1] == ["never"]
