"""How atoms relate: stated edges, and connections that nobody stated.

context     the verb context
associate   the verb associate
path        the verb path
neighbours  what is stated around an atom
strength    how strong a connection is, pure
"""
