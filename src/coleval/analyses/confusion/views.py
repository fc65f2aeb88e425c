"""Which labels are confused: a matrix for each of few systems, the commonest confusions of many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.confusion.spec import CONFUSED
from coleval.declare.figures import Figure
from coleval.declare.tables import Shaped, count, text
from coleval.render.fitting import fits
from coleval.render.listing import shortened_heads, systems_of
from coleval.render.sheet import PAGE, Cell, Head, Sheet
from coleval.render.visible import visible

if TYPE_CHECKING:
    from coleval.corpus.report import Report


MATRICES = 3


def matrices(report: Report, width: int) -> tuple[Sheet, ...]:
    """Return a matrix a system, none where there are more than three."""
    frame = _labelled(report, "confusion")
    systems = systems_of(report, frame)
    if len(systems) > MATRICES:
        return ()
    counts: dict[str, Counter[tuple[str, str]]] = {system: Counter() for system in systems}
    for system, gold, answer, n in frame.select("system", "gold", "answer", "n").iter_rows():
        counts[system][gold, answer] += n
    leading = not _is_label(report, "confusion")
    return tuple(matrix(system, counts[system], width, leading=leading) for system in systems)


def commonest(report: Report) -> Shaped:
    """Return the confusions that all systems together make most often, with those of each."""
    notes = ("one system's matrix: --systems NAME", f"{NOTHING} no label")
    return Shaped(
        _most_frequent(_labelled(report, "confusion"), "system", _is_label(report, "confusion")),
        notes=notes,
    )


def by_group(report: Report) -> Shaped:
    """Return the same confusions in every group."""
    frame = _labelled(report, "by").with_columns(pl.col("by").fill_null(NOTHING))
    return Shaped(
        _most_frequent(frame, "by", _is_label(report, "by")), notes=(f"{NOTHING} no label",)
    )


def _most_frequent(every: pl.DataFrame, across: str, named: bool) -> pl.DataFrame:
    """Return the wrong answers, the most frequent first, with how many each value ``across`` has.

    A value without any of one has a row of zero. Gold and answer are left out where a label is
    ``named`` as no label is.
    """
    both = ["gold", "answer"]
    wrong = every.filter(pl.col("gold") != pl.col("answer"))
    n = wrong.group_by(across, *both).agg(pl.col("n").sum())
    first = (
        n.group_by(both).agg(pl.col("n").sum()).sort("n", *both, descending=[True, False, False])
    )
    rows = (
        first.drop("n")
        .join(every.select(across).unique(maintain_order=True), how="cross")
        .join(n, on=[across, *both], how="left", maintain_order="left")
        .with_columns(
            pl.col("n").fill_null(0), pl.format("{} → {}", *both).alias("gold → predicted")
        )
    )
    if named:
        return rows.drop(both)
    # What has no label is null in the items.
    return rows.with_columns(
        pl.when(pl.col(name) != NOTHING).then(name).alias(name) for name in both
    )


def _is_label(report: Report, table: str) -> bool:
    """Return whether a label is called as no label is: cells with it say of no items."""
    frame = report.table(table)
    return any((frame[name] == NOTHING).any() for name in ("gold", "answer"))


def _labelled(report: Report, table: str) -> pl.DataFrame:
    return report.table(table).with_columns(pl.col("gold", "answer").fill_null(NOTHING))


CONFUSION = (
    Figure(
        "heat map",
        "{system}: gold labels (rows) and answers (columns), in items; –: no label",
        text("gold"),
        count("n", "items"),
        text("answer"),
        apart=("system",),
        most=3,
        square=True,
        top=25,
        shaped_by="coleval.analyses.confusion.views:square",
        counts=CONFUSED.counts["n"],
    ),
)


def square(report: Report) -> pl.DataFrame:
    """Return the cells, labels with most items first and what has no label last."""
    frame = report.table("confusion")
    ends = [frame.select(pl.col(name).alias("label"), "n") for name in ("gold", "answer")]
    sums = pl.concat(ends).group_by("label").agg(pl.col("n").sum()).drop_nulls("label")
    ranked = sums.sort("n", "label", descending=[True, False])["label"].to_list()
    places = {label: k for k, label in enumerate(ranked)}
    gold, answer = (
        pl.col(name).replace_strict(places, default=None, return_dtype=pl.Int64)
        for name in ("gold", "answer")
    )
    return frame.sort(gold, answer, nulls_last=True, maintain_order=True)


NAME = "confusion"
NOTHING = "_"
LABELS, LABELS_OF_PAGE = 24, 60

Counts = Mapping[tuple[str, str], int]
_NOTHING_NOTE = (
    f"{NOTHING} no label: row {NOTHING} holds spurious answers, column {NOTHING} missed ones"
)


def matrix(system: str, counts: Counts, width: int, *, leading: bool = False) -> Sheet:
    """Return the largest matrix that fits, the labels with the most confusions first to stay."""
    labels = _by_confusions(counts)
    most = LABELS if width < PAGE else LABELS_OF_PAGE
    for k in range(min(most, len(labels)), 1, -1):
        sheet = _drawn(system, counts, labels, k, leading=leading)
        if fits(sheet, width):
            return sheet
    return _drawn(system, counts, labels, 1, leading=leading)


def _by_confusions(counts: Counts) -> list[str]:
    """Return all labels, the most confused first; nothing (`_`) is never left out."""
    confused: Counter[str] = Counter()
    for (gold, answer), n in counts.items():
        confused[gold] += n * (gold != answer)
        confused[answer] += n * (gold != answer)
    return sorted(confused, key=lambda label: (label != NOTHING, -confused[label], label))


def _drawn(system: str, counts: Counts, labels: Sequence[str], k: int, *, leading: bool) -> Sheet:
    """Return the matrix of the first ``k`` labels and, if there are more, of the others."""
    shown, others = _in_order(counts, labels[:k]), len(labels) - k
    names = [*map(visible, shown), *([f"other ({others})"] if others > 0 else [])]
    folded = _folded(counts, shown)
    rows = [_row(folded, at, len(names), diagonal=at < len(shown)) for at in range(len(names))]
    if leading:
        rows[: len(shown)] = _leading(system, shown, rows, folded)
    heads = (
        Head("gold ↓ predicted →", right=False, elastic=True),
        *shortened_heads(names, 10),
    )
    nothing = (_NOTHING_NOTE,) if NOTHING in shown else ()
    more = (f"all {len(labels)} labels: --as csv --table {NAME}",) if others > 0 else ()
    return Sheet(
        NAME,
        f"gold label × predicted label · {visible(system)}",
        (*heads, Head("all")),
        tuple((Cell(name), *row) for name, row in zip(names, rows, strict=True)),
        (*nothing, *more),
    )


def _leading(
    system: str,
    shown: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    folded: Mapping[tuple[int, int], int],
) -> list[list[Cell]]:
    """Return the rows of labels with the items that their cells count."""
    named = [None if label == NOTHING else label for label in shown]
    leading = []
    for at, (gold, row) in enumerate(zip(named, rows, strict=False)):
        cells = list(row)
        for to, answer in enumerate(named):
            n = {"system": system, "gold": gold, "answer": answer, "n": folded[at, to]}
            cells[to] = replace(cells[to], counts=CONFUSED.counted("n", n))
        leading.append(cells)
    return leading


def _in_order(counts: Counts, labels: Sequence[str]) -> list[str]:
    """Return the labels by their frequency in gold, nothing last."""
    gold: Counter[str] = Counter()
    for (label, _), n in counts.items():
        gold[label] += n
    return sorted(labels, key=lambda label: (label == NOTHING, -gold[label], label))


def _folded(counts: Counts, shown: Sequence[str]) -> Counter[tuple[int, int]]:
    """Return the counts by place in ``shown``, everything else in the place after it."""
    places = {label: at for at, label in enumerate(shown)}
    folded: Counter[tuple[int, int]] = Counter()
    for (gold, answer), n in counts.items():
        folded[places.get(gold, len(shown)), places.get(answer, len(shown))] += n
    return folded


def _row(
    folded: Mapping[tuple[int, int], int], row: int, size: int, *, diagonal: bool
) -> list[Cell]:
    """Return one gold label's cells; errors are tinted by their share of all its errors."""
    values = [folded[row, column] for column in range(size)]
    wrong = sum(values) - values[row]
    shares = [n / wrong if n and diagonal and at != row else None for at, n in enumerate(values)]
    cells = [
        Cell(f"{n:,}" if n else "·", shade=share, dim=share is None)
        for n, share in zip(values, shares, strict=True)
    ]
    return [*cells, Cell(f"{sum(values):,}", dim=True)]
