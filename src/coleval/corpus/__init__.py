"""What users hold: a corpus, its items, its options, the report of an analysis.

It leaves reading files to ``loading`` and ``store``, and every number to the rooms that count:
the methods of a corpus pass on what they are asked.
"""
