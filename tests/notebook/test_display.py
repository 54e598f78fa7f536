"""Rich display: every type of result, with the worst that can be stored in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from html.parser import HTMLParser
from importlib import import_module
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import substrate
from substrate.notebook.display import SHOWN
from substrate.notebook.display.markup import h
from substrate.notebook.provenance.record import Recorded
from substrate.notebook.provenance.sources import Step, Trail
from substrate.notebook.status import Status
from substrate.policy import DomainTier, DomainTiers
from substrate.proof.bundle import Bundle
from substrate.proof.bundle import Opening as Opened
from substrate.proof.head import Head, Pin, SignedHead
from substrate.proof.note import VerifierKey
from substrate.proof.verify import Verdict
from substrate.result import Results
from substrate.text.visible import as_number, visible
from substrate.values.atoms import Access, Atom, History, Listing, Version
from substrate.values.conflicts import Conflict, Conflicts
from substrate.values.documents import Document, Ingested, IngestedDocument
from substrate.values.edges import Edge, Edges
from substrate.values.entities import EntityEntry, EntityPage, ExtractedEntities, ExtractedEntity
from substrate.values.growth import Change, Diff, Grown, Growth, HeadAt, Heads
from substrate.values.hits import Found, Hit, Match, Matches
from substrate.values.opening import Absent, ConflictingFacts, LeftOut, Opening, OpeningAtom
from substrate.values.predictions import Prediction, Predictions, Trained
from substrate.values.relations import (
    Alike,
    Arc,
    Association,
    Associations,
    Context,
    Group,
    Grouped,
    Groups,
    Merged,
    Missing,
    PathFound,
    Reached,
)
from substrate.values.review.encryption import Encrypted, Locked, Unlocked
from substrate.values.review.fading import (
    FadingAtom,
    FadingAtoms,
    FadingCurve,
    FadingFall,
    FadingModel,
    FadingPoint,
    FadingUse,
    Promoted,
    Promotion,
    Swept,
    Touched,
    TouchedAtom,
)
from substrate.values.review.garden import Proposed, Pruned, Suspect, Tended, Tending, TendRun
from substrate.values.review.pending import Accepted, Declined, Proposal, Proposals
from substrate.values.review.stale import StaleAtom, StaleAtoms, StaleReason
from substrate.values.saved import Contradicted, Forgot, Refused, Remembered, Saved, Stats, Undone
from tests.scale import rounds

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
EARLIER = datetime(2026, 2, 1, 12, 0, tzinfo=UTC)
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</bdi></div></style><script>1</script>",
    "' onmouseover='x",
    "a\u202eb\u2066c\u200bd\ufeff\x1b[31m",
    "&lt;b&gt; &amp; &#60;",
    "]]> <!-- x",
]
TAGS = {"style", "div", "span", "table", "thead", "tbody", "tr", "th", "td", "bdi", "mark", "details", "summary"}


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[substrate.Memory]:
    """A real store, for what only a store makes."""
    folder = tmp_path_factory.mktemp("signed")
    with substrate.open(folder / "store", home=folder / "home", model="none") as memory:
        memory.checkpoint(["v1.fact.a = x"])
        yield memory


def every(text: str, memory: substrate.Memory) -> dict[str, Any]:
    """One result of each type that is shown, with the text wherever stored text can stand."""
    atom = Atom(
        text,
        text,
        tags=(text,),
        entities=(text,),
        source=text,
        actor=text,
        session=text,
        confidence=0.5,
        recorded_at=NOW,
        valid_from=NOW,
        attrs={text: text},
        superseded_by=(text,),
    )
    edge = Edge(text, text, text, label=text, dangling=("target",), recorded_at=NOW)
    grouped = Grouped(text, text, 1, text)
    prediction = Prediction(text, 0.5, {text: 0.5})
    refused = Refused(text, "code", text, text)
    proof = memory.prove("v1.fact.a")
    hostile = Bundle(
        "current",
        f"{text}\n{text}\n",
        name=text,
        entry=proof.entry,
        opening=Opened(b"", ('{"value": ' + _quoted(text) + "}").encode("utf-8", "replace")),
        map=proof.map,
    )
    head = Head(text, 1, bytes(32), bytes(32))
    key = VerifierKey(text, bytes(32))
    clash = ConflictingFacts(text, text, "value", text)
    shown = OpeningAtom(text, text, 5, (text,), 0.5, text, text, NOW, 1, 0.5, 0.5, text, text)
    model = FadingModel(text, 3.0)
    faded = FadingAtom(atom, 0.2, 1, 1.0, NOW, NOW, 1.0, text)
    results: list[Any] = [
        FadingAtoms((faded,), model, 2, more=True),
        FadingCurve(
            (FadingPoint(EARLIER, 1.0), FadingPoint(NOW, 0.2)),
            faded,
            model,
            NOW,
            (FadingUse(EARLIER, 1.0, 1, text),),
            (FadingFall(NOW, 0.15, text),),
        ),
        Swept((faded,), dry_run=True, archived=False, total=2, score_sum=0.2, surface=text),
        Touched((TouchedAtom(text, text, 0.2, 1.5, 1, 1.0),)),
        Promoted((Promotion(faded, text, text),), dry_run=False, total=2),
        Matches((Match(text, text, 0.5, text),), "close"),
        Found(
            (Hit(atom, 0.5, {text: 0.5}, (text,), text, ((0, 1),), current=False, via=(text,)),),
            text,
            meaning=text,
            cut=(text,),
        ),
        Associations((Association(atom, atom, 0.5, {text: 0.5}, text, {}),), (Missing(text, text),), text),
        Groups((Group(text, 0.9, (grouped, grouped)),), (Alike(grouped, grouped, 0.9),), 1, 2, text),
        Merged(text, text, (text,), id=text, tags=(text,), entities=(text,)),
        Tended(
            (Proposed(text, text, text, text, text, text, 0.5, text),), 1, text, tombstoned=(text,), unedged=(text,)
        ),
        Proposals(
            (
                Proposal(text, text, text, NOW, NOW, name=text, original=text),
                Proposal(text, text, text, NOW, domain=text, candidates=(Match(text, text, 0.9, text),)),
            ),
            more=True,
        ),
        Accepted(text, text, text, 1, domain=text, created=True),
        Declined(text, text, text),
        Tending((TendRun(1, text, NOW),), runs=1, last=NOW),
        Pruned((Suspect(text, text, text, text, 0.5, text, text),), text, text, 0.5, 1),
        Context(
            (edge,),
            (Reached(text, 0, text, absent=text, stale=(text,)),),
            (Arc(text, text, 0.5),),
            (Missing(text, text),),
            (text,),
        ),
        PathFound((edge,), (text, text), (text, text), ("out",), text, text, cut=(text,), ended=True),
        Predictions((prediction,), (text,), (refused,)),
        Trained((text,), 1, 1, text, text, (refused,), 5),
        atom,
        Access(atom, hostile, (text,), (prediction,)),
        Conflicts((Conflict(atom, atom, text, text, NOW),)),
        Diff((Change(text, text, "", atom, atom), Change("changed", text, "", atom, atom)), 0, 1),
        DomainTiers((DomainTier(text, text, 5),)),
        EntityPage((EntityEntry(text, text, text, text, text, (text,), 5),), next=text),
        ExtractedEntities((ExtractedEntity(text, text),), more=5),
        StaleAtoms((StaleAtom(atom, (StaleReason(text, "changed", 1, (text,), text),)),), next=text),
        Heads((HeadAt(1, bytes(32), bytes(32), text, NOW, 0, {text: 1}),), next=1),
        Growth((Grown(2, 1, 0, NOW, NOW),), text, NOW, NOW, -1, 1, 2),
        Ingested((IngestedDocument(text, text, text, text, text, 1, 1, status=text),), (refused,), domain=text),
        Document(text, text, text, text, (atom,), text, text, 1, text, NOW, 1, exact=False, edited=(text,)),
        Edges((edge,)),
        Encrypted(text, dry_run=False, atoms=1, versions=1),
        Unlocked(text, 1, 0, (text,)),
        Locked((text,)),
        Forgot(dry_run=False, atoms=1, versions=1, edges=1, traces=1, tombstoned=(text,)),
        History((Version(1, NOW, "put", atom, text), Version(2, NOW, "gap", actor=text, forgotten_by=3))),
        Listing((atom,), next=text),
        Remembered(
            range(1),
            SignedHead(head, memory.head().note),
            (text,),
            conflicts=(Contradicted(text, text, text, text),),
            name=text,
            value=text,
        ),
        Saved(
            range(1),
            SignedHead(head, memory.head().note),
            (text,),
            (text,),
            (text,),
            (text,),
            (text,),
            (text,),
            (refused,),
            (Contradicted(text, text, text, text),),
            (text,),
        ),
        Undone(
            dry_run=False,
            undone=range(1),
            tombstoned=(text,),
            unedged=(text,),
            edges=(text,),
            kept=(text,),
            imported=range(1, 2),
        ),
        Recorded(text, text, text, is_new=True, derived_from=(text,)),
        Status(
            text,
            text,
            text,
            text,
            read_only=True,
            watching=True,
            model=text,
            waiting=1,
            conflicts=1,
            stats=Stats(text, 1, 1, 1, 1, 1, 1, 1, 1, types={text: 1}),
        ),
        Trail((Step(text, 0, text, text, notebook={"code": text, "path": text}, actor=text, stale=(text,)),)),
        Opening(
            text,
            1,
            2,
            text,
            text,
            (shown,),
            conflicting_facts=(clash,),
            absent=(Absent(text, text, text),),
            left_out=LeftOut({"no_room": 1}, {text: text}),
            meaning=text,
        ),
        hostile,
        Pin(key, SignedHead(head, memory.head().note)),
        key,
        Verdict("current", False, head, text, 1, None, '{"value": ' + _quoted(text) + "}"),  # noqa: FBT003
        memory,
    ]
    return {f"{type(one).__module__}.{type(one).__name__}": one for one in results}


def _quoted(text: str) -> str:
    import json  # noqa: PLC0415

    return json.dumps(text)


class Page(HTMLParser):
    """Reads an output as a browser would: its elements, attributes and texts."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


def check(html: str) -> str:
    """The text of an output, if it is nothing but our elements around texts."""
    page = Page(html)
    assert page.open == []
    assert set(page.tags) <= TAGS
    assert page.attributes <= {"class", "title", "style"}
    text = "".join(page.texts)
    assert text == visible(text, "\n\t")
    return text


def test_every_type_has_its_twin_here(signed: substrate.Memory) -> None:
    assert set(every("x", signed)) == {f"{module}.{kind}" for module, kind in SHOWN}


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_text_in_every_type(signed: substrate.Memory, text: str) -> None:
    results = every(text, signed)
    for (module, kind), show in SHOWN.items():
        shown = check(show(results[f"{module}.{kind}"]))
        assert kind == "Memory" or visible(text, "\n\t", as_number) in shown, kind


@settings(
    max_examples=rounds(12, 500), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(text=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=50))
def test_any_text_is_text_in_every_type(signed: substrate.Memory, text: str) -> None:
    results = every(text, signed)
    for (module, kind), show in SHOWN.items():
        check(show(results[f"{module}.{kind}"]))


def test_the_check_sees_what_is_not_escaped() -> None:
    for broken in ("<div><script>1</script></div>", '<div onclick="x">a</div>', "<div>a", "<div>\u202e</div>"):
        with pytest.raises(AssertionError):
            check(broken)
    assert check(h("div", "<b>", title='"')) == "<b>"


def test_a_long_list_ends_with_how_many_more_there_are() -> None:
    many = Listing(tuple(Atom(f"v1.fact.n{at}", "x", recorded_at=NOW) for at in range(130)))
    shown = check(SHOWN["substrate.values.atoms", "Listing"](many))
    assert "… 80 more: .to_df() has all" in shown
    assert "v1.fact.n49" in shown
    assert "v1.fact.n50" not in shown


def test_a_long_value_is_shown_in_part_which_is_said() -> None:
    html = SHOWN["substrate.values.atoms", "Access"](Access(Atom("v1.fact.a", "x" * 1_000_000, recorded_at=NOW)))
    assert "of 1,000,000 characters" in check(html)
    assert len(html) < 20_000


def _uncurved() -> FadingCurve:
    faded = FadingAtom(Atom("v1.fact.a", "x", recorded_at=NOW), 0.01, 0, 1.0, NOW, NOW, 1.0)
    return FadingCurve((), faded, FadingModel("two_component", None), NOW)


EMPTY: list[tuple[Any, str]] = [
    (Associations(()), "no unexpected connection was found"),
    (Conflicts(()), "there are no open conflicts"),
    (Proposals(()), "nothing waits for you"),
    (Context(()), "no edges around it"),
    (Diff((), 0, 1), "nothing changed"),
    (Edges(()), "it has no such edges"),
    (FadingAtoms((), FadingModel("power_law", 3.0), 0), "no atoms"),
    (_uncurved(), "below every threshold"),
    (Promoted((), dry_run=True, total=0), "no note is worth promoting yet"),
    (Swept((), dry_run=True, archived=False, total=0, score_sum=0.0, surface="s"), "nothing has faded that far"),
    (Touched(()), "0 atoms touched"),
    (EntityPage(()), "there are no such entities"),
    (DomainTiers(()), "there are no domains yet"),
    (ExtractedEntities(()), "there is no name in it"),
    (Forgot(dry_run=False, atoms=0, versions=0, edges=0, traces=0), "there is nothing to erase"),
    (Found((), "q"), "nothing was found"),
    (Groups(()), "no two atoms are that much alike"),
    (Matches(()), "nothing is called so"),
    (Growth((), "time", NOW, NOW, -1, -1, 0), "nothing was added"),
    (Heads(()), "there are no such heads"),
    (History(()), "there are no such versions"),
    (Ingested(()), "there is nothing to ingest"),
    (Listing(()), "there are no such atoms"),
    (Opening("x", 1, 2), "nothing is known that would help"),
    (PathFound(()), "no path"),
    (Predictions((), ()), "nothing is likely enough to be said"),
    (StaleAtoms(()), "nothing is to be reviewed"),
    (Trained((), 1, 1), "nothing was learnt"),
    (Tended((), None, "d"), "nothing to change"),
    (Tending(()), "nobody has tended this yet"),
    (Pruned((), "d", "heuristic"), "no edge looks spurious"),
]


@pytest.mark.parametrize(("result", "said"), EMPTY, ids=lambda one: type(one).__name__)
def test_an_empty_result_says_so_in_words(result: Any, said: str) -> None:
    assert said in check(SHOWN[type(result).__module__, type(result).__name__](result))


def test_every_type_that_can_be_empty_is_tried_empty() -> None:
    tried = {type(result).__name__ for result, _ in EMPTY}
    listed = {kind for module, kind in SHOWN if issubclass(getattr(import_module(module), kind), Results)}
    assert listed - {"Trail"} <= tried  # a trail has its first step at least


def test_a_place_in_a_notebook_is_told_in_words() -> None:
    place = {"path": "~/work/analysis.ipynb", "cell": "3f2a", "execution": 12, "code": "1 + <1>"}
    attrs = {"notebook": place, "result": {"kind": "number"}}
    shown = check(SHOWN["substrate.values.atoms", "Atom"](Atom("v1.fact.a", "x", recorded_at=NOW, attrs=attrs)))
    assert "analysis.ipynb, cell 3f2a, execution 12" in shown
    assert "1 + <1>" in shown
    assert 'result: {"kind": "number"}' in shown
    assert "'cell'" not in shown
    own = check(
        SHOWN["substrate.values.atoms", "Atom"](
            Atom("v1.fact.a", "x", recorded_at=NOW, attrs={"notebook": "Moleskine"})
        )
    )
    assert "notebook: Moleskine" in own


def test_what_a_sweep_would_take_is_counted_and_says_how_to_do_it() -> None:
    faded = FadingAtom(Atom("v1.note.a", "x", recorded_at=NOW), 0.01, 0, 1.0, NOW, NOW, 1.0)
    swept = Swept((faded,), dry_run=True, archived=True, total=12, score_sum=0.1, surface="cortexgraph")
    shown = check(SHOWN["substrate.values.review.fading", "Swept"](swept))
    assert "12 notes would be put away" in shown
    assert "11 more" in shown
    assert "to do it: memory.sweep(archive=True)" in shown


def test_the_bars_of_hits_differ_where_the_scores_do() -> None:
    hits = tuple(Hit(Atom("v1.fact.a", "x", recorded_at=NOW), score) for score in (1.25, 1.0, 0.5))
    html = SHOWN["substrate.values.hits", "Found"](Found(hits, "q"))
    assert re.findall(r"width:(\d+)%", html) == ["100", "80", "40"]


def test_marks_are_where_they_belong() -> None:
    hit = Hit(Atom("v1.fact.a", "", recorded_at=NOW), 1.0, snippet="we <pay> Stripe", marks=((4, 7), (9, 15)))
    html = SHOWN["substrate.values.hits", "Found"](Found((hit,), "q"))
    assert "we &lt;<mark>pay</mark>&gt; <mark>Stripe</mark>" in html


def test_a_notebook_shows_html_and_a_terminal_the_repr(notebook: Any) -> None:
    notebook.run("%memory checkpoint v1.fact.a = <b>x</b>")
    formatter = notebook.shell.display_formatter
    formatter.active_types = ["text/plain", "text/html"]
    for line in ("list", "access v1.fact.a --proof", "search x", "status", "history v1.fact.a", "open", "diff 0"):
        shown, _ = formatter.format(notebook.run(f"%memory {line}"))
        assert "substrate-shown" in shown["text/html"]
        assert "substrate-shown" not in shown["text/plain"]
        assert "<b>x" not in shown["text/html"]
    notebook.run("%unload_ext substrate")
    shown, _ = formatter.format(notebook.shell.user_ns["_"])
    assert "substrate-shown" not in shown.get("text/html", "")
