"""Tend the graph of entities: tend, tending, prune."""

from __future__ import annotations

from substrate.commands.command import Command, Example, flag, option
from substrate.commands.options import limit
from substrate.commands.readers import fraction, number

__all__ = ["PRUNE", "TEND", "TENDING"]

_DOMAIN = option("--domain", metavar="DOMAIN", help="the domain: v1.domain.x, or x (default: main)", complete="domain")

TEND = Command(
    "tend",
    "care",
    "State relations between entities that texts and sessions support, and tidy up.",
    "Candidates are entities that a sentence joins, or that two sessions opened together. Each is vetted; what is "
    "accepted becomes an edge that cites its chunk. An edge that someone took back is not stated again. All of it is "
    "one checkpoint by the actor tend: --undo takes a run back. A second gardener is refused while one is at work.",
    (
        Example("substrate tend --domain shop --dry-run", "prints the candidates; nothing is written"),
        Example("substrate tend --domain shop --json", "does it, as JSON; `run` is its number"),
        Example("%memory tend --domain shop --dry-run"),
    ),
    (
        _DOMAIN,
        flag("--dry-run", help="only print what would be done"),
        option("--undo", metavar="RUN", read=number, help="take this run back; tending lists runs"),
    ),
    about_cli="In a pipe each candidate is a line of verdict, source, type, target, score and reason.",
)

TENDING = Command(
    "tending",
    "care",
    "List the runs of tend, and whether one is at work.",
    "Each with its number, what it proposed and stated, and its entries: diff shows what they changed.",
    (
        Example("substrate tending", "of all domains"),
        Example("substrate tending --domain shop --json", "of one domain, as JSON"),
        Example("%memory tending"),
    ),
    (
        option("--domain", metavar="DOMAIN", help="only of this domain: v1.domain.x, or x", complete="domain"),
        limit(20, "runs"),
    ),
    about_cli="In a pipe each run is a line of number, domain, time, counts and entries.",
)

PRUNE = Command(
    "prune",
    "care",
    "List edges between entities that look spurious, by a model trained on the others.",
    "It learns to tell edges from other pairs by neighbours, vectors and chunks in common, and is judged on edges that "
    "it has not seen. Below 50 edges fixed weights decide. Never more than a quarter of the edges is listed. With "
    "--yes they are taken back in one checkpoint, which undo takes back.",
    (
        Example("substrate prune --domain shop", "edges that look spurious"),
        Example("substrate prune --domain shop --threshold 0.8 --json", "only the worst, as JSON"),
        Example("%memory prune --domain shop"),
    ),
    (
        _DOMAIN,
        option(
            "--threshold",
            metavar="SCORE",
            read=fraction,
            default=0.6,
            help="how spurious an edge must look, from 0 to 1 (default: 0.6)",
        ),
        flag("--yes", help="take the listed edges back"),
    ),
    about_cli="In a pipe each edge is a line of score, source, type and target.",
)
