"""The directory of entities.

page    the verb entities: a page of the directory
rows    what is kept of entities between calls, and how many atoms mention each
"""
