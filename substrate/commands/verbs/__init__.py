"""The declarations of the verbs, a file for each group; `substrate.commands.catalogue` lists them.

store       open, status
save        checkpoint
documents   ingest, document
provenance  record, why
read        access, list, edges, history, diff
find        search, which, cues, explore
entities    entities, extract
relate      context, path, associate, groups, stale
models      index, model
learn       observe, train, predict, bootstrap, watch
fading      touch, fading, due, sweep, promote
judge       conflicts, resolve
prove       head, pin, key, prove, verify
care        forget, stats, fsck, rebuild, compact
garden      tend, tending, prune
copies      export, import, backup, restore
shell       completion
"""
