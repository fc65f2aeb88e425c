"""What the JSON files of a store have to be like; the first fault is named with its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from coleval.corpus.corpus import Origin
from coleval.corpus.options import Reading, Scoring
from coleval.corpus.problems import Problem
from coleval.corpus.tasks import TASKS
from coleval.store.shapes import (
    Fault,
    count,
    either,
    fields_of,
    flag,
    inside,
    integer,
    list_of,
    map_of,
    maybe,
    names,
    one_of,
    record,
    row,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coleval.store.shapes import Shape

_PROBLEM = record(fields_of(Problem))
_ENTRY = record(
    {
        "name": text,
        "origin": record({"path": text}, fields_of(Origin)),
        "repairs": maybe(count),
        "notes": list_of(_PROBLEM),
    },
    {
        "absent": maybe(_PROBLEM),
        "overlap": maybe(row(count, count)),
        "places": list_of(row(text, count)),
        "answers": text,
    },
)
_UNIT = record(
    {
        "labels": names,
        "everything": flag,
        "group": text,
        "group_count": count,
        "parts": list_of(row(inside, count), 1),
        "columns": map_of(inside),
    },
    {"sums": map_of(row(count, count))},
)
_COLUMN = either(integer, text)
_SELECTION = record(
    {"picks": map_of(_COLUMN), "systems": list_of(_COLUMN)},
    {"trees": flag, "names": list_of(text), "offsets": text},
)
_GRID = record(
    {
        "cells": list_of(row(text, text)),
        "missing": list_of(row(count, text)),
        "sizes": map_of(list_of(row(count, count, flag))),
        "entries": inside,
    }
)
_MANIFEST = record(
    {
        "store": integer,
        "task": one_of(*TASKS),
        "profile": text,
        "reading": record({"columns": _SELECTION}, fields_of(Reading, {"columns": _SELECTION})),
        "scoring": record({}, fields_of(Scoring)),
        "gold": _ENTRY,
        "systems": list_of(_ENTRY),
        "units": map_of(_UNIT, 1),
        "files": count,
        "coleval": text,
    },
    {"layers": map_of(_UNIT), "grid": _GRID, "sum": count},
)
_SEGMENTS = record(
    {
        "store": one_of(3),
        "segments": list_of(
            record({"folder": inside, "manifest": inside, "live": list_of(count, 1)}), 1
        ),
    },
    {"sum": count},
)
_CELLS = record({"cells": list_of(map_of(_ENTRY))}, {"sum": count})
_TRAINING = record(
    {"path": text, "sha256": text}, {"sums": map_of(row(count, count)), "sum": count}
)
_POINTER = record({"store": integer, "live": inside}, {"sum": count})


def check_manifest(data: Mapping[str, Any]) -> None:
    """Raise ``Fault`` for the first thing in a manifest that is not as it has to be."""
    _MANIFEST(data)
    systems = [entry["name"] for entry in data["systems"]]
    _in(names, systems, "systems")
    task = TASKS[data["task"]]
    main = task.source_unit or task.units[0]
    if main not in data["units"]:
        raise Fault(f"`{main}`", None).within(main).within("units")
    if data["scoring"].get("unit") not in (None, *data["units"]):
        raise Fault("a unit of the store", data["scoring"]["unit"]).within("unit").within("scoring")
    for name, unit in data["units"].items():
        if sorted(unit["columns"]) != sorted(systems):
            lacking = min({*systems} ^ {*unit["columns"]})
            fault = Fault(f"a column of each system, `{lacking}` too", unit["columns"])
            raise fault.within("columns").within(name).within("units")
    if "grid" in data:
        _check_grid(data["grid"], {**data["units"], **data.get("layers", {})})


def _check_grid(grid: Mapping[str, Any], units: Mapping[str, Any]) -> None:
    cells = grid["cells"]
    for at, (cell, _) in enumerate(grid["missing"]):
        if cell >= len(cells):
            raise _numbered(cell, cells).within(at).within("missing").within("grid")
    for name, sizes in grid["sizes"].items():
        if name not in units or len(sizes) != len(cells) or not _adds_up(sizes, units[name]):
            fault = Fault(f"the sizes of {len(cells):,} cells of a unit", sizes)
            raise fault.within(name).within("sizes").within("grid")


def _adds_up(sizes: list[Any], unit: Mapping[str, Any]) -> bool:
    """Tell whether sizes are of all rows; those that came with later systems are counted anew."""
    return len(unit["parts"]) > 1 or sum(rows for rows, _, _ in sizes) == unit["parts"][0][1]


def _numbered(cell: int, cells: list[Any]) -> Fault:
    return Fault(f"the number of one of {len(cells):,} cells", cell)


def _in(shape: Shape, value: Any, key: str) -> None:
    try:
        shape(value)
    except Fault as fault:
        raise fault.within(key) from None


def check_segments(data: Mapping[str, Any]) -> None:
    """Raise ``Fault`` for the first fault in a list of segments."""
    _SEGMENTS(data)
    _in(names, [segment["folder"] for segment in data["segments"]], "segments")


def check_live(live: tuple[int, ...], cells: int | None) -> None:
    """Raise ``Fault`` if a segment has no cells, or not those that are live, each once."""
    if cells is None:
        raise Fault("`grid`", None).within("grid")
    if len({*live}) != len(live) or max(live) >= cells:
        raise Fault(f"cells {', '.join(map(str, live))}, each once", cells).within("cells")


check_cells, check_training, check_pointer = _CELLS, _TRAINING, _POINTER
