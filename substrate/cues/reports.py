"""What is told and not laid down: what happened, what is going on, what somebody has or sees, what others want.

Told is what the main clause tells. `S14 was contaminated, leave it out` goes on to a norm, and a reason behind a norm
may tell anything: `times are in UTC, the crew got confused last year`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from substrate.cues.phrases import any_of, pattern

__all__ = ["REPORTS", "sighs"]

_CLAUSE: Final = pattern(
    r"[,;:]| (?:",
    any_of("so because but which who unless until than where if that since as when before after while whatever"),
    r"|and (?:it|we|i|he|she|they|the|now|then)) |$",
)
_NORM: Final = pattern(
    r"(?:[,;:.] *| (?=so|and|but))(?:\b(?:so|and|but|then|therefore|hence|please|now)\b,? *)*(?:",
    any_of("no not don't do_not never always only leave treat keep use avoid ignore stay skip take drop nothing"),
    r"\b(?! ",
    any_of(r"idea way wonder surprise fun bad sure one\b permit problem luck even again to\b \w*s?_me"),
    r")|now it's|that's what|they are excluded|(?!(?:i|it|he|she|they|that|this)\b)(?:.*\b(?:",
    any_of("must mustn't should can't cannot won't may is_out are_out stays? it_is"),
    r"|(?<!will )(?:have|has) to (?!hurry|wait|stop|go)|is \d|(?:is|are) (?:excluded|not?))\b",
    r"|(?:we|cook|call|ask) (?!see|had|have|were|got)\w+))",
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
    r"(?<!be )(?<!is )(?<!are )(?<!get )(?<!gets )\b",
    any_of(
        "was were wasn't weren't had hadn't did didn't got went said wrote came took told gave saw heard found thought "
        "asked wanted tried looked sent made met ran ate used_to became began felt knew worked liked happened turned "
        "spent lost bought paid called started stopped finished noticed forgot showed fixed broke fell blew slept sold "
        "built grew drew drove flew led lent rang rose sang sat shook spoke stole stood swam taught threw wore woke "
        "understood brought caught died left_(?:the|it|me|us)"
    ),
    r"\b|^(?:(?!",
    any_of("is are gets? be must may should can has have i'd not no only without means? goes"),
    r"\b)[\w'-]+ ){1,7}?(?!",
    any_of("need based required allowed limited shared signed feed speed seed hundred indeed embed exceed proceed"),
    r"|(?:red|bed|shed)\b)\w{2,}ed(?: (?:",
    any_of(r"the it them an? all to that us me my his her on in again any\w* every\w* nothing \w+day"),
    r")\b|$)",
)
_GOES_ON: Final = pattern(
    r"\b(?:",
    any_of("i'm im i_am we're we_are they're they_are he's she's it's is are"),
    r") (?:",
    any_of("still_ now_ all_ already_ just_ always_"),
    r")*(?!",
    any_of(
        r"going string using_\w+ sticking keeping dropping staying moving doing switching nothing anything missing "
        r"during something everything being shipping combining building_on"
    ),
    r"\b)\w{2,}ing\b(?! (?:is|are|must|has))|(?<!to )(?<!must )\bkeeps? (?!working|loading|running)\w+ing\b",
    r"|\b(?:has|have|i've|we've|he's|she's|they've) (?:\w+ )?been\b(?! (?:decided|agreed|banned|dropped))",
)
_I_AM: Final = pattern(
    r"\b(?:i've been|(?:so|and|,) (?:i'm|im) (?!",
    any_of("going using sticking keeping dropping staying moving switching combining"),
    r")\w+ing)\b",
)
_HAS: Final = pattern(
    r"(?:i|we)(?:'ve| have|'m| am|'re| are|'ve got| have got| got) (?:",
    any_of("only_ just_ still_ now_ about_ also_"),
    r")*",
    any_of(r"an? the at in on out off up down here there back two three four only got heard seen had \d+"),
    r"\b(?! (?:fan|vegetarian|vegan|budget|limit|policy|rule))|(?:(?:i|we) )?haven't (?!decided)\w+",
    r"|(?:i|we)(?: have|'ve) no |i (?:live|work|study|teach|grew|come)\b|i only (?:have|need|want|did|got|see)\b",
)
_HIM: Final = pattern(
    r"(?:(?:he|she|they)(?:'s|'re|'ve|'ll)?|it|there|there's|that) (?!",
    any_of(r"has_to have_to must may can't cannot loads never_\w+s is_decided decided wrong off want work haven't"),
    r"\b)\w+",
)
_SOME: Final = pattern(
    any_of("some half most many few several one two both"),
    r" of\b|everyone at\b|(?:some|many|several|most) (?!\w+ of)\w+s\b",
)
_WANTS: Final = pattern(
    r"(?:apparently |also |now |still )*(?!(?:i|we|you|let's|let|it)\b)(?:[\w'-]+ ){1,4}?(?:",
    any_of("wanted used_to insisted hopes? hoped wishes dreams asked begs"),
    r"|(?:has|have) (?:now |also )?(?:decided|asked)|would (?:like|prefer|rather|always)",
    r"|(?:is|are|keeps?|kept) (?:still |always )?",
    any_of("saying telling asking pushing demanding begging complaining suggesting insisting"),
    r")\b|(?:they|he|she)(?:'ve|'s| have| has)? (?:decided|chosen|picked|insists?)\b",
    r"|(?:mum|mom|dad|he|she|they|grandma|my (?:brother|sister|mate|uncle|aunt|mother|father)) wants?\b(?! it in)",
    r"|.*\b(?:saying (?:that )?(?:you|we|one|i)\b|according to the (?!law|contract|guide|policy))",
)
_CHATS: Final = pattern(
    r"no ",
    any_of("rush wonder surprise hurry worries problem way idea kidding luck thanks clue offen[cs]e"),
    r"\b|not (?:bad|that|this|the|so|really|quite|again)\b|can't (?:believe|wait|complain|remember)\b|",
    any_of("good nice great glad happy funny lucky sad strange weird"),
    r" (?:to|that|how|thing)\b|(?:wish|such an?|what an?|back (?:from|in)|as if|all in all|same here)\b",
    r"|it's the \w+ time\b|that can't be\b|(?:i|we) (?:would|could) never have\b",
    r"|.*\b(?:no (?:surprise|wonder)|i must be \w+ing|hope (?:so|not)|by the way)\b|.*(?:\b",
    any_of(
        r"as_always i_hope i_guess of_course poor_\w+ typical not_fun no_way or_whatever or_so or_something "
        r"we'll_see fingers_crossed to_be_honest tbh my_bad hooray as_usual"
    ),
    r"|(?<!it )(?<!that )\banyway)\W*$|(?:within|until|till|see you|thanks|cheers) (?:\S+ ){0,3}?",
    any_of(r"then \w*day soon later tomorrow hour errors"),
    r"\b(?!.*\b(?:is|are|must)\b)",
)
_SIGHS: Final = pattern(any_of(r"mm+ hm+ oof ouch ha haha\w* hehe well oh_no hello aha uh+ ugh wow lol phew"), r"\b")
_BESIDES: Final = pattern(
    r"(?:,| and| then| so)+ (?:please |also |just )*",
    any_of(
        "show tell give shift look check_(?:it|if|the|that|again) send list plot run fix_(?:it|the|that|this) add help "
        "compare explain rename make_(?:a|me|the|two|three) put_(?:it|them|the) start_with let_me drop_the "
        "write_(?:it|me|a)"
    ),
    r"\b|\b(?:can|could|would|will) (?:u|ya|you|we)\b|\b",
    any_of("isn't doesn't aren't don't what_did where_could how_do what_do"),
    r" (?:it|they|you|we|that|i)\b",
)
_WHENEVER: Final = pattern(any_of("before when whenever if after every each"), r"\b")
_AT_HAND: Final = pattern(
    r"(?:(?:and|then|now|please|only|just|also|again|not)\b[ ,]*)*(?:(?:the same (?:with|for|again)|show me)\b",
    r"|(?!the\b|it\b|we\b)[a-z']{3,} (?:(?!is\b|are\b|from\b)[a-z']+ ){0,4}?",
    any_of("this_time for_the_moment the_others? the_ones? that_one in_there me_an?"),
    r"\b)|.*\bi (?:only|just) (?:want|need)\b|(?:and )?now (?:only|just|the|with|without|for) |just an? ",
    r"|for this one\b|the same\b|the \w+ one\b(?! (?:is|are|must|has|gets|goes|wins|stays))",
    r"|let's do .*\bfirst\b|.*\bthis one\W*$",
)
_MEASURED: Final = pattern(
    r"\d\S*(?: \w+)? instead of (?:the )?\d|, should be \d|\b(?:more|less|fewer) than (?:in|last|before)\b",
    r"|\bmore than (?:i|we) (?:expected|thought|hoped)|\b(?:all|half|most|some|none|two|three|four|\d+) of them\b",
    r"|\b(?:below|above|than|over|under) last (?:year|month|week|time)\b|^(?:half|two|three|most|\d+) (?:of|my)\b",
    r"|\btakes? (?:about |around |only )?\w+ (?:sec|min|hour|day|week)\w* to\b",
)
_SEEN: Final = pattern(
    r"\bon my (?:laptop|phone|machine|screen|computer|tablet)\b|^now (?:the|my|there) |^",
    any_of("click press open select scroll hover typ tapp push"),
    r"ing\b|^(?:since|after) the (?:update|upgrade|migration|change|restart|move|release|deploy\w*)\b",
    r"|(?:when|every time|each time|as soon as) i(?:'m| am)? (?!said|write|ask|say)\w",
    r"|\b(?:is|are) (?:on (?:holiday|leave|vacation)|sick|ill|away|late)\b|\ball (?:the|my|our) (?:\w+ )+are gone\b",
    r"|\bmust have (?!an?\b|the\b|at\b)\w+(?:ed|en|ne|wn|t)\b|\b(?:may|might) have (?:to|\w+ed)\b",
)


def _main(bare: str) -> str:
    end = _CLAUSE.search(bare)
    return bare[: end.start()] if end else bare


def _told(told: Callable[[str], object], *, unless_decided: bool = True) -> Callable[[str], bool]:
    """A form of the main clause, where no norm follows it."""

    def stands(bare: str) -> bool:
        main = _main(bare)
        if not told(main) or (unless_decided and _DECIDED.search(bare)):
            return False
        return _NORM.match(bare, len(main)) is None

    return stands


def _asks_besides(bare: str) -> re.Match[str] | None:
    return None if _WHENEVER.match(bare) else _BESIDES.search(bare)


def sighs(judged: str) -> bool:
    """Whether a sentence begins with a sigh or a greeting."""
    return _SIGHS.match(judged) is not None


REPORTS: Final[tuple[tuple[float, str, str, Callable[[str], object]], ...]] = (
    (-5.0, "against", "(what was)", _told(_PAST.search)),
    (-4.0, "against", "(what is going on)", _told(_GOES_ON.search)),
    (-4.0, "against", "(what I am doing)", _I_AM.search),
    (-4.0, "against", "(what I have, where I am)", _told(_HAS.match)),
    (-2.0, "against", "(what he, she or it does)", _told(_HIM.match)),
    (-5.0, "against", "(what some do)", _told(_SOME.match)),
    (-9.0, "against", "(what others want)", _told(_WANTS.match, unless_decided=False)),
    (-5.0, "against", "(in passing)", _CHATS.match),
    (-3.0, "against", "(and asks for more)", _asks_besides),
    (-5.0, "against", "(these, here)", _AT_HAND.match),
    (-4.0, "against", "(a measurement)", _MEASURED.search),
    (-4.0, "against", "(seen or guessed)", _SEEN.search),
)
