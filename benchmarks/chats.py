"""Made-up chats between a user and an assistant, with questions about them: benchmarks/conversations.py asks them.

Facts that the user states and the reply says again, some of them changed later; what the assistant recommends; fillers;
standing instructions, and sentences that only look like one; undertakings of ten subtopics each over many weeks, of
which one subtopic is talked about most. The same from the same seed.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

__all__ = ["HELD_OUT", "SEED", "SESSIONS", "Chat", "Question", "Turn", "changing_chats", "held_out_chats", "made_chat"]

HELD_OUT: Final = "chat_texts_held_out.json"
"""Three chats in other words. They are measured on; nothing is chosen by them."""
SEED: Final = 19
SESSIONS: Final = 40
_OWN: Final = "chat_texts.json"
_CHANGES: Final = "chat_texts_changes.json"
_IN_A_CHAT: Final = 30
"""So many facts are told in a chat."""
_FILLED: Final = 0.45
"""How often an exchange is followed by fillers."""

Texts = Mapping[str, Any]
Exchange = list[tuple[str, str, str]]


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
    """Turns in order, questions about them, and the texts that both were made of."""

    turns: list[Turn]
    questions: list[Question]
    texts: Texts


def made_chat(seed: int = SEED) -> Chat:
    """The chat that rules were made with, the same for the same seed."""
    return _made(_read(_OWN), seed)


def held_out_chats(seed: int = SEED) -> list[Chat]:
    """The chats of other people, in other words."""
    told = _read(HELD_OUT)
    return [_made({**told["shared"], **chat}, seed + number) for number, chat in enumerate(told["chats"])]


def changing_chats(seed: int = SEED) -> list[Chat]:
    """The own chat with other facts, each once as stated and once as changed; and one of statements that are alike."""
    own, told = _read(_OWN), _read(_CHANGES)
    parts = [told["changes"][at : at + _IN_A_CHAT] for at in range(0, len(told["changes"]), _IN_A_CHAT)]
    facts = [turned for part in parts for turned in (part, [*part[1:], part[0]])]
    chats = [_made({**own, "facts": part}, seed + number) for number, part in enumerate(facts)]
    return [*chats, _made({**own, "facts": [], "alike": told["alike"]}, seed)]


def _read(name: str) -> Texts:
    texts: Texts = json.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
    return texts


def _made(texts: Texts, seed: int) -> Chat:
    rng = random.Random(seed)
    sessions: list[list[Exchange]] = [[] for _ in range(SESSIONS)]
    _tell_facts(rng, texts, sessions)
    _tell_alike(rng, texts, sessions)
    _tell_projects(rng, texts, sessions)
    for number, told in enumerate(texts["recommended"]):
        exchange = [("user", told["asked"], ""), ("assistant", told["answer"], f"replied {number}")]
        rng.choice(sessions).append(exchange)
    for number, rule in enumerate(texts["instructions"]):
        text = rule["text"]
        again = text[0].lower() + text[1:].rstrip(".")
        reply = rng.choice(texts["noted"]).format(again)
        sessions[2 + 4 * number].append([("user", text, f"rule {number}"), ("assistant", reply, "")])
    for said in texts["no_rules"]:
        if said["who"] != "ingested":
            rng.choice(sessions).append([(said["who"], said["text"], "no rule")])
    turns: list[Turn] = []
    for at, exchanges in enumerate(sessions):
        exchanges += [
            [("user", chat["asked"], ""), ("assistant", chat["answer"], "")] for chat in rng.sample(texts["chatter"], 2)
        ]
        rng.shuffle(exchanges)
        for exchange in exchanges:
            filled = [(who, rng.choice(texts["fillers"][who]), "filler") for who in ("user", "assistant")]
            for who, text, about in [*exchange, *(filled if rng.random() < _FILLED else ())]:
                turns.append(Turn(who, text, at, about))
    return Chat(turns, list(_questions(texts, turns)), texts)


def _tell_facts(rng: random.Random, texts: Texts, sessions: list[list[Exchange]]) -> None:
    """Each fact early on; half of them changed later; a reply comes back to most of them in another session."""
    middle = SESSIONS // 2
    for number, fact in enumerate(texts["facts"]):
        first = rng.randrange(middle)
        told = [(first, fact["said"], fact["values"][0], f"fact {number}")]
        if number % 2:
            told.append((rng.randrange(middle, SESSIONS), fact["changed"], fact["values"][1], f"changed {number}"))
        for at, said, value, about in told:
            text = rng.choice(texts["asides"]).format(said.format(value))
            reply = f"{_echo(fact, value)} {rng.choice(texts['advice'])}"
            sessions[at].append([("user", text, about), ("assistant", reply, f"echo {number}")])
        later = rng.randrange(first, middle)
        again = texts["again"].format(_echo(fact, fact["values"][0]))
        sessions[later].append([("user", rng.choice(texts["go_on"]), ""), ("assistant", again, f"echo {number}")])


def _tell_alike(rng: random.Random, texts: Texts, sessions: list[list[Exchange]]) -> None:
    """Each statement early on, and later one of the same kind about something else: it changes nothing."""
    middle = SESSIONS // 2
    for number, pair in enumerate(texts.get("alike", ())):
        stated = [("user", pair["said"], f"alike {number}"), ("assistant", pair["echo"], "")]
        other = [("user", pair["other"], f"other {number}"), ("assistant", pair["other_echo"], "")]
        sessions[rng.randrange(middle)].append(stated)
        sessions[rng.randrange(middle, SESSIONS)].append(other)


def _echo(fact: Mapping[str, str], value: str) -> str:
    return fact["echo"].replace("{}", value)


def _tell_projects(rng: random.Random, texts: Texts, sessions: list[list[Exchange]]) -> None:
    """Undertakings, their subtopics in order over the sessions; one subtopic of each comes up all the time."""
    for project, subtopics in texts["projects"].items():
        most = rng.choice(list(subtopics))
        for number, (subtopic, steps) in enumerate(subtopics.items()):
            for place, step in enumerate(steps):
                at = min(SESSIONS - 1, number * SESSIONS // len(subtopics) + place + rng.randrange(2))
                text = rng.choice(texts["steps"]).format(project, step)
                reply = texts["progress"].format(project=project, step=step, advice=rng.choice(texts["advice"]))
                about = f"{project}/{subtopic}"
                sessions[at].append([("user", text, about), ("assistant", reply, about)])
        for at in range(1, SESSIONS, 5):
            text = rng.choice(texts["asked_again"]).format(project, most)
            reply = texts["answered_again"].format(project=project, most=most)
            about = f"{project}/{most}"
            sessions[at].append([("user", text, about), ("assistant", reply, about)])


def _questions(texts: Texts, turns: Sequence[Turn]) -> Iterator[Question]:
    places: dict[str, set[int]] = {}
    for place, turn in enumerate(turns):
        if turn.about:
            places.setdefault(turn.about, set()).add(place)
    for number, fact in enumerate(texts["facts"]):
        first, then = places[f"fact {number}"], places.get(f"changed {number}")
        if then is None:
            yield Question("stated", fact["question"], frozenset(first))
            continue
        yield Question("changed", fact["question"], frozenset(then), frozenset(first))
        if "past" in fact:
            yield Question("past", fact["past"], frozenset(first))
    for number, pair in enumerate(texts.get("alike", ())):
        yield Question("alike", pair["question"], frozenset(places[f"alike {number}"]))
    for number, told in enumerate(texts["recommended"]):
        yield Question("replied", told["later"], frozenset(places[f"replied {number}"]))
    for number, rule in enumerate(texts["instructions"]):
        for text in rule["governed"]:
            yield Question("instruction", text, frozenset(places[f"rule {number}"]))
    for project in texts["projects"]:
        relevant = frozenset(
            place for about, them in places.items() if about.startswith(f"{project}/") for place in them
        )
        for text in texts["spread"]:
            yield Question("subtopics", text.format(project), relevant)
