"""Accepted, rejected or unsupported: what the graph and the text come to, and why.

1. The verdict follows from the evidence alone. The evidence is kept with the edge (`attrs.verifier`), so that anyone
   can work the verdict out again.
2. It is never worse for more confidence, nor for one more neighbour in common.
3. What a text denies is rejected, whatever the graph says. What a text states is accepted: two ends that are new to a
   graph have no neighbours, and that says nothing against them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from substrate.relations.grounding import DENIED, DOUBTED, REVERSED, STATED, TOGETHER
from substrate.relations.score import HIGH, LOW, Topology, graph_score, is_typed

__all__ = [
    "ACCEPTED",
    "CONTRADICTED",
    "NOTHING",
    "RANKS",
    "REJECTED",
    "SUPPORTED",
    "UNSUPPORTED",
    "Evidence",
    "Verdict",
    "decide",
]

ACCEPTED: Final = "accepted"
UNSUPPORTED: Final = "unsupported"
REJECTED: Final = "rejected"
RANKS: Final = (REJECTED, UNSUPPORTED, ACCEPTED)
"""From the worst on."""
SUPPORTED: Final = "supported"
"""What somebody who was asked says of a relation that holds."""
NOTHING: Final = "nothing"
"""There is no text that speaks of both."""
CONTRADICTED: Final = "contradicted"
"""A text says that it is another one: `Alice works for Acme`, and not for Globex."""
_ALIKE: Final = 0.85
"""The cosine of a sentence that names both and of the relation as a sentence, from which on they say the same."""


class Evidence(NamedTuple):
    """All that a verdict follows from."""

    type: str
    confidence: float | None = None
    topology: Topology = Topology()
    text: str = NOTHING
    """What the text says: stated, denied, reversed, contradicted, doubted, together, apart or nothing."""
    cosine: float | None = None
    """How near the sentence that names both is to the relation in words, if a model compared them."""
    judge: str = ""
    """What somebody who was asked says of the borderline: supported or denied; empty: nobody was asked."""
    judged_by: str = ""

    def to_attrs(self) -> dict[str, Any]:
        """As JSON holds it."""
        common, degrees = self.topology
        said: dict[str, Any] = {"type": self.type, "common": common, "degrees": list(degrees), "text": self.text}
        more = {"confidence": self.confidence, "cosine": self.cosine, "judge": self.judge, "judged_by": self.judged_by}
        return said | {key: value for key, value in more.items() if value not in (None, "")}

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
                None if said.get("cosine") is None else float(said["cosine"]),
                str(said.get("judge", "")),
                str(said.get("judged_by", "")),
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"this is no evidence of a relation: {error}") from None


class Verdict(NamedTuple):
    """What the evidence comes to: the verdict, what decided it, and why in a line."""

    verdict: str
    level: str
    """srmkg_high or srmkg_low: the graph; grounded or contradicted: the text; similar; judge; unsupported."""
    score: float
    """What the graph says, from 0 to 1."""
    reason: str


_AGAINST: Final = {
    DENIED: "the text denies it",
    REVERSED: "the text says it the other way round",
    CONTRADICTED: "the text says it of another one",
}
_LEFT_OPEN: Final = {
    DOUBTED: "the text leaves it open",
    TOGETHER: "a sentence names both, and does not say this of them",
    NOTHING: "no text speaks of both",
}


def decide(evidence: Evidence) -> Verdict:
    """The verdict. See the module."""
    score = graph_score(evidence.confidence, evidence.type, evidence.topology)
    text, judge, cosine = evidence.text, evidence.judge, evidence.cosine
    common, degrees = evidence.topology
    verdict, level = UNSUPPORTED, "unsupported"
    reason = _LEFT_OPEN.get(text, "the text names the two apart from each other")
    if text in _AGAINST:
        verdict, level, reason = REJECTED, "contradicted", _AGAINST[text]
    elif text == STATED or (text == TOGETHER and not is_typed(evidence.type)):
        verdict, level, reason = ACCEPTED, "grounded", "a sentence of the text says so"
    elif score >= HIGH:
        verdict, level = ACCEPTED, "srmkg_high"
        reason = f"{common} of {sum(degrees) - common} neighbours are common to both"
    elif judge:
        verdict, level = ACCEPTED if judge == SUPPORTED else REJECTED, "judge"
        reason = f"{evidence.judged_by or 'who was asked'} says that it is {judge}"
    elif text == TOGETHER and score >= LOW and cosine is not None and cosine >= _ALIKE:
        verdict, level, reason = ACCEPTED, "similar", f"a sentence that names both says the same, by {cosine:.2f}"
    elif score < LOW:
        verdict, level, reason = REJECTED, "srmkg_low", f"{reason}, and the graph gives it {score:.2f}, below {LOW}"
    return Verdict(verdict, level, score, reason)
