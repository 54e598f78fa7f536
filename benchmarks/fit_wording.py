"""Fit what the wording of a sentence as a whole counts, and write it to `substrate/transcripts/wording.json`.

    python -m benchmarks.fit_wording [--without NAME ...] [--to FILE]

A logistic regression over the vectors of labelled sentences (`substrate/embed/early.py`), by Newton's method: the same
sets give the same weights. Sets that nobody may tune to are not among its inputs. `--without` leaves sets out, to score
the weights on authors that they have not seen; a digest of the inputs is in the file.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Collection, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from substrate.cues.prose import sentences
from substrate.embed.early import load_early_layers
from substrate.transcripts.wording import WEIGHTS

LABELLED: Final = Path(__file__).parents[1] / "tests" / "cues"
TRANSCRIPTS: Final = ("dev", "held", "styles", "last", "fresh", "second", "third", "fifth", "sixth", "ninth", "tenth")
"""Not `fourth`, `seventh` and `eighth`: they tell what a change is worth."""
MESSAGES: Final = ("messages", "forms", "everyday", "plain")
_PENALTY: Final = 0.15
_ROUNDS: Final = 30
_DIGITS: Final = 3


def files_of(without: Collection[str] = ()) -> list[Path]:
    """The labelled sets."""
    found = [LABELLED / "transcripts" / f"{name}.jsonl" for name in TRANSCRIPTS if name not in without]
    return [*found, *(LABELLED / f"{name}.jsonl" for name in MESSAGES if name not in without)]


def digest_of(files: list[Path]) -> str:
    """SHA-256 over the names and lines of the sets."""
    whole = sha256()
    for path in files:
        whole.update(f"{path.stem}\n{path.read_text(encoding='utf-8')}".encode())
    return whole.hexdigest()


def labelled(path: Path) -> Iterator[tuple[str, bool]]:
    """The person's sentences in a set, and whether each is to be kept. Those that count neither way are left out."""
    for line in path.read_text(encoding="utf-8").splitlines():
        read: dict[str, Any] = json.loads(line)
        for turn in read.get("turns", [read]):
            for text in (sentence.text for sentence in sentences(turn.get("human", ""))):
                keep, may = (any(text in one or one in text for one in turn.get(name, ())) for name in ("keep", "may"))
                if keep or not may:
                    yield text, keep


def fit(vectors: NDArray[np.float64], kept: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weights, and behind them the bias, which is not held small."""
    rows = np.hstack([vectors, np.ones((len(vectors), 1))])
    penalty = np.diag([*[_PENALTY] * vectors.shape[1], 0.0])
    weights = np.zeros(rows.shape[1])
    for _ in range(_ROUNDS):
        odds = 1 / (1 + np.exp(-(rows @ weights)))
        slope = rows.T @ (odds - kept) + penalty @ weights
        curve = (rows * (odds * (1 - odds))[:, None]).T @ rows + penalty
        weights -= np.linalg.solve(curve, slope)
    return weights


def main() -> int:
    """Fit and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--without", nargs="+", default=(), metavar="NAME", help="sets to leave out")
    parser.add_argument("--to", type=Path, default=WEIGHTS, metavar="FILE", help="where to write the weights")
    given = parser.parse_args()
    layers = load_early_layers()
    if layers is None:
        sys.stderr.write("the default model is not on this machine\n")
        return 1
    files = files_of(given.without)
    rows = [row for path in files for row in labelled(path)]
    weights = fit(layers.vectors([text for text, _ in rows]).astype(np.float64), np.array([kept for _, kept in rows]))
    parts = [round(float(one), _DIGITS) for one in weights]
    said = {"inputs": digest_of(files), "sentences": len(rows), "bias": parts[-1], "weights": parts[:-1]}
    given.to.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(rows)} sentences, {sum(kept for _, kept in rows)} to keep\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
