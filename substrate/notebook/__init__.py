"""The notebook: `%memory` and `%%memory`, rich display, and where in a notebook an atom was recorded.

extension    what `%load_ext substrate` does
magics       from a line to a verb and back
transformer  lines of `%memory` as calls, whatever they end in
line         a line as words, options and free text, with variables put in
items        what a cell of `checkpoint` says
verb         a verb: its declaration, its function, and how its line is read
catalogue    all verbs, and the help
verbs/       their functions, a file for each group
workspace    what a verb works with
stores       which store, and the stores that the kernel has open
bookmarks    which store was opened last in which working folder
status       what `%memory status` answers
watch        what will probably be needed next, under each cell
completion   what Tab offers
display/     results as HTML
provenance/  where an atom was recorded, and what it was made of
spelling     what arguments and verbs are called in messages; counts, and words that were probably meant
"""
