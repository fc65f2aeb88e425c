"""One page that holds the report: what was found at its head, contents beside chapters, signature.

It asks for nothing from elsewhere: no script is needed to read it, no font, no image. A notebook
gets the same without the page around it.
"""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING

from coleval.render.delimited import csv
from coleval.render.exact import chosen
from coleval.render.figures import plots
from coleval.render.html_assets import filled, style
from coleval.render.html_items import FOLDER_FILE, items_of
from coleval.render.html_table import NARROW, figure, section
from coleval.render.html_text import anchor, clipped, explained, glossary, readable, safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from coleval.corpus.report import Report
    from coleval.render.plots import Plot


WARNINGS = 200
_STORY, _BOARD = "story", "leaderboard"


@dataclass(frozen=True, slots=True)
class PageChapter:
    """Tables that belong together: what they were asked, what they say, or why there are none."""

    tables: Sequence[str]
    question: str = ""
    finding: str = ""
    left_out: str = ""


def render(report: Report, table: str | None = None) -> str:
    """Return the page with all tables, or the one named."""
    return _page(report, table)[0]


def folder(report: Report) -> dict[str, str | bytes]:
    """Return the files of a folder for any web server: the page, and the items it fetches."""
    page, data = _page(report, None, apart=True)
    return {"index.html": page} | ({FOLDER_FILE: data} if data else {})


def _page(report: Report, table: str | None, *, apart: bool = False) -> tuple[str, bytes]:
    """Return a page, and the items of its numbers, which are in it or in a file ``apart``."""
    title = report.about.title if report.about else f"coleval {report.command}"
    if _BOARD in report.tables and table in (None, _BOARD):
        title = f"Leaderboard: {title}"
    contents = _contents(report, table)
    items, data = items_of(report, contents, apart=apart)
    body = contents + packed(report, table) + items
    return filled(safe(title), body, items=bool(items), fetching=apart and bool(items)), data


def fragment(report: Report) -> str:
    """Return what a notebook shows: the tables and the signature, with their style."""
    parts = "".join(
        section(report, name, level=3, remedy=False, fixed=True) for name in report.tables
    )
    return f'<div class="coleval"><style>\n{style()}</style>\n{parts}{_end(report)}</div>\n'


def _contents(report: Report, table: str | None) -> str:
    names = chosen(report, table)
    if table is None and _STORY in names and report.command == "report":
        chapters = _chapters(report, [name for name in names if name != _STORY])
        return _of_chapters(report, chapters)
    told = "".join(section(report, name, level=2, alone=table is not None) for name in names)
    if names and names[0] == _BOARD and len(names) > 1:
        return _of_board(report, names)
    links = _beside((name, name.rpartition(".")[2]) for name in names) if len(names) > 1 else ""
    return f"{links}<main>\n{facts(report)}{told}{_end(report)}</main>\n"


def _of_board(report: Report, names: Sequence[str]) -> str:
    """Return the leaderboard over the whole width, and behind it what it was made of."""
    first = section(report, names[0], level=2)
    rest = "".join(section(report, name, level=3) for name in names[1:])
    head = "<summary><h2>All tables</h2></summary>"
    more = f'<details class="chapter">\n{head}\n<div class="parts">\n{rest}</div>\n</details>\n'
    return f"<main>\n{facts(report)}{first}{more}{_end(report)}</main>\n"


def _of_chapters(report: Report, chapters: Sequence[PageChapter]) -> str:
    """Return contents, what was found, and the chapters, those left out in a list."""
    there = [chapter for chapter in chapters if not chapter.left_out]
    head, shown = overview(report, [c.finding for c in there if c.finding])
    told = "".join(_chapter(report, chapter, shown) for chapter in there)
    links = _beside((chapter.question, chapter.question) for chapter in there)
    out = "".join(
        f"<li>left out — {safe(c.question)}: {safe(c.left_out)}</li>\n"
        for c in chapters
        if c.left_out
    )
    left = f'<ul class="notes">\n{out}</ul>\n' if out else ""
    return f"{links}<main>\n{head}{told}{left}{glossary()}{_end(report)}</main>\n"


def _chapters(report: Report, names: Sequence[str]) -> list[PageChapter]:
    """Return the chapters in the order of the story, then tables that belong to none."""
    rest, chapters = list(names), []
    for row in report.table(_STORY).iter_rows(named=True):
        own = [name for name in rest if name.partition(".")[0] == row["chapter"]]
        rest = [name for name in rest if name not in own]
        told = (row[key] or "" for key in ("question", "finding", "left_out"))
        chapters.append(PageChapter(own, *told))
    return [*chapters, *([PageChapter(rest, "other tables")] if rest else [])]


def _beside(places: Iterable[tuple[str, str]]) -> str:
    """Return the contents, which stand beside the text where there is room."""
    links = "".join(
        f'<li><a href="#{anchor(place)}">{safe(text)}</a></li>\n' for place, text in places
    )
    return f'<nav class="side" aria-label="contents">\n<ol>\n{links}</ol>\n</nav>\n'


def _chapter(report: Report, chapter: PageChapter, shown: frozenset[str]) -> str:
    """Return a chapter that folds: its question and what was found stay."""
    finding = (
        f'<p class="finding">{explained(chapter.finding, finding=True)}</p>\n'
        if chapter.finding
        else ""
    )
    told = "".join(section(report, name, level=3, shown=shown) for name in chapter.tables)
    place = anchor(chapter.question)
    heading = f'<h2 id="{place}">{safe(chapter.question)}</h2>\n'
    head = f"<summary>{heading}{finding}</summary>"
    parts = f'<div class="parts">\n{told}</div>'
    return f'<details class="chapter" open>\n{head}\n{parts}\n</details>\n'


def _end(report: Report) -> str:
    """Return the warnings, the first of them where they are very many, and the signature."""
    lines = "".join(f"<li>{safe(line)}</li>\n" for line in report.warnings[:WARNINGS])
    rest = len(report.warnings) - WARNINGS
    lines += f"<li>{rest:,} more: coleval validate lists them all</li>\n" if rest > 0 else ""
    told = f'<h2 id="-warnings">warnings</h2>\n<ul>\n{lines}</ul>\n' if lines else ""
    signature = safe(report.signature).replace("|", "|<wbr>")
    return f'<footer>\n{told}<p class="signature"><code>{signature}</code></p>\n</footer>\n'


# A verdict has so many sentences, a head so many warnings.
_SENTENCES, _WARNINGS = 3, 3


def overview(report: Report, findings: Sequence[str]) -> tuple[str, frozenset[str]]:
    """Return the head of a page, and the places in it, whose figures no chapter has again."""
    first = "".join(f"<p>{readable(_first(finding))}</p>\n" for finding in findings[:_SENTENCES])
    verdict = f'<div class="verdict">\n{first}</div>\n' if first else ""
    chosen = _plots(report)
    items = report.items if report.shown is None else None
    drawn = "".join(figure(plot, NARROW, items) for plot in chosen.values())
    charts = f'<div class="charts">\n{drawn}</div>\n' if drawn else ""
    head = f"{facts(report)}{verdict}{charts}{_problems(report)}"
    return f'<section class="overview">\n{head}</section>\n', frozenset(chosen)


def _first(finding: str) -> str:
    """Return the first sentence of a finding; its chapter has all of it."""
    return re.split(r"(?<=[a-z0-9)])\. (?=[A-Z])", finding, maxsplit=1)[0].removesuffix(".") + "."


def facts(report: Report) -> str:
    """Return what was evaluated: task, sizes, date, command."""
    about = report.about
    if about is None:
        return ""
    version = _version(report.signature)
    parts = [f"<dt>{safe(name)}</dt><dd>{safe(value)}</dd>" for name, value in about.facts]
    parts += [f"<dt>coleval</dt><dd>{safe(version)}</dd>"] if version else []
    command = f'<div class="made"><code>{clipped(about.command)}</code></div>\n'
    body = "".join(f"<div>{part}</div>" for part in parts)
    return f'<dl class="facts">{body}</dl>\n{command if about.command else ""}'


def _version(signature: str) -> str:
    first = signature.partition("|")[0]
    return first.removeprefix("coleval:") if first.startswith("coleval:") else ""


def _plots(report: Report) -> dict[str, Plot]:
    """Return a plot for each place of the overview; a later table's before an earlier one's."""
    found: dict[str, Plot] = {}
    for name in report.tables:
        of_table: dict[str, Plot] = {}
        for plot in plots(report, name):
            if plot.figure.overview:
                of_table.setdefault(plot.figure.overview, plot)
        found |= of_table
    return found


def _problems(report: Report) -> str:
    """Return the first warnings, and where the others are."""
    lines = report.warnings
    if not lines:
        return ""
    shown = "".join(f"<li>{safe(line)}</li>\n" for line in lines[:_WARNINGS])
    rest = len(lines) - _WARNINGS
    more = f'<li><a href="#-warnings">{rest:,} more</a></li>\n' if rest > 0 else ""
    many = f"{len(lines):,} warning{'' if len(lines) == 1 else 's'}"
    return (
        f'<details class="problems"><summary>{many}</summary>\n<ul>\n{shown}{more}</ul></details>\n'
    )


# A table with more cells is had from the command line; a page takes so many bytes of all others.
_CELLS, _ROOM = 200_000, 40_000


def packed(report: Report, table: str | None = None) -> str:
    """Return the tables as csv, compressed, the smallest first while there is room."""
    texts = {
        anchor(name): csv(report, name)
        for name in chosen(report, table)
        if name not in report.excerpts
        and report.table(name).width
        and report.table(name).height * report.table(name).width <= _CELLS
    }
    kept: dict[str, str] = {}
    for name in sorted(texts, key=lambda name: len(texts[name])):
        if _size({**kept, name: texts[name]}) > _ROOM:
            break
        kept[name] = texts[name]
    if not kept:
        return ""
    # Not run by any browser: a block of data, which the page's script reads.
    data = b64encode(_compressed(kept)).decode()
    names = " ".join(kept)
    return f'<template class="tables" data-names="{names}" data-csv="{data}"></template>\n'


def _size(texts: dict[str, str]) -> int:
    return len(_compressed(texts)) * 4 // 3


def _compressed(texts: dict[str, str]) -> bytes:
    return zlib.compress(json.dumps(texts, ensure_ascii=False).encode(), 9)
