"""LogRecords of several logs as one table: which instance each is of, and what gold is.

Instances are identified by their task and id, systems by the names that records have, or that
their files are given.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from coleval.corpus.items import check_name
from coleval.corpus.problems import Problem
from coleval.corpus.selection import columns_option
from coleval.errors import DataError, UsageError
from coleval.loading.align.ids import not_in_gold
from coleval.loading.readers.frames import texts, written_out
from coleval.loading.readers.ids import listed
from coleval.loading.readers.model import FACT, SCORE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from coleval.loading.readers.model import LongFile, TableFile
    from coleval.loading.readers.source import Source


_KEY = ("task", "id")


@dataclass(frozen=True, slots=True)
class LogRecords:
    """A row a record: its ``item``, ``file`` and ``row``, what it says, scores and facts.

    ``items`` has the task and id of each instance; ``gold`` is the table that says which there
    are, where one does.
    """

    files: tuple[LongFile, ...]
    rows: pl.DataFrame
    items: pl.DataFrame
    gold: TableFile | None = None

    @property
    def systems(self) -> list[str]:
        """Return the systems in the order of their first records."""
        return self.rows["system"].unique(maintain_order=True).to_list()

    @property
    def scores(self) -> list[str]:
        """Return the names of the scores, the one that counts first."""
        return [n.removeprefix(SCORE) for n in self.rows.columns if n.startswith(SCORE)]

    @property
    def facts(self) -> list[str]:
        """Return the names of the facts that files have of instances or answers."""
        return [n.removeprefix(FACT) for n in self.rows.columns if n.startswith(FACT)]

    @property
    def judged(self) -> bool:
        """Tell whether scores are a verdict on the answers."""
        return any(file.judged for file in self.files)

    def at(self, record: int) -> str:
        """Return where a record is."""
        file, row = self.rows["file"][record], self.rows["row"][record]
        return self.files[file].place(row)

    def names_of(self, items: pl.Series) -> str:
        """Return the ids of some instances, as messages list them."""
        return listed(pl.Series([self.id_of(int(item)) for item in items]))

    def id_of(self, item: int) -> str:
        """Return the id of an instance, with its task where there are several."""
        task, name = self.items["task"][item], self.items["id"][item]
        return f"{task}: {name}" if self.items["task"].n_unique() > 1 else str(name)


def gathered(files: Mapping[Source, LongFile], gold: TableFile | None = None) -> LogRecords:
    """Return the records of some files; those of a named file are of the system so called."""
    kinds = _kinds(list(files.values()))
    parts = [
        file.rows.with_columns(
            *(_alike(file.rows[name], kind) for name, kind in kinds.items() if name in file.rows),
            pl.lit(at, pl.Int32).alias("file"),
            pl.int_range(len(file.rows), dtype=pl.Int64).alias("row"),
            _system(source, file),
        )
        for at, (source, file) in enumerate(files.items())
    ]
    rows = pl.concat(parts, how="diagonal").with_columns(pl.col("task").fill_null(""))
    if gold is not None:
        if gold.id is None:
            raise UsageError(
                "has no ids, by which the records of logs are found",
                where=gold.path,
                remedy="name the column of ids: " + columns_option([("id", "NAME")], gold.path),
            )
        # Gold says which instances there are, whatever logs call their task.
        rows = rows.with_columns(task=pl.lit(""))
        known = pl.DataFrame({"task": [""], "id": [gold.id]}).explode("id")
    else:
        known = rows.select(_KEY).unique(maintain_order=True)
    items = known.with_row_index("item")
    rows = rows.join(items, on=_KEY, how="left", maintain_order="left")
    return LogRecords(tuple(files.values()), rows, items, gold)


def unexpected(records: LogRecords) -> Iterator[Problem]:
    """Yield, for each system, the instances it answers that gold does not have."""
    unknown = records.rows.with_row_index("record").filter(pl.col("item").is_null())
    for (system,), rows in unknown.group_by("system", maintain_order=True):
        ids = rows["id"].unique(maintain_order=True)
        yield Problem(
            records.at(rows["record"][0]), None, "unexpected",
            f"{not_in_gold(ids)}, answered by `{system}`",
            "is this the output for another text?", len(ids),
        )  # fmt: skip


def check_runs(records: LogRecords) -> None:
    """Raise if two files answer the same instance as the same system."""
    twice = (
        records.rows.with_row_index("record")
        .group_by("item", "system", maintain_order=True)
        .agg(
            pl.col("file").n_unique().alias("files"),
            pl.col("record").first(),
            pl.col("record")
            .filter(pl.col("file") != pl.col("file").first())
            .first()
            .alias("again"),
        )
        .filter(pl.col("files") > 1)
    )
    for one in twice.head(1).rows(named=True):
        system = one["system"]
        path = records.files[records.rows["file"][one["again"]]].path
        raise DataError(
            f"two runs of `{system}`: both answer `{records.id_of(one['item'])}` "
            f"({len(twice):,} in all; first: {records.at(one['record'])})",
            where=records.at(one["again"]),
            remedy=f"give one another name: {system.rpartition('/')[2]}2={path}",
        )


def _kinds(files: Sequence[LongFile]) -> dict[str, pl.DataType | None]:
    """Return the type of each fact, None where files have it in several, or it is no plain one."""
    found: dict[str, pl.DataType | None] = {}
    for file in files:
        for name, dtype in file.rows.schema.items():
            if name.startswith(FACT):
                kind = None if dtype.is_nested() else dtype
                found[name] = kind if found.get(name, kind) == kind else None
    return found


def _alike(column: pl.Series, kind: pl.DataType | None) -> pl.Series:
    if kind is not None:
        return column
    return written_out(column) if column.dtype.is_nested() else texts(column)


def _system(source: Source, file: LongFile) -> pl.Series:
    """Return the system of each record: the name given to the file, else what records say."""
    said = file.rows["system"]
    names = said.unique(maintain_order=True).to_list()
    if source.given and len(names) > 1:
        raise UsageError(
            f"`{source.name}` would name {len(names)} systems: {', '.join(names[:5])}",
            where=file.path,
            remedy="leave the name out; --systems chooses among those of a file",
        )
    if source.given:
        return pl.Series("system", [source.name]).new_from_index(0, len(file.rows))
    for name in names:
        if "\0" in check_name(name, file.path):
            raise DataError(
                "the name of a system has a NUL byte",
                where=file.path,
                remedy="give it another: NAME=PATH, or write the file again",
            )
    return said


ERROR, FIRST, MAJORITY = CONFLICTING = ("error", "first", "majority")


def golds(records: LogRecords, policy: str) -> pl.Series:
    """Return gold of each instance, null where nobody says: the first said, or the most frequent.

    Of equally frequent ones it is the first.
    """
    votes = _votes(records)
    order = ["first"] if policy != MAJORITY else ["n", "first"]
    falling = [name == "n" for name in order]
    chosen = votes.sort(order, descending=falling).unique("item", keep="first", maintain_order=True)
    rows = records.items.select("item").join(chosen, on="item", how="left", maintain_order="left")
    return rows["gold"]


def conflicts(records: LogRecords) -> Iterator[Problem]:
    """Yield the instances whose gold differs, each with the first two places where it does."""
    votes = _votes(records).sort("first")
    several = votes.filter(pl.col("item").is_duplicated())
    pairs = several.group_by("item", maintain_order=True).agg(
        pl.col("gold").first(), pl.col("first").first(),
        pl.col("gold").get(1).alias("other"), pl.col("first").get(1).alias("again"),
    )  # fmt: skip
    for item, gold, first, other, again in pairs.iter_rows():
        yield Problem(
            _at(records, again), None, "gold differs",
            f"gold of `{records.id_of(item)}` is `{other}`, but `{gold}` in {_at(records, first)}",
            "--conflicting first or majority settles which counts",
        )  # fmt: skip


def noted(differing: Sequence[Problem], policy: str) -> tuple[Problem, ...]:
    """Return what is to be said of conflicts that a policy has settled."""
    said = [replace(one, fatal=False, n=len(differing)) for one in differing[:1]]
    return tuple(replace(one, remedy=f"settled by --conflicting {policy}") for one in said)


def _votes(records: LogRecords) -> pl.DataFrame:
    """Return how often gold of each instance is what, and the number of the first that says so.

    A gold table of its own comes first.
    """
    rows = records.rows.select("item", "gold").with_row_index("first")
    rows = rows.with_columns(pl.col("first").cast(pl.Int64)).drop_nulls("item")
    if records.gold is not None:
        own = pl.DataFrame({"gold": records.gold.columns["gold"]}).with_row_index("item")
        own = own.with_columns(first=pl.col("item").cast(pl.Int64) - len(own))
        rows = pl.concat([own.select(rows.columns), rows])
    said = rows.drop_nulls("gold")
    return said.group_by("item", "gold").agg(pl.len().alias("n"), pl.col("first").min())


def _at(records: LogRecords, first: int) -> str:
    if first >= 0:
        return records.at(first)
    assert records.gold is not None  # noqa: S101  - only a gold table has numbers below 0
    return records.gold.at(first + len(records.gold))
