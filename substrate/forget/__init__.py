"""Forgetting: erased for good, and provably so.

forget      the verb forget
select      what a caller wants to have forgotten
mentions    code that still names what is gone
titles      what a document says in the words of a chunk that goes
compaction  the bytes of it, taken out of the file
"""
