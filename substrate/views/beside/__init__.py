"""Rows beside the log, which no replay makes: they are written with a checkpoint, and erased with their atoms.

conflicts  pairs of atoms that contradict each other
proposals  what waits for a person, until it expires
"""

__all__: list[str] = []
