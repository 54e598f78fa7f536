"""What the grammar of a sentence says of it: its person, tense and scope.

A second opinion beside the words of the rules. Each author has other words, but all of them lay down rules with the
same grammar: *we* with a plain present, a passive, a contrast, all of a kind. What only happened has another: *I*,
*my*, *they*, a past, a single day, a measured number. Neither opinion decides alone: `weigh` counts both.

The weights are fitted by a logistic regression, and rounded. It looked at what the rules had found in sets by several
authors, before the rules were changed for them. So the weights tell which findings were wrong at first sight. `never`
and `always` count much by the rules; here they count less, as people also chat with them.
"""

from __future__ import annotations

from typing import Final

from substrate.cues.phrases import any_of, pattern
from substrate.cues.statements import Form
from substrate.cues.talk import TASKS

__all__ = ["CLAUSES", "weigh"]

_BIAS: Final = -0.14
_OF_RULES: Final = 0.55
"""What the log-odds by the rules count here."""
_LEAST, _MOST = -3.0, 5.0
"""What they are at least and at most: a sentence with many words of rules can still be a tale."""
_BELOW: Final = -0.3
_OPENS: Final = -0.55
"""The first of several sentences tells what the message is about. What holds comes later."""
_FEW_WORDS: Final = 4

_STATES: Final = any_of(
    "have had see saw know knew are were was need needed think thought can could would should might may must will got "
    "get want wanted did didn't don't do said went found made tried lost met ran took told heard like hope love guess "
    r"still already just even really probably both all \w+ed"
)
_WE_DO: Final = pattern(
    r"(?:^|[,:;] )(?:(?:so|then|and|but|fine|now|ok),? )*we (?:(?:always|never|only) )?(?!", _STATES, r"\b)[a-z]+\b"
)
_COMMITS: Final = pattern(
    r"\b",
    any_of(
        r"decided agreed settled voted chose picked going_with go_with from_now_on stays? let's final for_good stick "
        r"(?:made_up|changed)_(?:my|our)_minds?"
    ),
    r"\b|\b(?:it is|then)(?=[.,!]|$)",
)
_NEGATION: Final = pattern(r"\b(?:not|no|never|nothing|nobody|none|neither|without|dont)\b|n't\b")
_PREFERS: Final = pattern(
    r"\b(?:prefer|rather|hate|can't stand|i (?:(?:don't|do not) )?(?:want|like)|(?:i|we)(?:'d| would) like)\b"
)
_EVERYWHERE: Final = pattern(
    r"\b(?:throughout|everywhere|per|(?:in|for|at|on|to|with|before|after) (?:all|every|each|any)|",
    r"(?:of|in|from|for) everything)\b",
)
_LABEL: Final = pattern(r"\S+(?: \S+){0,3}(?::| =) ")
_ALL_OF_A_KIND: Final = pattern(
    r"(?!", any_of(r"this yes was has does as\b is\b us\b always perhaps plus"), r")[a-z-]+[^s\W]s\b(?!')"
)
_IS_DONE: Final = pattern(r"\b(?:is|are|gets?|be) (?:not |never |always |only |to be )?\w+(?:ed|en|nt|pt|ut|wn|ld)\b")
_IS: Final = pattern(r"(?!it|that|this|there)\S+(?: \S+){0,3} (?:is|are) ")
_REASON: Final = pattern(r"\b(?:because|otherwise|cause)\b|[,;] (?:that's|so|it's|the|we)\b")

_OTHERS: Final = pattern(
    r"(?:the |our |my |an? |some |one )?",
    any_of(
        r"mrs? ms dr mum mom dad grandma father mother brother sister cousin uncle aunt wife husband son daughter "
        r"\w+-in-law neighbours? neighbors? friends? colleagues? people everyone everybody somebody someone others? "
        r"owners? boss chairman director doctors? editors? reviewers? referees? founders? clients? customers? users? "
        r"students? parents? guys? he she they one"
    ),
    r"\b(?! ",
    any_of("must may has_to have_to only never always shall should can cannot can't gets?"),
    r"\b)",
)
_MY: Final = pattern(r"my [a-z]")
_ME: Final = pattern(r"\b(?:me|my|i|myself|mine)\b")
_IT: Final = pattern(r"(?:it|it's|its|this|that|that's|these|those|there|there's|here)\b")
_THE: Final = pattern(r"the\b")
_SAYS: Final = pattern(
    r"\b", any_of("says? said thinks? thought asks? asked tells? told claims? wants? wanted promises? finds"), r"\b"
)
_PAST: Final = pattern(
    r"(?<!be )(?<!is )(?<!are )(?<!get )(?<!gets )(?<!not )\b",
    any_of(
        "was were had did didn't wasn't got went said wrote came took told gave saw heard found thought sent made met "
        "ran felt knew spent lost bought paid forgot fell sold used_to broke became left_it"
    ),
    r"\b|^(?:[\w'-]+ ){1,3}(?<!is )(?<!are )(?<!be )(?!need)[a-z]{2,}ed (?:",
    any_of("the a an my in on at to for us me it"),
    r"|\d)",
)
_NOW: Final = pattern(
    r"\b",
    any_of(
        r"now today tonight yesterday tomorrow already still again yet this_(?:morning|week|time|year) last_\w+ since "
        "just so_far by_now at_the_moment apparently sometimes exactly anyway currently"
    ),
    r"\b",
)
_ONE_DAY: Final = pattern(
    r"\b(?:on|by|until|till|for|since|this|next) (?:mon|tues|wednes|thurs|fri|satur|sun)day\b",
    r"(?! (?:morning|evening|night|noon)s)|\bthe \d+(?:st|nd|rd|th)\b",
)
_HAS: Final = pattern(r"\S+(?: \S+){0,3} (?:has|have) (?!to\b|no\b|\w+ed\b)")
_MEASURED: Final = pattern(r"(?<![\d:.,/v-])(?:\d+\.\d+|\d+[1-46-9])(?!\d|[:.,/-]\d)\b")
"""What is measured is seldom round: `14.2`, `611`."""
_SO_IT_IS: Final = pattern(
    r"\b(?:is|are)(?: an?| very| so| too| quite| all)? (?!\w+ed\b|on\b|off\b|out\b)[a-z]+(?=[.,!]|$)"
)
_FEELS: Final = pattern(
    r"\b",
    any_of(
        "lol haha funny happy sad tired nice great good bad awful lovely terrible horrible strange weird wrong fine "
        "thanks sorry fun mess nightmare ok sure wonderful beautiful odd poor fortune scary dead"
    ),
    r"\b",
)
_NEVER: Final = pattern(r"\b(?:never|always)\b")


def _is_of_me(bare: str) -> bool:
    """Whether the person is in it, but neither decides nor wishes anything."""
    return _ME.search(bare) is not None and not (_PREFERS.search(bare) or _COMMITS.search(bare))


def _is_task(bare: str) -> bool:
    return bool(bare) and bare.split(maxsplit=1)[0].lower().strip(".,:;!") in TASKS


CLAUSES: Final = (
    Form(0.95, "(commits to it)", _COMMITS.search),
    Form(0.8, "(we do it)", _WE_DO.search),
    Form(0.75, "(not)", _NEGATION.search),
    Form(0.65, "(a label)", _LABEL.match),
    Form(0.65, "(everywhere)", _EVERYWHERE.search),
    Form(0.6, "(all of a kind)", _ALL_OF_A_KIND.match),
    Form(0.5, "(is done)", _IS_DONE.search),
    Form(0.5, "(a task, and yet a rule)", _is_task),
    Form(0.4, "(prefers)", _PREFERS.search),
    Form(0.4, "(something is)", _IS.match),
    Form(0.3, "(because, so)", _REASON.search),
    Form(-1.1, "(I or my in it)", _is_of_me),
    Form(-0.95, "(somebody else)", _OTHERS.match),
    Form(-0.9, "(now)", _NOW.search),
    Form(-0.8, "(a feeling)", _FEELS.search),
    Form(-0.8, "(past)", _PAST.search),
    Form(-0.8, "(on one day)", _ONE_DAY.search),
    Form(-0.8, "(something has)", _HAS.match),
    Form(-0.65, "(never or always)", _NEVER.search),
    Form(-0.6, "(short)", lambda bare: len(bare.split()) <= _FEW_WORDS),
    Form(-0.6, "(says or wants)", _SAYS.search),
    Form(-0.5, "(it, this, there)", _IT.match),
    Form(-0.5, "(a number that is not round)", _MEASURED.search),
    Form(-0.45, "(the)", _THE.match),
    Form(-0.4, "(so it is)", _SO_IT_IS.search),
    Form(-0.35, "(my)", _MY.match),
)


def weigh(bare: str, by_rules: float, *, opens: bool) -> float:
    """The log-odds that a sentence is worth keeping: by the rules and by its grammar.

    `opens`: whether it is the first of several sentences.
    """
    total = _BIAS + _OF_RULES * max(_LEAST, min(by_rules, _MOST)) + (_BELOW if by_rules < 0 else 0.0)
    return total + (_OPENS if opens else 0.0) + sum(form.weight for form in CLAUSES if form.has(bare))
