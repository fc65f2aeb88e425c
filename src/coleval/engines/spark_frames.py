"""Data frames of Spark: their rows are counted where Spark has them, in any order and division."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from coleval.engines.spark import check_size, results, said_plainly, summed
from coleval.engines.spark_tasks import SCHEMA, counted_rows, packed
from coleval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.spread import CorpusPart, Work

T = TypeVar("T")
# So many tasks are taken to be there where Spark does not say how many.
_MANY = 65


@dataclass(frozen=True)
class FrameRunner:
    """Runs work on the rows of a data frame, which ``read`` makes a corpus of."""

    frame: Any
    read: Callable[[Any], Corpus]
    ordered: bool = False

    def run(
        self,
        work: Work[T],
        parts: Sequence[CorpusPart],  # noqa: ARG002
        add: Callable[[list[T]], T] | None,
    ) -> list[T]:
        """Return what comes of each batch of rows, or sums of that, in no order."""
        payload = packed((self.read, work, add))
        check_size(len(payload))
        rows = self.frame.mapInArrow(partial(counted_rows, payload), SCHEMA)
        found: list[T] = results(self.frame.sparkSession, summed(rows, add, _MANY))
        if not found:
            raise _empty()
        return found


def _empty() -> DataError:
    return DataError("has no rows", where="the data frame of Spark", remedy="look how it was made")


def first_rows(frame: Any) -> Any:
    """Return the first row of a data frame, in Arrow; raise if there is none."""
    with said_plainly():
        table = frame.limit(1).toArrow()
    if not table.num_rows:
        raise _empty()
    return table


def rows_hash(frame: Any) -> str:
    """Return a hash of all rows, whatever their order and division."""
    total = "cast(sum(cast(xxhash64(*) as decimal(38, 0))) as string)"
    with said_plainly():
        found = frame.selectExpr(total).toArrow()
    return f"{int(found.column(0)[0].as_py()) % (1 << 64):016x}"


def twice(frame: Any, column: str) -> object:
    """Return a value that is in several rows of a column, None if there is none."""
    with said_plainly():
        counts = frame.groupBy(f"`{column}`").count().filter("count > 1").limit(1).toArrow()
    return counts.column(0).to_pylist()[0] if counts.num_rows else None
