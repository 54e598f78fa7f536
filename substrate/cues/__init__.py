"""Cues: what the wording of a message tells about it. Pure; phrase tables of our own, matched by whole words.

phrases    tables of phrases, and where they stand in a text; how the forms of sentences are written down
kinds      the kinds of statements that are kept
types      which type of atom a statement clearly is: a decision, a preference, a goal
prose      what a person says in a message: its sentences, without code, logs and quotations
rules      the phrases by which a statement is told, with what each adds
requests   whether a sentence asks to remember something, and what
doubts     the phrases that speak against it: doubt, questions, what is only imagined
shapes     forms of a sentence, with what each adds
statements plain forms of a statement, with what each adds
clauses    what the grammar of a sentence adds: a second opinion beside the rules
speakers   whose word a sentence is, and whether it still holds
talk       what is said in passing: thanks, praise, goodbyes, wishes for the task at hand
reports    what is told and not laid down: what happened, what is going on, what others want
decisions  which of these sentences state something to keep: a constraint, a decision, a preference, a correction
facts      what a person tells of themselves in plain statements
recall     whether a message asks for something that was said before, and for what
signals    whether a message asks to keep or to recall something
"""
