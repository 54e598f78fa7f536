"""Accepted, rejected or unsupported: what the graph and the text come to, and why.

1. The verdict follows from the evidence alone. The evidence is kept with the edge (`attrs.verifier`), so that anyone
   can work the verdict out again.
2. It is never worse for more confidence, nor for one more neighbour in common.
3. What a text denies is rejected, whatever the graph or a model says. What a text states is accepted: two ends that
   are new to a graph have no neighbours, and that says nothing against them.
4. A model that was asked decides only what both leave open: it can raise unsupported to accepted, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from substrate.relations.grounding import APART, DENIED, DOUBTED, REVERSED, STATED, TOGETHER
from substrate.relations.score import HIGH, LOW, Topology, graph_score, is_typed

__all__ = [
    "ACCEPTED",
    "CONTRADICTED",
    "ITSELF",
    "NOTHING",
    "RANKS",
    "REJECTED",
    "UNSUPPORTED",
    "Evidence",
    "Verdict",
    "decide",
    "said_of_given",
]

ACCEPTED: Final = "accepted"
UNSUPPORTED: Final = "unsupported"
REJECTED: Final = "rejected"
RANKS: Final = (REJECTED, UNSUPPORTED, ACCEPTED)
"""From the worst on."""
NOTHING: Final = "nothing"
"""There is no text that speaks of both."""
CONTRADICTED: Final = "contradicted"
"""A text says that it is another one: `Alice works for Acme`, and not for Globex."""
ITSELF: Final = "itself"
"""Both ends are one entity: no text is looked at."""


class Evidence(NamedTuple):
    """All that a verdict follows from."""

    type: str
    confidence: float | None = None
    topology: Topology = Topology()
    text: str = NOTHING
    """What the text says: stated, denied, reversed, contradicted, doubted, together, apart, nothing or itself."""
    vog: float | None = None
    """How sure a model is that the text states it, with a quotation that was checked; None: none was asked."""
    judge: str | None = None
    """What that model is called."""

    def to_attrs(self) -> dict[str, Any]:
        """As JSON holds it."""
        common, degrees = self.topology
        said: dict[str, Any] = {"type": self.type, "common": common, "degrees": list(degrees), "text": self.text}
        more = {"confidence": self.confidence, "vog": self.vog, "judge": self.judge}
        return said | {key: value for key, value in more.items() if value is not None}

    @classmethod
    def of_attrs(cls, said: Mapping[str, Any]) -> Evidence:
        """The evidence that was kept so. ValueError if it was not."""
        try:
            one, other = (int(degree) for degree in said["degrees"])
            return cls(
                str(said["type"]),
                None if said.get("confidence") is None else float(said["confidence"]),
                Topology(int(said["common"]), (one, other)),
                str(said["text"]),
                None if said.get("vog") is None else float(said["vog"]),
                None if said.get("judge") is None else str(said["judge"]),
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"this is no evidence of a relation: {error}") from None


class Verdict(NamedTuple):
    """What the evidence comes to: the verdict, what decided it, and why in a line."""

    verdict: str
    level: str
    """srmkg_high or srmkg_low: the graph; grounded or contradicted: the text; vog: a model; itself; unsupported."""
    score: float
    """What the graph says, from 0 to 1."""
    reason: str


_SURE: Final = 0.5
"""How sure a model must be."""
_AGAINST: Final = {
    DENIED: "{} denies it",
    REVERSED: "{} says it the other way round",
    CONTRADICTED: "{} says it of another one",
}
_LEFT_OPEN: Final = {
    DOUBTED: "{} leaves it open",
    TOGETHER: "a sentence names both, and does not say this of them",
    NOTHING: "no text speaks of both",
}
_APART: Final = "{} names the two apart from each other"
_OF_GIVEN: Final = {
    DOUBTED: "leaves it open",
    TOGETHER: "names both, and does not say this of them",
    APART: "names the two apart from each other",
    NOTHING: "does not speak of both",
}


def said_of_given(kind: str) -> str:
    """What a text that was given says, beside a stored one that decides; `kind` as in `Evidence.text`."""
    return f"the given text {_OF_GIVEN[kind]}"


def decide(evidence: Evidence, place: str = "the text") -> Verdict:
    """The verdict. See the module. `place`: what to call the text that speaks of it."""
    score = graph_score(evidence.confidence, evidence.type, evidence.topology)
    text = evidence.text
    common, degrees = evidence.topology
    verdict, level = UNSUPPORTED, "unsupported"
    reason = _LEFT_OPEN.get(text, _APART).format(place)
    if text == ITSELF:
        verdict, level, reason = REJECTED, ITSELF, "an entity has no relation to itself"
    elif text in _AGAINST:
        verdict, level, reason = REJECTED, "contradicted", _AGAINST[text].format(place)
    elif text == STATED or (text == TOGETHER and not is_typed(evidence.type)):
        verdict, level, reason = ACCEPTED, "grounded", f"a sentence of {place} says so"
    elif score >= HIGH:
        verdict, level = ACCEPTED, "srmkg_high"
        reason = f"{common} of {sum(degrees) - common} neighbours are common to both"
    elif score < LOW:
        verdict, level, reason = REJECTED, "srmkg_low", f"{reason}, and the graph gives it {score:.2f}, below {LOW}"
    elif evidence.vog is not None:
        level = "vog"
        if evidence.vog >= _SURE:
            verdict, reason = ACCEPTED, "a model finds it in the text"
        else:
            reason = f"{reason}, and a model does not find it there"
    return Verdict(verdict, level, score, reason)
