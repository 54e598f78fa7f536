"""What search and openings make of a long chat between a user and an assistant. See docs/benchmarks.md.

    python -m benchmarks.conversations [--texts own|held-out|changes] [--forms labelled,origin,plain] [--stores FOLDER]
                                       [--json FILE] [--misses]

The chats are made up (benchmarks/chats.py), from a fixed seed: one that rules of ranking were made with, three held
out, and seven about changes that are told in other words. Figures are means over all questions. Each chat is given in
three forms: who speaks stands before the text (`user: ...`), in the atom's origin, or nowhere.
"""

from __future__ import annotations

import argparse
import json
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
from benchmarks.chats import SEED, SESSIONS, Chat, Question, Turn, changing_chats, held_out_chats, made_chat
from benchmarks.minilm import load
from benchmarks.table import Result

__all__ = ["FORMS", "Asked", "asked_of", "measured", "measured_openings"]

FORMS: Final = ("labelled", "origin", "plain")
_HITS: Final = 10
_WAIT_S: Final = 120.0
_START: Final = datetime(2024, 1, 8, 18, 0, tzinfo=UTC)
_CHATS: Final[Mapping[str, Callable[[], list[Chat]]]] = {
    "own": lambda: [made_chat()],
    "held-out": held_out_chats,
    "changes": changing_chats,
}
_GOALS: Final = {
    "stated, first hit": 80.0,
    "changed, first hit": 80.0,
    "first hit is a filler": 0.0,
    "instruction in opening": 100.0,
    "false rules in opening": 0.0,
    "subtopics of ten": 70.0,
}


class Asked(NamedTuple):
    """A question of a chat, and the places of the turns that were found."""

    chat: Chat
    question: Question
    found: list[int]

    @property
    def first(self) -> Turn | None:
        """The turn that came first."""
        return self.chat.turns[self.found[0]] if self.found else None

    @property
    def is_first(self) -> bool:
        """Whether the first hit answers."""
        return bool(self.found) and self.found[0] in self.question.relevant

    @property
    def is_found(self) -> bool:
        """Whether any hit answers."""
        return not self.question.relevant.isdisjoint(self.found)


class _Store:
    """The chat in a store, in one of the forms; made anew unless the folder has it."""

    def __init__(self, folder: Path, chat: Chat, form: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
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
    for session in range(SESSIONS):
        yield {"name": f"v1.conversation.s{session}", "value": f"Conversation {session}"}
    position = [0] * SESSIONS
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
    for number, said in enumerate(chat.texts["no_rules"]):
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


def asked_of(chat: Chat, search: Callable[[str, int], list[str]]) -> list[Asked]:
    """All questions of a chat, asked of a system."""
    return [Asked(chat, asked, [int(place) for place in search(asked.text, _HITS)]) for asked in chat.questions]


def measured(asked: Sequence[Asked]) -> dict[str, float]:
    """The figures of a system's searches, in percent."""
    of_kind = {
        kind: [one for one in asked if one.question.kind == kind]
        for kind in ("stated", "changed", "past", "alike", "replied", "instruction", "subtopics")
    }
    figures: dict[str, float] = {}
    for kind in ("stated", "changed", "past", "alike", "replied"):
        if of_kind[kind]:
            figures[f"{kind}, first hit"] = _percent(one.is_first for one in of_kind[kind])
            figures[f"{kind}, among ten"] = _percent(one.is_found for one in of_kind[kind])
    figures["changed, outdated above"] = _percent(
        _place(one.found, one.question.outdated) < _place(one.found, one.question.relevant)
        for one in of_kind["changed"]
    )
    facts = [one.first for kind in ("stated", "changed") for one in of_kind[kind]]
    figures["facts, first hit is a reply"] = _percent(first and first.who == "assistant" for first in facts)
    figures["first hit is a filler"] = _percent(one.first and one.first.about == "filler" for one in asked)
    figures["instruction in search"] = _percent(one.is_found for one in of_kind["instruction"])
    figures["subtopics of ten"] = 10 * fmean(
        len({one.chat.turns[place].about for place in one.found if place in one.question.relevant})
        for one in of_kind["subtopics"]
    )
    return figures


def measured_openings(chats: Sequence[tuple[Chat, _Store]]) -> dict[str, float]:
    """Whether openings hold the instruction that governs what they are for, and what they take for one and is none."""
    shown, false = [], set[str]()
    for chat, store in chats:
        wrong = [said["text"] for said in chat.texts["no_rules"]]
        for instruction in chat.texts["instructions"]:
            for objective in instruction["governed"]:
                rules = store.rules(objective)
                shown.append(any(instruction["text"] in rule for rule in rules))
                false.update(rule for rule in rules if any(text in rule for text in wrong))
        others = {turn.text for turn in chat.turns if not turn.about.startswith("rule")}
        rules = store.rules("plan the week")
        false.update(rule for rule in rules if rule.partition(": ")[2] in others or rule in others)
    return {"instruction in opening": _percent(shown), "false rules in opening": float(len(false))}


def _print_misses(form: str, asked: Sequence[Asked]) -> None:
    """What came first in place of an answer, where one stands first or is a miss."""
    for one in asked:
        kind, turns = one.question.kind, one.chat.turns
        if kind == "subtopics" or (one.is_found if kind == "instruction" else one.is_first):
            continue
        print(f"\n{form}, {kind}: {one.question.text} [{_place(one.found, one.question.relevant)}]")
        for place in sorted(one.question.relevant | one.question.outdated):
            print(f"    {'answer' if place in one.question.relevant else 'outdated'} {place}: {turns[place].text}")
        for place in one.found[:4]:
            print(f"  {place:4} {turns[place].who}, {turns[place].about}: {turns[place].text[:150]}")


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
    parser.add_argument("--texts", choices=tuple(_CHATS), default="own", help="which chats (default: own)")
    parser.add_argument("--forms", default=",".join(FORMS), help="which, with commas between (default: %(default)s)")
    parser.add_argument("--stores", type=Path, metavar="FOLDER", help="keep the stores there, and use those of before")
    parser.add_argument("--json", type=Path, metavar="FILE", help="save the results there too")
    parser.add_argument("--misses", action="store_true", help="show what came first where no answer did")
    parser.add_argument("--alone", action="store_true", help="without the baselines")
    arguments = parser.parse_args()
    chats = _CHATS[arguments.texts]()
    results = dict[str, dict[str, float]]()
    load()
    with tempfile.TemporaryDirectory(prefix="conversations-") as made:
        for form in arguments.forms.split(","):
            folders = [(arguments.stores or Path(made)) / f"{arguments.texts}-{at}" / form for at in range(len(chats))]
            stores = [(chat, _Store(folder, chat, form)) for chat, folder in zip(chats, folders, strict=True)]
            asked = [one for chat, store in stores for one in asked_of(chat, store.search)]
            results[form] = {**measured(asked), **measured_openings(stores)}
            if arguments.misses:
                _print_misses(form, asked)
            for _, store in stores:
                store.memory.close()
            print(form, "done", file=sys.stderr, flush=True)
    for system in () if arguments.alone else (Bm25, Dense):
        results[system.__name__] = measured(
            [one for chat in chats for one in asked_of(chat, _Baseline(system, chat).search)]
        )
    turns, questions = (sum(len(part) for part in parts) for parts in zip(*(chat[:2] for chat in chats), strict=True))
    print(f"{turns} turns in {len(chats)} chat(s), {questions} questions, seed {SEED}; percent")
    print(_table(results))
    if arguments.texts == "own":
        for form in results.keys() & set(FORMS):
            page.note(
                Result(f"conversations, {form}: {figure}", turns, results[form][figure], unit, goal)
                for figure, goal in _GOALS.items()
                for unit in ("% recall" if goal else "count",)
            )
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
