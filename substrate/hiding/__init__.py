"""A client under a policy: it sees a store in which hidden atoms are not there, and writes nothing about them.

hidden   which atoms a policy hides, kept in memory, as the log and the clock go on
columns  the same worked out over columns; loads numpy
check    what a client may not write
statements  what it may not do to statements that wait for a person, or that one declined
log      the log of such a client: every snapshot is veiled, every decision checked

The veil itself, over one transaction, is `veil.py`.
"""
