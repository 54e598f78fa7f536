"""Each verb's options, help and examples, declared once for the command line and for `%memory`.

Both faces make their parsers, help and completion from these declarations. A verb or option of one face only says so
here. Two verbs are declared elsewhere: `substrate mcp` and `mcp-config`, beside the server whose settings they offer.

command    what a verb, an option and an example are
catalogue  all verbs in the order of the help, and their groups
meant      what other programs call a verb
parser     from options to argparse, and which word was probably meant
options    options that several verbs share
readers    what a word means: a number, a moment, a range of seqs, an expectation
items      what a checkpoint saves, from JSON or lines; edges; sessions
files      texts from files, standard input and to files
passphrase the passphrase of an encrypted domain, from a file or typed
spelling   how arguments are spelled in messages
calls      the calls of an open memory that a line asks for
verbs/     the declarations, a file for each group
"""
