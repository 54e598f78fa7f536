"""The verbs that tend the graph of entities: tend, tending, prune."""

from __future__ import annotations

from argparse import Namespace

from substrate.cli.answer import Answer, Facts, Table
from substrate.cli.output import Output
from substrate.cli.stores import reading, writing
from substrate.cli.verbs.save import undone_answer

__all__ = ["prune", "tend", "tending"]


def tend(given: Namespace, output: Output) -> Answer:
    """Tend a domain, or take a run back."""
    opened = reading(given) if given.dry_run else writing(given)
    with opened as memory, output.progress("tending") as progress:
        done = memory.tend(given.domain, undo=given.undo, dry_run=given.dry_run, progress=progress)
    from substrate.values.saved import Undone  # noqa: PLC0415 - help needs no values, which load cryptography

    if isinstance(done, Undone):
        return undone_answer(done, "to state it again: substrate undo")
    rows = [(one.verdict, one.source, one.type, one.target, f"{one.score:.2f}", one.reason) for one in done]
    facts = Facts(
        [
            ("would state" if done.dry_run else "stated", done.accepted),
            ("proposed", done.proposed),
            ("sessions", f"{done.sessions_used} of {done.sessions}"),
            *(("tombstoned", name) for name in done.tombstoned),
            *(("edge without evidence", edge) for edge in done.unedged),
        ],
        "good",
    )
    hints = ["nothing was changed; repeat without --dry-run"] if done.dry_run else []
    if done.seqs is not None:
        hints.append(f"to take it back: substrate tend --undo {done.run}")
    table = Table(("=verdict", "source", "type", "target", "=score", "reason"), rows)
    return Answer(done.to_dict(), (*((table,) if rows else ()), facts), tuple(hints), is_report=not done.dry_run)


def tending(given: Namespace, _: Output) -> Answer:
    """Print the runs."""
    with reading(given) as memory:
        found = memory.tending(given.domain, limit=given.limit)
    rows = [
        (
            one.run,
            one.domain,
            one.time,
            one.proposed,
            one.accepted,
            one.tombstoned + one.unedged,
            None if one.seqs is None else f"{one.seqs.start}:{one.seqs.stop}",
            "undone" if one.undone else None,
        )
        for one in found
    ]
    hints = ["a gardener is at work"] if found.is_running else []
    if not rows:
        hints.append("nobody has tended this yet: substrate tend")
    headings = ("=run", "domain", "time", "=proposed", "=stated", "=taken out", "entries", "state")
    return Answer(found.to_dict(), (Table(headings, rows),) if rows else (), tuple(hints))


def prune(given: Namespace, _: Output) -> Answer:
    """Print edges that look spurious, and take them back if that was said."""
    with writing(given) if given.yes else reading(given) as memory:
        found = memory.prune(given.domain, threshold=given.threshold, dry_run=not given.yes)
    rows = [(f"{one.score:.2f}", one.source, one.type, one.target) for one in found]
    auc = None if found.auc is None else f"{found.auc:.2f}"
    facts = Facts([("method", found.method), ("AUC of held-out edges", auc), ("edges", found.edges)])
    hints = [f"{found.left_out} more are above the threshold: a quarter of all edges is listed"] * bool(found.left_out)
    if rows and not given.yes:
        hints.append("nothing was changed; repeat with --yes to take them back")
    if not rows:
        hints.append("no edge looks spurious")
    table = Table(("=score", "source", "type", "target"), rows)
    return Answer(found.to_dict(), (*((table,) if rows else ()), facts), tuple(hints), is_report=given.yes)
