"""What search and openings make of a long chat between a user and an assistant. See docs/benchmarks.md.

    python -m benchmarks.conversations [--forms labelled,origin,plain] [--stores FOLDER] [--json FILE]

The chat is made up, from a fixed seed: facts that the user states and the reply says again, some of them changed later;
what the assistant recommends; fillers; standing instructions, and sentences that only look like one; three undertakings
of ten subtopics each over many weeks, of which one subtopic is talked about most. It is given in three forms: who
speaks stands before the text (`user: ...`), in the atom's origin, or nowhere.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean
from typing import Final, NamedTuple

import substrate
from benchmarks import page
from benchmarks.baselines import Bm25, Dense
from benchmarks.minilm import load
from benchmarks.table import Result

__all__ = ["FORMS", "Chat", "Question", "Turn", "made_chat"]

FORMS: Final = ("labelled", "origin", "plain")
_TEXTS: Final = json.loads(Path(__file__).with_name("chat_texts.json").read_text(encoding="utf-8"))
_FACTS: Final = _TEXTS["facts"]
"""Something about the user that may change: what is asked, how it is said, said again by the reply, and changed."""
_SEED: Final = 19
_SESSIONS: Final = 40
_FILLED: Final = 0.45
"""How often an exchange is followed by fillers."""
_HITS: Final = 10
_WAIT_S: Final = 120.0
_START: Final = datetime(2024, 1, 8, 18, 0, tzinfo=UTC)
_GOALS: Final = {
    "stated, first hit": 80.0,
    "changed, first hit": 80.0,
    "first hit is a filler": 0.0,
    "instruction in opening": 100.0,
    "false rules in opening": 0.0,
    "subtopics of ten": 70.0,
}


class Turn(NamedTuple):
    """What somebody says in a session. `about`: the fact, the filler, the subtopic ... that it is."""

    who: str
    text: str
    session: int
    about: str


class Question(NamedTuple):
    """A question, the places of the turns that answer it, and of those that did once."""

    kind: str
    text: str
    relevant: frozenset[int]
    outdated: frozenset[int] = frozenset()


class Chat(NamedTuple):
    """Turns in order, and questions about them."""

    turns: list[Turn]
    questions: list[Question]


# -- making it ---------------------------------------------------------------------------------------------------------


def made_chat(seed: int = _SEED) -> Chat:
    """The chat, the same for the same seed."""
    rng = random.Random(seed)
    sessions: list[list[list[tuple[str, str, str]]]] = [[] for _ in range(_SESSIONS)]
    _tell_facts(rng, sessions)
    _tell_projects(rng, sessions)
    for number, told in enumerate(_TEXTS["recommended"]):
        exchange = [("user", told["asked"], ""), ("assistant", told["answer"], f"replied {number}")]
        rng.choice(sessions).append(exchange)
    for number, rule in enumerate(_TEXTS["instructions"]):
        text = rule["text"]
        again = text[0].lower() + text[1:].rstrip(".")
        reply = rng.choice(("Understood, noted: {}.", "Of course! I will keep in mind: {}.", "Sure, {}, as you wish."))
        sessions[2 + 4 * number].append([("user", text, f"rule {number}"), ("assistant", reply.format(again), "")])
    for said in _TEXTS["no_rules"]:
        if said["who"] != "ingested":
            rng.choice(sessions).append([(said["who"], said["text"], "no rule")])
    turns: list[Turn] = []
    for at, exchanges in enumerate(sessions):
        exchanges += [
            [("user", chat["asked"], ""), ("assistant", chat["answer"], "")]
            for chat in rng.sample(_TEXTS["chatter"], 2)
        ]
        rng.shuffle(exchanges)
        for exchange in exchanges:
            filled = [(who, rng.choice(_TEXTS["fillers"][who]), "filler") for who in ("user", "assistant")]
            for who, text, about in [*exchange, *(filled if rng.random() < _FILLED else ())]:
                turns.append(Turn(who, text, at, about))
    return Chat(turns, list(_questions(turns)))


def _tell_facts(rng: random.Random, sessions: list[list[list[tuple[str, str, str]]]]) -> None:
    """Each fact early on; half of them changed later; a reply comes back to most of them in another session."""
    middle = _SESSIONS // 2
    for number, fact in enumerate(_FACTS):
        first = rng.randrange(middle)
        told = [(first, fact["said"], fact["values"][0], f"fact {number}")]
        if number % 2:
            told.append((rng.randrange(middle, _SESSIONS), fact["changed"], fact["values"][1], f"changed {number}"))
        for at, said, value, about in told:
            text = rng.choice(_TEXTS["asides"]).format(said.format(value))
            reply = f"{fact['echo'].format(*[value] * fact['echo'].count('{}'))} {rng.choice(_TEXTS['advice'])}"
            sessions[at].append([("user", text, about), ("assistant", reply, f"echo {number}")])
        later = rng.randrange(first, middle)
        again = (
            f"Coming back to what you told me: {fact['echo'].format(*[fact['values'][0]] * fact['echo'].count('{}'))}"
        )
        asked = rng.choice(("Any other ideas for the weekend?", "What else should I think of?", "Can you go on?"))
        sessions[later].append([("user", asked, ""), ("assistant", again, f"echo {number}")])


def _echo(fact: Mapping[str, str], value: str) -> str:
    return fact["echo"].replace("{}", value)


def _advice(rng: random.Random) -> str:
    advice: str = rng.choice(_TEXTS["advice"])
    return advice


def _tell_projects(rng: random.Random, sessions: list[list[list[tuple[str, str, str]]]]) -> None:
    """Three undertakings, their subtopics in order over the sessions; one subtopic of each comes up all the time."""
    for project, subtopics in _TEXTS["projects"].items():
        most = rng.choice(list(subtopics))
        for number, (subtopic, steps) in enumerate(subtopics.items()):
            for place, step in enumerate(steps):
                at = min(_SESSIONS - 1, number * _SESSIONS // len(subtopics) + place + rng.randrange(2))
                text = rng.choice(
                    ("For the {0}, I {1} today.", "I {1} for my {0}.", "Small step: I {1}. The {0} grows.")
                )
                reply = (
                    f"Great progress on your {project}! That you {step} will pay off. {rng.choice(_TEXTS['advice'])}"
                )
                about = f"{project}/{subtopic}"
                sessions[at].append([("user", text.format(project, step), about), ("assistant", reply, about)])
        for at in range(1, _SESSIONS, 5):
            text = rng.choice(
                (
                    "My {0} project again: what do people usually get wrong with the {1}?",
                    "How is the {1} of a {0} done in order, and what parts does a {0} project have?",
                    "I keep thinking about the {1} of the {0} project, what did we say about it?",
                )
            )
            reply = (
                f"With the {most} of a {project} project, take your time: most people rush the {most} and regret it."
            )
            about = f"{project}/{most}"
            sessions[at].append([("user", text.format(project, most), about), ("assistant", reply, about)])


def _questions(turns: Sequence[Turn]) -> Iterator[Question]:
    places: dict[str, set[int]] = {}
    for place, turn in enumerate(turns):
        if turn.about:
            places.setdefault(turn.about, set()).add(place)
    for number, fact in enumerate(_FACTS):
        first, then = places[f"fact {number}"], places.get(f"changed {number}")
        if then is None:
            yield Question("stated", fact["question"], frozenset(first))
        else:
            yield Question("changed", fact["question"], frozenset(then), frozenset(first))
    for number, told in enumerate(_TEXTS["recommended"]):
        yield Question("replied", told["later"], frozenset(places[f"replied {number}"]))
    for number, rule in enumerate(_TEXTS["instructions"]):
        for text in rule["governed"]:
            yield Question("instruction", text, frozenset(places[f"rule {number}"]))
    for project in _TEXTS["projects"]:
        relevant = frozenset(
            place for about, them in places.items() if about.startswith(f"{project}/") for place in them
        )
        for text in (
            f"In what order did I go about the parts of my {project} project?",
            f"Summarise how my {project} project went.",
            f"List all the things I did for the {project}.",
            f"How many different parts of the {project} project did I tell you about?",
        ):
            yield Question("subtopics", text, relevant)


# -- asking ------------------------------------------------------------------------------------------------------------


class _Store:
    """The chat in a store, in one of the forms; made anew unless the folder has it."""

    def __init__(self, folder: Path, chat: Chat, form: str) -> None:
        there = (folder / "store").exists()
        self.memory = substrate.open(folder / "store", home=folder / "home")
        if not there:
            self.memory.checkpoint(list(_atoms(chat, form)))
            self.memory.index()

    def search(self, query: str, count: int) -> list[str]:
        """Ids of the turns found."""
        found = self.memory.search(query, type="turn", limit=count, wait=_WAIT_S)
        return [hit.name.rpartition(".t")[2] for hit in found]

    def rules(self, objective: str) -> list[str]:
        """What an opening shows as rules."""
        opening = self.memory.bootstrap(objective, max_tokens=1200, begin=False)
        return [str(atom.value) for atom in (*opening.goals, *opening.constraints, *opening.preferences)]


def _atoms(chat: Chat, form: str) -> Iterator[dict[str, object]]:
    for session in range(_SESSIONS):
        yield {"name": f"v1.conversation.s{session}", "value": f"Conversation {session}"}
    position = [0] * _SESSIONS
    for place, turn in enumerate(chat.turns):
        at = _START + timedelta(days=3 * turn.session, seconds=30 * position[turn.session])
        atom: dict[str, object] = {
            "name": f"v1.turn.t{place}",
            "value": _text(turn, form),
            "occurred_at": at.isoformat(),
            "parent": f"v1.conversation.s{turn.session}",
            "position": position[turn.session],
        }
        if form == "origin":
            atom["origin"] = "user" if turn.who == "user" else "agent"
        position[turn.session] += 1
        yield atom
    for number, said in enumerate(_TEXTS["no_rules"]):
        if said["who"] == "ingested":
            yield {"name": f"v1.note.n{number}", "value": said["text"], "origin": "ingested"}


def _text(turn: Turn, form: str) -> str:
    return f"{turn.who}: {turn.text}" if form == "labelled" else turn.text


class _Baseline:
    """A system of benchmarks/baselines.py over the labelled form."""

    def __init__(self, made: Callable[[str], Bm25 | Dense], chat: Chat) -> None:
        self._system = made("")
        self._system.add(
            [
                {"id": str(place), "text": _text(turn, "labelled"), "session": str(turn.session), "timestamp": None}
                for place, turn in enumerate(chat.turns)
            ]
        )

    def search(self, query: str, count: int) -> list[str]:
        """Ids of the turns found."""
        return self._system.search(query, count)


def measured(chat: Chat, search: Callable[[str, int], list[str]]) -> dict[str, float]:
    """The figures of a system's searches, in percent."""
    hits = {question: [int(place) for place in search(question.text, _HITS)] for question in chat.questions}
    of_kind = {
        kind: [(question, found) for question, found in hits.items() if question.kind == kind]
        for kind in ("stated", "changed", "replied", "instruction", "subtopics")
    }
    figures: dict[str, float] = {}
    for kind in ("stated", "changed", "replied"):
        figures[f"{kind}, first hit"] = _percent(
            found[:1] and found[0] in asked.relevant for asked, found in of_kind[kind]
        )
        figures[f"{kind}, among ten"] = _percent(not asked.relevant.isdisjoint(found) for asked, found in of_kind[kind])
    figures["changed, outdated above"] = _percent(
        _place(found, asked.outdated) < _place(found, asked.relevant) for asked, found in of_kind["changed"]
    )
    facts = [found for kind in ("stated", "changed") for _, found in of_kind[kind]]
    figures["facts, first hit is a reply"] = _percent(bool(f) and chat.turns[f[0]].who == "assistant" for f in facts)
    figures["first hit is a filler"] = _percent(bool(f) and chat.turns[f[0]].about == "filler" for f in hits.values())
    figures["instruction in search"] = _percent(
        not asked.relevant.isdisjoint(found) for asked, found in of_kind["instruction"]
    )
    figures["subtopics of ten"] = 10 * fmean(
        len({chat.turns[place].about for place in found if place in asked.relevant})
        for asked, found in of_kind["subtopics"]
    )
    return figures


def measured_openings(chat: Chat, store: _Store) -> dict[str, float]:
    """Whether openings hold the instruction that governs what they are for, and what they take for one and is none."""
    wrong = [said["text"] for said in _TEXTS["no_rules"]]
    shown, false = [], set[str]()
    for instruction in _TEXTS["instructions"]:
        for objective in instruction["governed"]:
            rules = store.rules(objective)
            shown.append(any(instruction["text"] in rule for rule in rules))
            false.update(rule for rule in rules if any(text in rule for text in wrong))
    others = {turn.text for turn in chat.turns if not turn.about.startswith("rule")}
    false.update(rule for rule in store.rules("plan the week") if rule.partition(": ")[2] in others or rule in others)
    return {"instruction in opening": _percent(shown), "false rules in opening": float(len(false))}


def _percent(shares: Iterator[object] | Sequence[object]) -> float:
    return 100 * fmean(bool(share) for share in shares)


def _place(found: Sequence[int], wanted: frozenset[int]) -> int:
    return next((at for at, place in enumerate(found) if place in wanted), len(found))


def _table(results: Mapping[str, Mapping[str, float]]) -> str:
    systems = list(results)
    lines = [f"{'':30}{'goal':>10}" + "".join(f"{system:>12}" for system in systems)]
    for figure in next(iter(results.values())):
        cells = (
            f"{results[system][figure]:12.1f}" if figure in results[system] else f"{'-':>12}" for system in systems
        )
        lines.append(f"{figure:30}{_GOALS.get(figure, '-'):>10}" + "".join(cells))
    return "\n".join(lines)


def main() -> None:
    """Ask all questions of each form, and print one table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.conversations", description=__doc__.splitlines()[0])
    parser.add_argument("--forms", default=",".join(FORMS), help="which, with commas between (default: %(default)s)")
    parser.add_argument("--stores", type=Path, metavar="FOLDER", help="keep the stores there, and use those of before")
    parser.add_argument("--json", type=Path, metavar="FILE", help="save the results there too")
    arguments = parser.parse_args()
    chat, results = made_chat(), dict[str, dict[str, float]]()
    load()
    with tempfile.TemporaryDirectory(prefix="conversations-") as made:
        for form in arguments.forms.split(","):
            print(f"{form}: {len(chat.turns)} turns", file=sys.stderr, flush=True)
            folder = (arguments.stores or Path(made)) / form
            folder.mkdir(parents=True, exist_ok=True)
            store = _Store(folder, chat, form)
            results[form] = {**measured(chat, store.search), **measured_openings(chat, store)}
            store.memory.close()
    for system in (Bm25, Dense):
        results[system.__name__] = measured(chat, _Baseline(system, chat).search)
    print(f"{len(chat.turns)} turns, {len(chat.questions)} questions, seed {_SEED}; percent")
    print(_table(results))
    for form in results.keys() & set(FORMS):
        page.note(
            Result(f"conversations, {form}: {figure}", len(chat.turns), results[form][figure], unit, goal)
            for figure, goal in _GOALS.items()
            for unit in ("% recall" if goal else "count",)
        )
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
