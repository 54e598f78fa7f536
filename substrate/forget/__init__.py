"""Forgetting: erased for good, and provably so.

forget      the verb forget
select      what a caller wants to have forgotten
mentions    code that still names what is gone
compaction  the bytes of it, taken out of the file
"""
