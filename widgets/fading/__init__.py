"""How atoms fade: the curve of one, atoms that are due for review, and notes that a sweep would take.

widget   the class
answers  what it tells the page
"""
