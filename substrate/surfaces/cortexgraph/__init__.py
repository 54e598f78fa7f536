"""The surface of CortexGraph: notes that fade unless they are used, and stay once they are promoted.

tools        all of them, in the order of its document
notes        tools that save, find and read notes
graph        tools on memories and the relations between them
upkeep       tools that let notes fade, go, or stay for good
analysis     tools that read a message
groups       tools that group, merge and relate memories
service      tools about vectors and how long calls take
arguments    arguments that several tools take, and pages
shapes       what tools reply
ranking      how notes that match are put in order: relevance finds, decay re-ranks
words        what arguments and verbs are called in messages
guide        how to work with these tools
divergences  what differs from the original on purpose
group_divergences  the same of analysis, groups and vectors
surface      all of it together
"""

__all__: list[str] = []
