"""Meaning: text to vector, by a model that runs here and never asks the network.

find_model      where a model is found
export          makes a model ready, once
minilm          does it for the default model, from its weights
bert_graph      the ONNX graph of a BERT, from its weights
onnx_file       writes a graph as an ONNX file
export_process  the child process that does it for any other model; the only importer of torch
compare         whether what was made says what torch says
artifact        an exported model, checked
load            from a name to an embedder, in the background
early           the first layers of the default model, for judging sentences
embedder        runs it; the importer of onnxruntime
query           the models of an open store; the vector of a query
texts           what of an atom is embedded
pending         what waits to be embedded
background      the thread that embeds when it is woken
backfill        embeds what waits, in the background or at a call
tokens          counts tokens, offline
"""

from substrate.settings import set_untold

set_untold()  # with the first of these modules, whichever it is: onnxruntime is loaded by one of them
