"""What a person says in a message, sentence by sentence: without code, logs and quotations, which others wrote.

1. Between fences, indented, behind `>`, a prompt or a time stamp, nothing is the person's own. Neither is what follows
   `it says:` and the like, up to the next empty line.
2. A sentence is told twice: as it stands, and as it is judged. There a quotation of three words or more is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

__all__ = ["Sentence", "is_question", "sentences"]

_MOST: Final = 20_000
"""Characters of a message that are read: nobody types more."""
_LONGEST: Final = 400
"""Characters of a sentence. What is longer was pasted, or says more than one thing."""

_FENCE: Final = re.compile(r"(?:```|~~~)[^\n]*")
_BULLET: Final = re.compile(r"\s{0,8}(?:[-*\u2022\u2013]|\d{1,2}[.)])\s+(?=\S)")
_PASTED: Final = re.compile(
    r"\s{2,}\S|\t|>|\$ |%|#!|#include|\+\+\+|@@|\||<[/!a-zA-Z]|\[[A-Z]+\]|\{|\}"
    r"|\[?\d{4}-\d\d-\d\d|\[?\d\d:\d\d:\d\d|(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|FAILED|PASSED|Traceback)\b"
    r"|(?:def|class|import|from|return|const|let|var|function|public|private|SELECT|INSERT|UPDATE|CREATE|sudo|npm|pip|"
    r"git|docker|kubectl|curl)\s+[\w.*{-]+\s*(?:\(|=|:|;|\{|import|FROM|INTO|SET|TABLE|-|\w+$)"
    r"|\w+(?:Error|Exception)\b|\s*at [\w.$]+\(|File \"|[\w.\[\]]+ *[-+*/]?= *\S+$"
)
_ENDS_AS_CODE: Final = re.compile(r"[{};]$|\)\s*[:;{]$")
_INTRODUCES: Final = re.compile(
    r"\b(?:says?|said|wrote|writes|reads|outputs?|errors?|logs?|gets?|got|prints?|printed|shows?|traceback|message|"
    r"response|reply|readme|mail|email|ticket|reviewers?|reviews?|comment|commented|this|these|here|asks?|asked|quotes?|"
    r"complains?|returns?)\b[^:]{0,40}:$",
    re.IGNORECASE,
)
"""What ends so begins a quotation."""
_RULES: Final = re.compile(
    r"\b(?:rules?|constraints?|requirements?|conventions?|guidelines?|preferences?|decisions?|decided|agreed|remember|"
    r"in mind|non-negotiables?|principles?|policies|policy|always|never)\b[^:]{0,30}:$",
    re.IGNORECASE,
)
"""What ends so begins a list of rules."""
_END: Final = re.compile(r"(?<=[.!?])[\"')\]\u201d\u2019]*\s+(?=\S)|(?<=[.!?][\"')\]\u201d])\s+(?=\S)")
_NO_END: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|dr|mr|mrs|ms|prof|approx|resp|ca|cf|incl|st|nr|al)|\b[a-z]|^\d+)\.$", re.IGNORECASE
)
_QUOTED: Final = re.compile(
    '"([^"\n]*)"|\u201c([^\u201d\n]*)\u201d|\u201e([^\u201c\u201d\n]*)[\u201c\u201d]'
    "|\u00ab([^\u00bb\n]*)\u00bb|(?<!\\w)'([^'\n]*)'(?!\\w)"
)
_QUESTION: Final = re.compile(r"\?[\"')\]]*$|\?!")
_CODE: Final = re.compile(r"`[^`\n]*`")
_FEW_WORDS: Final = 2
_APOSTROPHES: Final = str.maketrans(dict.fromkeys("\u2019\uff07\u02bc", "'"))


class Sentence(NamedTuple):
    """A sentence as it stands in the message, and in the form that is judged: without quotations and code spans."""

    text: str
    judged: str
    is_rule: bool
    """Whether it stands in a list that the person calls rules, constraints, decisions, or the like."""


def sentences(message: str) -> Iterator[Sentence]:
    """The person's own sentences, in their order. A line break ends one; a bullet is not part of it."""
    for line, is_rule in _own_lines(message[:_MOST]):
        for text in _split(line):
            if len(text) <= _LONGEST:
                yield Sentence(text, _judged(text), is_rule)


def is_question(text: str) -> bool:
    """Whether the sentence ends as a question does."""
    return _QUESTION.search(text) is not None


def _own_lines(message: str) -> Iterator[tuple[str, bool]]:
    """Lines that are the person's own, and whether each is an item of a list of rules."""
    is_fenced = is_quoted = is_rules = False
    for line in message.splitlines():
        if _FENCE.match(line.strip()):
            is_fenced = not is_fenced
            continue
        is_item = _BULLET.match(line) is not None
        bare = _BULLET.sub("", line, count=1) if is_item else line
        if is_fenced:
            continue
        if not line.strip():
            is_quoted = False
        elif _RULES.search(bare.rstrip()):
            is_rules = True
        elif is_quoted or _PASTED.match(bare) or _ENDS_AS_CODE.search(bare.rstrip()):
            continue
        elif _INTRODUCES.search(bare.rstrip()):
            is_quoted = True
        else:
            is_rules = is_rules and is_item
            yield bare.strip(), is_rules


def _split(line: str) -> Iterator[str]:
    begin = 0
    for end in _END.finditer(line):
        if not _NO_END.search(line[begin : end.start()]):
            yield line[begin : end.start()].strip() + line[end.start() : end.end()].strip()
            begin = end.end()
    if line[begin:].strip():
        yield line[begin:].strip()


def _judged(text: str) -> str:
    def without(match: re.Match[str]) -> str:
        inside = next((group for group in match.groups() if group is not None), "")
        return match[0] if len(inside.split()) <= _FEW_WORDS else " quoted "

    text = _QUOTED.sub(without, text.translate(_APOSTROPHES))
    return " ".join(_CODE.sub(" code ", text).split())
