"""A store whose views are of an older version, or not there: it answers the same, and is upgraded to the same rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.clock import Clock
from substrate.errors import Forgotten, NotFound
from substrate.kv.open import open_store
from substrate.log import replay, upgrade
from substrate.log.copies.check import check_store
from substrate.log.copies.rebuild import rebuild_store
from substrate.log.log import Log, open_log
from substrate.log.missing_views import _Covered
from substrate.log.tables import META, TABLES
from substrate.memory import open_memory
from substrate.views.catalogue import CHECKS, VIEWS
from tests.scale import rounds
from tests.search.happenings import few
from tests.stories import DOMAINS, NAMES, Step, Story, a_story, stories

A, B, C, D, E, F = NAMES
Content = dict[str, list[tuple[bytes, bytes]]]
NAMED = {view.name: view for view in VIEWS}


def content(path: Path) -> Content:
    store = open_store(path, list(TABLES), read_only=True, create=False)
    try:
        with store.read() as transaction:
            return {table: list(transaction.scan(table)) for table in TABLES}
    finally:
        store.close()


def set_back(path: Path, names: Sequence[str], *, absent: bool = False) -> None:
    """As if a program of an older version had written these views; or one that did not have them at all."""
    store = open_store(path, list(TABLES))
    try:
        with store.write() as transaction:
            for name in names:
                for table in NAMED[name].tables:
                    for key, _ in list(transaction.scan(table)):
                        transaction.delete(table, key)
                    if not absent:
                        transaction.put(table, b"older", b"a row of another layout")
                if absent:
                    transaction.delete(META, b"applied:" + name.encode())
            if not absent:
                transaction.put(META, b"applied:", json.dumps(dict.fromkeys(names, 0)).encode())
    finally:
        store.close()


def answers(path: Path, clock: Clock) -> dict[str, Any]:
    """What every verb that reads says to someone who may not write."""
    with open_memory(
        path, home=path.parent / "home", clock=clock, read_only=True, background=False, model="none"
    ) as memory:
        said = {question: ask(memory) for question, ask in QUESTIONS.items()}
        for name in [*NAMES, *DOMAINS, "v1.fact.never"]:
            for verb in ("access", "history", "edges", "context", "predict", "around", "stale", "associate"):
                with suppress(NotFound, Forgotten):
                    said[f"{verb} {name}"] = getattr(memory, verb)(name)
        return {question: _plain(one) for question, one in said.items()}


def _plain(said: Any) -> str:
    return repr(list(said) if isinstance(said, zip) else said)


QUESTIONS: dict[str, Any] = {
    "search": lambda memory: [memory.search(text, limit=20) for text in ("v1.fact.a", "again", "login page")],
    "search as of": lambda memory: memory.search("fact", as_of=9),
    "list": lambda memory: memory.list(limit=50, tombstoned=True, superseded=True, count=True),
    "bootstrap": lambda memory: memory.bootstrap("fix the login page", begin=False),
    "bootstrap in a domain": lambda memory: memory.bootstrap(max_tokens=500, begin=False),
    "conflicts": lambda memory: memory.conflicts(),
    "transitions": lambda memory: memory.transition_matrix().names,
    "diff": lambda memory: memory.diff(5, 11),
    "growth": lambda memory: memory.growth(),
    "stats": lambda memory: memory.stats().atoms,
}


def lived(story: Story) -> None:
    """A store with something of everything."""
    for step in (
        ("observe", ([A, B, C, D], 3, DOMAINS[0], "fix the login page", "ann")),
        ("access", ("bob", [A, B])),
        ("write down", None),
        ("access", ("bob", [C, A])),
        ("train", ([B, C, D], 2, None, None)),
        ("supersede", (B, A)),
        ("tombstone", E),
        ("end", "bob"),
        ("forget", F),
        ("revive", D),
        ("access", ("cid", [D, A, B])),
        ("end", "cid"),
    ):
        story.tell(step)
    story.memory.checkpoint(
        ["v1.fact.port = The port is 8080.", "v1.fact.other_port = The port is 9090."],
        edges=[
            {"source": A, "type": "member_of", "target": DOMAINS[0]},
            {"source": C, "type": "depends_on", "target": A},
        ],
    )


def path_of(story: Story) -> Path:
    return Path(story.memory._store.log.path)


def finish(story: Story) -> Path:
    for session in story.open.values():
        session.close()
    story.memory.close()
    return path_of(story)


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    _make_small(monkeypatch)


def _make_small(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(replay, "BATCH", 5)
    patch.setattr(upgrade, "_DELETED", 9)
    patch.setattr(upgrade, "_OBSERVED", 2)


@pytest.mark.parametrize("absent", [False, True])
@pytest.mark.parametrize("names", [*([name] for name in NAMED), list(NAMED)], ids=" ".join)
def test_every_verb_answers_the_same_without_the_views_of_the_store(names: list[str], absent: bool) -> None:  # noqa: FBT001
    with a_story() as story:
        lived(story)
        path = finish(story)
        expected = answers(path, story.clock)
        assert "older" not in str(expected)
        set_back(path, names, absent=absent)
        before = content(path)
        assert answers(path, story.clock) == expected
        assert content(path) == before


def test_answers_from_the_tables_of_an_older_version_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin: snapshots as they are, whatever versions the views have."""
    with a_story() as story:
        lived(story)
        path = finish(story)
        expected = answers(path, story.clock)
        for name in ("atoms", "edges", "words", "arcs"):  # verbs that read ask nothing else here
            set_back(path, [name], absent=True)
            with monkeypatch.context() as patch:
                patch.setattr(_Covered, "_of", lambda self, _: self._below)
                assert answers(path, story.clock) != expected, name
            open_memory(path, home=path.parent / "home", clock=story.clock, background=False).close()


def check_upgraded(story: Story, names: Sequence[str]) -> None:
    path = finish(story)
    live = content(path)
    set_back(path, names)
    told: list[tuple[int, int]] = []
    open_memory(
        path,
        home=path.parent / "home",
        clock=story.clock,
        background=False,
        progress=lambda done, total: told.append((done, total)),
    ).close()
    assert content(path) == live
    assert told == sorted(told)
    assert told[-1][0] == told[-1][1] > 0
    assert check_store(path, views=VIEWS, checks=CHECKS).damage is None
    rebuild_store(path, home=path.parent / "home", views=VIEWS)
    assert content(path) == live


@pytest.mark.usefixtures("_small")
def test_an_upgrade_ends_in_the_rows_of_a_rebuild_and_of_the_first_writing() -> None:
    with a_story() as story:
        lived(story)
        check_upgraded(story, list(NAMED))


@few(rounds(6, 1000))
@given(stories(), st.lists(st.sampled_from(sorted(NAMED)), min_size=1, unique=True))
def test_so_it_does_whatever_happened_before(steps: list[Step], names: list[str]) -> None:
    with a_story() as story, pytest.MonkeyPatch.context() as patch:
        _make_small(patch)
        for step in steps:
            story.tell(step)
        check_upgraded(story, names)


LATER = tuple(type(f"Later{type(view).__name__}", (type(view),), {"version": view.version + 1})() for view in VIEWS)
"""The views of a later program, which happens to write the same rows: so a store of today is outdated for it."""


def tables_in(log: Log) -> Content:
    with log.snapshot() as transaction:
        return {table: list(transaction.scan(table)) for view in VIEWS for table in view.tables}


def check_followed(story: Story, steps: Sequence[Step]) -> None:
    """A reader of a later version, which is open all the while, has just the rows that the writer has."""
    path = path_of(story)
    with open_log(path, home=path.parent / "home", views=LATER, read_only=True) as reader:
        for step in steps:
            story.tell(step)
            assert tables_in(reader) == tables_in(story.memory._store.log), step
        assert reader._overlay._replayed is not None


def test_a_reader_of_a_later_version_is_told_once_what_brings_the_views_up_to_date(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with a_story() as story:
        lived(story)
        check_followed(story, [("observe", ([A, D], 1, None, None, "ann"))])
    assert caplog.text.count("Type: substrate index") == 1


def test_a_reader_of_a_later_version_follows_what_is_saved_learnt_and_forgotten_meanwhile() -> None:
    with a_story() as story:
        lived(story)
        check_followed(
            story,
            [
                ("observe", ([A, D, C], 1, None, None, "ann")),
                ("observe", ([D, C], 1, None, None, "cid")),
                ("train", ([A, B], 1, None, None)),
                ("forget session", "bob"),
                ("revive", E),
                ("observe", ([D, C, B], 0, None, None, "cid")),
                ("forget", B),
                ("forget actor", "me"),
            ],
        )


@few(rounds(6, 1000))
@given(stories())
def test_so_it_does_whatever_happens(steps: list[Step]) -> None:
    with a_story() as story:
        check_followed(story, steps)
