"""Whether a relation between two things holds, as far as a graph and a text tell. Pure: no store, no model, no network.

    score.py      what the graph says of it: confidence, common neighbours, degrees
    vocabulary.py by which verbs and nouns each type is said: tables
    phrases.py    the tables, read: by which words a type of relation is said in a text
    governing.py  verbs before another verb, and what they make of it: `failed to acquire`
    clauses.py    a text as clauses of words, with the places where the two are named
    words.py      classes of words, and what may stand around a name
    shapes.py     what may stand between a name and a verb that is said of it
    verbs.py      statements by a verb: active, passive, in relative clauses
    nouns.py      statements by a noun: `A, the author of B`
    idioms.py     statements by a form of their own: `A and B tied the knot`
    grounding.py  whether a text states it, denies it, or only names both
    quotation.py  whether what a model quotes is said there, and not taken back
    passages.py   whether two passages contradict each other, sentence by sentence
    verdict.py    accepted, rejected or unsupported: what all of this comes to, and why

Precision comes first: what is not understood supports nothing.
"""
