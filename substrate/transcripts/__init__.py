"""What a person says to a client: in a whole session, out of which it becomes atoms without any call by a model.

claude_code  the human turns of a transcript of Claude Code, out of a file that anybody may have written
cues         the verb cues: whether one message asks to keep or to recall something
record       the verb transcript: what these turns state, recorded as atoms that wait to be confirmed
traits       what a sentence is judged by as a whole: which rules apply to it, its place, its runs of words
wording      what the wording of a sentence as a whole says of it, by the small language model
"""
