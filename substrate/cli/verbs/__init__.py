"""The verbs of the command line, a file for each group; `substrate.cli.catalogue` lists them.

save        remember, checkpoint, rename, replace, undo
edit        edit
documents   ingest, document
read        access, list, edges, history, diff
find        search, which, cues
entities    entities, extract
relate      context, path, associate, groups, stale
models      index, model
learn       observe, train, predict, bootstrap, watch
judge       conflicts, resolve
prove       head, pin, key, prove, verify
care        forget, stats, fsck, rebuild, compact
copies      export, import, backup, restore
agents/     mcp, mcp-config, surfaces, token, quota, hooks, hook, transcript, proposed
shell       completion
"""
