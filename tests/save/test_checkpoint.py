"""The verb save."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from substrate.clock import ManualClock
from substrate.errors import Conflict, HeadMoved, InputError, ItemsRefused, SchemaInvalid, SecretFound, TooLarge
from substrate.memory import Memory, open_memory
from substrate.proof.entry import Kind
from substrate.values.atoms import Atom
from substrate.values.edges import Edge, Window
from substrate.values.saved import Refused
from tests.credentials import samples

PAY = "v1.fact.payment_provider"
FULL: dict[str, object] = {
    "name": PAY,
    "value": " Stripe\n",
    "tags": ["money", "vendor", "money"],
    "entities": ["Stripe Inc."],
    "confidence": 0.9,
    "source": "kick-off",
    "origin": "user",
    "actor": "ada",
    "session": "s1",
    "occurred_at": "2026-01-02T03:04:05.000006Z",
    "valid_from": "2026-01-01",
    "valid_to": datetime(2027, 1, 1, tzinfo=UTC),
    "parent": "v1.document.contract",
    "position": 3,
    "attrs": {"nested": {"list": [1, 2.5, None, True]}},
}


def refusals(memory: Memory, *atoms: object, **items: object) -> list[tuple[str, str]]:
    with pytest.raises(ItemsRefused) as caught:
        memory.checkpoint(atoms, **items)  # type: ignore[arg-type]
    return [(refused.item, refused.code) for refused in caught.value.refused if isinstance(refused, Refused)]


def test_every_field_comes_back(memory: Memory) -> None:
    memory.checkpoint([FULL, "v1.document.contract = the paper"])
    atom = memory.access(PAY).atom
    assert atom.value == " Stripe\n"
    assert atom.tags == ("money", "vendor")
    assert atom.entities == ("Stripe Inc.",)
    assert (atom.confidence, atom.source, atom.origin) == (0.9, "kick-off", "user")
    assert (atom.actor, atom.session, atom.position) == ("ada", "s1", 3)
    assert atom.occurred_at == datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)
    assert atom.valid == Window(datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC))
    assert atom.parent == memory.access("v1.document.contract").atom.id
    assert atom.attrs == {"nested": {"list": [1, 2.5, None, True]}}
    assert atom.type == "fact"


def test_what_was_read_can_be_handed_back_and_is_only_confirmed(memory: Memory, clock: ManualClock) -> None:
    memory.checkpoint([FULL], edges=[Edge(PAY, "depends_on", "v1.fact.b", windows=(Window(),))])
    size = memory.head().head.size
    clock.advance(60)
    saved = memory.checkpoint([memory.access(PAY).atom], edges=list(memory.edges(PAY)))
    assert set(saved.confirmed) == {PAY, f"{PAY} depends_on v1.fact.b"}
    assert not saved.seqs
    assert memory.head().head.size == size == saved.head.head.size
    atom = memory.access(PAY).atom
    assert atom.confirmed_at is not None
    assert atom.confirmed_at > atom.recorded_at
    assert memory.edges(PAY)[0].confirmed_at == atom.confirmed_at


def test_an_atom_as_text_is_split_at_the_first_separator(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.rule  =  a = b\n and c  "])
    assert memory.access("v1.fact.rule").value == "a = b\n and c"
    assert refusals(memory, "v1.fact.rule", "v1.fact.rule =  ", "v1.fact.rule=x") == [
        ("atoms[0]", "schema_invalid"),
        ("atoms[1]", "schema_invalid"),
        ("atoms[2]", "schema_invalid"),
    ]


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("value", ""),
        ("value", 3),
        ("name", None),
        ("name", "hub_corrections"),
        ("tags", "one"),
        ("tags", [""]),
        ("tags", [3]),
        ("confidence", 1.5),
        ("confidence", float("nan")),
        ("confidence", True),
        ("confidence", "0.5"),
        ("origin", "machine"),
        ("actor", 3),
        ("position", -1),
        ("position", 1.5),
        ("occurred_at", "yesterday"),
        ("occurred_at", 12),
        ("valid_from", "2028-01-01"),
        ("parent", "no name"),
        ("parent", 3),
        ("attrs", [1]),
        ("attrs", {"a": object()}),
        ("attrs", {"a": float("inf")}),
        ("colour", "red"),
    ],
)
def test_a_wrong_field_is_refused_and_nothing_is_written(memory: Memory, field: str, wrong: object) -> None:
    size = memory.head().head.size
    ((item, code),) = refusals(memory, "v1.fact.good = x", {**FULL, field: wrong})
    assert item == "atoms[1]"
    assert code in ("schema_invalid", "name_invalid")
    assert memory.head().head.size == size


def test_the_name_that_was_meant_is_suggested(memory: Memory) -> None:
    with pytest.raises(ItemsRefused, match=r"Use v1\.hub\.corrections"):
        memory.checkpoint(["hub_corrections = x"])


def test_with_partial_the_good_items_are_saved_and_the_others_told(memory: Memory) -> None:
    saved = memory.checkpoint(
        ["v1.fact.good = x", "bad = y", {"name": "v1.fact.z"}],
        edges=[{"source": "v1.fact.good", "type": "3", "target": "v1.fact.z"}],
        tombstones=["v1.fact.absent"],
        unedges=["no id"],
        partial=True,
    )
    assert saved.recorded == ("v1.fact.good",)
    assert [(refused.item, refused.code) for refused in saved.refused] == [
        ("atoms[1]", "name_invalid"),
        ("atoms[2]", "schema_invalid"),
        ("edges[0]", "schema_invalid"),
        ("unedges[0]", "input"),
        ("tombstones[0]", "not_found"),
    ]


def test_a_checkpoint_of_nothing_is_refused(memory: Memory) -> None:
    with pytest.raises(InputError, match="nothing to save"):
        memory.checkpoint()
    with pytest.raises(SchemaInvalid, match="brackets"):
        memory.checkpoint("v1.fact.a = b")
    with pytest.raises(SchemaInvalid, match="brackets"):
        memory.checkpoint([], edges={"source": "v1.fact.a"})  # type: ignore[arg-type]


def test_the_same_name_twice_makes_two_versions_or_one(memory: Memory) -> None:
    saved = memory.checkpoint([f"{PAY} = a", f"{PAY} = b", f"{PAY} = b"])
    assert len(saved.seqs) == 2
    assert saved.confirmed == (PAY,)
    assert [version.atom.value for version in memory.history(PAY) if version.atom] == ["a", "b"]


def test_who_says_it_again_does_not_make_it_another_thing_but_where_from_does(memory: Memory) -> None:
    memory.checkpoint([f"{PAY} = Stripe"], actor="ada", session="1", origin="user")
    assert memory.checkpoint([f"{PAY} = Stripe"], actor="bob", session="2", origin="agent").confirmed == (PAY,)
    assert memory.access(PAY).atom.actor == "ada"
    assert memory.checkpoint([f"{PAY} = Stripe"], source="contract").recorded == (PAY,)


def test_what_its_own_session_says_again_was_last_said_then_but_has_no_second_witness(
    memory: Memory, clock: ManualClock
) -> None:
    edge = Edge(PAY, "depends_on", "v1.fact.b")
    memory.checkpoint([f"{PAY} = Stripe"], edges=[edge], session="one")
    evidence = [next(iter(memory.bootstrap("Stripe"))).evidence or 0]
    for session in ("one", "one", "two"):
        clock.advance(60)
        saved = memory.checkpoint([f"{PAY} = Stripe"], edges=[edge], session=session)
        assert set(saved.confirmed) == {PAY, f"{PAY} depends_on v1.fact.b"}
        assert not saved.seqs
        evidence.append(next(iter(memory.bootstrap("Stripe"))).evidence or 0)
        assert memory.access(PAY).atom.confirmed_at == memory.edges(PAY)[0].confirmed_at
        assert memory.access(PAY).atom.confirmed_at is not None
    first, again, once_more, confirmed = evidence
    assert once_more == again == first < confirmed


def test_a_session_that_looks_at_what_it_said_again_clears_it(memory: Memory) -> None:
    edge = Edge(PAY, "depends_on", "v1.fact.b")
    memory.checkpoint([f"{PAY} = Stripe", "v1.fact.b = 1"], edges=[edge], session="one")
    memory.checkpoint(["v1.fact.b = 2"], session="one")
    assert memory.access(PAY).stale
    memory.checkpoint([f"{PAY} = Stripe"], session="one")
    assert not memory.access(PAY).stale


def test_without_a_session_the_same_said_again_confirms(memory: Memory) -> None:
    for _ in range(2):
        memory.checkpoint([f"{PAY} = Stripe"])
    assert memory.access(PAY).atom.confirmed_at is not None


def test_the_same_value_keeps_the_fields_that_are_not_spoken_of(memory: Memory) -> None:
    memory.checkpoint([{"name": PAY, "value": "Stripe", "tags": ["money"], "confidence": 0.5, "attrs": {"a": 1}}])
    assert memory.checkpoint([f"{PAY} = Stripe"]).confirmed == (PAY,)
    memory.checkpoint([{"name": PAY, "value": "Stripe", "confidence": 0.9, "attrs": {}}])
    atom = memory.access(PAY).atom
    assert (atom.tags, atom.confidence, atom.attrs) == (("money",), 0.9, {})
    memory.checkpoint([replace(atom, tags=())])  # an Atom says all there is to say
    assert memory.access(PAY).atom.tags == ()
    memory.checkpoint([{"name": PAY, "value": "Adyen"}])  # another value: nothing is taken over
    assert memory.access(PAY).atom.confidence is None


def test_an_edge_stated_again_keeps_the_fields_that_are_not_spoken_of(memory: Memory) -> None:
    triple: dict[str, object] = {"source": PAY, "type": "needs", "target": "v1.fact.b"}
    memory.checkpoint(edges=[{**triple, "confidence": 0.5, "valid_from": "2026-01-01"}])
    assert memory.checkpoint(edges=[triple]).confirmed == (f"{PAY} needs v1.fact.b",)
    memory.checkpoint(edges=[{**triple, "windows": []}])
    (edge,) = memory.edges(PAY)
    assert (edge.confidence, edge.windows) == (0.5, ())


def test_a_tombstoned_atom_is_revived_by_the_same_value_under_the_same_id(memory: Memory) -> None:
    memory.checkpoint([f"{PAY} = Stripe"])
    before = memory.access(PAY).atom
    memory.checkpoint(tombstones=[before.id], actor="ada")
    assert memory.checkpoint([f"{PAY} = Stripe"]).recorded == (PAY,)
    after = memory.access(PAY).atom
    assert after.id == before.id
    assert after.seq > before.seq
    assert [(version.kind, version.actor) for version in memory.history(PAY)] == [
        ("put", None),
        ("tombstone", "ada"),
        ("put", None),
    ]


def test_what_cannot_be_tombstoned_is_told(memory: Memory) -> None:
    memory.checkpoint([f"{PAY} = Stripe", "v1.fact.b = c"])
    assert refusals(memory, f"{PAY} = Adyen", tombstones=[PAY]) == [("tombstones[0]", "input")]
    assert refusals(memory, f"{PAY} = Stripe", tombstones=[PAY]) == [("tombstones[0]", "input")]
    assert refusals(memory, tombstones=["v1.fact.b", "v1.fact.b"]) == [("tombstones[1]", "input")]
    memory.checkpoint(tombstones=["v1.fact.b"])
    assert refusals(memory, tombstones=["v1.fact.b", "nonsense"]) == [("tombstones[1]", "name_invalid")]
    assert refusals(memory, tombstones=["v1.fact.b"]) == [("tombstones[0]", "not_found")]


def test_a_lost_update_is_refused(memory: Memory) -> None:
    memory.checkpoint([f"{PAY} = Stripe"])
    seq, head = memory.access(PAY).atom.seq, memory.head()
    memory.checkpoint([f"{PAY} = Adyen"], expect={PAY: seq, "v1.fact.absent": None})
    with pytest.raises(Conflict, match="read again"):
        memory.checkpoint([f"{PAY} = PayPal"], expect={PAY: seq})
    with pytest.raises(HeadMoved):
        memory.checkpoint([f"{PAY} = PayPal"], expect=head)
    with pytest.raises(HeadMoved):
        memory.checkpoint([f"{PAY} = Adyen"], expect=head.head)  # though it would only confirm
    # A conflict is said before what is wrong with an item beside what is there now.
    memory.checkpoint(tombstones=[PAY])
    with pytest.raises(Conflict):
        memory.checkpoint(tombstones=[PAY], expect={PAY: seq})
    memory.checkpoint([f"{PAY} = again"], expect=memory.pin())
    with pytest.raises(SchemaInvalid):
        memory.checkpoint([f"{PAY} = x"], expect=3)  # type: ignore[arg-type]


def test_a_task_gets_an_edge_from_every_atom_recorded(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.old = x"])
    memory.checkpoint(["v1.fact.a = 1", "v1.fact.old = x", "v1.task.bill = do it"], task="v1.task.bill", actor="ada")
    (first, *more) = memory.edges("v1.task.bill", direction="in", type="produced_by")
    assert not more
    assert (first.source, first.actor) == ("v1.fact.a", "ada")


def test_a_credential_is_refused_by_kind_and_place(memory: Memory) -> None:
    value = "AKIA" + "Z7QK3M9X2B5T8W1R"
    with pytest.raises(ItemsRefused) as caught:
        memory.checkpoint([f"v1.fact.key = use {value}"])
    assert "aws_access_key_id" in str(caught.value)
    assert "value, characters 4 to 24" in str(caught.value)
    assert value not in str(caught.value)
    with pytest.raises(SecretFound, match="actor"):
        memory.checkpoint(["v1.fact.a = b"], actor=value)
    memory.checkpoint([f"v1.fact.key = use {value}"], allow_secrets=True)


def test_too_many_items_are_refused_at_once(memory: Memory) -> None:
    with pytest.raises(TooLarge):
        memory.checkpoint(["nonsense"] * 10_001)


def test_many_refusals_are_counted_and_the_first_are_shown(memory: Memory) -> None:
    with pytest.raises(ItemsRefused, match=r"atoms\[4\].*; and 5 more"):
        memory.checkpoint([f"x{i} = y" for i in range(10)])


def test_an_atom_that_was_given_as_an_object_may_be_an_atom_of_the_model(memory: Memory) -> None:
    memory.checkpoint([Atom("v1.fact.a", "b", tags=("x",))])
    assert memory.access("v1.fact.a").atom.tags == ("x",)
    assert refusals(memory, 3) == [("atoms[0]", "schema_invalid")]


def test_one_checkpoint_is_one_run_of_entries_under_one_head(memory: Memory) -> None:
    heads = memory.stats().heads
    saved = memory.checkpoint(
        ["v1.fact.a = 1", "v1.fact.b = 2"], edges=[{"source": "v1.fact.a", "type": "references", "target": "v1.fact.b"}]
    )
    assert memory.stats().heads == heads + 1
    assert saved.head == memory.head()
    kinds = [memory._store.log.entry(seq).entry.kind for seq in saved.seqs]
    assert kinds == [Kind.PUT, Kind.PUT, Kind.EDGE]


def test_an_atom_refused_under_the_lock_leaves_its_edges_dangling(memory: Memory) -> None:
    big = {"name": "v1.fact.big", "value": "\u00e9" * 600_000}
    edge = {"source": "v1.fact.s", "type": "references", "target": "v1.fact.big"}
    saved = memory.checkpoint([big, "v1.fact.s = 1"], edges=[edge], partial=True)
    assert [refused.item for refused in saved.refused] == ["atoms[0]"]
    assert saved.dangling == ("v1.fact.big",)
    assert memory.edges("v1.fact.s")[0].target == "v1.fact.big"


def test_an_edge_can_be_turned_round_in_one_checkpoint_but_not_said_and_unsaid(memory: Memory) -> None:
    there = {"source": "v1.fact.a", "type": "supersedes", "target": "v1.fact.b"}
    back = {"source": "v1.fact.b", "type": "supersedes", "target": "v1.fact.a"}
    memory.checkpoint(edges=[there])
    memory.checkpoint(edges=[back], unedges=[there])
    (edge,) = memory.edges("v1.fact.a")
    assert edge.source == "v1.fact.b"
    with pytest.raises(ItemsRefused, match="keep one of the two"):
        memory.checkpoint(edges=[back], unedges=[back])
    with pytest.raises(ItemsRefused, match="twice"):
        memory.checkpoint(unedges=[back, edge.id])


def test_a_long_chain_of_supersedes_is_saved_in_one_go_and_its_ends_cannot_be_joined(memory: Memory) -> None:
    def supersede(source: int, target: int) -> dict[str, object]:
        return {"source": f"v1.fact.n{source}", "type": "supersedes", "target": f"v1.fact.n{target}"}

    upwards = [supersede(i + 1, i) for i in range(1000)]
    memory.checkpoint(edges=upwards)
    memory.checkpoint(edges=[supersede(i + 1, i) for i in reversed(range(2000, 2500))])
    with pytest.raises(ItemsRefused, match="cannot supersede itself"):
        memory.checkpoint(edges=[supersede(0, 1000)])


def test_the_task_may_be_given_by_id_and_gets_no_edge_from_itself(memory: Memory) -> None:
    memory.checkpoint(["v1.task.t = do"])
    task = memory.access("v1.task.t").atom.id
    memory.checkpoint(["v1.task.t = done", "v1.fact.a = 1"], task=task)
    assert [edge.source for edge in memory.edges("v1.task.t")] == ["v1.fact.a"]


def test_a_head_of_another_store_is_not_the_one_expected(
    memory: Memory, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("other")
    with open_memory(folder / "s", home=folder / "h") as other:
        other.checkpoint(["v1.fact.a = b"])
        memory.checkpoint(["v1.fact.a = b"])
        assert other.head().head.size == memory.head().head.size
        with pytest.raises(HeadMoved, match="another log"):
            memory.checkpoint(["v1.fact.a = c"], expect=other.head())


def test_it_tells_the_id_of_every_atom_that_it_recorded_confirmed_or_tombstoned(memory: Memory) -> None:
    first = memory.checkpoint(["v1.fact.a = 1", "v1.fact.b = 1", "v1.fact.b = 2"])
    assert first.ids == {name: memory.access(name).atom.id for name in ("v1.fact.a", "v1.fact.b")}
    again = memory.checkpoint(
        ["v1.fact.a = 1", "v1.fact.waited = 1"],
        edges=[{"source": "v1.fact.a", "type": "needs", "target": "v1.fact.later"}],
        tombstones=["v1.fact.b"],
    )
    assert again.ids == {
        "v1.fact.a": first.ids["v1.fact.a"],
        "v1.fact.b": first.ids["v1.fact.b"],
        "v1.fact.waited": memory.access("v1.fact.waited").atom.id,
    }
    assert again.to_dict()["ids"] == dict(again.ids)
    later = memory.checkpoint(["v1.fact.later = 1"], tombstones=[first.ids["v1.fact.a"]])
    (edge,) = memory.edges("v1.fact.later")
    assert later.ids == {"v1.fact.later": edge.target_id, "v1.fact.a": edge.source_id}


def test_a_tombstone_may_say_why(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.a = 1", "v1.fact.b = 1", "v1.fact.c = 1"])
    memory.checkpoint(tombstones=[{"name": "v1.fact.a", "reason": "archived"}, "v1.fact.b"])
    reasons = {atom.name: (atom.tombstoned, atom.reason) for atom in memory.list(tombstoned=True)}
    assert reasons == {"v1.fact.a": (True, "archived"), "v1.fact.b": (True, None), "v1.fact.c": (False, None)}
    assert [version.reason for version in memory.history("v1.fact.a")] == [None, "archived"]
    memory.checkpoint(["v1.fact.a = 1"])  # revived: what was its reason is history
    assert memory.access("v1.fact.a").atom.reason is None
    for reason in (3, "x" * 10_001, next(samples("github_token", 1)).text):
        with pytest.raises(ItemsRefused):
            memory.checkpoint(tombstones=[{"name": "v1.fact.c", "reason": reason}])


def test_the_reason_of_a_tombstone_survives_an_export_and_an_import(memory: Memory, tmp_path: Path) -> None:
    memory.checkpoint(["v1.fact.a = 1"])
    memory.checkpoint(tombstones=[{"name": "v1.fact.a", "reason": "archived"}])
    memory.export(tmp_path / "lines")
    with open_memory(tmp_path / "copy", home=tmp_path / "home", model="none") as copy:
        assert copy.import_lines(tmp_path / "lines").ids.keys() == {"v1.fact.a"}
        assert copy.list(tombstoned=True)[0].reason == "archived"
