"""Writes `questions.jsonl`: 500 questions for search, bootstrap, predict and context, and 60 for the other verbs.

`python -m tests.before.questions FILE`. Questions by meaning ask for as many hits as stand apart from each other: the
vector of a query is not the same to the last digit on every machine, and must not decide who comes first.
"""

# ruff: noqa: E501 - queries stand in lines of their own

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

from tests.before.asking import Asker, unpack
from tests.before.texts import HABITS

Args = dict[str, Any]
APART = 0.0015
"""Scores that differ by so much stand apart."""
MOST = 8

PLAIN = """who handles our money|payment provider|refund for a broken lamp|return period|what does the Aurora cost
which database holds the orders|backup at night|where is the warehouse|how long are invoices kept|Murano glass
delete personal data of a customer|deploy on Friday|who owns checkout|port of the stock service|timeout search
Grete Holm|flicker of a lamp|brass parts Solingen|newsletter on Thursday|data protection officer
incident certificate delivery|orders and returns in week 12|Black Friday orders|invoice sent twice|one euro prices
Leuchten Größe Miete|東京の代理店|القاهرة|каталог на украинском|φωτισμός|램프|cafe|café Crémieux|naive first digit|🏮
merge sorted inputs|median of data|copy a directory tree|remove leading whitespace|temporary directory|heap queue invariant
better than ugly|never is often better than right now|Readability|lumens|salary|draft letter about repairs|Kafka orders
tabs or spaces|photos of lamps|Draco thread E14|commit messages|coffee machine|carbon dioxide parcel|two suppliers
card numbers|discount larger than forty percent|test data production|apprentice|second warehouse Rotterdam""".replace("\n", "|").split("|")  # fmt: skip
TIMED = """what is the payment provider now|the payment provider before the current one|marketing budget originally
office city over time|what happened in October 2024|incidents since January 2025|releases before July 2024
incidents last month|the latest measurement|who owned checkout previously|the first sla target|price of the Aurora in 2024
stock port before the current one|history of the search timeout|meetings in May 2024|what was decided last week
orders three weeks ago|visits in 2024|retention of invoices before|currently open conflicts about delivery""".replace("\n", "|").split("|")  # fmt: skip
FILTERED: list[Args] = [
    {"query": "a refund by the provider", "domain": "v1.domain.payments"},
    {"query": "glass and brass", "domain": "v1.domain.shop"},
    {"query": "glass and brass", "domain": "v1.domain.shop", "as_of": "2024-12-01"},
    {"query": "glass and brass", "domain": "v1.domain.shop", "valid_at": "2024-10-01"},
    {"query": "checkout team", "domain": "v1.domain.shop"},
    {"query": "discounts and banner", "domain": "v1.domain.shop", "valid_at": "2025-12-01"},
    {"query": "red telephone", "domain": "v1.domain.infra"},
    {"query": "fraud", "domain": "v1.domain.archive"},
    {"query": "fraud", "domain": "v1.domain.archive", "valid_at": "2024-07-01"},
    {"query": "anything", "domain": "v1.domain.nowhere"},
    {"query": "sorted list", "domain": "v1.domain.python", "limit": 20},
    {"query": "lamp", "type": "fact"},
    {"query": "lamp", "type": "event"},
    {"query": "lamp", "type": "note", "limit": 3},
    {"query": "sorted list", "type": "chunk"},
    {"query": "the lamp is repaired", "type": "decision"},
    {"query": "service", "prefix": "v1.fact.billing"},
    {"query": "service written in Python", "prefix": "v1.fact."},
    {"query": "price", "prefix": "v1.fact.lamp.", "limit": 20},
    {"query": "return", "prefix": "v1.procedure.python."},
    {"query": "EUR", "tags": "money"},
    {"query": "EUR", "tags": ["money", "price"]},
    {"query": "EUR", "tags": ["Money"], "limit": 30},
    {"query": "incident", "tags": "incident", "since": "2024-05-01", "until": "2024-12-31"},
    {"query": "owner", "entities": "Ada Lindholm"},
    {"query": "measured", "entities": ["Jonas", "Aurora"]},
    {"query": "visited", "entities": "grete"},
    {"query": "orders returns", "since": "2025-03-01", "until": "2025-04-01"},
    {"query": "orders returns", "since": "2025-06-01", "limit": 5, "offset": 5},
    {"query": "lamp light", "until": "2024-03-01"},
    {"query": "marketing budget", "as_of": "2024-03-20"},
    {"query": "marketing budget", "as_of": 560},
    {"query": "search timeout", "as_of": "2024-06-15T00:00:00Z"},
    {"query": "payment provider", "as_of": 300},
    {"query": "payment provider", "as_of": 660},
    {"query": "printer lift", "as_of": "2024-12-01"},
    {"query": "draft", "as_of": 700},
    {"query": "something said at lunch", "as_of": 711},
    {"query": "what does it cost", "valid_at": "2023-06-01"},
    {"query": "the Borealis costs", "valid_at": "2024-06-01"},
    {"query": "the Borealis costs", "valid_at": "2025-06-01"},
    {"query": "books about lamps", "valid_at": "2024-05-01"},
    {"query": "books about lamps"},
    {"query": "hall fitted out"},
    {"query": "hall fitted out", "valid_at": "2026-02-01"},
    {"query": "Draco thread", "valid_at": "2024-07-01"},
    {"query": "newsletter goes out", "valid_at": "2024-05-01"},
    {"query": "bulb or evening each month", "valid_at": "2025-01-01"},
    {"query": "bulb or evening each month"},
    {"query": "lamp", "source": "minutes"},
    {"query": "lamp", "source": "price list", "limit": 4},
    {"query": "return", "origin": "ingested", "limit": 6},
    {"query": "lamp", "origin": "user"},
    {"query": "lamps", "actor": "hana"},
    {"query": "target", "session": "disputes"},
    {"query": "customers order", "min_score": 0.4},
    {"query": "customers order", "min_score": 0.9},
    {"query": "customers order lamp delivery", "limit": 10, "offset": 10},
    {"query": "customers order lamp delivery", "limit": 10, "offset": 60},
    {"query": "the of and to", "limit": 5},
]
MEANT = """who takes the money from customers|somebody wants their cash back|what may never be stored about credit cards
how are mistakes in accounting fixed|the site is broken in the middle of the night|a colleague who studied light
rules for writing to clients|where do the bulbs come from|erase what we know of a person|the shop abroad
how warm does the lamp get|can I dim it|which programming language for a new program|who answers angry letters
going back to an earlier release|putting things into boxes without plastic|time off work|what to do with a new hire
how fast must the website be|pictures of products|when may we release software|keeping two vendors
sorting in Python|average of numbers|find similar strings|delete a folder with all its files|make text shorter
limits on price reductions|noise complaints by neighbours|the shop in Bavaria|fewer alarms at night
what was the busiest day|counting went wrong|parcels could not be sent|an expensive mistake with prices""".replace("\n", "|").split("|")  # fmt: skip
MEANT_FILTERED: list[Args] = [
    {"query": "getting paid", "domain": "v1.domain.payments"},
    {"query": "raw material", "domain": "v1.domain.shop"},
    {"query": "somebody to call", "domain": "v1.domain.infra"},
    {"query": "who is responsible", "type": "fact"},
    {"query": "who is responsible", "type": "entity"},
    {"query": "something went wrong", "type": "event", "since": "2024-06-01"},
    {"query": "something went wrong", "type": "event", "until": "2024-06-01"},
    {"query": "amounts of money", "tags": "price", "valid_at": "2024-06-01"},
    {"query": "how lamps are shown to buyers", "as_of": "2024-04-01"},
    {"query": "messages between programs", "prefix": "v1.fact."},
    {"query": "house rules", "type": "preference"},
    {"query": "ambitions", "type": "goal"},
    {"query": "prohibitions", "type": "constraint"},
    {"query": "text from elsewhere about statistics", "origin": "ingested"},
    {"query": "how to bring order into chaos", "type": "procedure"},
]
MEANT_TIMED = """who processed payments before the current one|how much do we spend on advertising now
failures in summer 2024|first plans for a new warehouse|what did we measure in June 2024|the latest outage
travels since July 2024|the advertising budget over time|sales last month|who led the checkout previously""".replace("\n", "|").split("|")  # fmt: skip
OBJECTIVES = [objective for _, objectives, _ in HABITS for objective in objectives] + [
    "switch the payment provider",
    "write to a customer about a repair",
    "compare v1.fact.payment_provider with v1.fact.paymnet_fees",
    "find the printer location",
    "what was in the draft_3 note",
    "Leuchten für München",
]
KEYS = [
    "fact.payment_provider",
    "procedure.refund",
    "procedure.close_books",
    "hub.checkout_team",
    "hub.suppliers",
    "entity.ada_lindholm",
    "event.incident.double_invoice",
    "fact.search.timeout",
    "decision.photos.video",
    "decision.photos.light",
    "domain.legal",
    "chunk.zen.3",
    "task.measure_eridanus",
    "fact.lamp.draco.bulb",
    "fact.marketing.newsletter_day",
    "procedure.delete_customer",
    "goal.page_speed",
    "entity.grete_holm",
    "fact.queue.engine",
    "entity.lucía_navarro",
]
OTHERS: list[tuple[str, Args]] = [
    ("list", {"prefix": "v1.fact.lamp."}),
    ("list", {"prefix": "v1.decision.", "count": True}),
    ("list", {"prefix": "v1.", "limit": 7, "after": "v1.entity.hana_sato"}),
    ("list", {"prefix": "v1.note.", "tombstoned": True, "superseded": True}),
    ("list", {"prefix": "v1.decision.photos", "superseded": True}),
    ("list", {"prefix": "v1.fact.lamp.", "valid_at": "2024-07-01"}),
    ("list", {"prefix": "v1.note.", "as_of": 709}),
    ("list", {"prefix": "v1.fact.", "limit": 5, "offset": 40, "as_of": "2024-02-01"}),
    ("list", {"prefix": "v1.state."}),
    ("history", {"name": "v1.fact.marketing.budget"}),
    ("history", {"name": "v1.fact.payment_provider", "limit": 2}),
    ("history", {"name": "v1.note.gossip"}),
    ("history", {"name": "v1.note.draft_1"}),
    ("history", {"name": "v1.note.salary"}),
    ("history", {"name": "v1.fact.lamp.aurora.price", "valid_at": "2024-07-01"}),
    ("history", {"name": "v1.task.index_at_night"}),
    ("history", {"name": "v1.nothing.here"}),
    ("edges", {"name": "v1.domain.payments"}),
    ("edges", {"name": "v1.hub.suppliers"}),
    ("edges", {"name": "v1.hub.suppliers", "valid_at": "2024-07-01", "direction": "out"}),
    ("edges", {"name": "v1.fact.payment_provider", "direction": "in"}),
    ("edges", {"name": "v1.procedure.spectrometer_setup"}),
    ("edges", {"name": "v1.fact.queue.engine", "as_of": 620}),
    ("edges", {"name": "v1.event.incident.double_invoice", "type": "references"}),
    ("edges", {"name": "v1.domain.python", "limit": 10, "offset": 5}),
    ("access", {"name": "v1.procedure.close_books"}),
    ("access", {"name": "v1.procedure.refund", "predictions": 10}),
    ("access", {"name": "v1.fact.deploy.window"}),
    ("access", {"name": "v1.procedure.stocktaking"}),
    ("access", {"name": "v1.decision.photos.light"}),
    ("access", {"name": "v1.fact.cache.engine"}),
    ("access", {"name": "v1.fact.cache.engine", "valid_at": "2024-12-31"}),
    ("access", {"name": "v1.fact.cache.engine", "valid_at": "2025-02-01"}),
    ("access", {"name": "v1.note.salary"}),
    ("access", {"name": "v1.note.draft_4"}),
    ("access", {"name": "v1.fact.office.city", "as_of": "2024-07-10"}),
    ("access", {"name": "v1.fact.lamp.draco.price", "valid_at": "2023-07-10"}),
    ("access", {"name": "v1.note.cafe\u0301"}),
    ("conflicts", {}),
    ("conflicts", {"name": "v1.fact.payment_provider"}),
    ("stale", {}),
    ("recent", {"limit": 5}),
    ("recent", {"limit": 5, "type": "event"}),
    ("recent", {"domain": "v1.domain.shop", "limit": 5}),
    ("recent", {"as_of": "2024-06-01", "limit": 5}),
    ("weigh", {"names": ["v1.fact.payment_provider", "v1.goal.conversion", "v1.procedure.stocktaking"]}),
    (
        "weigh",
        {"names": ["v1.fact.vat.rate", "v1.fact.currency", "v1.decision.ledger.cents", "v1.fact.supplier.glass"]},
    ),
    ("around", {"name": "v1.procedure.refund"}),
    ("around", {"name": "v1.fact.deploy.tool", "part": "next"}),
    ("around", {"name": "v1.decision.ledger.cents", "part": "skip", "domain": "v1.domain.payments"}),
    ("around", {"name": "v1.procedure.bank_file", "part": "episodes"}),
    ("around", {"name": "v1.procedure.bank_file", "part": "edges"}),
    ("associate", {"atoms": "v1.fact.supplier.glass"}),
    ("associate", {"atoms": ["v1.fact.legal.retention", "v1.decision.ledger.cents"], "limit": 5}),
    ("diff", {"start": 640, "stop": 660}),
    ("diff", {"start": "2025-10-01", "prefix": "v1.note."}),
    ("heads", {"limit": 6}),
    ("growth", {"parts": 8}),
    ("prove", {"name": "v1.fact.payment_provider"}),
    ("stats", {}),
]


def searches() -> Iterator[Args]:
    """By words: 60 plain, 20 with words of time, 60 with filters."""
    for query in PLAIN[:60]:
        yield {"query": query, "limit": 5}
    for query in TIMED[:20]:
        yield {"query": query, "limit": 6}
    yield from ({"limit": 6, **args} for args in FILTERED[:60])


def searches_by_meaning(asker: Asker) -> Iterator[Args]:
    """35 plain, 15 with filters, 10 with words of time: each as long as its hits stand apart."""
    asked = [{"query": query} for query in MEANT[:35]] + MEANT_FILTERED + [{"query": query} for query in MEANT_TIMED]
    for args in asked:
        found = asker.ask({"verb": "search", "args": {**args, "limit": MOST + 1}})
        scores = [hit["score"] for hit in found["items"]]
        length = next((at for at in range(1, len(scores)) if scores[at - 1] - scores[at] < APART), len(scores))
        limit = min(MOST, length - 1 if length < len(scores) else length)
        if limit < 1:
            print("no hit stands apart:", args["query"], scores)
        yield {**args, "limit": max(1, limit)}


def bootstraps() -> Iterator[Args]:
    """120: objectives by budgets and domains, and what else can be asked for."""
    budgets, domains = cycle((1200, 300, 800, 150, 3000)), cycle((None, "payments", "shop", "v1.domain.infra"))
    for objective in OBJECTIVES:
        yield {"objective": objective, "max_tokens": next(budgets)}
    for objective in OBJECTIVES:
        domain = next(domains)
        yield {"objective": objective, "max_tokens": next(budgets)} | ({} if domain is None else {"domain": domain})
    for domain in ("shop", "payments", "infra", "people", "legal", "research", "python", "archive", "nowhere"):
        yield {"domain": domain, "max_tokens": 900}
        yield {"domain": domain, "max_tokens": 250, "objective": "what is to be known here"}
    for budget in (50, 60, 80, 150, 199, 200, 399, 400, 5000):
        yield {"objective": "a customer complains and wants the money back", "max_tokens": budget}
    for objective in OBJECTIVES[::4]:
        yield {"objective": objective, "high_impact": True}
        yield {"objective": objective, "evidence_threshold": 0.5, "max_tokens": 700}
    yield from ({}, {"max_tokens": 300}, {"high_impact": True}, {"ingested": True}, {"max_tokens": 49})
    for objective in ("write a script that reads a table", "vat rate for a book", "sort a list"):
        yield {"objective": objective, "ingested": True, "domain": "python"}
        yield {"objective": objective, "ingested": True, "max_tokens": 500}
    yield {"objective": "sort a list"}
    yield {"objective": "a customer complains", "evidence_threshold": 1.5}


def predictions() -> Iterator[Args]:
    """80: after one atom, after several, by objective, by domain; and all else that can be said."""
    for _, _, habit in HABITS:
        yield {"context": habit[0]}
        yield {"context": list(habit[:2]), "k": 8}
        yield {"context": list(habit[:3]), "horizon": "session", "k": 10}
        yield {"context": list(habit[-2:]), "again": True, "floor": 0.0, "k": 6}
    for domain, objectives, _ in HABITS:
        yield {"context": [], "objective": objectives[-1], "k": 10}
        yield {"context": [], "objective": objectives[0], "domain": domain, "horizon": "session", "k": 12}
    for domain in ("shop", "payments", "infra", "v1.domain.python", "archive", "nowhere"):
        yield {"context": [], "domain": domain, "k": 10}
    yield from (
        {"context": []},
        {"context": [], "k": 20, "floor": 0.0},
        {"context": ["v1.fact.nowhere", "v1.procedure.refund"]},
        {"context": ["v1.note.draft_4", "v1.procedure.refund", "v1.fact.printer.location"]},
        {"context": "v1.note.smell"},
        {"context": "v1.decision.photos.light", "floor": 0.0},
        {"context": "v1.fact.queue.engine", "floor": 0.0},
        {"context": "v1.procedure.close_books", "floor": 0.2},
        {"context": "v1.procedure.close_books", "domain": "payments", "k": 3},
        {"context": ["v1.procedure.close_books"] * 3 + ["v1.fact.currency"], "again": True},
        {"context": "v1.fact.currency", "k": 100, "floor": 0.0},
        {"context": "v1.fact.currency", "k": 0},
        {"context": ["v1.hub.suppliers"], "floor": 0.0},
        {"context": "v1.procedure.refund.fast", "floor": 0.0},
    )


def contexts() -> Iterator[Args]:
    """100: many atoms, to one, two and three edges; of one type; at other moments; in pages."""
    for number, key in enumerate(KEYS):
        for depth in (1, 2, 3):
            limit = (100, 40, 12)[depth - 1]
            yield {"keys": f"v1.{key}", "depth": depth, "limit": limit} | (
                {"offset": 2} if number % 3 == 0 and depth == 3 else {}
            )
    kinds = ("member_of", "supersedes", "depends_on", "references", "Works on", "nothing")
    for kind in kinds:
        yield {
            "keys": [
                "v1.fact.payment_provider",
                "v1.hub.night_shift",
                "v1.decision.photos.three",
                "v1.entity.grete_holm",
            ],
            "type": kind,
            "depth": 2,
        }
    for moment in (540, 615, 640, "2025-03-01", 720):
        yield {"keys": "v1.hub.suppliers", "depth": 2, "as_of": moment}
        yield {"keys": ["v1.fact.queue.engine", "v1.preference.tabs"], "as_of": moment}
    for time in ("2024-07-01", "2025-02-01", "2025-12-24", "2026-03-01"):
        yield {"keys": "v1.hub.winter_sale", "depth": 2, "valid_at": time, "limit": 20}
        yield {"keys": ["v1.fact.lamp.draco.bulb", "v1.fact.deploy.tool", "v1.note.idea.workshop"], "valid_at": time}
        yield {"keys": "v1.domain.archive", "valid_at": time}
    for domain in ("archive", "legal", "infra", "python"):
        yield {"keys": f"v1.domain.{domain}", "limit": 15}
    yield {"keys": "v1.procedure.python.json.loads", "depth": 2, "limit": 30}
    yield {"keys": "v1.procedure.python.json.loads", "depth": 3, "limit": 10, "offset": 25}
    yield {"keys": ["v1.fact.nowhere", "v1.fact.currency", "v1.note.draft_4", "v1.fact.printer.location"]}
    yield {"keys": "v1.fact.nowhere"}
    yield {"keys": "v1.note.draft_4"}
    yield {"keys": "v1.note.salary"}
    yield {"keys": "v1.fact.currency", "depth": 4}
    yield {"keys": "v1.procedure.spectrometer_setup"}


def questions() -> Iterator[dict[str, Any]]:
    """All of them, numbered from 1."""
    with tempfile.TemporaryDirectory() as folder:
        asker = Asker(unpack(Path(folder)), by_meaning=True)
        meant = list(searches_by_meaning(asker))
        asker.memory.close()
    by_verb: list[tuple[str, Args]] = [("search", args) for args in searches()]
    by_verb += [("search by meaning", args) for args in meant]
    for verb, asked, count in (
        ("bootstrap", bootstraps, 120),
        ("predict", predictions, 80),
        ("context", contexts, 100),
    ):
        found = list(asked())
        print(verb, len(found), "of which so many are asked:", count)
        by_verb += [(verb, args) for args in found[:count]]
    for number, (verb, args) in enumerate([*by_verb, *OTHERS], 1):
        meaning = {"by_meaning": True} if "meaning" in verb else {}
        yield {"number": number, "verb": verb.split()[0], "args": args, **meaning}


if __name__ == "__main__":
    lines = [json.dumps(question, ensure_ascii=False) + "\n" for question in questions()]
    Path(sys.argv[1]).write_text("".join(lines), encoding="utf-8")
