"""The tools of HydraMem: documents, entities, and relations that are checked before they are stored.

surface      SURFACE, which is all of this together
tools        NAME, and all tools in the order of the document
retrieval    context for a question, paths, neighbours, documents
relations    relations that are checked, stated, taken back and asked about; passages that are compared
judging      what the client's own model is asked of a relation, and what it may decide
ingestion    files, texts and what an agent has extracted
garden       runs of the gardener, and edges that look spurious
arguments    what tools of this surface take, and who calls them
shapes       what they reply
words        what arguments and verbs are called in messages to an agent
guide        what an agent is told about these tools
divergences  what these tools do otherwise than the original, on purpose
"""
