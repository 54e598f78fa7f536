"""Makes the store of before: what one version wrote, for every later one to open and to answer from.

`python -m tests.before.make FOLDER` writes `FOLDER/store.tar.xz`. It was run once, by the version before the package
was laid out anew; to run it again makes another store, since salts and keys are drawn, and answers to be recorded
anew. It takes the public names only, and a clock of its own.

In the archive: `store`, `home` (with the signing key, which signs this one store and nothing
else), `pin.txt` and `proof.json`, both made halfway and under a key that was rotated since.
"""

from __future__ import annotations

import random
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import substrate
from substrate.clock import ManualClock
from tests.before import stated, texts
from tests.before.stated import edge

DAY = 86_400_000_000
START = 1_704_704_400_000_000
"""2024-01-08, nine o'clock."""
LEFT_OUT = ("lock.mdb", "lock", "store")
"""LMDB's table of readers, the lock beside the key, and where the store was: whoever opens the store makes them."""


STEPS = (
    "places company library edges first_sessions changes prices trainings halfway conflicts successions memberships "
    "leanings metrics second_sessions gone live_sessions forgets last_words"
)


class Maker:
    """One store, grown over twenty months."""

    def __init__(self, folder: Path) -> None:
        self.clock = ManualClock(START)
        self.chance = random.Random(20240108)
        self.folder = folder
        self.memory = substrate.open(
            folder / "store",
            home=folder / "home",
            origin="substrate-before",
            clock=self.clock,
            background=False,
            actor="ada",
        )

    def later(self, days: float = 0.0) -> None:
        self.clock.advance(int(days * DAY) + self.chance.randrange(1, 3_600_000_000))

    # -- what is said, in the order of the months ------------------------------------------------------------------

    def make(self) -> None:
        for step in STEPS.split():
            getattr(self, step)()
            self.later(18)
        print(f"the last entry is of {_iso(self.clock.time // 1_000_000)}")
        self.memory.index()
        self.memory.compact()
        self.memory.close()

    def places(self) -> None:
        domains = [{"name": f"v1.domain.{name}", "value": text} for name, text in texts.DOMAINS.items()]
        hubs = [{"name": f"v1.hub.{name}", "value": text, "origin": "user"} for name, text in texts.HUBS.items()]
        self.memory.checkpoint([*domains, *hubs], source="kick-off", session="s-000")
        self.later(1)
        people = [
            {
                "name": f"v1.entity.{name}",
                "value": text,
                "entities": [text.split(",")[0][:12].strip()],
                "origin": "user",
            }
            for name, text in texts.PEOPLE.items()
        ]
        self.memory.checkpoint(people, source="handbook")
        self.later(1)
        for name, (owner, port, timeout, language, region, purpose) in texts.SERVICES.items():
            said = {"owner": owner, "port": str(port), "timeout": timeout, "purpose": purpose}
            said["home"] = f"The {name} service is written in {language} and runs in {region}"
            atoms = [
                {"name": f"v1.fact.{name}.{what}", "value": text, "tags": ["service", what], "entities": [owner]}
                for what, text in said.items()
            ]
            self.memory.checkpoint(atoms, actor="bruno", origin="agent", source=f"services/{name}.yaml")
            self.later()

    def company(self) -> None:
        for name, text in texts.FACTS.items():
            tags = [name.partition(".")[0], *(["money"] if any(sign in text for sign in ("EUR", "%")) else [])]
            origin = ("user", "agent", None)[len(name) % 3]
            confidence = (None, 0.9, 0.6, 1.0)[len(text) % 4]
            atom = {"name": f"v1.fact.{name}", "value": text, "tags": tags, "confidence": confidence, "origin": origin}
            self.memory.checkpoint(
                [atom], session=f"s-{len(name) % 7:03}", source=("wiki", None, "mail")[len(text) % 3]
            )
            self.later(0.2)
        kinds = {
            "decision": texts.DECISIONS,
            "constraint": texts.CONSTRAINTS,
            "goal": texts.GOALS,
            "preference": texts.PREFERENCES,
            "procedure": texts.PROCEDURES,
            "task": texts.TASKS,
            "note": texts.NOTES,
        }
        for kind, said in kinds.items():
            atoms = [{"name": f"v1.{kind}.{name}", "value": text, "tags": [kind]} for name, text in said.items()]
            self.memory.checkpoint(atoms, origin="user" if kind in {"goal", "constraint"} else None, actor="chioma")
            self.later(1)
        for day, name, text in texts.EVENTS[:10]:
            self.memory.checkpoint([self._event(day, name, text)], source="minutes")
            self.later()

    def _event(self, day: str, name: str, text: str) -> Mapping[str, object]:
        named = [one for one in ("Hana", "Jonas", "Grete", "Lucía", "Farid", "Draco", "Aurora") if one in text]
        return {
            "name": f"v1.event.{name}",
            "value": text,
            "occurred_at": f"{day}T10:00:00Z",
            "tags": [name.partition(".")[0]],
            "entities": named,
        }

    def library(self) -> None:
        for part in _portions(list(texts.python_docs()), 12):
            atoms = [{"name": name, "value": text, "tags": ["python"], "origin": "ingested"} for name, text in part]
            self.memory.checkpoint(atoms, source="docs.python.org", actor="crawler")
            self.later(0.3)
        for name in ("heapq", "statistics", "difflib", "argparse"):
            whole = f"v1.document.python.{name}"
            parts = [
                {"name": f"v1.chunk.python.{name}.{at}", "value": text, "parent": whole, "position": at}
                for at, text in enumerate(texts.chunks(import_module(name), 11))
            ]
            head = {"name": whole, "value": f"What Python says about its module {name}", "attrs": {"parts": len(parts)}}
            self.memory.checkpoint([head, *parts], source=f"Lib/{name}.py", origin="ingested")
            self.later(0.3)
        lines = [
            {"name": f"v1.chunk.zen.{at}", "value": line, "parent": "v1.document.zen", "position": at}
            for at, line in enumerate(texts.ZEN)
        ]
        zen = {"name": "v1.document.zen", "value": "The Zen of Python, in part", "occurred_at": "2004-08-19"}
        self.memory.checkpoint([zen, *lines], actor="kofi")
        self.later()
        self.memory.index()  # so that the entry that names the model lies in the middle of the log

    def edges(self) -> None:
        names = [atom.name for atom in self.memory.list("v1.procedure.python.", limit=1000)]
        said = [edge(name.removeprefix("v1."), "member_of", "domain.python") for name in names]
        self.memory.checkpoint(edges=said)
        self.later()
        for domain, beginnings in stated.MEMBERS.items():
            found = [atom.name for word in beginnings for atom in self.memory.list(f"v1.fact.{word}", limit=100)]
            said = [edge(name.removeprefix("v1."), "member_of", f"domain.{domain}", origin="agent") for name in found]
            self.memory.checkpoint(edges=said)
            self.later()
        self.memory.checkpoint(edges=stated.JOINED)

    def first_sessions(self) -> None:
        self.memory.warm()  # objectives are matched by meaning from the first session on
        self.memory.observe(list(self._sessions(28, named="early")))

    def second_sessions(self) -> None:
        self.memory.observe(list(self._sessions(18, named="late")))
        client = self.memory.client("trial-agent", session="trial")
        client.observe(["v1.fact.currency", "v1.note.emoji", "v1.fact.sla.target"], objective="a trial of the agent")
        client.checkpoint(["v1.note.trial = The trial agent thinks that all lamps are lanterns"])
        client.close()

    def _sessions(self, count: int, named: str) -> Iterator[Mapping[str, object]]:
        names = [atom.name for atom in self.memory.list("v1.fact.", limit=1000)]
        for number in range(count):
            domain, objectives, habit = self.chance.choice(texts.HABITS)
            items = [name for name in habit if self.chance.random() < 0.85] or list(habit[:2])
            if self.chance.random() < 0.4:
                items.insert(self.chance.randrange(len(items) + 1), self.chance.choice(names))
            if self.chance.random() < 0.2:
                items.append(items[0])
            ago = (count - number) * DAY * 2
            at = (self.clock.time - ago) // 1_000_000
            yield {
                "items": items,
                "at": _iso(at),
                "objective": self.chance.choice(objectives) if self.chance.random() < 0.85 else None,
                "domain": f"v1.domain.{domain}" if self.chance.random() < 0.7 else None,
                "session": f"{named}-{number:02}",
            }

    def changes(self) -> None:
        for day, name, text in texts.EVENTS[10:]:
            if day < "2025":
                self.memory.checkpoint([self._event(day, name, text)], source="minutes", actor="hana")
                self.later(0.5)
        for said in stated.CHANGED:
            self.memory.checkpoint(said, source="weekly meeting", session=f"s-1{len(said):02}", actor="bruno")
            self.later(20)
        again = ["v1.fact.payment_provider", "v1.fact.currency", "v1.decision.ledger.cents", "v1.goal.conversion"]
        for number, name in enumerate(again * 3):
            value = self.memory.access(name, predictions=0, as_of=self._last()).value
            self.memory.checkpoint([f"{name} = {value}"], session=f"confirming-{number}", actor="grete")
            self.later(1)
        seen = self.memory.access("v1.fact.return_period", as_of=self._last(), predictions=0)
        new = {"name": seen.name, "value": "60 days", "valid_from": "2024-09-01", "origin": "user"}
        self.memory.checkpoint([new], expect={seen.name: seen.atom.seq})
        refined = {"name": "v1.fact.warehouse.city", "value": "Leipzig", "valid_to": "2026-03-01", "tags": ["move"]}
        self.memory.checkpoint([refined])

    def _last(self) -> int:
        return self.memory.head().head.size - 1

    def prices(self) -> None:
        periods = (("2023-01-01", "2024-01-01", 0), ("2024-01-01", "2025-01-01", 6), ("2025-01-01", None, 11))
        for lamp, price in {"aurora": 89, "borealis": 149, "cassiopeia": 420, "draco": 59, "eridanus": 119}.items():
            for start, end, more in periods:
                said = {"valid_from": start, "valid_to": end, "tags": ["price", "money"], "source": "price list"}
                value = f"The {lamp.capitalize()} costs {price + more} EUR"
                self.memory.checkpoint([{"name": f"v1.fact.lamp.{lamp}.price", "value": value, **said}])
                self.later()
        self.memory.checkpoint(stated.LIMITED)

    def trainings(self) -> None:
        for number, (domain, objectives, habit) in enumerate(texts.HABITS[:9]):
            self.memory.train(list(habit[:4]), passes=1 + number % 3, objective=objectives[0], domain=domain)
            self.later(0.5)
        self.memory.train(["v1.procedure.refund", "v1.fact.nowhere", "v1.constraint.refund_limit"], passes=9)
        self.mistake = self.memory.train(["v1.note.smell", "v1.procedure.close_books"], objective="a mistake").seq

    def halfway(self) -> None:
        (self.folder / "pin.txt").write_text(str(self.memory.pin()))
        bundle = self.memory.prove("v1.decision.ledger.cents")
        (self.folder / "proof.json").write_text(bundle.to_json())
        self.memory.rotate_key()

    def conflicts(self) -> None:
        for said in stated.DISPUTED:
            self.memory.checkpoint([said], actor="hana", origin="user", session="disputes")
            self.later(1)
        ingested = "v1.fact.vat.rate = 21%"
        self.memory.checkpoint([ingested], origin="ingested", source="someone's page")
        found = list(self.memory.conflicts(limit=100))
        print(f"{len(found)} conflicts:", *(f"{one.first.name} / {one.second.name}" for one in found), sep="\n  ")
        why: dict[str, Any] = {"reason": "asked Ada", "actor": "chioma"}
        self.memory.resolve("v1.fact.currency", "v1.decision.currency", keep="v1.fact.currency", **why)
        self.memory.resolve("v1.fact.sla.target", "v1.note.sla", **why)
        self.memory.resolve("v1.fact.stock.port", "v1.note.stock_port", keep="v1.note.stock_port", **why)

    def successions(self) -> None:
        for said in stated.SUCCESSORS:
            self.memory.checkpoint([said], origin="agent", actor="grete")
        self.later(1)
        self.memory.checkpoint(edges=stated.SUCCESSIONS)
        self.later(3)
        self.memory.checkpoint(unedges=[stated.WITHDRAWN])
        self.memory.checkpoint(tombstones=["v1.preference.tabs_new"])  # so what it superseded is in use again

    def memberships(self) -> None:
        self.memory.checkpoint(edges=stated.MEMBERSHIPS)
        self.later(2)
        self.memory.checkpoint(unedges=[stated.LEFT])

    def leanings(self) -> None:
        tagged = {"tags": ["goals"], "origin": "user"}
        self.memory.checkpoint(
            [
                {"name": "v1.fact.vision", "value": "Nobody throws a lamp away any more", **tagged},
                {
                    "name": "v1.fact.rule_of_thumb",
                    "value": "Ten lumens for each letter of a page",
                    "tags": ["constraint"],
                },
                "v1.note.doubled = Log lines must not contain names, addresses or mail addresses of customers",
            ],
            edges=stated.LEANINGS,
        )
        self.later(4)
        self.memory.checkpoint(["v1.fact.search.timeout = 400 ms", "v1.fact.payment_provider = Mollie"], actor="esra")
        self.later(2)
        self.memory.checkpoint(["v1.fact.payment_provider = Stripe"], actor="esra", origin="user")
        task = "v1.task.basket_tests"
        self.memory.checkpoint(["v1.note.tests = Two vouchers in one basket are refused, which is right"], task=task)

    def metrics(self) -> None:
        for week in range(1, 33):
            orders, back = 380 + self.chance.randrange(120), self.chance.randrange(6, 22)
            atom = {
                "name": f"v1.metric.orders.2025_w{week:02}",
                "value": f"In week {week} of 2025 there were {orders} orders and {back} returns",
                "occurred_at": _iso(1_735_776_000 + week * 7 * 86_400),
                "tags": ["metric", "week"],
                "attrs": {"orders": orders, "returns": back},
            }
            self.memory.checkpoint([atom], origin="agent", actor="reporter", source="warehouse export")
            self.later(4)
        for day, name, text in texts.EVENTS[10:]:
            if day > "2025":
                self.memory.checkpoint([self._event(day, name, text)], source="minutes", actor="hana")

    def gone(self) -> None:
        atoms = [f"v1.note.draft_{at} = Draft number {at} of the letter about repairs, not sent" for at in range(6)]
        self.memory.checkpoint(atoms, source="drafts", actor="farid")
        self.later(1)
        self.memory.checkpoint(tombstones=["v1.note.draft_0", "v1.note.draft_1", "v1.fact.printer.location"])
        ended = {"name": "v1.fact.cache.engine", "occurred_at": "2025-01-01", "source": "post mortem"}
        self.memory.checkpoint(tombstones=[ended, "v1.task.index_at_night", "v1.decision.warehouse.robots"])
        self.later(1)
        revived = [
            "v1.note.draft_1 = The letter about repairs was sent after all",
            "v1.task.index_at_night = Done twice",
        ]
        self.memory.checkpoint(revived, actor="farid")

    def live_sessions(self) -> None:
        for number in range(14):
            domain, objectives, habit = texts.HABITS[number % len(texts.HABITS)]
            objective = objectives[number % len(objectives)]
            with self.memory.session(objective, domain=domain, name=f"live-{number:02}") as session:
                session.bootstrap(max_tokens=400)
                for name in habit[number % 2 :]:
                    session.access(name)
                    self.later()
                if number == 5:
                    session.train(list(habit[:3]), passes=2)
            self.later(1)
        with self.memory.session("nobody shall learn this", observe=False) as session:
            session.access("v1.note.smell")

    def forgets(self) -> None:
        salary = {"name": "v1.note.salary", "value": "Something that was not meant for here", "tags": ["people"]}
        secret: list[Any] = [salary, "v1.note.gossip = Something that was said about a supplier at lunch"]
        self.memory.checkpoint(secret, edges=[edge("note.salary", "references", "entity.kofi_mensah")])
        self.memory.checkpoint(["v1.note.gossip = Something else that was said at lunch"], source="lunch")
        self.later(1)
        forgotten: tuple[dict[str, Any], ...] = (
            {"names": "v1.note.salary"},
            {"source": "lunch"},
            {"source": "drafts"},
            {"actor": "trial-agent"},
            {"session": "early-03"},
            {"seqs": range(self.mistake, self.mistake + 1)},
        )
        for said in forgotten:
            print(said, self.memory.forget(**said))
            self.later(1)

    def last_words(self) -> None:
        self.memory.checkpoint(stated.LAST)
        self.memory.checkpoint(["v1.note.salary = This is said anew under a name that was forgotten"], actor="ines")


def _portions(items: list[tuple[str, str]], size: int) -> Iterator[list[tuple[str, str]]]:
    for at in range(0, len(items), size):
        yield items[at : at + size]


def _iso(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def pack(folder: Path, archive: Path) -> None:
    """All that later versions are given."""

    def kept(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        return None if Path(entry.name).name in LEFT_OUT and entry.isfile() else entry

    with tarfile.open(archive, "w:xz", preset=9) as made:
        for name in ("store", "home", "pin.txt", "proof.json", "answers.json"):
            if (folder / name).exists():
                made.add(folder / name, name, filter=kept)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made_in:
        maker = Maker(Path(made_in))
        maker.make()
        with substrate.open(Path(made_in) / "store", read_only=True, model="none") as memory:
            print(memory.stats())
        pack(Path(made_in), Path(sys.argv[1]) / "store.tar.xz")
