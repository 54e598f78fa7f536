"""Ways in: files of this and of other systems, read as lines of a plain export and recorded.

move           the verbs: import of a file, of lines, of a data frame
kind           which kind of file it is, told by looking at it
line           what a reader gives: one line of a plain export, or why there is none
plain          our own plain export
server_memory  the file of the official memory server
hydramem       HydraMem's signed export, and its sessions
cortexgraph    the files and the database of CortexGraph
graphnosis     the plain .gai file of Graphnosis' engine
messagepack    MessagePack, read within bounds; pure
table          rows of CSV, TSV and JSON files and of data frames, by the names of their columns
past           what of a plain export a store knows already, or has newer words for
record         lines recorded as checkpoints, or only compared with the store
"""
