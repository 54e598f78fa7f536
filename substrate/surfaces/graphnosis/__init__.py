"""The surface of Graphnosis: six tools on engrams, with its names, parameters and reply keys.

A graph or engram is a domain; a source is a document, a chunk a part of it, or any other atom.

surface      SURFACE, which is all of this together
tools        the six tools, as a list
recall       recall and stats
remember     remember, and the question where a text goes
corrections  correct and apply
forget       forget, and the question to the user
engrams      which engrams there are, and which one a name means
shapes       what the tools reply
words        what arguments and verbs are called in messages to an agent
guide        what an agent is told about these tools
divergences  what differs from the original on purpose
"""
