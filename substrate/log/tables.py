"""Every table of the store, with what it would mean to lose it. The only place where a table gets its name."""

from __future__ import annotations

import struct
from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Final

from substrate.kv.api import MAX_KEY

__all__ = [
    "ARCS",
    "ARRIVALS",
    "ATOMS",
    "BODIES",
    "CACHES",
    "CARDS",
    "CHOICES",
    "CLAIMS",
    "CONFIRMED",
    "CONFLICTS",
    "COUNTS",
    "DOCUMENTS",
    "DOMAIN_KEYS",
    "EMBEDDED",
    "ENTRIES",
    "EPISODES",
    "EXPECTED",
    "FORGOTTEN",
    "GAPS",
    "HEADS",
    "JOINS",
    "KEYS",
    "LINKS",
    "MAP",
    "META",
    "MIXING",
    "MODELS",
    "NODES",
    "OBJECTIVES",
    "OWED",
    "PENDING",
    "PLACES",
    "POSTINGS",
    "PROPOSALS",
    "SEQ_BYTES",
    "SESSIONS",
    "STATEMENTS",
    "TABLES",
    "TOUCHED",
    "TOUCHES",
    "TRACES",
    "USES",
    "VECTORS",
    "VERSIONS",
    "Sureness",
    "name_key",
    "read_seq",
    "seq_key",
]


class Sureness(Enum):
    """The five classes of stored things."""

    TRUTH = "lost truth is lost; any change to it is detected"
    VIEW = "recomputable from the log; written in the same transaction; fsck compares it"
    TRACE = "durable, not proven"
    CACHE = "a follower that catches up"
    PENDING = "waits for a person, expires"


ENTRIES: Final = "entries"
"""seq -> the 58 bytes of the entry."""
BODIES: Final = "bodies"
"""seq -> salt (16) and body. No row: erased by a forget entry."""
HEADS: Final = "heads"
"""size -> the signed note. One for each checkpoint."""
META: Final = "meta"
"""`origin` and `map_salt`: drawn at creation, never changed. Both are bound by every head.

Beside them stands how far each view has got, and in which version: `applied:...`, see log/view_versions.py.
"""
NODES: Final = "nodes"
"""seq -> leaf hash, then the hashes of the perfect subtrees that this leaf completes, smallest first."""
MAP: Final = "map"
"""path of a tile -> its nodes; see log/map.py."""
KEYS: Final = "keys"
"""seq of a key entry -> its vkey."""
DOMAIN_KEYS: Final = "domain_keys"
"""id of a domain's atom -> the domain's key, wrapped by a passphrase; ciphers.py.

It does not follow from the log: a forget of the domain must leave no copy of it. Its own tag shows any change.
"""

ATOMS: Final = "atoms"
"""name -> its latest version; views/atoms.py."""
COUNTS: Final = "counts"
"""type, or domain and type -> how many atoms of it there are, and characters; views/counts.py."""
VERSIONS: Final = "versions"
"""atom id, seq -> kind and name of that version; views/atoms.py."""
GAPS: Final = "gaps"
"""map key, seq of the forget entry -> what was erased under that name; views/atoms.py."""
FORGOTTEN: Final = "forgotten"
"""id of an atom that was forgotten -> seq of the forget entry, map key of its name; views/atoms.py."""
LINKS: Final = "links"
"""atom id, direction, edge type, other atom's id -> latest statement of that edge; views/edges.py."""
STATEMENTS: Final = "statements"
"""edge id, seq -> what was stated; views/edges.py."""
CARDS: Final = "cards"
"""atom id -> how many edges it has, and of which kinds; views/cards.py."""
JOINS: Final = "joins"
"""block of seqs -> a row of fixed width for each statement of an edge, and each part of a whole; views/joins.py."""
POSTINGS: Final = "postings"
"""block of seqs, term -> which versions of the block have the term, and how often; views/words.py."""
DOCUMENTS: Final = "documents"
"""block of seqs -> a row of fixed width for each version: length, times, whose it is; views/words.py."""
PLACES: Final = "places"
"""id of a whole, position, seq -> nothing: which versions are parts of what, in order; views/words.py."""
MODELS: Final = "models"
"""seq of a model entry -> its body: which model embeds from there on; views/models.py."""
ARCS: Final = "arcs"
"""kind, id of a source -> what followed it, how heavily; views/learned/arcs.py."""
ARRIVALS: Final = "arrivals"
"""id of a target, kind, id of a source -> nothing: in which rows of arcs an atom stands; views/learned/arcs.py."""
EPISODES: Final = "episodes"
"""Past sessions, by number, and in which of them an atom was accessed; views/learned/arcs.py."""
USES: Final = "uses"
"""atom id -> how often it was accessed, and when last; views/learned/arcs.py."""
CLAIMS: Final = "claims"
"""what a claim is about, atom id -> what is claimed, in a form that can be compared; views/claims.py."""
SESSIONS: Final = "sessions"
"""size of the log, number -> what a session accessed, in order; views/learned/sessions.py."""
CHOICES: Final = "choices"
"""what -> what was chosen for this store; learn/watch.py."""
MIXING: Final = "mixing"
"""question, evidence -> how far each part of the model is believed; views/learned/mixing.py."""
CONFLICTS: Final = "conflicts"
"""two atom ids -> which versions of them contradict each other, and how; views/beside/conflicts.py."""
CONFIRMED: Final = "confirmed"
"""atom or edge id -> which version was last said again, and when; views/traces.py."""
EXPECTED: Final = "expected"
"""atom id -> name of an atom that edges point to and that is not there yet; views/traces.py."""

TOUCHES: Final = "touches"
"""size of the log, number -> which atom was used, when, and how strong that made it; views/touches.py."""
TOUCHED: Final = "touched"
"""atom id, key of a touch -> nothing: which touches an atom has; views/touches.py."""

VECTORS: Final = "vectors"
"""seq, space -> the vectors of the pieces of that version's text, by the model of that space; views/vectors.py."""
EMBEDDED: Final = "embedded"
"""space -> up to which seq all versions have their vectors; views/vectors.py."""
OBJECTIVES: Final = "objectives"
"""key of a trace -> the vector of what that session or training was for; views/learned/objectives.py."""
OWED: Final = "owed"
"""`compaction` -> since when bytes of what was forgotten wait to be taken out of the file; forget/compaction.py."""

PROPOSALS: Final = "proposals"
"""atom id, id of a proposal -> what is proposed, until when it waits for a person; views/beside/proposals.py."""

TABLES: Final[dict[str, Sureness]] = {
    ENTRIES: Sureness.TRUTH,
    BODIES: Sureness.TRUTH,
    HEADS: Sureness.TRUTH,
    META: Sureness.TRUTH,
    DOMAIN_KEYS: Sureness.TRUTH,
    NODES: Sureness.VIEW,
    MAP: Sureness.VIEW,
    KEYS: Sureness.VIEW,
    ATOMS: Sureness.VIEW,
    COUNTS: Sureness.VIEW,
    VERSIONS: Sureness.VIEW,
    GAPS: Sureness.VIEW,
    FORGOTTEN: Sureness.VIEW,
    LINKS: Sureness.VIEW,
    STATEMENTS: Sureness.VIEW,
    CARDS: Sureness.VIEW,
    JOINS: Sureness.VIEW,
    POSTINGS: Sureness.VIEW,
    DOCUMENTS: Sureness.VIEW,
    PLACES: Sureness.VIEW,
    MODELS: Sureness.VIEW,
    ARCS: Sureness.VIEW,
    ARRIVALS: Sureness.VIEW,
    EPISODES: Sureness.VIEW,
    USES: Sureness.VIEW,
    CLAIMS: Sureness.VIEW,
    VECTORS: Sureness.CACHE,
    EMBEDDED: Sureness.CACHE,
    OBJECTIVES: Sureness.CACHE,
    CONFIRMED: Sureness.TRACE,
    EXPECTED: Sureness.TRACE,
    SESSIONS: Sureness.TRACE,
    MIXING: Sureness.TRACE,
    CHOICES: Sureness.TRACE,
    CONFLICTS: Sureness.TRACE,
    OWED: Sureness.TRACE,
    TOUCHES: Sureness.TRACE,
    TOUCHED: Sureness.TRACE,
    PROPOSALS: Sureness.PENDING,
}
TRACES: Final = tuple(table for table, sureness in TABLES.items() if sureness is Sureness.TRACE)
CACHES: Final = tuple(table for table, sureness in TABLES.items() if sureness is Sureness.CACHE)
PENDING: Final = tuple(table for table, sureness in TABLES.items() if sureness is Sureness.PENDING)

_SEQ: Final = struct.Struct(">Q")
SEQ_BYTES: Final = _SEQ.size


seq_key: Final = _SEQ.pack
"""The key of a row that belongs to a seq; such keys ascend as seqs do. Bound, not wrapped: it is called a lot."""


read_seq: Final[Callable[[bytes], int]] = partial(int.from_bytes, byteorder="big")
"""The seq of such a key. Not a function of Python's, as there is one for every row that is read."""


def name_key(said: object) -> bytes | None:
    """What a name is kept by; None of what no row can have, in a body of a log from elsewhere."""
    try:
        key = said.encode() if isinstance(said, str) else b""
    except UnicodeEncodeError:
        return None
    return key if 0 < len(key) <= MAX_KEY and key[0] else None  # 0 begins the row of a version without a name
