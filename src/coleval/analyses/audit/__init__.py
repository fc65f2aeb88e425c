"""Likely errors in gold: answers that systems agree on against it."""
