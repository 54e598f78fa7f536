"""A log as a whole.

contents  what a log is made of, taken in and checked
check     fsck
rebuild   the derived tables made again from the log
backup    a copy of the folder
restore   a copy becomes a store again
clone     a full export, and back
behind    a store of which another copy is ahead: what it may still do
"""
