"""A store as lines and back: the same in every row; and whatever is done to the lines, no other store comes out."""

from __future__ import annotations

import io
import json
import random
import string
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path

import pytest

from substrate.codec import draft_put
from substrate.errors import Denied, FormatTooNew, InputError, RolledBack, StoreDamaged, SubstrateError, TooLarge
from substrate.kv.open import open_store
from substrate.limits import LIMITS
from substrate.log.copies import clone as clone_module
from substrate.log.copies import contents as truth_module
from substrate.log.copies import rebuild as rebuild_module
from substrate.log.copies.check import check_store
from substrate.log.copies.clone import clone, export_full, line_text
from substrate.log.copies.restore import restore
from substrate.log.log import open_log
from substrate.log.tables import BODIES, CONFIRMED, EXPECTED, HEADS, TABLES, seq_key
from substrate.proof.encoding import b64
from substrate.proof.head import Pin, SignedHead
from tests.log.grown import VIEWS, Content, content, grow
from tests.scale import rounds


def export(path: Path, home: Path, progress: Callable[[int, int], None] | None = None) -> list[str]:
    lines: list[str] = []
    with open_log(path, home=home, read_only=True) as log, log.snapshot() as transaction:
        export_full(transaction, lambda line: lines.append(line_text(line)), progress)
    return lines


@pytest.fixture
def store(tmp_path: Path, home: Path) -> Path:
    with open_log(tmp_path / "store", home=home, views=VIEWS) as log:
        grow(log)
        with log._store.write() as transaction:
            transaction.put(CONFIRMED, b"\xff" * 16, b"\x00\xff")
            transaction.put(EXPECTED, b"x" * 16, "ü".encode())
    return tmp_path / "store"


@pytest.fixture
def lines(store: Path, home: Path) -> list[str]:
    return export(store, home)


def sealed(lines: Iterable[str]) -> list[str]:
    """The lines with a right last one, as someone would write who knows the format."""
    before = [line for line in lines if not line.startswith('{"end"')]
    digest = sha256("".join(f"{line}\n" for line in before).encode()).hexdigest()
    return [*before, line_text({"end": len(before), "digest": digest})]


def test_a_clone_equals_the_original_in_every_row_of_every_table(store: Path, home: Path, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    lines = export(store, home, lambda done, total: told.append((done, total)))
    assert told[-1][0] == told[-1][1]
    assert sealed(lines) == lines
    told.clear()
    pin = clone(lines, tmp_path / "clone", home=home, views=VIEWS, progress=lambda *step: told.append(step))
    assert told[-1][0] == told[-1][1]
    assert content(tmp_path / "clone") == content(store)
    assert check_store(tmp_path / "clone", home=home, views=VIEWS).damage is None
    with open_log(store, home=home, views=VIEWS) as log:
        assert str(pin) == str(log.pin())
        assert export(tmp_path / "clone", home) == lines
        log.check_pin(pin)
    with open_log(tmp_path / "clone", home=home, views=VIEWS) as log:  # whoever has the key may go on with it
        log.append([draft_put("v1.fact.after", "1")])


def test_lines_may_come_from_a_file(lines: list[str], store: Path, tmp_path: Path, home: Path) -> None:
    path = tmp_path / "export.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    with path.open(encoding="utf-8", newline="\n") as file:
        clone(file, tmp_path / "clone", home=home, views=VIEWS)
    assert content(tmp_path / "clone") == content(store)
    path.write_bytes(path.read_bytes().replace("ü".encode(), b"\xff", 1))
    with path.open(encoding="utf-8") as file, pytest.raises(InputError, match="not in valid Unicode"):
        clone(file, tmp_path / "other", home=home, views=VIEWS)
    assert not (tmp_path / "other").exists()


def test_without_the_key_a_clone_can_be_read_and_checked_but_not_written_to(lines: list[str], tmp_path: Path) -> None:
    clone(lines, tmp_path / "clone", home=tmp_path / "elsewhere")
    assert check_store(tmp_path / "clone", home=tmp_path / "elsewhere").damage is None
    with open_log(tmp_path / "clone", home=tmp_path / "elsewhere") as log:
        assert log.get("v1.fact.n3") == "new"
        with pytest.raises(Denied, match="no signing key"):
            log.append([draft_put("v1.fact.after", "1")])


def test_a_clone_of_what_has_gone_on_is_rolled_back_and_can_be_restored(
    lines: list[str], store: Path, tmp_path: Path, home: Path
) -> None:
    with open_log(store, home=home, views=VIEWS) as log:
        log.append([draft_put("v1.fact.more", "1")])
    clone(lines, tmp_path / "clone", home=home, views=VIEWS)
    with open_log(tmp_path / "clone", home=home, views=VIEWS) as log, pytest.raises(RolledBack):
        log.append([draft_put("v1.fact.more", "2")])
    assert restore(tmp_path / "clone", tmp_path / "new", home=home, views=VIEWS).abandoned is not None
    with open_log(store, home=home, views=VIEWS) as log:
        log.append([draft_put("v1.fact.more", "2")])


def test_a_clone_raises_the_mark_as_an_open_would(lines: list[str], tmp_path: Path, home: Path) -> None:
    mark = next(home.glob("keys/*/high-water"))
    mark.unlink()
    clone(lines, tmp_path / "clone", home=home, views=VIEWS)
    assert mark.exists()


def test_a_restored_store_can_be_cloned(store: Path, tmp_path: Path, home: Path) -> None:
    restore(store, tmp_path / "restored", home=tmp_path / "elsewhere", views=VIEWS)
    clone(export(tmp_path / "restored", home), tmp_path / "clone", home=home, views=VIEWS)
    assert content(tmp_path / "clone") == content(tmp_path / "restored")


def test_portions_of_any_size_make_the_same_store(
    lines: list[str], store: Path, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, (rows, size) in enumerate(((1, 1), (7, 1 << 30), (1000, 300))):
        monkeypatch.setattr(rebuild_module, "_ROWS", rows)
        monkeypatch.setattr(rebuild_module, "_BYTES", size)
        monkeypatch.setattr(rebuild_module, "BATCH", rows)
        monkeypatch.setattr(clone_module, "BATCH", rows)
        monkeypatch.setattr(clone_module, "_TRACES", rows)
        clone(lines, tmp_path / str(number), home=home, views=VIEWS)
        assert content(tmp_path / str(number)) == content(store)


# -- what is not an export, or no longer one ---------------------------------------------------------------------


def index(lines: list[str], start: str, which: int = 0) -> int:
    return [i for i, line in enumerate(lines) if line.startswith(start)][which]


def changed(lines: list[str], at: int, **members: object) -> list[str]:
    return [*lines[:at], line_text({**json.loads(lines[at]), **members}), *lines[at + 1 :]]  # type: ignore[dict-item]


def swapped(lines: list[str], i: int, j: int) -> list[str]:
    lines = list(lines)
    lines[i], lines[j] = lines[j], lines[i]
    return lines


def flipped(text: str, at: int) -> str:
    """Another character of the same alphabet there: what was well spelled stays so, mostly."""
    first, second = "AB" if text[at].isupper() else "ab" if text[at].islower() else "12"
    other = second if text[at] == first else first
    return text[:at] + other + text[at + 1 :]


def test_a_flipped_character_is_always_another_one() -> None:
    assert [each for each in string.printable if flipped(each, 0) == each] == []


Work = Callable[[list[str]], list[str]]
FAULTS: dict[str, tuple[Work, str]] = {
    "nothing": (lambda _: [], "line 1"),
    "not JSON": (lambda _: ["hello"], "line 1: .*JSON"),
    "a plain export": (lambda _: ['{"substrate":1,"kind":"plain","entries":1}'], "line 1: not a full export"),
    "no entries": (lambda lines: changed(lines, 0, size=0), "line 1: .*at least one"),
    "an origin that is none": (lambda lines: changed(lines, 0, origin="a b"), "line 1: key_name"),
    "a salt that is none": (lambda lines: changed(lines, 0, map_salt="AAAA"), "line 1: length"),
    "cut off": (lambda lines: lines[:-1], "cut off after line"),
    "cut off in the middle": (lambda lines: lines[:20], "cut off after line 20"),
    "cut off in a line": (lambda lines: [*lines[:19], lines[19][:30]], "line 20: .*JSON"),
    "a line more": (lambda lines: [*lines, ""], "lines behind the last one"),
    "a line that is a list": (lambda lines: [*lines[:5], "[]", *lines[5:]], "line 6: no line of a full export"),
    "a member more": (lambda lines: changed(lines, 5, more=1), "line 6: no line of a full export"),
    "a member twice": (lambda lines: [*lines[:5], lines[5][:-1] + ',"seq":4}', *lines[6:]], "line 6: json"),
    "an entry lost": (lambda lines: [*lines[:5], *lines[6:]], "line 6: entry .* stands where entry"),
    "entries swapped": (lambda lines: swapped(lines, 5, 6), "line 6: entry .* stands where entry"),
    "an entry twice": (lambda lines: [*lines[:5], lines[5], *lines[5:]], "line 7: entry .* stands where entry"),
    "an entry cut short": (lambda lines: changed(lines, 5, entry="AAAA"), "line 6: length"),
    "an entry's time": (lambda lines: with_entry(lines, 5, 25), "another root|older|line 45"),
    "a body": (lambda lines: changed(lines, 6, body='{"name":"v1.fact.x","value":""}'), "line 7: the body of entry"),
    "a body without its salt": (lambda lines: changed(lines, 6, salt=None), "line 7: salt and body"),
    "a body lost": (lambda lines: changed(lines, 6, salt=None, body=None), "is gone without a forget entry"),
    "an erased body": (lambda lines: changed(lines, 5, body="{}"), "line 6: salt and body"),
    "a head lost, of a rotation": (lambda lines: without(lines, rotation(lines)), "is missing"),
    "a head twice": (lambda lines: [*lines[:3], lines[2], *lines[3:]], "line 4: no line .* belongs here"),
    "the last head lost": (lambda lines: without(lines, index(lines, '{"head"', -1)), "no head covers"),
    "heads swapped": (lambda lines: swapped(lines, 2, index(lines, '{"head"', 1)), "line 3: .*another log or size"),
    "a head's signature": (lambda lines: with_head(lines, -1, -12), "signed by just the key|base64"),
    "a head's root": (lambda lines: with_head(lines, 1, 60), "head at size"),
    "fewer entries announced": (lambda lines: changed(lines, 0, size=10), "10 were announced"),
    "another origin": (lambda lines: changed(lines, 0, origin="another"), "says that it is another"),
    "another map salt": (lambda lines: changed(lines, 0, map_salt="A" * 43 + "="), "another map"),
    "a trace of an unknown table": (lambda lines: changed(lines, trace(lines), trace="x"), "no trace that"),
    "a trace of a table that is none": (lambda lines: changed(lines, trace(lines), trace="entries"), "no trace that"),
    "a trace without a key": (lambda lines: changed(lines, trace(lines), key=""), "no trace that"),
    "traces swapped": (lambda lines: swapped(lines, trace(lines), trace(lines) + 1), "out of order"),
    "a trace among entries": (lambda lines: [*lines[:5], lines[trace(lines)], *lines[5:]], "or a trace, belongs"),
    "a head after the traces": (lambda lines: moved(lines, index(lines, '{"head"', -1)), "belongs here|no head"),
}


def with_entry(lines: list[str], at: int, byte: int) -> list[str]:
    data = bytearray(b64decode(json.loads(lines[at])["entry"]))
    data[byte] ^= 1
    return changed(lines, at, entry=b64encode(bytes(data)).decode())


def with_head(lines: list[str], which: int, at: int) -> list[str]:
    where = index(lines, '{"head"', which)
    return changed(lines, where, head=flipped(json.loads(lines[where])["head"], at))


def without(lines: list[str], at: int) -> list[str]:
    return [*lines[:at], *lines[at + 1 :]]


def rotation(lines: list[str]) -> int:
    return next(i for i, line in enumerate(lines) if line.count("\N{EM DASH}") == 2)


def trace(lines: list[str]) -> int:
    return index(lines, '{"trace"')


def moved(lines: list[str], at: int) -> list[str]:
    return [*without(lines, at)[:-1], lines[at], lines[-1]]


@pytest.mark.parametrize("seal", [False, True])
@pytest.mark.parametrize("what", FAULTS)
def test_what_is_no_export_or_was_changed_is_refused_and_leaves_nothing(
    lines: list[str],
    tmp_path: Path,
    home: Path,
    what: str,
    seal: bool,  # noqa: FBT001
) -> None:
    work, message = FAULTS[what]
    given = work(lines)
    if seal and given and given[-1].startswith('{"end"'):
        given = sealed(given)  # even by someone who knows how the last line is made
        with pytest.raises((InputError, StoreDamaged), match=message):
            clone(given, tmp_path / "clone", home=home, views=VIEWS)
    else:
        with pytest.raises((InputError, StoreDamaged)):
            clone(given, tmp_path / "clone", home=home, views=VIEWS)
    assert not (tmp_path / "clone").exists()


def test_an_export_of_tomorrow_is_told_apart(lines: list[str], tmp_path: Path, home: Path) -> None:
    with pytest.raises(FormatTooNew, match="format 3"):
        clone(changed(lines, 0, substrate=3, more=1), tmp_path / "clone", home=home)


def test_keys_of_domains_come_in_order_and_in_format_2_alone(lines: list[str], tmp_path: Path, home: Path) -> None:
    first, second, short = (
        line_text({"domain": b64(subject), "wrapped": b64(b"a row")}) for subject in (b"a" * 16, b"b" * 16, b"a")
    )
    new = changed(lines, 0, substrate=2)[:-1]
    for wrong, why in (
        ([*lines[:-1], first], "no line of a full export"),
        ([*new, second, first], "out of order"),
        ([*new, first, first], "out of order"),
        ([*new, short], "length"),
    ):
        with pytest.raises(InputError, match=why):
            clone(sealed(wrong), tmp_path / "clone", home=home)
    clone(sealed([*new, first, second]), tmp_path / "clone", home=home)
    again = export(tmp_path / "clone", home)
    assert again == sealed([*new, first, second])


def test_a_line_that_is_too_long_is_not_read_whole(
    lines: list[str], tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LIMITS, "line_bytes", 1000)
    with pytest.raises(TooLarge, match=r"line \d+ has"):
        clone(lines, tmp_path / "clone", home=home)

    class Endless(io.StringIO):
        def readline(self, size: int | None = -1, /) -> str:
            assert size is not None
            assert 0 < size < 2000
            return "x" * size

    with pytest.raises(TooLarge, match="line 1 has"):
        clone(Endless(), tmp_path / "clone", home=home)
    assert not (tmp_path / "clone").exists()


def test_the_longest_body_fits_into_a_line() -> None:
    # In a body, which is JSON, a quote takes two bytes; as a text inside a line each of these takes two again.
    assert 2 * LIMITS["body_bytes"] + 1000 < LIMITS["line_bytes"]


def test_nothing_is_overwritten(lines: list[str], store: Path, home: Path) -> None:
    with pytest.raises(InputError, match="holds a store"):
        clone(lines, store, home=home, views=VIEWS)


def test_a_damaged_store_is_not_exported(store: Path, home: Path) -> None:
    for table, at, row in ((BODIES, seq_key(5), b"x" * 30), (HEADS, seq_key(1), b"\xff")):
        kv = open_store(store, list(TABLES))
        with kv.write() as transaction:
            before = transaction.get(table, at)
            transaction.put(table, at, row)
        with pytest.raises(StoreDamaged, match=r"the body of entry 5|the head at size 1"):
            export(store, home)
        with kv.write() as transaction:
            transaction.put(table, at, before or b"")
        kv.close()


# -- any tampering -----------------------------------------------------------------------------------------------


def tampered(lines: list[str], rng: random.Random) -> list[str]:
    """Some change to some line, or to their order; sealed again more often than not."""
    given = list(lines)
    at = rng.randrange(len(given) - 1)
    match rng.choice(["character", "character", "entry", "drop", "swap", "twice", "cut", "graft"]):
        case "character":
            given[at] = flipped(given[at], rng.randrange(len(given[at])))
        case "entry" if "entry" in json.loads(given[at]):
            given = with_entry(given, at, rng.randrange(58))
        case "drop":
            del given[at]
        case "swap":
            other = rng.randrange(len(given) - 1)
            given[at], given[other] = given[other], given[at]
        case "twice":
            given.insert(rng.randrange(len(given) - 1), given[at])
        case "cut":
            del given[at + 1 : at + 1 + rng.randrange(1, 5)]
        case "graft":
            members, other = json.loads(given[at]), json.loads(given[rng.randrange(len(given) - 1)])
            shared = [key for key in members if key in other]
            if shared:
                key = rng.choice(shared)
                members[key] = other[key]
                given[at] = line_text(members)
    return sealed(given) if rng.random() < 0.7 else given


def outcome(given: list[str], path: Path, home: Path) -> Content | None:
    """The rows of the clone that came of it; None if it was refused. Nothing else may be there then."""
    try:
        clone(given, path, home=home, views=VIEWS)
    except SubstrateError:
        assert not path.exists()
        return None
    return content(path)


def is_the_same_truth(made: Content, original: Content) -> bool:
    """Traces are not proven, and a head may be missing that nothing depends on: the rest must be what it was."""
    proven = [table for table in original if table not in (CONFIRMED, EXPECTED, HEADS)]
    return all(made[table] == original[table] for table in proven) and set(made[HEADS]) <= set(original[HEADS])


def tampering_is_refused(lines: list[str], original: Content, tmp_path: Path, home: Path, count: int) -> None:
    rng = random.Random(7)
    refused = 0
    for number in range(count):
        given = tampered(lines, rng)
        if given == lines:
            continue
        made = outcome(given, tmp_path / str(number), home)
        refused += made is None
        assert made is None or is_the_same_truth(made, original), f"tampering {number} made another store"
        assert made is None or given == sealed(given), f"tampering {number} passed the digest"
    assert refused > count / 2


@pytest.fixture
def small(tmp_path: Path, home: Path) -> Path:
    with open_log(tmp_path / "small", home=home, views=VIEWS) as log:
        grow(log, names=6)
        with log._store.write() as transaction:
            transaction.put_many(EXPECTED, [(bytes([i]) * 16, b"v1.fact.expected") for i in range(20)])
    return tmp_path / "small"


@pytest.mark.no_cover
@pytest.mark.soak
def test_no_tampering_with_lines_makes_another_store(small: Path, tmp_path: Path, home: Path) -> None:
    tampering_is_refused(export(small, home), content(small), tmp_path, home, rounds(60, 3000))


TWINS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "bodies": lambda patch: patch.setattr(truth_module, "is_committed", lambda *_: True),
    "roots": lambda patch: patch.setattr(truth_module.Truth, "root", property(lambda _: Always())),
    "digest": lambda patch: patch.setattr(clone_module._Import, "_take", careless(clone_module._Import._take)),
}


class Always:
    """Equals whatever it is compared with."""

    def __init__(self, *_: object) -> None:
        pass

    def __eq__(self, _: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


def careless(real: Callable[..., bool]) -> Callable[..., bool]:
    def take(self: object, text: str) -> bool:
        if text.startswith('{"end"'):
            self._sign_off()  # type: ignore[attr-defined]
            return True
        return real(self, text)

    return take


@pytest.mark.parametrize("twin", TWINS)
def test_a_clone_that_leaves_out_one_check_is_found_out(
    small: Path, tmp_path: Path, home: Path, twin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines, original = export(small, home), content(small)
    TWINS[twin](monkeypatch)
    with pytest.raises(AssertionError, match="tampering"):
        tampering_is_refused(lines, original, tmp_path, home, 150)


def test_a_head_that_another_key_signed_is_refused(small: Path, tmp_path: Path, home: Path) -> None:
    """And a clone that does not look at signatures takes it: a head with all roots right, that nobody vouches for."""
    lines = export(small, home)
    at = index(lines, '{"head"', -1)
    note = json.loads(lines[at])["head"]
    first = SignedHead.parse(json.loads(lines[2])["head"]).note
    text, _, signature = note.rpartition(" ")
    forged = sealed(changed(lines, at, head=f"{text} {str(first).rpartition(' ')[2]}"))
    assert signature
    with pytest.raises(StoreDamaged, match="not signed by just the key"):
        clone(forged, tmp_path / "clone", home=home, views=VIEWS)
    with pytest.MonkeyPatch.context() as patch:
        real = truth_module.Truth.sign
        patch.setattr(truth_module.Truth, "sign", lambda self, note, **_: real(self, note, check_signature=False))
        pin: Pin = clone(forged, tmp_path / "taken", home=tmp_path / "elsewhere", views=VIEWS)
    assert not pin.signed.signed_by(pin.key)
