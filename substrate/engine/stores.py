"""Opening a store's log with all the views that the engine keeps."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from substrate.clock import Clock
from substrate.log.log import Log, open_log
from substrate.log.replay import Check, View
from substrate.views.arcs import ArcView
from substrate.views.atoms import AtomView
from substrate.views.edges import EdgeView
from substrate.views.mixing import check_mixing
from substrate.views.models import ModelView, check_vectors
from substrate.views.sessions import check_sessions
from substrate.views.traces import check_traces
from substrate.views.words import WordView

__all__ = ["CACHE_CHECKS", "CHECKS", "VIEWS", "open_memory_log"]

VIEWS: Final[tuple[View, ...]] = (AtomView(), EdgeView(), WordView(), ModelView(), ArcView())
"""Every view there is. A store that was written without one of them is caught up when it is opened for writing."""

CHECKS: Final[tuple[Check, ...]] = (check_traces, check_sessions, check_mixing)
"""What else fsck looks at, and a restore or clone before it takes a store over."""

CACHE_CHECKS: Final[tuple[Check, ...]] = (check_vectors,)
"""What fsck looks at too. A restore does not: nothing is lost with a cache, and a rebuild makes it anew."""


def open_memory_log(  # noqa: PLR0913
    path: str | Path,
    *,
    read_only: bool,
    create: bool,
    home: str | Path | None,
    origin: str | None,
    clock: Clock | None,
) -> Log:
    """See `open_memory`."""
    return open_log(path, home=home, read_only=read_only, create=create, views=VIEWS, clock=clock, origin=origin)
