"""What an atom claims, in a form that can be compared with what others claim. Pure: no store, no model, no network.

    lexicon.py      the words that matter: which are one word, which are opposites, which say nothing
    amounts.py      numbers with units, dates and times of day, as they are written
    reading.py      from a name and a value to a claim
    comparing.py    whether two claims contradict each other, and under which keys they would meet

Precision comes first: what is not understood claims nothing, and so contradicts nothing.
"""

from substrate.claims.comparing import Contradiction, contradiction, keys_of
from substrate.claims.reading import Claim, pack_claim, read_claim, unpack_claim

__all__ = ["Claim", "Contradiction", "contradiction", "keys_of", "pack_claim", "read_claim", "unpack_claim"]
