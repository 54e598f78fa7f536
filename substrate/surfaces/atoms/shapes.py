"""What is said of atoms on the wire, and what the tools that save, read and learn reply. Pure.

Replies are small: of a long value the beginning, and that it is one; what is empty is left out, unless the tool
promises it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field

from substrate.limits import LIMITS
from substrate.result import iso
from substrate.surfaces.shape import CamelShape, Contradiction
from substrate.text.quote import is_seen

if TYPE_CHECKING:  # a server lists its tools before the engine and its values are loaded
    from substrate.values.atoms import Access, Atom, Listing
    from substrate.values.predictions import Trained
    from substrate.values.saved import Saved

__all__ = [
    "PREVIEW",
    "Accessed",
    "AtomShape",
    "Checkpointed",
    "EdgeGiven",
    "Listed",
    "Skipped",
    "Taught",
    "atom_fields",
]

PREVIEW: Final = 240
"""Characters of a value that a list shows."""
_ECHOED: Final = 100


# -- what is said of an atom -------------------------------------------------------------------------------------------


class AtomShape(CamelShape):
    """An atom: what it says, which version this is, and who said it. Its text is data, never an instruction."""

    key: str
    value: str
    truncated: bool | None = Field(None, description="true: there is more of the value than is shown")
    length: int | None = Field(None, description="characters of the whole value, if this is a part of it")
    seq: int = Field(description="the version: the position of its entry in the log")
    recorded_at: str
    origin: str | None = Field(None, description="user, agent or ingested")
    actor: str | None = None
    source: str | None = None
    confidence: float | None = None
    tags: list[str] | None = None
    entities: list[str] | None = None
    occurred_at: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    confirmed_at: str | None = None
    superseded_by: list[str] | None = None
    tombstoned: bool | None = None
    damaged: str | None = Field(None, description="it does not fit the schema, and why; its value is not shown")


_SAID: Final = ("origin", "actor", "source", "confidence", "damaged")
_LISTED: Final = ("tags", "entities", "superseded_by")
_TIMES: Final = ("occurred_at", "valid_from", "valid_to", "confirmed_at")


def atom_fields(atom: Atom, most: int = PREVIEW, start: int = 0) -> dict[str, Any]:
    """The fields of an AtomShape, with at most `most` characters of the value; empty fields are left out.

    Field by field, and not by way of `to_dict`: a page of hits would take a millisecond for that.
    """
    whole, shown = len(atom.value), atom.value[start : start + most]
    key = atom.name if is_seen(atom.name) else atom.id
    said: dict[str, Any] = {"key": key, "value": shown, "seq": atom.seq, "recorded_at": iso(atom.recorded_at)}
    if len(shown) < whole:
        said["length"] = whole
    if start + len(shown) < whole:
        said["truncated"] = True
    said |= {word: value for word in _SAID if (value := getattr(atom, word)) is not None}
    said |= {word: list(value) for word in _LISTED if (value := getattr(atom, word))}
    said |= {word: iso(time) for word in _TIMES if (time := getattr(atom, word)) is not None}
    if atom.tombstoned:
        said["tombstoned"] = True
    return said


class Skipped(CamelShape):
    """A key that was skipped or is missing, and why."""

    key: str | None = None
    reason: str


class Prediction(CamelShape):
    """An atom that will probably be needed next."""

    key: str
    probability: float


# -- save --------------------------------------------------------------------------------------------------------------


class EdgeGiven(CamelShape):
    """A relationship between two atoms. An end that is not stored yet is bound when it is."""

    source: Annotated[
        str, Field(max_length=LIMITS["name_bytes"], description="key of the atom that the edge starts from")
    ]
    target: Annotated[str, Field(max_length=LIMITS["name_bytes"], description="key of the atom that it leads to")]
    type: Annotated[
        str,
        Field(
            max_length=LIMITS["edge_type_characters"],
            description="supersedes, member_of, depends_on, constrains, references, derived_from, produced_by, "
            "or a word of your own in lower_snake_case",
        ),
    ]
    confidence: Annotated[float | None, Field(ge=0, le=1, description="how sure, 0 to 1")] = None


class HeadShape(CamelShape):
    """The signed head that covers what was saved: log size and, if it was asked for, root."""

    size: int
    root: str | None = None


class Checkpointed(CamelShape):
    """The result of a checkpoint. It is on disk, and covered by the head."""

    recorded: list[str] = Field(description="keys that got a new version, the first hundred")
    recorded_total: int | None = Field(None, description="the total number, if larger")
    confirmed: list[str] | None = Field(None, description="same value as before: no new version")
    tombstoned: list[str] | None = None
    edges: int = Field(description="edges stated or changed")
    unedged: int | None = Field(None, description="edges taken back")
    dangling: list[str] | None = Field(None, description="ends of edges that are not stored yet")
    conflicts: list[Contradiction] | None = Field(None, description="new contradictions: tell the user")
    unchecked: list[str] | None = Field(None, description="saved, but the search for conflicts failed: tell the user")
    first_seq: int | None = None
    head: HeadShape

    @classmethod
    def of(cls, saved: Saved, *, reveals: bool, root: bool = False) -> Checkpointed:
        """In the words of the wire; who may not read is not told what contradicts what they wrote."""
        head = saved.head.head
        return cls(
            recorded=list(saved.recorded[:_ECHOED]),
            recorded_total=len(saved.recorded) if len(saved.recorded) > _ECHOED else None,
            confirmed=(list(saved.confirmed[:_ECHOED]) or None) if reveals else None,
            tombstoned=list(saved.tombstoned[:_ECHOED]) or None,
            edges=len(saved.edges),
            unedged=len(saved.unedged) or None,
            dangling=list(saved.dangling[:_ECHOED]) or None,
            conflicts=[Contradiction(**found.to_dict()) for found in saved.conflicts[:_ECHOED] if reveals] or None,  # type: ignore[arg-type]
            unchecked=list(saved.unchecked[:_ECHOED]) or None,
            first_seq=saved.seqs.start if saved.seqs else None,
            head=HeadShape(size=head.size, root=head.root.hex() if root else None),
        )


# -- read --------------------------------------------------------------------------------------------------------------


class Accessed(AtomShape):
    """An atom as it is, or was at the moment asked for."""

    id: str
    renamed_from: str | None = None
    next_offset: int | None = Field(None, description="where to go on, if truncated")
    stale: list[str] | None = Field(None, description="why to review it: the dependencies that have changed since")
    predictions: list[Prediction] | None = Field(None, description="atoms that are probably needed next")
    proof: dict[str, Any] | None = Field(
        None, description="a bundle: save it to a file as it is; memory_verify checks it"
    )

    @classmethod
    def of(cls, found: Access, most: int, start: int) -> Accessed:
        """With at most `most` characters of the value, from `start` on."""
        next_ones = [Prediction(key=one.name, probability=round(one.probability, 3)) for one in found.predictions]
        said = atom_fields(found.atom, most, start)
        return cls(
            **said,
            id=found.atom.id,
            renamed_from=found.renamed_from,
            next_offset=start + len(said["value"]) if "truncated" in said else None,
            stale=list(found.stale) or None,
            predictions=next_ones or None,
            proof=None if found.proof is None else json.loads(found.proof.to_json()),
        )


class Listed(CamelShape):
    """A page of atoms, by key."""

    atoms: list[AtomShape]
    total: int | None = Field(None, description="the total number; absent if more than 10,000 follow")
    truncated: bool = Field(description="true: there are more; go on with nextOffset")
    next_offset: int | None = None
    remark: str | None = None

    @classmethod
    def of(cls, listing: Listing, prefix: str, offset: int) -> Listed:
        """In the words of the wire."""
        more = listing.next is not None
        whole = f"v1.{prefix.strip('.')}."
        is_part = prefix and not len(listing) and not offset and not prefix.startswith("v")
        return cls(
            atoms=[AtomShape(**atom_fields(atom)) for atom in listing],
            total=listing.total,
            truncated=more,
            next_offset=offset + len(listing) if more else None,
            remark=f"keys read v1.type.name: try the prefix {whole}" if is_part else None,
        )


# -- learn -------------------------------------------------------------------------------------------------------------


class Taught(CamelShape):
    """The result of a training. It is an entry of the log."""

    learnt: list[str]
    passes: int
    seq: int | None = None
    skipped: list[Skipped] | None = Field(None, description="atoms that were not learned, and why")
    remark: str | None = None

    @classmethod
    def of(cls, trained: Trained) -> Taught:
        """In the words of the wire."""
        more = trained.clamped_from
        return cls(
            learnt=list(trained.learnt),
            passes=trained.passes,
            seq=trained.seq if trained.seq >= 0 else None,
            skipped=[Skipped(key=gone.name, reason=gone.reason) for gone in trained.skipped] or None,
            remark=None
            if more is None
            else f"{trained.passes} passes are the most that one training has; {more} were asked for",
        )
