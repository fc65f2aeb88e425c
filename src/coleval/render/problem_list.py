"""What validation found, as a compiler prints it: where, what, what to do. All of it is shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from coleval.render.sheet import Paragraph, Prose, View, rows_for
from coleval.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from coleval.corpus.report import Report

Row = Mapping[str, object]
NAME = "problems"
PARAGRAPHS = 100
# Of problems of one kind in one file, a screen shows so many, and the lines of so many others.
_ALIKE, _LINES = 3, 10


def views(report: Report, width: int) -> tuple[View, ...]:
    """Return a paragraph for each problem: what keeps a file from being scored comes first."""
    rows = sorted(report.table(NAME).to_dicts(), key=lambda row: not row.get("fatal"))
    listed = list(_paragraphs(rows, rows_for(width, _ALIKE)))
    shown = listed[: rows_for(width, PARAGRAPHS)]
    rest = len(listed) - len(shown)
    left = (f"… and {rest:,} more problems",) if rest else ()
    short = rest or len(listed) < len(rows)
    more = (f"{''.join(left) or 'all of them'}: --as csv --table {NAME}",) if short else ()
    return (Prose(NAME, "problems found", tuple(shown), more),)


def _paragraphs(rows: Sequence[Row], alike: int | None) -> Iterator[Paragraph]:
    """Return a paragraph for each row; those that are alike are counted after a few."""
    kinds: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        kinds.setdefault(_alike(row), []).append(row)
    seen: Counter[tuple[object, ...]] = Counter()
    for row in rows:
        key = _alike(row)
        seen[key] += 1
        rest = kinds[key][alike:] if alike else []
        if alike is None or seen[key] <= alike or len(rest) == 1:
            yield _paragraph(row)
        elif seen[key] == alike + 1:
            where = f"{visible(str(row['file']))}  {visible(str(row['kind'] or ''))}"
            lines = [f"{one['line']:,}" for one in rest if isinstance(one["line"], int)]
            more = ", …" if len(lines) > _LINES else ""
            at = f" (lines {', '.join(lines[:_LINES])}{more})" if lines else ""
            yield Paragraph(where, f"… and {len(rest):,} more of this kind{at}", "")


def _alike(row: Row) -> tuple[object, ...]:
    return row["file"], row["kind"], row.get("system")


def _paragraph(row: Row) -> Paragraph:
    where = ":".join(visible(str(row[key])) for key in ("file", "line") if row[key] is not None)
    often = f"({row['n']:,} times)" if isinstance(row["n"], int) and row["n"] > 1 else ""
    kind = visible(str(row["kind"] or ""))
    kind = f"error: {kind}" if row.get("fatal") else kind
    head = "  ".join(part for part in (where, kind, often) if part)
    return Paragraph(head, _said(row["problem"]), _said(row["remedy"]))


def _said(value: object) -> str:
    return visible(str(value)) if value else ""
