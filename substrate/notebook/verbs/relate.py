"""The verbs that relate: context, path, associate, groups."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.commands import calls
from substrate.commands.verbs.relate import ASSOCIATE, COMPARE, CONTEXT, GROUPS, PATH, RELATE, VET
from substrate.notebook.verb import verb
from substrate.notebook.workspace import Workspace

if TYPE_CHECKING:
    from substrate.values.relations import Associations, Compared, Context, Groups, PathFound, Related, Vetted

__all__ = ["associate", "compare", "context", "groups", "path", "relate", "vet"]


@verb(CONTEXT)
def context(workspace: Workspace, given: Namespace, _: str | None) -> Context:
    """What surrounds atoms."""
    return calls.context(workspace.memory(), given)


@verb(PATH)
def path(workspace: Workspace, given: Namespace, _: str | None) -> PathFound:
    """A shortest path between two atoms."""
    return calls.path(workspace.memory(), given)


@verb(ASSOCIATE)
def associate(workspace: Workspace, given: Namespace, _: str | None) -> Associations:
    """Related atoms of other domains."""
    return workspace.memory().associate(
        given.names, domain=given.domain, all_domains=given.other_domain, limit=given.limit
    )


@verb(GROUPS)
def groups(workspace: Workspace, given: Namespace, _: str | None) -> Groups:
    """What says nearly the same."""
    return calls.groups(workspace.memory(), given)


@verb(VET)
def vet(workspace: Workspace, given: Namespace, _: str | None) -> Vetted:
    """Whether a relation holds."""
    return calls.vet(workspace.memory(), given)


@verb(RELATE)
def relate(workspace: Workspace, given: Namespace, _: str | None) -> Related:
    """State a relation that passes the check."""
    return calls.relate(workspace.memory(), given)


@verb(COMPARE)
def compare(workspace: Workspace, given: Namespace, _: str | None) -> Compared:
    """Whether two passages contradict each other."""
    return workspace.memory().compare(given.first, given.second)
