"""Whether what a person states in a session is in the next opening: transcripts replayed through the hooks' own verbs.

    python -m benchmarks.transcripts tests/cues/transcripts/dev.jsonl [MORE.jsonl] [--misses] [--rules-alone]

A file has a transcript in each line, as JSON: `id`, `field`, `objective` and `turns`. A turn is one of

    {"human": TEXT, "keep": [SENTENCE, ...], "may": [SENTENCE, ...]}    {"assistant": TEXT}    {"tool": TEXT}

`keep` has the sentences of the turn, as they stand, that the next session has to know; `may` those that count neither
way. Both may be left out. Each transcript is written as the client writes it, with ten compactions spread over it. At
each of them, and at the end, it is read by `memory.transcript`; then a new session opens with the objective, in the
hook's budget. The model calls no tool. Recall: of the sentences to keep, those that an atom of the opening says.
Precision: of the atoms of the opening, those that say one.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any

from substrate.memory import open_memory

COMPACTIONS = 10
TOKENS = 1500
"""As `substrate hook session-start` has it."""


@dataclass
class Score:
    """What was to be kept and was, and what was shown."""

    wanted: int = 0
    recalled: int = 0
    shown: int = 0
    right: int = 0
    seconds: float = 0.0
    reads: int = 0
    misses: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float:
        """Of what was to be kept."""
        return self.recalled / self.wanted if self.wanted else 1.0

    @property
    def precision(self) -> float:
        """Of what was shown."""
        return self.right / self.shown if self.shown else 1.0

    def add(self, other: Score) -> None:
        """Count another one in."""
        for name in ("wanted", "recalled", "shown", "right", "seconds", "reads"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.misses += other.misses


def words_of(text: str) -> str:
    """A text by its words, with a space on each side."""
    words = re.findall(r"[^\W_]+", text.casefold())
    return f" {' '.join(words)} "


def says(value: str, sentence: str) -> bool:
    """Whether one of the two holds the other, by its words."""
    value, sentence = words_of(value), words_of(sentence)
    return sentence in value or (value in sentence and len(value.split()) >= 2)


def lines_of(turns: list[dict[str, Any]]) -> Iterator[list[str]]:
    """The transcript as its client writes it: the lines up to each compaction, and up to the end."""
    lines = []
    for at, turn in enumerate(turns):
        if at * COMPACTIONS // len(turns) != (at - 1) * COMPACTIONS // len(turns):
            if at:
                yield lines
            told = "This session is being continued from a previous conversation. You must always go on."
            lines = [_line("user", told, isCompactSummary=True)]
        if "human" in turn:
            lines.append(_line("user", turn["human"]))
        elif "assistant" in turn:
            lines.append(_line("assistant", [{"type": "text", "text": turn["assistant"]}]))
        else:
            result = [{"type": "tool_result", "tool_use_id": "toolu_1", "content": turn["tool"]}]
            lines.append(_line("user", result, toolUseResult={"stdout": turn["tool"]}))
    yield lines


def _line(kind: str, content: object, **more: object) -> str:
    return json.dumps({"type": kind, "message": {"role": kind, "content": content}, "sessionId": "replayed", **more})


def replay(transcript: dict[str, Any], folder: Path, model: str | None = None) -> Score:
    """One transcript, in a store of its own. With the model `none`, rules decide alone."""
    score = Score()
    path = folder / "transcript.jsonl"
    path.write_text("")
    with open_memory(folder / "store", home=folder / "home", model=model, background=False) as memory:
        for lines in lines_of(transcript["turns"]):
            with path.open("a", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line in lines)
            before = process_time()
            memory.transcript(path, session="replayed")
            score.seconds += process_time() - before
            score.reads += 1
        values = [atom.value for atom in memory.bootstrap(transcript["objective"], max_tokens=TOKENS)]
    keep = [sentence for turn in transcript["turns"] for sentence in turn.get("keep", ())]
    may = [sentence for turn in transcript["turns"] for sentence in turn.get("may", ())]
    score.wanted = len(keep)
    missed = [sentence for sentence in keep if not any(says(value, sentence) for value in values)]
    score.recalled = len(keep) - len(missed)
    judged = [value for value in values if not any(says(value, sentence) for sentence in may)]
    wrong = [value for value in judged if not any(says(value, sentence) for sentence in keep)]
    score.shown, score.right = len(judged), len(judged) - len(wrong)
    score.misses = [f"{transcript['id']} missed: {text}" for text in missed]
    score.misses += [f"{transcript['id']} wrong: {text}" for text in wrong]
    return score


def score_file(path: Path, model: str | None = None) -> Score:
    """All transcripts of a file."""
    total = Score()
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            with tempfile.TemporaryDirectory() as folder:
                total.add(replay(json.loads(line), Path(folder), model))
    return total


def main() -> int:
    """Score the files given; exit code 1 if recall or precision of one is below 0.9."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--misses", action="store_true", help="list what was missed, and what was shown in error")
    parser.add_argument("--rules-alone", action="store_true", help="without the small language model")
    given = parser.parse_args()
    good = True
    for path in given.files:
        score = score_file(path, "none" if given.rules_alone else None)
        if given.misses:
            sys.stdout.write("".join(f"  {miss}\n" for miss in score.misses))
        sys.stdout.write(
            f"{path.name}: recall {score.recall:.3f} ({score.recalled} of {score.wanted}), precision "
            f"{score.precision:.3f} ({score.right} of {score.shown}), "
            f"{1000 * score.seconds / score.reads:.1f} ms CPU a read\n"
        )
        good = good and min(score.recall, score.precision) >= 0.9
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
