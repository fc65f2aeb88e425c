"""What changed between two systems: transitions by kind, labels, boundaries, limits, the items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.analyses.changes.spec import TABLES
from coleval.analyses.wording import number_of
from coleval.render.sheet import PAPER, Cell, Head, Paragraph, Prose, Sheet, View, rows_for
from coleval.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from coleval.corpus.report import Report

IN_DEPTH = 3
ROWS = 20
NOTHING = "_"
TRANSITIONS = next(table for table in TABLES if table.name == "changes")
KINDS = ("correction", "new error", "changed error")


Row = dict[str, object]


def transitions(report: Report, width: int) -> tuple[View, ...]:
    """Return the commonest transitions of each kind side by side, for up to three pairs."""
    frame = report.table("changes")
    limit = rows_for(width, ROWS)
    pairs = _pairs(report, frame)
    shares = width >= PAPER
    return tuple(_transitions(own, pair, limit, shares=shares) for pair, own in pairs if len(own))


def _pairs(report: Report, frame: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    """Return the pairs by what they are called with their rows, none if there are many."""
    named = report.table("summary").select("before", "after").rows()
    if len(named) > IN_DEPTH:
        return []
    return [
        (
            f"{visible(before)} → {visible(after)}",
            frame.filter((frame["before"] == before) & (frame["after"] == after)),
        )
        for before, after in named
    ]


def _transitions(frame: pl.DataFrame, pair: str, limit: int | None, *, shares: bool) -> Sheet:
    by_kind = [frame.filter(frame["kind"] == kind) for kind in KINDS]
    longest = max(len(own) for own in by_kind)
    height = longest if limit is None else min(limit, longest)
    columns = [_column(own.head(height).to_dicts(), height) for own in by_kind]
    rows = tuple(tuple(cell for column in columns for cell in column[at]) for at in range(height))
    total = int(frame["n"].sum()) if shares else 0
    kinds = zip(KINDS, by_kind, strict=True)
    heads = [head for kind, own in kinds for head in _heads(kind, own, total)]
    rest = sum(max(0, len(own) - height) for own in by_kind)
    more = (f"… and {rest:,} more transitions: --as csv --table changes",) if rest else ()
    notes = ("%: share of its kind · changed errors are written gold: before → after",)
    nothing = (f"{NOTHING} no label",) if _has_nothing(frame) else ()
    title = f"label before → after, most frequent first · {pair}"
    told = (" · ".join((*notes, *nothing)), *more)
    return Sheet("changes", title, tuple(heads), rows, told, fixed=True)


def _heads(kind: str, own: pl.DataFrame, total: int) -> tuple[Head, ...]:
    """Return the heads of a kind; its share is of a total, where there is one."""
    n = int(own["n"].sum())
    share = f" ({100 * n / total:.2f} %)" if total else ""
    return Head(f"{number_of(n, kind)}{share}", right=False, elastic=True), Head("n"), Head("%")


def _column(rows: Sequence[Row], height: int) -> list[tuple[Cell, Cell, Cell]]:
    filled = [
        (
            Cell(_arrow(row)),
            Cell(f"{row['n']:,}", counts=TRANSITIONS.counted("n", row)),
            Cell(_share(row)),
        )
        for row in rows
    ]
    return filled + [(Cell(""), Cell(""), Cell(""))] * (height - len(filled))


def _arrow(row: Row) -> str:
    gold = f"{_label(row['gold'])}: " if row["kind"] == KINDS[2] else ""
    return f"{gold}{_label(row['label_before'])} → {_label(row['label_after'])}"


def _label(value: object) -> str:
    return NOTHING if value is None else visible(str(value))


def _share(row: Row) -> str:
    share = row["share_of_kind"]
    return f"{100 * share:.1f}" if isinstance(share, float) else ""


def _has_nothing(frame: pl.DataFrame) -> bool:
    changed = frame.filter(frame["kind"] == KINDS[2])
    sides = frame["label_before"].null_count() + frame["label_after"].null_count()
    return sides + changed["gold"].null_count() > 0


def gate(report: Report, width: int) -> tuple[View, ...]:  # noqa: ARG001
    """Return the verdict on every limit, a sentence each."""
    paragraphs = tuple(
        Paragraph(
            f"{visible(row['before'])} → {visible(row['after'])}: {row['limit']} {_state(row)}",
            row["verdict"],
        )
        for row in report.table("gate").to_dicts()
    )
    return (Prose("gate", "limits on changes", paragraphs),)


def _state(row: Row) -> str:
    if row["found"] is None:
        return "cannot be checked"
    return "holds" if row["holds"] else "is exceeded"
