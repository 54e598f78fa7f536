"""What a line that was read asks of an open memory: the same call, typed in a shell or behind `%memory`."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from substrate.errors import InputError, NotFound
from substrate.text.quote import if_needed, in_quotes

if TYPE_CHECKING:
    from substrate.memory import Memory
    from substrate.policy import DomainTiers
    from substrate.proof.bundle import Bundle
    from substrate.values.edges import Edges
    from substrate.values.entities import EntityPage
    from substrate.values.hits import Found
    from substrate.values.predictions import Predictions
    from substrate.values.progress import Progress
    from substrate.values.relations import Context, Groups, Merged, PathFound, Related, Vetted
    from substrate.values.review.fading import FadingAtoms
    from substrate.values.review.pending import Accepted
    from substrate.values.saved import Forgot, Remembered, Saved, Undone

__all__ = [
    "context",
    "edges",
    "entities",
    "fading",
    "forget",
    "groups",
    "in_ranges",
    "merge",
    "named_in_question",
    "path",
    "predict",
    "proof_note",
    "relate",
    "remember",
    "rename",
    "replace",
    "resolve",
    "search",
    "tier",
    "unknown_types",
    "vet",
    "what_was_undone",
]

_NAMED = 20
"""Names of one question: more nobody would read before they say yes."""


def search(memory: Memory, given: Namespace, query: str, *, limit: int, wait: float) -> Found:
    """The hits. With `--words` nobody waits for the model."""
    return memory.search(
        query,
        limit=limit,
        offset=given.offset,
        type=given.type,
        prefix=given.prefix,
        domain=given.domain,
        without_domains=given.no_domain or (),
        tags=given.tag or (),
        any_tags=given.any_tag or (),
        without_tags=given.no_tag or (),
        entities=given.entity or (),
        source=given.source,
        origin=given.origin,
        actor=given.actor,
        session=given.session,
        since=given.happened_since,
        until=given.happened_until,
        as_of=given.as_of,
        valid_at=given.valid_at,
        hops=given.hops,
        walk=given.walk,
        min_score=given.min_score,
        wait=0 if given.words else wait,
    )


def entities(memory: Memory, given: Namespace) -> EntityPage:
    """A page of the directory."""
    return memory.entities(
        given.domain,
        prefix=given.begins,
        limit=given.limit,
        offset=given.offset,
        after=given.after,
        by=given.by or ("mentions" if given.after is None else "name"),
        as_of=given.as_of,
    )


def fading(memory: Memory, given: Namespace) -> FadingAtoms:
    """Atoms with their scores."""
    return memory.fading(
        given.names or None,
        status=given.status or ("active", "promoted"),
        order=given.order,
        limit=given.limit,
        offset=given.offset,
        as_of=given.as_of,
    )


def tier(memory: Memory, given: Namespace) -> DomainTiers:
    """The tiers of domains; of one domain, after it is set if a tier is given. InputError."""
    if given.tier is not None:
        memory.set_tier(given.domain, given.tier, max_tokens=given.max_tokens)
    elif given.max_tokens is not None:
        raise InputError("to set how many tokens a recall gives, also give the domain and its tier")
    return memory.tiers(given.domain)


def proof_note(memory: Memory, bundle: Bundle) -> str:
    """What who proves something of a name should know beside: what supersedes the atom, or names near an absent one."""
    name = bundle.name
    if name is not None and bundle.claim == "absent":
        near = [match.name for match in memory.which(name)]
        return f"note: there is no {name}; near it: {', '.join(map(if_needed, near))}" if near else ""
    if name is None or bundle.claim != "current":
        return ""
    by = [one for version in memory.history(name, limit=1) if version.atom for one in version.atom.superseded_by]
    return f"note: {name} is superseded by {', '.join(by)}; the proof says nothing of edges" if by else ""


def unknown_types(memory: Memory, types: Sequence[str] | None) -> str:
    """Of a listing or search that gave nothing: which of these types no atom has. Empty: all are in use."""
    known = memory.stats().types if types else {}
    unknown = [kind for kind in types or () if kind not in known]
    return f"no atom has the type {' or '.join(unknown)}. Types here: {', '.join(sorted(known))}" if unknown else ""


def edges(memory: Memory, given: Namespace) -> Edges:
    """The edges of an atom. Both directions, unless exactly one is asked for."""
    return memory.edges(
        given.name,
        direction="both" if given.into == given.out else "in" if given.into else "out",
        type=given.type,
        as_of=given.as_of,
        valid_at=given.valid_at,
        limit=given.limit,
        offset=given.offset,
    )


def context(memory: Memory, given: Namespace) -> Context:
    """What surrounds atoms."""
    return memory.context(
        given.names,
        depth=given.depth,
        limit=given.limit,
        offset=given.offset,
        type=given.type,
        as_of=given.as_of,
        valid_at=given.valid_at,
    )


def path(memory: Memory, given: Namespace) -> PathFound:
    """A shortest path between two atoms."""
    return memory.path(given.a, given.b, as_of=given.as_of, valid_at=given.valid_at, most=given.most)


def predict(memory: Memory, given: Namespace) -> Predictions:
    """What will probably be needed next."""
    return memory.predict(
        given.names or None,
        given.k,
        objective=given.objective,
        domain=given.domain,
        horizon=given.horizon,
        again=given.again,
        floor=given.floor,
    )


def remember(memory: Memory, given: Namespace, text: str) -> Remembered:
    """Save a text under a name that is made for it."""
    return memory.remember(
        text,
        given.type,
        tags=given.tag or (),
        actor=given.actor,
        origin=given.origin,
        session=given.session,
        source=given.source,
        allow_secrets=given.allow_secrets,
    )


def rename(memory: Memory, given: Namespace) -> Saved:
    """Give an atom another name."""
    return memory.rename(given.old, given.new, reason=given.reason, actor=given.actor, session=given.session)


def replace(memory: Memory, given: Namespace) -> Saved:
    """Let another value take the place of what an atom says."""
    fields = {"confidence": given.confidence, "tags": given.tag}
    return memory.replace(
        given.old,
        given.new,
        given.value,
        at=given.at,
        reason=given.reason,
        actor=given.actor,
        origin=given.origin,
        session=given.session,
        source=given.source,
        allow_secrets=given.allow_secrets,
        **{key: said for key, said in fields.items() if said is not None},
    )


def resolve(memory: Memory, given: Namespace) -> Saved:
    """Settle a conflict."""
    return memory.resolve(
        given.first,
        given.second,
        keep=given.keep,
        reason=given.reason,
        actor=given.actor,
        allow_secrets=given.allow_secrets,
    )


def check_pending(given: Namespace) -> None:
    """InputError if the line asks for two things at once."""
    if given.accept is not None and given.decline is not None:
        raise InputError("give --accept or --decline, not both")
    if given.accept is None and (given.domain is not None or given.create):
        raise InputError("--domain and --create belong to --accept: give the id of a text that waits")


def accept(memory: Memory, given: Namespace) -> Accepted:
    """Accept a proposal, in the name of a person."""
    return memory.accept(given.accept, domain=given.domain, create=given.create, actor=given.actor, origin="user")


def forget(memory: Memory, given: Namespace, *, dry_run: bool, progress: Progress | None = None) -> Forgot:
    """Erase what the line selects; or count it, in a dry run."""
    return memory.forget(
        given.names,
        source=given.source,
        actor=given.actor,
        session=given.session,
        objective=given.objective,
        seqs=given.seqs,
        whole=given.whole,
        dry_run=dry_run,
        progress=progress,
    )


def named_in_question(memory: Memory, given: Namespace, would: Forgot) -> list[str]:
    """The atoms that the line names to be forgotten, each in quotes, so that no name reads as more of the question."""
    keys = [*given.names, *would.renamed] if given.whole is None else [given.whole]
    named = [in_quotes(_name_of(memory, key)) for key in keys[:_NAMED]]
    left = len(keys) - len(named)
    return [*named, f"and {left:,} more"] if left else named


def in_ranges(numbers: Iterable[int]) -> str:
    """Numbers in a line, those that follow each other as a range: `3, 7012 to 8514`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in runs)


def what_was_undone(undone: Undone, caller: str) -> list[str]:
    """What an undo took back, in a line; and in others what it leaves of an import or ingest, if it leaves any."""
    done = "would be" if undone.dry_run else "was"
    stay, stays = ("would stay", "would stay") if undone.dry_run else ("stay", "stays")
    lines = []
    if undone.recorded_at is not None:
        by = f" by {in_quotes(undone.actor)}" if undone.actor else ""
        at = undone.recorded_at.strftime("%Y-%m-%d %H:%M:%S")
        seqs = [seq for part in undone.parts or (undone.undone,) for seq in part]
        noun = "entry" if len(seqs) == 1 else "entries"
        count = f"{len(undone.parts):,} checkpoints, " if len(undone.parts) > 1 else ""
        what, why = ("the rest of the", "; an undo of it had been stopped") if undone.went_on else ("the", "")
        lines.append(f"taken back: {what} {undone.verb}{by} of {at} UTC ({count}{noun} {in_ranges(seqs)}){why}")
    if undone.kept:
        some = ", ".join(map(in_quotes, undone.kept[:_NAMED]))
        more = f" and {len(undone.kept) - _NAMED:,} more" if len(undone.kept) > _NAMED else ""
        lines.append(f"others have changed {some}{more} since: these {stay} as they are")
    if undone.imported is not None:
        earlier = undone.imported
        noun = "entry" if len(earlier) == 1 else "entries"
        lines.append(
            f"the checkpoint before it is of an import too, and {stays}: {noun} {in_ranges(earlier)}. "
            f"To erase what that recorded, and nothing else: {caller} forget --seqs {earlier.start}:{earlier.stop}"
        )
    if undone.ingested is not None:
        noun = "entry" if len(undone.ingested) == 1 else "entries"
        lines.append(
            f"only the last checkpoint of an ingest {done} taken back. "
            f"The one before it is of an ingest too, and stays: {noun} {in_ranges(undone.ingested)}"
        )
    return lines


def _name_of(memory: Memory, key: str) -> str:
    """The name of an atom that is given by its name or its id; what was given, if it is no atom's."""
    try:
        return next((version.atom.name for version in memory.history(key, limit=2) if version.atom is not None), key)
    except NotFound:
        return key


def groups(memory: Memory, given: Namespace, progress: Progress | None = None) -> Groups:
    """What says nearly the same."""
    return memory.groups(
        threshold=given.threshold,
        most=given.most,
        limit=given.limit,
        pairs=given.pairs,
        type=given.type,
        prefix=given.prefix,
        domain=given.domain,
        tags=given.tag or (),
        progress=progress,
    )


def merge(memory: Memory, given: Namespace) -> Merged:
    """One atom in the place of several. A single name is the id of a group, or with `--back` what a merge made."""
    names = given.names[0] if len(given.names) == 1 else given.names
    return memory.merge(
        names, given.into, back=given.back, dry_run=given.dry_run, actor=given.actor, session=given.session
    )


def vet(memory: Memory, given: Namespace) -> Vetted:
    """Whether a relation holds."""
    return memory.vet(
        given.source, given.type, given.target, domain=given.domain, text=given.text, confidence=given.confidence
    )


def relate(memory: Memory, given: Namespace) -> Related:
    """State a relation that passes the check."""
    relation = {"source": given.source, "type": given.type, "target": given.target}
    more = {"confidence": given.confidence, "text": given.text}
    relation |= {word: said for word, said in more.items() if said is not None}
    return memory.relate([relation], domain=given.domain, least=given.least)
