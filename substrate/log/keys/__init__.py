"""What a log keeps outside its store.

keyring    the signing key
highwater  the largest head it is known to have had
origin     whose log a folder is
"""
