"""Running an exported model: tokens in, vectors out. Loads onnxruntime, tokenizers and numpy; never torch.

1. One session for queries and bulk, shared by threads: `run` lets go of the interpreter and keeps no state.
2. A long text is cut into pieces of tokens, each with the model's special tokens around it.
3. Bulk goes sorted by length in batches of some 256 tokens: so little is padding, and what a batch touches stays in
   the processor's caches. Batches of 1,024 took a fifth more CPU for sentences, a sixth more for long texts.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np
import onnxruntime as ort
from tokenizers import Encoding, Tokenizer

from substrate.embed.artifact import GRAPH, PIECE_OVERLAP, PIECE_TOKENS, TOKENIZER, Made
from substrate.errors import ModelUnavailable
from substrate.values.progress import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Embedder", "Piece", "Vectors"]

Vectors: TypeAlias = "NDArray[np.float32]"

_BATCH_TOKENS: Final = 256
_CHARACTERS: Final = 32
"""More than any text has for each token, but for words so long that they are no words."""
_MOST_THREADS: Final = 8
_QUIET: Final = 3
"""Errors only: onnxruntime writes its warnings to standard error, which belongs to others."""


class Piece(NamedTuple):
    """A part of a text: its tokens, without special ones, and which characters of the text they cover."""

    ids: list[int]
    start: int
    stop: int


class Embedder:
    """A model, ready. Safe to share between threads; not across a fork. Use `substrate.embed.load.load`."""

    def __init__(self, folder: Path, made: Made, threads: int | None = None) -> None:
        self.model = made.model
        self.digest = made.digest
        self.space = made.space
        self.dimensions = made.dimensions
        self._made = made
        ort.disable_telemetry_events()
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads or min(_cores(), _MOST_THREADS)
        options.inter_op_num_threads = 1
        options.log_severity_level = _QUIET
        # Threads that spin while they wait for work take the other cores from everybody, and here made it slower.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self._session = ort.InferenceSession(folder / GRAPH, options, providers=["CPUExecutionProvider"])
            self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        except Exception as error:  # noqa: BLE001 - both libraries raise bare exceptions of their own
            raise ModelUnavailable(f"the export of {made.model} in {folder} cannot be loaded: {error}") from None
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._before, self._after = self._special()
        self._window = made.max_tokens - len(self._before) - len(self._after)
        self._width = min(PIECE_TOKENS, self._window)
        self._step = self._width - min(PIECE_OVERLAP, self._width // 4)

    def __repr__(self) -> str:
        return f"<Embedder {self.model}, {self.dimensions} dimensions, space {self.space.hex()}>"

    def embed_query(self, text: str) -> Vectors:
        """The vector, of length 1, that a search compares with. What is beyond the model's window is not seen."""
        ids = [*self._before, *self._seen(self._made.query_prompt + text), *self._after]
        vectors = self._run(np.array([ids], dtype=np.int64), np.ones((1, len(ids)), dtype=np.int64))
        return vectors.reshape(self.dimensions)

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """A vector of length 1 for each text, as rows. What is beyond the model's window is not seen."""
        prompt = self._made.text_prompt
        return self._embed([self._seen(prompt + text) for text in texts], progress)

    def embed_pieces(self, texts: Sequence[str], progress: Progress | None = None) -> list[Vectors]:
        """For each text the vectors of its pieces, as rows: nothing of it is left out.

        `progress` is called with (pieces done, all pieces) after every batch; what it raises ends the work.
        """
        cut = [self.pieces(text) for text in texts]
        vectors = self._embed([piece.ids for pieces in cut for piece in pieces], progress)
        ends = np.cumsum([len(pieces) for pieces in cut])
        return np.split(vectors, ends[:-1]) if cut else []

    def pieces(self, text: str) -> list[Piece]:
        """The pieces in which a text is embedded: one if it fits the window, else overlapping ones, in order."""
        prompt = self._made.text_prompt
        encoding = self._tokens(prompt + text)
        ids, offsets, skip = encoding.ids, encoding.offsets, len(prompt)
        if len(ids) <= self._window:
            return [Piece(ids, 0, len(text))]
        cut = []
        for at in range(0, len(ids) - (self._width - self._step), self._step):
            last = min(at + self._width, len(ids)) - 1
            cut.append(Piece(ids[at : last + 1], max(0, offsets[at][0] - skip), max(0, offsets[last][1] - skip)))
        return cut

    def _embed(self, rows: list[list[int]], progress: Progress | None) -> Vectors:
        vectors = np.empty((len(rows), self.dimensions), dtype=np.float32)
        done = 0
        for batch in self._batches(rows):
            longest = len(rows[batch[-1]])
            width = longest + len(self._before) + len(self._after)
            ids = np.full((len(batch), width), self._made.pad, dtype=np.int64)
            mask = np.zeros((len(batch), width), dtype=np.int64)
            for i, at in enumerate(batch):
                row = [*self._before, *rows[at], *self._after]
                ids[i, : len(row)] = row
                mask[i, : len(row)] = 1
            vectors[batch] = self._run(ids, mask)
            done += len(batch)
            if progress is not None:
                progress(done, len(rows))
        return vectors

    def _batches(self, rows: list[list[int]]) -> list[list[int]]:
        """Which rows go together, shortest first; in each batch the last is the longest."""
        special = len(self._before) + len(self._after)
        batches: list[list[int]] = [[]]
        for at in sorted(range(len(rows)), key=lambda i: len(rows[i])):
            if (len(batches[-1]) + 1) * (len(rows[at]) + special) > _BATCH_TOKENS and batches[-1]:
                batches.append([])
            batches[-1].append(at)
        return [batch for batch in batches if batch]

    def _run(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> Vectors:
        vectors: Vectors = self._session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
        return vectors

    def _seen(self, text: str) -> list[int]:
        """The tokens of a text that fit the window. What is far behind it is not even tokenised."""
        return self._tokens(text[: _CHARACTERS * self._window]).ids[: self._window]

    def _tokens(self, text: str) -> Encoding:
        if self._made.lower_case:
            text = text.lower()
        try:
            return self._tokenizer.encode(text, add_special_tokens=False)
        except (TypeError, UnicodeEncodeError):  # a lone surrogate, in a query: it says nothing, the rest does
            return self._tokenizer.encode(text.encode("utf-8", "replace").decode(), add_special_tokens=False)

    def _special(self) -> tuple[list[int], list[int]]:
        """The tokens that the model wants before and after every text."""
        encoding = self._tokenizer.encode("a")
        content = [i for i, special in enumerate(encoding.special_tokens_mask) if not special]
        return encoding.ids[: content[0]], encoding.ids[content[-1] + 1 :]


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
