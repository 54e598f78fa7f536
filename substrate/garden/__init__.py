"""Tending the graph of entities: what texts and sessions support is stated, what stands alone goes; runs can be undone.

graph       the entities of a domain, the edges between them, and the chunks that mention them
candidates  relations that sentences and sessions suggest, each vetted
sessions    entities that the same sessions have accessed
orphans     entities that stand alone, and edges whose evidence is gone
tend        the verb tend: a run, as one checkpoint
undo        a run taken back
runs        what is kept of each run: numbers alone
status      the verb tending
lease       one gardener at a time
links       which edges look spurious, by a small model
prune       the verb prune
show        the graph for who draws it
"""
