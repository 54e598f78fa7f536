"""What a person says in a message, sentence by sentence: without code, logs and quotations, which others wrote.

1. Between fences, indented, behind `>`, a prompt or a time stamp, nothing is the person's own. Neither is what follows
   `it says:` and the like, up to the end of the next paragraph; if that names a mail or another document, up to the
   end of the message.
2. A mail is told by its headers, by who wrote it when, or by its greeting and its farewell. A letter that is the whole
   message and says `I` is the person's own. Of a message with many long paragraphs the first and the last are.
3. A sentence is told twice: as it stands, and as it is judged. There a quotation of three words or more is left out.
   One of several sentences is not taken apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from substrate.cues.requests import announced

__all__ = ["Sentence", "is_question", "sentences"]

_MOST: Final = 20_000
"""Characters of a message that are read: nobody types more."""
_LONGEST: Final = 400
"""Characters of a sentence. What is longer was pasted, or says more than one thing."""

_FENCE: Final = re.compile(r"`{3,}|~{3,}|\"{3,}|'{3,}")
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
_SAYS: Final = re.compile(
    r"(?<!\bi )(?<!\bwe )\b(?:says?|said|wrote|writes|tells?|told|reads)\b[^:]{0,20}:$", re.IGNORECASE
)
"""The same, even of rules."""
_DOCUMENT: Final = re.compile(
    r"\b(?:e?-?mails?|letters?|tickets?|messages?|documents?|docs?|texts?|policy|contracts?|specs?|articles?|pages?|posts?|"
    r"threads?|minutes|memos?|terms|readme|wiki|announcements?|forwarded|customers?|vendors?|sent)\b[^:]{0,40}:$",
    re.IGNORECASE,
)
"""What ends so begins a text of others, of any length."""
_HEADER: Final = re.compile(
    r"\s*\**(?:from|to|cc|subject|sent|date|reply-to|von|an|betreff|de|objet)\**:\**\s+\S", re.IGNORECASE
)
_FORWARDED: Final = re.compile(
    r"\s*(?:[-_=*]{2,}\s*(?:forwarded|original|begin|start)\b|begin forwarded message|on .{5,100}\bwrote:\s*$)",
    re.IGNORECASE,
)
_GREETING: Final = re.compile(
    r"\s*(?:(?P<formal>dear)|hi|hello|hey|good (?:morning|day))\b[^.?!:]{0,40},\s*$", re.IGNORECASE
)
_FAREWELL: Final = re.compile(
    r"\s*(?:(?:(?:best|kind|kindest|warm|with best)\s+(?:regards|wishes)|regards|sincerely(?: yours)?|"
    r"yours (?:truly|sincerely|faithfully))|(?P<light>cheers|best|many thanks|thanks|thank you))\s*,?\s*$",
    re.IGNORECASE,
)
"""Light ones also end what a person writes in a chat."""
_MANY: Final = 5
"""Paragraphs, and together with `_MUCH` characters: more than a person types."""
_MUCH: Final = 1500
_RULES: Final = re.compile(
    r"\b(?:rules?|constraints?|requirements?|conventions?|guidelines?|preferences?|decisions?|decided|agreed|remember|"
    r"in mind|non-negotiables?|principles?|policies|policy|always|never)\b[^:.!?]{0,60}:$",
    re.IGNORECASE,
)
"""What ends so begins a list of rules."""
_END: Final = re.compile(r"(?<=[.!?])[\"')\]\u201d\u2019]*\s+(?=\S)|(?<=[.!?][\"')\]\u201d])\s+(?=\S)")
_NO_END: Final = re.compile(
    r"\b(?:e\.g|i\.e|etc|vs|dr|mr|mrs|ms|prof|approx|resp|ca|cf|incl|st|nr|al|[a-z])\.$", re.IGNORECASE
)
_SHORT: Final = 10
"""Characters that such an end has at most, and more: a line of nothing else is not read again for each."""
_NUMBER: Final = re.compile(r"\d+\.")
"""One that stands before a sentence."""
_QUOTED: Final = re.compile(
    '"([^"\n]*)"|\u201c([^\u201d\n]*)\u201d|\u201e([^\u201c\u201d\n]*)[\u201c\u201d]'
    "|\u00ab([^\u00bb\n]*)\u00bb|\u00bb([^\u00ab\n]*)\u00ab|\u2039([^\u203a\n]*)\u203a|\u300c([^\u300d\n]*)\u300d"
    "|(?<!\\w)['\u2018\u201a]((?:[^'\u2018\n]|'(?=\\w)){0,400})['\u2018](?!\\w)"
)
_OPENS: Final = re.compile(r'\s*(?:"[^"]*|\u201c[^\u201d]*|\u201e[^\u201c\u201d]*|\u00ab[^\u00bb]*|\u300c[^\u300d]*)$')
"""A quotation that does not end in its line."""
_CLOSES: Final = re.compile('["\u201c\u201d\u00bb\u300d]')
_OF_ONESELF: Final = re.compile(r"\b(?:I|[Cc]ould you|[Cc]an you)\b")
_PLEASE: Final = re.compile(r"\bpl[sz]\b", re.IGNORECASE)
_QUESTION: Final = re.compile(r"\?[\"')\]]*$|\?!")
_CODE: Final = re.compile(r"`[^`\n]*`")
_FEW_WORDS: Final = 2
_STOPS: Final = str.maketrans(".!?", ",,,")
_APOSTROPHES: Final = str.maketrans(dict.fromkeys("\u2019\uff07\u02bc", "'"))


class Sentence(NamedTuple):
    """A sentence as it stands in the message, and in the form that is judged: without quotations and code spans."""

    text: str
    judged: str
    is_rule: bool
    """Whether it stands in a list that the person calls rules, constraints, decisions, or the like."""
    is_asked: bool = False
    """Whether a line before it asks to remember what follows."""


def sentences(message: str) -> Iterator[Sentence]:
    """The person's own sentences, in their order. A line break ends one; a bullet is not part of it."""
    for line, is_rule, is_asked in _own_lines(message[:_MOST]):
        for text in _split(line):
            if len(text) <= _LONGEST:
                yield Sentence(text, _judged(text), is_rule, is_asked)


def is_question(text: str) -> bool:
    """Whether the sentence ends as a question does."""
    return _QUESTION.search(text) is not None


def _own_lines(message: str) -> Iterator[tuple[str, bool, bool]]:
    """Lines that are the person's own, whether each is an item of a list of rules, and whether it is to be remembered.

    A request to remember what follows holds for the list behind it, or for the paragraph.
    """
    is_quoted = is_rules = has_begun = is_foreign = is_open = is_asked = False
    in_list: bool | None = None
    for line in _unfenced(_without_mail(message.splitlines())):
        is_item = _BULLET.match(line) is not None
        bare = _BULLET.sub("", line, count=1) if is_item else line
        if is_open or _OPENS.match(line):
            is_open = not (is_open and _CLOSES.search(line))
            has_begun = True
        elif not line.strip():
            is_quoted = is_quoted and (is_foreign or not has_begun)
            is_asked = is_asked and in_list is not False
        elif not is_quoted and (asked := announced(bare.strip())) is not None:
            is_asked, in_list, is_rules = True, None, _RULES.search(asked) is not None
        elif _RULES.search(bare.rstrip()) and not is_quoted and not _SAYS.search(bare.rstrip()):
            is_rules = True
        elif is_quoted or _PASTED.match(bare) or _ENDS_AS_CODE.search(bare.rstrip()):
            has_begun = True
        elif _INTRODUCES.search(bare.rstrip()) or _DOCUMENT.search(bare.rstrip()):
            is_quoted, has_begun, is_foreign = True, False, _DOCUMENT.search(bare.rstrip()) is not None
        else:
            is_rules = is_rules and is_item
            is_asked = is_asked and (is_item or not in_list)
            in_list = is_item if in_list is None else in_list
            yield bare.strip(), is_rules, is_asked


def _unfenced(lines: list[str]) -> Iterator[str]:
    """The lines outside of fences. One ends at a line of its own sign alone, as long as the one that began it."""
    fence = ""
    for line in lines:
        text = line.strip()
        if fence:
            if text.startswith(fence) and not text.strip(fence[0]):
                fence = ""
        elif (begin := _FENCE.match(text)) is None:
            yield line
        elif begin[0] not in text[begin.end() :]:  # else it ends in its line
            fence = begin[0]


def _without_mail(lines: list[str]) -> list[str]:
    """The lines before a mail that was pasted, and behind its farewell; of many long paragraphs the first and last."""
    for at, line in enumerate(lines):
        if _FORWARDED.match(line) or (_HEADER.match(line) and _is_header_next(lines, at)):
            lines = lines[:at]
            break
    greeting = next(((at, match) for at, line in enumerate(lines) if (match := _GREETING.match(line))), None)
    begin = 0 if greeting is None else greeting[0]
    farewell = next((at for at in range(begin + 1, len(lines)) if _is_farewell(lines, at, greeting is not None)), None)
    if _is_own_letter(lines, begin, farewell):
        pass
    elif farewell is not None:
        signed = next((at for at in range(farewell + 1, len(lines)) if not lines[at].strip()), len(lines))
        lines = [*lines[:begin], *lines[signed:]]
    elif greeting is not None and greeting[1]["formal"]:
        lines = lines[:begin]
    breaks = [at for at, line in enumerate(lines) if not line.strip()]
    if len(breaks) >= _MANY - 1 and sum(map(len, lines)) > _MUCH:
        lines = [*lines[: breaks[0]], *lines[breaks[-1] :]]
    return lines


def _is_header_next(lines: list[str], at: int) -> bool:
    """Whether the next line that is not empty is a header too. Asked of headers alone: gaps may be long."""
    behind = (lines[after] for after in range(at + 1, len(lines)))
    return _HEADER.match(next((line for line in behind if line.strip()), "")) is not None


def _is_own_letter(lines: list[str], begin: int, farewell: int | None) -> bool:
    """Whether the whole message is one letter, of somebody who says `I` or asks for something in it."""
    others = lines[:begin] if farewell is None else [*lines[:begin], *lines[farewell + 2 :]]
    return not any(line.strip() for line in others) and any(map(_OF_ONESELF.search, lines))


def _is_farewell(lines: list[str], at: int, greeted: bool) -> bool:  # noqa: FBT001
    """Whether a mail ends here. A light farewell ends one that begins with a greeting, and is signed."""
    match = _FAREWELL.match(lines[at])
    return match is not None and (
        not match["light"] or (greeted and any(line.strip() for line in lines[at + 1 : at + 3]))
    )


def _split(line: str) -> Iterator[str]:
    begin = 0
    for end in _END.finditer(_QUOTED.sub(_in_one, line.translate(_APOSTROPHES))):
        if not _is_no_end(line, begin, end.start()):
            yield line[begin : end.start()].strip() + line[end.start() : end.end()].strip()
            begin = end.end()
    if line[begin:].strip():
        yield line[begin:].strip()


def _is_no_end(line: str, begin: int, end: int) -> bool:
    """Whether the full stop before `end` belongs to an abbreviation, or to the number of a sentence."""
    short = _NO_END.search(line[max(begin, end - _SHORT) : end])
    return short is not None or _NUMBER.fullmatch(line, begin, end) is not None


def _is_long(quoted: re.Match[str]) -> bool:
    return len(quoted[0].split()) > _FEW_WORDS


def _in_one(quoted: re.Match[str]) -> str:
    """The quotation without ends of sentences, but for its own."""
    return quoted[0][:-2].translate(_STOPS) + quoted[0][-2:] if _is_long(quoted) else quoted[0]


def _judged(text: str) -> str:
    text = _QUOTED.sub(lambda match: " quoted " if _is_long(match) else match[0], text.translate(_APOSTROPHES))
    return " ".join(_PLEASE.sub("please", _CODE.sub(" code ", text)).split())
