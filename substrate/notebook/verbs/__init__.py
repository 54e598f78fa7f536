"""The verbs of `%memory`, a file for each group; `substrate.notebook.catalogue` lists them.

store       open, status
save        checkpoint
documents   ingest, document
provenance  record, why
read        access, list, edges, history, diff
find        search, which, cues, explore
entities    entities, extract
relate      context, path, associate, groups
learn       bootstrap, train, predict, watch
fading      touch, fading, due, sweep, promote
judge       conflicts, resolve, pending
prove       prove, verify, pin, key
care        forget
garden      tend, tending, prune
"""
