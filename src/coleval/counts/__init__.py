"""Counts over items: whole numbers that add up over disjoint documents.

Whatever is counted over answers reads ``patterns``: distinct rows of gold and all systems with the
number of items that share each. Polars or DuckDB groups the items, here or part by part on the
workers of Spark; what follows is one code over few rows. What must see whole sentences or
instances is counted by unit (``units``, ``groups``). This room leaves ratios to ``statistics``.
"""
