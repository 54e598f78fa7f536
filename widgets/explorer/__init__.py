"""Explorer: search as you type, facets, hits with their reasons, and all there is to know of one atom.

widget   the class
answers  what it tells the page
change   what it does to the store: add, edit, forget, and decide on what waits
"""
