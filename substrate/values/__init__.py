"""What users hold: frozen values, without I/O.

atoms        an atom, its versions, lists of them
documents    documents, and what ingesting came to
actors       who writes: a person, or an agent through a surface
entities     entities of the directory, and names in a text
edges        an edge, and the types that mean something to the engine
behind       a store of which another copy is ahead, and what to do
saved        what a checkpoint and a forget answer; how much a store holds
conflicts    atoms that contradict each other
hits         what search found, and why; what a text may mean
relations    what surrounds atoms, and what may relate to them
predictions  what is needed next; what was learnt
opening      the opening context of a session
growth       heads over time, and what changed between two
review       what is to be looked at again: stale atoms, atoms that fade
embedding    which model embeds, and how far it has got
times        times and ids, between what is stored and what users hold
progress     how long work tells how far it has got
"""
