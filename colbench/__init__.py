"""ColBench."""
