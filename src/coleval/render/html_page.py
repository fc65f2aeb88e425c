"""One page that holds the report: contents, chapters with what they found, tables, signature.

It asks for nothing from elsewhere: no script is needed to read it, no font, no image. A notebook
gets the same without the page around it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from coleval.render.charts import chart
from coleval.render.exact import chosen
from coleval.render.figures import plots
from coleval.render.html_assets import filled, style
from coleval.render.html_text import anchor, safe
from coleval.render.html_view import drawn
from coleval.render.sheet import PAGE, Sheet
from coleval.render.views import views

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.corpus.report import Report

WARNINGS = 200
_STORY = "story"


@dataclass(frozen=True, slots=True)
class PageChapter:
    """Tables that belong together: what they were asked, what they say, or why there are none."""

    tables: Sequence[str]
    question: str = ""
    finding: str = ""
    left_out: str = ""


def render(report: Report, table: str | None = None) -> str:
    """Return the page with all tables, or the one named."""
    return filled(f"coleval {safe(report.command)}", _contents(report, table))


def fragment(report: Report) -> str:
    """Return what a notebook shows: the tables and the signature, with their style."""
    parts = "".join(_table(report, name, level=3, remedy=False) for name in report.tables)
    return f'<div class="coleval"><style>\n{style()}</style>\n{parts}{_end(report)}</div>\n'


def _contents(report: Report, table: str | None) -> str:
    names = list(chosen(report, table))
    if table is None and _STORY in names and report.command == "report":
        chapters = _chapters(report, [name for name in names if name != _STORY])
        told = "".join(_chapter(report, chapter) for chapter in chapters)
        return f"{_story(report, chapters)}{told}{_end(report)}"
    told = "".join(_table(report, name, level=2, alone=table is not None) for name in names)
    links = f"<nav><p>{_links(names)}</p></nav>\n" if len(names) > 1 else ""
    return f"{links}{told}{_end(report)}"


def _chapters(report: Report, names: Sequence[str]) -> list[PageChapter]:
    """Return the chapters in the order of the story, then tables that belong to none."""
    rest, chapters = list(names), []
    for row in report.table(_STORY).iter_rows(named=True):
        own = [name for name in rest if name.partition(".")[0] == row["chapter"]]
        rest = [name for name in rest if name not in own]
        told = (row[key] or "" for key in ("question", "finding", "left_out"))
        chapters.append(PageChapter(own, *told))
    return [*chapters, *([PageChapter(rest, "other tables")] if rest else [])]


def _story(report: Report, chapters: Sequence[PageChapter]) -> str:
    """Return the contents: each question with what was found and its tables; what was left out."""
    told = "".join(
        f'<li><a href="#{anchor(c.question)}">{safe(c.question)}</a>'
        f"{'<br>' if c.finding else ''}{safe(c.finding)}"
        f'<br><span class="tables">{_links(c.tables)}</span></li>\n'
        for c in chapters
        if not c.left_out
    )
    out = "".join(
        f"<li>left out — {safe(c.question)}: {safe(c.left_out)}</li>"
        for c in chapters
        if c.left_out
    )
    left = f'<ul class="notes">{out}</ul>\n' if out else ""
    return (
        f'<section data-table="{_STORY}">\n<nav><ol>\n{told}</ol></nav>\n{left}'
        f"{_remedy(report, _STORY)}</section>\n"
    )


def _links(names: Sequence[str]) -> str:
    links = (f'<a href="#{anchor(name)}">{safe(name.rpartition(".")[2])}</a>' for name in names)
    return " · ".join(links)


def _chapter(report: Report, chapter: PageChapter) -> str:
    if chapter.left_out:
        return ""
    back = '<a class="up-again" href="#top" title="to the top">↑</a>'
    finding = f'<p class="finding">{safe(chapter.finding)}</p>\n' if chapter.finding else ""
    told = "".join(_table(report, name, level=3) for name in chapter.tables)
    heading = f'<h2 id="{anchor(chapter.question)}">{safe(chapter.question)}{back}</h2>\n'
    return f"<section>\n{heading}{finding}{told}</section>\n"


def _table(
    report: Report, name: str, *, level: int, remedy: bool = True, alone: bool = False
) -> str:
    """Return all views of a table, the first rows where a screen has none."""
    own = name.rpartition(".")[2]
    told = "".join(drawn(view, own) for view in views(report, name, PAGE))
    told = _drawings(report, name) + (told or _folded(report, name, own, opened=alone))
    place = anchor(name)
    return (
        f'<section data-table="{place}">\n<h{level} id="{place}">{safe(own)}</h{level}>\n{told}'
        f"{_remedy(report, name) if remedy else ''}</section>\n"
    )


def _drawings(report: Report, name: str) -> str:
    """Return the figures of a table, which have its numbers as tooltips."""
    drawn = (chart(plot) for plot in plots(report, name))
    return "".join(f'<figure class="chart">\n{svg}\n</figure>\n' for svg in drawn)


def _folded(report: Report, name: str, own: str, *, opened: bool) -> str:
    """Return a table that is not for screens, open if it was named; a word where it is empty."""
    if report.table(name).is_empty():
        return '<p class="dim">no rows</p>\n'
    shown = views(report, name, PAGE, alone=True)
    rows = sum(len(view.rows) for view in shown if isinstance(view, Sheet))
    told = f"for programs: {_counted(rows, 'row')} of the table as it is stored"
    figures = "".join(drawn(view, own) for view in shown)
    state = " open" if opened else ""
    return f"<details{state}><summary>{told}</summary>{figures}</details>\n"


def _remedy(report: Report, name: str) -> str:
    rows, columns = report.table(name).shape
    command = f"coleval {report.command} … --as csv --table {name}"
    size = f"{_counted(rows, 'row')} × {_counted(columns, 'column')}"
    return f'<p class="csv">{size}: <code>{safe(command)}</code></p>\n'


def _counted(n: int, name: str) -> str:
    return f"{n:,} {name}{'' if n == 1 else 's'}"


def _end(report: Report) -> str:
    """Return the warnings, the first of them where they are very many, and the signature."""
    lines = "".join(f"<li>{safe(line)}</li>\n" for line in report.warnings[:WARNINGS])
    rest = len(report.warnings) - WARNINGS
    lines += f"<li>{rest:,} more: coleval validate lists them all</li>\n" if rest > 0 else ""
    told = f"<h2>warnings</h2>\n<ul>\n{lines}</ul>\n" if lines else ""
    signature = safe(report.signature).replace("|", "|<wbr>")
    return f'<footer>\n{told}<p class="signature"><code>{signature}</code></p>\n</footer>\n'
