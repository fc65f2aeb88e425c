"""``errors``: every span error counted once and named (fair evaluation), for many systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.errors.counts import events, fates, in_fates, sides
from coleval.annotate.span_errors import kind_of_gold
from coleval.corpus.items import CHARACTER
from coleval.corpus.lazy import LazyMapping
from coleval.declare.reading import named_pairs
from coleval.errors import UsageError, unknown
from coleval.statistics import fair as scores
from coleval.statistics.fair import FAIR, KINDS, Weights, explained, parsed
from coleval.statistics.ratio import ratio_expr

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from coleval.analyses.errors.counts import Fates
    from coleval.analyses.errors.spec import Options
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items


_RATIOS = scores.RATIOS
_FAIR = (
    "method", "tp", "fp", "fn", "le", "be", "bes", "bel", "beo", "lbe", *_RATIOS,
)  # fmt: skip
_NERVALUATE = ("method", "cor", "inc", "par", "mis", "spu", "possible", "actual", *_RATIOS)
_HIPE = ("method", "tp", "fp", "fn", *_RATIOS)


def errors(corpus: Corpus, options: Options) -> Mapping[str, pl.DataFrame]:
    """Return the tables of DEFINITIONS §3, the system with the best fair F1 first."""
    pair, weights = named_pairs(options.pair, options.pairs), options.weights or ""
    _check(corpus, pair, weights)
    found = fates(corpus, options.ignore_punct)
    weighing = parsed(weights) if weights and weights != "fair" else (FAIR if weights else None)
    kinds, order, makers = _tables(corpus, found, options.focus, weighing)
    if pair:
        makers["comparison"] = lambda: comparison(kinds, pair, weighing or FAIR)
        makers["moves"] = lambda: moves(found, pair)
    if options.items:
        makers["items"] = lambda: _in_order(error_items(corpus, found), order)
    return LazyMapping(makers)


def strict_by_label(corpus: Corpus) -> pl.DataFrame:
    """Return tp, fp, fn and support by system and label, as HIPE-scorer and nervaluate count them.

    Both pair a wrong span with the gold span that it overlaps and count the pair once, as
    incorrect, under gold's label: that label has the false positive and the false negative. Only a
    span that overlaps none is a false positive of its own label. Totals are the usual ones.
    """
    found = fates(corpus)
    counts = _by_label(events(found), sides(found), "target")
    strict = scores.hipe(counts, "strict", corpus.scoring.zero_division)
    return strict.select("system", "label", "tp", "fp", "fn", "support")


def _tables(
    corpus: Corpus, found: Fates, focus: str, weights: Weights | None
) -> tuple[pl.DataFrame, pl.DataFrame, dict[str, Callable[[], pl.DataFrame]]]:
    """Return counts of kinds by system, the order of the systems, and what makes the tables."""
    counted, by_side = events(found), sides(found)
    kinds = _whole(counted, by_side, list(found.found))
    overall = _scored(corpus, kinds, (), weights)
    order = _order(overall)

    def labels() -> pl.DataFrame:
        return _scored(corpus, _by_label(counted, by_side, focus), ("label",), weights)

    makers: dict[str, Callable[[], pl.DataFrame]] = {
        "overall": lambda: _in_order(overall, order),
        "labels": lambda: _in_order(labels(), order),
        "ranking": lambda: _ranking(overall, order),
        "profile": lambda: _in_order(_profile(kinds), order),
        "confusion": lambda: _in_order(_confusion(counted), order),
        "statistics": lambda: _statistics(by_side),
    }
    if len(found.found) < 2:
        del makers["ranking"]
    return kinds, order, makers


def _check(corpus: Corpus, pair: Sequence[tuple[str, str]], weights: str) -> None:
    for name in (name for two in pair for name in two):
        if name not in corpus.systems:
            raise unknown("system", name, corpus.systems, where="--pair")
    if weights and corpus.scoring.taxonomy != "fair":
        raise UsageError(
            f"{corpus.scoring.taxonomy} has no weights",
            where="--weights",
            remedy="leave out --weights, or the profile or taxonomy",
        )


def _kinds(counted: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Return a column of counts for each kind of error, a row a key."""
    sums = [pl.col("n").filter(pl.col("kind") == kind).sum().alias(kind) for kind in KINDS]
    frame = counted.group_by(keys, maintain_order=True).agg(sums)
    return frame.with_columns(be=pl.sum_horizontal(scores.BOUNDARY))


def _by_label(counted: pl.DataFrame, by_side: pl.DataFrame, focus: str) -> pl.DataFrame:
    """Return the kinds by label, each error under the label of gold or, by focus, the system."""
    first, second = ("gold", "answer") if focus == "target" else ("answer", "gold")
    booked = counted.with_columns(label=pl.coalesce(first, second))
    return _beside(by_side, _kinds(booked, ("system", "label")), ["system", "label"])


def _whole(counted: pl.DataFrame, by_side: pl.DataFrame, systems: list[str]) -> pl.DataFrame:
    """Return the kinds of every system, also where there is no span at all."""
    every = pl.DataFrame({"system": systems}, schema={"system": pl.String})
    sums = by_side.group_by("system").agg(pl.col("support", "fn", "fp").sum())
    sums = every.join(sums, on="system", how="left", maintain_order="left")
    return _beside(sums, _kinds(counted, ("system",)), ["system"])


def _beside(by_side: pl.DataFrame, kinds: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Return kinds with the traditional counts beside them, 0 where there is nothing."""
    ours = by_side.rename({"fn": "missed", "fp": "invented"})
    joined = ours.join(kinds, on=keys, how="left", maintain_order="left")
    return joined.with_columns(pl.exclude(keys).fill_null(0))


def _scored(
    corpus: Corpus, counts: pl.DataFrame, keys: tuple[str, ...], weights: Weights | None
) -> pl.DataFrame:
    """Return a row a system, key and method."""
    scored = dict(_methods(corpus, counts, weights))
    columns = {"fair": _FAIR, "nervaluate": _NERVALUATE, "hipe": _HIPE}[corpus.scoring.taxonomy]
    support = ("support",) if keys else ()
    frames = [
        frame.with_columns(pl.lit(method).alias("method"))
        .select("system", *keys, *columns, *support)
        .with_row_index("row")
        for method, frame in scored.items()
    ]
    # A system's methods stand together, and those of its labels too.
    return pl.concat(frames).sort("row", maintain_order=True).drop("row")


def _methods(
    corpus: Corpus, counts: pl.DataFrame, weights: Weights | None
) -> Iterator[tuple[str, pl.DataFrame]]:
    zero_division = corpus.scoring.zero_division
    if corpus.scoring.taxonomy == "nervaluate":
        for mode in scores.NERVALUATE:
            yield mode, scores.nervaluate(counts, mode, zero_division)
    elif corpus.scoring.taxonomy == "hipe":
        for regime in scores.HIPE:
            yield regime, scores.hipe(counts, regime, zero_division)
    else:
        yield "traditional", _traditional(counts, zero_division)
        yield "fair", scores.weighted(counts, FAIR, zero_division)
        if weights is not None:
            yield "weighted", scores.weighted(counts, weights, zero_division)


def _traditional(counts: pl.DataFrame, zero_division: float | None) -> pl.DataFrame:
    """Return the counts of equal and unequal spans; there are no other kinds."""
    others = [kind for kind in (*KINDS, "be") if kind not in ("tp", "fp", "fn")]
    tp = pl.col("support") - pl.col("missed")
    frame = counts.with_columns(tp=tp, fn=pl.col("missed"), fp=pl.col("invented"))
    nothing = [pl.lit(None, pl.Int64).alias(kind) for kind in others]
    return scores.plain(frame, zero_division).with_columns(nothing)


def _order(overall: pl.DataFrame) -> pl.DataFrame:
    """Return the systems, best first by the last but strictest method: fair, or strict."""
    wanted = "fair" if "fair" in overall["method"] else "strict"
    best = overall.filter(pl.col("method") == wanted)
    best = best.sort("f1", "system", descending=[True, False], nulls_last=True)
    return best.select("system").with_row_index("rank")


def _in_order(frame: pl.DataFrame, order: pl.DataFrame) -> pl.DataFrame:
    joined = frame.join(order, on="system", how="left", maintain_order="left")
    return joined.sort("rank", maintain_order=True).drop("rank")


def _ranking(overall: pl.DataFrame, order: pl.DataFrame) -> pl.DataFrame:
    """Return every method's F1 and rank; ``change`` is how many places the second method gains.

    Equal F1 share a rank; a system without F1 has none.
    """
    methods = overall["method"].unique(maintain_order=True).to_list()
    wide = order.select("system")
    for method in methods:
        rank = pl.col("f1").rank("min", descending=True).cast(pl.Int64).alias(f"{method}_rank")
        column = overall.filter(pl.col("method") == method)
        column = column.select("system", pl.col("f1").alias(f"{method}_f1"), rank)
        wide = wide.join(column, on="system", how="left", maintain_order="left")
    first, second = methods[:2]
    return wide.with_columns(change=pl.col(f"{first}_rank") - pl.col(f"{second}_rank"))


def _profile(kinds: pl.DataFrame) -> pl.DataFrame:
    """Return how many of each system's errors are of each kind, and their share."""
    long = kinds.unpivot(list(scores.ERRORS), index="system", variable_name="error", value_name="n")
    total = pl.col("n").sum().over("system")
    return long.with_columns(share=ratio_expr(pl.col("n"), total))


def _confusion(counted: pl.DataFrame) -> pl.DataFrame:
    """Return gold label × answer of all errors; boundary errors stand on the diagonal."""
    wrong = counted.filter(pl.col("kind") != "tp")
    sums = wrong.group_by("system", "gold", "answer", maintain_order=True).agg(pl.col("n").sum())
    return sums.sort("system", "gold", "answer", nulls_last=True, maintain_order=True)


def _statistics(by_side: pl.DataFrame) -> pl.DataFrame:
    """Return how often gold has each label."""
    gold = by_side.unique("label", maintain_order=True).filter(pl.col("support") > 0)
    gold = gold.sort("support", "label", descending=[True, False])
    support = pl.col("support")
    return gold.select("label", n="support", share=ratio_expr(support, support.sum()))


_AROUND = 4
_CHARACTERS = ("char_start", "char_end", "fragments")


def error_items(corpus: Corpus, fates: Fates) -> pl.DataFrame:
    """Return a row an error, in reading order for each system.

    ``item`` and ``partner`` are numbers of the item table. In ``context``, which is there if
    there are words, gold's span stands in brackets and the system's in braces.
    """
    text = _ErrorText.of(corpus, fates.items) if "token" in corpus.units else None
    return pl.concat([_listed(fates, system, text) for system in fates.found])


def _listed(fates: Fates, system: str, text: _ErrorText | None) -> pl.DataFrame:
    items, found = fates.items, fates.found[system]
    row = np.flatnonzero(found.counts & fates.counted(found))
    row = row[np.lexsort((found.kind[row], found.item[row]))]
    item, side, partner = found.item[row], found.gold[row], found.partner[row]
    ours, theirs = np.where(side, item, partner), np.where(side, partner, item)
    place = [c for c in ("document", "sentence") if c in items.context.columns]
    return pl.DataFrame(
        [
            pl.Series("system", [system] * len(row), dtype=pl.String),
            pl.Series(KINDS).gather(pl.Series(found.kind[row] - 1)).rename("error"),
            *items.context[pl.Series(item)].select(place).get_columns(),
            *_side(items, items.gold, ours, "gold"),
            *_side(items, items.answers[system], theirs, "answer"),
            *([] if text is None else [text.around(ours, theirs)]),
            pl.Series("item", items.numbers[item].astype(np.int64)),
            _known(pl.Series(items.numbers.astype(np.int64)), partner, "partner"),
        ]
    )


def _side(
    items: Items, codes: NDArray[np.unsignedinteger], at: NDArray[np.int64], side: str
) -> list[pl.Series]:
    """Return the labels of one side's spans, where they begin and end, and any tokens."""
    label = pl.Series([None, *items.labels], dtype=pl.String)
    code = pl.Series(np.where(at >= 0, codes[at], 0).astype(np.int64))
    names = _CHARACTERS if items.unit == CHARACTER else ("start", "end", "tokens")
    place = [c for c in names if c in items.context.columns]
    columns = [_known(items.context[name], at, f"{side}_{name}") for name in place]
    return [label.gather(code).rename(side), *columns]


def _known(column: pl.Series, at: NDArray[np.int64], name: str) -> pl.Series:
    """Return the values of a column at some rows, null at -1."""
    if not len(column):
        return column.rename(name)
    values = column.gather(pl.Series(np.maximum(at, 0)))
    return pl.select(pl.when(pl.Series(at >= 0)).then(values)).to_series().rename(name)


@dataclass(frozen=True, slots=True)
class _ErrorText:
    """The words of the text and where each item's begin and end among them."""

    words: list[str]
    sentence: NDArray[np.integer]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]

    @classmethod
    def of(cls, corpus: Corpus, items: Items) -> _ErrorText:
        """Return the text of a corpus, with the place of items that are among its spans."""
        tokens, context = corpus.at("token"), items.context
        form, sentence = tokens.form(), tokens.context["sentence"].to_numpy()
        first = np.flatnonzero(np.diff(sentence.astype(np.int64), prepend=-1))
        here = first[context["sentence"].to_numpy()]
        start, end = (here + context[c].to_numpy().astype(np.int64) for c in ("start", "end"))
        words = [] if form is None else form.to_list()
        return cls(words, sentence, start, end)

    def around(self, ours: NDArray[np.int64], theirs: NDArray[np.int64]) -> pl.Series:
        """Return the words of each pair of spans, and some before and behind."""
        pairs = zip(ours.tolist(), theirs.tolist(), strict=True)
        return pl.Series("context", [self._around(*pair) for pair in pairs], dtype=pl.String)

    def _around(self, gold: int, answer: int) -> str:
        opened: dict[int, str] = {}
        closed: dict[int, str] = {}
        for at, (left, right) in ((gold, "[]"), (answer, "{}")):
            if at >= 0:
                begin, end = int(self.begin[at]), int(self.end[at])
                opened[begin] = opened.get(begin, "") + left
                closed[end - 1] = right + closed.get(end - 1, "")
        low, high = self._window(min(opened), max(closed))
        return " ".join(
            f"{opened.get(at, '')}{self.words[at]}{closed.get(at, '')}" for at in range(low, high)
        )

    def _window(self, first: int, last: int) -> tuple[int, int]:
        """Return the words to show: a few on both sides, all of the same sentences."""
        low, high = first, last + 1
        while low > max(0, first - _AROUND) and self.sentence[low - 1] == self.sentence[first]:
            low -= 1
        while high < min(len(self.words), last + 1 + _AROUND):
            if self.sentence[high] != self.sentence[last]:
                break
            high += 1
        return low, high


_COMPARED = {
    "before": pl.String, "after": pl.String, "error": pl.String,
    "n_before": pl.Int64, "n_after": pl.Int64, "delta": pl.Int64, "f1": pl.Float64,
}  # fmt: skip
_MOVED = {
    "before": pl.String, "after": pl.String,
    "error_before": pl.String, "error_after": pl.String, "n": pl.Int64,
}  # fmt: skip


def comparison(
    kinds: pl.DataFrame, pairs: Sequence[tuple[str, str]], weights: Weights
) -> pl.DataFrame:
    """Return each kind's counts in two systems and what it adds to the difference of their F1.

    ``f1`` sums up to that difference; it is null where an F1 is undefined or 0.
    """
    counts = {row["system"]: row for row in kinds.to_dicts()}
    rows = []
    for before, after in pairs:
        parts = explained(counts[before], counts[after], weights)
        for at, kind in enumerate(KINDS):
            a, b = counts[before][kind], counts[after][kind]
            rows.append((before, after, kind, a, b, b - a, parts[at] if parts else None))
    return pl.DataFrame(rows, schema=_COMPARED, orient="row")


def moves(fates: Fates, pairs: Sequence[tuple[str, str]]) -> pl.DataFrame:
    """Return what became of gold's spans in both systems, where it is not the same."""
    return pl.concat([_moves(fates, *pair) for pair in pairs])


def _moves(fates: Fates, before: str, after: str) -> pl.DataFrame:
    if fates.elsewhere is not None:
        found = in_fates(fates, _moves, before, after)
        place = {name: at for at, name in enumerate(KINDS)}
        order = [pl.col(f"error_{s}").replace_strict(place, return_dtype=pl.Int64)
                 for s in ("before", "after")]  # fmt: skip
        return found.sort(order).sort("n", descending=True, maintain_order=True)
    kept = (fates.items.gold != 0) if fates.kept is None else (fates.items.gold != 0) & fates.kept
    a, b = (kind_of_gold(fates.items, fates.found[name])[kept] for name in (before, after))
    size = len(KINDS) + 1
    n = np.bincount(a.astype(np.intp) * size + b, minlength=size * size)
    there = np.flatnonzero(n)
    there = there[there // size != there % size]
    rows = [
        (before, after, KINDS[code // size - 1], KINDS[code % size - 1], int(n[code]))
        for code in there.tolist()
    ]
    frame = pl.DataFrame(rows, schema=_MOVED, orient="row")
    return frame.sort("n", descending=True, maintain_order=True)
