"""What SQL may ask of a corpus: its items as asked for, and its other units beside them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.counted import scored_items, unfiltered
from coleval.corpus.coding import decoded
from coleval.corpus.coverage import LEAVE_OUT, WRONG
from coleval.corpus.items import SPANS
from coleval.corpus.lazy import LazyMapping
from coleval.counts.pairs import pair_counts
from coleval.counts.patterns import patterns
from coleval.counts.systems import confusion_counts
from coleval.errors import UsageError
from coleval.query.wide import Wide, wide

if TYPE_CHECKING:
    from collections.abc import Callable

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.query.database import Database, Limits

# Lists are made for so many items at a time.
_ROWS = 1 << 18


def database(corpus: Corpus, limits: Limits | None = None) -> Database:
    """Return the database of a corpus, which opens and makes tables when they are asked for."""
    from coleval.query.database import Database, Limits

    units: dict[str, Callable[[], Wide]] = {"item": partial(wide_table, corpus)}
    for unit in corpus.units:
        if unit in ("token", *SPANS):
            units[unit] = partial(_of_unit, corpus, unit)
    makers = {"cell": _cells, "versus": _versus, "answer_list": _lists}
    if corpus.grid is not None and corpus.grid.missing_numbers(corpus.systems):
        # Who was not run on an item is in no count of it, which SQL sees to.
        makers = {"answer_list": _lists}
    if corpus.task_kind.mentions:
        makers["standing"] = _standing
    counted = {name: partial(make, corpus) for name, make in makers.items()}
    return Database(LazyMapping(units), limits or Limits(), counted)


def check_missing(corpus: Corpus, missing: str | None) -> None:
    """Raise if runs that do not exist are to count as wrong: in SQL nothing counts them."""
    if missing == WRONG and corpus.grid and corpus.grid.missing_numbers(corpus.systems):
        raise UsageError(
            "SQL counts no answers of runs that do not exist: their outcome is `not_run`",
            where="--missing wrong",
            remedy="leave it out; `outcome in ('missed', 'not_run')` takes them as wrong",
        )


def wide_table(corpus: Corpus) -> Wide:
    """Return the wide table of the items asked for; it needs no database."""
    return wide(corpus, scored_items(corpus), unfiltered(corpus))


def _of_unit(corpus: Corpus, unit: str) -> Wide:
    return wide(corpus, corpus.at(unit))


def _cells(corpus: Corpus) -> pl.DataFrame:
    """Return the view `cell`: SQL takes ten times as long to count it."""
    items = scored_items(corpus)
    return confusion_counts(patterns(items), items.labels)


def _standing(corpus: Corpus) -> pl.DataFrame:
    """Return the view `standing` by the leaderboard: metrics of chains are no counts of items."""
    items = scored_items(corpus)
    right = [
        int(np.count_nonzero((codes == items.gold) & (items.gold != 0)))
        for codes in items.answers.values()
    ]
    columns = {
        "number": pl.Series(range(1, len(right) + 1), dtype=pl.Int64),
        "system": pl.Series(items.systems, dtype=pl.String),
        "correct": pl.Series(right, dtype=pl.Int64),
    }
    metric = corpus.task_kind.headline(corpus, items)
    board = corpus.scored_by({"missing": LEAVE_OUT}).score().table("overall")
    score = board.filter(pl.col("metric") == metric).select("system", score="f1")
    return (
        pl.DataFrame(columns)
        .join(score, on="system", how="left")
        .sort("score", "system", descending=[True, False], nulls_last=True)
        .with_columns(place=pl.int_range(1, pl.len() + 1, dtype=pl.Int64))
    )


def _lists(corpus: Corpus) -> pl.DataFrame:
    """Return the view `answer_list`: SQL writes all labels out as texts for it."""
    items = scored_items(corpus)
    item = pl.Series("item", items.numbers.astype(np.uint32, copy=False))
    blocks = range(0, max(len(items), 1), _ROWS)
    lists = [_list(items, slice(low, low + _ROWS)) for low in blocks]
    gold = decoded(items.gold, items.labels, "gold")
    return pl.DataFrame([item, wide_table(corpus).run_set, gold, pl.concat(lists)])


def _list(items: Items, rows: slice) -> pl.Series:
    """Return the answers of all systems to some items, a list for each."""
    columns = [codes[rows] for codes in items.answers.values()]
    codes = np.stack(columns, axis=1) if columns else np.empty((len(items.gold[rows]), 0), np.uint8)
    flat = decoded(codes.ravel(), items.labels, "answers")
    if not codes.size:
        return pl.Series("answers", [[]] * len(codes), dtype=pl.List(flat.dtype))
    return flat.reshape(codes.shape).arr.to_list()


def _versus(corpus: Corpus) -> pl.DataFrame:
    """Return the view `versus`: SQL takes a hundred times as long to count it."""
    items = scored_items(corpus)
    own = items if items.empty_is_answer else items.where(np.flatnonzero(items.gold))
    whole, found = pair_counts(patterns(items)), pair_counts(patterns(own))
    a, b = np.triu_indices(len(items.systems), 1)
    both, different = whole.both[a, b], whole.different[a, b]
    wrong_both = whole.total - whole.right[a] - whole.right[b] + both
    told = whole.total - whole.absent[a, b]
    names = pl.Series(items.systems, dtype=pl.String)
    counts = {
        "items": told,
        "same": told - different,
        "same_error": wrong_both - (different - (whole.right[a] + whole.right[b] - 2 * both)),
        "wrong_both": wrong_both,
        "found": np.full(len(a), found.total),
        "right_before": found.right[a],
        "right_after": found.right[b],
        "right_both": found.both[a, b],
    }
    pairs = {"before": names.gather(pl.Series(a)), "after": names.gather(pl.Series(b))}
    return pl.DataFrame(pairs | {name: n.astype(np.int64) for name, n in counts.items()})
