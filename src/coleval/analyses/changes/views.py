"""Pairs of systems at a glance: a sentence for one, a list for some, two squares for all."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.analyses.wording import number_of
from coleval.declare.conditions import DIFFERENT, MOVE, PAIR
from coleval.declare.figures import Figure
from coleval.declare.tables import (
    ByKind,
    Column,
    Shaped,
    count,
    counted_by,
    percent,
    points,
    text,
)
from coleval.render.halves import (
    Half,
    alike,
    full_count,
    full_percent,
    short_count,
    short_percent,
    square,
)
from coleval.render.listing import listing, ratio, whole
from coleval.render.sheet import PAPER, Paragraph, Prose, Sheet, View, rows_for
from coleval.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coleval.corpus.report import Report
    from coleval.declare.tables import CountedItems


NAME = "summary"
ROWS = 60
_MORE = "one pair in detail: --pair A B · all numbers: --as csv --table summary"

Row = dict[str, Any]


def views(report: Report, width: int) -> tuple[View, ...]:
    """Return what suits the number of pairs: one is a sentence, on paper numbers."""
    frame = report.table(NAME)
    if len(frame) == 1 and not _on_paper(width):
        return (in_words(frame.to_dicts()[0]),)
    return _several(frame, width)


def every(report: Report, width: int) -> tuple[View, ...]:
    """Return all pairs at a glance beside a report of one: a single square, or the list."""
    first = _several(report.table("pairs"), width)[0]
    return (replace(first, name="pairs"),)


def _several(frame: pl.DataFrame, width: int) -> tuple[View, ...]:
    rows = frame.to_dicts()
    systems = _ranked(rows)
    n = len(systems)
    every = n > 2 and len({frozenset((r["before"], r["after"])) for r in rows}) == n * (n - 1) // 2
    if every and len(rows) == n * (n - 1) // 2:
        return _squares(rows, systems, width)
    return (_list(frame, rows_for(width, ROWS)),)


def in_words(row: Row) -> Prose:
    """Return a sentence or two on what one system changed of another."""
    paragraph = Paragraph(
        f"{visible(str(row['before']))} → {visible(str(row['after']))}", " ".join(_said(row)), ""
    )
    return Prose(NAME, "changes from the first system to the second", (paragraph,))


def _said(row: Row) -> list[str]:
    if not row["items"] and not row["different"]:
        return ["There are no items to compare."]
    if not row["different"]:
        return [f"Both systems give the same {whole(row['items'])} answers."]
    told = [
        f"{whole(row['different'])} of {whole(row['items'])} answers differ",
        f"({ratio(row['diff'])} %):",
        f"{number_of(row['corrections'], 'correction')},",
        f"{number_of(row['new_errors'], 'new error')},",
        f"{number_of(row['changed_errors'], 'changed error')}.",
        _moved(row, "accuracy", "delta", "Accuracy"),
    ]
    if row["f1_before"] is not None or row["f1_after"] is not None:
        told[-1] = _moved(row, "f1", "f1_delta", "F1")
    if row["sentences"]:
        told.append(
            f"Sentences without an error: {whole(row['sentences_before'])} → "
            f"{whole(row['sentences_after'])} of {whole(row['sentences'])}."
        )
    return told


def _moved(row: Row, score: str, delta: str, name: str) -> str:
    change = row[delta]
    before, after = (ratio(row[f"{score}_{side}"]) for side in ("before", "after"))
    if not isinstance(change, float) or change == 0:
        return f"{name} stays at {after} %."
    verb = "rises" if change > 0 else "falls"
    return f"{name} {verb} from {before} to {after} % ({100 * change:+.2f} points)."


def _headline(rows: Sequence[Row]) -> tuple[str, str]:
    """Return which score and which difference tell who is better: F1 if there is one."""
    f1 = any(row["f1_after"] is not None for row in rows)
    return ("f1", "f1_delta") if f1 else ("accuracy", "delta")


def _ranked(rows: Sequence[Row]) -> dict[str, float | None]:
    """Return the systems with their scores, the best first."""
    score, _ = _headline(rows)
    found: dict[str, float | None] = {}
    for row in rows:
        for side in ("before", "after"):
            value = row[f"{score}_{side}"]
            found[str(row[side])] = value if isinstance(value, float) else None
    best_first = sorted(found, key=lambda name: -(found[name] or 0.0))
    return {name: found[name] for name in best_first}


def _list(frame: pl.DataFrame, limit: int | None) -> Sheet:
    rows = frame.to_dicts()
    score, delta = _headline(rows)
    title = "F1" if score == "f1" else "accuracy"
    before = {row["before"] for row in rows}
    one = len(before) == 1
    columns = (
        *(() if one else (Column("before", "before", "text"),)),
        Column("after", "to" if one else "after", "text"),
        Column("items", "items"),
        Column("diff", "differ\n%", "ratio"),
        Column("corrections", "correc-\ntions"),
        Column("new_errors", "new\nerrors"),
        Column("changed_errors", "changed\nerrors"),
        Column(f"{score}_before", f"{title}\nbefore", "ratio"),
        Column(f"{score}_after", f"{title}\nafter %", "ratio"),
        Column(delta, "\npoints", "points", "high"),
    )
    source = visible(str(before.pop())) if one else "one system to another"
    return listing(frame, name=NAME, title=f"changes from {source}", columns=columns, limit=limit)


def _squares(
    rows: Sequence[Row], systems: Mapping[str, float | None], width: int
) -> tuple[View, ...]:
    title = "F1" if _headline(rows)[0] == "f1" else "accuracy"
    differing = f"lower triangle: % of answers that differ; upper: Δ{title} (row − column), points"
    solved = (
        "lower triangle: items only the row system solves; "
        "upper: corrections − new errors from column to row"
    )
    kinds = "lower triangle: changed errors; upper: corrections from column to row"
    same = [(str(row["before"]), str(row["after"])) for row in rows if row["different"] == 0]
    shown, identical = alike(systems, same)
    first, second, third = _halves(rows, systems)
    squares = (
        square(NAME, differing, shown, *first, width=width, notes=identical),
        square(NAME, solved, shown, *second, width=width, notes=(_MORE,)),
    )
    # Paper has all three kinds of changes; what only the row system solves are the new errors.
    if not _on_paper(width):
        return squares
    return (*squares, square(NAME, kinds, shown, *third, width=width))


def _on_paper(width: int) -> bool:
    return width >= PAPER


def _halves(
    rows: Sequence[Row], systems: Mapping[str, float | None]
) -> tuple[tuple[Half, Half], tuple[Half, Half], tuple[Half, Half]]:
    """Return the halves of all squares; a pair is turned round where it goes downhill."""
    diff, ahead, net, broken = _Pairs(), _Pairs(), _Pairs(), _Pairs()
    changed, right = _Pairs(), _Pairs()
    items: tuple[dict[tuple[str, str], CountedItems | None], ...] = ({}, {}, {}, {})
    rank, delta = {name: at for at, name in enumerate(systems)}, _headline(rows)[1]
    for row in rows:
        before, after = str(row["before"]), str(row["after"])
        up = rank[after] < rank[before]
        better, worse = (after, before) if up else (before, after)
        diff.put(worse, better, row["diff"])
        ahead.put(better, worse, row[delta], 1 if up else -1)
        net.put(better, worse, row["net"], 1 if up else -1)
        broken.put(worse, better, row["new_errors" if up else "corrections"])
        changed.put(worse, better, row["changed_errors"])
        right.put(better, worse, row["corrections" if up else "new_errors"])
        ends = {"before": worse, "after": better}
        items[0][worse, better] = counted_by(DIFFERENT, ends)
        items[1][worse, better] = counted_by(PAIR["new_errors"], ends)
        items[2][worse, better] = counted_by(PAIR["changed_errors"], ends)
        items[3][better, worse] = counted_by(PAIR["corrections"], ends)
    percents, counts = (full_percent, short_percent), (full_count, short_count)
    return (
        (Half(diff, *percents, items[0]), Half(ahead, *percents)),
        (Half(broken, *counts, items[1]), Half(net, *counts)),
        (Half(changed, *counts, items[2]), Half(right, *counts, items[3])),
    )


class _Pairs(dict[tuple[str, str], float | None]):
    """Values by row and column."""

    def put(self, row: str, column: str, value: object, sign: int = 1) -> None:
        """Keep a value, turned round if the pair is."""
        self[row, column] = sign * value or 0 if isinstance(value, int | float) else None


def by_group(report: Report) -> Shaped:
    """Return by how much each pair differs in every group: in F1 if there is one."""
    frame = report.table("by")
    named = frame["f1_delta"].null_count() < len(frame)
    pair = pl.format("{} → {}", "before", "after").alias("pair")
    moved = pl.col("f1_delta" if named else "delta").alias("points")
    return Shaped(
        frame.select(pl.col("by").fill_null("–"), pair, moved),
        title=f"change of {'F1' if named else 'accuracy'} by group, in points",
    )


_ROWS = "coleval.analyses.changes.views"
_PAIR = ("before", "after")
_KINDS = {
    "corrections": "corrections", "new_errors": "new errors", "changed_errors": "changed errors",
}  # fmt: skip
_SEVERAL = Figure(
    "heat map", "answers that differ between two systems", text("before", ""),
    percent("diff", "% of all items"), text("after", "system"), mirrored=True,
    also=(count("different", "items"),), shaped_by=f"{_ROWS}:several", counts=DIFFERENT,
)  # fmt: skip
SUMMARY = (
    Figure(
        "stacked bars", "answers that differ {about}, by kind of change",
        text("pair"), count("n", "items"), text("kind", names=_KINDS),
        shaped_by=f"{_ROWS}:kinds", apart=("about",), counts=ByKind("kind", PAIR),
    ),
    _SEVERAL,
)  # fmt: skip
PAIRS = (replace(_SEVERAL, shaped_by=f"{_ROWS}:all_pairs"),)
CHANGES = (
    Figure(
        "heat map",
        "{before} (rows) → {after} (columns): items whose answer changed; –: no label",
        text("label_before", ""), count("n", "items"), text("label_after", "label after"),
        apart=_PAIR, most=3, square=True, top=25, shaped_by=f"{_ROWS}:moves",
        counts=f"{MOVE} and {DIFFERENT}",
    ),
)  # fmt: skip
LABELS = (
    Figure(
        "ranges",
        "{after} compared with {before}: items right by gold label (○ before, ● after)",
        text("label"), points("delta"), low="accuracy_before", high="accuracy_after",
        also=(percent("accuracy_before", "before"), percent("accuracy_after", "after"),
              count("items")),
        apart=_PAIR, most=3, axis="items right %", top=40,
    ),
)  # fmt: skip
FLIPS = (
    Figure(
        "bars", "items that all earlier systems solve and this one gets wrong", text("system"),
        count("flips", "newly wrong"), top=40,
        also=(count("held", "solved by all earlier"), percent("share", "of these")),
    ),
)  # fmt: skip


_SHOWN_KINDS = ("corrections", "new_errors", "changed_errors")
_FEW_PAIRS, _CROWD = 3, 30


def kinds(report: Report) -> pl.DataFrame:
    """Return how many changes of each kind a pair has, a row a kind; nothing for a crowd."""
    frame = report.table("summary")
    if frame.height > _CROWD:
        return frame.clear()
    if not {*_SHOWN_KINDS} <= set(frame.columns):
        return frame.clear()
    one = frame["before"].n_unique() == 1
    pair = pl.col("after") if one else pl.concat_str(*_PAIR, separator=" → ")
    about = pl.concat_str(pl.lit("from "), "before") if one else pl.lit("between two systems")
    named = frame.with_columns(pair=pair, about=about)
    long = named.unpivot(
        list(_SHOWN_KINDS), index=["pair", "about", *_PAIR], variable_name="kind", value_name="n"
    )
    order = {pair: k for k, pair in enumerate(named["pair"])}
    place = pl.col("pair").replace_strict(order, return_dtype=pl.Int64)
    return long.sort(place, maintain_order=True)


def several(report: Report) -> pl.DataFrame:
    """Return the pairs where they are all pairs of three systems or more."""
    return _complete(report.table("summary"))


def all_pairs(report: Report) -> pl.DataFrame:
    """Return the pairs of a report on one pair, which has all others in a table of their own."""
    return _complete(report.table("pairs"))


def _complete(frame: pl.DataFrame) -> pl.DataFrame:
    systems = len({*frame["before"], *frame["after"]})
    all_pairs = systems >= _FEW_PAIRS and frame.height == systems * (systems - 1) // 2
    return frame if all_pairs else frame.clear()


def moves(report: Report) -> pl.DataFrame:
    """Return how many items go from one label to another, whether they were right or wrong."""
    ends = ["label_before", "label_after"]
    frame = report.table("changes")
    summed = frame.group_by(*_PAIR, *ends, maintain_order=True).agg(pl.col("n").sum())
    weights = [pl.col("n").sum().over(*_PAIR, end) for end in ends]
    # Labels with most changes come first, what has no label last.
    return summed.with_columns(
        pl.when(pl.col(end).is_not_null()).then(weight).alias(f"_{end}")
        for end, weight in zip(ends, weights, strict=True)
    ).sort([f"_{end}" for end in ends], descending=True, nulls_last=True, maintain_order=True)
