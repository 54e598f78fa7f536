"""What a store has learnt, as rows.

    arcs.py      the view: it learns from sessions and trainings, in the order in which they were written
    counts.py    what followed what, how heavily
    episodes.py  past sessions: what each needed, and what for
    objectives.py  what past objectives mean, as vectors: a cache
    sessions.py  traces: what one client accessed, in order
    mixing.py    traces: how far each part of the model was right so far

The rows say what happened; `substrate.learn` says what probably comes next.
"""

__all__: list[str] = []
