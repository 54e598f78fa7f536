"""Tools on atoms, with the names and parameters of the server that agents know them from.

surface      SURFACE, which is all of this together
tools        the eight tools
shapes       an atom on the wire, and what the tools that save, read and learn reply
hits         what the tools that find reply
opening      what memory_session_bootstrap replies
resource     an atom by its address, and keys while someone types
words        what arguments and verbs are called in messages to an agent
guide        what an agent is told about these tools
prompts      ways of working that a person picks from a menu
divergences  what these tools do otherwise than the original, on purpose
"""
