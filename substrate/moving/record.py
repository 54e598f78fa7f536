"""Lines recorded as checkpoints, in groups of which none takes back what it says; or only compared with the store."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypedDict

from substrate.errors import InputError, ItemsRefused, QuotaReached
from substrate.kv.api import ReadTransaction
from substrate.log.heads import map_salt
from substrate.log.log import Log
from substrate.log.tables import GAPS
from substrate.messages import Item, Message
from substrate.moving.line import KINDS, Broken, Fields, Line, Lines, Read
from substrate.moving.past import Past, find_known
from substrate.names import normalise
from substrate.proof.entry import Kind
from substrate.proof.hashes import map_key
from substrate.save.batch import Batch
from substrate.save.checkpoint import checkpoint, read_batch
from substrate.save.new_store import refuse_first_checkpoint
from substrate.values.edges import SUPERSEDES
from substrate.values.progress import Progress
from substrate.values.saved import Imported, Refused, Saved
from substrate.views.atoms import find_names, first_version, gaps_of
from substrate.views.beside.parts import Part
from substrate.views.touches import Touch

__all__ = ["Recording", "record", "refuse_first"]

_BATCH: Final = 1000
_BYTES: Final = 4 * 1024 * 1024
_ONE_FILE: Final = ("substrate", "csv", "tsv", "jsonl")
"""Kinds whose lines are numbered through."""
_LINE: Final = re.compile(r"line (\d+)")


@dataclass(frozen=True, slots=True)
class Recording:
    """How lines are recorded."""

    kind: str
    said: Mapping[str, object] = field(default_factory=dict)
    """Who says what the lines say, where they do not: actor, origin, session, source."""
    partial: bool = False
    """Whether lines that cannot be taken are reported, and the others recorded. Else the first of them ends it."""
    allow_secrets: bool = False
    dry_run: bool = False
    old_names: bool = False
    """Whether names are taken that a store before this one took, and a new atom may not have."""
    older: bool = False
    """Whether a line is recorded also if the store has something else that was recorded later."""


class _Items(TypedDict):
    atoms: list[Fields]
    tombstones: list[Fields]
    edges: list[Fields]
    unedges: list[Fields]


@dataclass(slots=True)
class _Chunk:
    """Lines that can be one checkpoint: none of them takes back what another of them says."""

    items: _Items = field(default_factory=lambda: _Items(atoms=[], tombstones=[], edges=[], unedges=[]))
    lines: dict[str, list[int]] = field(default_factory=lambda: {word: [] for word in KINDS.values()})
    refused: list[Refused] = field(default_factory=list)
    """What stood among these lines, and is none."""
    touches: dict[str, tuple[Touch, ...]] = field(default_factory=dict)
    """How atoms were used before, by their names."""
    taken: list[Line] = field(default_factory=list)
    size: int = 0
    read: int = 0
    _said: dict[object, str] = field(default_factory=dict)
    _superseded: set[object] = field(default_factory=set)
    """Ends of these edges."""

    def fits(self, line: Line) -> bool:
        """Whether a line can be added."""
        if sum(map(len, self.lines.values())) >= _BATCH or self.size + line.size > _BYTES:
            return False
        kind, key = line.kind, line.key
        if kind == "put" and key in self._superseded:  # a checkpoint records atoms before edges, and this came later
            return False
        return self._said.get(key, kind) == kind and not (kind in ("tombstone", "unedge") and key in self._said)

    def add(self, line: Line) -> None:
        word = KINDS[line.kind]
        self.items[word].append(line.fields)  # type: ignore[literal-required]
        self.lines[word].append(line.number)
        self.taken.append(line)
        if line.touches:
            self.touches[str(line.fields["name"])] = line.touches
        self._said[line.key] = line.kind
        if line.kind == "edge" and line.fields.get("type") == SUPERSEDES:
            self._superseded.add(line.fields.get("target"))
        self.size += line.size
        self.read = line.read

    @property
    def has_lines(self) -> bool:
        return any(self.lines.values())

    def batch(self, how: Recording) -> Batch:
        """The lines as a checkpoint takes them. To put an older line back is said now."""
        return replace(Batch.of(**self.items), recorded_at=self._recorded_at(), counts_now=how.older)

    def _recorded_at(self) -> dict[str, list[int | None]]:
        """When each item was recorded in the store that it comes from; empty if no line says it."""
        if all(line.recorded_at is None for line in self.taken):
            return {}
        times: dict[str, list[int | None]] = {word: [] for word in KINDS.values()}
        for line in self.taken:
            times[KINDS[line.kind]].append(line.recorded_at)
        return times

    def without(self, lines: Collection[Line]) -> _Chunk:
        """The same without some of its lines."""
        rest = _Chunk(read=self.read)
        gone = {id(line) for line in lines}
        for line in self.taken:
            if id(line) not in gone:
                rest.add(line)
        return rest

    def take_out_ends(self, brought: Collection[object]) -> dict[str, list[str]]:
        """Take out the ends of atoms and edges that lines before these bring; what they end, by what they are."""
        ended: dict[str, list[str]] = {}
        for word, kind in (("tombstones", "tombstone"), ("unedges", "unedge")):
            items, lines = self.items[word], self.lines[word]  # type: ignore[literal-required]
            keys = [Line(0, kind, item, 0).key for item in items]
            kept = [at for at, key in enumerate(keys) if key not in brought]
            gone = (key for key in keys if key in brought)
            ended[word] = [" ".join(key) if isinstance(key, tuple) else str(key) for key in gone]
            items[:], lines[:] = [items[at] for at in kept], [lines[at] for at in kept]
        return ended

    def bring(self, brought: set[object]) -> None:
        """Note which atoms and edges these lines bring."""
        brought.update(Line(0, "put", item, 0).key for item in self.items["atoms"])
        brought.update(Line(0, "edge", item, 0).key for item in self.items["edges"])


def record(log: Log, lines: Lines, how: Recording, progress: Progress | None = None) -> Imported:
    """Record all lines, or compare them with what is there. What the reader could not read is told in `refused`.

    Lines are left out of which the store has something else that was recorded later, unless `how.older`.
    ItemsRefused, unless `how.partial`, at the first line that the store does not take; what came before it is saved
    then, and the message says so. So does QuotaReached, and has the report of it. InputError if there is no line.
    """
    results: list[Saved] = []
    brought: set[object] = set()
    refused: list[Refused] = []
    there: dict[str, int] = {}
    spaces: dict[str, bool] = {}
    shared: dict[str, str] = {}
    recorded: set[str] = set()
    confirmed: dict[str, None] = {}
    size = log.head().head.size
    last = 0
    past = Past(log, how.said, older=how.older)

    def report() -> Imported:
        told = _by_line(refused, how)
        return _together(
            log, results, told, how, there, tuple(confirmed), past=past, spaces=spaces, shared=shared, size=size
        )

    try:
        for chunk in _chunks(past.news(lines.lines)):
            refused += chunk.refused
            if how.dry_run:
                results += _ends(log, chunk, brought)
            if chunk.has_lines:
                for name, seq in _there(log, chunk, size).items():
                    there.setdefault(name, seq)
                first = _confirmed_first(log, chunk, how)
                after = next((saved.seqs.start for saved in reversed(results) if saved.seqs), None)
                begun = next((saved.seqs.start for saved in results if saved.seqs), None)
                taken, saved = _taken(log, chunk, how, past, after, begun, is_first=not results)
                results.append(saved)
                past.wrote(len(saved.seqs))
                _note_spaces(log, taken, {name: there[name] for name in saved.recorded if name in there}, past, spaces)
                # A line that repeats another of this import confirms nothing that was there.
                known = recorded | (set(saved.recorded) - first)
                confirmed |= dict.fromkeys(name for name in saved.confirmed if name not in known)
                recorded.update(saved.recorded)
                shared |= _shared(taken, {*saved.recorded, *saved.confirmed})
                refused += (_named(item, taken) for item in saved.refused)
                last = max(map(max, filter(None, chunk.lines.values())))
            if progress is not None:
                progress(chunk.read, lines.total)
    except Broken as error:
        raise error.told(0 if how.dry_run else last) from None
    except QuotaReached as full:
        if not last or how.dry_run:
            raise
        raise full.after(f"lines up to {last:,} are saved, the rest is not", report()) from None
    if not results and (past.older or past.known) and (how.partial or not refused):
        results = [Saved(range(size, size), log.head())]
    if not results:
        raise _refusal(_by_line(refused, how), "nothing was saved") if refused else _nothing()
    return report()


def _ends(log: Log, chunk: _Chunk, brought: set[object]) -> list[Saved]:
    """Of a dry run: what lines end that lines before them bring. The store knows nothing of it, so they are taken out.

    What these lines bring is noted in `brought`.
    """
    ended = chunk.take_out_ends(brought) if brought else {}
    chunk.bring(brought)
    stones, unedged = (tuple(ended.get(word, ())) for word in ("tombstones", "unedges"))
    return [Saved(range(0), log.head(), tombstoned=stones, unedged=unedged)] if stones or unedged else []


def refuse_first(lines: Lines, how: Recording) -> None:
    """Raise what `record` raises in a new store before it saves anything, so that no store is made for it.

    It reads up to the first lines that can be saved.
    """
    refused: list[Refused] = []
    # What an undo took back where it comes from, a new store does not have.
    news = (line for line in lines.lines if isinstance(line, Refused) or line.took_back is None)
    try:
        for chunk in _chunks(news):
            refused += chunk.refused
            if not chunk.has_lines:
                continue
            try:
                refuse_first_checkpoint(
                    **chunk.items,
                    **how.said,  # type: ignore[arg-type]
                    partial=how.partial,
                    allow_secrets=how.allow_secrets,
                    is_import=how.old_names,
                )
            except ItemsRefused as error:
                refused += _refused_by(error, chunk)
                if not how.partial:
                    break
            else:
                return
    except Broken as error:
        raise error.told(0) from None
    raise _refusal(_by_line(refused, how), "nothing was saved") if refused else _nothing()


def _chunks(lines: Iterator[Read]) -> Iterator[_Chunk]:
    chunk = _Chunk()
    for line in lines:
        if isinstance(line, Refused):
            chunk.refused.append(line)
            continue
        if not chunk.fits(line):
            yield chunk
            chunk = _Chunk()
        chunk.add(line)
    if chunk.has_lines or chunk.refused:
        yield chunk


def _taken(  # noqa: PLR0913, PLR0917
    log: Log, chunk: _Chunk, how: Recording, past: Past, after: int | None, begun: int | None, *, is_first: bool
) -> tuple[_Chunk, Saved]:
    """What became of the lines, and which of them were taken."""
    try:
        return (chunk, _compared(log, chunk, how)) if how.dry_run else _written(log, chunk, how, past, after, begun)
    except ItemsRefused as error:
        first = min(map(min, filter(None, chunk.lines.values())))
        before = "nothing was saved" if is_first or how.dry_run else f"what came before line {first} is saved"
        raise _refusal(_by_line(_refused_by(error, chunk), how), before) from None


class _Stale(Exception):
    """Others have said something later of these lines."""

    def __init__(self, lines: list[Line]) -> None:
        super().__init__(lines)
        self.lines = lines


def _written(  # noqa: PLR0913, PLR0917
    log: Log, chunk: _Chunk, how: Recording, past: Past, after: int | None, begun: int | None
) -> tuple[_Chunk, Saved]:
    """Save the lines, as the part of this import that follows the one which begins with the entry `after`.

    `begun`: the first entry of all of this import. Lines are left out of which others have said something later since
    they were judged.
    """

    def check(transaction: ReadTransaction) -> None:
        if lines := past.stale(transaction, chunk.taken):
            raise _Stale(lines)

    while chunk.has_lines:
        batch = replace(chunk.batch(how), touches=chunk.touches, part=Part("import", after), begun=begun)
        try:
            return chunk, checkpoint(
                log,
                batch,
                said=how.said,
                partial=how.partial,
                allow_secrets=how.allow_secrets,
                is_import=how.old_names,
                check=check,
            )
        except _Stale as stale:
            past.leave_out(stale.lines)
            chunk = chunk.without(stale.lines)
    size = log.head().head.size
    return chunk, Saved(range(size, size), log.head())


def _compared(log: Log, chunk: _Chunk, how: Recording) -> Saved:
    """What writing the lines would come to. What other lines of the file would have changed by then does not count."""
    batch = replace(chunk.batch(how), part=Part("import", 0))
    planner, _ = read_batch(batch, expect=None, said=how.said, partial=how.partial, allow_secrets=how.allow_secrets)
    planner.is_import = how.old_names
    with log.snapshot() as transaction:
        planner.plan(transaction, log.clock.now())
    return planner.saved(range(0), log.head())


def _there(log: Log, chunk: _Chunk, size: int) -> dict[str, int]:
    """The names of atoms in these lines that are in use since before the entry `size`, and their latest entries."""
    given = (atom.get("name") for atom in chunk.items["atoms"])
    with log.snapshot() as transaction:
        found = find_known(transaction, (name for name in given if isinstance(name, str)))
    return {name: row.seq for name, row in found.items() if row.kind is Kind.PUT and row.seq < size}


def _forgotten_before(log: Log, recorded: Sequence[str], changed: Collection[str], size: int) -> tuple[str, ...]:
    """The names that were forgotten, and that nothing had since, until lines from the entry `size` on brought them."""
    with log.snapshot() as transaction:
        if not transaction.any(GAPS):
            return ()
        salt = map_salt(transaction)
        back = [name for name in recorded if name not in changed and gaps_of(transaction, map_key(salt, name))]
        rows = find_names(transaction, back)
        firsts = [size if row is None else first_version(transaction, row.subject) for row in rows]
        return tuple(name for name, first in zip(back, firsts, strict=True) if first is None or first >= size)


def _note_spaces(log: Log, chunk: _Chunk, changed: Mapping[str, int], past: Past, spaces: dict[str, bool]) -> None:
    """Note of each changed atom whether its lines change nothing but spaces at the start or end of texts.

    `changed`: the entries that said something of these atoms last.
    """
    if not changed:
        return
    with log.snapshot() as transaction:
        for line in chunk.taken:
            if line.kind == "put" and (name := normalise(str(line.fields["name"]))) in changed:
                spaces[name] = spaces.get(name, True) and past.only_spaces(transaction, line, changed[name])


def _confirmed_first(log: Log, chunk: _Chunk, how: Recording) -> set[str]:
    """The names that several of these lines have, and of which the first says what the store says already."""
    lines: defaultdict[str, list[Fields]] = defaultdict(list)
    for atom in chunk.items["atoms"]:
        if isinstance(name := atom.get("name"), str):
            lines[normalise(name)].append(atom)
    several = _Chunk()
    several.items["atoms"] += (same[0] for same in lines.values() if len(same) > 1)
    if not several.items["atoms"]:
        return set()
    try:
        return set(_compared(log, several, replace(how, partial=True)).confirmed)
    except ItemsRefused:  # none of them can be taken
        return set()


def _shared(chunk: _Chunk, taken: Collection[str]) -> dict[str, str]:
    """The names of their own that lines got, with the names that they give and share with other lines."""
    named = ((normalise(str(line.fields["name"])), line.shared_name) for line in chunk.taken if line.shared_name)
    return {own: given for own, given in named if given is not None and own in taken}


def _nothing() -> InputError:
    return InputError("there is nothing to import: it has no rows, or no line says put, tombstone, edge or unedge")


def _refused_by(error: ItemsRefused, chunk: _Chunk) -> list[Refused]:
    return [_named(refused, chunk) for refused in error.refused if isinstance(refused, Refused)]


def _refusal(refused: Sequence[Refused], before: str) -> ItemsRefused:
    told = [part for item in refused[:5] for part in (item.item, ": ", item.reason, "; ")]
    return ItemsRefused(Message(*told, before), tuple(refused), before)


def _by_line(refused: Sequence[Refused], how: Recording) -> tuple[Refused, ...]:
    """In the order of the file, if it is one: a reader refuses lines before the store sees those that came earlier."""
    if how.kind not in _ONE_FILE:
        return tuple(refused)
    return tuple(sorted(refused, key=lambda one: int(found[1]) if (found := _LINE.match(one.item)) else 0))


def _named(refused: Refused, chunk: _Chunk) -> Refused:
    if not isinstance(refused.item, Item):
        return refused
    return replace(refused, item=f"line {chunk.lines[refused.item.argument][refused.item.at]}")


def _together(  # noqa: PLR0913, PLR0917
    log: Log,
    results: list[Saved],
    refused: tuple[Refused, ...],
    how: Recording,
    there: Collection[str],
    confirmed: tuple[str, ...],
    *,
    past: Past,
    spaces: Mapping[str, bool],
    shared: Mapping[str, str],
    size: int,
) -> Imported:
    def joined(names: Callable[[Saved], tuple[str, ...]]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for saved in results for name in names(saved)))

    first = next((saved.seqs.start for saved in results if saved.seqs), results[-1].seqs.start)
    recorded = joined(lambda saved: saved.recorded)
    changed = tuple(name for name in recorded if name in there)
    return Imported(
        range(first, results[-1].seqs.stop),
        results[-1].head,
        recorded,
        confirmed,
        joined(lambda saved: saved.tombstoned),
        joined(lambda saved: saved.edges),
        joined(lambda saved: saved.unedged),
        joined(lambda saved: saved.dangling),
        refused,
        tuple(found for saved in results for found in saved.conflicts),
        joined(lambda saved: saved.unchecked),
        {name: atom for saved in results for name, atom in saved.ids.items()},
        kind=how.kind,
        dry_run=how.dry_run,
        changed=changed,
        forgotten=_forgotten_before(log, recorded, set(changed), size),
        spaces=tuple(name for name in recorded if spaces.get(name)),
        older=past.older,
        shared_names=shared,
    )
