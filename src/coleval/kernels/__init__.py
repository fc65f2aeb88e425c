"""Counting over the code arrays, in numpy and Polars: whole numbers that add up."""
