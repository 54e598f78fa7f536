"""What is said in passing: thanks, praise, goodbyes, questions without their mark, and wishes for the task at hand.

Each form takes from the log-odds that a sentence is worth keeping.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from substrate.cues.phrases import any_of, pattern

__all__ = ["TALK", "TASKS"]

_TASKS: Final = (
    "add adjust align analyse analyze append apply assign attach break bring build bump calculate call "
    "change check clean clear click clone close cluster collapse collect combine comment commit compare "
    "compile compute configure connect continue convert copy correct count crawl create crop cut debug "
    "decrease define delete deploy describe design diff disable display do document download draft draw "
    "drop dump duplicate edit email embed enable execute expand explain export extend extract fetch "
    "figure fill filter find finish fit fix flatten format generate get give go grep group handle have "
    "help hide highlight implement import improve include increase insert inspect install integrate "
    "investigate join jump label launch let link list load log look lower make map mark measure "
    "merge migrate mock modify move open optimise optimize order paste patch pick ping plan play plot "
    "point polish post prepare print proceed profile publish pull push put query raise rank re-run read "
    "rebase rebuild recheck recompute record redo refactor reformat refresh regenerate register remove "
    "rename render reorder repeat rephrase replace reproduce rerun reset resize resolve restart restore "
    "restructure retry return revert review rewrite roll rotate round run sample save scan search see "
    "select send set setup share ship shorten show simplify skip solve sort speed split squash stage "
    "start stash submit suggest sum summarise summarize swap switch sync tag take tell test tidy tighten "
    "trace track train translate trim try tune turn undo uninstall unpack update upgrade upload validate "
    "verify view visualise visualize wait walk wire wrap write zip "
    "batch bench benchmark bold color colour demote estimate eval evaluate flash ignore index kill normalise normalize "
    "outline parse port promote redraft scaffold simulate structure "
)
TASKS: Final = frozenset(_TASKS.split())
"""Words that begin a request for the task at hand."""

_DECIDES: Final = frozenset(
    ("drop", "skip", "call", "make", "switch", "take", "set", "move", "do", "put", "pick", "start")
)
"""After `let's` these decide something as often as they begin it."""
_NO_TASKS: Final = frozenset(("go", "ship"))
_SOME: Final = r"(?:an?|the|another|some|(?:two|three|four|five|six|\d+) more) "
_GENERAL: Final = r"(?!.*\b" + any_of("every each all any always never per at_least at_most") + r"\b)"

_FEELS: Final = pattern(
    r"\b(?:i'm|i am|we're|we are) ",
    any_of("so_ very_ really_ just_ quite_ a_bit_ pretty_ still_ always_ too_"),
    "*",
    any_of(
        "relieved happy glad sorry tired excited impressed grateful thankful confused lost hungry curious afraid sure "
        "back busy late stuck proud sad amazed off_to about_to in_a_meeting in_a_call"
    ),
    r"\b|\b(?:thanks|thank you|thx|sorry) (?:so much|a lot|again|for)\b|\bi (?:know|see|agree)(?: that)?(?:[,.!]|$)",
    r"|\bmade my (?:day|week)\b|\bwhat i (?:was|had|wanted|needed|meant|expected)\b",
)
_PRAISES: Final = pattern(
    r"you(?:'re| are| were| have| did| made| saved| rock)\b(?! (?:an?|not|only|to|never|allowed|free|responsible) )",
    r"|what an? |it(?:'s| is) (?:all )?(?:really |very |so )?(?:nice|great|lovely|beautiful)\b",
)
_PARTS: Final = pattern(
    r"\b(?:gotta|got to|have to|need to|must|should) (?:go|run|leave|dash|catch|head)\b(?! ",
    any_of("through to via on over in with for"),
    r"\b)|\b",
    any_of("brb bbl good_?night bye see_you see_ya talk_later talk_soon talk_tomorrow"),
    r"\b|\bhave a (?:good|nice|great|lovely)\b",
)
_LAUGHS: Final = pattern(
    r"\b(?:lol|lmao|rofl|haha\w*|hehe\w*|sigh|funny|yeah right|xd)\b|[:;]-?[)(DP](?!\w)|\bnever (?:again|gonna)\b"
)
_HELPS: Final = any_of("is are was were do does did can could will would should has have had")
_ASKS: Final = pattern(
    any_of("whats wheres hows whos whens what's where's how's who's when's"),
    r"\b(?!.*:)|(?:which|whose|how (?:many|much|long|often|big|far|fast)|what (?!",
    any_of(r"we i\b you they it\b matters counts goes is\b"),
    rf"))\b(?! means)(?: \S+){{0,5}}? ?\b{_HELPS}\b(?!.*[,:])|(?:any|some) ",
    any_of("chance idea way news reason thoughts other"),
    rf"\b|(?:anything|what|something) else\b|wonder(?:ing)?\b|{_HELPS} ",
    any_of("it this that there the we i you they all any"),
    r"\b(?!.*:)|(?:is|are|does|did|was|were) (?!not\b|to\b|out\b|fine\b)(?!.*[,:])",
    r"|.*, (?:any (?:ideas?|thoughts)|what do you think|does that make sense|ok with you)\W*$",
)
_WISHES: Final = pattern(
    _GENERAL,
    r"(?:(?:\S+, )?(?:need|want|wanna|would like)\b(?: to (?P<to>\w+))?",
    rf"|(?:i|we)(?:'d like| need| want| wanna| would like) (?:to (?P<then>\w+)|{_SOME})",
    r"|let's (?:have a look|continue|(?P<lets>\w+))\b)",
)
_AT_HAND: Final = pattern(
    r"(?:please )?(?:use|keep|put|make|take|give|leave|try|don't|do not)\b.*(?:\b(?:here|there)[.!]*$"
    r"|\b(?:for|in|on|with) (?:this|that) ",
    any_of("one run plate file test case time round draft chart plot table function"),
    r"\b|\bfor (?:a|the) (?:moment|now|bit|while)\b)",
    r"|keep (?:going|that|this|it|on|trying)\b(?!.*\b(?:every|each) time)",
    r"|use (?:whatever|any|the (?:same|other|second|third|next|last|new))\b|no need\b|don't bother\b",
)
_WHILE: Final = pattern(
    r"\b(?:when(?:ever)?|every time|each time|once|if|as soon as) i ",
    any_of(
        "run click press open rotate start type call load save scroll try reload hover resize zoom log close move play "
        "import deploy"
    ),
    r"\b",
)
_TELLS: Final = pattern(
    r"(?:attached|here|below)(?: is|'s| are)\b|(?:yesterday|last (?:week|night|month|year|time)|this morning|earlier)"
    r"\b(?!.*\b(?:must|decided|agreed)\b)|(?:it|there|he|she|they) (?:was|were|had|went|took|came|got)\b",
    "|i (?:have |just |had )?",
    any_of(
        "had read looked went showed played tried saw got found checked watched noticed uploaded attached sent wrote "
        "forgot"
    ),
    r"\b",
)


def _wishes(bare: str) -> bool:
    """Whether it says what shall be done now: `need retries`, `I want to add a field`, `let's write the tests`."""
    match = _WISHES.match(bare)
    if match is None:
        return False
    verb = (match["to"] or match["then"] or match["lets"] or "").lower()
    if match["lets"]:
        return verb in TASKS - _DECIDES - _NO_TASKS
    return not verb or verb in TASKS - _NO_TASKS


TALK: Final[tuple[tuple[float, str, str, Callable[[str], object]], ...]] = (
    (-3.0, "against", "(feelings and thanks)", _FEELS.search),
    (-4.0, "against", "(praise)", _PRAISES.match),
    (-4.0, "against", "(goodbye)", _PARTS.search),
    (-4.0, "against", "(laughter)", _LAUGHS.search),
    (-5.0, "against", "(a question without its mark)", _ASKS.match),
    (-3.0, "against", "(a wish for the task at hand)", _wishes),
    (-3.0, "against", "(of what is at hand)", _AT_HAND.match),
    (-4.0, "against", "(seen while I do something)", _WHILE.search),
    (-4.0, "against", "(what happened)", _TELLS.match),
)
