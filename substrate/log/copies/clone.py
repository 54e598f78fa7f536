"""A whole store as JSON Lines, and back: a clone has the same seqs, salts, roots and signed heads.

    {"substrate":1,"kind":"full","origin":...,"map_salt":b64,"size":n}
    {"seq":0,"entry":b64,"salt":b64,"body":"..."}     for each entry; salt and body are null if they were erased
    {"head":"<the signed note>"}                      right after the last entry that it covers
    {"trace":"<table>","key":b64,"value":b64}         what is durable, but not proven
    {"domain":b64,"wrapped":b64}                      the key of an encrypted domain, by the id of its atom
    {"end":<number of lines before>,"digest":hex}     SHA-256 over these lines, each with its newline

Lines are compact JSON in UTF-8, spelled by `line_text`, of at most 16 MiB. Bodies are text and keep their exact bytes.
Whoever has the file can recompute the digest: it shows that a file was cut off or damaged, and guards the traces no
further. All else is held by commitments, roots and signatures; a domain's key by its own tag.

A store without encrypted domains is written in format 1, which has no such keys; with them, it is format 2.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final, TypeAlias

from substrate.errors import FormatTooNew, InputError, ProofInvalid, StoreDamaged
from substrate.files import bounded_lines, expanded, resolved
from substrate.kv.api import MAX_KEY, ReadTransaction, Store
from substrate.kv.open import make_store
from substrate.limits import LIMITS, check_size
from substrate.log.copies.contents import walk
from substrate.log.copies.rebuild import Growth, derive
from substrate.log.decode import checked_body, stored, stored_entry
from substrate.log.heads import departs, key_in_force, map_salt, require_head
from substrate.log.keys.keyring import Keyring
from substrate.log.keys.origin import write_origin
from substrate.log.replay import BATCH, Check, View
from substrate.log.tables import DOMAIN_KEYS, ENTRIES, META, TABLES, TRACES
from substrate.proof.bundle import MAP_SALT_BYTES
from substrate.proof.encoding import Json, b64, read_json, unb64
from substrate.proof.entry import ENTRY_BYTES, ID_BYTES, SALT_BYTES
from substrate.proof.head import MAX_SIZE, Pin
from substrate.proof.note import check_key_name
from substrate.settings import load_settings
from substrate.values.progress import Progress

__all__ = ["clone", "export_full", "line_text"]

_PLAIN, FORMAT = 1, 2
_TRACES: Final = 1000
"""How many rows of traces go into one transaction."""

Line: TypeAlias = dict[str, Json]


def line_text(line: Line) -> str:
    """A line as it is written, without its newline."""
    return json.dumps(line, ensure_ascii=False, separators=(",", ":"))


def export_full(
    transaction: ReadTransaction, write_line: Callable[[Line], None], progress: Progress | None = None
) -> None:
    """Write a snapshot as lines; `write_line` must spell each as `line_text` does. StoreDamaged by a wrong body."""
    digest, count = sha256(), 0

    def write(line: Line) -> None:
        nonlocal count
        write_line(line)
        digest.update(line_text(line).encode() + b"\n")
        count += 1

    size = transaction.count(ENTRIES)
    with stored("the origin"):
        origin = (transaction.get(META, b"origin") or b"").decode()
    version = FORMAT if transaction.any(DOMAIN_KEYS) else _PLAIN
    salt = b64(map_salt(transaction))
    write({"substrate": version, "kind": "full", "origin": origin, "map_salt": salt, "size": size})
    for seq, (data, row, note) in enumerate(walk(transaction.scan)):
        write(_entry_line(seq, data, row))
        if note is not None:
            with stored(f"the head at size {seq + 1:,}"):
                write({"head": note.decode()})
        if progress is not None and (seq + 1) % BATCH == 0:
            progress(seq + 1, size)
    for table in TRACES:
        for key, value in transaction.scan(table):
            write({"trace": table, "key": b64(key), "value": b64(value)})
    for subject, row in transaction.scan(DOMAIN_KEYS):
        write({"domain": b64(subject), "wrapped": b64(row)})
    write_line({"end": count, "digest": digest.hexdigest()})
    if progress is not None:
        progress(size, size)


def _entry_line(seq: int, data: bytes, row: bytes | None) -> Line:
    line: Line = {"seq": seq, "entry": b64(data), "salt": None, "body": None}
    if row is not None:
        body = checked_body(seq, stored_entry(seq, data), row)
        with stored(f"the body of entry {seq}"):
            line |= {"salt": b64(row[:SALT_BYTES]), "body": None if body is None else body.decode()}
    return line


def clone(  # noqa: PLR0913 - everything by keyword
    lines: Iterable[str],
    path: str | Path,
    *,
    home: str | Path | None = None,
    views: Sequence[View] = (),
    checks: Sequence[Check] = (),
    progress: Progress | None = None,
) -> Pin:
    """Make the folder `path`, absent or empty, a store from the lines of a full export; its pin.

    It has the origin of the store that was exported: where that one's key is not in `home`, it can be read and checked,
    not written to; where that one has gone on, it is behind, can be read, and can be restored.

    Raises, with nothing left at `path` and the line named: InputError (not an export, or cut off), TooLarge,
    FormatTooNew, StoreDamaged (what it says is not what was signed, or does not fit the schema); also Denied, DiskFull.
    """
    folder = resolved(path)
    keys = load_settings().home if home is None else expanded(home).resolve()
    pins: list[Pin] = []
    known: list[Keyring] = []

    def fill(store: Store, inside: Path) -> None:
        origin = _Import(store, lines, views, progress or (lambda _, __: None)).run()
        write_origin(inside, origin)
        keyring = Keyring(keys, origin)
        mark = keyring.high_water.read()
        with store.read() as transaction:
            for look in checks:
                look(transaction)
            pins.append(Pin(key_in_force(transaction), require_head(transaction)))
            if mark is None or not departs(transaction, pins[0].head, mark):
                known.append(keyring)  # else whoever opens it is told that it is behind

    make_store(folder, [*TABLES, *(table for view in views for table in view.tables)], fill)
    for keyring in known:
        keyring.keep_up(pins[0].head, folder)
    return pins[0]


class _Import:
    """Lines into an empty store."""

    _growth: Growth
    _format: int

    def __init__(self, store: Store, lines: Iterable[str], views: Sequence[View], tell: Progress) -> None:
        self._store = store
        self._lines = bounded_lines(lines, LIMITS["line_bytes"])
        self._views = views
        self._tell = tell
        self._number = 0
        self._digest = sha256()
        self._unsigned = False
        self._traces: list[tuple[str, bytes, bytes]] = []
        self._last_trace = (-1, b"")

    def run(self) -> str:
        """Take in all lines. On return all is checked, and the store is filled; its origin."""
        with self._named():
            origin, salt, size = self._header()
            self._growth = Growth(self._store, salt)
        steps = size * 2 if self._views else size
        for text in self._lines:
            self._number += 1
            with self._named():
                if self._take(text):
                    break
                self._digest.update(text.encode() + b"\n")
            if self._growth.truth.size % BATCH == 0:
                self._tell(self._growth.truth.size, steps)
        else:
            raise InputError(f"the export is cut off after line {self._number}: its last line is missing")
        if next(self._lines, None) is not None:
            raise InputError(f"line {self._number + 1}: there are lines behind the last one")
        truth = self._growth.truth
        with self._named():
            if truth.size != size:
                raise StoreDamaged(f"{truth.size:,} entries are there, {size:,} were announced")
            self._write_traces()
            head = self._growth.close(origin)
            derive(self._store, head, truth.records, salt, self._views, lambda done: self._tell(size + done, steps))
        self._tell(steps, steps)
        return origin

    @contextmanager
    def _named(self) -> Iterator[None]:
        """In this block, what is wrong is said with the number of the line."""
        try:
            yield
        except ProofInvalid as error:
            raise InputError(f"line {self._number}: {error}") from None
        except UnicodeError:
            raise InputError(f"line {self._number} is not in valid Unicode") from None
        except StoreDamaged as error:
            raise type(error)(f"line {self._number}: {error}") from None

    def _header(self) -> tuple[str, bytes, int]:
        self._number = 1
        text = next(self._lines, "")
        self._digest.update(text.encode() + b"\n")
        match self._members(text):
            case {"substrate": int(version), "kind": "full"} if version > FORMAT:
                raise FormatTooNew(f"an export of format {version}, this version knows {FORMAT}: upgrade substrate")
            case {
                "substrate": int(version),
                "kind": "full",
                "origin": str(origin),
                "map_salt": str(salt),
                "size": int(size),
            } if version in {_PLAIN, FORMAT}:
                self._format = version
                check_key_name(origin)
                if not 0 < size <= MAX_SIZE:
                    raise InputError("line 1: an export has at least one entry")
                return origin, unb64(salt, "map_salt", MAP_SALT_BYTES), size
        raise InputError("line 1: not a full export of a store; a plain one is imported, not cloned")

    def _members(self, text: str) -> Line:
        check_size(f"line {self._number}", len(text.encode()), "line_bytes")
        members = read_json(text, "it")
        return members if isinstance(members, dict) else {}

    def _take(self, text: str) -> bool:
        """Take in a line. Whether it was the last one."""
        match self._members(text):
            case {"seq": int(seq), "entry": str(entry), "salt": salt, "body": body, **more} if not more:
                self._entry(seq, unb64(entry, "entry", ENTRY_BYTES), salt, body)
            case {"head": str(note), **more} if not more and self._unsigned:
                self._growth.sign(note.encode())
                self._unsigned = False
            case {"trace": str(table), "key": str(key), "value": str(value), **more} if not more:
                self._trace(table, unb64(key, "key"), unb64(value, "value"))
            case {"domain": str(subject), "wrapped": str(row), **more} if not more and self._format == FORMAT:
                self._domain_key(unb64(subject, "domain", ID_BYTES), unb64(row, "wrapped"))
            case {"end": int(count), "digest": str(digest), **more} if not more:
                if (count, digest) != (self._number - 1, self._digest.hexdigest()):
                    raise StoreDamaged("lines are missing, too many or changed: count and digest are not theirs")
                self._sign_off()
                return True
            case _:
                raise InputError(f"line {self._number}: no line of a full export, or not one that belongs here")
        return False

    def _entry(self, seq: int, data: bytes, salt: Json, body: Json) -> None:
        if seq != self._growth.truth.size or self._last_trace[0] >= 0:
            raise StoreDamaged(f"entry {seq} stands where entry {self._growth.truth.size}, or a trace, belongs")
        self._sign_off()
        row = None
        if isinstance(salt, str) and isinstance(body, str):
            row = unb64(salt, "salt", SALT_BYTES) + body.encode()
        elif salt is not None or body is not None:
            raise InputError(f"line {self._number}: salt and body are texts, or both null")
        self._growth.add(data, row)
        self._growth.truth.check_schema()
        self._unsigned = True

    def _sign_off(self) -> None:
        """The entry before this line has got no head of its own."""
        if self._unsigned:
            self._growth.sign(None)
            self._unsigned = False

    def _domain_key(self, subject: bytes, row: bytes) -> None:
        self._sign_off()
        place = (len(TRACES), subject)
        if place <= self._last_trace:
            raise InputError(f"line {self._number}: this key of a domain is out of order")
        self._last_trace = place
        self._traces.append((DOMAIN_KEYS, subject, row))

    def _trace(self, table: str, key: bytes, value: bytes) -> None:
        self._sign_off()
        if table not in TRACES or not 0 < len(key) <= MAX_KEY:
            raise InputError(f"line {self._number}: no trace that this version knows")
        place = (TRACES.index(table), key)
        if place <= self._last_trace:
            raise InputError(f"line {self._number}: this trace is out of order")
        self._last_trace = place
        self._traces.append((table, key, value))
        if len(self._traces) >= _TRACES:
            self._write_traces()

    def _write_traces(self) -> None:
        with self._store.write() as transaction:
            for table, key, value in self._traces:
                transaction.put(table, key, value)
        self._traces.clear()
