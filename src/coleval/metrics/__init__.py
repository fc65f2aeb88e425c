"""Metrics of generated text: whole numbers of each segment, and the scores of their sums."""
