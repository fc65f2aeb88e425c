"""Significance of differences: tests, intervals, ranks."""
