"""Cues: what the wording of a message tells about it. Pure; phrase tables of our own, matched by whole words.

phrases  tables of phrases, and where they stand in a text
types    which type of atom a statement clearly is: a decision, a preference, a goal
"""
