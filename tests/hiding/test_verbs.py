"""Row 24, every verb of Python: a client under a policy is told nothing of a hidden atom; a verb without a veil is."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import substrate
from substrate.hiding.hidden import HiddenAtoms
from substrate.memory import Memory
from substrate.views.learned import episodes
from tests.hiding.canaries import ABSENT, ASKED, CANARIES, ECHO, IDS, KESTREL, OPEN, QUIET, VERBS, fill, told


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """One store for all tests that change nothing in it."""
    folder = tmp_path_factory.mktemp("hiding")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SUBSTRATE_MODEL", "none")
        with substrate.open(folder / "store", home=folder / "home", background=False) as memory:
            fill(memory)
            IDS[:] = [memory.access(ASKED.replace("asked", "zebra"), predictions=0).atom.id]
            yield memory


@pytest.fixture(scope="module")
def agent(kept: Memory) -> Memory:
    return kept.client("agent", policy=substrate.Policy())


def test_every_verb_is_walked_or_tells_of_no_atom() -> None:
    verbs = {name for name, _ in inspect.getmembers(Memory) if not name.startswith("_")}
    assert verbs == VERBS.keys() | QUIET
    assert not VERBS.keys() & QUIET


@pytest.mark.parametrize("verb", VERBS)
def test_no_canary_is_told_to_a_client_that_may_not_see_it(agent: Memory, verb: str) -> None:
    for number, call in enumerate(VERBS[verb]):
        text = told(call, agent, ECHO.get(verb, ()))
        assert not any(canary in text for canary in CANARIES), (number, text)


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_without_the_veil_is_caught(agent: Memory, verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HiddenAtoms, "under", lambda *_: None)
    texts = [told(call, agent, ECHO.get(verb, ())) for call in VERBS[verb]]
    assert any(canary in text for text in texts for canary in CANARIES), texts


def test_an_atom_of_a_personal_domain_is_hidden_from_who_reads_what_is_public_alone(
    kept: Memory, agent: Memory
) -> None:
    guest = kept.client("guest", policy=substrate.Policy(tiers=["public"]))
    for verb, calls in VERBS.items():
        for call in calls:
            text = told(call, guest, ECHO.get(verb, ()))
            assert not any(canary in text for canary in (*CANARIES, KESTREL)), (verb, text)
    assert KESTREL in told(lambda memory: memory.search("zebra ledger"), agent)


def test_a_client_that_reads_all_tiers_sees_all(kept: Memory) -> None:
    trusted = kept.client("trusted", policy=substrate.Policy(tiers=substrate.policy.TIERS))
    for call in VERBS["search"][:1] + VERBS["list"]:
        assert told(call, trusted) == told(call, kept)


ASKING = {
    "access": lambda m, name: m.access(name),
    "access with a proof": lambda m, name: m.access(name, proof=True),
    "access as of": lambda m, name: m.access(name, as_of=20),
    "history": lambda m, name: m.history(name),
    "edges": lambda m, name: m.edges(name),
    "context": lambda m, name: m.context(name),
    "path": lambda m, name: m.path(OPEN, name),
    "around": lambda m, name: m.around(name),
    "associate": lambda m, name: m.associate(name),
    "document": lambda m, name: m.document(name),
    "which": lambda m, name: m.which(name),
    "weigh": lambda m, name: m.weigh([name]),
    "touch": lambda m, name: m.touch(name),
    "fading": lambda m, name: m.fading(name),
    "fading_curve": lambda m, name: m.fading_curve(name),
    "forget": lambda m, name: m.forget(name),
    "forget whole": lambda m, name: m.forget(whole=name),
    "merge": lambda m, name: m.merge([name, OPEN], dry_run=True),
    "rename": lambda m, name: m.rename(name, "v1.fact.elsewhere"),
    "replace": lambda m, name: m.replace(name, "v1.fact.newer", "x"),
    "tombstone": lambda m, name: m.checkpoint(tombstones=[name]),
    "resolve": lambda m, name: m.resolve(OPEN, name),
    "confirm": lambda m, name: m.confirm([name]),
    "propose": lambda m, name: m.propose("another text", name=name),
    "correction": lambda m, name: m.correction(name, "from 13 to 14"),
    "promote": lambda m, name: m.promote(name, vault=".", force=True),
    "predict": lambda m, name: m.predict([name]),
    "train": lambda m, name: m.train([name, OPEN]),
    "prove": lambda m, name: m.prove(name),
    "conflicts": lambda m, name: m.conflicts(name),
    "expect": lambda m, name: m.checkpoint([f"{OPEN} = the zebra ledger is open"], expect={name: 3}),
}


@pytest.mark.parametrize("verb", ASKING)
def test_a_hidden_atom_is_answered_for_as_one_that_is_not_there(agent: Memory, verb: str) -> None:
    hidden = told(lambda memory: ASKING[verb](memory, ASKED), agent, [ASKED])
    absent = told(lambda memory: ASKING[verb](memory, ABSENT), agent, [ABSENT])
    assert re.sub(r"\d\d:\d\d\S*|[0-9a-f-]{32,}|\d+", "", hidden) == re.sub(
        r"\d\d:\d\d\S*|[0-9a-f-]{32,}|\d+", "", absent
    )


def test_no_count_and_no_score_has_a_hidden_atom(kept: Memory, agent: Memory, tmp_path: Path) -> None:
    """What is left is what a store holds that never had them."""
    with substrate.open(tmp_path / "store", home=tmp_path / "home", background=False, model="none") as plain:
        lines = tmp_path / "lines.jsonl"
        agent.export(lines)
        plain.import_lines(lines)
        ours, theirs = agent.stats(), plain.stats()
        for field in ("atoms", "tombstoned", "edges", "dangling", "types", "characters", "domains"):
            assert getattr(ours, field) == getattr(theirs, field), field
        found, expected = agent.search("zebra ledger", limit=50), plain.search("zebra ledger", limit=50)
        assert [(hit.name, round(hit.score, 9)) for hit in found] == [
            (hit.name, round(hit.score, 9)) for hit in expected
        ]
        assert agent.growth(parts=1)[0].atoms == plain.growth(parts=1)[0].atoms
        assert agent.list(count=True).total == plain.list(count=True).total
    assert kept.stats().atoms > agent.stats().atoms


def test_an_entity_tells_an_agent_no_count_that_a_person_made(tmp_path: Path) -> None:
    with substrate.open(tmp_path / "store", home=tmp_path / "home", background=False, model="none") as memory:
        memory.checkpoint(
            [
                "v1.domain.vault = a vault",
                {"name": "v1.entity.main.acme", "value": "Acme"},
                *({"name": f"v1.fact.f{n}", "value": f"Acme {n}", "entities": ["Acme"]} for n in range(3)),
            ],
            edges=[{"source": f"v1.fact.f{n}", "type": "member_of", "target": "v1.domain.vault"} for n in range(3)],
        )
        memory.set_tier("vault", "sensitive")
        agent = memory.client("agent", policy=substrate.Policy())
        before = agent.entity("Acme")
        assert [one.mentions for one in memory.entities()] == [3]
        assert agent.entity("Acme") == before
        assert before.mentions == 0
        assert [one.mentions for one in agent.entities()] == [0]
        assert [one.mentions for one in memory.entities()] == [3]


def test_no_session_and_no_text_that_waits_to_be_embedded_is_counted_if_it_is_hidden(tmp_path: Path) -> None:
    with substrate.open(tmp_path / "store", home=tmp_path / "home", background=False, model="static") as memory:
        memory.checkpoint(
            ["v1.domain.vault = a vault", "v1.fact.hidden = the zebra", f"{OPEN} = the zebra is open"],
            edges=[{"source": "v1.fact.hidden", "type": "member_of", "target": "v1.domain.vault"}],
        )
        memory.observe(["v1.fact.hidden"])
        memory.observe([OPEN, "v1.fact.hidden"])
        memory.observe([OPEN], domain="vault")
        memory.train(["v1.fact.hidden", "v1.domain.vault"])
        memory.set_tier("vault", "sensitive")
        agent = memory.client("agent", policy=substrate.Policy())
        counts = [(stats.sessions, stats.trainings) for stats in (memory.stats(), agent.stats())]
        assert counts == [(3, 1), (1, 0)]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(episodes, "_read", lambda _: pytest.fail("episodes are read again"))
            assert agent.stats().sessions == 1
        memory.observe([OPEN])
        assert agent.stats().sessions == 2
        assert "(4 to come)" in memory.search("zebra").meaning
        assert "(1 to come)" in agent.search("zebra").meaning
