"""Finding atoms: by word, by meaning, by time, in one ranking.

search      the verb search
recent      the verb recent
directory/  the verb entities
objective   what an objective is about, as shares
lazy        loads the rest when it is first needed
index       what search keeps between calls, and what a query is looked up in
filters     what callers restrict a search to, checked
scope       filters as a mask over versions
columns     every version and every edge in memory, and masks over them; who belongs to which domain
words       BM25 and keywords
near_terms  words of the store that are spelt like those of a query
when        the time in a question
candidates  what is worth ranking
ranking     the one ranking, pure
conversation/  who speaks, what only says it again, standing instructions, and hits of many kinds
statements/    of several statements of one thing, the one that is meant
walks/      what walks along edges reach from the best hits
"""
