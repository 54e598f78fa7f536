"""Every error of LMDB becomes one of ours."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import lmdb
import pytest

from substrate import errors, files
from substrate.kv.lmdb import errors as translate
from substrate.kv.lmdb.environment import open_store
from tests.kv.broken import lmdb_error

EXPECTED = {
    "BadRslotError": errors.Unusable,
    "BadTxnError": errors.Unusable,
    "BadValsizeError": errors.SchemaInvalid,
    "DbsFullError": errors.SchemaInvalid,
    "DiskError": errors.DiskFull,
    "InvalidParameterError": errors.Unusable,
    "LockError": errors.Busy,
    "MapFullError": errors.MapFull,
    "MapResizedError": errors.Busy,
    "MemoryError": errors.Full,
    "PanicError": errors.Unusable,
    "ReadersFullError": errors.Busy,
    "ReadonlyError": errors.Denied,
    "TlsFullError": errors.Unusable,
    "TxnFullError": errors.Full,
}
ALL = sorted(
    (kind for kind in vars(lmdb).values() if isinstance(kind, type) and issubclass(kind, lmdb.Error)),
    key=lambda kind: kind.__name__,
)


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_each_error_of_lmdb_becomes_one_of_ours_and_says_what_to_do(kind: type[lmdb.Error]) -> None:
    ours = translate.from_lmdb(lmdb_error(kind))
    assert type(ours) is EXPECTED.get(kind.__name__, errors.Unusable if kind is lmdb.Error else errors.StoreDamaged)
    assert "mdb_call" in str(ours)
    assert ":" in str(ours) or isinstance(ours, errors.InputError)


def test_the_table_has_no_name_that_lmdb_does_not_have() -> None:
    assert set(EXPECTED) == set(translate._BY_NAME) <= {kind.__name__ for kind in ALL}


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (errno.ENOSPC, errors.DiskFull),
        (errno.EDQUOT, errors.DiskFull),
        (errno.EFBIG, errors.DiskFull),
        (errno.EACCES, errors.Denied),
        (errno.EROFS, errors.Denied),
        (errno.EMFILE, errors.Busy),
        (errno.EIO, errors.Unusable),
        (errno.ENOENT, errors.Unusable),
    ],
)
def test_an_errno_means_the_same_from_lmdb_and_from_the_system(number: int, kind: type[Exception]) -> None:
    assert type(translate.from_lmdb(lmdb_error(lmdb.Error, number))) is kind
    with pytest.raises(kind, match=os.strerror(number)), files.typed_errors("here"):
        raise OSError(number, "no")


@pytest.mark.parametrize("damage", ["zeros", "text", "short", "other version"])
def test_a_data_file_that_is_none_is_store_damaged(tmp_path: Path, damage: str) -> None:
    open_store(tmp_path, ["a"]).close()
    file = tmp_path / "env.0001" / "data.mdb"
    raw = bytearray(file.read_bytes())
    if damage == "zeros":
        raw[:] = bytes(len(raw))
    elif damage == "text":
        raw[:4096] = b"text" * 1024
    elif damage == "short":
        raw[100:] = b""
    else:  # the version follows the magic number, in both meta pages
        for page in (0, 4096):
            raw[page + 20] = 77
    file.write_bytes(raw)
    for read_only in (True, False):
        with pytest.raises(errors.StoreDamaged, match="backup"):
            open_store(tmp_path, ["a"], read_only=read_only)
    assert file.read_bytes() == raw
