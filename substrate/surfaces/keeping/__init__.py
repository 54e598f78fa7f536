"""The surface of those who keep a store: verify, history, forget, status. For clients of any surface, by default.

surface  SURFACE, which is all of this together
tools    the four tools
shapes   what they reply
words    what arguments and verbs are called in messages to an agent
guide    what an agent is told about these tools
"""
