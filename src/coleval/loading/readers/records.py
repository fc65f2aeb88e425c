"""Records of logs: their fields as text and numbers, or the error that says which record and field.

What is collected of them becomes the columns of a ``LongFile``.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.errors import DataError, unknown
from coleval.loading.readers.model import FACT, RECORD, SCORE, LongFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from coleval.loading.readers.source import Source

# Between several accepted answers where they are shown.
OR = " | "
_KINDS = {dict: "an object", list: "a list", str: "text", bool: "true or false", int: "a number",
          float: "a number", type(None): "null"}  # fmt: skip


def inside(value: Any, *path: str) -> Any:
    """Return what objects in each other hold under some keys, None where there is no such key."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


@dataclass(slots=True)
class Field:
    """A value of a record and its path: what it holds, or the error that says what is due."""

    value: Any
    where: str
    path: str = ""

    def __getitem__(self, name: str) -> Field:
        """Return the field of an object; raise if this is none."""
        value = self.fields().get(name)
        return Field(value, self.where, f"{self.path}.{name}" if self.path else name)

    def wrong(self, due: str) -> DataError:
        """Return the error that the field holds something else than is due."""
        what = _KINDS.get(type(self.value), "something else")
        if isinstance(self.value, list):
            what = f"a list of {len(self.value):,}"
        return DataError(
            f"`{self.path or 'the record'}` is {what} where {due} is due",
            where=self.where,
            remedy="is the file what this program wrote? `coleval formats` lists what can be read",
        )

    def fields(self) -> dict[str, Any]:
        """Return an object."""
        if not isinstance(self.value, dict):
            raise self.wrong("an object")
        return self.value

    def items(self) -> Iterator[Field]:
        """Yield the values of a list."""
        if not isinstance(self.value, list):
            raise self.wrong("a list")
        return (Field(one, self.where, f"{self.path}[{k}]") for k, one in enumerate(self.value))

    def text(self) -> str | None:
        """Return text as it is, a number as it is written, null as None."""
        value = self.value
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, (bool, int, float)):
            return json.dumps(value)
        raise self.wrong("text")

    def texts(self) -> str | None:
        """Return text, or all texts of a list: any of them is a right answer."""
        if not isinstance(self.value, list):
            return self.text()
        each = [Field(one, self.where, self.path).text() for one in self.value]
        return OR.join(one for one in each if one is not None) if each else None

    def needed(self) -> str:
        """Return text that must be there."""
        found = self.text()
        if found is None or not found.strip():
            raise DataError(
                f"has no `{self.path}`",
                where=self.where,
                remedy="every record says which instance it is of",
            )
        return found

    def number(self) -> float | None:
        """Return a number, true and false as 1 and 0; what is no number (NaN) is null."""
        if self.value is None:
            return None
        if not isinstance(self.value, (bool, int, float)):
            raise self.wrong("a number")
        try:
            found = float(self.value)
        except OverflowError:
            raise DataError(
                f"`{self.path}` is too large for a number",
                where=self.where,
                remedy="check the scores",
            ) from None
        return found if math.isfinite(found) else None

    def whole(self) -> int | None:
        """Return a whole number or null."""
        value = self.value
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= 1 << 63:
            raise self.wrong("a whole number")
        return value


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


def facts(value: Any) -> dict[str, Any]:
    """Return what an object says that fits into a cell: text, numbers, true and false."""
    if not isinstance(value, dict):
        return {}
    return {
        name: one
        for name, one in value.items()
        if isinstance(one, (str, bool, int)) or (isinstance(one, float) and math.isfinite(one))
    }
