"""The verbs of the command line, a file for each group; `substrate.cli.catalogue` lists them.

save        remember, checkpoint, edit, rename, replace, undo
documents   ingest, document
read        access, list, edges, history, diff
find        search, which, cues
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
agents/     mcp, mcp-config, surfaces, token, quota, hooks, hook, transcript, proposed
shell       completion
"""
