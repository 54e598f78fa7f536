"""The verbs that read: access, list, edges, history, diff; now, as of, valid at."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest

from substrate.clock import ManualClock
from substrate.errors import Forgotten, InputError, NameInvalid, NotFound, RolledBack, SchemaInvalid, TooLarge
from substrate.memory import Memory, open_memory
from substrate.proof.bundle import Bundle
from substrate.proof.head import Pin
from substrate.result import iso
from tests.days import DAY, day

PAY, BANK = "v1.fact.pay", "v1.fact.bank"


@pytest.fixture
def told(memory: Memory, clock: ManualClock) -> Memory:
    """A store with a past: day 1 Stripe (entry 1), day 2 Adyen (2), day 3 tombstoned (3), day 4 PayPal (4)."""
    for items in ([f"{PAY} = Stripe"], [f"{PAY} = Adyen"], None, [f"{PAY} = PayPal"]):
        clock.advance(DAY)
        if items is None:
            memory.checkpoint(tombstones=[PAY])
        else:
            memory.checkpoint(items)
    return memory


def test_an_atom_is_read_by_name_and_by_id(told: Memory) -> None:
    atom = told.access(PAY).atom
    for spelling in (atom.id, atom.id.replace("-", ""), atom.id.upper(), PAY):
        assert told.access(spelling).value == "PayPal"
    with pytest.raises(NotFound, match=r"there is no v1\.fact\.absent"):
        told.access("v1.fact.absent")
    with pytest.raises(NotFound, match="there is no"):
        told.access(str(uuid4()))
    with pytest.raises(NameInvalid, match=r"v1\.hub\.corrections"):
        told.access("hub_corrections")


def test_as_of_reads_what_was_known_then(told: Memory) -> None:
    assert told.access(PAY, as_of=1).value == "Stripe"
    assert told.access(PAY, as_of=2).value == "Adyen"
    with pytest.raises(NotFound, match="tombstoned by entry 3"):
        told.access(PAY, as_of=3)
    came = rf"it was first recorded at {iso(day(1))} \(entry 1\)"
    with pytest.raises(NotFound, match=rf"no {PAY} as of entry 0: {came}"):
        told.access(PAY, as_of=0)
    asked = day(1) - timedelta(hours=1)
    for read in (told.access, told.document, lambda name, as_of: told.context([name], as_of=as_of)):
        with pytest.raises(NotFound, match=rf"no {PAY} as of {iso(asked)} \(entry 0\): {came}"):
            read(PAY, as_of=asked)
    with pytest.raises(NotFound, match=rf"no {PAY} as of 1970-01-01T00:00:00Z \(before the first entry\): {came}"):
        told.access(told.access(PAY).atom.name, as_of="1970-01-01")
    with pytest.raises(NotFound, match=rf"no {BANK} as of {iso(asked)} \(entry 0\)$"):
        told.access(BANK, as_of=asked)
    with pytest.raises(
        NotFound, match=r"as of 1970-01-01T00:00:00Z \(before the first entry\): nothing had been recorded by"
    ):
        told.access(BANK, as_of="1970-01-01")
    with pytest.raises(NotFound, match=rf"no {PAY} as of the beginning: {came}"):
        told.access(PAY, as_of="0001-01-01T00:00:00+14:00")
    assert told.access(PAY, as_of=day(2)).value == "Adyen"
    assert told.access(PAY, as_of=day(1).isoformat()).value == "Stripe"
    assert told.access(PAY, as_of="1").value == "Stripe"
    with pytest.raises(NotFound):
        told.access(PAY, as_of=day(-1))
    assert told.access(PAY, as_of=day(1000)).value == "PayPal"


def test_as_of_takes_a_head_or_a_pin_of_this_log_only(
    memory: Memory, clock: ManualClock, tmp_path_factory: pytest.TempPathFactory
) -> None:
    memory.checkpoint([f"{PAY} = Stripe"])
    pin, head = memory.pin(), memory.head()
    memory.checkpoint([f"{PAY} = Adyen"])
    for moment in (pin, head, head.head, str(pin), str(head)):
        assert memory.access(PAY, as_of=moment).value == "Stripe"
    folder = tmp_path_factory.mktemp("other")
    with (
        open_memory(folder / "s", home=folder / "h", clock=clock) as other,
        pytest.raises(InputError, match="another log"),
    ):
        other.access(PAY, as_of=pin)
    forged = Pin.parse(str(pin))
    object.__setattr__(forged.signed.head, "root", bytes(32))
    with pytest.raises(RolledBack):
        memory.access(PAY, as_of=forged)


@pytest.mark.parametrize("moment", [5, 10**9, -2])
def test_a_seq_that_is_not_there_is_no_moment(told: Memory, moment: int) -> None:
    with pytest.raises(InputError, match=r"the log has 5 entries|there is no entry -2"):
        told.access(PAY, as_of=moment)


@pytest.mark.parametrize("moment", ["someday", 1.5, True, "a\nb", b"1"])
def test_what_is_no_moment_is_refused(told: Memory, moment: object) -> None:
    with pytest.raises(SchemaInvalid, match="as_of"):
        told.access(PAY, as_of=moment)  # type: ignore[arg-type]


def test_valid_at_reads_what_was_true_then(told: Memory, clock: ManualClock) -> None:
    assert told.access(PAY, valid_at=day(-5)).value == "Stripe"  # the first holds from ever
    assert told.access(PAY, valid_at=day(2)).value == "Adyen"
    with pytest.raises(NotFound, match="did not hold"):
        told.access(PAY, valid_at=day(3))
    assert told.access(PAY, valid_at=day(9)).value == "PayPal"
    # Learnt late: what held in the past is answered with it, and not before it was known.
    clock.advance(DAY)
    told.checkpoint([{"name": PAY, "value": "Wise", "valid_from": day(1), "valid_to": day(2)}])
    assert told.access(PAY, valid_at=day(1)).value == "Wise"
    assert told.access(PAY, valid_at=day(1), as_of=4).value == "Stripe"
    assert told.access(PAY, valid_at=day(4)).value == "PayPal"
    assert told.access(PAY).value == "Wise"


def test_what_occurred_earlier_than_it_was_recorded_holds_from_then(memory: Memory, clock: ManualClock) -> None:
    memory.checkpoint([f"{PAY} = Stripe"])
    clock.advance(10 * DAY)
    memory.checkpoint([{"name": PAY, "value": "Adyen", "occurred_at": day(3)}])
    assert memory.access(PAY, valid_at=day(4)).value == "Adyen"
    assert memory.access(PAY, valid_at=day(2)).value == "Stripe"


def test_access_brings_the_proof_that_fits_the_question(told: Memory) -> None:
    for options, claim in (({}, "current"), ({"as_of": 1}, "recorded"), ({"valid_at": day(2)}, "recorded")):
        access = told.access(PAY, proof=True, **options)  # type: ignore[arg-type]
        assert isinstance(access.proof, Bundle)
        verdict = told.verify(access.proof, claim=claim)
        assert verdict.trusted
        assert verdict.seq == access.atom.seq
        assert access.to_dict()["proof"]
    assert told.access(PAY).proof is None
    assert told.verify(told.prove(PAY), pin=told.pin(), name=PAY).claim == "current"


def test_a_list_leaves_out_what_is_out_of_use_unless_asked(told: Memory) -> None:
    told.checkpoint([f"{BANK} = x", "v1.task.a = y"])
    told.checkpoint(tombstones=[BANK])
    assert [atom.name for atom in told.list()] == [PAY, "v1.task.a"]
    listed = told.list(tombstoned=True)
    assert [(atom.name, atom.tombstoned) for atom in listed] == [(BANK, True), (PAY, False), ("v1.task.a", False)]
    assert [atom.name for atom in told.list("v1.fact.")] == [PAY]
    assert [atom.value for atom in told.list(as_of=1)] == ["Stripe"]
    assert [atom.value for atom in told.list(valid_at=day(2))] == ["x", "Adyen", "y"]
    assert not told.list("v2.")
    assert told.list(as_of=0).forgotten == 0


def test_a_list_comes_in_pages(memory: Memory) -> None:
    names = [f"v1.fact.n{i:02d}" for i in range(25)]
    memory.checkpoint([f"{name} = x" for name in names])
    seen, after = [], None
    while True:
        page = memory.list(limit=10, after=after)
        seen += [atom.name for atom in page]
        if page.next is None:
            break
        after = page.next
    assert seen == names
    assert [atom.name for atom in memory.list(limit=10, offset=20)] == names[20:]
    for wrong in ({"limit": 0}, {"limit": True}, {"offset": -1}, {"limit": 1.5}):
        with pytest.raises(InputError):
            memory.list(**wrong)  # type: ignore[arg-type]
    with pytest.raises(TooLarge):
        memory.list(limit=1001)
    with pytest.raises(SchemaInvalid):
        memory.list(3)  # type: ignore[arg-type]
    with pytest.raises(SchemaInvalid):
        memory.list("\ud800")


def test_history_shows_versions_tombstones_and_gaps(told: Memory) -> None:
    kinds = [(version.seq, version.kind) for version in told.history(PAY)]
    assert kinds == [(1, "put"), (2, "put"), (3, "tombstone"), (4, "put")]
    assert [version.seq for version in told.history(PAY, as_of=2)] == [1, 2]
    assert [version.seq for version in told.history(PAY, valid_at=day(2))] == [1, 2]
    told.forget(PAY)
    told.checkpoint([f"{PAY} = again"])
    shown = [(version.seq, version.kind, version.forgotten_by) for version in told.history(PAY)]
    assert shown == [(1, "gap", 5), (2, "gap", 5), (3, "gap", 5), (4, "gap", 5), (6, "put", None)]
    assert [version.seq for version in told.history(told.access(PAY).atom.id)] == [6]
    with pytest.raises(NotFound, match="never was"):
        told.history("v1.fact.absent")


def test_a_forgotten_atom_is_refused_with_its_proof_at_every_moment(told: Memory) -> None:
    told.forget(PAY)
    for moment in (None, 1, 4, 5):
        with pytest.raises(Forgotten) as caught:
            told.access(PAY, as_of=moment)
        assert isinstance(caught.value.proof, Bundle)
        assert told.verify(caught.value.proof, claim="forgotten", name=PAY).trusted
    with pytest.raises(NotFound) as absent:
        told.access(PAY, as_of=0)
    assert not isinstance(absent.value, Forgotten)
    assert (told.list(as_of=2).forgotten, told.list().forgotten, told.list(as_of=0).forgotten) == (1, 0, 0)
    told.checkpoint([f"{PAY} = again"])
    with pytest.raises(Forgotten) as caught:
        told.access(PAY, as_of=2)
    assert told.verify(caught.value.proof, claim="recorded").trusted  # type: ignore[arg-type]
    assert told.access(PAY).value == "again"


def test_a_forgotten_atom_is_known_as_such_by_its_id_too(told: Memory) -> None:
    before = told.access(PAY).atom.id
    told.forget(before)
    told.checkpoint([f"{PAY} = again"])
    assert told.access(PAY).atom.id != before
    with pytest.raises(Forgotten) as caught:
        told.access(before)
    assert told.verify(caught.value.proof, claim="recorded").trusted  # type: ignore[arg-type]
    with pytest.raises(NotFound) as absent:
        told.access(before, as_of=0)
    assert not isinstance(absent.value, Forgotten)
    assert [version.kind for version in told.history(before)] == ["gap"] * 4


def test_diff_tells_what_became_of_each_atom(told: Memory) -> None:
    def changes(start: object, stop: object = None, **options: object) -> list[tuple[str, str | None]]:
        return [(change.kind, change.name) for change in told.diff(start, stop, **options)]  # type: ignore[arg-type]

    assert changes(0, 1) == [("added", PAY)]
    assert changes(1, 2) == [("changed", PAY)]
    assert changes(2, 3) == [("tombstoned", PAY)]
    assert changes(3) == [("revived", PAY)]
    assert changes(day(1), day(2)) == [("changed", PAY)]
    assert changes(4) == []
    assert changes(0, prefix="v1.task.") == []
    change = told.diff(1, 2)[0]
    assert (change.before.value, change.after.value) == ("Stripe", "Adyen")  # type: ignore[union-attr]
    assert changes(0, 4, valid_at=day(2)) == [("added", PAY)]
    told.forget(PAY)
    assert changes(0) == [("forgotten", None)]
    with pytest.raises(InputError, match="after stop"):
        told.diff(3, 1)
    with pytest.raises(InputError, match="start is needed"):
        told.diff(None)  # type: ignore[arg-type]


def test_stats_count_what_there_is(told: Memory) -> None:
    told.checkpoint([f"{BANK} = x", "v1.task.t = y"], edges=[{"source": BANK, "type": "needs", "target": "v1.fact.z"}])
    told.checkpoint(tombstones=[BANK])
    told.forget(PAY)
    stats = told.stats()
    assert (stats.atoms, stats.tombstoned, stats.forgotten, stats.edges, stats.dangling) == (1, 1, 1, 1, 1)
    assert stats.types == {"task": 1}
    assert stats.entries == told.head().head.size
    assert stats.bytes > 0


def test_results_show_themselves(told: Memory) -> None:
    atom = told.access(PAY).atom
    assert repr(atom).startswith(f"Atom(name='{PAY}', value='PayPal'")
    assert "None" not in repr(atom)
    told.checkpoint(["v1.fact.html = <script>alert(1)</script>"])
    listing = told.list()
    assert "<script>" not in listing._repr_html_()
    assert "&lt;script&gt;" in listing._repr_html_()
    assert ">PayPal</td>" in atom._repr_html_()
    assert repr(listing).startswith("Listing of 2\n  Atom(")
    assert listing[0].name in [item["name"] for item in listing.to_dict()["items"]]  # type: ignore[index, union-attr]
    assert listing[0:1] == (listing[0],)
    assert repr(told).startswith("<Memory ")


def test_what_was_erased_is_not_jumped_over(memory: Memory, clock: ManualClock) -> None:
    memory.checkpoint([f"{PAY} = one"], actor="ada")
    clock.advance(DAY)
    memory.checkpoint([f"{PAY} = two"], actor="eve")
    clock.advance(DAY)
    memory.checkpoint([f"{PAY} = three"], actor="ada")
    memory.forget(actor="eve")
    assert memory.access(PAY, valid_at=day(0)).value == "one"
    assert memory.access(PAY, valid_at=day(2)).value == "three"
    with pytest.raises(Forgotten):
        memory.access(PAY, valid_at=day(1))
    listing = memory.list(valid_at=day(1))
    assert (listing.items, listing.gaps) == ((), 1)
    assert memory.list(as_of=2).gaps == 1


def test_an_erased_tombstone_still_ends_what_was_before_it(memory: Memory, clock: ManualClock) -> None:
    memory.checkpoint([f"{PAY} = one"], actor="ada")
    clock.advance(DAY)
    memory.checkpoint(tombstones=[PAY], actor="eve")
    clock.advance(DAY)
    memory.checkpoint([f"{PAY} = three"], actor="ada")
    memory.forget(actor="eve")
    with pytest.raises(NotFound):
        memory.access(PAY, valid_at=day(1))
    assert memory.access(PAY, valid_at=day(0)).value == "one"


def test_versions_of_one_value_are_one_statement_of_which_the_newest_says_when(
    memory: Memory, clock: ManualClock
) -> None:
    memory.checkpoint([f"{PAY} = Stripe"])
    clock.advance(DAY)
    memory.checkpoint([{"name": PAY, "value": "Stripe", "tags": ["money"]}])
    assert memory.access(PAY, valid_at=day(0)).atom.tags == ("money",)
    clock.advance(DAY)
    memory.checkpoint([{"name": PAY, "value": "Stripe", "valid_to": day(5)}])  # it ended
    assert memory.access(PAY, valid_at=day(4)).atom.valid_to == day(5)
    with pytest.raises(NotFound):
        memory.access(PAY, valid_at=day(5))
    assert memory.access(PAY, valid_at=day(9), as_of=2).value == "Stripe"  # that it ended was not known then
    assert [version.seq for version in memory.history(PAY, valid_at=day(1))] == [3]


def test_history_and_access_agree_after_a_name_was_forgotten_and_came_back(memory: Memory, clock: ManualClock) -> None:
    memory.checkpoint([f"{PAY} = old"])
    memory.forget(PAY)
    clock.advance(DAY)
    memory.checkpoint([f"{PAY} = new"])
    assert memory.access(PAY, valid_at=day(-9)).value == "new"
    assert [version.seq for version in memory.history(PAY, valid_at=day(-9))] == [3]


def test_the_past_is_judged_by_its_own_clock(memory: Memory, clock: ManualClock) -> None:
    edge = {"source": "v1.fact.new", "type": "supersedes", "target": "v1.fact.old", "valid_from": day(1)}
    memory.checkpoint(["v1.fact.new = 1", "v1.fact.old = 2"], edges=[edge])
    seq = memory.head().head.size - 1
    assert len(memory.list()) == 2
    clock.advance(2 * DAY)
    assert len(memory.list()) == 1
    assert len(memory.list(as_of=seq)) == 2
    assert len(memory.list(as_of=day(0))) == 2


def test_edges_and_versions_come_in_bounded_numbers(memory: Memory) -> None:
    triple = {"source": "v1.fact.hub", "type": "has"}
    memory.checkpoint(edges=[{**triple, "target": f"v1.fact.n{i}"} for i in range(7)])
    pages = [memory.edges("v1.fact.hub", limit=3, offset=offset) for offset in (0, 3, 6)]
    assert [(len(page), page.more) for page in pages] == [(3, True), (3, True), (1, False)]
    assert len({edge.id for page in pages for edge in page}) == 7
    for i in range(5):
        memory.checkpoint([f"{PAY} = {i}"])
    memory.forget(PAY)
    for i in range(3):
        memory.checkpoint([f"{PAY} = {i}"])
    assert [version.kind for version in memory.history(PAY, limit=4)] == ["gap", "put", "put", "put"]
    assert memory.history(PAY, limit=2).more
    assert not memory.history(PAY).more
    assert not memory.history(PAY, as_of=0)


def test_what_was_tombstoned_then_is_not_counted_as_forgotten(memory: Memory) -> None:
    memory.checkpoint([f"{PAY} = x"])
    memory.checkpoint(tombstones=[PAY])
    memory.forget(PAY)
    assert [memory.list(as_of=seq).forgotten for seq in (0, 1, 2, 3)] == [0, 1, 0, 0]


def test_a_read_of_the_past_foresees_nothing_whatever_is_asked_of_predictions(told: Memory) -> None:
    assert told.access(PAY, as_of=1, predictions=-1).value == "Stripe"
    with pytest.raises(NotFound):
        told.access("v1.fact.absent", predictions=-1)
    with pytest.raises(InputError, match="whole number"):
        told.access(PAY, predictions=-1)
