"""What fades and what stays: how far each atom has faded since it was last used, and what is done about it.

decay     three models of fading, and the thresholds; pure
choice    by which model a store fades
uses      what the touches of one atom come to at a moment
columns   all touches in memory, and the scores of many atoms at once
pace      how often one touches by itself
touch     the verb touch: an atom was used
listing   the verbs fading and due: atoms with their scores
named     the same of atoms that are named
curve     the verb fading_curve: the score of one atom over time
sweep     the verb sweep: what has faded goes out of use
promote   the verb promote: what is worth keeping becomes a note in a vault
vault     files below the root of a vault
"""

__all__: list[str] = []
