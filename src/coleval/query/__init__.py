"""SQL over a corpus: the wide table, expressions over it, a DuckDB that holds what is named."""
