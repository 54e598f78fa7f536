"""What a caller wants to have forgotten: atoms, or whatever a field or a range of seqs selects."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from substrate.atoms.resolve import read_end
from substrate.errors import InputError, SchemaInvalid
from substrate.messages import AN_ATOM, Arg
from substrate.proof.encoding import Json

__all__ = ["Selection"]


@dataclass(frozen=True, slots=True)
class Selection:
    """What to forget: atoms as a whole, or whatever entries a field or a range of seqs selects."""

    names: tuple[str, ...] = ()
    field: str | None = None
    text: str | None = None
    seqs: range | None = None
    copies: frozenset[int] = frozenset()
    """Further seqs: of what the selected ones say, under other names."""
    upto: int | None = None
    """Of names: an atom with a version after this seq is left as it is."""

    @classmethod
    def of(  # noqa: PLR0913 - the ways of `Memory.forget`
        cls,
        names: str | Iterable[str],
        *,
        source: str | None,
        actor: str | None,
        session: str | None,
        objective: str | None = None,
        seqs: range | None,
        whole: str | None = None,
    ) -> Selection:
        """InputError unless just one way of selecting is given. A whole is named here; who calls finds its parts."""
        if not isinstance(names, Iterable) or isinstance(names, bytes):
            raise SchemaInvalid(Arg("names"), ": give the name or the id of ", AN_ATOM, ", or a list of them")
        listed = (names,) if isinstance(names, str) else tuple(names)
        fields = {"source": source, "actor": actor, "session": session, "objective": objective}
        given = {field: text for field, text in fields.items() if text is not None}
        if not all(isinstance(text, str) for text in given.values()):
            raise SchemaInvalid(
                *(Arg("source"), ", ", Arg("actor"), ", ", Arg("session"), " and ", Arg("objective"), " are texts")
            )
        if len(given) + bool(listed) + (seqs is not None) + (whole is not None) != 1:
            raise InputError(
                *("say in one way what to forget: names or ids, ", Arg("whole"), ", ", Arg("source"), ", "),
                *(Arg("actor"), ", ", Arg("session"), ", ", Arg("objective"), ", or ", Arg("seqs")),
            )
        if whole is not None:
            return cls((read_end(whole, Arg("whole")),))
        if seqs is not None and (not isinstance(seqs, range) or seqs.step != 1 or seqs.start < 0):
            raise SchemaInvalid(Arg("seqs"), " must be a range of seqs, such as range(100, 200)")
        field, text = next(iter(given.items()), (None, None))
        return cls(tuple(dict.fromkeys(read_end(name, "a name") for name in listed)), field, text, seqs)

    def matches(self, seq: int, members: dict[str, Json]) -> bool:
        """Whether an entry with this body is selected."""
        if self.seqs is not None:
            return seq in self.seqs or seq in self.copies
        if self.field is None:
            return False
        # An edge's `source` is one of its ends; where its statement comes from is `cited`.
        field = "cited" if self.field == "source" and "target" in members else self.field
        return members.get(field) == self.text
