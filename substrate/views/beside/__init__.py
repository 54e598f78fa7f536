"""Rows beside the log, which no replay makes: they are written with a checkpoint. What is said of atoms goes with them.

conflicts  pairs of atoms that contradict each other
parts      which checkpoints are parts of one import, or of the undo of one
proposals  what waits for a person, until it expires
recorded   when imported entries were recorded in the store that they come from
witnesses  from which imports a version was said again, and whether somebody said it again here
"""

__all__: list[str] = []
