"""What the tools that find reply: hits, edges around atoms, connections that nobody stated. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pydantic import Field

from substrate.messages import Words, render
from substrate.surfaces.atoms.shapes import PREVIEW, AtomShape, EdgeGiven, Skipped, atom_fields
from substrate.surfaces.shape import CamelShape

if TYPE_CHECKING:  # a server lists its tools before the engine and its values are loaded
    from substrate.values.hits import Found, Hit
    from substrate.values.relations import Associations, Context

__all__ = ["Associated", "Hits", "Linked"]


class HitShape(AtomShape):
    """An atom that was found, and why."""

    score: float
    why: str = Field(description="how much each part added to the score")
    current: bool | None = Field(None, description="false: an earlier version, or one that was superseded")
    newer: str | None = Field(None, description="outdated: the key of a newer atom that says otherwise of the same")
    disputed: str | None = Field(
        None,
        description="a person says this; the newer atom of this key, by an agent, contradicts it: ask who is right",
    )


class Hits(CamelShape):
    """The hits of a search, best first."""

    atoms: list[HitShape]
    truncated: bool = Field(description="true: there is more behind the limit")
    remarks: list[str] | None = Field(None, description="how the question was understood, and what was not searched")
    seq: int = Field(description="the last entry of the log that this answer knows of")

    @staticmethod
    def said(found: Found, words: Words) -> dict[str, Any]:
        """In the words of the wire; as a dictionary, which is not made and taken apart again for each hit."""
        said: dict[str, Any] = {"atoms": [_hit(hit) for hit in found], "truncated": found.more, "seq": found.seq}
        if found.remarks:
            said["remarks"] = [render(remark, words) for remark in found.remarks]
        return said


def _hit(hit: Hit) -> dict[str, Any]:
    """A hit as HitShape has it, with the passage that matches best in the place of a long value."""
    said = {_WIRE[word]: value for word, value in atom_fields(hit.atom).items()}
    if "truncated" in said and hit.snippet:
        said["value"] = hit.snippet
    said |= {"score": round(hit.score, 3), "why": hit.why}
    if not hit.current:
        said["current"] = False
    if hit.newer is not None:
        said["newer"] = hit.newer
    if hit.disputed is not None:
        said["disputed"] = hit.disputed
    return said


_WIRE: Final = {name: field.alias or name for name, field in AtomShape.model_fields.items()}
"""The fields of an atom, as they are called on the wire."""


class EdgeShape(CamelShape):
    """An edge that someone stated."""

    source: str
    type: str
    target: str
    confidence: float | None = None
    actor: str | None = None
    origin: str | None = None
    recorded_at: str


class Near(CamelShape):
    """An atom that edges lead to."""

    key: str
    distance: int = Field(description="edges between it and the nearest atom asked about; 0: it is one of them")
    value: str | None = None
    truncated: bool | None = Field(None, description="true: there is more of the value than is shown")
    absent: str | None = Field(
        None, description="why it says nothing: dangling, tombstoned, forgotten or not valid then"
    )
    superseded_by: list[str] | None = None
    stale: list[str] | None = None
    seq: int | None = None
    origin: str | None = Field(None, description="user, agent or ingested")
    actor: str | None = None


class ArcShape(CamelShape):
    """Learned from use: of all atoms used after source, this share was target."""

    source: str
    target: str
    share: float


class Linked(CamelShape):
    """The edges around some atoms, nearest first, with the atoms that they lead to and what was learnt from use."""

    edges: list[EdgeShape]
    atoms: list[Near]
    arcs: list[ArcShape] | None = None
    missing: list[Skipped] | None = None
    cut: list[str] | None = Field(None, description="hubs with more edges than were followed")
    truncated: bool

    @classmethod
    def of(cls, context: Context) -> Linked:
        """In the words of the wire."""
        edges = [
            {word: said for word, said in edge.to_dict().items() if word in EdgeShape.model_fields} for edge in context
        ]
        near = [_near(reached.to_dict()) for reached in context.atoms]
        return cls(
            edges=[EdgeShape(**edge) for edge in edges],  # type: ignore[arg-type]
            atoms=near,
            arcs=[ArcShape(source=arc.source, target=arc.target, share=round(arc.share, 3)) for arc in context.arcs]
            or None,
            missing=[Skipped(key=gone.name, reason=gone.reason) for gone in context.missing] or None,
            cut=list(context.cut) or None,
            truncated=context.more,
        )


def _near(said: dict[str, Any]) -> Near:
    said["key"] = said.pop("name")
    if said.get("value", "").endswith("…"):
        said["truncated"] = True
    return Near(**{word: value for word, value in said.items() if word in Near.model_fields})


class Association(CamelShape):
    """Two related atoms of different domains that no edge links yet."""

    source: str
    target: str
    value: str = Field(description="the value of the target")
    truncated: bool | None = Field(None, description="true: there is more of the value than is shown")
    seq: int = Field(description="of the target")
    origin: str | None = Field(None, description="of the target: user, agent or ingested")
    actor: str | None = None
    score: float
    reason: str
    edge: EdgeGiven = Field(description="to accept it, give this to session_checkpoint as an edge")


class Associated(CamelShape):
    """Unexpected connections, the strongest first."""

    associations: list[Association]
    missing: list[Skipped] | None = None
    remark: str | None = None

    @classmethod
    def of(cls, found: Associations, words: Words) -> Associated:
        """In the words of the wire."""
        return cls(
            associations=[
                Association(
                    source=one.source.name,
                    target=one.target.name,
                    value=one.target.value[:PREVIEW],
                    truncated=len(one.target.value) > PREVIEW or None,
                    seq=one.target.seq,
                    origin=one.target.origin,
                    actor=one.target.actor,
                    score=round(one.score, 3),
                    reason=one.reason,
                    edge=EdgeGiven.model_validate({word: one.edge.get(word) for word in EdgeGiven.model_fields}),
                )
                for one in found
            ],
            missing=[Skipped(key=gone.name, reason=gone.reason) for gone in found.missing] or None,
            remark=render(found.meaning, words) or None,
        )
