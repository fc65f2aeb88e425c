"""A label for every token: parts of speech and the like."""

from __future__ import annotations

from coleval.corpus.task import Task

TASK = Task("tag", text_unit="token", own_labels=True, covers_text=True, tagged_text=True)
