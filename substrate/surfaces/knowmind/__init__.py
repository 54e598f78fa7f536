"""The surface of knowmind: ten tools of a team's server, with its names, shapes and error codes.

surface      SURFACE, which is all of this together
tools        the ten tools
shapes       what they reply
ids          what memories, documents and edges are called here, and which one a text means
words        what arguments and verbs are called in messages to an agent
guide        what an agent is told about these tools
divergences  what differs from the original on purpose
"""
