"""The registry of tasks: a module each, and a line here."""

from __future__ import annotations

from coleval.corpus.task import Task
from coleval.corpus.tasks import coref, dep, label, matrix, score, span, tag, text

TASKS = {
    task.name: task
    for task in (
        tag.TASK,
        span.TASK,
        dep.TASK,
        coref.TASK,
        label.TASK,
        matrix.TASK,
        score.TASK,
        text.TASK,
    )
}
_UNDECIDED = Task("")


def task_named(name: str | None) -> Task:
    """Return a task, one without any facts where it is not decided yet."""
    return _UNDECIDED if name is None else TASKS[name]
