"""Groups: atoms that say nearly the same, found by their vectors or their words; and merging one into a single atom.

pairs    which rows of vectors lie near each other, in blocks or by the nearest index. Pure but for that index
wording  texts as vectors of their words, and what keeps two texts apart: other numbers, a negation
link     pairs to groups: single link, at most so many in one, an id that follows from the members. Pure
groups   the verb groups
merge    the verb merge: one atom in the place of several, as one checkpoint; and back again
"""

__all__: list[str] = []
