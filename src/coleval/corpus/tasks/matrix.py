"""Right or wrong, item by system: all that some benchmarks publish."""

from __future__ import annotations

from coleval.corpus.task import Task

TASK = Task(
    "matrix",
    units=("row",),
    unlabelled="a matrix has only right and wrong, no labels",
    of_tables=True,
)
