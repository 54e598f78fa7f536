"""Row 13: whatever is done to a store, in whatever order, it answers as the plain model does.

Every twin is a model with one thing wrong; the same machine must find out each of them.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from substrate.atoms.meant.near_names import discreet
from tests.machine.machine import StoreMachine
from tests.machine.plain_model import Edge, Event, PlainModel, Said
from tests.scale import SEED, rounds

SHARES = 4
"""Each with runs of its own: as one test it would take as long as all others beside it."""


def run(machine: type[StoreMachine], examples: int, *, shrink: bool = True) -> None:
    with discreet():  # of what is not there no near names are looked for, which has tests of its own
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=examples,
                stateful_step_count=20,
                phases=[Phase.generate, Phase.shrink] if shrink else [Phase.generate],
                report_multiple_bugs=False,
                suppress_health_check=list(HealthCheck),
            ),
        )


# What these run is covered by other tests; to count its lines once more would more than double their time.
@pytest.mark.no_cover
@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("share", range(SHARES))
def test_the_store_answers_as_the_plain_model_after_every_step(share: int) -> None:
    machine = type(f"Share{share}", (StoreMachine,), {})
    run(seed(f"{share} {SEED}")(machine), rounds(32, 2000) // SHARES)


class LaterTombstonesEmptyThePast(PlainModel):
    def read(self, about: int, as_of: int | None = None, valid_at: int | None = None) -> Event | str:
        return super().read(about, as_of, valid_at) if self.is_live(about) else "absent"


class ForgettingLeavesEdges(PlainModel):
    def touched(self, about: int) -> list[Event]:
        return [event for event in super().touched(about) if isinstance(event.about, int)]


class TheSameAgainIsANewVersion(PlainModel):
    def state(self, about: int | Edge, kind: str, said: Said, now: int, actor: str | None) -> bool:
        self.append(kind, about, said, now, actor)
        return True


class AWindowHoldsAtItsEnd(PlainModel):
    def holds(self, event: Event, since: int | None, time: int) -> bool:
        said: Said = {key: value + (key == "valid_to") for key, value in event.said.items() if key in TIMES}
        return super().holds(Event(event.seq, event.time, "put", 0, said), since, time)


class ATombstonedSupersederStillCounts(PlainModel):
    def superseders(self, about: int, as_of: int | None = None, valid_at: int | None = None) -> list[str]:  # noqa: ARG002
        edges = self.live_edges(as_of)
        return sorted(self.names[source] for source, kind, target in edges if (kind, target) == ("supersedes", about))


class WhatDoesNotHoldStillSupersedes(PlainModel):
    def superseders(self, about: int, as_of: int | None = None, valid_at: int | None = None) -> list[str]:  # noqa: ARG002
        return super().superseders(about, as_of)


class AForgottenNameKeepsItsId(PlainModel):
    def forget(self, about: int, seq: int) -> None:
        super().forget(about, seq)
        del self.forgotten[about]


class ATombstonedAtomIsStillLearnt(PlainModel):
    def is_used(self, name: str) -> bool:
        return self.number(name) is not None


class ATakenBackMembershipStillCounts(PlainModel):
    def direct_members(self, about: int, as_of: int | None, at: int) -> set[int]:  # noqa: ARG002
        ever = {event.about for event in self.events if event.kind == "edge" and event.erased_by is None}
        edges = [edge for edge in ever if isinstance(edge, tuple) and edge[1:] == ("member_of", about)]
        return {edge[0] for edge in edges} if self.is_live(about, as_of) else set()


class AMembershipHoldsBeyondItsWindow(PlainModel):
    def holds_then(self, edge: Edge, as_of: int | None, at: int) -> bool:  # noqa: ARG002
        return True


class WhatIsOutOfUseIsCounted(PlainModel):
    def characters(self) -> int:
        puts = [[event for event in self.of(about) if event.kind == "put"] for about in range(len(self.names))]
        return sum(len(str(events[-1].said["value"])) for events in puts if events)


TIMES = ("occurred_at", "valid_from", "valid_to")
TWINS = {
    LaterTombstonesEmptyThePast: 4,
    ForgettingLeavesEdges: 6,
    TheSameAgainIsANewVersion: 1,
    AWindowHoldsAtItsEnd: 4,
    ATombstonedSupersederStillCounts: 4,
    WhatDoesNotHoldStillSupersedes: 4,
    AForgottenNameKeepsItsId: 1,
    ATombstonedAtomIsStillLearnt: 3,
    ATakenBackMembershipStillCounts: 6,
    AMembershipHoldsBeyondItsWindow: 6,
    WhatIsOutOfUseIsCounted: 1,
}
"""Each with a seed that finds it out soon. Should the machine change: the seeds after it are tried too."""
FEW = 9
"""With ten examples or more Hypothesis begins with small ones, which find out little."""


def run_twin(twin: type[PlainModel], number: int) -> None:
    for other in range(number, number + 20):
        run(seed(other)(type("Twin", (StoreMachine,), {"model_type": twin})), FEW, shrink=False)


@pytest.mark.no_cover
@pytest.mark.parametrize(("twin", "number"), TWINS.items())
def test_a_model_with_one_thing_wrong_is_found_out(twin: type[PlainModel], number: int) -> None:
    with pytest.raises(AssertionError):
        run_twin(twin, number)
