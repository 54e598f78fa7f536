"""Looks at what a crash left, from a process of its own: a Worker of `children.py`.

Everything is checked against what was acknowledged before the crash, and roots are worked out here from the entries
alone. The answer lists every fault; an empty list is what the promises ask for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Any

import substrate
from substrate.codec import draft_put
from substrate.errors import SubstrateError
from substrate.log.copies.check import check_store
from substrate.log.log import Log, StoredEntry, open_log
from substrate.proof.entry import Kind, encode_entry
from substrate.proof.note import VerifierKey
from tests.crash.children import serve

OPEN_AND_WRITE_S = 60.0
NAME = "v1.fact.after_the_crash"


def examine(question: dict[str, Any]) -> dict[str, Any]:
    """`store`, `home`, `told`: [size, root] of each acknowledgement, `keys`: vkeys that someone trusts since earlier.

    `gone`, if given: words that must not be in any file of the store.
    """
    store, home = Path(question["store"]), Path(question["home"])
    answer: dict[str, Any] = {"faults": []}
    faults: list[str] = answer["faults"]
    began = monotonic()
    try:
        log = open_log(store, home=home)
        opened_in = monotonic() - began
        with log:
            entries = log.entries(0, 1 << 40)
            head = log.head().head
            answer |= {"size": head.size, "root": head.root.hex(), "key": str(log.key()), "envs": environments(store)}
            told = [*question["told"], [head.size, head.root.hex()]]
            faults += [*lost(entries, told), *partial(entries)]
            if len(environments(store)) != 1:
                faults.append(f"debris is left: {environments(store)}")
            began = monotonic()
            after = log.append([draft_put(NAME, "after 0 1 ")]).head.head
            if after.size != head.size + 1:
                faults.append(f"an append led from size {head.size} to {after.size}")
            if opened_in + monotonic() - began > OPEN_AND_WRITE_S:
                faults.append(f"opening took {opened_in:.1f} s, then writing {monotonic() - began:.1f} s")
            faults += distrusted(log, question.get("keys", []))
    except SubstrateError as error:
        faults.append(f"{type(error).__name__} when opening, reading or writing: {error}")
    if question.get("gone"):
        faults += [f"erased bytes are in {path}" for path in files_with(store, question["gone"].encode())]
    report = check_store(store, home=home)
    if not report.ok:
        faults.append(f"fsck: {report.damage}")
    return answer


def environments(store: Path) -> list[str]:
    return sorted(path.name for path in store.glob("env.*"))


def files_with(store: Path, words: bytes) -> list[Path]:
    return [path for path in store.rglob("*") if path.is_file() and words in path.read_bytes()]


def lost(entries: Sequence[StoredEntry], told: Sequence[Sequence[Any]]) -> Iterator[str]:
    """What was acknowledged and is not there, or is there with another root."""
    if [entry.seq for entry in entries] != list(range(len(entries))):
        yield "the seqs of the entries are not 0, 1, 2 ..."
    known = roots(entries, {size for size, _ in told})
    missing = [size for size, _ in told if size not in known]
    if missing:
        yield f"size {max(missing)} was acknowledged, {len(entries)} entries are there"
    for size, root in told:
        if size in known and known[size].hex() != root:
            yield f"at size {size} the root {root[:16]} was acknowledged, the entries say {known[size].hex()[:16]}"
            return


def roots(entries: Sequence[StoredEntry], sizes: Collection[int]) -> dict[int, bytes]:
    """The RFC 6962 root at each of the sizes that the log has reached."""
    peaks: list[bytes] = []
    found: dict[int, bytes] = {}
    for stored in entries:
        entry = stored.entry
        node = sha256(b"\x00" + encode_entry(entry.kind, entry.subject, entry.time, entry.commitment)).digest()
        n = stored.seq
        while n & 1:
            node = sha256(b"\x01" + peaks.pop() + node).digest()
            n >>= 1
        peaks.append(node)
        if stored.seq + 1 in sizes:
            root = peaks[-1]
            for peak in reversed(peaks[:-1]):
                root = sha256(b"\x01" + peak + root).digest()
            found[stored.seq + 1] = root
    return found


def partial(entries: Sequence[StoredEntry]) -> Iterator[str]:
    """Batches of `writer.py` that are not there from the first atom to the last, side by side."""
    rest: list[str] = []
    for stored in entries:
        if stored.entry.kind is not Kind.PUT or stored.opening is None:
            continue
        value = stored.opening.body.decode().partition('"value":"')[2]
        label, i, size = [*value.split(" "), "", "", ""][:3]
        expected = rest.pop(0) if rest else f"{label} 0 {size}"
        if f"{label} {i} {size}" != expected or not size.isdecimal():
            yield f"entry {stored.seq} is {label} {i} of {size}, not {expected}"
            return
        if i == "0":
            rest = [f"{label} {j} {size}" for j in range(1, int(size))]
    if rest:
        yield f"the last batch lacks {len(rest)} entries"


def distrusted(log: Log, keys: Sequence[str]) -> Iterator[str]:
    """Keys from which the log does not lead its auditor to the key in force."""
    for key in keys:
        bundle = log.prove(NAME, trusting=VerifierKey.parse(key)).to_json()
        verdict = substrate.Verifier(key=key).verify(bundle)
        if (verdict.claim, verdict.trusted) != ("current", True):
            yield f"under {key} the verdict is {verdict.claim}, trusted {verdict.trusted}"


if __name__ == "__main__":
    serve(examine)
