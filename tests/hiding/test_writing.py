"""What a client under a policy may not write, and what becomes of a tier: by every way there is."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest

import substrate
from substrate import veil
from substrate.atoms.domains import DOMAIN, Domains
from substrate.atoms.resolve import find_subject
from substrate.clock import ManualClock
from substrate.encryption.union import Union
from substrate.errors import Denied, Forgotten, InputError, NotFound, SchemaInvalid, SubstrateError
from substrate.hiding.hidden import HiddenAtoms
from substrate.hiding.log import VeiledLog
from substrate.kv.api import kept_by
from substrate.log.log import Log
from substrate.log.tables import COUNTS, TABLES
from substrate.memory import Memory
from substrate.messages import render
from substrate.policy import TIERS, Policy
from substrate.surfaces import load_surface
from substrate.values.edges import Window
from substrate.veil import Veiled, hidden_in
from tests.scale import rounds
from tests.search import test_members

SECRET = "v1.fact.secret"  # noqa: S105 - a name


@pytest.fixture
def both(memory: Memory) -> tuple[Memory, Memory]:
    """A person, and an agent that may not see the domain `vault`."""
    memory.checkpoint(
        ["v1.domain.vault = v", f"{SECRET} = s", "v1.fact.open = o", "v1.domain.shop = a shop"],
        edges=[
            {"source": SECRET, "type": "member_of", "target": "v1.domain.vault"},
            {"source": "v1.fact.open", "type": "references", "target": SECRET},
        ],
    )
    memory.set_tier("vault", "sensitive")
    memory.set_tier("shop", "personal", max_tokens=700)
    return memory, memory.client("agent", policy=Policy())


WRITES: dict[str, Callable[[Memory], object]] = {
    "a name that is taken": lambda m: m.checkpoint([f"{SECRET} = mine"]),
    "a name of the domain": lambda m: m.checkpoint(["v1.document.vault.new = mine"]),
    "the domain itself": lambda m: m.checkpoint(["v1.domain.vault = mine"]),
    "a part of a hidden whole": lambda m: m.checkpoint(
        [{"name": "v1.turn.x", "value": "x", "parent": SECRET, "position": 1}]
    ),
    "a member": lambda m: m.checkpoint(edges=[edge("v1.fact.open", "member_of", "v1.domain.vault")]),
    "an edge to it": lambda m: m.checkpoint(edges=[edge("v1.fact.open", "likes", SECRET)]),
    "an edge from it": lambda m: m.checkpoint(edges=[edge(SECRET, "likes", "v1.fact.open")]),
    "an edge that waits": lambda m: m.checkpoint(edges=[edge("v1.fact.open", "likes", "v1.chunk.vault.later")]),
    "an ingest": lambda m: m.ingest("some text", domain="vault"),
    "a new name": lambda m: m.rename("v1.fact.open", SECRET),
    "a replacement": lambda m: m.replace("v1.fact.open", SECRET, "x"),
    "a relation": lambda m: m.relate({"source": "A", "type": "uses", "target": "B"}, domain="vault", least="rejected"),
    "a tier": lambda m: m.set_tier("shop", "public"),
    "a tier by its attrs": lambda m: m.checkpoint(
        [{"name": "v1.domain.shop", "value": "b", "attrs": {"tier": "public"}}]
    ),
    "a tier of a new domain": lambda m: m.checkpoint(
        [{"name": "v1.domain.n", "value": "b", "attrs": {"tier": "public"}}]
    ),
    "a cap": lambda m: m.checkpoint([domain("shop", {"tier": "personal", "maxTokensPerRecall": 9000})]),
    "the end of a domain": lambda m: m.checkpoint(tombstones=["v1.domain.shop"]),
    "another name of a domain": lambda m: m.rename("v1.domain.shop", "v1.domain.store"),
    "a domain that is forgotten": lambda m: m.forget("v1.domain.shop"),
    "a domain that is forgotten with all its parts": lambda m: m.forget(whole="v1.domain.shop"),
    "versions of a domain that are forgotten": lambda m: m.forget(seqs=range(1, 100)),
    "a full export": lambda m: m.export("full.jsonl", full=True),
    "a backup": lambda m: m.backup("copy"),
    "a rebuild": lambda m: m.rebuild(),
    "another key": lambda m: m.rotate_key(),
    "an absent name": lambda m: m.prove("v1.fact.nothing"),
}


def domain(name: str, attrs: dict[str, Any] | None) -> dict[str, Any]:
    return {"name": f"v1.domain.{name}", "value": "another text", "attrs": attrs}


def edge(source: str, kind: str, target: str) -> dict[str, str]:
    return {"source": source, "type": kind, "target": target}


@pytest.mark.parametrize("what", WRITES)
def test_a_client_under_a_policy_is_denied(both: tuple[Memory, Memory], what: str) -> None:
    person, agent = both
    before = person.head()
    with pytest.raises(Denied):
        WRITES[what](agent)
    assert person.head() == before


def test_the_answer_is_the_same_for_a_hidden_atom_and_for_any_name_of_a_hidden_domain(
    both: tuple[Memory, Memory],
) -> None:
    person, agent = both
    person.checkpoint(["v1.document.vault.there = it is"])
    said = set()
    for name in ("v1.document.vault.there", "v1.document.vault.free", SECRET, "v1.domain.vault"):
        with pytest.raises(Denied) as denied:
            agent.checkpoint([f"{name} = mine"])
        said.add(str(denied.value).replace(name, "NAME"))
    assert len(said) == 1
    assert "Nothing was changed" in said.pop()


def test_what_is_not_hidden_can_be_written_and_forgotten_with_its_edges_to_hidden_atoms(
    both: tuple[Memory, Memory],
) -> None:
    person, agent = both
    agent.checkpoint(["v1.domain.shop = a better shop", "v1.fact.new = 1"], expect={SECRET: None, "v1.fact.new": None})
    assert [one.max_tokens for one in person.tiers("shop")] == [700]
    agent.forget("v1.fact.open")
    assert not list(person.edges(SECRET, direction="in"))
    with pytest.raises(NotFound):
        agent.forget(actor="nobody", seqs=None)
    assert substrate.fsck(person.to_dict()["store"]).ok


def test_only_what_an_agent_sees_is_forgotten_by_a_range(both: tuple[Memory, Memory]) -> None:
    person, agent = both
    agent.forget(seqs=range(1, 4))
    assert person.access(SECRET).atom.value == "s"


def test_another_text_keeps_the_tier_and_a_tombstone_shows_nothing(both: tuple[Memory, Memory]) -> None:
    person, agent = both
    person.checkpoint(["v1.domain.vault = another text"])
    assert person.tiers("vault")[0].tier == "sensitive"
    person.checkpoint(tombstones=["v1.domain.vault"])
    with pytest.raises(NotFound):
        agent.access(SECRET)
    person.checkpoint(["v1.domain.vault = it is back"])
    assert person.tiers("vault")[0].tier == "sensitive"
    person.set_tier("vault", "public")
    assert agent.access(SECRET).atom.value == "s"
    person.undo()
    with pytest.raises(NotFound):
        agent.access(SECRET, as_of=3)


@pytest.mark.parametrize("attrs", [None, {}, {"colour": "red"}])
def test_only_another_tier_takes_the_place_of_a_tier(both: tuple[Memory, Memory], attrs: dict[str, Any] | None) -> None:
    person, agent = both
    person.checkpoint([domain("vault", attrs)])
    agent.checkpoint([domain("shop", attrs)])
    assert [one.tier for one in person.tiers()] == ["personal", "sensitive"]
    person.import_lines(StringIO('{"kind":"put","name":"v1.domain.vault","value":"of elsewhere"}\n'))
    assert person.tiers("vault")[0].tier == "sensitive"


TAKEN_PLACES: dict[str, Callable[[Memory], tuple[str, ...]]] = {
    "a rename": lambda m: (*m.rename(SECRET, "v1.fact.other").recorded, SECRET),
    "two renames": lambda m: (
        (*(m.rename(SECRET, "v1.fact.x") and m.rename("v1.fact.x", SECRET)).recorded, "v1.fact.x")
    ),
    "a rename that is undone": lambda m: (*(m.rename(SECRET, "v1.fact.other") and m.undo()).tombstoned, SECRET),
    "a save that is undone": lambda m: (member(m, "v1.fact.b") and m.undo()).tombstoned,
    "a merge": lambda m: (m.merge([SECRET, "v1.note.c"]).name,),
    "a merge that is undone": lambda m: (m.merge([SECRET, "v1.note.c"]) and m.undo()).tombstoned,
    "a merge that is taken back": lambda m: (m.merge(m.merge([SECRET, "v1.note.c"]).name, back=True).name,),
    "a replacement": lambda m: m.replace(SECRET, "v1.fact.other", "p").recorded,
    "a replacement of an entity": lambda m: m.replace("v1.entity.vault.e", "v1.fact.other", "p").recorded,
    "a replacement of a part": lambda m: m.replace("v1.turn.t", "v1.fact.other", "p").recorded,
    "a correction": lambda m: (m.accept(m.propose("p", name=SECRET).id).name,),
    "a part of what was renamed": lambda m: (*m.rename(SECRET, "v1.fact.other").recorded, "v1.turn.t"),
    "a membership that ended": lambda m: windowed(m, Window(None, datetime(2020, 1, 1, tzinfo=UTC))),
    "a membership of later": lambda m: windowed(m, Window(datetime(2120, 1, 1, tzinfo=UTC), None)),
}
"""What makes an atom out of a hidden one, or takes one out of use: the names that must stay hidden."""


def member(memory: Memory, name: str, **more: Any) -> substrate.Saved:
    return memory.checkpoint([f"{name} = text"], edges=[{**edge(name, "member_of", "v1.domain.vault"), **more}])


def windowed(memory: Memory, window: Window) -> tuple[str, ...]:
    return (
        member(memory, "v1.fact.a", windows=[window]).recorded + memory.replace("v1.fact.a", "v1.fact.b", "p").recorded
    )


@pytest.mark.parametrize("how", TAKEN_PLACES)
def test_what_becomes_of_a_hidden_atom_is_hidden(both: tuple[Memory, Memory], how: str) -> None:
    person, agent = both
    person.checkpoint(
        ["v1.note.c = another", "v1.entity.vault.e = E", {"name": "v1.turn.t", "value": "t", "parent": SECRET}]
    )
    names = TAKEN_PLACES[how](person)
    assert names
    for name in names:
        assert list(person.history(name))
        with pytest.raises(NotFound):
            agent.history(name)


def test_what_takes_the_place_of_atoms_belongs_to_their_domains_once(
    both: tuple[Memory, Memory], clock: ManualClock
) -> None:
    person, _ = both
    person.checkpoint(
        ["v1.fact.a = one", "v1.fact.b = two"],
        edges=[edge(f"v1.fact.{one}", "member_of", "v1.domain.shop") for one in "ab"],
    )
    made = person.merge(["v1.fact.a", "v1.fact.b"]).name
    assert [one.name for one in person.list(domain="shop")] == [made]
    clock.advance(1)
    assert person.replace(made, "v1.document.shop.d", "three").edges
    assert [one.target for one in person.edges("v1.document.shop.d", direction="out", type="member_of")] == []


@pytest.mark.parametrize("tier", ["secret", "Public", "", None, 3])
def test_an_unknown_tier_is_refused_with_the_three_words(both: tuple[Memory, Memory], tier: Any) -> None:
    person, _ = both
    with pytest.raises(InputError, match="public, personal, sensitive"):
        person.set_tier("shop", tier)
    with pytest.raises(InputError, match="public, personal, sensitive"):
        person.checkpoint([{"name": "v1.domain.shop", "value": "x", "attrs": {"tier": tier}}])
    with pytest.raises(InputError):
        Policy(tiers=[tier])


def test_a_tier_needs_a_domain_that_is_there(both: tuple[Memory, Memory]) -> None:
    person, _ = both
    with pytest.raises(NotFound, match="shop"):
        person.set_tier("shopp", "sensitive")
    person.checkpoint(["v1.document.papers.one = p"])
    person.set_tier("papers", "sensitive")
    assert person.tiers("papers")[0].tier == "sensitive"


def test_a_client_of_a_client_sees_no_more(both: tuple[Memory, Memory]) -> None:
    _, agent = both
    for further in (agent.client("b"), agent.client("b", policy=Policy(tiers=TIERS))):
        with pytest.raises(NotFound):
            further.access(SECRET)
    narrow = agent.client("b", policy=Policy(tiers=["public"], caps={"public": 5})).policy
    assert narrow is not None
    assert (narrow.tiers, narrow.caps) == ({"public"}, {"public": 5, "personal": 2000})
    with pytest.raises(SchemaInvalid):
        agent.client("b", policy="public")  # type: ignore[arg-type]


def test_a_store_that_is_open_for_reading_has_policies_too(
    both: tuple[Memory, Memory], reopen: Callable[..., Memory]
) -> None:
    reader = reopen(read_only=True).client("agent", policy=Policy())
    assert [atom.name for atom in reader.list()] == ["v1.domain.shop", "v1.fact.open"]
    with pytest.raises(Denied):
        reader.set_tier("shop", "public")
    assert len(both[0].list()) == 4


def test_a_group_that_another_client_was_shown_tells_nothing(both: tuple[Memory, Memory]) -> None:
    person, agent = both
    text = "quarterly figures reviewed and signed by all"
    person.checkpoint(
        [f"v1.note.a = {text}", f"v1.note.b_heron = {text}"],
        edges=[edge("v1.note.b_heron", "member_of", "v1.domain.vault")],
    )
    (group,) = person.groups(threshold=0.5)
    with pytest.raises(NotFound, match="there is no group") as raised:
        agent.group(group.id)
    assert "heron" not in str(raised.value)


def test_an_unlocked_domain_is_hidden_as_any_other(both: tuple[Memory, Memory]) -> None:
    person, agent = both
    person.checkpoint(["v1.document.vault.page = the heron page"])
    person.encrypt("vault", "correct horse battery")
    for _ in range(2):
        assert not [hit.name for hit in agent.search("heron page s")]
        for call in (agent.access, agent.edges, agent.disclose):
            with pytest.raises(NotFound):
                call("v1.document.vault.page")
            with pytest.raises(NotFound):
                call(SECRET)
        with pytest.raises(Denied):
            agent.checkpoint(["v1.document.vault.page = mine"])
        person.lock()
    person.unlock("vault", "correct horse battery")
    assert [hit.name for hit in person.search("heron page")] == ["v1.document.vault.page"]


def test_an_agent_is_not_told_of_encryption_by_what_was_forgotten(both: tuple[Memory, Memory]) -> None:
    person, agent = both
    person.encrypt("shop", "correct horse battery")
    person.forget("v1.fact.open")
    with pytest.raises(Forgotten, match="erased for good, unless it was encrypted: then read it with unlock"):
        person.access("v1.fact.open")
    with pytest.raises(Forgotten, match=r"what it said is erased for good$") as raised:
        agent.access("v1.fact.open")
    assert "crypt" not in str(raised.value)
    assert "crypt" not in render(_told_of(person, "v1.fact.open"), load_surface("atoms").words_for("store", {}))


def _told_of(memory: Memory, name: str) -> str:
    with pytest.raises(Forgotten) as raised:
        memory.access(name)
    return raised.value.message


def test_nothing_is_kept_of_a_transaction_that_is_laid_over_another(both: tuple[Memory, Memory]) -> None:
    person, agent = both
    with agent._store.log.snapshot() as veiled:
        assert hidden_in(veiled) is not None
        kept_by(veiled, "any")["here"] = True
        assert not hasattr(veiled, "kept")
    person.encrypt("vault", "correct horse battery")
    with person._store.read() as snapshot:
        assert isinstance(snapshot.transaction, Union)
        kept_by(snapshot.transaction, "any")["here"] = True
        assert not hasattr(snapshot.transaction, "kept")
    with agent._store.read() as snapshot:
        assert not hasattr(snapshot.transaction, "kept")
    with person._store.log.snapshot() as stored:
        assert kept_by(stored, "any") == {}
        kept_by(stored, "any")["here"] = True
    with person._store.log.snapshot() as stored:
        assert kept_by(stored, "any") == {"here": True}, "the same look finds what is kept"


ENCRYPTED = {
    "save": lambda agent, name: agent.checkpoint([f"{name} = gone"]),
    "save again": lambda agent, name: agent.checkpoint([{"name": name, "value": agent.history(name)[0].atom.value}]),
    "tombstone": lambda agent, name: agent.checkpoint(tombstones=[name]),
    "forget": lambda agent, name: agent.forget(name),
    "forget the domain": lambda agent, _: agent.forget("v1.domain.diary"),
    "bring in": lambda agent, name: agent.import_lines(
        StringIO(json.dumps({"kind": "put", "name": name, "value": "x"}))
    ),
}


def test_encrypted_atoms_are_hidden_and_written_by_their_own_names_alone(both: tuple[Memory, Memory]) -> None:
    person, agent = both
    person.checkpoint(["v1.domain.diary = d", "v1.document.diary.page = a page"])
    for place in ("vault", "diary"):
        person.encrypt(place, "correct horse battery")
    assert agent.stats().types == {"ciphertext": 1, "domain": 2, "fact": 1}
    agent.checkpoint(["v1.document.diary.page = another page"])
    person.lock()
    assert agent.stats().types == {"ciphertext": 1, "domain": 2, "fact": 1}
    (shown,) = (atom.name for atom in agent.list("v1.ciphertext."))
    (hidden,) = {atom.name for atom in person.list("v1.ciphertext.")} - {shown}
    assert not list(agent.edges("v1.fact.open"))
    for call in (agent.access, agent.history, agent.edges):
        with pytest.raises(NotFound):
            call(hidden)
    head = person.head()
    for name in (hidden, shown):
        for what, write in ENCRYPTED.items():
            with pytest.raises(SubstrateError):
                write(agent, name)
            assert person.head() == head, what
    with pytest.raises(Denied):
        agent.prove(hidden)
    person.unlock("diary", "correct horse battery")
    assert person.access("v1.document.diary.page").value == "another page"
    agent.forget("v1.document.diary.page")


STATEMENT = "v1.constraint.no_friday"
FOR_PEOPLE: dict[str, Callable[[Memory], object]] = {
    "watch": lambda m: m.watch(on=False),
    "quota": lambda m: m.set_quota(1),
    "fading": lambda m: m.use_fading("exponential", 5),
    "confirm": lambda m: m.confirm([STATEMENT]),
    "decline by confirm": lambda m: m.confirm(decline=[STATEMENT]),
    "accept a statement": lambda m: m.accept(STATEMENT),
    "decline a statement": lambda m: m.decline(STATEMENT),
    "lock": lambda m: m.lock(),
    "encrypt": lambda m: m.encrypt("shop", "correct horse battery"),
    "accept a text": lambda m: m.accept(m.propose("a text", domain="shop").id),
    "accept a correction": lambda m: m.accept(m.propose("a text", name="v1.fact.open").id),
}


@pytest.mark.parametrize("what", FOR_PEOPLE)
def test_what_holds_for_all_who_use_the_store_is_for_people(both: tuple[Memory, Memory], what: str) -> None:
    person, agent = both
    person.checkpoint([{"name": STATEMENT, "value": "We never deploy on Friday", "tags": ["proposed"]}])
    before = person.head()
    with pytest.raises(Denied, match=r"ask (a person )?for `"):
        FOR_PEOPLE[what](agent)
    assert person.head() == before


def test_no_count_tells_how_many_atoms_are_hidden(both: tuple[Memory, Memory]) -> None:
    person, agent = both

    def told() -> list[object]:
        changes = [(change.kind, change.name) for change in agent.diff(0)]
        opening = [line for line in str(agent.bootstrap("x", begin=False)).splitlines() if "left out" in line]
        with pytest.raises(substrate.errors.QuotaReached) as full:
            agent.checkpoint(["v1.note.n = n"])
        return [changes, opening, agent.model().waiting, str(full.value)]

    person.set_quota(1)
    with person.session("look"):
        person.access("v1.fact.open")
        person.access(SECRET)
    before = told()
    person.set_quota(None)
    for number in range(5):
        member(person, f"v1.fact.more{number}")
        with person.session("look"):
            person.access("v1.fact.open")
            person.access(f"v1.fact.more{number}")
    person.set_quota(1)
    assert told() == before
    assert not [kind for kind, _ in before[0] if "forgotten" in kind]  # type: ignore[attr-defined]


def test_a_domain_out_of_use_is_hidden_again_when_what_made_it_public_is_forgotten(both: tuple[Memory, Memory]) -> None:
    memory, agent = both
    size = memory.head().head.size
    memory.set_tier("vault", "public")
    memory.checkpoint(tombstones=["v1.domain.vault"])
    assert SECRET in [atom.name for atom in agent.list()]
    memory.forget(seqs=range(size, size + 1))
    assert SECRET not in [atom.name for atom in agent.list()]


@pytest.mark.parametrize("is_part", [True, False])
def test_what_belongs_to_a_hidden_domain_over_a_name_that_nobody_recorded_is_hidden_also_at_the_first_look(
    both: tuple[Memory, Memory], *, is_part: bool
) -> None:
    memory, agent = both
    hub, diary = "v1.hub.unrecorded", "v1.note.diary"
    whole = {"parent": hub, "position": 0} if is_part else {}
    memory.checkpoint([{"name": diary, "value": "d", **whole}])
    steps = [] if is_part else [edge(diary, "member_of", hub)]
    memory.checkpoint(edges=[*steps, edge(hub, "member_of", "v1.domain.vault")])
    assert [atom.name for atom in agent.list()] == ["v1.domain.shop", "v1.fact.open"]
    memory.checkpoint(unedges=[edge(hub, "member_of", "v1.domain.vault")])
    assert [atom.name for atom in agent.list()] == ["v1.domain.shop", "v1.fact.open", diary]
    memory.checkpoint(edges=[edge(hub, "member_of", "v1.domain.vault")])
    assert [atom.name for atom in agent.list()] == ["v1.domain.shop", "v1.fact.open"]


def test_a_hidden_atom_that_is_forgotten_takes_no_other_out_of_the_count(both: tuple[Memory, Memory]) -> None:
    memory, agent = both
    memory.checkpoint(["v1.entity.vault.heron = h", "v1.entity.shop.kite = k"])
    before = agent.stats().types
    memory.forget("v1.entity.vault.heron")
    assert agent.stats().types == before == {"domain": 1, "entity": 1, "fact": 1}


@pytest.mark.parametrize("is_part", [True, False])
def test_what_belongs_to_a_page_of_a_hidden_domain_stays_hidden_when_the_page_goes_out_of_use(
    both: tuple[Memory, Memory], *, is_part: bool
) -> None:
    memory, agent = both
    page, diary = "v1.document.vault.page", "v1.note.diary"
    memory.checkpoint(
        [f"{page} = p", {"name": diary, "value": "d", **({"parent": page, "position": 0} if is_part else {})}]
    )
    if not is_part:
        memory.checkpoint(edges=[edge(diary, "member_of", page)])
    memory.checkpoint(tombstones=[page])
    # Only now does the agent look: nothing was kept of the time before.
    assert [atom.name for atom in agent.list(tombstoned=True)] == ["v1.domain.shop", "v1.fact.open"]
    assert agent.stats().tombstoned == 0


def test_an_edge_to_a_name_does_not_tell_whether_hidden_atoms_wait_for_it(both: tuple[Memory, Memory]) -> None:
    memory, agent = both
    names = ["v1.person.waited_for", "v1.person.unheard_of"]
    memory.checkpoint(edges=[edge(SECRET, "references", names[0])])
    before = agent.stats().dangling
    for name in names:
        agent.checkpoint(edges=[edge("v1.fact.open", "likes", name)])
    assert {one.target for one in agent.edges("v1.fact.open", type="likes")} == set(names)
    assert agent.stats().dangling == before + 2
    memory.checkpoint(edges=[edge(SECRET, "references", "v1.person.another")])  # what is hidden is worked out again
    agent.stats()
    for name in names:
        agent.checkpoint(unedges=[edge("v1.fact.open", "likes", name)])
    assert agent.stats().dangling == before


@pytest.mark.parametrize("spelt", ["vault", "Vault", "v1.domain.vault", "VAULT "])
def test_a_proposal_for_a_hidden_domain_is_hidden_however_it_is_spelt(both: tuple[Memory, Memory], spelt: str) -> None:
    person, agent = both
    person.propose("a secret text", domain=spelt, actor="person")
    person.propose("an open text", domain="Shop", actor="person")
    assert [one.value for one in agent.proposals()] == ["an open text"]
    person.checkpoint(["v1.fact.mine = m"], actor="person")
    agent.forget(actor="person")
    assert [one.value for one in person.proposals()] == ["a secret text"]


def test_a_waiting_text_is_hidden_once_its_domain_exists_and_is_sensitive_however_it_was_spelt(
    both: tuple[Memory, Memory],
) -> None:
    person, agent = both
    person.propose("a secret text", domain="Therapy Notes")
    assert [one.value for one in agent.proposals()] == ["a secret text"]
    person.checkpoint(["v1.domain.therapy_notes = Therapy Notes"])
    person.set_tier("therapy_notes", "sensitive")
    assert not agent.proposals().items
    assert [one.value for one in person.proposals()] == ["a secret text"]


def test_a_table_in_a_notebook_shows_hidden_characters_as_numbers(memory: Memory) -> None:
    memory.checkpoint(["v1.note.trick = left \u202e right \x1b[31m end"])
    memory.propose("before \u202e after", name="v1.note.trick")
    for page in (memory.list()._repr_html_(), memory.proposals()._repr_html_(), memory.list()[0]._repr_html_()):
        assert "202E" in page
        assert "\u202e" not in page
        assert "\x1b" not in page


def test_a_hidden_atom_is_not_seen_while_it_is_written(both: tuple[Memory, Memory]) -> None:
    """An atom and its membership are one checkpoint: there is no moment between."""
    person, agent = both
    said: list[str] = []

    def write() -> None:
        for number in range(20):
            name = f"v1.fact.heron{number}"
            person.checkpoint([f"{name} = zebra heron"], edges=[edge(name, "member_of", "v1.domain.vault")])

    writing = threading.Thread(target=write)
    writing.start()
    while writing.is_alive():
        said += [atom.name for atom in agent.list()] + [hit.name for hit in agent.search("zebra heron")]
    writing.join()
    said += [hit.name for hit in agent.search("zebra heron")]
    assert not [name for name in said if "heron" in name]
    assert len(person.list("v1.fact.heron")) == 20


# -- the parts ---------------------------------------------------------------------------------------------------------


def test_every_table_has_a_rule(both: tuple[Memory, Memory]) -> None:
    _, agent = both
    with agent._store.read() as snapshot:
        assert isinstance(snapshot.transaction, Veiled)
        for table in TABLES:
            assert snapshot.transaction.count(table) == sum(1 for _ in snapshot.transaction.scan(table))
    assert veil._RULES.keys() | veil._OPEN | {COUNTS} == TABLES.keys()
    assert not veil._RULES.keys() & veil._OPEN


def test_a_method_of_the_log_that_was_not_thought_of_fails(both: tuple[Memory, Memory]) -> None:
    _, agent = both
    log = agent._store.log
    assert isinstance(log, VeiledLog)
    own = {name for name in vars(VeiledLog) if not name.startswith("_")}
    left = {name for name in vars(Log) if not name.startswith("_")} - own
    assert left == {"record", "get", "entry", "entries", "check_at_open"}
    for call in (lambda: log.record(SECRET), lambda: log.get(SECRET), lambda: log.entry(2), log.entries):
        with pytest.raises(AttributeError):
            call()


def test_an_agent_neither_confirms_nor_declines_a_statement_by_another_verb(memory: Memory) -> None:
    names = [f"v1.constraint.{at}" for at in range(3)]
    waiting = [{"name": name, "value": f"never deploy {name}", "tags": ["proposed", "x"]} for name in names]
    memory.checkpoint(waiting)
    memory.remember("never push on Fridays", "constraint", tags=["proposed"])
    agent = memory.client("agent", policy=Policy())
    tries: list[Callable[[], object]] = [
        lambda: agent.checkpoint([{**waiting[0], "tags": []}]),
        lambda: agent.checkpoint([{"name": names[0], "value": "always deploy", "tags": ["x"]}]),
        lambda: agent.checkpoint(tombstones=[names[0]]),
        lambda: agent.remember("never push on Fridays", "constraint", origin="user"),
        lambda: agent.rename(names[0], "v1.constraint.other"),
        lambda: agent.checkpoint([{**waiting[0], "value": "always deploy"}]),
        lambda: agent.checkpoint([{**waiting[0], "valid_to": "2020-01-01"}]),
        lambda: agent.forget(names[0]),
        lambda: agent.checkpoint(["v1.fact.mine = 1"], edges=[{**edge, "source": "v1.fact.mine"}]),
        lambda: agent.checkpoint(unedges=[{**edge, "target": names[2]}]),
        lambda: agent.checkpoint(tombstones=["v1.fact.other"]),
        lambda: agent.forget("v1.fact.other"),
    ]
    edge = {"source": "v1.fact.other", "type": "supersedes", "target": names[0]}
    memory.checkpoint(["v1.fact.other = 1"], edges=[{**edge, "target": names[2]}])
    for write in tries:
        with pytest.raises(Denied, match="only a person confirms or declines"):
            write()
    memory.confirm(names[:1])
    with pytest.raises(Denied, match="only a person confirms or declines"):
        agent.undo()
    memory.confirm(decline=names[1:2])
    with pytest.raises(Denied, match="only a person confirms or declines"):
        agent.undo()
    with pytest.raises(Denied, match="only a person confirms or declines"):
        agent.checkpoint([waiting[1]])
    agent.checkpoint(["v1.fact.mine = 1"], edges=[{**edge, "source": "v1.fact.mine", "target": "v1.fact.other"}])
    memory.checkpoint(unedges=[{**edge, "target": names[2]}])
    agent.checkpoint([{**waiting[2], "tags": ["proposed", "x", "z"]}, {**waiting[0], "tags": ["x"]}])
    assert names[2] in [atom.name for atom in memory.recent(tags="proposed")]


@pytest.mark.parametrize("origin", ["user", None])
def test_an_agent_that_adds_to_a_persons_words_does_not_make_them_its_own(memory: Memory, origin: str | None) -> None:
    agent = memory.client("mcp:atoms:bot", policy=Policy())
    rent, other = "v1.fact.rent", "v1.fact.rent_now"
    memory.checkpoint([f"{rent} = The rent is 900 EUR"], origin=origin)
    for tags in (["home"], ["home", "money"]):
        agent.checkpoint([{"name": rent, "value": "The rent is 900 EUR", "tags": tags}], origin="agent")
    agent.checkpoint([f"{other} = The rent is 100 EUR"], origin="agent")
    atom = memory.access(rent).atom
    assert (atom.tags, atom.actor) == (("home", "money"), "mcp:atoms:bot")
    assert atom.origin == origin or origin is None
    found = {hit.name: hit for hit in memory.search("what is the rent")}
    assert (found[rent].newer, found[rent].disputed) == (None, other)
    agent.checkpoint([f"{rent} = The rent is 100 EUR"], origin="agent")  # words of its own are
    assert memory.access(rent).atom.origin == "agent"


@pytest.mark.parametrize(
    "field",
    [
        {"confidence": 0.1},
        {"confidence": None},
        {"source": "a mail"},
        {"valid_to": "2020-01-01"},
        {"valid_from": "2020-01-01"},
        {"occurred_at": "2020-01-01"},
        {"entities": ["Bob"]},
    ],
    ids=str,
)
def test_what_an_agent_states_of_a_persons_words_is_told_as_the_agents(
    memory: Memory, field: dict[str, object]
) -> None:
    rent = {"name": "v1.fact.rent", "value": "The rent is 900 EUR", "confidence": 0.9, "entities": ["Ann"]}
    memory.checkpoint([rent], origin="user")
    agent = memory.client("mcp:atoms:bot", policy=Policy())
    agent.checkpoint([{**rent, "tags": ["home"]}], origin="agent")
    assert memory.history("v1.fact.rent")[-1].atom.origin == "user"
    agent.checkpoint([{**rent, **field}], origin="agent")
    told = memory.history("v1.fact.rent")[-1].atom
    assert (told.origin, told.actor, told.tags) == ("agent", "mcp:atoms:bot", ("home",))
    agent.checkpoint(["v1.fact.rent_now = The rent is 100 EUR"], origin="agent")
    if "valid_to" not in field:  # the words are a person's still
        found = {hit.name: hit for hit in memory.search("what is the rent")}
        assert found["v1.fact.rent"].disputed == "v1.fact.rent_now"


def test_an_entity_that_an_agent_adds_to_many_is_told_as_the_agents_and_another_order_is_no_other_word(
    memory: Memory,
) -> None:
    name, listed = "v1.fact.home", ["Ada", "Bob", "Cleo", "Dan"]
    memory.checkpoint([{"name": name, "value": "Lives in London", "entities": listed}], origin="user")
    agent = memory.client("mcp:atoms:bot", policy=Policy())
    for entities, origin in ((listed[::-1], "user"), ([*listed, "Eve"], "agent")):
        agent.checkpoint([{"name": name, "value": "Lives in London", "entities": entities}], origin="agent")
        atom = memory.access(name).atom
        assert (atom.origin, atom.actor, list(atom.entities)) == (origin, "mcp:atoms:bot", entities)


@pytest.mark.parametrize(("actor", "origin"), [("mcp:atoms:bot", "agent"), ("bot", "agent"), ("mcp:atoms:bot", None)])
def test_the_end_that_an_agent_sets_to_a_persons_words_is_told_as_the_agents(
    memory: Memory, actor: str, origin: str | None
) -> None:
    memory.checkpoint(["v1.fact.rent = 900", "v1.fact.fee = 20"], origin="user")
    memory.client(actor).replace("v1.fact.rent", "v1.fact.rent_now", "950", origin=origin)
    memory.replace("v1.fact.fee", "v1.fact.fee_now", "25")
    told = [memory.history(name)[-1].atom for name in ("v1.fact.rent", "v1.fact.fee")]
    assert [(atom.origin, atom.valid_to is not None) for atom in told] == [("agent", True), ("user", True)]


def test_an_agent_cannot_hide_by_an_edge_what_a_person_records_later(memory: Memory) -> None:
    """The twins: an agent may supersede what is in use, or recorded with the edge; a person also what is to come."""
    agent = memory.client("agent", policy=Policy())
    memory.checkpoint(["v1.fact.gone = 1", "v1.fact.old = 1"])
    memory.checkpoint(tombstones=["v1.fact.gone"])

    def edge(target: str) -> dict[str, str]:
        return {"source": "v1.fact.mine", "type": "supersedes", "target": target}

    for target in ("v1.constraint.to_come", "v1.fact.gone"):
        with pytest.raises(Denied, match="in use, and there is none of that name"):
            agent.checkpoint(["v1.fact.mine = 1"], edges=[edge(target)])
        memory.checkpoint([f"{target} = a person says so"])
        assert target in [atom.name for atom in memory.list()]
    agent.checkpoint(["v1.fact.mine = 1", "v1.fact.both = 1"], edges=[edge("v1.fact.both"), edge("v1.fact.old")])
    memory.checkpoint(edges=[edge("v1.fact.later")])
    assert not {"v1.fact.both", "v1.fact.old"} & {atom.name for atom in memory.list()}


@pytest.mark.parametrize("seed", range(rounds(3, 100)))
def test_what_is_hidden_is_what_the_rule_says_of_every_atom(memory: Memory, clock: ManualClock, seed: int) -> None:
    """Brute force: the strictest tier of all domains that an atom belongs to, atom by atom, after each step."""
    chance = random.Random(seed)
    agent = memory.client("agent", policy=Policy())
    hubs = test_members.HUBS[seed % 3 :]  # an edge may lead over a hub that nobody recorded
    memory.checkpoint([f"{name} = begun" for name in (*test_members.DOMAINS[:3], *hubs)])
    memory.set_tier(test_members.DOMAINS[0], "sensitive")
    count = 0
    for _ in range(25):
        if chance.random() < 0.3:
            change_tier(memory, chance)
        else:
            test_members.a_step(memory, clock, chance)
        with memory._store.read() as snapshot:
            expected = {name for name in test_members.ATOMS if strictest(snapshot, name) == "sensitive"}
        with agent._store.read() as snapshot:
            carried = hidden_in(snapshot.transaction)
        known = {name for name in test_members.ATOMS if memory_has(memory, name)}
        with memory._store.read() as snapshot:
            at_once = HiddenAtoms(memory._store).under(Policy(), snapshot.transaction)
            for hidden in (carried, at_once):
                atoms = frozenset() if hidden is None else hidden.atoms
                assert {name for name in known if find_subject(snapshot.transaction, name) in atoms} == expected & known
        count += len(expected & known)
    assert count or seed not in {0, 2}, "of most seeds something is hidden"


def change_tier(memory: Memory, chance: random.Random) -> None:
    name = chance.choice(test_members.DOMAINS[:3])
    try:
        memory.set_tier(name, chance.choice(TIERS))
    except (InputError, NotFound):  # out of use, or forgotten
        return


def memory_has(memory: Memory, name: str) -> bool:
    with memory._store.read() as snapshot:
        return snapshot.transaction.get("atoms", name.encode()) is not None


def strictest(snapshot: Any, name: str) -> str:
    """The strictest tier of an atom's domains, in use or not; of a domain's atom its own too."""
    rule, subject = Domains(snapshot, dormant=True), find_subject(snapshot.transaction, name)
    near = {subject, *rule.groups_of(subject)}
    groups = near | {above for group in rule.groups_of(subject) for above in rule.groups_of(group)}
    tiers = [tier_of(snapshot, rule.name(group)) for group in groups if rule.name(group).startswith(DOMAIN)]
    return max(tiers, key=TIERS.index, default="public")


def tier_of(snapshot: Any, domain: str) -> str:
    """What the last version of a domain's atom says that was no tombstone, read from the log alone."""
    from substrate.atoms.bodies import body_of  # noqa: PLC0415
    from substrate.views.atoms import versions_of  # noqa: PLC0415

    for version in versions_of(snapshot.transaction, find_subject(snapshot.transaction, domain)):
        body = body_of(snapshot.transaction, version.seq)
        if version.kind.name == "PUT" and body is not None:
            attrs = body.members.get("attrs")
            return str(attrs.get("tier", "public")) if isinstance(attrs, dict) else "public"
    return "public"
