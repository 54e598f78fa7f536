"""Conversations in the ranking: who is asked about, who speaks, what only says it again, and which rules hold.

question  whom a question is about, and what it asks for
turns     who speaks, echoes and their sources, the newest statement
rules     standing instructions of the user
spread    hits of many kinds

1. *Who is asked about.* `my dog` is what the user said, `did you suggest` what was replied, `Caroline's dog` what
   Caroline said. What somebody else says of it counts less.
2. *An echo* is a reply to a statement that has what it has: no second witness, so it never stands before its source.
3. *Fillers* say nothing: they are found neither by a word in them, such as who speaks, nor for long by what stands
   beside them.
4. *Standing instructions* of the user join the hits of a question that they govern: they share no word with it.
5. *Spread*: of a question for an order, a summary or a list, hits that say what a better one says come later.

Pure arrays, no store. What a text is was read when it was saved: see views/turns.py.
"""

__all__: list[str] = []
