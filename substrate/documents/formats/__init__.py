"""Formats of documents: from the bytes of a file to its text, where its sections begin, and its title.

catalogue       which format a file has, by its name; reads a file of any of them
extracted       what reading a file gives; bytes to text
markdown        Markdown
front_matter    the fields at the top of a Markdown file, in YAML; pure
restructured    reStructuredText
html            HTML: the text that is seen
tags            the tags and texts of a page, in one pass
notebook        Jupyter notebooks: their cells
pdf             PDF, read in a child process with limits
pdf_process     what that child does
"""
