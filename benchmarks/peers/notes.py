"""Short notes that every memory server gets, and questions about them, each with the notes that answer it.

With the retrieval bench: one conversation and one life of it, and their questions. Without: sentences of this
installation, and no questions in other words. Two kinds of question are made from the notes themselves.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers.documents import of_bench
from benchmarks.texts import sentences

__all__ = ["KINDS", "Notes", "Question", "gather_notes", "mark_of", "questions_from"]

KINDS = ("phrase", "words", "reworded")
_SEED = 7
_EACH = 30
"""Questions of each kind."""
_WORDS = 4
"""In a question that is made from a note."""
_SHOWN = 200
"""Characters that tell notes apart; servers cut longer ones."""
_COUNT = 850
_WORD = re.compile(r"[^\W_]{3,}")


@dataclass(frozen=True, slots=True)
class Question:
    """`wanted`: numbers of the notes of which one must be found."""

    kind: str
    text: str
    wanted: frozenset[int]


@dataclass(frozen=True, slots=True)
class Notes:
    """What is saved, in this order, and what is asked."""

    texts: Sequence[str]
    questions: Sequence[Question]


def mark_of(text: str) -> str:
    """What of a text identifies it, also where a server shows only its beginning."""
    return " ".join(text.split())[:_SHOWN]


def questions_from(texts: Sequence[str], draw: random.Random) -> Iterator[Question]:
    """For notes in an order that is drawn: a phrase out of one, and its rarest words, where no other note has them."""
    words = [set(_WORD.findall(text.casefold())) for text in texts]
    known = Counter(word for found in words for word in found)
    order = list(range(len(texts)))
    draw.shuffle(order)
    for number in order:
        rarest = sorted(words[number], key=lambda word: (known[word], word))[:_WORDS]
        if len(rarest) < _WORDS:
            continue
        phrase = _phrase(texts[number], rarest[0])
        if phrase and sum(phrase.casefold() in text.casefold() for text in texts) == 1:
            yield Question("phrase", phrase, frozenset({number}))
        if sum(found.issuperset(rarest) for found in words) == 1:
            yield Question("words", " ".join(sorted(rarest)), frozenset({number}))


def _phrase(text: str, word: str) -> str:
    """Words of a text as they stand there, with this one among them; empty if the text is too short."""
    parts = text.split()
    at = next((at for at, part in enumerate(parts) if word in part.casefold()), 0)
    first = max(0, min(at - 1, len(parts) - _WORDS))
    return " ".join(parts[first : first + _WORDS]).strip(".,;:!?\"'()") if len(parts) >= _WORDS else ""


def gather_notes(bench: Path | None, say: Callable[[str], None]) -> Notes:
    """The notes, no two alike, and as many questions of each kind; the same in every run with the same bench."""
    draw = random.Random(_SEED)
    if bench is None:
        texts, reworded = list(sentences(_COUNT, say)), []
    else:
        texts, reworded = _from_bench(bench)
    made = list(questions_from(texts, draw))
    chosen = [question for kind in KINDS[:2] for question in [one for one in made if one.kind == kind][:_EACH]]
    chosen += draw.sample(reworded, min(_EACH, len(reworded)))
    draw.shuffle(chosen)
    return Notes(texts, chosen)


def _from_bench(bench: Path) -> tuple[list[str], list[Question]]:
    """Of each set the first corpus, with its questions."""
    documents, questions = of_bench(bench)
    corpora = {}
    for row in questions:
        corpora.setdefault(row["set"], row["relevant"][0].partition("/")[0])
    numbers: dict[str, int] = {}
    marks: dict[str, str] = {}
    for row in documents:
        if row["id"].partition("/")[0] in corpora.values():
            mark = mark_of(row["text"])
            if mark not in marks:
                marks[mark] = row["text"]
                numbers[row["id"]] = len(numbers)
    reworded = [
        Question("reworded", row["text"], frozenset(numbers[name] for name in row["relevant"]))
        for row in questions
        if numbers.keys() >= set(row["relevant"])
    ]
    return list(marks.values()), reworded
