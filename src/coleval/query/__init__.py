"""SQL over a corpus: the wide table, expressions over it, a DuckDB that holds what is named.

It leaves to ``analyses`` what an answer means, and to ``annotate`` the columns beyond the items'.
"""
