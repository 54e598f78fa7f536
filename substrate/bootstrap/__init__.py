"""The opening context of a session, within a budget of tokens.

bootstrap   the verb bootstrap
candidates  the atoms that may be shown, judged
rules       goals, constraints and preferences
absent      what is not there, though it is asked for
outdated    which newer atom says otherwise of the same thing as one in conflict
last        what was saved and accessed last
evidence    how well an atom is supported, pure
support     the verb weigh: the evidence of atoms
choose      who of those is shown: rules, what was taught, the best matches, then all others, pure
pack        what to take along where room is short, pure
fit         the whole reply inside its budget, pure
show        a candidate as it is shown
"""
