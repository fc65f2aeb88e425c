"""A table on a page: its charts, its rows one click away; prose and items as cards."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape
from itertools import chain
from typing import TYPE_CHECKING

from coleval.declare.meanings import meaning_of
from coleval.render.charts import chart, is_heat_map
from coleval.render.figures import plots
from coleval.render.fitting import cut, taken
from coleval.render.html_text import anchor, clipped, explained, quoted, safe
from coleval.render.listing import legend
from coleval.render.plots import WIDTH
from coleval.render.sheet import (
    BEST,
    PAGE,
    WORST,
    WRONG,
    Cell,
    Head,
    Prose,
    Sheet,
    Stripe,
    View,
    step,
)
from coleval.render.views import views
from coleval.render.visible import visible
from coleval.render.visible import width as cells_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from coleval.corpus.report import ItemSource, Report
    from coleval.render.plots import Mark, Plot
    from coleval.render.sheet import Card, CardAnswer


# Cells of a table that has room in half of a page.
_HALF = 66
# The rows of these are what people look for: they are open.
_ANSWERS = ("leaderboard", "overall", "score.overall", "score.ranking")


def section(
    report: Report,
    name: str,
    *,
    level: int,
    remedy: bool = True,
    alone: bool = False,
    shown: frozenset[str] | None = None,
    fixed: bool = False,
) -> str:
    """Return a table with its charts; of a chapter, those of places ``shown`` before not.

    Numbers lead to their items unless they are ``fixed``, as in a notebook.
    """
    own = name.rpartition(".")[2]
    known = plots(report, name)
    every = [p for p in known if shown is None or _is_new(p, shown)]
    listed: Sequence[View] = views(report, name, PAGE)
    items = None if fixed else report.items
    if name not in _ANSWERS and not alone and any(map(is_heat_map, every)):
        listed = [untinted(view) for view in listed]
    command = report.part(name)[0].command
    told = "".join(
        drawn(view, own, command=command, terms=shown is not None, items=items) for view in listed
    )
    # A chapter leaves out what only programs read; it can be had as csv.
    rows = told or ("" if shown is not None else _folded(report, name, own, opened=alone))
    foot = _csv_command(report, name) if remedy else ""
    opened = alone or name in _ANSWERS
    if known and told:
        rows, foot = _behind(rows + foot, opened=opened), ""
    half = shown is not None and not opened and _halved(every, listed)
    place, look = anchor(name), ' class="half"' if half else "" if told else ' class="inner"'
    heading = f'<h{level} id="{place}">{safe(own)}</h{level}>\n'
    # What people look for is above its charts.
    # Bins of a crowd of systems are ranges, which no condition names.
    drawings = charts(every, scripted=remedy, items=items if report.shown is None else None)
    shown_first = (rows, drawings) if opened and every and told else (drawings, rows)
    body = f"{heading}{''.join(shown_first)}{foot}"
    return f'<section data-table="{place}"{look}>\n{body}</section>\n'


def _is_new(plot: Plot, shown: frozenset[str]) -> bool:
    """Return whether a report has not got a figure elsewhere."""
    return plot.figure.overview not in shown and not plot.figure.aside


def _halved(every: Sequence[Plot], shown: Sequence[View]) -> bool:
    """Return whether a table takes half of the page: one narrow chart, or few narrow columns."""
    if every:
        return is_narrow(every)
    sheets = [view for view in shown if isinstance(view, Sheet)]
    if any(p.card for view in shown if isinstance(view, Prose) for p in view.paragraphs):
        return False
    return bool(shown) and all(view.heads and taken(view) < _HALF for view in sheets)


def _behind(rows: str, *, opened: bool) -> str:
    """Return the rows behind a chart."""
    state = " open" if opened else ""
    return f'<details class="rows"{state}><summary>show the numbers</summary>\n{rows}</details>\n'


def _folded(report: Report, name: str, own: str, *, opened: bool) -> str:
    """Return a table that is not for screens, open if it was named; a word where it is empty."""
    if not report.rows(name):
        return '<p class="dim">no rows</p>\n'
    shown = views(report, name, PAGE, alone=True)
    rows = sum(len(view.rows) for view in shown if isinstance(view, Sheet))
    told = f"for programs: {_counted(rows, 'row')} of the table as it is stored"
    figures = "".join(drawn(view, own) for view in shown)
    state = " open" if opened else ""
    return f"<details{state}><summary>{told}</summary>{figures}</details>\n"


def _csv_command(report: Report, name: str) -> str:
    rows, columns = report.rows(name), _columns(report, name)
    command = f"coleval {report.command} … --as csv --table {name}"
    size = f"{_counted(rows, 'row')} × {_counted(columns, 'column')}"
    return f'<p class="csv" data-csv="{anchor(name)}">{size}: <code>{safe(command)}</code></p>\n'


def _columns(report: Report, name: str) -> int:
    excerpt = report.excerpts.get(name)
    return (report.table(name) if excerpt is None else excerpt.frame).width


def _counted(n: int, name: str) -> str:
    return f"{n:,} {name}{'' if n == 1 else 's'}"


WRONG_SIGN = "✗ differs from gold"
# Names of systems that are shown of one answer; a script has all of them as a tooltip.
_NAMES = 6


def cards(every: Sequence[Card]) -> str:
    """Return the items by why they are shown."""
    systems = list(dict.fromkeys(n for card in every for a in card.answers for n in a.systems))
    numbers = {name: k for k, name in enumerate(systems)}
    named = "\n".join(systems)
    told = "".join(_card(card, numbers) for card in every)
    return f'<div class="cards" data-systems="{_lines(named)}">\n{told}</div>\n'


def _lines(text: str) -> str:
    return "&#10;".join(quoted(line) for line in text.split("\n"))


def _card(card: Card, numbers: dict[str, int]) -> str:
    before, item, behind = card.words
    words = f"{safe(before)} <b>{clipped(item)}</b> {safe(behind)}".strip()
    solved = f" · {safe(card.solved)}" if card.solved else ""
    rows = "".join(_answer(answer, card.gold, numbers) for answer in card.answers)
    gold = f'<tr class="gold"><td>{clipped(card.gold)}</td><td>gold{solved}</td></tr>\n'
    place = f'<p class="place">{safe(card.place)}</p>\n' if card.place else ""
    why = f'<p class="why">{safe(card.about)}</p>\n' if card.about else ""
    facts = (
        ("kind", card.kind), ("gold", card.gold), ("dataset", card.dataset),
    )  # fmt: skip
    data = "".join(f' data-{name}="{quoted(value)}"' for name, value in facts if value)
    return (
        f'<article class="card"{data}>\n{why}<p class="words">{words}</p>\n'
        f'<table class="fixed">\n<tbody>\n{gold}{rows}</tbody>\n'
        f"</table>\n{place}</article>\n"
    )


def _answer(answer: CardAnswer, gold: str, numbers: dict[str, int]) -> str:
    sign = "" if answer.right else '<i class="m">✗</i>'
    look = "right" if answer.right else "wrong"
    names = ", ".join(safe(name) for name in answer.systems[:_NAMES])
    rest = len(answer.systems) - _NAMES
    more = f" and {rest:,} more" if rest > 0 else ""
    who = " ".join(str(numbers[name]) for name in answer.systems)
    text = "the same" if answer.right and answer.text == gold else clipped(answer.text)
    many = f"<b>{len(answer.systems):,}</b> "
    told = f"<td>{text}{sign}</td><td>{many}{names}{more}</td>"
    return f'<tr class="{look}" data-by="{who}">{told}</tr>\n'


# Heads that are on the average so much wider than their cells stand upright, if they are many.
_WIDER, _MANY = 4, 7
# A longer name may wrap, and a longer head.
_NAME, _HEAD = 36, 14
# Words of a text that differ from those of another (``sheet.Prose``).
_LEFT_OUT, _PUT_IN = re.compile(r"\[-(\S+?)-\]"), re.compile(r"\{\+(\S+?)\+\}")
# A printed page has room for so many letters of a point, and for so many of the usual size; a
# column takes so many more than its widest cell.
_POINTS, _LETTERS, _GAP = 1180, 150, 3
# Text stands on a stretch of a bar that has room for it: the bar is so many characters long.
_BAR = 60
_MARKED = {BEST: ("best", "best"), WORST: ("worst", "worst"), WRONG: ("worst", "differs from gold")}


def drawn(
    view: View,
    own: str,
    *,
    command: str = "",
    terms: bool = False,
    items: ItemSource | None = None,
) -> str:
    """Return a figure; its name is left out where it is that of its table, ``own``.

    On a page with a glossary its title links to the meanings of ``terms``; heads say what the
    columns of a ``command`` mean. Numbers have the condition of the ``items`` that they count.
    """
    name = f"<b>{safe(view.name)}</b> " if view.name != own else ""
    title = explained(view.title) if terms else safe(view.title)
    caption = f"<figcaption>{name}{title}</figcaption>\n"
    body, notes = (
        _prose(view)
        if isinstance(view, Prose)
        else _sheet(_explained(cut(view, PAGE), command, own), items)
    )
    return f"<figure>\n{caption if name or view.title else ''}{body}{_notes(notes)}</figure>\n"


def _explained(sheet: Sheet, command: str, own: str) -> Sheet:
    """Return a sheet whose heads have the meanings of their columns for their names."""
    heads = (
        replace(head, column=meaning_of(command, own, head.column) if head.column else "")
        for head in sheet.heads
    )
    return replace(sheet, heads=tuple(heads))


def untinted(view: View) -> View:
    """Return a view without the shades that the heat map beside it has already."""
    if isinstance(view, Prose):
        return view
    rows = (tuple(replace(cell, shade=None) for cell in row) for row in view.rows)
    return replace(view, rows=tuple(rows))


def _prose(view: Prose) -> tuple[str, Sequence[str]]:
    on_cards = [paragraph.card for paragraph in view.paragraphs if paragraph.card is not None]
    if on_cards:
        return cards(on_cards), (WRONG_SIGN, *view.notes)
    parts = []
    for paragraph in view.paragraphs:
        text = safe(paragraph.body)
        if view.marked:
            text = _LEFT_OUT.sub(r"<del>\1</del>", _PUT_IN.sub(r"<ins>\1</ins>", text))
        body = f"<dd>{text}</dd>" if text else ""
        remedy = _remedy(paragraph.remedy)
        parts.append(f"<dt>{safe(paragraph.head)}</dt>{body}{remedy}\n")
    told = f"<dl>\n{''.join(parts)}</dl>\n" if parts else '<p class="dim">none</p>\n'
    return told, view.notes


def _remedy(text: str) -> str:
    return f'<dd class="remedy">→ {safe(text)}</dd>' if text else ""


def _sheet(sheet: Sheet, items: ItemSource | None) -> tuple[str, Sequence[str]]:
    notes = (*legend(chain(*sheet.rows), sheet.among), *sheet.notes)
    if not sheet.rows:
        return '<p class="dim">no rows</p>\n' if sheet.heads else "", notes
    kinds = _kinds(sheet.rows)
    named = next((at for at, head in enumerate(sheet.heads[:2]) if head.elastic), -1)
    below = [max(cells_of(cell.text) for cell in cells) for cells in zip(*sheet.rows, strict=True)]
    upright = _upright(sheet, below)
    heads = [replace(head, marked=False) for head in sheet.heads] if _marks(sheet) else sheet.heads
    rows = "".join(_row(heads, row, named, kinds, items) for row in sheet.rows)
    look = _attribute("class", " ".join(_looks(sheet)))
    header = _header(sheet.heads, upright=upright)
    table = f"<table{look}>\n<thead>{header}</thead>\n<tbody>\n{rows}</tbody>\n</table>"
    paper = _on_paper(sheet, below, upright=upright)
    box = "box wide" if paper else "box"
    return f'<div class="{box}" tabindex="0"{paper}>{table}</div>\n{_key(kinds)}', notes


def _looks(sheet: Sheet) -> list[str]:
    return [name for name, holds in {"fixed": sheet.fixed, "k": _marks(sheet)}.items() if holds]


def _marks(sheet: Sheet) -> bool:
    """Return whether most columns of numbers have room for marks, so that all may have it."""
    numbers = [head.marked for head in sheet.heads if head.right]
    return 2 * sum(numbers) > len(numbers)


def _header(heads: Sequence[Head], *, upright: bool) -> str:
    return f"<tr>{''.join(_head(head, upright=upright) for head in heads)}</tr>"


def _upright(sheet: Sheet, below: Sequence[int]) -> bool:
    """Return whether the heads of many columns are far wider than what is below them."""
    pairs = [
        (_wide(head), wide)
        for head, cell, wide in zip(sheet.heads, sheet.rows[0], below, strict=True)
        if head.full and not cell.bar
    ]
    heads, cells = (sum(widths) for widths in zip(*pairs, strict=True)) if pairs else (0, 0)
    return len(pairs) > _MANY and heads > cells + _WIDER * len(pairs)


def _wide(head: Head) -> int:
    return max(map(cells_of, (head.full or head.text).split("\n")))


def _on_paper(sheet: Sheet, below: Sequence[int], *, upright: bool) -> str:
    """Return the size of letters that lets a wide table stand on a printed page."""
    columns = zip(sheet.heads, below, strict=True)
    across = sum(
        wide if upright and head.full else max(wide, min(_wide(head), _HEAD))
        for head, wide in columns
    ) + _GAP * len(below)
    return f' style="--paper:{_POINTS / across:.1f}pt"' if across > _LETTERS else ""


def _head(head: Head, *, upright: bool) -> str:
    lines = (head.full or head.text).split("\n")
    long = "up" if upright and head.full else "f" if cells_of(lines[0]) > _HEAD else ""
    classes = " ".join(filter(None, [*_classes(head), long]))
    said = "<br>".join(map(clipped, lines)) if any(lines) else "&nbsp;"
    told = _attribute("class", classes) + _attribute("title", quoted(head.column))
    # Only what stands upright is a box of its own.
    shown = f"<span>{said}</span>" if long == "up" else said
    return f'<th scope="col"{told}>{shown}</th>'


def _classes(head: Head) -> list[str]:
    there = {"t": not head.right, "k": head.marked, "p": head.prose}
    return [name for name, holds in there.items() if holds]


def _row(
    heads: Sequence[Head],
    row: Sequence[Cell],
    named: int,
    kinds: Mapping[str, int],
    items: ItemSource | None,
) -> str:
    cells = [
        _cell(head, cell, named=at == named, kinds=kinds, items=items)
        for at, (head, cell) in enumerate(zip(heads, row, strict=True))
    ]
    return f"<tr>{''.join(cells)}</tr>\n"


def _cell(
    head: Head,
    cell: Cell,
    *,
    named: bool,
    kinds: Mapping[str, int],
    items: ItemSource | None,
) -> str:
    text = (cell.full or cell.text).strip()
    classes = [*_classes(head), *(["d"] if cell.dim else [])]
    classes += ["w"] if cells_of(text) > _NAME and not (head.prose or cell.bar) else []
    classes += (
        [f"{'v' if cell.signed else 'h'}{step(cell.shade)}"] if cell.shade is not None else []
    )
    classes += [_MARKED[cell.mark][0]] if cell.mark in _MARKED else []
    shown = safe(text) if head.prose else clipped(text)
    said = _bar(cell.bar, kinds) if cell.bar else shown + _mark(cell)
    if named:
        # Names stand left without being told so one by one.
        looks = [name for name in classes if name != "t"] + ["r"] * head.right
        return f'<th scope="row"{_attribute("class", " ".join(looks))}>{said}</th>'
    where = items.condition(cell.counts) if items is not None and cell.counts else ""
    leads = _attribute("data-where", escape(where))
    return f"<td{_attribute('class', ' '.join(classes))}{leads}>{said}</td>"


def _mark(cell: Cell) -> str:
    if cell.mark not in _MARKED:
        return safe(cell.mark)
    return f'<i class="m" title="{_MARKED[cell.mark][1]}">{cell.mark}</i>'


def _kinds(rows: Iterable[Iterable[Cell]]) -> dict[str, int]:
    """Return the kinds of stripes there are, each with its number."""
    names = (stripe.name for row in rows for cell in row for stripe in cell.bar)
    return {name: at for at, name in enumerate(dict.fromkeys(names)) if name}


def _bar(bar: Sequence[Stripe], kinds: Mapping[str, int]) -> str:
    dotted = any(stripe.start == stripe.end for stripe in bar)
    stretches = "".join(_stretch(stripe, kinds) for stripe in bar)
    look = "bar interval" if dotted else "bar stack" if bar[0].name else "bar"
    return f'<span class="{look}">{stretches}</span>'


def _stretch(stripe: Stripe, kinds: Mapping[str, int]) -> str:
    length = stripe.end - stripe.start
    place = f"left:{100 * stripe.start:.4g}%;width:{100 * length:.4g}%"
    if not stripe.name:
        return f'<i{"" if length else _attribute("class", "dot")} style="{place}"></i>'
    room = _BAR * length
    fitting = (text for text in (stripe.text, stripe.text[:1]) if len(text) + 1 <= room)
    about = quoted(f"{stripe.name[2:]}: {stripe.text[2:]}")
    kind = f'class="s{kinds[stripe.name] % 8}" title="{about}"'
    return f'<i {kind} style="{place}">{safe(next(fitting, ""))}</i>'


def _key(kinds: Mapping[str, int]) -> str:
    """Return what the stretches of bars mean."""
    parts = (f'<li><i class="s{at % 8}"></i>{safe(name)}</li>' for name, at in kinds.items())
    return f'<ul class="key">{"".join(parts)}</ul>\n' if kinds else ""


def _notes(notes: Sequence[str]) -> str:
    lines = "".join(f"<li>{safe(note)}</li>" for note in notes)
    return f'<ul class="notes">{lines}</ul>\n' if lines else ""


def _attribute(name: str, value: str) -> str:
    return f' {name}="{value}"' if value else ""


# Pixels: of a chart beside another one, and of a heat map of many columns.
NARROW, BROAD = 500.0, 1040.0
# Columns of a heat map that has its numbers in such a place, and rows and places of other charts.
_FEW, _SEVERAL, _CROWD = 6, 10, 30
# Tooltips of more marks than this are no longer than so many lines.
_MARKS, _LINES = 40, 3


def charts(
    every: Sequence[Plot], *, scripted: bool = False, items: ItemSource | None = None
) -> str:
    """Return figures side by side where there is room; a page with a script has lighter ones."""
    several = len(every) > 1
    told = "".join(
        figure(replace(plot, scripted=scripted), _width(plot, several=several), items)
        for plot in every
    )
    return f'<div class="charts">\n{told}</div>\n' if told else ""


def figure(plot: Plot, width: float, items: ItemSource | None = None) -> str:
    """Return a chart of that width, whose marks lead to their items."""
    if items is not None:
        plot = replace(plot, marks=tuple(_leading(mark, items) for mark in plot.marks))
    look = "chart broad" if width > NARROW else "chart"
    return f'<figure class="{look}">\n{chart(_light(plot, width))}\n</figure>\n'


def _leading(mark: Mark, items: ItemSource) -> Mark:
    """Return a mark with the condition of its items, if the letters of that can be in a chart."""
    where = items.condition(mark.counts) if mark.counts else ""
    return replace(mark, where=where) if visible(where) == where else mark


def is_narrow(every: Sequence[Plot]) -> bool:
    """Return whether there is one chart, which leaves room for a table's beside it."""
    return len(every) == 1 and _width(every[0], several=False) == NARROW


def _width(plot: Plot, *, several: bool) -> float:
    if plot.figure.kind != "heat map":
        return NARROW if several or len(plot.names) <= _CROWD else WIDTH
    columns = min(len(plot.series), len(plot.names)) if plot.figure.mirrored else len(plot.series)
    if columns > _SEVERAL:
        return BROAD
    return NARROW if several or columns <= _FEW else WIDTH


def _light(plot: Plot, width: float) -> Plot:
    """Return a plot whose tooltips are short where they are very many."""
    marks = plot.marks
    if len(marks) > _MARKS:
        marks = tuple(replace(mark, tip="\n".join(mark.tip.split("\n")[:_LINES])) for mark in marks)
    return replace(plot, width=width, brief=True, marks=marks)
