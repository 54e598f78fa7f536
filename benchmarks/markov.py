"""`make bench`, its fourth part: learning from sessions, and predicting. See docs/benchmarks.md."""

from __future__ import annotations

from benchmarks.markov_work import measure_learning
from benchmarks.search_run import run_at_sizes

if __name__ == "__main__":
    run_at_sizes("markov", __doc__, "learning and predicting", measure_learning)
