"""Proving, verifying, reading and opening; beside raw LMDB, the hashes alone, one Ed25519 verification, and SQLite."""

from __future__ import annotations

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from benchmarks.hashing import recording
from benchmarks.peers_sqlite import SqliteLog
from benchmarks.raw_lmdb import RawLmdb
from benchmarks.stores import Stores, proof_keys
from benchmarks.table import Beside, Result
from benchmarks.timing import Contender, Samples, interleave, ratio
from benchmarks.workload import name_of, some_numbers
from substrate import Verifier
from substrate.log.log import Log
from substrate.log.tables import BODIES, HEADS, TABLES, seq_key

__all__ = ["measure_growth", "measure_opening", "measure_reads"]

_ROUNDS, _CALLS = 40, 25
_OPENS = 20
_PROOF = {100_000: 0.15e-3, 1_000_000: 1.5 * 0.15e-3}
_GROWTH = 1.5
"""How much dearer a proof may be at 1,000,000 than at 100,000."""
_VERIFY_COLD, _VERIFY_WARM = 0.35e-3, 0.1e-3
_OPEN = {100_000: 50e-3}


def _beside(samples: dict[str, Samples], ours: str, what: dict[str, str], unit: str = "us") -> list[Beside]:
    mine = samples[ours].wall_rounds
    return [
        Beside(label, samples[name].wall, unit, ratio(mine, samples[name].wall_rounds)) for name, label in what.items()
    ]


def measure_reads(stores: Stores) -> list[Result]:
    """Everything that leaves the store as it is."""
    with stores.open() as log:
        return _measure_proofs(stores, log) + _measure_verifying(stores, log)


def _measure_proofs(stores: Stores, log: Log) -> list[Result]:
    asked = some_numbers(_ROUNDS * _CALLS, stores.records)

    def number(call: int) -> int:
        return asked[call % len(asked)]

    def name(call: int) -> str:
        return name_of(number(call))

    def access(name: str) -> object:
        record = log.record(name)
        return None if record is None else log.entry(record.seq)

    with recording() as hashes:
        log.prove(name(0))
    rows = sum(len(keys) for keys in proof_keys(stores, number(0)).values())
    samples = interleave(
        {
            "prove": Contender(log.prove, name),
            "json": Contender(lambda name: log.prove(name).to_json(), name),
            "access": Contender(access, name),
            "extended": Contender(lambda _: log.prove_extended(stores.half)),
            "row": Contender(lambda at: stores.full.get(BODIES, at), lambda call: seq_key(number(call) + 1)),
            "rows": Contender(stores.full.get_many, lambda call: proof_keys(stores, number(call))),
            "hashes": Contender(hashes.compute),
            "sqlite": Contender(stores.sqlite.current, name),
        },
        _ROUNDS,
        _CALLS,
    )
    row, same, sqlite = (
        {"row": "raw LMDB, get 1 row"},
        {"rows": f"raw LMDB, get the same {rows} rows"},
        {"sqlite": "SQLite, by name"},
    )
    alone = {"hashes": f"its hashes alone ({hashes})"}
    size = stores.size
    return [
        Result(
            "inclusion + currency proof: p50",
            size,
            samples["prove"].wall,
            "us",
            _PROOF.get(size),
            _beside(samples, "prove", same | row | alone),
            {"cpu": samples["prove"].cpu},
        ),
        Result("  and as JSON: p50", size, samples["json"].wall, "us", None, _beside(samples, "json", same)),
        Result(
            "access by name, no proof: p50",
            size,
            samples["access"].wall,
            "us",
            None,
            _beside(samples, "access", row | sqlite),
        ),
        Result(
            "consistency proof from half: p50",
            size,
            samples["extended"].wall,
            "us",
            None,
            _beside(samples, "extended", row),
        ),
    ]


def _measure_verifying(stores: Stores, log: Log) -> list[Result]:
    asked = some_numbers(200, stores.records)
    texts = [log.prove(name_of(number)).to_json() for number in asked]
    vkey, head = str(log.key()), log.head()
    public = Ed25519PublicKey.from_public_bytes(log.key().public)
    signature, signed = head.note.signatures[0].signature, head.note.text.encode()
    known = Verifier(key=vkey)
    if not all(known.verify(text).trusted for text in texts):
        raise AssertionError("a bundle did not verify")
    with recording() as hashes:
        known.verify(texts[0])

    def text(call: int) -> str:
        return texts[call % len(texts)]

    samples = interleave(
        {
            "cold": Contender(lambda text: Verifier(key=vkey).verify(text), text),
            "warm": Contender(known.verify, text),
            "ed25519": Contender(lambda _: public.verify(signature, signed)),
            "hashes": Contender(hashes.compute),
        },
        _ROUNDS,
        _CALLS,
    )
    one, alone = {"ed25519": "one Ed25519 verification"}, {"hashes": f"its hashes alone ({hashes})"}
    size = stores.size
    cold, warm = samples["cold"].wall, samples["warm"].wall
    return [
        Result("verify a bundle, cold: p50", size, cold, "us", _VERIFY_COLD, _beside(samples, "cold", one | alone)),
        Result("verify a bundle, head known: p50", size, warm, "us", _VERIFY_WARM, _beside(samples, "warm", alone)),
    ]


def measure_opening(stores: Stores) -> list[Result]:
    """Opening, in a process that has opened such a store before. Every contender's store is closed meanwhile."""

    def raw(_: int) -> RawLmdb:
        opened = RawLmdb(stores.full_path, TABLES)
        opened.get(HEADS, seq_key(stores.size))
        return opened

    def sqlite(_: int) -> SqliteLog:
        opened = SqliteLog(stores.sqlite_path)
        opened.current(name_of(0))
        return opened

    stores.close()
    samples = interleave(
        {
            "ours": Contender(lambda _: stores.open(), after=lambda log: log.close()),
            "lmdb": Contender(raw, after=RawLmdb.close),
            "sqlite": Contender(sqlite, after=SqliteLog.close),
        },
        _OPENS,
        warm_up=2,
    )
    what = {"lmdb": "raw LMDB, open and get 1 row", "sqlite": "SQLite, open and get 1 row"}
    ours = samples["ours"].wall
    return [
        Result(
            "open the store: wall p50",
            stores.size,
            ours,
            "ms",
            _OPEN.get(stores.size),
            _beside(samples, "ours", what, "ms"),
        )
    ]


def measure_growth(small: Stores, large: Stores) -> list[Result]:
    """The same proof in two of our stores, in the same rounds: the machine need not be equally fast at both sizes."""
    with small.open() as one, large.open() as other:
        samples = interleave(
            {
                f"{stores.size:,}": Contender(
                    log.prove,
                    [name_of(number) for number in some_numbers(_ROUNDS * _CALLS, stores.records)].__getitem__,
                )
                for stores, log in ((small, one), (large, other))
            },
            _ROUNDS - 1,
            _CALLS,
        )
    (low, at_small), (high, at_large) = samples.items()
    growth = ratio(at_large.wall_rounds, at_small.wall_rounds)
    beside = [Beside(f"at {low}", at_small.wall, "us"), Beside(f"at {high}", at_large.wall, "us")]
    return [Result(f"proof: {high} over {low}", None, growth, "x", _GROWTH, beside)]
