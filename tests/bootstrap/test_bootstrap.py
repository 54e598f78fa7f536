"""The verb bootstrap: what is shown and why, how well it is supported, what is absent."""

from __future__ import annotations

import json
from threading import Thread
from typing import Any

import pytest

from substrate.atoms.resolve import find_subject
from substrate.bootstrap.bootstrap import Request, open_with
from substrate.bootstrap.candidates import Gatherer
from substrate.bootstrap.evidence import evidence_of
from substrate.bootstrap.show import Texts
from substrate.embed.tokens import token_counter
from substrate.errors import InputError, NameInvalid, SchemaInvalid, TooLarge
from substrate.learn.forecast import Need
from substrate.log.tables import BODIES, seq_key
from substrate.memory import Memory
from tests.bootstrap.openings import LONG, Reopen, names, opened, subject, with_needs
from tests.scale import PATIENCE_S

# -- what is shown -----------------------------------------------------------------------------------------------------


def test_an_atom_comes_with_its_metadata_and_the_reason(memory: Memory) -> None:
    fact = {"name": "v1.fact.db", "value": "PostgreSQL", "origin": "user", "source": "wiki", "tags": ["infra"]}
    memory.checkpoint([{**fact, "confidence": 0.9}])
    opening = memory.bootstrap("which database, PostgreSQL?")
    (atom,) = opening.atoms
    assert (atom.name, atom.value, atom.type, atom.origin, atom.source) == (
        *list(fact.values())[:2],
        "fact",
        "user",
        "wiki",
    )
    assert atom.seq == memory.access("v1.fact.db").atom.seq
    assert 0 < atom.need <= 1
    assert atom.evidence == pytest.approx(0.89, abs=0.01)
    assert set(atom.grounds) == {"origin", "source", "confidence"}
    assert opening.to_dict()["atoms"] == [
        {
            **fact,
            "confidence": 0.9,
            "evidence": 0.89,
        }
    ]
    assert atom.why == "matches the objective"
    assert opening.text().splitlines()[1:3] == ["matches the objective:", 'v1.fact.db = "PostgreSQL" (evidence 0.89)']
    assert opening.seq == 1
    assert opening.counter == "MiniLM WordPiece"
    assert opening.tokens == token_counter().count(opening.json())


def test_what_is_needed_more_and_better_supported_comes_first(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.a = alpha", "v1.fact.b = beta"])
    memory.checkpoint([{"name": "v1.fact.c", "value": "gamma", "origin": "user"}])
    assert names(opened(memory, {"v1.fact.a": 0.1, "v1.fact.b": 0.5, "v1.fact.c": 0.4})) == [
        "v1.fact.c",
        "v1.fact.b",
        "v1.fact.a",
    ]


def test_goals_constraints_and_preferences_are_found_by_type_by_tag_and_by_hub(memory: Memory) -> None:
    memory.checkpoint(
        [
            "v1.goal.typed = one",
            {"name": "v1.fact.tagged", "value": "two", "tags": ["Goal"]},
            {"name": "v1.procedure.plural", "value": "three", "tags": ["constraints"]},
            "v1.fact.in_hub = four",
            "v1.hub.preferences = what people like",
            "v1.fact.other = five",
        ],
        edges=[{"source": "v1.fact.in_hub", "type": "member_of", "target": "v1.hub.preferences"}],
    )
    opening = opened(memory, {"v1.fact.other": 0.5, "v1.goal.typed": 0.5})
    assert {atom.name for atom in opening.goals} == {"v1.goal.typed", "v1.fact.tagged"}
    assert [atom.name for atom in opening.constraints] == ["v1.procedure.plural"]
    assert [atom.name for atom in opening.preferences] == ["v1.fact.in_hub"]
    assert opening.atoms[0].name == "v1.fact.other"
    assert len(set(names(opening))) == len(names(opening))


def test_a_hub_that_is_out_of_use_makes_no_rules(memory: Memory) -> None:
    edge = {"source": "v1.fact.in_hub", "type": "member_of", "target": "v1.hub.preferences"}
    memory.checkpoint(["v1.fact.in_hub = four", "v1.hub.preferences = what people like"], edges=[edge])
    assert [atom.name for atom in memory.bootstrap("four").preferences] == ["v1.fact.in_hub"]
    memory.checkpoint(tombstones=["v1.hub.preferences"])
    assert memory.bootstrap("four").preferences == ()


def test_members_of_a_hub_that_nobody_has_saved_still_go_together(memory: Memory) -> None:
    rules = [f"v1.procedure.p{number}" for number in range(2)]
    memory.checkpoint(
        [f"{name} = {name} comes first" for name in rules],
        edges=[{"source": name, "type": "member_of", "target": "v1.hub.corrections"} for name in rules],
    )
    with memory._store.read() as snapshot:
        needs = [Need(find_subject(snapshot.transaction, name), 0.5, {}) for name in rules]
        found = Gatherer(snapshot, domain=None, threshold=0.0, ingested=False).gather(needs)
        hub = find_subject(snapshot.transaction, "v1.hub.corrections")
        texts = Texts(snapshot.transaction)
    assert [texts.cluster(candidate, None) for candidate in found] == [("member of", hub)] * 2


def test_goals_take_a_part_of_the_room_before_others_and_no_more(memory: Memory) -> None:
    memory.checkpoint([f"v1.goal.g{i} = {i} goals are many, and this is one of them" for i in range(15)])
    memory.checkpoint([f"v1.fact.f{i} = {i} facts are needed, and this is one of them" for i in range(30)])
    opening = opened(memory, {f"v1.fact.f{i}": 0.03 for i in range(30)})
    assert opening.goals
    assert 0.3 * 1200 < sum(token_counter().count(json.dumps(atom.to_dict())) for atom in opening.goals) <= 0.5 * 1200
    assert opening.atoms


def test_a_goal_that_is_too_large_for_its_part_stands_in_line(memory: Memory) -> None:
    memory.checkpoint(["v1.goal.only = " + "to ship the whole of it " * 40])
    assert names(opened(memory, {}, max_tokens=400)) == ["v1.goal.only"]


def test_a_domain_makes_its_members_more_needed_and_excludes_nobody(memory: Memory) -> None:
    memory.checkpoint(
        ["v1.domain.shop = The shop", "v1.hub.h = h", *(f"v1.fact.f{i} = fact number {i}" for i in range(40))],
        edges=[
            {"source": "v1.fact.f38", "type": "member_of", "target": "v1.hub.h"},
            {"source": "v1.hub.h", "type": "member_of", "target": "v1.domain.shop"},
            {"source": "v1.fact.f39", "type": "member_of", "target": "v1.domain.shop"},
        ],
    )
    shares = {f"v1.fact.f{i}": 0.02 for i in range(40)}
    plain, boosted = opened(memory, shares), opened(memory, shares, domain="shop")
    assert boosted.domain == "v1.domain.shop"
    assert names(boosted)[:2] == ["v1.fact.f38", "v1.fact.f39"]
    assert names(plain)[:2] != ["v1.fact.f38", "v1.fact.f39"]
    assert boosted.atoms[0].why == "matches the objective"
    assert len(boosted.atoms) > 2
    assert "v1.fact.f39" in names(opened(memory, {"v1.fact.f0": 0.5}, domain="v1.domain.shop"))


@pytest.mark.parametrize("is_later", [False, True])
def test_what_an_import_brought_is_no_news(memory: Memory, is_later: bool) -> None:  # noqa: FBT001
    """Whether it came before or after them, a person's own decisions come first. The rows get the room that is left."""
    own = ["We decided to ship on Tuesdays, whatever the sales team says.", "We decided to use Adyen for payments."]
    rows = [f"v1.fact.r{number} = row {number}" for number in range(600)]
    if is_later:
        memory.checkpoint(rows)
    decided = [memory.remember(text).name for text in own]
    if not is_later:
        memory.checkpoint(rows)
    for tokens in (250, 600, 1200):
        shown = [atom.name for atom in memory.bootstrap(max_tokens=tokens).atoms]
        assert set(shown[:2]) == set(decided)
        assert tokens < 600 or len(shown) > 5


def test_of_an_import_alone_the_last_rows_are_shown(memory: Memory) -> None:
    memory.checkpoint([f"v1.fact.r{number} = row {number}" for number in range(600)])
    assert memory.bootstrap(max_tokens=200).atoms[0].name == "v1.fact.r599"


def test_without_anything_better_to_go_by_the_newest_is_shown(memory: Memory) -> None:
    memory.checkpoint([f"v1.fact.f{i} = fact number {i}, {LONG}, {i}" for i in range(60)])
    opening = memory.bootstrap()
    assert opening.atoms[0].name == "v1.fact.f59"
    assert opening.atoms[0].why == "recorded last"


def test_it_is_told_whether_an_atom_is_deleted_forgotten_or_damaged(memory: Memory) -> None:
    shares = {f"v1.fact.{word}": 0.1 for word in ("kept", "deleted", "forgotten", "damaged")}
    memory.checkpoint([f"{name} = words about it" for name in shares])
    ids = {name: subject(memory, name) for name in shares}
    memory.checkpoint(tombstones=["v1.fact.deleted"])
    memory.forget("v1.fact.forgotten")
    seq = memory.access("v1.fact.damaged").atom.seq
    with memory._store.log._store.write() as transaction:
        transaction.delete(BODIES, seq_key(seq))
    needs = [Need(ids[name], share, {"match": 1.0}) for name, share in shares.items()]
    opening = with_needs(memory, needs, Request.of())
    assert names(opening) == ["v1.fact.kept"]
    assert opening.left_out.reasons == {"deleted": 1, "forgotten": 1, "damaged": 1}
    assert "1 deleted, 1 forgotten, 1 damaged" in opening.text()


def test_an_empty_store_is_opened_with_nothing(memory: Memory) -> None:
    opening = memory.bootstrap("anything at all")
    assert names(opening) == []
    assert set(opening.to_dict()) == {"objective", "counter", "tokens", "max_tokens", "seq"}


def test_a_long_value_is_shortened_and_says_so(memory: Memory) -> None:
    value = "A sentence that is part of a long text. " * 2000
    memory.checkpoint([f"v1.document.d = {value}", "v1.fact.f = short"])
    opening = opened(memory, {"v1.document.d": 0.5, "v1.fact.f": 0.1})
    document = next(atom for atom in opening if atom.name == "v1.document.d")
    assert value.startswith(document.value)
    assert document.shortened == len(value.strip())
    assert token_counter().count(document.value) > 200
    assert "v1.fact.f" in names(opening)


def test_the_same_is_answered_every_time(memory: Memory, reopen: Reopen) -> None:
    memory.checkpoint([f"v1.fact.f{i} = fact number {i} of many" for i in range(50)])
    shares = {f"v1.fact.f{i}": 0.02 for i in range(50)}
    assert opened(memory, shares) == opened(memory, shares) == opened(reopen(read_only=True), shares)


# -- evidence ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def mixed(memory: Memory) -> Memory:
    memory.checkpoint([{"name": "v1.fact.said", "value": "by a person", "origin": "user"}])
    memory.checkpoint([{"name": "v1.fact.sourced", "value": "by an agent", "origin": "agent", "source": "report"}])
    memory.checkpoint([{"name": "v1.fact.guess", "value": "by an agent too", "origin": "agent", "confidence": 0.4}])
    memory.checkpoint(["v1.fact.again = once", "v1.fact.plain = nobody says who"])
    memory.checkpoint(["v1.fact.again = once"])
    return memory


MIXED = {f"v1.fact.{name}": 0.2 for name in ("said", "sourced", "guess", "again", "plain")}


def test_high_impact_keeps_what_is_supported_and_says_what_it_left_out(mixed: Memory) -> None:
    assert set(names(opened(mixed, MIXED))) == set(MIXED)
    careful = opened(mixed, MIXED, high_impact=True)
    assert set(names(careful)) == {"v1.fact.said", "v1.fact.sourced", "v1.fact.again"}
    assert careful.left_out.reasons == {"low_evidence": 2}
    assert dict(careful.left_out.best) == {"v1.fact.guess": "low_evidence", "v1.fact.plain": "low_evidence"}
    assert all(atom.evidence is not None and atom.evidence >= 0.65 for atom in careful)


def test_a_threshold_of_ones_own_holds_with_and_without_high_impact(mixed: Memory) -> None:
    for high_impact in (True, False):
        opening = opened(mixed, MIXED, evidence_threshold=0.72, high_impact=high_impact)
        assert names(opening) == ["v1.fact.said"]
    assert names(opened(mixed, MIXED, evidence_threshold=1)) == []
    assert set(names(opened(mixed, MIXED, evidence_threshold=0, high_impact=True))) == set(MIXED)


def test_references_from_atoms_in_use_support_an_atom(memory: Memory) -> None:
    edges = [{"source": f"v1.fact.r{i}", "type": "references", "target": "v1.fact.a"} for i in range(4)]
    memory.checkpoint(["v1.fact.a = cited", *(f"v1.fact.r{i} = see a" for i in range(4))], edges=edges)
    assert names(opened(memory, {"v1.fact.a": 1}, high_impact=True)) == ["v1.fact.a"]
    memory.checkpoint(tombstones=["v1.fact.r0", "v1.fact.r1"])
    assert names(opened(memory, {"v1.fact.a": 1}, high_impact=True)) == []


def test_use_supports_an_atom(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.a = used"])
    (rare,) = opened(memory, {"v1.fact.a": 1}).atoms
    memory.observe([{"items": ["v1.fact.a"]} for _ in range(9)])
    (often,) = opened(memory, {"v1.fact.a": 1}).atoms
    assert rare.evidence is not None
    assert often.evidence is not None
    assert rare.evidence < often.evidence
    assert "used" in often.grounds
    assert "used" not in rare.grounds


def test_a_conflict_is_shown_once_and_counts_against_both(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.a = The payment provider is Stripe.", "v1.fact.c = EUR"])
    memory.checkpoint(["v1.fact.b = The payment provider is Adyen."])
    opening = opened(memory, {"v1.fact.a": 0.3, "v1.fact.b": 0.3, "v1.fact.c": 0.2})
    (found,) = opening.conflicting_facts
    assert (found.first, found.second) == ("v1.fact.a", "v1.fact.b")
    assert "stripe" in found.reason.lower()
    assert "adyen" in found.reason.lower()
    evidence = {atom.name: atom.evidence for atom in opening}
    assert evidence["v1.fact.a"] == evidence["v1.fact.b"] != 0.5 == evidence["v1.fact.c"]
    others = [f"v1.fact.other_{number}" for number in range(20)]
    memory.checkpoint([f"{name} = {name}" for name in others])
    assert opened(memory, dict.fromkeys(others, 0.05)).conflicting_facts == ()


def test_what_was_recorded_last_fills_the_opening_of_a_young_store(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.used = often", "v1.state.sprint = 12"])
    opening = opened(memory, {"v1.fact.used": 1.0})
    assert [(atom.name, atom.why) for atom in opening.atoms][1:] == [("v1.state.sprint", "recorded last")]


@pytest.mark.parametrize("max_tokens", [1200, 120])
def test_a_stale_atom_says_so_however_small_the_budget_is(memory: Memory, max_tokens: int) -> None:
    names = ("v1.fact.a", "v1.fact.mid", "v1.fact.root", "v1.fact.x")
    ways = ((0, 1), (1, 2), (0, 3))
    edges = [{"source": names[one], "type": "depends_on", "target": names[other]} for one, other in ways]
    memory.checkpoint([f"{name} = derived" for name in names], edges=edges)
    memory.checkpoint(["v1.fact.root = otherwise", "v1.fact.x = otherwise"])
    opening = opened(memory, {"v1.fact.a": 1}, max_tokens=max_tokens)
    atom = next(atom for atom in opening.atoms if atom.name == "v1.fact.a")
    assert "v1.fact.x changed" in atom.stale
    assert atom.stale.endswith("; and 1 more")
    assert "stale: v1.fact." in opening.text()


# -- what is absent ----------------------------------------------------------------------------------------------------


def test_what_the_objective_speaks_of_and_is_not_there_is_said_to_be_absent(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.here = x", "v1.fact.payment_provider = Stripe", "v1.fact.secret = y"])
    memory.checkpoint(tombstones=["v1.fact.payment_provider"])
    memory.forget("v1.fact.secret")
    opening = memory.bootstrap("compare v1.fact.here, v1.fact.nope and (v1.fact.secret). Who is the payment provider?")
    assert {absent.name: absent.why for absent in opening.absent} == {
        "v1.fact.nope": "never recorded",
        "v1.fact.secret": "forgotten",
        "v1.fact.payment_provider": "deleted",
    }
    assert all(absent.needed_by is None for absent in opening.absent)
    assert memory.bootstrap("the provider of something else").absent == ()


def test_a_deleted_fact_that_another_one_leans_on_is_said_to_be_absent(memory: Memory) -> None:
    edges = [
        {"source": "v1.fact.plan", "type": "depends_on", "target": "v1.fact.budget"},
        {"source": "v1.fact.plan", "type": "derived_from", "target": "v1.fact.survey"},
    ]
    memory.checkpoint(["v1.fact.plan = hire two", "v1.fact.budget = 10k"], edges=edges)
    assert [absent.name for absent in opened(memory, {"v1.fact.plan": 1}).absent] == ["v1.fact.survey"]
    memory.checkpoint(tombstones=["v1.fact.budget"])
    opening = opened(memory, {"v1.fact.plan": 1})
    assert [absent.to_dict() for absent in opening.absent] == [
        {"name": "v1.fact.budget", "why": "deleted", "needed_by": "v1.fact.plan"},
        {"name": "v1.fact.survey", "why": "never recorded", "needed_by": "v1.fact.plan"},
    ]
    memory.checkpoint(["v1.fact.budget = 12k", "v1.fact.survey = done"])
    assert opened(memory, {"v1.fact.plan": 1}).absent == ()


def test_nothing_is_said_of_an_old_name_nor_of_a_statement_that_was_declined(memory: Memory) -> None:
    statement = {"name": "v1.fact.cheap_harbor", "value": "The cheap harbor is fine", "tags": ["proposed"]}
    memory.checkpoint(["v1.fact.old_harbor = We ship from Hamburg", statement])
    memory.rename("v1.fact.old_harbor", "v1.fact.harbor")
    memory.confirm(decline=["v1.fact.cheap_harbor"])
    for objective in (None, "the old harbor, or the cheap harbor"):
        opening = memory.bootstrap(objective, begin=False)
        assert names(opening) == ["v1.fact.harbor"]
        assert not opening.absent
        assert not opening.left_out.reasons


def test_a_domain_that_is_not_there_is_said_to_be_absent(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.a = x"])
    opening = memory.bootstrap(domain="nowhere")
    assert [absent.to_dict() for absent in opening.absent] == [{"name": "v1.domain.nowhere", "why": "never recorded"}]
    assert names(opening) == ["v1.fact.a"]


# -- input, and what is not done ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"max_tokens": 49}, InputError),
        ({"max_tokens": 0}, InputError),
        ({"max_tokens": 10**7}, TooLarge),
        ({"max_tokens": True}, SchemaInvalid),
        ({"max_tokens": 1200.0}, SchemaInvalid),
        ({"evidence_threshold": 1.1}, SchemaInvalid),
        ({"evidence_threshold": float("nan")}, SchemaInvalid),
        ({"evidence_threshold": "high"}, SchemaInvalid),
        ({"objective": 5}, SchemaInvalid),
        ({"objective": "\ud800"}, SchemaInvalid),
        ({"objective": "x" * 50_001}, TooLarge),
        ({"domain": 5}, SchemaInvalid),
        ({"domain": "v1.domain."}, NameInvalid),
    ],
)
def test_odd_input_is_refused_with_what_to_do(memory: Memory, options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        memory.bootstrap(**options)


def test_the_least_budget_says_at_least_how_it_is_counted(memory: Memory) -> None:
    memory.checkpoint([f"v1.fact.f{i} = {LONG}, {i}" for i in range(9)])
    opening = memory.bootstrap(LONG, max_tokens=50)
    assert opening.tokens <= 50
    assert {"counter", "tokens", "max_tokens"} <= set(opening.to_dict())


def test_bootstrap_writes_nothing(memory: Memory, reopen: Reopen) -> None:
    memory.checkpoint(["v1.fact.a = x"])
    before = memory.head()
    reader = reopen(read_only=True)
    assert names(reader.bootstrap("x")) == ["v1.fact.a"]
    assert memory.head() == before


def test_a_snapshot_is_one_moment(memory: Memory) -> None:
    """What is saved while an opening is put together is not in it."""
    memory.checkpoint(["v1.fact.a = before"])
    needs = [Need(subject(memory, "v1.fact.a"), 1.0, {"match": 1.0})]
    store = memory._store
    with store.read() as snapshot:
        writer = Thread(target=memory.checkpoint, args=[["v1.fact.a = after"]])
        writer.start()
        writer.join(timeout=PATIENCE_S)
        documents = store.index.documents(snapshot.transaction)
        (atom,) = open_with(snapshot, documents, Request.of(), needs).atoms
    assert atom.value == "before"
    assert memory.access("v1.fact.a").atom.value == "after"


# -- for who only looks ------------------------------------------------------------------------------------------------


def test_a_look_at_an_opening_begins_no_session(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.a = apples are red", "v1.fact.b = pears are green"])
    memory.bootstrap("bake a cake")
    looked = memory.bootstrap("paint the house", begin=False)
    assert looked.objective == "paint the house"
    assert memory.train(["v1.fact.a", "v1.fact.b"]).objective == "bake a cake"


@pytest.mark.parametrize("max_tokens", [120, 1200])
def test_an_atom_says_what_each_part_gave_and_what_it_takes_in_no_room(memory: Memory, max_tokens: int) -> None:
    memory.checkpoint(["v1.fact.a = apples are red"])
    opening = memory.bootstrap("are apples red", max_tokens=max_tokens)
    (atom,) = opening
    assert atom.need is not None
    assert atom.parts["match"] > 0
    assert sum(atom.parts.values()) == pytest.approx(atom.need)
    assert 0 < atom.tokens < opening.tokens
    assert not {"parts", "tokens", "need", "grounds"} & atom.to_dict().keys()
    assert evidence_of(atom.grounds) == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("max_tokens", [150, 230, 1200])
def test_what_such_objectives_needed_comes_before_weak_matches(memory: Memory, max_tokens: int) -> None:
    trained, weak = [f"v1.fact.trained_{i}" for i in range(3)], [f"v1.fact.weak_{i}" for i in range(12)]
    memory.checkpoint([f"{name} = {name[-1]} is enough" for name in (*trained, *weak)])

    def shown(*, wait: bool) -> list[str]:
        needs = [Need(subject(memory, name), 0.2, {"match": 0.2}, is_weak=True, waits=wait) for name in weak]
        needs += [Need(subject(memory, name), 0.01, {"goals": 0.01}) for name in trained]
        return names(with_needs(memory, needs, Request.of("get the money back", max_tokens=max_tokens)))

    assert set(shown(wait=True)[:3]) <= set(trained)
    assert set(shown(wait=True)) >= set(trained) or max_tokens == 150
    assert not set(shown(wait=False)[:3]) & set(trained)


def test_the_text_tells_weak_matches_last_and_not_of_what_was_needed_too(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.both = One", "v1.fact.weak = Two", "v1.fact.needed = Three"])
    needs = [
        Need(subject(memory, "v1.fact.weak"), 0.4, {"match": 0.4}, is_weak=True),
        Need(subject(memory, "v1.fact.both"), 0.3, {"match": 0.2, "goals": 0.1}, is_weak=True),
        Need(subject(memory, "v1.fact.needed"), 0.1, {"goals": 0.1}),
    ]
    lines = with_needs(memory, needs, Request.of("get the money back")).text().splitlines()
    needed, weak = lines.index("needed for objectives like this:"), lines.index("matches weakly:")
    assert {line.partition(" ")[0] for line in lines[needed + 1 : weak]} == {"v1.fact.both", "v1.fact.needed"}
    assert lines[weak + 1].startswith("v1.fact.weak ")


def test_a_rule_that_matches_weakly_does_not_wait(memory: Memory) -> None:
    memory.checkpoint(["v1.constraint.cents = Amounts are in cents", "v1.fact.trained = It is enough"])
    rule = Need(subject(memory, "v1.constraint.cents"), 0.01, {"match": 0.01}, is_weak=True, waits=True)
    needs = [rule, Need(subject(memory, "v1.fact.trained"), 0.5, {"goals": 0.5})]
    assert names(with_needs(memory, needs, Request.of("x")))[0] == "v1.constraint.cents"


# -- while vectors are made --------------------------------------------------------------------------------------------

_ELSEWHERE = " ".join(
    f"Somebody spoke of the {word} in the yard, and all agreed." for word in ("fence", "lamp", "roof")
)
SCATTERED = (
    f"Ann wants to rotate the crops on the release. {_ELSEWHERE} The signing of the lease went well. {_ELSEWHERE} "
    f"The keys of the shed were lost. {_ELSEWHERE} A server fell at the dinner."
)


@pytest.mark.usefixtures("cache")
def test_what_is_not_embedded_yet_is_counted_and_scattered_words_do_not_come_first(reopen: Reopen) -> None:
    """The twin: once all is embedded, nothing is said of it."""
    objective = "rotate the signing keys of the release server"
    memory = reopen(background=False)
    memory.checkpoint(["v1.fact.tea = The tea is green", "v1.fact.cat = The cat sleeps on the stove"])
    memory.index()
    assert memory.bootstrap(objective, begin=False).lag == 0
    memory.checkpoint([f"v1.note.long = {SCATTERED}", "v1.fact.keys = The signing keys are in the safe"])
    opening = memory.bootstrap(objective, begin=False)
    assert [atom.name for atom in opening.atoms[:2]] == ["v1.fact.keys", "v1.note.long"]
    assert opening.lag == 2
    assert "not embedded yet, so matched by words only: 2" in opening.text()
    assert str(opening.to_dict()["matched"]).endswith("2 not embedded yet")
    memory.index()
    opening = memory.bootstrap(objective, begin=False)
    assert (opening.lag, "not embedded" in opening.json(), "not embedded" in opening.text()) == (0, False, False)
