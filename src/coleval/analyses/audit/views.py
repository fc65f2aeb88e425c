"""The list of suspects on a screen: where each is, if there are no words to show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.audit.suspects import BOUNDARY
from coleval.analyses.contexts import PLACE, contexts
from coleval.corpus.coding import decoded
from coleval.declare.figures import Figure
from coleval.declare.tables import Shaped, count, percent, points, text

if TYPE_CHECKING:
    from coleval.analyses.audit.suspects import AuditFindings
    from coleval.corpus.coding import Codes
    from coleval.corpus.report import Report


def listed(report: Report) -> Shaped:
    """Return the suspects, with their places where no item has a text or an id."""
    frame = report.table("suspects")
    if frame.is_empty() or frame["context"].null_count() < frame.height:
        return Shaped(frame)
    names = [name for name in ("item", "sentence", "start", "end") if name in frame.columns]
    return Shaped(frame, tuple(count(name) for name in names))


PRECISION = (
    Figure(
        "lines",
        "of the first k suspects, changed by the second gold",
        count("k", "first suspects"),
        percent("precision", "changed"),
        also=(count("changed"), percent("agreed", "as systems say")),
    ),
)
RESCORED = (
    Figure(
        "ranges",
        "scores on gold (○) and on the other version (●)",
        text("system"),
        points("delta", "difference in points"),
        low="before",
        high="after",
        also=(percent("before", "on gold"), percent("after", "on the other")),
        axis="score %",
        top=40,
    ),
)


def suspect_table(known: AuditFindings) -> pl.DataFrame:
    """Return the suspects with votes enough, with an empty column for the decision on each."""
    limit = known.options.limit or known.listed.frame.height
    frame, given = known.listed.frame.head(limit), known.listed.given[:, :limit]
    some = known.items.where(frame["item"].to_numpy())
    where = (*PLACE, "start", "end")
    there = [some.context[name] for name in where if name in some.context.columns]
    rank = pl.Series("rank", np.arange(1, len(frame) + 1), dtype=pl.Int64)
    item = pl.Series("item", some.numbers.astype(np.int64))
    names = _voters(known, given)
    return pl.DataFrame([
        rank, item, *there, contexts(known.corpus, some),
        _label(known, some.gold, "gold"),
        _label(known, frame["answer"].to_numpy(), "answer"),
        frame["votes"],
        pl.Series("of", np.full(len(frame), known.ballots.voters, np.int64)),
        frame["kind"],
        _extent(known, frame),
        pl.Series("systems", names, dtype=pl.String),
        frame["wrong"],
        _other(known, frame),
        pl.Series("decision", [None] * len(frame), dtype=pl.String),
    ])  # fmt: skip


def _label(known: AuditFindings, codes: Codes, name: str) -> pl.Series:
    kind = known.items.gold.dtype
    return decoded(codes.astype(kind), known.items.labels, name).cast(pl.String)


def _extent(known: AuditFindings, frame: pl.DataFrame) -> pl.Series:
    """Return the words that systems mark instead, where that is what differs."""
    other = known.items.where(frame["other"].to_numpy())
    form = other.form()
    shown = frame["kind"] == BOUNDARY
    if form is None:
        form = pl.Series([None] * len(frame), dtype=pl.String)
    words = pl.DataFrame({"shown": shown, "words": form.cast(pl.String)})
    return words.select(pl.when("shown").then("words").alias("extent")).to_series()


def _other(known: AuditFindings, frame: pl.DataFrame) -> pl.Series:
    """Return the item of the extent that systems mark instead; null where it is the same."""
    rows = pl.DataFrame({
        "other": known.items.numbers[frame["other"].to_numpy()].astype(np.int64),
        "shown": frame["kind"] == BOUNDARY,
    })  # fmt: skip
    return rows.select(pl.when("shown").then("other").alias("other")).to_series()


def _voters(known: AuditFindings, given: object) -> list[str]:
    order, names = known.ballots.order, known.items.systems
    rows = np.asarray(given)[list(order)].T.tolist()
    best = [names[s] for s in order]
    return [", ".join(n for n, own in zip(best, row, strict=True) if own) for row in rows]
