"""How many items separate the systems, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.analyses.wording import number_of
from coleval.analyses.wording import percent as shown_percent
from coleval.declare.figures import Figure
from coleval.declare.tables import Shaped, count, decimal, percent, text
from coleval.render.sheet import PAPER, Paragraph, Prose, View
from coleval.statistics.ratio import ratio_of
from coleval.statistics.response import MOST

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coleval.corpus.report import Report


# So many systems are named of those that solve an item.
_NAMED = 2


def overall(report: Report, width: int) -> tuple[View, ...]:
    """Return what is known of all items in words; on paper nothing, for a list is shorter."""
    row = report.table("overall").row(0, named=True)
    if width >= PAPER or not row["items"]:
        return ()
    head = (
        f"{row['measuring']:,} of {number_of(row['items'], 'item')} "
        f"({shown_percent(row['measuring_share'])}) separate the systems."
    )
    parts = [_dead(row), _best(row), _negative(row), _reliable(row)]
    body = " ".join(part for part in parts if part)
    return (Prose("overall", "items that separate the systems", (Paragraph(head, body),)),)


def _dead(row: Mapping[str, Any]) -> str:
    if row["systems"] == 1:
        return f"The one system solves {row['solved_by_all']:,} of them: nothing is compared."
    return (
        f"All {number_of(row['systems'], 'system')} solve {row['solved_by_all']:,}, none solves "
        f"{row['solved_by_none']:,}: these give every system the same."
    )


def _best(row: Mapping[str, Any]) -> str:
    if row["best"] is None:
        return ""
    left = row["items"] - row["solved_by_all_best"] - row["solved_by_none_best"]
    return (
        f"Between the best {row['best']} systems, {left:,} "
        f"({shown_percent(ratio_of(left, row['items']))}) make a difference."
    )


def _negative(row: Mapping[str, Any]) -> str:
    if row["negative"] is None:
        return ""
    return (
        f"{number_of(row['negative'], 'item')} the worse systems solve rather than the better ones "
        f"(negative discrimination), {row['negative_significant']:,} significantly "
        "(Benjamini-Hochberg, 5 %)."
    )


def _reliable(row: Mapping[str, Any]) -> str:
    said = []
    if row["alpha"] is not None:
        said.append(f"KR-20 is {row['alpha']:.3f}.")
    if row["split_half"] is not None:
        sd = "" if row["split_half_sd"] is None else f" ± {row['split_half_sd']:.3f}"
        said.append(
            "Two random halves of the data rank the systems alike with a rank correlation of "
            f"{row['split_half']:.3f}{sd}."
        )
    return " ".join(said)


def fit(report: Report) -> Shaped:
    """Return the residuals; of a crowd of systems those that there are."""
    frame = report.table("fit")
    if report.shown is None:
        return Shaped(frame)
    known = frame.filter(frame["residual"].is_not_null())
    none = f"of more than {MOST} systems no abilities are estimated"
    return Shaped(known, notes=() if known.height else (none,))


def listed(report: Report) -> Shaped:
    """Return the items with a few of the systems that solve each, numbered if they have no text."""
    import polars as pl

    frame = report.table("items")
    names = pl.col("systems").str.split(", ")
    more = pl.format("{} +{}", names.list.head(_NAMED).list.join(", "), names.list.len() - _NAMED)
    few = pl.when(names.list.len() > _NAMED).then(more).otherwise("systems")
    shown = frame.with_columns(few.alias("systems"))
    columns = (text("systems", "solved by"),)
    if frame["context"].null_count() < frame.height:
        return Shaped(shown, columns)
    return Shaped(shown, (count("item"), *columns))


LABELS = (
    Figure(
        "bars",
        "items of each gold label that separate the systems",
        text("label"),
        percent("measuring_share", "separate the systems"),
        also=(count("items"), count("measuring", "separate the systems")),
        top=40,
    ),
)
_EXPECTED = "coleval.analyses.items.views:expected_and_observed"
FIT = (
    Figure(
        "lines",
        "{system}: items of each bin solved, and as its overall score predicts",
        count("bin", "systems that solve an item (0: hardest)"),
        percent("solved", "solved"),
        text("series", ""),
        also=(count("items"), count("tp", "solved"), decimal("residual", "residual", 1)),
        apart=("system",),
        most=3,
        shaped_by=_EXPECTED,
    ),
    Figure(
        "heat map",
        "residuals of each system by bin: above or below what abilities predict",
        text("system"),
        decimal("residual", "residual", 1),
        count("bin"),
        also=(count("tp", "solved"), decimal("expected", "expected", 1), count("items")),
        signed=True,
    ),
)
SUBSET = (
    Figure(
        "bars",
        "mean error of scores on a smaller test set, for systems held out",
        text("method"),
        percent("mean_error", "mean error"),
        also=(count("n", "items"), decimal("rank_correlation", "rank correlation", 3)),
    ),
)


def expected_and_observed(report: Report) -> pl.DataFrame:
    """Return two rows for each system and bin that has items: what it solves, what is expected."""
    frame = report.table("fit").filter((pl.col("items") > 0) & pl.col("expected").is_not_null())
    sides = {"share": "solved", "expected_share": "expected"}
    parts = [
        frame.with_columns(pl.lit(name).alias("series"), pl.col(column).alias("solved"))
        for column, name in sides.items()
    ]
    return pl.concat(parts)
