"""Finding atoms: documents in memory, words, meaning, time, and the one ranking over them."""
