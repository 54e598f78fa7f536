"""ProofViewer: a proof drawn from leaf to signed head."""
