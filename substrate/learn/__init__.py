"""Learning what is needed after what.

session         what a user holds of a session
recorder        which session an access belongs to, and when it is written
labels          objectives, names of sessions and actors, checked
write_sessions  sessions written down, and the weights that moved by them
observe         the verb observe
train           the verb train
watch           whether a store is observed at all
predict         the verb predict
around          the verb around
arcs            what was learnt to follow an atom
forecast        who is needed, in one snapshot
parts           each part of the model, read out of rows
mixture         parts weighed, and weights moved, pure
calibration     how right each part was
matrix          all arcs at once; the only importer of scipy
"""
