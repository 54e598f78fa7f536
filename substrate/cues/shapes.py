"""The form of a sentence: what it adds to the log-odds that it is worth keeping, beside its words (`cues/rules.py`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from substrate.cues.phrases import any_of as _any
from substrate.cues.phrases import pattern as _re
from substrate.cues.reports import REPORTS, sighs
from substrate.cues.speakers import is_former, is_of_others, takes_itself_back, takes_last_turn_back
from substrate.cues.talk import TALK, TASKS

__all__ = [
    "REQUEST",
    "TASK",
    "Shape",
    "begins_ban",
    "is_terse",
    "named_shapes",
    "objection",
    "objections_of",
    "shapes_of",
    "without_leads",
]

TASK: Final = -3.0
REQUEST: Final = "(a request for the task at hand)"


class Shape(NamedTuple):
    """What a form adds, of which kind it is, and what it is called."""

    weight: float
    kind: str
    called: str


_STOP: Final = r"\s*[,.:;!\u2013\u2014-]+\s*"
_LEADS: Final = _re(
    r"(?!(?:thanks|thank you|thx|sorry) for\b)",
    _any(
        "ok okay right yes yeah yep yup nope nah no_wait wait_no no hm+ ah+ oh uh ugh wow well so also btw "
        "by_the_way and but good great fine alright all_right sure cool nice perfect thanks thank_you thx wait "
        "hey hi_there hi hello_there "
        "hello look listen one_more_thing another_thing one_thing note fyi reminder remember important then now "
        "please_note for_the_record again anyway first agreed exactly correct sorry ps heads_up quick_note side_note "
        "just_so_you_know yes_please oops argh damn wonderful lovely excellent amazing awesome beautiful brilliant "
        "fantastic super delightful well_done (?:good|great|nice)_(?:work|job|point|one) phew yay omg aha haha lol "
        "as_always of_course hold_on done_thinking dear_\\w+"
    ),
    f"(?:{_STOP}|",
    r"\s+(?=",
    _any(
        "we i i'd i'll we'll we're let's don't never always the please it's that's all every this also for from use "
        "keep just so then now after no"
    ),
    r"\b))",
)
"""Words before a sentence that say nothing of it."""
_MOST_LEADS: Final = 4
_SOFTENERS: Final = _re(
    _any("please now then just also and so ok okay next quickly kindly go_ahead_and you_can you_could"), r"\s+"
)

_VERBS_AFTER: Final = "are is must have has should follow go stay need get can't don't may come live"
_NO_TASK: Final = _re(
    r"(?!",
    _any("show list print plot return include load display select take run rerun give export read count"),
    r")\w+ (?:only|always|never)\b|do not\b|change of plans?\b|\w+ (?:[a-z-]+ )?",
    _any("is has must stays should can cannot can't gets goes"),
    r" |\w+ [a-z-]+s(?: \S+){0,4} ",
    _any(_VERBS_AFTER),
    r"\b|\w+ [a-z-]+s: ",
)
"""What begins like a request, and is a statement: `commit messages are short`, `sync only on wifi`."""
_STANDING: Final = _re(
    r"\b",
    _any("from_now_on from_here_on from_today_on going_forward everywhere throughout every_time each_time whenever"),
    r"\b|\bin (?:this|our) ",
    _any("project repo codebase book study"),
    r"\b|\b",
    _any("as_a_rule by_default in_general in_future in_(?:all|every|each)_\\w+"),
    r"\b|^(?:write|spell|say|call) .*\bnot\b|^(?:treat|count|consider|regard|interpret) .* as\b"
    r"|^make (?:it|that) (?:max|min|at|no more|always|\d)",
)
"""What makes a request one for all tasks to come."""

_PLURAL: Final = r"[a-z-]*[^s\W]s"
_NO_PLURAL: Final = r"(?!this|those|these|its|yes|was|has|does|thus|plus|perhaps|always|there|things|(?:as|is|us)\b)"
_REPORTED: Final = (
    r"\w+ing\b broken slow missing wrong weird empty red green flaky down stuck gone too still not\b back now already "
    r"again ok fine good bad great nice odd different there here very so\b pretty huge ugly funny interesting "
    r"identical equal the_same hard easy up\b late sick ill busy"
)
"""What is seen of things just now, and is no rule for them."""
_NO_RULE: Final = (
    r"idea problem need worr way\b thank one\b clue rush hurry matter wonder doubt change difference luck error result "
    r"output more\b longer\b it\b that\b this\b i\b we\b don't not\b news reason the\b you\b failures?\b warnings?\b "
    r"response answer match such\b decision module file\b space connection tests?_(?:ran|found) attribute data\b route "
    r"rows permission biggie big_deal comment surprise message spinner sound reaction sign"
)
"""What `no` stands before without a rule: no idea, no problem."""

_NO_NOUN: Final = _re(r"(?:^|[,:;]\s+(?:so |and |but )?)no (?!", _any(_NO_RULE), r")[a-z]")
_WE_NO: Final = _re(r"we (?!have|had|see|saw|got|get|found|made)\w+ no (?!", _any(_NO_RULE), r")[a-z]")
_BEGINS_NO: Final = _re(r"no ")

_ALWAYS: Final = (
    (-4.0, "against", "(it, this, that)", _re(r"(?:do not|don't|never|not|please)?\s*\S+(?: \S+)? ",
     _any("it this that them these those one"), r"[.!]*$").match),
    (-2.0, "against", "(this, that)", _re(
        r"(?:this|that|these|those|which)(?:'s (?!wrong|incorrect)|'re | (?!is wrong)",
        _any("is are was were should must needs? works? fails? looks? seems? does can can't will has have"),
        r"\b)").match),
    (-2.0, "against", "(this ...)", _re(
        r"\bthis ", _any("error message function file test line button page plot section paragraph code class method"),
        r"\b").search),
    (-2.0, "against", "(an error)", re.compile(
        r"\b[A-Z]\w*(?:Error|Exception)\b|\b(?:[Ee]rror|[Ee]xception|[Tt]raceback)\b[^,;]*:").search),
    (-1.0, "against", "(a place in the text at hand)", _re(
        r"\b(?:line|step|figure|fig|row|cell) \d+|\bthe ",
        _any("failing above next other rest_of_the first last second"), " ",
        _any("ones? two three five ten test paragraph line section"), r"\b").search),
    (3.5, "decision", "(... is out)", _re(r"\b(?:is|are) (?:out|gone)(?=\s*(?:[,.;!]|$))").search),
    (2.0, "decision", "(use ... for)", _re(
        r"(?:please )?use (?!the same|a\b|it|this|that)\S+(?: \S+){0,3} (?:for|as|in|with|when|on|to) ",
        r"(?!this|it\b|that|now|these|those)").match),
    (3.0, "decision", "(this, not that)", _re(
        r"(?:[,;(]\s*|\s[-\u2013\u2014]+\s*)(?:and |so |but )?not (?!",
        _any(r"sure yet now bad really urgent needed that\b even only because"),
        r")|\bnot \S+(?: \S+){0,4},? but ").search),
    (4.0, "decision", "(... it is)", _re(
        r"^(?:so |then )?\S+(?: \S+){0,6} it is\b(?! \w+ing)(?=$|[.,;!]| then| for| with)|, so \S+ it is\b").search),
    (3.0, "decision", "(count ... as)", _re(
        r"(?:treat|count|consider|regard|interpret) .* as\b|make (?:it|that) (?:max|min|at|no more|always|\d)").match),
    (2.5, "constraint", "(..., don't ...)", _re(
        r"(?:[,;:] (?:so |and |but )?|\bso )(?:please )?(?:don't|do not|avoid|never|always) (?!",
        _any("you we they worry know think get see mind care bother"), ")").search),
)  # fmt: skip
"""Forms of any sentence."""
_NO_PRONOUN: Final = r"(?!(?:it|this|that|these|those|there|he|she|they|you|i|which|what|if|who)\b)"
_TERSE: Final = _re(
    rf"(?:{_NO_PRONOUN}(?!(?:and|but|not|so|just|now|ok|yes|no|my|even|since|until|back|every|each)\b)[\w.+#/-]+"
    r"(?: (?!it\b|this|that|them)[\w.+#/-]+){0,2} (?:only|then)(?:[.!]*$|, )"
    rf"|{_NO_PRONOUN}(?:\S+ ){{1,4}}(?:it )?stays?(?: put| in| on| as (?:it )?is| where it is)?(?:[.!]*$|,))"
)
"""`pgx only`, `kustomize then`, `the filter stays`."""
_STATED: Final = (
    (4.5, "decision", "(terse)", _TERSE.match),
    (2.5, "constraint", "(... stays so)", _re(
        rf"{_NO_PRONOUN}.*\b(?:stays?|remains?) (?:\w+ed|off|on|open|closed|shut|in|out|as|where)\b").match),
    (2.0, "decision", "(what a word means)", _re(
        rf"{_NO_PRONOUN}(?:\S+ ){{1,4}}(?:means?|counts? as|refers? to) (?!that|i\b|we|it\b|you)").match),
    (2.5, "constraint", "(..., nothing else)", _re(r"(?:,| and) nothing (?:else|more)(?=[,.;!]|$| in)").search),
    (2.5, "decision", "(which one wins)", _re(
        rf"{_NO_PRONOUN}.*\b(?:wins|win|(?:takes|has) (?:precedence|priority)|comes first)(?=[,.;!]|$)").match),
    (2.5, "constraint", "(... only)", _re(r"\bonly(?=\s*(?:[,.;!]|$))").search),
    (1.5, "decision", "(said of all of a kind)", _re(_NO_PLURAL, r"[a-z][a-z-]*[^s\W]s\b(?!')").match),
    (3.0, "constraint", "(... only ...)", _re(
        r"\w+ only ", _any("on in if when for with at to from the after before"), r"\b").match),
    (2.5, "decision", "(what all of a kind are)", _re(
        _NO_PLURAL, r"(?!(?:the|my|our|two|three|four) )",
        rf"(?:[a-z-]+ )?{_PLURAL}(?: \S+){{0,5}} are (?!", _any(_REPORTED), ")").match),
    (2.5, "decision", "(what all of a kind do)", _re(
        _NO_PLURAL, r"(?!", _any("users tests builds people results numbers values errors jobs workers logs"),
        rf")(?:[a-z-]+ ){{0,2}}{_PLURAL} (?:(?:in|with|of|from|for|on|under) \S+(?: \S+)? )?",
        _any("use follow go come have keep live start end contain include support return belong require ship inherit "
             "point expire carry refer begin default"), " ").match),
)  # fmt: skip
"""Forms of a statement: of one that is no request."""
_REQUEST_LAST: Final = _re(r"[,;] (?:so |and |please )*(\w+) (?:it|this|that|them)\b")
_NEGATED_LEAD: Final = _re(r"(?:no|nope|nah|wait|actually)\b\s*[,.:;!\u2013\u2014-]")
_CHOOSES: Final = _re(_any("keep use stay_with stick_with go_with leave make_it let's"), r" (?!me\b|going\b|trying\b)")
_COPULA: Final = _re(r"(?!it\b|that\b|this\b|i\b)\S+(?: \S+){0,4} (?:is|are|means|get|gets|has|have)\b")
_AGREED_LEAD: Final = _re(_any("good great fine alright all_right ok okay sure agreed perfect right"), r"\b")
_THEN: Final = _re(r"\bthen[.!]*$")
_IF: Final = _re(r"(?:and |but |so )?(?:if(?! in doubt)|unless|in case(?! of)|should you)\b")
_STANDING_IF: Final = _re(
    r"[,:] (?:then )?(?:you |we |it |they |\w+ )?",
    _any("must never always don't do_not has_to have_to ask stop use prefer"),
    r"\b",
)

_GENERAL_IF: Final = _re(
    r"(?:and |but |so )?if (?:the|an?|any|some) (?!.*\b", _any("would could might i we you wonder"), r"\b)[^?]*$"
)
"""What happens to things whenever it is so: `if the primary is down, the secondary gets paged`."""


_OBJECTIONS: Final = (
    *TALK,
    *REPORTS,
    (-9.0, "against", "(what others say)", is_of_others),
    (-9.0, "against", "(what was said or planned before)", is_former),
    (-9.0, "against", "(..., no wait)", takes_itself_back),
)
"""Forms that only ever speak against it."""


_SIGH: Final = -3.0


def named_shapes() -> Iterator[tuple[str, float, str]]:
    """The forms with what each adds, for people to read."""
    return ((kind, weight, called) for weight, kind, called, _ in (*_ALWAYS, *_STATED, *_OBJECTIONS))


def objection(judged: str, bare: str) -> float:
    """What is said in passing, by others, or no longer holds: what that takes from it."""
    return sum(weight for weight, _, _, stands in _OBJECTIONS if stands(bare)) + (_SIGH if sighs(judged) else 0.0)


def objections_of(judged: str, bare: str) -> Iterator[str]:
    """What speaks against it, by name."""
    yield from (called for _, _, called, stands in _OBJECTIONS if stands(bare))
    if sighs(judged):
        yield "(a sigh)"


def without_leads(judged: str) -> str:
    """The sentence without words before it that say nothing: `ok, so we ...`."""
    for _ in range(_MOST_LEADS):
        match = _LEADS.match(judged)
        if match is None or not judged[match.end() :].strip():
            return judged
        judged = judged[match.end() :]
    return judged


def begins_ban(bare: str) -> bool:
    """Whether it begins with a ban: `no Elasticsearch`."""
    return _BEGINS_NO.match(bare) is not None and _NO_NOUN.search(bare) is not None


def is_terse(bare: str) -> bool:
    """Whether it decides in a word or two: `pgx only`."""
    return _TERSE.match(bare) is not None


def shapes_of(judged: str, bare: str) -> Iterator[Shape]:
    """The forms that a sentence has. `bare` is without its leads."""
    asked = bare
    while match := _SOFTENERS.match(asked):
        asked = asked[match.end() :]
    first = asked.lower().split(maxsplit=1)[0].strip(".,:;!") if asked else ""
    is_task = first in TASKS and not _NO_TASK.match(asked)
    if is_task and not _STANDING.search(bare):
        yield Shape(TASK, "against", REQUEST)
    if (request := _REQUEST_LAST.search(bare)) is not None and request[1].lower() in TASKS:
        yield Shape(-2.0, "against", "(..., fix it)")
    if _IF.match(bare) and not _STANDING_IF.search(bare):
        yield Shape(-1.0 if _GENERAL_IF.match(bare) else -5.0, "against", "(if)")
    if _NO_NOUN.search(bare):
        yield Shape(3.5 if _BEGINS_NO.match(bare) else 2.5, "constraint", "(no ...)")
    if _WE_NO.match(bare):
        yield Shape(3.0, "constraint", "(we ... no ...)")
    for weight, kind, called, stands in (*_ALWAYS, *(() if is_task else _STATED)):
        if stands(bare):
            yield Shape(weight, kind, called)
    if not is_task and _NEGATED_LEAD.match(judged) and _COPULA.match(bare):
        yield Shape(2.0, "correction", "(no, ...)")
    if not is_task and _CHOOSES.match(bare) and takes_last_turn_back(judged):
        yield Shape(3.0, "decision", "(no wait, keep ...)")
    if not is_task and _AGREED_LEAD.match(judged) and _THEN.search(bare):
        yield Shape(3.0, "decision", "(good, ... then)")
