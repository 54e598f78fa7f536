"""What is told and not laid down: what happened, what is going on, what somebody has or sees, what others want.

Told is what the main clause tells. `S14 was contaminated, leave it out` goes on to a norm, and a reason behind a norm
may tell anything: `times are in UTC, the crew got confused last year`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from substrate.cues.patterns import any_of, pattern

__all__ = ["TELLING", "sighs"]

_CLAUSE: Final = pattern(r"[,;:]| (?:so|because|but|which|who|unless|until|than|where|if|that|since|as|when|and (?:it|we|i|he|she|they|the|now|then)) |$")
_NORM: Final = pattern(
    r"(?:[,;:.] *| (?=so|and|but))(?:\b(?:so|and|but|then|therefore|hence|please|now)\b,? *)*(?:",
    any_of("no not don't do_not never always only leave treat keep use avoid ignore stay skip take drop nothing nobody"),
    r"\b(?! (?:idea|way|wonder|surprise|fun|bad|sure|one\b|permit|problem|luck|even|again|to\b|\w*s? me))|now it's|that's what|they are excluded",
    r"|(?!(?:i|it|he|she|they|that|this)\b)(?:.*\b(?:(?<!will )(?:have|has) to (?!hurry|wait|stop|go)|",
    any_of("must mustn't should can't cannot won't may is_out are_out stays? it_is"),
    r"|is \d|(?:is|are) (?:excluded|not?))\b|(?:we|cook|call|ask) (?!see|had|have|were|got)\w+))",
)
"""What the person makes of it."""
_DECIDED: Final = pattern(
    r"\b",
    any_of(
        "decided agreed settled chose chosen picked voted opted dropped retired switched moved banned adopted "
        "standardi[sz]ed changed_(?:my|our) (?:was|were|am)_(?:wrong|mistaken) confirmed won cancelled canceled "
        "declined approved replaced ditched abandoned decision rather"
    ),
    r"\b",
)
_PAST: Final = pattern(
    r"(?:^|(?<!not )(?<!be )(?<!is )(?<!are )(?<!get )(?<!gets )\b)",
    any_of(
        "was were wasn't weren't had hadn't did didn't got went said wrote came took told gave saw heard found thought "
        "asked wanted tried looked sent made met ran ate used_to became began felt knew worked liked happened turned "
        "came spent lost bought paid called started stopped finished noticed forgot showed "
        "fixed broke fell left_(?:the|it|me|us) blew slept"
    ),
    r"\b|^(?:(?!is\b|are\b|gets?\b|be\b|must\b|may\b|should\b|can\b|has\b|have\b|i'd\b|not\b|no\b|only\b|without\b|means?\b|goes\b)[\w'-]+ ){1,5}?"
    r"(?!need|based|required|allowed|limited|shared|signed|red\b|bed\b|feed|speed|seed|shed\b|hundred|indeed|embed|exceed|proceed|unless)"
    r"\w{2,}ed(?: (?:the|it|them|an?|all|to|that|us|me|my|his|her|on|in|again)\b|$)",
)
_GOES_ON: Final = pattern(
    r"\b(?:i'm|im|i am|we're|we are|they're|they are|he's|she's|it's|is|are) (?:still |now |all |already |just |always )*(?!",
    any_of(
        "going string using_\\w+ sticking keeping dropping staying moving doing switching nothing anything "
        "missing during something everything being shipping combining building_on"
    ),
    r"\b)\w{2,}ing\b(?! (?:is|are|must|has))|(?<!to )(?<!must )\bkeeps? (?!working|loading|running)\w+ing\b",
    r"|\b(?:has|have|i've|we've|he's|she's|they've) (?:\w+ )?been\b(?! (?:decided|agreed|banned|dropped))",
)
_I_AM: Final = pattern(
    r"\b(?:i've been|(?:so|and|,) (?:i'm|im) (?!going|using|sticking|keeping|dropping|staying|moving|switching|combining)\w+ing)\b"
)
_HAS: Final = pattern(
    r"(?:i|we)(?:'ve| have|'m| am|'re| are|'ve got| have got| got) (?:only |just |still |now |about |also )*"
    r"(?:an?|the|at|in|on|out|off|up|down|here|there|back|two|three|four|only|got|heard|seen|had|\d+)\b"
    r"(?! (?:fan|vegetarian|vegan|budget|limit|policy|rule))|(?:(?:i|we) )?haven't (?!decided)\w+|(?:i|we) (?:have no|'ve no) |i only (?:have|need|want|did|got|see)\b"
)
_HIM: Final = pattern(
    r"(?:(?:he|she|they)(?:'s|'re|'ve|'ll)?|it|there|there's|that) (?!",
    any_of("has_to have_to must may can't cannot loads never_\\w+s is_decided decided wrong off want work haven't"),
    r"\b)\w+"
)
_SOME: Final = pattern(r"(?:some|half|most|many|few|several|one|two|both) of\b|everyone at\b|(?:some|many|several|most) (?!\w+ of)\w+s\b")
_SOMEBODY: Final = r"(?!(?:i|we|you|let's|let|it)\b)(?:[\w'-]+ ){1,4}?"
_WANTS: Final = pattern(
    rf"(?:apparently |also |now |still )*{_SOMEBODY}(?:(?:has|have) (?:now |also )?decided|wanted|would (?:like|prefer|rather|always)|used to|"
    r"(?:is|are|keeps?|kept) (?:still |always )?(?:saying|telling|asking|pushing|demanding|begging|complaining|suggesting|insisting)|"
    r"insisted|hopes?|hoped|wishes|dreams|asked|begs|(?:have|has) asked)\b"
    r"|(?:they|he|she)(?:'ve|'s| have| has)? (?:decided|chosen|picked|insists?)\b|.*\bsaying (?:that )?(?:you|we|one|i)\b|.*\baccording to the (?!law|contract|guide|policy)|(?:mum|mom|dad|he|she|they|grandma|my (?:brother|sister|mate|uncle|aunt|mother|father)) wants?\b(?! it in)"
)
_CHATS: Final = pattern(
    r"no (?:rush|wonder|surprise|hurry|worries|problem|way|idea|kidding|luck|thanks|clue|offen[cs]e)\b|not (?:bad|that|this|the|so|really|quite|again)\b"
    r"|(?:good|nice|great|glad|happy|funny|lucky|sad|strange|weird) (?:to|that|how|thing)\b|can't (?:believe|wait|complain|remember)\b"
    r"|that can't be\b|all in all\b|(?:i|we) (?:would|could) never have\b|i must be \w+ing|.*\bi must be \w+ing|.*\bhope (?:so|not)\b|same here\b|.*\bby the way\b"
    r"|.*(?:\b(?:as always|i hope|i guess|of course|by the way|poor \w+|typical|not fun|no way|or whatever|or so|or something|we'll see|fingers crossed|to be honest|tbh|my bad|hooray|as usual)|(?<!it )(?<!that )\banyway)\W*$"
    r"|(?:within|until|till|see you|thanks|cheers) (?:\S+ ){0,3}?(?:then|\w*day|soon|later|tomorrow|hour|errors)\b(?!.*\b(?:is|are|must)\b)"
)
_LEAD: Final = pattern(r"(?:mm+|hm+|ha|haha|well|oh no|hello|aha|uh+|ugh|wow|lol|phew|haha\w*|hehe)\b")
_BESIDES: Final = pattern(
    r"(?:,| and| then| so)+ (?:please |pls |also |just )*",
    any_of(
        "show tell give shift look check_(?:it|if|the|that|again) send list plot run fix_(?:it|the|that|this) add help compare explain rename make_(?:a|me|the|two|three) "
        "put_(?:it|them|the) start_with let_me drop_the write_(?:it|me|a)"
    ),
    r"\b|\b(?:can|could|would|will) (?:u|ya|you|we)\b|\b(?:isn't|doesn't|aren't|don't|what did|where could|how do|what do) (?:it|they|you|we|that|i)\b",
)
_AT_HAND: Final = pattern(
    r"(?:(?:and|then|now|please|only|just|also|again|not)\b[ ,]*)*(?:(?:the same (?:with|for|again)|(?:only )?show me)\b|(?!the\b|it\b|we\b)[a-z']{3,} "
    r"(?:(?!is\b|are\b|from\b)[a-z']+ ){0,4}?(?:this time|for the moment|the others?|the ones?|that one|in there|me an?)\b)|.*\bi (?:only|just) (?:want|need)\b"
    r"|(?:and )?now (?:only|just|the|with|without|for) |just an? |the same\b|the \w+ one\b(?! (?:is|are|must|has|gets|goes|wins|stays))|let's do .*\bfirst\b",
)

_WHENEVER: Final = pattern(any_of("before when whenever if after every each"), r"\b")
_MEASURED: Final = pattern(
    r"\d\S*(?: \w+)? instead of (?:the )?\d|\b(?:all|half|most|some|none|\d+) of them\b|\bmore than (?:i|we) (?:expected|thought|hoped)"
    r"|\b(?:more|less|fewer) than (?:in|last|before)\b|, should be \d|\bon my (?:laptop|phone|machine|screen|computer|tablet)\b|^(?:click|press|open|select|scroll|hover|typ|tapp|push)ing\b"
    r"|^(?:since|after) the (?:update|upgrade|migration|change|restart|move|release|deploy\w*)\b|\b(?:is|are) (?:on (?:holiday|leave|vacation)|sick|ill|away|late)\b"
    r"|\ball (?:the|my|our) (?:\w+ )+(?:is|are) gone\b|\bthis one\W*$"
)


def _main(bare: str) -> str:
    end = _CLAUSE.search(bare)
    return bare[: end.start()] if end else bare


def _told(bare: str, form: re.Pattern[str], *, anywhere: bool) -> bool:
    main = _main(bare)
    if (form.search if anywhere else form.match)(main) is None or _DECIDED.search(bare):
        return False
    return _NORM.match(bare, len(main)) is None


def happened(bare: str) -> bool:
    """Whether it tells what was: `the train was late, and there were no seats`."""
    return _told(bare, _PAST, anywhere=True)


def goes_on(bare: str) -> bool:
    """Whether it tells what is going on: `customers keep asking`, `I'm writing a talk`."""
    return _told(bare, _GOES_ON, anywhere=True) or _I_AM.search(bare) is not None


def has(bare: str) -> bool:
    """Whether a person tells what they have or where they are: `we're at 134 guests`."""
    return _told(bare, _HAS, anywhere=False)


def of_him(bare: str) -> bool:
    """Whether it tells what he, she or it does, and not what they have to."""
    return _told(bare, _HIM, anywhere=False)


def of_some(bare: str) -> bool:
    """Whether it tells of some of a kind: `half of the members never pay on time`."""
    return _told(bare, _SOME, anywhere=False)


def others_want(bare: str) -> bool:
    """Whether others want, ask or decided something: `some members wanted to go to 100 boxes`."""
    return _WANTS.match(bare) is not None and _NORM.match(bare, len(_main(bare))) is None


def chats(bare: str) -> bool:
    """Whether it is said in passing: `no rush`, `... as always`."""
    return _CHATS.match(bare) is not None


def sighs(judged: str) -> bool:
    """Whether it begins with a sigh or a greeting."""
    return _LEAD.match(judged) is not None


def asks_besides(bare: str) -> bool:
    """Whether a request follows: `..., and show me the residuals`."""
    return _BESIDES.search(bare) is not None and _WHENEVER.match(bare) is None


def at_hand(bare: str) -> bool:
    """Whether it is of what is at hand: `only the ones from April`."""
    return _AT_HAND.match(bare) is not None


TELLING: Final[tuple[tuple[float, str, str, Callable[[str], object]], ...]] = (
    (-4.0, "against", "(what was)", happened),
    (-4.0, "against", "(what is going on)", goes_on),
    (-4.0, "against", "(what I have, where I am)", has),
    (-2.0, "against", "(what he, she or it does)", of_him),
    (-5.0, "against", "(what some do)", of_some),
    (-6.0, "against", "(what others want)", others_want),
    (-5.0, "against", "(in passing)", chats),
    (-3.0, "against", "(and asks for more)", asks_besides),
    (-5.0, "against", "(these, here)", at_hand),
    (-4.0, "against", "(a measurement)", _MEASURED.search),
)
