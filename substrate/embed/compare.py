"""Whether a model that was made ready says what torch says: over texts short, long, empty and of many scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from substrate.errors import ModelUnavailable

if TYPE_CHECKING:
    from substrate.embed.embedder import Embedder, Vectors

__all__ = ["CLOSE_ENOUGH", "TEXTS", "compare"]

CLOSE_ENOUGH: Final = 0.9999
"""The lowest cosine of two vectors of one text. Tokenizer and pooling are part of what is compared."""

TEXTS: Final = (
    "",
    "a",
    "Stripe",
    "payment provider: Stripe",
    "The invoice is due on the first of the month.",
    "Die Rechnung über 1.234,56 € ist am Monatsersten fällig.",
    "支払いは毎月一日です。",
    "الدفع مستحق في بداية الشهر",
    "Оплата производится первого числа каждого месяца.",
    "e\u0301 \u00e9 \U0001f9ea \u200d \t\n  x",
    "def f(x):\n    return [y for y in x if y is not None]",
    "word " * 120,
    "The quick brown fox jumps over the lazy dog, and then it sleeps for a while. " * 40,
)
"""Of lengths that no two batches share, from nothing to more than the window."""


def compare(embedder: Embedder, texts: Vectors, queries: Vectors) -> float:
    """The lowest cosine to what torch made of `TEXTS` as texts and as queries. ModelUnavailable if it is too low."""
    ours = [*embedder.embed(TEXTS), *map(embedder.embed_query, TEXTS)]
    lowest = min(float(a @ b) for a, b in zip(ours, [*texts, *queries], strict=True))
    if not lowest >= CLOSE_ENOUGH:
        raise ModelUnavailable(f"it does not say what torch says: lowest cosine {lowest:.6f}. Choose another model")
    return lowest
