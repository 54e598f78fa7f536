"""The verbs that learn what is needed, predict it, and open a session with it: train, predict, bootstrap, watch."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.commands import calls
from substrate.commands.verbs.learn import BOOTSTRAP, PREDICT, TRAIN, WATCH_CELLS
from substrate.notebook.verb import verb
from substrate.notebook.workspace import Workspace

if TYPE_CHECKING:
    from substrate.values.opening import Opening
    from substrate.values.predictions import Predictions, Trained

__all__ = ["bootstrap", "predict", "train", "watch"]


@verb(BOOTSTRAP, rest="objective")
def bootstrap(workspace: Workspace, given: Namespace, _: str | None) -> Opening:
    """The context for a new session."""
    return workspace.memory().bootstrap(
        given.objective or None,
        max_tokens=workspace.max_tokens if given.max_tokens is None else given.max_tokens,
        high_impact=given.high_impact,
        evidence_threshold=given.evidence_threshold,
        domain=given.domain,
        ingested=given.ingested,
        wait=0 if given.words else workspace.wait,
    )


@verb(TRAIN)
def train(workspace: Workspace, given: Namespace, _: str | None) -> Trained:
    """Teach that atoms are needed together."""
    return workspace.memory().train(given.names, given.passes, objective=given.objective, domain=given.domain)


@verb(PREDICT)
def predict(workspace: Workspace, given: Namespace, _: str | None) -> Predictions:
    """What will probably be needed next."""
    return calls.predict(workspace.memory(), given)


@verb(WATCH_CELLS)
def watch(workspace: Workspace, given: Namespace, _: str | None) -> None:
    """Show under each cell what will probably be needed next, or no more."""
    workspace.watch.turn(on=given.state == "on")
    workspace.say(f"watching is {given.state}")
