"""The store: a corpus kept as a directory of Parquet, read once and opened for ever.

``item/UNIT/NUMBER-CELL.parquet`` is one wide table a gold file (a *cell*: one dataset and part)
and unit: ``item_id``, context, ``gold`` and a column of every system, whose columns and types are
the same in all cells. ``pattern/`` has the distinct rows of their answers with how often each
occurs, ``run/`` says who has run where, ``training/`` what systems were trained on.

Files never change. ``corpus.json`` names those that count, with their checksums; a load writes
new files beside them, with its own number, and replaces ``corpus.json`` in one step. What counts
no more is moved to ``old/``, where it stays while anybody may have the store open. A system more
is a cell written anew with a column more, so that there is one layout however a store has grown.

``manifest`` is what ``corpus.json`` says, ``files`` puts it and all files in place, ``tables``
writes a table and ``reading`` reads it; ``writing`` and ``growing`` decide what is written,
``opening`` and ``parts`` make a corpus of it. It leaves reading the files of a task to ``loading``.
"""
