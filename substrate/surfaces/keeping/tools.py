"""What is proven, what was, what must go, and how the store is: for clients of any surface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from mcp.server.mcpserver import Elicit, Resolve
from mcp.server.mcpserver.resolve import AcceptedElicitation, ElicitationResult
from mcp.types import CallToolResult
from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema

from substrate.errors import Denied, InputError, NotFound
from substrate.limits import LIMITS
from substrate.surfaces.arguments import MOMENT_CHARACTERS, AsOf, Caller, KeyText, ValidAt
from substrate.surfaces.client import Client, client_of
from substrate.surfaces.keeping.shapes import Erased, Past, Status, Verified
from substrate.surfaces.shape import Contradiction, compact_json, reply
from substrate.surfaces.tool import Tool, progress_of
from substrate.text.quote import as_command, in_quotes

if TYPE_CHECKING:  # a server lists its tools before the engine and its values are loaded
    from substrate.memory import Memory

__all__ = ["NAME", "TOOLS"]

NAME: Final = "keeping"
_MOST_FORGOTTEN: Final = 20
"""Keys of one question: more nobody would read before they say yes."""
_SHOWN: Final = 60
_NO_WITNESS: Final = (
    "the key comes from this store itself: to be sure, ask the user for a pin or a key kept outside the store"
)
_CONFLICTS: Final = 10
_TYPES: Final = 50


def _json(given: object) -> object:
    """An object as the text that it was."""
    return compact_json(given) if isinstance(given, dict) else given


_PinText = Annotated[str, Field(max_length=MOMENT_CHARACTERS)]
_BundleText = Annotated[
    str,
    BeforeValidator(_json),
    Field(max_length=LIMITS["line_bytes"]),
    WithJsonSchema({"type": ["object", "string"]}),
]


def _caller(ctx: Caller) -> Client:
    return client_of(ctx, NAME)


# -- what is proven ----------------------------------------------------------------------------------------------------


def memory_verify(
    ctx: Caller,
    *,
    bundle: Annotated[
        _BundleText,
        Field(description="a proof; without it, the store is checked"),
    ] = "",
    verifierKey: Annotated[_PinText, Field(description="a key you trust, got separately")] = "",
    pin: Annotated[_PinText, Field(description="a pin kept outside the store")] = "",
) -> Annotated[CallToolResult, Verified]:
    """Check a proof against a key or a pin; or, by a pin alone, that this store still contains that history.

    Call it when the user asks if what is stored is authentic.
    """
    memory = _caller(ctx).memory
    if not bundle:
        if not pin:
            raise InputError(
                "give a bundle to check, or a pin to check the store against; `substrate prove KEY` prints a bundle"
            )
        memory.check_pin(pin)
        head = memory.head().head
        return reply(
            Verified(
                valid=True,
                claim="extended",
                trusted=True,
                against="the pin",
                size=head.size,
                root=head.root.hex(),
                origin=head.origin,
            )
        )
    verdict = memory.verify(bundle, pin=pin or None, key=verifierKey or None)
    own = not (pin or verifierKey)
    against = "the pin" if pin else "the key given" if verifierKey else "this store's own key"
    return reply(
        Verified(
            valid=True,
            claim=verdict.claim,
            trusted=verdict.trusted,
            against=against,
            key=verdict.name,
            seq=verdict.seq,
            size=verdict.head.size,
            root=verdict.head.root.hex(),
            origin=verdict.head.origin,
            note=_NO_WITNESS if own else None,
        )
    )


# -- what was ----------------------------------------------------------------------------------------------------------


def memory_history(
    ctx: Caller,
    *,
    key: Annotated[KeyText, Field(description="exact key, or id")],
    asOf: AsOf = "",
    validAt: ValidAt = "",
    limit: Annotated[int, Field(ge=1, le=LIMITS["list_items"], description="maximum; newest kept")] = 20,
) -> Annotated[CallToolResult, Past]:
    """See how an atom came to say what it says: its versions, oldest first, by whom and when.

    Call it when the user asks what was known before, or who changed it; also of a tombstoned key.
    """
    return reply(
        Past.of(key, _caller(ctx).memory.history(key, as_of=asOf or None, valid_at=validAt or None, limit=limit))
    )


# -- what must go ------------------------------------------------------------------------------------------------------


class Yes(BaseModel):
    """The question to the user."""

    erase: bool = Field(title="Erase for good", description="yes: erase it; it cannot be brought back")


_Keys = Annotated[
    list[KeyText],
    Field(min_length=1, max_length=_MOST_FORGOTTEN, description="exact keys; an edge goes by its id"),
]


def ask_to_forget(ctx: Caller, keys: _Keys) -> Elicit[Yes]:
    """The question to the user: it names what would go, and is asked again if that changes."""
    client = _caller(ctx)
    capabilities = ctx.client_capabilities
    asked = None if capabilities is None else capabilities.elicitation
    if asked is None or (asked.form is None and asked.url is not None):
        by_hand = as_command("substrate", "forget", "--store", client.store, "--", *keys)
        raise Denied(
            "to forget needs the user's yes, and this client cannot ask for it. The user can do it in a terminal: "
            f"{by_hand}; or in a notebook: memory.forget(keys). To take something out of use and keep its history, "
            "tombstone it"
        )
    memory = client.memory
    would = memory.forget(keys, dry_run=True)
    gone = [*keys, *would.renamed]
    asked_for = _many(len(gone), "atom" if would.atoms == len(gone) else "item")
    counts = [_many(would.versions, "version"), _many(would.edges, "edge")]
    counts += [_many(would.trainings, "training")] if would.trainings else []
    counts += [_many(would.models, "model")] if would.models else []
    what = f"{', '.join(counts[:-1])} and {counts[-1]}"
    told = [f"{number}. {_told(memory, key)}" for number, key in enumerate(gone, 1)]
    question = f"Erase {asked_for} for good? That is {what}, and every trace of their use; it cannot be brought back."
    return Elicit("\n".join([f"{question} To be erased:", *told]), Yes)


def _told(memory: Memory, key: str) -> str:
    """An atom as a person knows it: its name and what it says, in quotes, so that neither reads as the question."""
    try:
        puts = [version.atom for version in memory.history(key, limit=2) if version.atom is not None]
    except NotFound:  # not an atom's: an edge's id, say
        puts = []
    if not puts:
        return in_quotes(key)
    value = puts[-1].value
    said = in_quotes(value if len(value) <= _SHOWN else value[:_SHOWN] + "…")
    return f"{in_quotes(puts[-1].name)}, which says {said}"


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def memory_forget(
    ctx: Caller,
    *,
    keys: _Keys,
    answer: Annotated[ElicitationResult[Yes], Resolve(ask_to_forget)],
) -> Annotated[CallToolResult, Erased]:
    """Erase atoms for good: every version, edge and trace. The user is asked first.

    Call it only when the user wants something erased, such as private data; what is merely outdated is tombstoned.
    """
    if not isinstance(answer, AcceptedElicitation) or not answer.data.erase:
        raise Denied("the user did not agree: nothing was erased")
    report, steps = progress_of(ctx), len(keys) + 1  # the last is to rewrite the store's file without them
    forgot = _caller(ctx).memory.forget(keys, progress=lambda done, _: report(done, steps))
    report(steps, steps)
    return reply(Erased.of(forgot))


# -- how the store is --------------------------------------------------------------------------------------------------


def memory_status(ctx: Caller) -> Annotated[CallToolResult, Status]:
    """How much the store holds, how far search has got, what contradicts, and what this server may do.

    Call it when the user asks about the memory itself, or if something seems missing.
    """
    client = _caller(ctx)
    memory = client.memory
    stats, head, model = memory.stats(), memory.head().head, memory.model()
    conflicts = memory.conflicts(limit=_CONFLICTS)
    counts = {word: getattr(stats, word) for word in ("atoms", "tombstoned", "forgotten", "edges", "entries")}
    return reply(
        Status(
            **counts,
            sessions=stats.sessions,
            trainings=stats.trainings,
            types=dict(sorted(stats.types.items(), key=lambda one: -one[1])[:_TYPES]),
            conflicts=[
                Contradiction(first=one.first.name, second=one.second.name, kind=one.kind, reason=one.reason)
                for one in conflicts
            ],
            more_conflicts=conflicts.more or None,
            size=head.size,
            root=head.root.hex(),
            origin=head.origin,
            model=model.model,
            waiting=model.waiting,
            watching=memory.watching,
            behind=None if stats.behind is None else str(stats.behind),
            scopes=sorted(client.scopes),
            session=client.session,
        )
    )


TOOLS = (
    Tool(memory_verify, "Verify a proof", "read"),
    Tool(memory_history, "See earlier versions", "read"),
    Tool(memory_forget, "Erase for good", "forget", writes=True, destructive=True, idempotent=True, asks_user=True),
    Tool(memory_status, "Look at the store", "read"),
)
