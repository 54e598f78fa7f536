"""The default surface: tools on atoms, with the names and parameters of the server that agents know them from.

tools      the eight tools, and SURFACE, which is all of this together
own_tools  four of our own: verify, history, forget, status
arguments  arguments that several tools take
shapes     an atom on the wire, and what the tools that save, read and learn reply
hits       what the tools that find reply
opening    what memory_session_bootstrap replies
spelling   what arguments and verbs are called in messages to an agent
guide      what an agent is told about these tools
prompts    ways of working that a person picks from a menu
"""
