"""The notebook: `%memory` and `%%memory`, rich display, and where in a notebook an atom was recorded."""
