"""Which atoms someone means: several at once, by other names than theirs, or nearly so.

which       the verb which: an atom by whichever of its names, or those that may be meant
subjects    several atoms asked about at once
near_names  the names that may have been meant, where a name is not there
part_names  names of which someone knows a part
titles      titles of documents and chunks, whose names are digests
having      versions that have all of some terms, by postings
"""
