"""Items in their sentences: words across, gold and systems below, those that agree in one line.

An answer that is not gold's has a cross behind it, so that it can be told without colour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from coleval.annotate import MEAN_SCORE
from coleval.corpus.items import NOT_IN_TEXT
from coleval.render.sheet import PAGE, PAPER, WRONG, Cell, Head, Sheet, View
from coleval.render.visible import shortened, visible
from coleval.render.visible import width as cells_of

if TYPE_CHECKING:
    import polars as pl

    from coleval.corpus.report import Report


Row = Mapping[str, object]
_Said = TypeVar("_Said")
LAYER, NAMES, LONGEST, SCREEN = "label ", 28, 24, 100
_TITLE = ("document", "sentence", "id", "difficulty", "spurious")
_NOTHING = "·"


def views(report: Report, width: int) -> tuple[View, ...]:
    """Return a picture for every item."""
    frame = report.table("items")
    if frame.is_empty():
        return (Sheet("items", "none", (), ()),)
    systems = _systems(report, frame)
    words = _words(report)
    room = width if PAGE <= width < PAPER else min(width, SCREEN)
    sheets = [_sheet(row, words.get(row["item"]), systems, room) for row in frame.to_dicts()]
    there = int(frame["of"][0])
    more = f"{len(frame):,} of {there:,} items" + (
        "; --limit N shows more" if there > len(frame) else ""
    )
    note = f"{WRONG} differs from gold · {_NOTHING} no label"
    last = sheets[-1]
    sheets[-1] = replace(last, notes=(more, note))
    return tuple(sheets)


def _systems(report: Report, frame: pl.DataFrame) -> dict[str, str]:
    """Return the systems' columns among those of the items, by the names of their layers."""
    names = frame.columns[frame.columns.index("gold") + 1 : frame.columns.index("difficulty")]
    if "words" not in report.tables:
        return {name: name for name in names}
    layers = [c for c in report.table("words").columns if c.startswith(LAYER)][1:]
    return dict(zip(layers, names, strict=True))


def _words(report: Report) -> dict[object, pl.DataFrame]:
    if "words" not in report.tables:
        return {}
    parts = report.table("words").partition_by("item", maintain_order=True, as_dict=True)
    return {key[0]: part for key, part in parts.items()}


def _sheet(row: Row, words: pl.DataFrame | None, systems: Mapping[str, str], width: int) -> Sheet:
    told = [f"{name} {row[name]}" for name in _TITLE if row.get(name) is not None]
    title = " · ".join([visible(part) for part in told])
    name = f"item {row['item']}"
    if words is None or row.get(NOT_IN_TEXT):
        form = [visible(str(row["form"]))] if row.get("form") is not None else []
        form += ["not in the text"] if row.get(NOT_IN_TEXT) else []
        return _alone(name, " · ".join([*form, title]), row, list(systems.values()))
    return _aligned(name, title, row, words, systems, width)


def _alone(name: str, title: str, row: Row, systems: Sequence[str]) -> Sheet:
    """Return gold's answer and the systems', where there is no text."""
    groups: dict[object, list[str]] = {}
    for system in systems:
        groups.setdefault(row[system], []).append(system)
    # A number that is not gold's is not wrong.
    numeric = MEAN_SCORE in row
    lines = [(Cell("gold"), _answer(row["gold"], row["gold"]))]
    lines += [(_called(who), _answer(said, said if numeric else row["gold"]))
              for said, who in _most(groups)]  # fmt: skip
    heads = (Head("", right=False, elastic=True), Head("answer", right=False, marked=True))
    return Sheet(name, title, heads, tuple(lines), fixed=True)


def _aligned(
    name: str, title: str, row: Row, words: pl.DataFrame, systems: Mapping[str, str], width: int
) -> Sheet:
    room = width - 2 - min(NAMES, max(cells_of(visible(n)) for n in systems.values()) + 5)
    row, words, cut, there = _near(row, words, room)
    layers: dict[str, tuple[object, ...]] = {layer: tuple(words[layer]) for layer in systems}
    gold, forms = tuple(words[f"{LAYER}gold"]), [visible(str(f)) for f in words["form"]]
    sizes = [_size(k, forms, [gold, *layers.values()]) for k in range(len(forms))]
    low, high = _window(sizes, int(str(row["first"])), int(str(row["last"])), room)
    groups: dict[tuple[object, ...], list[str]] = {}
    for layer, labels in layers.items():
        groups.setdefault(labels[low:high], []).append(layer.removeprefix(LAYER))
    lines = [(Cell("gold"), *(_answer(label, label) for label in gold[low:high]))]
    for said, who in _most(groups):
        pairs = zip(said, gold[low:high], strict=True)
        lines.append((_called(who), *(_answer(a, g) for a, g in pairs)))
    words_ = [_head(forms[k], row, k) for k in range(low, high)]
    words_ += [Head("…", right=False)] if cut + high < there else []
    lines = [(*line, Cell("")) for line in lines] if cut + high < there else lines
    first = Head("…" if cut + low else "", right=False, elastic=True)
    return Sheet(name, title, (first, *words_), tuple(lines), fixed=True)


def _near(row: Row, words: pl.DataFrame, room: int) -> tuple[Row, pl.DataFrame, int, int]:
    """Return the words that may have room around an item, how many are before, and how many are.

    A sentence may have millions, of which each takes at least a cell and what is between words.
    """
    begin = int(words["position"][0]) if len(words) else 0
    first, last = int(str(row["first"])), int(str(row["last"]))
    cut = max(begin, first - room // 4 - 1)
    near = words.slice(cut - begin, min(last, first + room) + room // 4 + 2 - cut)
    return {**row, "first": first - cut, "last": last - cut}, near, cut, begin + len(words)


def _head(form: str, row: Row, at: int) -> Head:
    inside = int(str(row["first"])) <= at <= int(str(row["last"]))
    text, full = (f"[{t}]" if inside else t for t in (shortened(form, LONGEST), form))
    return Head(text, right=False, marked=True, tight=True, full=full)


def _answer(said: object, gold: object) -> Cell:
    text = _NOTHING if said is None else visible(str(said))
    sign = WRONG if said != gold else ""
    return Cell(shortened(text, LONGEST), sign, dim=said is None, full=text)


def _most(groups: Mapping[_Said, list[str]]) -> list[tuple[_Said, list[str]]]:
    return sorted(groups.items(), key=lambda pair: -len(pair[1]))


def _called(systems: Sequence[str]) -> Cell:
    """Return who gives an answer: one name, and how many more."""
    first = shortened(visible(systems[0]), NAMES - 6)
    text = first if len(systems) == 1 else f"{first} +{len(systems) - 1}"
    return Cell(text, full=", ".join(map(visible, systems)))


def _size(at: int, forms: Sequence[str], layers: Sequence[Sequence[object]]) -> int:
    labels = [_NOTHING if labels[at] is None else visible(str(labels[at])) for labels in layers]
    longest = max(min(LONGEST, cells_of(text)) for text in (*labels, forms[at]))
    return longest + 3


def _window(sizes: Sequence[int], first: int, last: int, room: int) -> tuple[int, int]:
    """Return the words around the item that fit, as many on either side as there are."""
    low, high = first, min(last + 1, len(sizes))
    while high - low > 1 and sum(sizes[low:high]) > room:
        high -= 1
    used = sum(sizes[low:high])
    while True:
        grown = False
        if low > 0 and used + sizes[low - 1] <= room - 3:
            low, used, grown = low - 1, used + sizes[low - 1], True
        if high < len(sizes) and used + sizes[high] <= room - 3:
            used, high, grown = used + sizes[high], high + 1, True
        if not grown:
            return low, high
