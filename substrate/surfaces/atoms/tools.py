"""Eight tools on atoms, with the names and parameters of the server that agents know them from.

The docstring of a tool is what an agent reads: what it does, and above all when to call it.
"""

from __future__ import annotations

import json
from typing import Annotated

from mcp.types import CallToolResult, TextContent
from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from substrate.errors import InputError, NameInvalid, NotFound
from substrate.limits import LIMITS, check_size
from substrate.surfaces.arguments import AsOf, Caller, Keys, KeyText, Text, ValidAt
from substrate.surfaces.atoms.hits import Associated, Hits, Linked
from substrate.surfaces.atoms.opening import Opened, Sender, opening_text, structured_opening
from substrate.surfaces.atoms.shapes import Accessed, Checkpointed, EdgeGiven, Listed, Taught
from substrate.surfaces.client import Client, client_of, note_of
from substrate.surfaces.shape import reply, reply_as_said
from substrate.surfaces.tool import Refusal, Tool
from substrate.text.quote import if_needed

__all__ = ["NAME", "TOOLS"]

NAME = "atoms"
_SHOWN = 20_000
"""Characters of a value that an access shows, unless told otherwise."""
_MISTYPED = 3
"""Keys that are offered in the place of one that is no key at all."""

_ROOM_FOR_A_NOTE = 200
"""Tokens of a reply from which on it also says that the store is behind."""


def _atom_text(given: object) -> object:
    """An atom as a text; some models give its key and value as an object."""
    if isinstance(given, dict) and given.keys() in ({"key", "value"}, {"name", "value"}):
        key, value = given.get("key", given.get("name")), given["value"]
        if isinstance(key, str) and isinstance(value, str) and " = " not in key:
            return f"{key} = {value}"
    if isinstance(given, dict):
        beside = " and ".join(word for word in ("source", "confidence") if word in given)
        said = 'an atom is a text, "key = value", or an object of texts key and value'
        said += f"; give {beside} beside atoms, for all of them" if beside else ""
        raise PydanticCustomError("atom_text", "{said}", {"said": said})
    if not isinstance(given, str):
        raise PydanticCustomError("atom_text", 'an atom is a text, "key = value"')
    return given


_AtomText = Annotated[str, BeforeValidator(_atom_text)]
_Key = Annotated[KeyText, Field(description="exact key, such as v1.fact.payment_provider; an atom's id works too")]
_Domain = Annotated[Text, Field(description="only atoms that belong to this domain, such as v1.domain.shop")]


def _caller(ctx: Caller) -> Client:
    return client_of(ctx, NAME)


def memory_session_bootstrap(
    ctx: Caller,
    *,
    objective: Annotated[
        str,
        Field(max_length=LIMITS["objective_characters"], description="the purpose of this conversation, in a sentence"),
    ] = "",
    maxTokens: Annotated[
        int,
        Field(ge=50, le=LIMITS["opening_tokens"], description="maximum number of tokens of the whole reply"),
    ] = 1200,
    highImpact: Annotated[
        bool,
        Field(description="only atoms with evidence of 0.65 or more: for deployments, architecture, production"),
    ] = False,
    domain: Annotated[
        Text,
        Field(description="the current domain, such as v1.domain.shop: its atoms come first"),
    ] = "",
    evidenceThreshold: Annotated[
        float | None,
        Field(ge=0, le=1, description="the least evidence, 0 to 1, in place of highImpact"),
    ] = None,
) -> Annotated[CallToolResult, Opened]:
    """Load the context of this conversation: facts, goals, constraints, preferences and contradictions.

    Call it once, at the first message, with the objective in the user's words; not at every message. Keep to the
    constraints and preferences it returns; ask the user about conflictingFacts.
    """
    caller = _caller(ctx)
    memory = caller.memory
    note = note_of(memory, caller.words) if maxTokens >= _ROOM_FOR_A_NOTE else ""
    opening = memory.bootstrap(
        objective or None,
        max_tokens=maxTokens,
        high_impact=highImpact,
        evidence_threshold=evidenceThreshold,
        domain=domain or None,
        shown=Sender(caller.words, note),
    )
    text = TextContent(type="text", text=opening_text(opening, caller.words))
    further = [TextContent(type="text", text=note)] if note else []
    return CallToolResult(content=[text, *further], structured_content=structured_opening(opening, caller.words))


def session_checkpoint(
    ctx: Caller,
    *,
    atoms: Annotated[
        list[_AtomText],
        Field(
            max_length=LIMITS["wire_items"],
            description='each "key = value", as in "v1.fact.payment_provider = Stripe"; types: fact, state, event, '
            "procedure, task, domain, hub, goal, constraint, preference, decision",
        ),
    ] = [],  # noqa: B006 - the SDK copies defaults into the schema
    edges: Annotated[
        list[EdgeGiven], Field(max_length=LIMITS["wire_items"], description="relationships between atoms")
    ] = [],  # noqa: B006
    tombstone: Annotated[
        list[KeyText],
        Field(max_length=LIMITS["wire_items"], description="keys to take out of use; their history stays"),
    ] = [],  # noqa: B006
    taskContext: Annotated[
        Text, Field(description="key of the current task: each recorded atom gets a produced_by edge to it")
    ] = "",
    source: Annotated[
        str,
        Field(
            max_length=LIMITS["text_characters"],
            description="the source of all items, such as a file, a page or a person; it counts as evidence",
        ),
    ] = "",
    confidence: Annotated[
        float | None, Field(ge=0, le=1, description="how sure you are of these atoms, 0 to 1 (default: 0.75)")
    ] = None,
    unedge: Annotated[
        list[EdgeGiven], Field(max_length=LIMITS["wire_items"], description="edges to take back; their history stays")
    ] = [],  # noqa: B006
    expect: Annotated[
        dict[str, int | None],
        Field(
            max_length=LIMITS["wire_items"],
            description="{key: seq you have read, or null for absent}: if another writer was faster, nothing is saved",
        ),
    ] = {},  # noqa: B006
    includeRoot: Annotated[bool, Field(description="also reply with the root of the log, to compare heads")] = False,
) -> Annotated[CallToolResult, Checkpointed]:
    """Save atoms and the edges between them: all or nothing, on disk on return.

    Call it as knowledge forms: when the user states a fact, decides, corrects you, or a task changes state. A known key
    gets its next version. Never save passwords or keys. Tell the user of conflicts in the reply.
    """
    items = len(atoms) + len(edges) + len(tombstone) + len(unedge)
    if not items:
        raise InputError('nothing to save: give atoms as "key = value", edges, or keys to tombstone')
    check_size("this checkpoint", items, "wire_items", "items")
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in (*atoms, *tombstone))
    check_size("this checkpoint", size, "wire_checkpoint_bytes")
    client = _caller(ctx)
    saved = client.memory.checkpoint(
        atoms if confidence is None else [_sure(atom, confidence) for atom in atoms],
        edges=[edge.model_dump(exclude_none=True) for edge in edges],
        tombstones=tombstone,
        unedges=[edge.model_dump(include={"source", "type", "target"}) for edge in unedge],
        task=taskContext or None,
        expect=expect or None,
        source=source or None,
        origin="agent",
        session=client.session,
    )
    return reply(Checkpointed.of(saved, reveals="read" in client.scopes, root=includeRoot))


def _sure(atom: str, confidence: float) -> str | dict[str, object]:
    """The atom with so much confidence; what is none stays what it is, to be refused as that."""
    key, equals, value = atom.partition(" = ")
    return {"name": key.strip(), "value": value.strip(), "confidence": confidence} if equals else atom


def memory_search(
    ctx: Caller,
    *,
    query: Annotated[
        str,
        Field(min_length=1, max_length=LIMITS["query_characters"], description="a question, a phrase or keywords"),
    ],
    limit: Annotated[int, Field(ge=1, le=LIMITS["search_items"], description="maximum number of atoms")] = 10,
    domain: _Domain = "",
    asOf: AsOf = "",
    validAt: ValidAt = "",
    hops: Annotated[
        int, Field(ge=0, le=LIMITS["walk_hops"], description="also follow this number of edges from the best atoms")
    ] = 0,
) -> Annotated[CallToolResult, Hits]:
    """Find atoms by meaning and by word, best first, each with the reason why.

    Call it when you do not know the key, before you say that you do not know, and before you save a new key. Words
    of time count ("previous", "in May 2026"). Of a long value the passage that matches is shown.
    """
    caller = _caller(ctx)
    found = caller.memory.search(
        query, limit=limit, domain=domain or None, as_of=asOf or None, valid_at=validAt or None, hops=hops
    )
    return reply_as_said(Hits.said(found, caller.words))


def memory_access(
    ctx: Caller,
    *,
    key: _Key,
    includeProof: Annotated[
        bool,
        Field(
            description="also the Merkle proof that this is what the log holds: some 2 KB, and the whole value in it"
        ),
    ] = False,
    asOf: AsOf = "",
    validAt: ValidAt = "",
    predictions: Annotated[
        int, Field(ge=0, le=20, description="number of atoms to add that are probably needed next")
    ] = 0,
    offset: Annotated[int, Field(ge=0, description="of a long value: from this character on")] = 0,
    maxChars: Annotated[
        int, Field(ge=1, le=LIMITS["value_bytes"], description="maximum number of characters of a long value")
    ] = _SHOWN,
) -> Annotated[CallToolResult, Accessed]:
    """Read one atom by its exact key: value, version, who said it and when, and whether it is due for review.

    Call it when you know the key. Later sessions are offered the atoms that you read together. If no such key exists,
    the error names the nearest ones.
    """
    memory = _caller(ctx).memory
    now = not asOf and not validAt
    try:
        found = memory.access(
            key, as_of=asOf or None, valid_at=validAt or None, proof=includeProof, predictions=predictions
        )
    except NotFound as error:
        if includeProof and now:  # that it is not there can be proven too
            raise Refusal(error, proof=json.loads(memory.prove(key).to_json())) from None
        raise
    except NameInvalid as error:
        near = [hit.name for hit in memory.search(key.replace("_", " "), limit=_MISTYPED)]
        raise NameInvalid(error.message, f". Near it: {', '.join(map(if_needed, near))}" if near else "") from None
    return reply(Accessed.of(found, maxChars, offset))


def memory_train(
    ctx: Caller,
    *,
    atoms: Annotated[Keys, Field(description="keys of atoms, in the order in which they are needed")],
    passes: Annotated[int, Field(ge=1, le=100, description="the weight, 1 to 3; more count as 3")] = 1,
) -> Annotated[CallToolResult, Taught]:
    """Reinforce that these atoms are needed together, in this order, so that later sessions open with them.

    Call it after session_checkpoint: 3 passes after a correction by the user, 2 for what worked or
    mattered in a session, 1 in general. Unknown keys are skipped and named.
    """
    return reply(Taught.of(_caller(ctx).memory.train(atoms, passes)))


def memory_context(
    ctx: Caller,
    *,
    keys: Annotated[Keys, Field(description="keys of atoms to look around")],
    depth: Annotated[int, Field(ge=1, le=LIMITS["context_depth"], description="how many edges to follow")] = 1,
    asOf: AsOf = "",
    validAt: ValidAt = "",
) -> Annotated[CallToolResult, Linked]:
    """See the neighbours of atoms: their edges, the atoms at the other ends, and the atoms that were used next.

    Call it before you change or tombstone an atom, to see what depends on it, and when you want to know why something
    is so.
    """
    return reply(
        Linked.of(_caller(ctx).memory.context(keys, depth=depth, as_of=asOf or None, valid_at=validAt or None))
    )


def memory_associate(
    ctx: Caller,
    *,
    atoms: Annotated[Keys, Field(description="keys of atoms stored lately")],
    domain: Annotated[Text, Field(description="the domain they belong to, if no edge says it")] = "",
    allDomains: Annotated[
        list[KeyText],
        Field(max_length=LIMITS["names"], description="the domains to look in (default: all others)"),
    ] = [],  # noqa: B006
) -> Annotated[CallToolResult, Associated]:
    """Find related atoms in other domains that no edge links yet: the strongest first, each with its reason.

    Call it after saving several atoms, when insight from another area could help. To accept one, give its edge to
    session_checkpoint; only what the user would recognise as true.
    """
    caller = _caller(ctx)
    found = caller.memory.associate(atoms, domain=domain or None, all_domains=allDomains or None)
    return reply(Associated.of(found, caller.words))


def memory_list_atoms(
    ctx: Caller,
    *,
    prefix: Annotated[
        str, Field(max_length=LIMITS["name_bytes"], description="the beginning of the keys, such as v1.task.")
    ] = "",
    limit: Annotated[int, Field(ge=1, le=LIMITS["list_items"], description="maximum number of atoms")] = 100,
    offset: Annotated[int, Field(ge=0, description="number to skip: nextOffset of the page before")] = 0,
) -> Annotated[CallToolResult, Listed]:
    """List atoms by key, page by page, with the beginning of each value.

    Call it to see all atoms of a kind (prefix v1.task., v1.domain., v1.procedure.). To find something, use
    memory_search. Tombstoned and superseded atoms are left out.
    """
    listing = _caller(ctx).memory.list(prefix, limit=limit, offset=offset, count=True)
    return reply(Listed.of(listing, prefix, offset))


TOOLS = (
    Tool(memory_session_bootstrap, "Open a session", "read", budget=True, by_meaning=True),
    Tool(session_checkpoint, "Save to memory", "write", writes=True),
    Tool(memory_search, "Search memory", "read", by_meaning=True),
    Tool(memory_access, "Read an atom", "read"),
    Tool(memory_train, "Reinforce what belongs together", "train", writes=True),
    Tool(memory_context, "See what is connected", "read"),
    Tool(memory_associate, "Discover connections", "read"),
    Tool(memory_list_atoms, "List atoms", "read"),
)
