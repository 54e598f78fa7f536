"""What a run has to tell: the machine, how fast it was before and after each size, and the table; as text and JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.calibration import Calibration
from benchmarks.elapsed import elapsed
from benchmarks.page import note
from benchmarks.table import Result, as_json, as_text

__all__ = ["Report"]

_STEADY = 1.25
"""How far SHA-256 may go apart between calibrations before the run is called unsteady."""


@dataclass(frozen=True, slots=True)
class Report:
    """One run. `calibrations` holds, for each size, the one before and the one after it."""

    about: Sequence[str]
    calibrations: Mapping[int, Sequence[Calibration]]
    results: Sequence[Result]

    def tell(self, file: Path | None) -> None:
        """Print it, and write it as JSON if a file is given for that."""
        self._show(elapsed())
        note(self.results)
        if file is not None:
            self._save(file)

    def _show(self, seconds: float) -> None:
        """Print it, results of the same work at each size together."""
        works = list(dict.fromkeys(result.work for result in self.results))
        ordered = sorted(self.results, key=lambda result: works.index(result.work))
        print("\n".join([*self.about, *self._lines()]))
        print()
        print(as_text(ordered))
        judged = [result.met for result in ordered if result.met is not None]
        print(f"\n{judged.count(True)} of {len(judged)} targets met; {seconds:.0f} s")

    def _save(self, path: Path) -> None:
        """Write it as JSON."""
        calibration = {size: [asdict(line) for line in lines] for size, lines in self.calibrations.items()}
        saved = {"machine": self.about, "calibration": calibration, "results": as_json(self.results)}
        path.write_text(json.dumps(saved, indent=1) + "\n", encoding="utf-8")

    def _lines(self) -> list[str]:
        lines = [
            f"calibration {when} {size:,}: {line}"
            for size, pair in self.calibrations.items()
            for when, line in zip(("before", "after"), pair, strict=True)
        ]
        taken = [line for pair in self.calibrations.values() for line in pair]
        hashing = [line.sha256 for line in taken]
        if max(hashing) > _STEADY * min(hashing) or max(line.load for line in taken) > (os.cpu_count() or 1):
            lines.append(
                "UNSTEADY: the machine was busy, or not equally fast throughout; compare ratios, and run again"
            )
        return lines
