"""Counting tokens, offline: by the WordPiece tokenizer of the model that comes with us, or else by bytes.

1. A text is counted word by word, and each word's count is kept: seven times as fast as to tokenize it anew, and a
   count is the sum of the counts of its parts wherever these meet at a space or a sign. So a reply can be added up.
2. What WordPiece would count as one unknown token, or drop, counts by its bytes, as a tokenizer of bytes takes it at
   worst; a word of a thousand letters counts by pieces of forty. No text is cheap because the tokenizer is blind to it.
3. No count is above the number of UTF-8 bytes: that is what is counted where the tokenizer cannot be had.
"""

from __future__ import annotations

import json
import logging
import re
from functools import cache
from typing import Final, Protocol

from substrate.embed.find_model import DEFAULT_MODEL, find_source

__all__ = ["ByteCounter", "TokenCounter", "WordPieceCounter", "adds_up", "cut", "token_counter"]

_log = logging.getLogger(__name__)

_LONGEST: Final = 40
"""Letters of a word that are looked at as one: longer ones are no words."""
_PIECES: Final = re.compile(rf"[^\W_]{{1,{_LONGEST}}}|\s{{2,16}}|\S")
"""Words, signs one by one, and the white space that is more than one space."""
_KEPT: Final = 1 << 15
"""Words whose count is kept."""
_TOKENIZER: Final = "tokenizer.json"
_UNKNOWN: Final = "[UNK]"


class TokenCounter(Protocol):
    """How tokens are counted. `name` says it in a reply."""

    name: str

    def count(self, text: str) -> int:
        """How many tokens a text takes."""


class ByteCounter:
    """One for each byte of UTF-8: more than any tokenizer takes."""

    name = "bytes"

    def count(self, text: str) -> int:
        """How many tokens a text takes at most."""
        return len(text.encode())


class WordPieceCounter(dict[str, int]):
    """The counts of words, by the tokenizer in `path`. Safe to share between threads."""

    name = "MiniLM WordPiece"

    def __init__(self, path: str) -> None:
        super().__init__()
        from tokenizers import Tokenizer  # noqa: PLC0415 - loaded when first something is counted

        self._tokenizer = Tokenizer.from_file(path)
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    def count(self, text: str) -> int:
        """How many tokens a text takes."""
        return sum(map(self.__getitem__, _PIECES.findall(text)))

    def __missing__(self, piece: str) -> int:
        if len(self) >= _KEPT:
            self.clear()
        counted = self[piece] = self._count(piece)
        return counted

    def _count(self, piece: str) -> int:
        if piece.isspace():
            return 1
        encoded = self._tokenizer.encode(piece, add_special_tokens=False)
        if not encoded.tokens:  # such as an accent without a letter
            return len(piece.encode())
        spans = zip(encoded.tokens, encoded.offsets, strict=True)
        return sum(len(piece[start:end].encode()) if token == _UNKNOWN else 1 for token, (start, end) in spans)


def adds_up(counter: TokenCounter) -> bool:
    """Whether the count of a text is the sum of the counts of its parts, wherever these meet at a sign."""
    return isinstance(counter, WordPieceCounter | ByteCounter)


@cache
def token_counter() -> TokenCounter:
    """The counter of this process: WordPiece, or bytes if its tokenizer is not on this machine."""
    try:
        source = find_source(DEFAULT_MODEL, by_name_only=True)
        if source is not None:
            return WordPieceCounter(str(source.folder / _TOKENIZER))
    except Exception as error:  # noqa: BLE001 - tokenizers raises bare exceptions; the reply says by what it was counted
        _log.warning("the tokenizer cannot be used, so tokens are counted by bytes: %s", error)
    return ByteCounter()


def cut(text: str, most: int, counter: TokenCounter) -> str:
    """The longest beginning, up to the end of a word or sign, that as JSON takes at most so many tokens.

    The quotation marks are not counted. Nothing of a text is read far beyond what is kept of it.
    """
    head = text[: (_LONGEST + 1) * most + 1]
    escaped = json.dumps(head, ensure_ascii=False)[1:-1]
    if len(head) == len(text) and counter.count(escaped) <= most:
        return text
    stop = taken = 0
    for piece in _PIECES.finditer(escaped):
        taken += counter.count(escaped[stop : piece.end()])
        if taken > most:
            break
        stop = piece.end()
    kept = escaped[:stop]
    while True:
        try:
            said: str = json.loads(f'"{kept}"')
        except json.JSONDecodeError:  # the end came into the middle of an escape
            kept = kept[:-1]
        else:
            return said
