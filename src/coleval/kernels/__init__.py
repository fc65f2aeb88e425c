"""Counting over the code arrays, in numpy and Polars: whole numbers that add up.

It leaves ratios to ``statistics``, and the choice of where to count to ``engines``.
"""
