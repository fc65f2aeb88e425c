"""Error profiles as stacked bars, a letter an error kind: they read the same without colour."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.confusion import views as confusion
from coleval.analyses.errors.spec import COUNTED, KINDS, OUTCOMES
from coleval.declare.columns import columns
from coleval.declare.figures import Figure
from coleval.declare.tables import ByKind, Column, Shaped, count, percent, points, text
from coleval.render.listing import ratio, systems_of
from coleval.render.sheet import DASH, PAPER, Cell, Head, Sheet, Stripe, View
from coleval.render.visible import visible
from coleval.statistics.ratio import ratio_expr

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coleval.corpus.report import Report

    _Named = tuple[tuple[Cell, ...], Mapping[str, int]]

NAME = "profile"
SHORTEST, LONGEST = 20, 72
_BESIDE, _BESIDE_GROUPS = 34, 56

# Kinds from the left: something is found but not right; then nothing; then too much.
SIGNS: Mapping[str, str] = {
    "le": "L", "bes": "s", "bel": "b", "beo": "o", "lbe": "X", "fn": "-", "fp": "+",
}  # fmt: skip
_NAMES: Mapping[str, str] = {
    "le": "wrong label", "bes": "boundary: smaller", "bel": "boundary: bigger",
    "beo": "boundary: crossing", "lbe": "both wrong", "fn": "missed", "fp": "spurious",
}  # fmt: skip
_MEANING = (
    "L wrong label · boundary: s smaller, b bigger, o crossing · X both · - missed · + spurious",
)


def views(report: Report, width: int) -> tuple[View, ...]:
    """Return a bar a system, as long as its errors are many; the same scale for all.

    With groups there is a second picture: the bars of each, with its scores.
    """
    frame = report.table(NAME)
    counts: dict[str, dict[str, int]] = {}
    for system, error, n in frame.select("system", "error", "n").iter_rows():
        counts.setdefault(system, {})[error] = n
    systems = systems_of(report, frame)
    if width >= PAPER:
        return (_counted(systems, counts),)
    named = [((Cell(visible(name)),), counts[name]) for name in systems]
    heads = (Head("system", right=False, elastic=True),)
    whole = _drawn("errors of each system by kind", heads, named, width - _BESIDE)
    return (whole, *_of_groups(report, width))


def _of_groups(report: Report, width: int) -> tuple[Sheet, ...]:
    """Return the bars of every group and system, with traditional and fair F1, if there are any."""
    if "by" not in report.tables or "bes" not in report.table("by").columns:
        return ()

    named = [
        (
            (
                Cell(DASH if row["by"] is None else visible(row["by"])),
                Cell(visible(row["system"])),
                Cell(ratio(row["traditional_f1"])),
                Cell(ratio(row["f1"])),
            ),
            {kind: row[kind] for kind in SIGNS},
        )
        for row in by_group(report).frame.to_dicts()
    ]
    heads = (
        Head("group", right=False, elastic=True),
        Head("system", right=False, elastic=True),
        Head("trad.\nF1 %"),
        Head("fair\nF1 %"),
    )
    title = "traditional and fair F1, and the errors by kind, of each group"
    return (_drawn(title, heads, named, width - _BESIDE_GROUPS),)


def _drawn(title: str, heads: Sequence[Head], named: Sequence[_Named], room: int) -> Sheet:
    """Return bars on one scale behind the cells that name them."""
    room = min(LONGEST, max(SHORTEST, room))
    most = max((sum(counts.values()) for _, counts in named), default=0)
    rows = tuple(
        (
            *cells,
            Cell(f"{sum(counts.values()):,}"),
            Cell(bar(counts, most, room), bar=stacked(counts, most)),
        )
        for cells, counts in named
    )
    scale = Head(f"each sign is {_each(most, room)}", right=False, full=f"0 … {most:,} errors")
    return Sheet(NAME, title, (*heads, Head("errors"), scale), rows, _MEANING)


def _counted(systems: Sequence[str], counts: Mapping[str, Mapping[str, int]]) -> Sheet:
    """Return the numbers that the bars are drawn from, a column a kind."""
    kinds = (Head(name.replace(": ", ":\n")) for name in _NAMES.values())
    heads = (Head("system", right=False, elastic=True), Head("errors"), *kinds)
    rows = tuple(
        (
            Cell(visible(name)),
            Cell(f"{sum(counts[name].values()):,}"),
            *(Cell(f"{counts[name].get(kind, 0):,}") for kind in _NAMES),
        )
        for name in systems
    )
    return Sheet(NAME, "what kinds of errors each system makes", heads, rows)


def _each(most: int, room: int) -> str:
    size = most / room if most else 0
    return (
        "an error" if size <= 1 else f"{size:,.0f} errors" if size >= 10 else f"{size:.1f} errors"
    )


def bar(counts: Mapping[str, int], most: int, room: int) -> str:
    """Return signs in proportion to the counts, one an error where all have room."""
    scale = min(1.0, room / most) if most else 0.0
    edges = _edges([counts.get(kind, 0) * scale for kind in SIGNS])
    return "".join(sign * n for sign, n in zip(SIGNS.values(), edges, strict=True))


def stacked(counts: Mapping[str, int], most: int) -> tuple[Stripe, ...]:
    """Return a stretch for each kind there is, one behind the other."""
    stripes, start = [], 0
    for kind, sign in SIGNS.items():
        end = start + counts.get(kind, 0)
        if end > start:
            text = f"{sign} {end - start:,}"
            stripes.append(Stripe(start / most, end / most, f"{sign} {_NAMES[kind]}", text))
        start = end
    return tuple(stripes)


def _edges(lengths: Sequence[float]) -> list[int]:
    """Return whole lengths whose sum is the rounded sum; the largest rests are rounded up."""
    whole = [int(length) for length in lengths]
    rests = sorted(range(len(lengths)), key=lambda k: whole[k] - lengths[k])
    for k in rests[: round(sum(lengths)) - sum(whole)]:
        whole[k] += 1
    return whole


_METHODS = Figure(
    "dots", "F1 of each system by way of counting errors", text("system"), percent("f1", "F1"),
    text("method"), also=columns("precision recall"), raw=True,
)  # fmt: skip
OVERALL = (
    _METHODS,
    Figure(
        "stacked bars", "errors of each system, counted traditionally and fairly", text("name"),
        count("n", "errors"), text("error", names=OUTCOMES), top=40, aside=True,
        shaped_by="coleval.analyses.errors.views:mix",
    ),
)  # fmt: skip
BY = (
    replace(_METHODS, title="{by}: F1 of each system by way of counting errors", apart=("by",)),
    Figure(
        "stacked bars", "{by}: errors of each system by kind", text("system"),
        count("n", "errors"), text("error", names=OUTCOMES), apart=("by",),
        also=(percent("share", "of its errors"), percent("traditional_f1", "traditional F1"),
              percent("f1", "fair F1")),
        shaped_by="coleval.analyses.errors.views:kinds_by_group",
    ),
)  # fmt: skip
COMPARISON = (
    Figure(
        "bars",
        "{after} compared with {before}: effect of each kind of error on F1",
        text("error", names=OUTCOMES),
        points("f1", "effect on F1 (points)"),
        also=(count("delta", "change"),),
        apart=("before", "after"),
        most=3,
    ),
)
PROFILE = (
    Figure(
        "stacked bars",
        "errors of each system by kind",
        text("system"),
        count("n", "errors"),
        text("error", names=OUTCOMES),
        also=(percent("share", "of its errors"),),
        counts=ByKind("error", COUNTED),
    ),
)


# Errors with a partner elsewhere are no items with two labels.
CONFUSION = tuple(replace(figure, counts="") for figure in confusion.CONFUSION)
FIGURE_KINDS = ("le", "bes", "bel", "beo", "lbe", "fn", "fp")
_FIRST_METHODS = ("traditional", "fair")


def mix(report: Report) -> pl.DataFrame:
    """Return errors by kind, of each system once as counted traditionally and once fairly."""
    frame = report.table("overall")
    if not {"method", *FIGURE_KINDS} <= set(frame.columns):
        return pl.DataFrame()
    both = frame.filter(pl.col("method").is_in(_FIRST_METHODS)).with_columns(
        name=pl.format("{}: {}", "system", "method")
    )
    order = {name: k for k, name in enumerate(both["name"])}
    long = both.unpivot(list(FIGURE_KINDS), index="name", variable_name="error", value_name="n")
    place = pl.col("name").replace_strict(order, return_dtype=pl.Int64)
    return long.sort(place, maintain_order=True)


def overall(report: Report) -> Shaped:
    """Return a row a system: its fair errors, and the F1 of other methods beside."""
    return Shaped(_beside(report.table("overall"), ("system",)))


def by_group(report: Report) -> Shaped:
    """Return a row a group and system: scores by both methods, and the share of each kind of error.

    A share is of the errors of the system in the group; without errors there is none.
    """
    keys = ("by", "system")
    fair = _beside(report.table("by"), keys, ("precision", "recall", "f1"))
    errors = fair.with_columns(errors=pl.sum_horizontal(KINDS))
    shares = (ratio_expr(pl.col(kind), pl.col("errors")).alias(f"{kind}_share") for kind in KINDS)
    return Shaped(errors.with_columns(shares))


def kinds_by_group(report: Report) -> Shaped:
    """Return a row a group, system and kind of error, boundaries by how they differ."""
    kinds = [kind for kind in OUTCOMES if kind != "tp"]
    keys = ("by", "system", "traditional_f1", "f1")
    wide = by_group(report).frame.select(*keys, *kinds)
    long = wide.unpivot(kinds, index=keys, variable_name="error", value_name="n")
    total = pl.col("n").sum().over("by", "system")
    return Shaped(long.with_columns(share=ratio_expr(pl.col("n"), total)))


def labels(report: Report) -> Shaped:
    """Return a row a system and label, of the fair method or else of the strict one."""
    frame = report.table("labels")
    if "strict" in frame["method"]:
        return Shaped(frame.filter(pl.col("method") == "strict"))
    return Shaped(_beside(frame, ("system", "label")))


def _beside(
    frame: pl.DataFrame, keys: Sequence[str], scores: Sequence[str] = ("f1",)
) -> pl.DataFrame:
    """Return the fair rows with scores of the other methods, F1 by default, in columns."""
    fair = frame.filter(pl.col("method") == "fair")
    for method in ("traditional", "weighted"):
        other = frame.filter(pl.col("method") == method)
        other = other.select(*keys, *(pl.col(name).alias(f"{method}_{name}") for name in scores))
        fair = fair.join(other, on=list(keys), how="left", maintain_order="left", nulls_equal=True)
    return fair


def ranking(report: Report) -> Shaped:
    """Return every method's F1 and rank, and how far each system climbs or falls by the second."""
    frame = report.table("ranking")
    methods = [name.removesuffix("_f1") for name in frame.columns if name.endswith("_f1")]
    columns = [text("system")]
    for method in methods:
        short = "trad." if method == "traditional" else method
        columns += [percent(f"{method}_f1", f"{short}\nF1", "high"),
                    count(f"{method}_rank", f"{short}\nrank")]  # fmt: skip
    columns.append(Column("moves", "moves", "text"))
    moves = [None if n is None else _arrow(n) for n in frame["change"]]
    named = frame.with_columns(pl.Series("moves", moves, dtype=pl.String))
    title = f"ranks under {methods[0]} and {methods[1]} scoring" if len(methods) > 1 else "ranks"
    return Shaped(named, tuple(columns), title=title)


def _arrow(change: int) -> str:
    return f"{'↑' if change > 0 else '↓'}{abs(change)}" if change else "="
