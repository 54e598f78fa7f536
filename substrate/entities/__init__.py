"""Entities: what memory is about, as atoms; found by any of their names.

naming      the names of their atoms, and by which names each of them is known
lookup      which entity is meant by a name or an alias
enter       names that were found in texts or given: which entities they are, and atoms of those that are new
extract     the verb extract: the names in a text
orphans     entities that nothing mentions any more
"""
