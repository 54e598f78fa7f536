"""Statements of one thing among the hits: sentences of one form, and which of several is meant.

forms   sentences that differ in one span, pure
order   which of several is the newest, and which it outdates
newest  of several statements of one thing, the one that the question's time means
"""

__all__: list[str] = []
