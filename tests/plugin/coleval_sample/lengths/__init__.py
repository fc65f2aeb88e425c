"""The analysis ``lengths``."""
