"""ProofViewer: a proof drawn from leaf to signed head.

widget  the class
graph   a bundle as a graph
words   the same in words
change  changes one byte of it
"""
