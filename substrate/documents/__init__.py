"""Documents: texts from files and callers, kept as atoms in parts, and given back as they were.

chunk       a text, cut into chunks that joined are the text; pure
align       which chunks of a document stay when its text changes, and where new ones stand; pure
formats/    from the bytes of a file to its text, one file for each format
files       files under a root: no link is followed, nothing outside is read
links       links in Markdown, and which sources they lead to; pure
edges       the edges that links come to, beside those that are stated
sources     the documents of a domain by their sources, and which folder each came from
slots       the chunks of a document as the log has them
naming      the names of documents and their chunks
request     what an ingest is asked for
ingest      the verb ingest: files and texts are read
relations   chunks that come with entities and relations, which are checked; one checkpoint
plan        what ingesting one document comes to, and its checkpoints
write       documents written, several to a checkpoint, and the report
document    the verb document: the text of a document, at any moment
forgetting  a whole, with its parts; entities known by it alone
watch       following a folder
"""
