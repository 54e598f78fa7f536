"""Which sentences of a message state something to keep: a constraint, a decision, a preference, a correction.

Each rule adds to, or takes from, the log-odds that a sentence is worth keeping; it is taken at even odds. What speaks
for it: words of rules (never, must, at most), of decisions (decided, going with), of preferences and corrections, and
of habit (we use, all of, in this project), and the plain form of a statement (`cues/statements.py`). What speaks
against it: questions, what is only imagined, doubt, and requests for the task at hand (fix it, run the tests). The
grammar of the sentence is a second opinion (`cues/clauses.py`). An explicit request to remember it decides alone
(`cues/requests.py`).
Quotations and pasted text are not the person's: see `cues/prose.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from math import exp, log
from typing import Final, NamedTuple

from substrate.cues.clauses import weigh
from substrate.cues.kinds import KINDS
from substrate.cues.phrases import Phrases
from substrate.cues.prose import Sentence, is_question, sentences
from substrate.cues.requests import asks_for_last, remembered
from substrate.cues.rules import RULES
from substrate.cues.shapes import REQUEST, TASK, Shape, begins_ban, is_terse, objection, shapes_of, without_leads
from substrate.cues.speakers import takes_back, takes_itself_back
from substrate.cues.statements import forms_of

__all__ = ["Decision", "Said", "decisions"]

_BIAS: Final = -2.1
_FLOOR: Final = -1.5
"""Below this, the grammar of a sentence is not looked at."""
_NEVER: Final = -9.0
"""The log-odds of what rules do not look at."""
_FEWEST_WORDS: Final = 3
_OF_A_BAN: Final = 2
"""No Elasticsearch."""
_MOST_RULES: Final = 3
_FURTHER: Final = 0.6
"""What further rules count: several words of a sentence often say the same. The strongest counts in full."""
_STRONG: Final = 3.0
_PLAIN: Final = "decision"
"""The kind of what only its form speaks for."""
_IN_LIST: Final = Shape(4.0, "constraint", "(in a list of rules)")
_ASKED: Final = Shape(3.0, "note", "(a request to remember it)")
_CLEAR: Final = 2.5
"""What a rule counts at least that says of which kind something is."""
_NOT_OWN: Final = frozenset({"quoted", "code"})
"""What stands in a sentence for a quotation or for code."""

_TABLE: Final = Phrases(
    {
        f"{kind} {weight}" if kind else "": phrases
        for kind, by_weight in RULES.items()
        for weight, phrases in by_weight.items()
    }
)


class Said(NamedTuple):
    """A sentence as rules see it, without leading words: its cues, its place `at` in the message, and `of` how many."""

    sentence: Sentence
    bare: str
    cues: tuple[Shape, ...]
    at: int
    of: int


class Decision(NamedTuple):
    """A sentence to keep, of which kind, how sure that is, and which rules spoke for it."""

    text: str
    kind: str
    confidence: float
    rules: tuple[str, ...]
    is_clear: bool = True
    """Whether its words say of which kind it is. If only its form speaks for it, it is a decision or a plain fact."""
    strongest: float = 0.0
    """What the rule counts that speaks most for it."""
    said: Said | None = None
    """What its wording as a whole is judged by; None if nobody asked for it."""

    @property
    def type(self) -> str:
        """The type of atom that it is kept as."""
        return KINDS[self.kind]

    @property
    def is_asked(self) -> bool:
        """Whether the person asks to remember it: then nothing else decides."""
        return self.rules[:1] == (_ASKED.called,)

    @property
    def log_odds(self) -> float:
        """The confidence as log-odds: what other opinions are added to."""
        return log(self.confidence / (1 - self.confidence))


def decisions(
    message: str, kinds: Collection[str] = tuple(KINDS), *, least: float = 0.0, for_wording: bool = False
) -> Iterator[Decision]:
    """What a person's message states that should be kept, in its order. Only of these kinds, from these log-odds.

    `for_wording`: all that is no question, whatever rules say, for another opinion. What rules do not look at has -9.
    """
    before: Decision | None = None
    spoken = list(sentences(message))
    for at, sentence in enumerate(spoken):
        if before is not None and not takes_back(sentence.judged):
            yield before
        following = spoken[at + 1].judged if at + 1 < len(spoken) else ""
        before = _asked(sentence, following)
        if before is None and for_wording:
            before = _any(sentence, at, len(spoken))
        elif before is None:
            before = _judge(sentence, opens=at == 0 and len(spoken) > 1, least=least)
        if before is not None and before.kind not in kinds:
            before = None
    if before is not None:
        yield before


def _asked(sentence: Sentence, following: str) -> Decision | None:
    """The sentence, if the person asks to remember it; None if not, or if it is a question or nothing but quoted.

    Neither is a request for the task at hand that stands beside what is to be remembered.
    """
    asked = remembered(sentence.judged)
    is_beside = asked is None and (sentence.is_asked or asks_for_last(following))
    if is_beside:
        asked = sentence.judged
    if asked is None or is_question(sentence.judged) or takes_itself_back(sentence.judged):
        return None
    if len([word for word in asked.split() if word not in _NOT_OWN]) < _OF_A_BAN:
        return None
    bare = without_leads(asked)
    cues = [*_phrases(bare), *shapes_of(asked, bare), *((_IN_LIST,) if sentence.is_rule else ())]
    if is_beside and any(cue.called == REQUEST for cue in cues):
        return None
    pros = sorted((cue for cue in cues if cue.weight >= _CLEAR), key=lambda cue: -cue.weight)[: _MOST_RULES - 1]
    kind = pros[0].kind if pros else _ASKED.kind
    return Decision(sentence.text, kind, 1 / (1 + exp(-_ASKED.weight)), (_ASKED.called, *(cue.called for cue in pros)))


def _any(sentence: Sentence, at: int, count: int) -> Decision | None:
    """The sentence with what is said of it, of the kind that rules find; None if it is a question, or asks for a task.

    What a person answers in a word (`zstd.`) is among them: what it answers is for the reader of the session to know.
    """
    bare = without_leads(sentence.judged)
    if is_question(sentence.judged) or bare.endswith(":") or asks_for_last(bare) or not any(map(str.isalnum, bare)):
        return None
    cues = (*_phrases(bare), *shapes_of(sentence.judged, bare))
    found = _judge(sentence, opens=at == 0 and count > 1, least=_NEVER)
    if found is None:
        pros = [cue for cue in cues if cue.weight > 0]
        kind = max(pros, key=lambda cue: cue.weight).kind if pros else _PLAIN
        found = Decision(sentence.text, kind, 1 / (1 + exp(-_NEVER)), tuple(cue.called for cue in pros)[:_MOST_RULES])
    return found._replace(said=Said(sentence, bare, cues, at, count))


def _judge(sentence: Sentence, *, opens: bool, least: float) -> Decision | None:
    bare = without_leads(sentence.judged)
    fewest = _OF_A_BAN if begins_ban(bare) or is_terse(bare) else _FEWEST_WORDS
    if len(bare.split()) < fewest or is_question(sentence.judged) or bare.endswith(":") or asks_for_last(bare):
        return None
    cues = [*_phrases(bare), *shapes_of(sentence.judged, bare), *((_IN_LIST,) if sentence.is_rule else ())]
    pros = sorted((cue for cue in cues if cue.weight > 0), key=lambda cue: -cue.weight)[:_MOST_RULES]
    cons = sum(cue.weight for cue in cues if cue.weight < 0)
    if any(cue.called == REQUEST for cue in cues) and any(
        cue.kind == "preference" and cue.weight >= _STRONG for cue in pros
    ):
        cons -= TASK / 2  # please write in active voice: I can't stand the passive
    forms = list(forms_of(bare))
    total = _BIAS + cons + sum(form.weight for form in forms)
    total += sum(cue.weight * (_FURTHER if at else 1.0) for at, cue in enumerate(pros))
    if total < _FLOOR or (total := total + objection(sentence.judged, bare)) < _FLOOR:
        return None
    if (total := weigh(bare, total, opens=opens)) < least:
        return None
    spoke = sorted((form for form in forms if form.weight > 0), key=lambda form: -form.weight)
    called = (*(cue.called for cue in pros), *(form.called for form in spoke))[:_MOST_RULES]
    is_clear = bool(pros) and pros[0].weight >= _CLEAR
    strongest, kind = (pros[0].weight, pros[0].kind) if pros else (0.0, _PLAIN)
    return Decision(sentence.text, kind, 1 / (1 + exp(-total)), called, is_clear, strongest)


def _phrases(bare: str) -> Iterator[Shape]:
    """The phrases in a sentence, each once."""
    for kind, phrase in dict.fromkeys((cue.kind, cue.phrase) for cue in _TABLE.find(bare)):
        name, _, weight = kind.rpartition(" ")
        yield Shape(float(weight), name, phrase)
