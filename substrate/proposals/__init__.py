"""Proposals: what waits for a person to decide. None of it is in the log before somebody accepts it.

propose      the verb propose: another text for an atom, or a text that has no domain yet
waiting      rows that wait, as users hold them; one by its id
accept       the verb accept: a correction becomes a version, a text a document
decline      the verb decline
corrections  from what somebody says of a text to the text as it should be; pure
"""
