"""Taking care of a store as a whole.

stats   the verb stats
heads   the verb heads
growth  the verb growth
export  the verb export
encrypt the verb encrypt: a domain becomes an encrypted one
fsck    the verb fsck, from a child process
tiers   the verbs that list tiers of domains and set one
copies  restore, clone and rebuild a store that is not open
"""
