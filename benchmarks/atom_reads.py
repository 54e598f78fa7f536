"""Reading atoms, in every way; beside raw LMDB, which reads the very rows that we read, and SQLite."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from benchmarks.atom_stores import AtomStores
from benchmarks.atom_workload import changed, linked, plain, some, tombstoned
from benchmarks.rows import Recorded, recording_rows
from benchmarks.table import Beside, Result
from benchmarks.timing import Contender, Samples, interleave, ratio
from benchmarks.workload import name_of
from substrate.memory import Memory
from substrate.values.times import to_microseconds

__all__ = ["measure_atom_growth", "measure_atom_reads", "measure_slow_reads"]

_ROUNDS, _CALLS = 40, 25
_ASKED = 250
"""Different arguments of each kind of read."""
_SLOW_ROUNDS = 10
_PAGE = 100
_ENTRIES = 1_000
"""How far back a diff goes."""
_PROOF = {100_000: 0.2e-3}
_READ = 0.3e-3
"""What a list of one atom, the edges of one and the history of one may take."""
_ACCESS = "access: p50"
_PAST = 2.0
"""How much dearer than a read of now one of the past may be."""
_GROWTH = 1.5
"""How much dearer access with proof may be at 1,000,000 than at 100,000."""
Arguments = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _Kind:
    """One kind of read. `ours` and `sqlite` get the same arguments, and each takes of them what it needs."""

    work: str
    arguments: Sequence[Arguments]
    ours: Callable[..., Any]
    sqlite: Callable[..., Any]
    agree: Callable[[Any, Any], bool]
    """Whether both answers say the same."""
    target: float | None = None
    past: bool = False
    """Whether it may cost so many times an access."""

    def recorded(self) -> list[Recorded]:
        """The rows that each of our calls reads; and both contenders are seen to say the same."""
        found = []
        for arguments in self.arguments:
            with recording_rows() as recorded:
                answer = self.ours(*arguments)
            if not self.agree(answer, self.sqlite(*arguments)):
                raise AssertionError(f"{self.work}: SQLite says something else about {arguments}")
            found.append(recorded)
        return found


def _value_agrees(ours: Any, row: Any) -> bool:  # noqa: ANN401
    return ours.value == row[5] and ours.atom.seq == row[0]


def _names_agree(ours: Any, rows: Any) -> bool:  # noqa: ANN401
    return [atom.name for atom in ours] == [row[4] for row in rows]


def _seqs_agree(ours: Any, rows: Any) -> bool:  # noqa: ANN401
    return sorted(item.seq for item in ours) == sorted(row[0] for row in rows)


def _kinds(stores: AtomStores, memory: Memory) -> list[_Kind]:
    size, sqlite = stores.size, stores.sqlite
    draw = random.Random(size)
    at = datetime.now(UTC)
    time = to_microseconds(at)

    def names(wanted: Callable[[int], bool], first: int = 0) -> list[str]:
        return [name_of(number) for number in some(_ASKED, size, wanted, first)]

    def past(wanted: Callable[[int], bool]) -> list[Arguments]:
        """Names, each with a moment at which it was there and no atom had changed yet."""
        found: list[Arguments] = []
        for number in some(_ASKED, size, wanted):
            moment = draw.choice([moment for moment in stores.moments if moment.seq > number])
            found.append((name_of(number), moment.seq, moment.time, to_microseconds(moment.time)))
        return found

    def each(names: Iterable[str]) -> list[Arguments]:
        return [(name,) for name in names]

    live, same, since = each(names(lambda number: not tombstoned(number))), past(plain), past(changed)
    # A longer number is another atom, so a name as prefix holds one atom if no longer number can follow.
    alone = each(names(plain, -(-size // 10)))
    return [
        _Kind(_ACCESS, live, memory.access, sqlite.current, _value_agrees),
        _Kind(
            "access + inclusion + currency proof: p50",
            live,
            lambda name: memory.access(name, proof=True),
            sqlite.current,
            _value_agrees,
            _PROOF.get(size),
        ),
        _Kind(
            "access as of a seq: p50",
            same,
            lambda name, seq, *_: memory.access(name, as_of=seq),
            lambda name, seq, *_: sqlite.as_of(name, seq),
            _value_agrees,
            past=True,
        ),
        _Kind(
            "access as of a time: p50",
            same,
            lambda name, _, moment, __: memory.access(name, as_of=moment),
            lambda name, _, __, time: sqlite.as_of_time(name, time),
            _value_agrees,
            past=True,
        ),
        _Kind(
            "access as of a seq, changed since: p50",
            since,
            lambda name, seq, *_: memory.access(name, as_of=seq),
            lambda name, seq, *_: sqlite.as_of(name, seq),
            _value_agrees,
            past=True,
        ),
        _Kind(
            "access as of a time, changed since: p50",
            since,
            lambda name, _, moment, __: memory.access(name, as_of=moment),
            lambda name, _, __, time: sqlite.as_of_time(name, time),
            _value_agrees,
            past=True,
        ),
        _Kind(
            "access valid at a time: p50",
            live,
            lambda name: memory.access(name, valid_at=at),
            lambda name: sqlite.valid_at(name, time),
            _value_agrees,
        ),
        _Kind(
            "list of a prefix with one atom: p50",
            alone,
            memory.list,
            lambda name: sqlite.list(name, "", _PAGE),
            _names_agree,
            _READ,
        ),
        _Kind(
            "edges of an atom with 4: p50",
            # The last group may lack some: its neighbours would be beyond the end.
            each(names(lambda number: linked(number) and number + 4 < size)),
            memory.edges,
            sqlite.edges,
            _seqs_agree,
            _READ,
        ),
        _Kind(
            "history of an atom with 3 versions: p50",
            each(names(changed)),
            memory.history,
            sqlite.history,
            _seqs_agree,
            _READ,
        ),
    ]


def measure_atom_reads(stores: AtomStores) -> list[Result]:
    """Everything that reads one atom, or a page, at exactly the size given."""
    with stores.open() as memory:
        return _measure(stores, _kinds(stores, memory), _ROUNDS, _CALLS, "us")


def measure_slow_reads(stores: AtomStores) -> list[Result]:
    """What reads many rows."""
    since, size, sqlite = stores.entries - 1 - _ENTRIES, stores.size, stores.sqlite
    pages = [("v1.fact.", name_of(number)) for number in some(_SLOW_ROUNDS, size, lambda number: number % 5 == 0)]
    with stores.open() as memory:
        kinds = [
            _Kind(
                f"list of a page of {_PAGE}: p50",
                pages,
                lambda prefix, after: memory.list(prefix, after=after, limit=_PAGE),
                lambda prefix, after: sqlite.list(prefix, after, _PAGE),
                _names_agree,
            ),
            _Kind(
                f"diff over the last {_ENTRIES:,} entries: p50",
                [()],
                lambda: memory.diff(since),
                lambda: sqlite.diff(since),
                lambda ours, rows: len(ours) == len({row[4] for row in rows[0]}) + len(rows[1]),
            ),
            _Kind(
                "stats: p50",
                [()],
                memory.stats,
                sqlite.stats,
                lambda ours, rows: [(1, ours.atoms), (2, ours.tombstoned)] == rows[0] and rows[1] == [(ours.edges,)],
            ),
        ]
        return _measure(stores, kinds, _SLOW_ROUNDS, 1, "ms")


def _measure(stores: AtomStores, kinds: Sequence[_Kind], rounds: int, calls: int, unit: str) -> list[Result]:
    contenders: dict[str, Contender] = {}
    read: dict[str, float] = {}
    for kind in kinds:
        recorded, arguments = kind.recorded(), kind.arguments
        read[kind.work] = sum(rows.rows_read for rows in recorded) / len(recorded)

        def asked(call: int, arguments: Sequence[Arguments] = arguments) -> Arguments:
            return arguments[call % len(arguments)]

        def rows(call: int, recorded: Sequence[Recorded] = recorded) -> Recorded:
            return recorded[call % len(recorded)]

        contenders |= {
            f"ours {kind.work}": Contender(lambda given, run=kind.ours: run(*given), asked),
            f"raw {kind.work}": Contender(stores.raw.read_again, rows),
            f"sqlite {kind.work}": Contender(lambda given, run=kind.sqlite: run(*given), asked),
        }
    samples = interleave(contenders, rounds, calls)
    results = [_result(stores.size, kind, samples, read[kind.work], unit) for kind in kinds]
    return results + [_past(stores.size, kind, samples) for kind in kinds if kind.past]


def _result(size: int, kind: _Kind, samples: dict[str, Samples], rows: float, unit: str) -> Result:
    ours = samples[f"ours {kind.work}"]
    labels = {"raw": f"raw LMDB, the same {rows:,.0f} rows", "sqlite": "SQLite"}
    beside = []
    for contender, label in labels.items():
        theirs = samples[f"{contender} {kind.work}"]
        beside.append(Beside(label, theirs.wall, unit, ratio(ours.wall_rounds, theirs.wall_rounds)))
    return Result(kind.work, size, ours.wall, unit, kind.target, beside, cpu=ours.cpu)


def _past(size: int, kind: _Kind, samples: dict[str, Samples]) -> Result:
    """How many times the cost of an access that of this one is."""
    ours, access = samples[f"ours {kind.work}"], samples[f"ours {_ACCESS}"]
    beside = [Beside("our access as of now", access.wall, "us")]
    work = f"{kind.work.strip().removesuffix(': p50')}, over access"
    return Result(work, size, ratio(ours.wall_rounds, access.wall_rounds), "x", _PAST, beside)


def measure_atom_growth(small: AtomStores, large: AtomStores) -> list[Result]:
    """Access with proof in two of our stores, in the same rounds."""
    with small.open() as one, large.open() as other:
        samples = interleave(
            {
                f"{stores.size:,}": Contender(
                    lambda name, memory=memory: memory.access(name, proof=True),
                    [name_of(number) for number in some(_ROUNDS * _CALLS, stores.size, plain)].__getitem__,
                )
                for stores, memory in ((small, one), (large, other))
            },
            _ROUNDS - 1,
            _CALLS,
        )
    (low, at_small), (high, at_large) = samples.items()
    growth = ratio(at_large.wall_rounds, at_small.wall_rounds)
    beside = [Beside(f"at {low}", at_small.wall, "us"), Beside(f"at {high}", at_large.wall, "us")]
    return [Result(f"access + proof: {high} over {low}", None, growth, "x", _GROWTH, beside)]
