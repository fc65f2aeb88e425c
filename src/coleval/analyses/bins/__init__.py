"""Difficulty: items by the number of systems that solve them."""
