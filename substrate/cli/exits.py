"""The one table of exit codes: what each means, and which error leads to it."""

from __future__ import annotations

from enum import IntEnum

from substrate import errors

__all__ = ["EXITS", "Exit", "exit_of"]


class Exit(IntEnum):
    """How a command ended. The numbers are stable."""

    OK = 0
    REJECTED = 1
    USAGE = 2
    UNTRUSTED = 3
    NOT_FOUND = 4
    FORGOTTEN = 5
    CONFLICT = 6
    BUSY = 7
    FULL = 8
    DENIED = 9
    DAMAGED = 10
    ROLLED_BACK = 11
    PARTIAL = 12
    NO_MODEL = 13
    UNPRINTED = 14
    BUG = 70
    INTERRUPTED = 130
    PIPE_CLOSED = 141


EXITS: dict[Exit, str] = {
    Exit.OK: "done; of verify: verified",
    Exit.REJECTED: "verify: the proof is rejected; fsck: the store is damaged",
    Exit.USAGE: "wrong usage or invalid input",
    Exit.UNTRUSTED: "verify: consistent, origin untrusted (no key and no pin was given)",
    Exit.NOT_FOUND: "no such store, atom or entry",
    Exit.FORGOTTEN: "the atom existed and was forgotten",
    Exit.CONFLICT: "another writer was faster: --expect does not hold; nothing was written",
    Exit.BUSY: "another process holds the lock; try again",
    Exit.FULL: "no room on the disk or in the store; nothing was written",
    Exit.DENIED: "not allowed here: no signing key, or no permission",
    Exit.DAMAGED: "the store is damaged or newer than this program; run fsck",
    Exit.ROLLED_BACK: "another copy of this store, or a pin, is ahead of it: it can be read; nothing was written",
    Exit.PARTIAL: "done in part; the output lists the rest",
    Exit.NO_MODEL: "the model is missing or does not run; only search by meaning needs it",
    Exit.UNPRINTED: "done and written, but the answer could not be printed",
    Exit.BUG: "an error in Substrate itself; --debug shows where",
    Exit.INTERRUPTED: "stopped by Ctrl-C, or by the answer to a question",
    Exit.PIPE_CLOSED: "the reader of the output closed it, as in `substrate list | head -1`; the work is done",
}
"""Each code in words, as --help and docs/cli.md show them."""

_BY_ERROR: dict[type[errors.SubstrateError], Exit] = {
    errors.InputError: Exit.USAGE,
    errors.NotFound: Exit.NOT_FOUND,
    errors.Forgotten: Exit.FORGOTTEN,
    errors.Denied: Exit.DENIED,
    errors.Conflict: Exit.CONFLICT,
    errors.Busy: Exit.BUSY,
    errors.Full: Exit.FULL,
    errors.ModelUnavailable: Exit.NO_MODEL,
    errors.ProofInvalid: Exit.REJECTED,
    errors.StoreDamaged: Exit.DAMAGED,
    errors.RolledBack: Exit.ROLLED_BACK,
    errors.SubstrateError: Exit.BUG,
}


def exit_of(kind: type[errors.SubstrateError]) -> Exit:
    """The code of an error's class: its own, or that of the nearest class above it. The root itself is never meant."""
    return next(_BY_ERROR[above] for above in kind.__mro__ if above in _BY_ERROR)
