"""The documents and questions that every peer gets: those of the retrieval bench, among real sentences of other kinds.

All corpora of the bench are in one store here, so figures are lower than those of `benchmarks.retrieval`, where each
has its own. Texts are all different: a store that keeps a text only once is not at a loss. A question that asks for
one of two documents with the same text is left out. Adversarial questions are left out too, as in the bench's headline.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.texts import sentences, sentences_of

__all__ = ["gather", "of_bench"]

_SETS = ("locomo", "updates")
_SPLIT = "dev"
_SEED = 7


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as handle:
        for line in handle:
            yield json.loads(line)


def of_bench(bench: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Documents and questions of the bench, ids made unique by set and corpus."""
    documents, questions, known, twice = [], [], {}, set()
    for data in _SETS:
        folder = bench / "data" / data
        skipped = json.loads((folder / "meta.json").read_text(encoding="utf-8"))["exclude_from_headline"]
        for row in _lines(folder / "docs.jsonl"):
            own = f"{row['corpus']}/{row['id']}"
            first = known.setdefault(row["text"].casefold(), own)
            if first != own:
                twice |= {first, own}
                continue
            session = f"{row['corpus']}/{row['session']}"
            documents.append({"id": own, "text": row["text"], "session": session, "timestamp": row["timestamp"]})
        for row in _lines(folder / "queries.jsonl"):
            relevant = [f"{row['corpus']}/{name}" for name in row["relevant"]]
            if row["split"] == _SPLIT and row["category"] not in skipped:
                questions.append({"id": f"{data}/{row['id']}", "text": row["text"], "relevant": relevant, "set": data})
    return documents, [row for row in questions if twice.isdisjoint(row["relevant"])]


def gather(bench: Path, count: int, asked: int | None, say: Callable[[str], None]) -> dict[str, Any]:
    """`count` documents, those of the bench first; and `asked` of the questions, or all of them."""
    documents, questions = of_bench(bench)
    texts = {row["text"].casefold() for row in documents}
    notes = [line for path in sorted(bench.parents[1].glob("*.md")) for line in _sentences_in(path)]
    for line in dict.fromkeys([*notes, *sentences(count, say)]):
        if len(documents) >= count:
            break
        if line.casefold() not in texts:
            texts.add(line.casefold())
            documents.append({"id": f"other/{len(documents)}", "text": line, "session": None, "timestamp": None})
    draw = random.Random(_SEED)
    chosen: Sequence[dict[str, Any]] = questions
    if asked is not None and asked < len(questions):
        chosen = draw.sample(questions, asked)
    return {"documents": documents[:count], "questions": list(chosen)}


def _sentences_in(path: Path) -> list[str]:
    return list(sentences_of(path.read_text(encoding="utf-8")))
