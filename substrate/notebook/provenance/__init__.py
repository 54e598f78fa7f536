"""Where in a notebook an atom was recorded, and what it was made of.

place       which notebook, which cell, which execution
record      run a cell and save its result, with the atoms that the cell accessed
execute     run code as a cell of its own would, with the value of its last line
summaries   what of a result is saved: a text, a number, JSON, or the summary of a data frame
sources     the atoms that an atom comes from
"""
