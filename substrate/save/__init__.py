"""Saving: what callers hand in, checked and written as one checkpoint.

checkpoint    the verb checkpoint
remember      the verb remember
proposed      what waits for a person's word: confirmed or declined
replace       the verb replace
relate        the verb relate: relations, checked and stated
rename        the verb rename
undo          the verb undo
work          what an undo takes back: a checkpoint, or all of an import
batch         what a checkpoint is to save, as handed in
reading       the items of a batch, each checked for itself
input         an item checked, field by field
encrypted     items of encrypted domains, as the log takes them
repeat        whether it says the same again
place         where in a notebook it is recorded, and what was accessed for it
authorship    whether all of an atom came through one surface
quota         how many atoms a store may have
new_store     a first checkpoint that is refused makes no store
"""
