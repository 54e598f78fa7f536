"""Every view there is, and what else of a store fsck looks at."""

from __future__ import annotations

from typing import Final

from substrate.log.replay import Check, View
from substrate.views.atoms import AtomView
from substrate.views.beside.conflicts import check_conflicts
from substrate.views.beside.proposals import check_proposals
from substrate.views.claims import ClaimView
from substrate.views.edges import EdgeView
from substrate.views.learned.arcs import ArcView
from substrate.views.learned.mixing import check_mixing
from substrate.views.learned.objectives import check_objectives
from substrate.views.learned.sessions import check_sessions
from substrate.views.models import ModelView, check_vectors
from substrate.views.touches import check_touches
from substrate.views.traces import check_traces
from substrate.views.words import WordView

__all__ = ["CACHE_CHECKS", "CHECKS", "VIEWS"]


VIEWS: Final[tuple[View, ...]] = (AtomView(), EdgeView(), WordView(), ModelView(), ClaimView(), ArcView())
"""Every view there is. One that changes its rows gets a higher `version`; log/replay.py says what else it must keep.

A store that lacks one, or has an older version, is upgraded when it is next opened for writing.
"""


CHECKS: Final[tuple[Check, ...]] = (
    check_traces,
    check_conflicts,
    check_sessions,
    check_mixing,
    check_touches,
    check_proposals,
)
"""What else fsck looks at, and a restore or clone before it takes a store over."""


CACHE_CHECKS: Final[tuple[Check, ...]] = (check_vectors, check_objectives)
"""What fsck looks at too. A restore does not: nothing is lost with a cache, and a rebuild makes it anew."""
