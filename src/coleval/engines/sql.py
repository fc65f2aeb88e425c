"""Counting in DuckDB: the SELECTs of ``sql/analyses`` over patterns of answers, as codes.

Of a store DuckDB reads the Parquet itself, and what does not fit into its memory goes to a
temporary directory. What comes back are the same whole numbers that kernels count.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.corpus.scratch import scratch
from coleval.corpus.tree_metrics import joined_parts
from coleval.engines.local import Local
from coleval.engines.ratings import SqlRaters
from coleval.engines.tables import Schema, grouped, tally
from coleval.kernels.active_rows import Agreed
from coleval.kernels.bins import BinCounts
from coleval.kernels.buckets import BucketCounts
from coleval.kernels.combining import LabelCounts, Rung, Votes
from coleval.kernels.transitions import PairCounts, TransitionCounts
from coleval.query.shipped import query

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import duckdb

    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items
    from coleval.corpus.limit import MemoryLimit
    from coleval.kernels.active_rows import Counts
    from coleval.kernels.agreement import Raters
    from coleval.kernels.buckets import Placed
    from coleval.kernels.transitions import Pair

    Columns = dict[str, np.ndarray[Any, Any]]

KINDS = ("correction", "new error", "changed error")


class Sql(Local):
    """DuckDB in this process; what is not of answers (texts, conditions) is as ``Local`` has it."""

    def __init__(self, limit: MemoryLimit | None) -> None:
        """Set how much memory there is; None leaves that to DuckDB."""
        self.limit = limit

    @cached_property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """Return the connection, opened now."""
        import duckdb

        config: dict[str, Any] = {"temp_directory": str(scratch("sql"))}
        if self.limit is not None:
            # The other half is for gold, the columns of the context, and the program itself.
            config["memory_limit"] = f"{self.limit.size // 2}B"
        return duckdb.connect(config=config)

    def confusion(self, items: Items) -> pl.DataFrame:
        """Return system, gold, answer (labels, null for nothing) and n."""
        return cells(items, items, self.asked(items, "confusion"), "n")

    def error_counts(self, items: Items, shown: Items) -> pl.DataFrame:
        """Return system, gold, answer (labels) and errors: where ``items`` say it is wrong."""
        found = self.asked(items, "confusion-errors", shown)
        return cells(items, shown, found, "errors")

    def wrong_groups(self, items: Items) -> dict[str, int]:
        """Return how many sentences or instances each system has something wrong in."""
        if items.groups is None or not items.answers:
            return dict.fromkeys(items.systems, 0) if items.groups is not None else {}
        found = self._of_groups(items, "score-sentences")
        counts = dict(zip(found["system"].tolist(), found["n"].tolist(), strict=True))
        return {name: counts.get(f"s{k}", 0) for k, name in enumerate(items.systems)}

    def lost_groups(self, items: Items) -> int:
        """Return how many sentences or instances have an item that no system has right."""
        if items.groups is None or not items.answers:
            return 0
        return int(self._of_groups(items, "oracle-sentences")["n"][0])

    def bins(self, items: Items) -> BinCounts:
        """Return how many items each bin holds, and how many of them each system solves."""
        last = len(items.judging)
        judging = items.judging
        others = {name: judging[name] for name in judging if name not in items.answers}
        names = ("bins", "bins-tps", "bins-spurious", "bins-spurious-systems")
        if not items.answers and not others:
            return without_systems(items)
        own = tally(self.connection, items, more=others) if others else self._tally(items)
        items_, tps, spurious, invented = (self._run(own, name) for name in names)
        return BinCounts(
            tallied(items_["bin"], items_["items"], last + 1),
            by_system(items, tps["system"], tps["bin"], tps["tp"], last + 1),
            tallied(spurious["bin"], spurious["items"], last + 1),
            by_system(items, invented["system"], invented["bin"], invented["spurious"], last + 1),
        )

    def pairs(self, items: Items) -> PairCounts:
        """Return the counts of all pairs of systems, each with itself too."""
        size = len(items.answers)
        every = [(a, b) for a in range(size) for b in range(a, size)]
        found = self._of_pairs(items, items, every, "changes-summary")
        total = len(items)
        zeros = np.zeros((4, size, size), np.int64)
        counted, both, different, right = zeros
        places = {name: k for k, name in enumerate(items.systems)}
        for row, (a, b) in enumerate(
            zip(found["before"].tolist(), found["after"].tolist(), strict=True)
        ):
            at = places[a], places[b]
            counted[at] = found["items"][row]
            both[at] = found["correct_both"][row]
            different[at] = found["different"][row]
            right[at] = found["correct_before"][row]
        absent = total - mirrored(counted)
        own = np.diagonal(right) + np.diagonal(absent)
        return PairCounts(total, own, mirrored(both) + absent, mirrored(different), absent)

    def transitions(
        self, items: Items, shown: Items, pairs: Sequence[Pair]
    ) -> Iterable[TransitionCounts]:
        """Return the cells of each pair of systems, which are named by their places."""
        found = self._of_pairs(items, shown, pairs, "changes")
        kinds = {name: k for k, name in enumerate(KINDS)}
        kind = np.array([kinds[name] for name in found["kind"].tolist()], np.int64)
        names = list(zip(found["before"].tolist(), found["after"].tolist(), strict=True))
        wanted = [(items.systems[a], items.systems[b]) for a, b in pairs]
        numbers = {pair: k for k, pair in enumerate(dict.fromkeys(wanted))}
        owner = np.array([numbers[pair] for pair in names], np.int64)
        columns = [codes(found[c]) for c in ("gold", "label_before", "label_after", "n")]
        plain = shown is items
        return [transitions(kind, columns, owner == numbers[pair], plain=plain) for pair in wanted]

    def flips(self, items: Items) -> list[dict[str, int | str]]:
        """Return what each system but the first breaks that all systems before it have right."""
        found = self.asked(items, "changes-flips")
        rows = {int(number): row for row, number in enumerate(found["number"].tolist())}
        return [
            {
                "system": system,
                "earlier": at,
                **{
                    name: int(found[name][rows[at + 1]]) if at + 1 in rows else 0
                    for name in ("held", "flips", "firsts")
                },
            }
            for at, system in enumerate(items.systems[1:], 1)
        ]

    def labels(self, items: Items, shown: Items) -> LabelCounts:
        """Return the counts by the label of gold that is shown."""
        own = self._tally(items, None if shown is items else shown)
        return self._by_label(own, items, len(shown.labels) + 1)

    def groups(self, items: Items, codes: Codes, number: int) -> LabelCounts:
        """Return the same counts by a code of each item, from 1 to the number of groups."""
        own = tally(self.connection, items, alike(items, codes, codes))
        return self._by_label(own, items, number + 1)

    def votes(self, items: Items, order: Sequence[int]) -> Votes:  # noqa: ARG002
        """Return the counts of votes; the SELECT ranks the systems itself, as ``order`` does."""
        last = len(items.answers)
        found = self.asked(items, "oracle-votes")
        own = self.asked(items, "oracle-leave-one-out")
        alone = dict(zip(own["system"].tolist(), own["alone"].tolist(), strict=True))
        invented = self.asked(items, "oracle-invented")["n"][0]
        return Votes(
            tallied(found["k"], found["items"], last + 1),
            tallied(found["k"], found["majority_correct"], last + 1),
            np.array([alone.get(name, 0) for name in items.systems], np.int64),
            int(invented),
        )

    def ladder(self, items: Items) -> list[Rung]:
        """Return the systems in the order of what each adds to those before it."""
        chosen: list[str] = []
        rungs: list[Rung] = []
        total: dict[int, int] = {}
        for _ in items.systems:
            self._tally(items).put(
                "chosen", pl.DataFrame({"system": chosen}, {"system": pl.String})
            )
            found = self.asked(items, "oracle-ladder")
            adds = dict(zip((found["number"] - 1).tolist(), found["adds"].tolist(), strict=True))
            total = total or adds
            left = [k for k, name in enumerate(items.systems) if name not in chosen]
            best = max(left, key=lambda s: (adds.get(s, 0), total.get(s, 0), -s))
            reached = (rungs[-1].reached if rungs else 0) + adds.get(best, 0)
            rungs.append(Rung(best, reached))
            chosen.append(items.systems[best])
        return rungs

    def raters(self, items: Items, *, missing: bool) -> Raters:
        """Return what gold and systems answer as raters; ``missing``: who gives none is none."""
        slots = not missing and not (items.empty_is_answer and items.unit in ("token", "row"))
        nothing = "missing" if missing else "slot" if slots else "answer"
        return SqlRaters(self, items, nothing)

    def bucketing(self, items: Items) -> Callable[[Placed], BucketCounts]:
        """Return what counts some items in the buckets of one attribute after the other."""
        return partial(self._bucketed, items)

    def _bucketed(self, items: Items, placed: Placed) -> BucketCounts:
        own = tally(self.connection, items, in_buckets(items, placed))
        found = self._run(own, "buckets", apart=not placed.agree)
        where = found["system"], found["bucket"] - 1
        parts = {c: by_system(items, *where, found[c], placed.n)
                 for c in ("gold", "predicted", "tp", "right")}  # fmt: skip
        gold = np.bincount(placed.gold[items.gold != 0], minlength=placed.n)
        gold = parts["gold"][0] if len(parts["gold"]) else gold
        return BucketCounts(gold, parts["predicted"], parts["tp"], parts["right"])

    def said(self, items: Items) -> Counts:
        """Return how many items each system gives each code: a row a system, 0 is nothing."""
        found = self.asked(items, "attachment-labels")
        size = len(items.labels) + 1
        counts = by_system(items, found["system"], codes(found["label"]), found["predicted"], size)
        counts[:, 0] = len(items) - counts.sum(axis=1)
        return counts

    def span_events(
        self, items: Items, errors: Iterable[tuple[str, Counts]], kinds: int
    ) -> Iterator[tuple[Counts, Counts]]:
        """Yield for each system the cells of its right spans and errors, and how often each is."""
        own, base = self._tally(items), len(items.labels) + 1
        own.put("error", error_table(dict(errors), base, kinds))
        found = self._run(own, "errors")
        kind = np.array([1 if k == "tp" else int(k) for k in found["kind"].tolist()], np.int64)
        cell = (codes(found["gold"]) * base + codes(found["answer"])) * kinds + kind
        order = np.lexsort((cell, kind != 1))
        system, cell, n = (part[order] for part in (found["system"], cell, found["n"]))
        for name in items.systems:
            mine = system == name
            yield cell[mine], n[mine].astype(np.int64)

    def span_sides(self, items: Items) -> tuple[Counts, Counts]:
        """Return by system and label how many spans of gold are missed, how many are invented."""
        found, size = self.asked(items, "errors-labels"), len(items.labels) + 1
        where = found["system"], codes(found["label"])
        missed, invented = (by_system(items, *where, found[c], size) for c in ("fn", "fp"))
        return missed, invented

    def agreed(self, parts: tuple[Items, ...], present: Items | None) -> dict[str, Agreed]:
        """Return how many words gold and each system have, how many agree, how many are aligned."""
        items = joined_parts(parts)
        found = self.asked(items, "attachment", present)
        rows = zip(*(found[c].tolist() for c in ("system", "gold", "predicted", "correct",
                                                 "aligned")), strict=True)  # fmt: skip
        counts = {
            name: Agreed(gold, said, right, right if present is None else met)
            for name, gold, said, right, met in rows
        }
        gold = int(np.count_nonzero(items.gold))
        return {name: counts.get(name, Agreed(gold, 0, 0, 0)) for name in items.systems}

    def _tally(self, items: Items, shown: Items | None = None) -> Schema:
        """Return the patterns of some items, made once: they go with the items."""
        key = ("sql tally", id(self), id(shown))
        return items.memo.get(key, lambda: tally(self.connection, items, shown))

    def asked(self, items: Items, name: str, shown: Items | None = None, **params: Any) -> Columns:
        """Return the columns of an analysis of some items."""
        other = None if shown is items else shown
        return self._run(self._tally(items, other), name, **params)

    def _run(self, own: Schema, name: str, **params: Any) -> Columns:
        """Return the columns of an analysis."""
        found = query(f"analyses/{name}")
        return own.use().execute(found.text, params or None).fetchnumpy()

    def _of_groups(self, items: Items, name: str) -> Columns:
        return self._run(grouped(self.connection, items), name)

    def _of_pairs(self, items: Items, shown: Items, pairs: Sequence[Pair], name: str) -> Columns:
        own = self._tally(items, None if shown is items else shown)
        names = items.systems
        rows = {"before": [names[a] for a, _ in pairs], "after": [names[b] for _, b in pairs]}
        kinds = {"before": pl.String, "after": pl.String}
        own.put("pair", pl.DataFrame(rows, schema=kinds).unique(maintain_order=True))
        return self._run(own, name)

    def _by_label(self, own: Schema, items: Items, size: int) -> LabelCounts:
        whole, each = self._run(own, "oracle-labels"), self._run(own, "changes-labels")
        return LabelCounts(
            tallied(codes(whole["label"]), whole["items"], size),
            by_system(items, each["system"], codes(each["label"]), each["correct"], size),
            tallied(codes(whole["label"]), whole["oracle_correct"], size),
        )


class _Engines(threading.local):
    """The engines of a thread, by their limits: a connection answers one thread at a time."""

    def __init__(self) -> None:
        self.of = cache(Sql)


_engines = _Engines()


def sql_engine(limit: MemoryLimit | None) -> Sql:
    """Return the engine under a limit on memory: one a thread, as opening a database takes long."""
    return _engines.of(limit)


def codes(column: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return codes with 0 for null."""
    return np.ma.filled(column, 0).astype(np.int64)


def tallied(place: Any, n: Any, size: int) -> np.ndarray[Any, Any]:
    """Return counts by place, 0 where there is none; the first place is that of null."""
    counts = np.zeros(size, np.int64)
    counts[codes(place)] = n
    return counts


def by_system(items: Items, system: Any, place: Any, n: Any, size: int) -> np.ndarray[Any, Any]:
    """Return a row of counts a system; rows of others, who only judge, are left out."""
    numbers = {name: k for k, name in enumerate(items.systems)}
    counts = np.zeros((len(numbers), size), np.int64)
    for name, at, number in zip(system.tolist(), codes(place).tolist(), n.tolist(), strict=True):
        if name in numbers:
            counts[numbers[name], at] = number
    return counts


def cells(items: Items, shown: Items, found: Columns, column: str) -> pl.DataFrame:
    """Return system, gold, answer (labels) and n, system after system as they were given."""
    label = pl.Series([None, *shown.labels], dtype=pl.String)
    numbers = {name: k for k, name in enumerate(items.systems)}
    owner = np.array([numbers[name] for name in found["system"].tolist()], np.int64)
    gold, answer = codes(found["gold"]), codes(found["answer"])
    order = np.lexsort((answer, gold, owner))
    names = pl.Series(list(items.systems), dtype=pl.String)
    return pl.DataFrame(
        {
            "system": names.gather(pl.Series(owner[order])),
            "gold": label.gather(pl.Series(gold[order])),
            "answer": label.gather(pl.Series(answer[order])),
            column: found["n"][order].astype(np.int64),
        }
    )


def transitions(kind: Any, columns: list[Any], mine: Any, *, plain: bool) -> TransitionCounts:
    """Return the cells of one pair in the order that the kernel has them."""
    gold, before, after, n = (column[mine] for column in columns)
    own = kind[mine]
    known = np.select([own == 0, own == 1], [after, before], gold) if plain else gold
    keys = (after, before, known) if plain else (after, before, gold, own)
    order = np.lexsort(keys)
    return TransitionCounts(*(part[order] for part in (own, gold, before, after, n)))


def mirrored(square: Any) -> Any:
    """Return a square whose lower half is its upper half."""
    return square + np.triu(square, 1).T


def error_table(errors: dict[str, Counts], base: int, kinds: int) -> pl.DataFrame:
    """Return system, gold, answer (codes, null for none) and kind of each error."""
    code = np.concatenate([np.zeros(0, np.int64), *errors.values()]).astype(np.int64)
    place, kind = np.divmod(code, kinds)
    gold, answer = np.divmod(place, base)
    names = pl.Series(list(errors), dtype=pl.String)
    owner = np.repeat(np.arange(len(errors)), [len(codes) for codes in errors.values()])
    table = pl.DataFrame(
        {"system": names.gather(pl.Series(owner)), "gold": gold, "answer": answer, "kind": kind}
    )
    return table.with_columns(pl.col("gold", "answer").replace(0, None), pl.col("kind").cast(str))


def alike(items: Items, gold: Codes, codes: Codes) -> Items:
    """Return items that tables show by one code for all systems."""
    return replace(items, gold=gold, answers={"": codes}, judges=None)


def in_buckets(items: Items, placed: Placed) -> Items:
    """Return items shown by their buckets, numbered from 1: gold's, and that of each answer."""
    gold = numbered(placed.gold, placed.n)
    rows = np.arange(len(items))
    if placed.answer.ndim == 1 and not placed.own:
        codes = placed.at(rows, items.gold)
        return alike(items, gold, numbered(codes, placed.n))
    answers = {n: numbered(placed.at(rows, codes, n), placed.n)
               for n, codes in items.answers.items()}  # fmt: skip
    return replace(items, gold=gold, answers=answers, judges=None)


def numbered(buckets: Codes, number: int) -> Codes:
    """Return buckets numbered from 1, for 0 is null."""
    return buckets.astype(np.min_scalar_type(number + 1)) + 1


def without_systems(items: Items) -> BinCounts:
    """Return the bins of items that no system answers."""
    none = np.zeros((0, 1), np.int64)
    there = int(np.count_nonzero(items.gold))
    return BinCounts(np.array([there]), none, np.array([len(items) - there]), none)
