"""Fit what the wording of a sentence as a whole counts, and write it to `substrate/transcripts/wording.json`.

    python -m benchmarks.fit_wording [--without NAME ...] [--to FILE] [--each-author]

Two logistic regressions over labelled sentences: one over their traits and vectors, by Newton's method, and one over
their runs of words, by an accelerated gradient. The same sets give the same weights. Sets that nobody may tune to are
not among its inputs. `--without` leaves sets out, to score the weights on authors that they have not seen; a digest of
the inputs is in the file. `--each-author` leaves each author of `UNTUNED` out in turn, and says how well the sentences
of that author are told; it writes nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from substrate.cues.kinds import KINDS
from substrate.embed.early import EarlyLayers, load_early_layers
from substrate.transcripts.claude_code import Turn
from substrate.transcripts.wording import WEIGHTS, Spoken, features_of, spoken_in

LABELLED: Final = Path(__file__).parents[1] / "tests" / "cues"
TUNED: Final = ("dev", "held", "styles", "last", "fresh", "second", "third", "fifth", "sixth")
"""Sets that the rules were changed for: what rules say of them is too good, so they count less."""
UNTUNED: Final[Mapping[str, tuple[str, ...]]] = {
    "rules": ("ninth", "tenth"),
    "engineers": ("eleventh",),
    "analysts": ("twelfth",),
    "laypeople": ("thirteenth",),
    "mixed": ("fourteenth",),
    "fifteenth": ("fifteenth",),
    "sixteenth": ("sixteenth",),
}
"""Sets that they were not changed for, by author."""
TRANSCRIPTS: Final = (*TUNED, *(name for names in UNTUNED.values() for name in names))
"""Not `fourth`, `seventh`, `eighth` and `seventeenth`: they tell what a change is worth."""
MESSAGES: Final = ("messages", "forms", "everyday", "plain")
PLAIN: Final = "plain"
"""Messages that state something in so many words, and others that do not: they count in full."""
DOUBT: Final = -0.5
"""What is taken from each sentence. Then as many are found by authors that it was not fitted to as before it."""
_TUNED_COUNTS: Final = 0.3
_PENALTY: Final = 0.2
"""On parts of vectors."""
_PENALTY_NAMED: Final = 2.0
_PENALTY_RUNS: Final = 3.3
_FEWEST: Final = 8
"""Sentences that have a trait, or it is left out."""
_FEWEST_RUNS: Final = 3
_LEAST_RUN: Final = 0.04
"""A run of words that counts less is left out."""
_ROUNDS: Final = 10
_STEPS: Final = 300
_DIGITS: Final = 3

_Floats = NDArray[np.float64]


class Row(NamedTuple):
    """A labelled sentence."""

    set: str
    spoken: Spoken
    kept: bool
    counts: float


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


def labelled(path: Path) -> Iterator[Row]:
    """The person's sentences in a set, and whether each is to be kept. Those that count neither way are left out."""
    counts = _TUNED_COUNTS if path.stem in (*TUNED, *MESSAGES) and path.stem != PLAIN else 1.0
    for line in path.read_text(encoding="utf-8").splitlines():
        read: dict[str, Any] = json.loads(line)
        turns: list[tuple[Turn, dict[str, Any]]] = []
        answers = ""
        for turn in read.get("turns", [read]):
            answers = turn.get("assistant", answers)
            if "human" in turn:
                turns.append((Turn(turn["human"], 0, answers), turn))
                answers = ""
        said = spoken_in((turn for turn, _ in turns), tuple(KINDS))
        for (_, labels), sentences in zip(turns, said, strict=True):
            for spoken in (spoken for _, spoken in sentences if spoken is not None):
                keep, may = (
                    any(spoken.text in one or one in spoken.text for one in labels.get(name, ()))
                    for name in ("keep", "may")
                )
                if keep or not may:
                    yield Row(path.stem, spoken, keep, counts)


def fit(rows: _Floats, kept: _Floats, penalties: _Floats, counts: _Floats | None = None) -> _Floats:
    """The weights, and behind them the bias, which is not held small; by Newton's method."""
    rows = np.hstack([rows, np.ones((len(rows), 1))])
    counts = np.ones(len(rows)) if counts is None else counts
    penalties = np.append(penalties, 1e-9)
    weights = np.zeros(rows.shape[1])
    for _ in range(_ROUNDS):
        odds = _logistic(rows @ weights)
        slope = rows.T @ (counts * (odds - kept)) + penalties * weights
        curve = (rows * (counts * odds * (1 - odds))[:, None]).T @ rows + np.diag(penalties)
        weights -= np.linalg.solve(curve, slope)
    return weights


def fit_runs(runs: list[tuple[str, ...]], kept: _Floats, counts: _Floats) -> tuple[dict[str, float], float]:
    """What each run of words counts, and the bias; by an accelerated gradient, as most rows have few of many runs."""
    often = Counter(run for one in runs for run in one)
    names = sorted(run for run, count in often.items() if count >= _FEWEST_RUNS)
    at = {run: place for place, run in enumerate(names)}
    pairs = [(row, at[run]) for row, one in enumerate(runs) for run in one if run in at]
    row_of, run_of = np.array(pairs).T

    def given(weights: _Floats) -> _Floats:
        return np.bincount(row_of, weights[:-1][run_of], minlength=len(runs)) + weights[-1]

    def slope(weights: _Floats) -> _Floats:
        off = counts * (_logistic(given(weights)) - kept)
        by_run = np.bincount(run_of, off[row_of], minlength=len(names)) + _PENALTY_RUNS * weights[:-1]
        return np.append(by_run, off.sum())

    scale = np.sqrt(np.append(np.bincount(run_of, counts[row_of], minlength=len(names)) / 4 + _PENALTY_RUNS, 1.0))
    scale[-1] = np.sqrt(counts.sum() / 4)
    width = 1.0 + max(len(one) for one in runs) ** 0.5
    weights = ahead = np.zeros(len(names) + 1)
    for step in range(_STEPS):
        following = ahead - slope(ahead) / (scale * scale * width)
        ahead = following + step / (step + 3) * (following - weights)
        weights = following
    counted = {run: float(weights[place]) for run, place in at.items()}
    return counted, float(weights[-1])


def _logistic(odds: _Floats) -> _Floats:
    return 1 / (1 + np.exp(-np.clip(odds, -30, 30)))


class Fitted(NamedTuple):
    """All weights."""

    bias: float
    named: dict[str, float]
    runs: dict[str, float]
    parts: _Floats

    def odds(self, rows: list[Row], vectors: _Floats) -> _Floats:
        """The log-odds of sentences."""
        said = []
        for row, vector in zip(rows, vectors, strict=True):
            named = sum(self.named.get(name, 0.0) * value for name, value in features_of(row.spoken).items())
            runs = sum(self.runs.get(run, 0.0) for run in row.spoken.traits.runs)
            said.append(self.bias + named + runs + float(vector @ self.parts))
        return np.array(said)


def fit_all(rows: list[Row], vectors: _Floats) -> Fitted:
    """Both regressions."""
    kept = np.array([row.kept for row in rows], np.float64)
    counts = np.array([row.counts for row in rows])
    features = [features_of(row.spoken) for row in rows]
    often = Counter(name for one in features for name in one)
    names = sorted(name for name, count in often.items() if count >= _FEWEST)
    table = np.array([[one.get(name, 0.0) for name in names] for one in features])
    penalties = np.array([_PENALTY_NAMED] * len(names) + [_PENALTY] * vectors.shape[1])
    weights = fit(np.hstack([table, vectors]), kept, penalties, counts)
    runs, bias = fit_runs([row.spoken.traits.runs for row in rows], kept, counts)
    named = dict(zip(names, (round(float(one), _DIGITS) for one in weights), strict=False))
    runs = {run: round(one, 2) for run, one in runs.items() if abs(one) >= _LEAST_RUN}
    return Fitted(float(weights[-1]) + bias - DOUBT, named, runs, weights[len(names) : -1].round(_DIGITS))


def by_author(rows: list[Row], vectors: _Floats) -> Iterator[tuple[str, _Floats, NDArray[np.bool_]]]:
    """Of each author of `UNTUNED`: log-odds by weights that were fitted without, and labels."""
    for author, names in UNTUNED.items():
        out = np.array([row.set in names for row in rows])
        fitted = fit_all([row for row, left in zip(rows, out, strict=True) if not left], vectors[~out])
        own = [row for row, left in zip(rows, out, strict=True) if left]
        yield author, fitted.odds(own, vectors[out]), np.array([row.kept for row in own])


def _figures(odds: _Floats, kept: NDArray[np.bool_], least: float) -> str:
    taken = odds >= least
    right = int((taken & kept).sum())
    return f"recall {right / max(kept.sum(), 1):.3f}, precision {right / max(taken.sum(), 1):.3f}"


def tell_by_author(rows: list[Row], vectors: _Floats) -> None:
    """Say how well each author's sentences are told, and all of them at several thresholds."""
    found = list(by_author(rows, vectors))
    for author, odds, kept in found:
        sys.stdout.write(f"{author}: {_figures(odds, kept, 0.0)}\n")
    odds, kept = (np.concatenate([one[at] for one in found]) for at in (1, 2))
    for least in np.arange(-2.0, 2.6, 0.5):
        sys.stdout.write(f"from {least:+.1f}: {_figures(odds, kept, least)}\n")


def vectors_of(layers: EarlyLayers, rows: list[Row]) -> _Floats:
    """The vectors of the sentences, as rows."""
    return layers.vectors([row.spoken.text for row in rows]).astype(np.float64)


def main() -> int:
    """Fit and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--without", nargs="+", default=(), metavar="NAME", help="sets to leave out")
    parser.add_argument("--to", type=Path, default=WEIGHTS, metavar="FILE", help="where to write the weights")
    parser.add_argument("--each-author", action="store_true", help="leave each author out in turn; write nothing")
    given = parser.parse_args()
    layers = load_early_layers()
    if layers is None:
        sys.stderr.write("the default model is not on this machine\n")
        return 1
    files = files_of(given.without)
    rows = [row for path in files for row in labelled(path)]
    vectors = vectors_of(layers, rows)
    if given.each_author:
        tell_by_author(rows, vectors)
        return 0
    fitted = fit_all(rows, vectors)
    said = {
        "inputs": digest_of(files),
        "sentences": len(rows),
        "bias": round(fitted.bias, _DIGITS),
        "named": fitted.named,
        "runs": fitted.runs,
        "weights": fitted.parts.tolist(),
    }
    given.to.write_text(json.dumps(said, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(rows)} sentences, {sum(row.kept for row in rows)} to keep\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
