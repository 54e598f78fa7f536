"""Reading atoms: which one is meant, what it says, as of when.

moments     `as_of` and `valid_at`, turned into a snapshot
resolve     a name or an id, turned into a version; or why there is none
meant/      which atoms someone means: several at once, by other names, or nearly so
bodies      what entries say, checked against the log
load        a version and its body, as an atom
edge_kinds  types of edges: their other names, what they may join
links       edges: which hold, what they say, whom they join
validity    which version held in the world at a time; which an undo took back
domains     which atoms belong to which domain: the one place that decides it
supersedes  who took whose place
renames     atoms that were given another name
stale       what to review, since something it depends on changed
access      the verb access
list        the verb list
edges       the verb edges
history     the verb history
diff        the verb diff
"""
