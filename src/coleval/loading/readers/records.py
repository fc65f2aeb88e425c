"""What is collected of a log, record by record: the columns of a ``LongFile``."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.errors import unknown
from coleval.loading.readers.model import FACT, RECORD, SCORE, LongFile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from coleval.loading.readers.source import Source


@dataclass(slots=True)
class Gathered:
    """What is collected of a log, record by record."""

    place: Callable[[int], str]
    rows: dict[str, list[Any]] = field(default_factory=lambda: {n: [] for n in (*RECORD, "epoch")})
    scores: dict[str, dict[int, float | None]] = field(default_factory=dict)
    correct: dict[int, bool] = field(default_factory=dict)
    context: dict[str, dict[int, Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of records there are by now."""
        return len(self.rows["id"])

    def add(
        self,
        *,
        scores: Mapping[str, float | None] | None = None,
        context: Mapping[str, Any] | None = None,
        **said: Any,
    ) -> None:
        """Add a record of what is said; what is not said is null."""
        at = len(self.rows["id"])
        for name, column in self.rows.items():
            column.append(said.get(name))
        if scores:
            _put(self.scores, at, scores)
        if context:
            _put(self.context, at, context)

    def file(self, source: Source, chosen: Sequence[str], *, judged: bool = True) -> LongFile:
        """Return the file, with the scores that were chosen or the first one."""
        for name in chosen:
            if name not in self.scores:
                raise unknown("score", name, self.scores, where=f"{source.path}: --score")
        rows = pl.DataFrame(
            self.rows, schema={**dict.fromkeys(RECORD, pl.String), "epoch": pl.Int64}
        )
        columns = [
            self._column(f"{SCORE}{name if number else 'score'}", self.scores[name], pl.Float64)
            for number, name in enumerate(chosen or list(self.scores)[:1])
        ]
        if self.correct and not chosen:
            columns.append(self._column("correct", self.correct, pl.Boolean))
        columns += [self._facts(f"{FACT}{name}", values) for name, values in self.context.items()]
        return LongFile(source.path, rows.with_columns(columns), self.place, judged)

    def _column(self, name: str, values: Mapping[int, Any], kind: Any) -> pl.Series:
        return pl.Series(name, [values.get(n) for n in range(len(self))], dtype=kind)

    def _facts(self, name: str, values: Mapping[int, Any]) -> pl.Series:
        """Return a column of facts: numbers if all of them are, else text."""
        kinds = {type(value) for value in values.values() if value is not None}
        if kinds == {int} and all(abs(v) < 1 << 63 for v in values.values() if v is not None):
            return self._column(name, values, pl.Int64)
        if kinds and kinds <= {int, float}:
            return self._column(name, values, pl.Float64)
        if kinds == {bool}:
            return self._column(name, values, pl.Boolean)
        spelled = {
            at: v if v is None or isinstance(v, str) else json.dumps(v, ensure_ascii=False)
            for at, v in values.items()
        }
        return self._column(name, spelled, pl.String)


def _put(columns: dict[str, dict[int, Any]], at: int, given: Mapping[str, Any]) -> None:
    """Put some values of a record into the columns of their names, which are made if new."""
    for name, value in given.items():
        column = columns.get(name)
        if column is None:
            # No column can have a name with a NUL.
            column = columns.setdefault(name.replace("\0", "\ufffd"), {})
        column[at] = value
