"""ProofViewer: a proof drawn from leaf to signed head.

widget   the class
answers  what it tells the page
graph    a bundle as a graph
words    the same in words
change   changes one byte of it
"""
