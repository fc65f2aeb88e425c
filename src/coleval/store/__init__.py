"""The store: a corpus kept as a directory of Parquet, read once and opened for ever.

``corpus.json`` says what is there. Each unit has base files (context and gold) and one file a
system with the single column of its answers, so that adding a system writes one column. A store
is written beside its place and renamed; a system is added by replacing ``corpus.json`` last.
It leaves reading the files of a task to ``loading``.
"""
