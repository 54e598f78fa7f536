"""Make LMDB fail at will."""

from __future__ import annotations

from typing import Any

import lmdb

from substrate.kv.lmdb.transactions import Writing


def lmdb_error(kind: type[lmdb.Error], code: int = 0) -> lmdb.Error:
    """An error as LMDB raises it: its class does not take the code."""
    error = kind("mdb_call")
    error.code = code  # type: ignore[misc]
    return error


class Refusing:
    """A transaction whose commit, or put, fails as LMDB would."""

    def __init__(self, right: Any, error: Exception, call: str) -> None:
        self.right, self.error, self.call = right, error, call

    def __getattr__(self, name: str) -> Any:
        if name != self.call:
            return getattr(self.right, name)

        def fail(*_: object, **__: object) -> None:
            self.right.abort()
            raise self.error

        return fail


def break_at(transaction: Writing, call: str, error: Exception) -> None:
    """From now on this call of the transaction fails."""
    transaction._txn = Refusing(transaction._txn, error, call)
