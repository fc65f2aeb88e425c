"""What users hold: a corpus, its items, its options, the report of an analysis."""
