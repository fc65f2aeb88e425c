"""Other measures: correlation, purity, RSA, perplexity, ranking."""
