"""Atoms that contradict each other.

detect  conflicts found when an atom is recorded, and those that are open
settle  the edge that settles one
"""
