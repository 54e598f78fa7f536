"""How atoms relate: stated edges, and connections that nobody stated.

context     the verb context
associate   the verb associate
path        the verb path
edge_map    the verb edge_map: the atoms with most edges, and what joins them
gather      the verb gather: chunks for a question, also by the entities that it names
compare     the verb compare: whether two passages contradict each other
vet         the verb vet: whether a relation holds, by the graph and by texts
neighbours  what is stated around an atom
strength    how strong a connection is, pure
"""
