"""Meaning: text to vector, by a model that runs here and never asks the network.

`texts` says what is embedded, `sources` where a model is found, `made` what its export is, `export` and `exporter` (a
child process, the only importer of torch) make it, `embedder` runs it, `loading` does all of this in the background.
"""

from substrate.settings import set_untold

set_untold()  # with the first of these modules, whichever it is: onnxruntime is loaded by one of them
