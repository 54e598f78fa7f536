"""Transcripts of a client's sessions: what a person stated in one becomes atoms, without any call by a model.

claude_code  the human turns of a transcript of Claude Code, out of a file that anybody may have written
record       the verb transcript: what these turns state, recorded as atoms that wait to be confirmed
"""
