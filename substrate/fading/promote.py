"""The verb promote: what is worth keeping becomes a note in a vault, and stays.

The file is there before the log says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple
from unicodedata import category

from substrate.atoms.edges import edges
from substrate.atoms.moments import snapshot_of
from substrate.errors import Denied, InputError, NotFound, SubstrateError
from substrate.fading.decay import OFTEN, PROMOTE, SOME_USES, is_worth_keeping
from substrate.fading.listing import FadingIndex, Wanted
from substrate.fading.named import PROMOTED_TAG, fading_of
from substrate.fading.sweep import SURFACE
from substrate.fading.vault import Vault, file_name, open_vault
from substrate.limits import LIMITS
from substrate.log.log import Log
from substrate.messages import Arg
from substrate.save.authorship import written_by
from substrate.save.batch import Batch
from substrate.save.checkpoint import checkpoint
from substrate.snapshot import Snapshot
from substrate.values.review.fading import FadingAtom, Promoted, Promotion

__all__ = ["Promote", "promote"]

_MOST: Final = LIMITS["names"]
"""Notes that one call promotes."""
_EDGES: Final = 50
_TITLE: Final = 80
_ACTIVE: Final = re.compile(r"[`<\[\]$\\#]|%(?=%)|(?<=%)%|~(?=~)|(?<=~)~|(?<=:):|&(?=#?\w+;)")
"""What means something to a reader of Markdown or its plugins, and could make more of a note than its text."""
_REFERENCES: Final = {"<": "&lt;", "&": "&amp;"}
"""A template's `<%` counts even behind a backslash, so these are written in another way."""
_SIGNS: Final = frozenset("_.,'()&+-")
"""What may stand in a link besides letters and digits. A line break would end it, and begin a block of its own."""
_RAW: Final = re.compile(r"[<\x7f-\x9f\u2028\u2029]")
"""What stands in front matter as an escape: programs that look for templates or lines do not read its quotes."""


class Promote(NamedTuple):
    """What to promote, and where to."""

    name: str | None
    vault: str | Path | None
    surface: str | None
    """Only notes that this surface alone has written; None: of a person who names one, any."""
    force: bool
    dry_run: bool


class _Note(NamedTuple):
    """A note to be promoted."""

    faded: FadingAtom
    reason: str
    text: str


def promote(log: Log, index: FadingIndex, asked: Promote, said: Mapping[str, object]) -> Promoted:
    """See `Memory.promote`."""
    with log.snapshot() as transaction:
        snapshot = snapshot_of(transaction, log.clock, None, None)
        if asked.name is None:
            found, total = _candidates(snapshot, index, asked)
        else:
            found = [_named(snapshot, asked)]
            total = len(found)
    if asked.dry_run:
        return Promoted(tuple(Promotion(one.faded, one.reason) for one in found), dry_run=True, total=total)
    with open_vault(asked.vault) as vault:
        promoted = tuple([_promote(log, vault, one, said) for one in found])
    return Promoted(promoted, dry_run=False, total=total)


def _candidates(snapshot: Snapshot, index: FadingIndex, asked: Promote) -> tuple[list[_Note], int]:
    """Notes of the surface that are worth keeping, the highest scores first; and how many there are."""
    scored = index.scored(snapshot, Wanted(statuses=("active",)))
    places = scored.ordered("present")
    score, uses = scored.scores.score[places], scored.scores.uses[places]
    places = places[(score >= PROMOTE) & ((uses >= SOME_USES) | ~scored.is_new(places)) | (uses >= OFTEN)]
    surface = asked.surface or SURFACE
    own = set(written_by(snapshot, surface, scored.subjects(places), said_again=True))
    places = places[[subject in own for subject in scored.subjects(places)]] if len(places) else places
    worth: list[_Note] = []
    total = 0
    for faded in scored.atoms(places):
        if reason := is_worth_keeping(faded.score, faded.uses, faded.age_days):
            total += 1
            if len(worth) < _MOST:
                worth.append(_Note(faded, reason, _text(snapshot, faded)))
    return worth, total


def _named(snapshot: Snapshot, asked: Promote) -> _Note:
    (faded,) = fading_of(snapshot, [asked.name or ""])
    if faded.atom.tombstoned:
        raise InputError(f"{faded.name} is out of use: save it again, and then promote it")
    if faded.status == "promoted":
        raise InputError(f"it is promoted already, to {faded.atom.attrs.get('promoted_to', 'a vault')}")
    subject = bytes.fromhex(faded.id.replace("-", ""))
    if asked.surface and not written_by(snapshot, asked.surface, [subject], said_again=True):
        raise Denied(f"{faded.id} was not written by {asked.surface} alone, so only the user may promote it")
    reason = is_worth_keeping(faded.score, faded.uses, faded.age_days)
    if not reason and not asked.force:
        raise InputError(
            f"its score is {faded.score:.2f} after {faded.uses} uses: it is promoted from 0.65 on, once it was used "
            "three times or is a day old. To promote it all the same, set ",
            Arg("force"),
        )
    return _Note(faded, reason or "forced", _text(snapshot, faded))


def _promote(log: Log, vault: Vault, note: _Note, said: Mapping[str, object]) -> Promotion:
    """Write the file, then say so in the log. If that fails, the file goes again."""
    atom = note.faded.atom
    path = vault.write(file_name(_title(atom.value), atom.id), note.text)
    tags = [*atom.tags, PROMOTED_TAG]
    item = {
        **{field: getattr(atom, field) for field in ("name", "value", "entities", "confidence", "source", "origin")},
        **{field: getattr(atom, field) for field in ("occurred_at", "valid_from", "valid_to")},
        "tags": tags[-LIMITS["tags"] :],
        "attrs": {**atom.attrs, "promoted_to": path},
    }
    try:
        checkpoint(log, Batch(atoms=(item,)), expect={atom.name: atom.seq}, said=said, allow_secrets=True)
    except SubstrateError:  # nothing was written; after anything else, a file too many does no harm
        with suppress(OSError):
            vault.remove(path)
        raise
    return Promotion(note.faded, note.reason, path)


# -- the note ----------------------------------------------------------------------------------------------------------


def _text(snapshot: Snapshot, faded: FadingAtom) -> str:
    """The note, for Obsidian: front matter, the text, what it is linked to."""
    atom = faded.atom
    context = atom.attrs.get("context")
    front: dict[str, object] = {
        "id": atom.id,
        "name": atom.name,
        "created": _day(faded.created_at),
        "last_used": _day(faded.last_used),
        "use_count": faded.uses,
        "strength": round(faded.strength, 2),
        "tags": [tag for tag in atom.tags if not tag.startswith("status:")],
        "entities": list(atom.entities),
        **({"source": atom.source} if atom.source else {}),
    }
    head = "\n".join(f"{word}: {_quoted(value)}" for word, value in front.items())
    parts = [f"---\n{head}\n---", f"# {as_text(_title(atom.value))}", as_text(atom.value)]
    if isinstance(context, str) and context:
        parts.append(f"## Context\n\n{as_text(context)}")
    links = [*(f"- [[{_link(entity)}]]" for entity in atom.entities if _link(entity)), *_relations(snapshot, faded)]
    if links:
        parts.append("## Links\n\n" + "\n".join(links))
    return "\n\n".join(parts) + "\n"


def _relations(snapshot: Snapshot, faded: FadingAtom) -> Iterator[str]:
    """A line for each relation: with a link, if the other is a note of the vault."""
    for edge in edges(snapshot, faded.name, direction="both", type=None, limit=_EDGES, offset=0):
        out = edge.source_id == faded.id
        other = edge.target_id if out else edge.source_id
        said = as_text(edge.type)
        with suppress(NotFound):
            (end,) = fading_of(snapshot, [other])
            path = end.atom.attrs.get("promoted_to")
            link = _link(Path(path).stem) if isinstance(path, str) else ""
            told = f"[[{link}]]" if link else as_text(_title(end.atom.value))
            yield f"- {said}{'' if out else ' (from)'}: {told}"


def as_text(text: str) -> str:
    """A text that Markdown shows as it is: no link, tag, field, template, code, formula or HTML comes out of it."""
    return _ACTIVE.sub(lambda found: _REFERENCES.get(found[0], "\\" + found[0]), text)


def _link(text: str) -> str:
    """A text as the target of a link: its letters, digits and a few signs."""
    kept = (one if one.isalnum() or one in _SIGNS or category(one)[0] == "M" else " " for one in text)
    return " ".join("".join(kept).split()).lstrip(". ")


def _quoted(value: object) -> str:
    """A value of front matter: JSON, which is YAML too."""
    return _RAW.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


def _title(text: str) -> str:
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line.lstrip("#> -*").strip()[:_TITLE] or "note"


def _day(time: datetime) -> str:
    return f"{time.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
