"""The verbs of `%memory`, a file for each kind; `substrate.notebook.catalogue` lists them."""
