"""The directory of entities.

page        the verb entities: a page of the directory
rows        what is kept of entities between calls, and how many atoms mention each
unrecorded  names that one text mentions, and that have no atom yet
"""
