"""The directory of entities.

page        the verb entities: a page of the directory
find        the verb entity: which one is meant by a name, an alias or an id; those that a text names
rows        what is kept of entities between calls, and how many atoms mention each
unrecorded  names that one text mentions, and that have no atom yet
"""
