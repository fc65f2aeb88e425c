"""What the JSON files of a store have to be like; the first fault is named with its place."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from coleval.corpus.corpus import Origin
from coleval.corpus.options import Reading, Scoring
from coleval.corpus.problems import Problem
from coleval.corpus.tasks import TASKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Shape = Callable[[Any], None]

_LARGEST = 2**63


class Fault(Exception):  # noqa: N818  - it is raised as an error of data
    """A value that is not of its shape: where it is, what was expected, what is there."""

    def __init__(self, expected: str, found: object) -> None:
        """Begin with the value itself; what it is in is put before it."""
        super().__init__(expected)
        self.expected = expected
        self.found = found
        self.path: list[str | int] = []

    def within(self, key: str | int) -> Fault:
        """Return the fault with what the value is in."""
        self.path.insert(0, key)
        return self

    def __str__(self) -> str:
        where = "".join(f"[{k}]" if isinstance(k, int) else f".{k}" for k in self.path).lstrip(".")
        found = shown(self.found)
        return f"at {where or 'its top'}: {self.expected} is expected, not {found}"


def shown(value: object) -> str:
    """Return a value of JSON as people read it, shortened."""
    names = {dict: "an object", list: "a list", type(None): "null", bool: str(value).lower()}
    found = names.get(type(value)) or repr(value)
    return found if len(found) <= 40 else f"{found[:37]}…"


def text(value: Any) -> None:
    """Check that a value is text that files can have."""
    if type(value) is not str:
        raise Fault("text", value)
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise Fault("text of whole characters", value) from None


def flag(value: Any) -> None:
    """Check that a value is true or false."""
    if type(value) is not bool:
        raise Fault("true or false", value)


def integer(value: Any) -> None:
    """Check that a value is a whole number of 64 bits."""
    if type(value) is not int or not -_LARGEST <= value < _LARGEST:
        raise Fault("a whole number", value)


def count(value: Any) -> None:
    """Check that a value is a whole number that can count something."""
    if type(value) is not int or not 0 <= value < _LARGEST:
        raise Fault("a whole number from 0 on", value)


def number(value: Any) -> None:
    """Check that a value is a finite number."""
    if type(value) not in (int, float) or not abs(value) < float("inf"):
        raise Fault("a number", value)


def inside(value: Any) -> None:
    """Check that a value names a file of the store, and nothing beside it."""
    text(value)
    parts = value.split("/")
    if not all(parts) or {".", ".."} & set(parts) or "\\" in value or "\0" in value:
        raise Fault("a file of the store", value)


def one_of(*values: Any) -> Shape:
    """Return the shape of a value that is one of some."""

    def check(value: Any) -> None:
        if not any(value == one and type(value) is type(one) for one in values):
            raise Fault(" or ".join(map(shown, values)), value)

    return check


def maybe(shape: Shape) -> Shape:
    """Return the shape of what may be null."""

    def check(value: Any) -> None:
        if value is not None:
            shape(value)

    return check


def either(first: Shape, second: Shape) -> Shape:
    """Return the shape of what is of one of two; if of neither, the second names the fault."""

    def check(value: Any) -> None:
        try:
            first(value)
        except Fault:
            second(value)

    return check


def list_of(shape: Shape, least: int = 0) -> Shape:
    """Return the shape of a list of values of one shape."""

    def check(value: Any) -> None:
        if type(value) is not list or len(value) < least:
            raise Fault("a list" if not least else "a list that is not empty", value)
        for at, one in enumerate(value):
            _checked(shape, one, at)

    return check


def names(value: Any) -> None:
    """Check that a value is a list of texts of which no two are the same."""
    list_of(text)(value)
    if len(set(value)) != len(value):
        twice = next(at for at, name in enumerate(value) if name in value[:at])
        raise Fault("a name that is not there already", value[twice]).within(twice)


def row(*shapes: Shape) -> Shape:
    """Return the shape of a list with one value of each shape."""

    def check(value: Any) -> None:
        if type(value) is not list or len(value) != len(shapes):
            raise Fault(f"a list of {len(shapes)}", value)
        for at, (shape, one) in enumerate(zip(shapes, value, strict=True)):
            _checked(shape, one, at)

    return check


def map_of(shape: Shape, least: int = 0) -> Shape:
    """Return the shape of an object with any names, and values of one shape."""

    def check(value: Any) -> None:
        if type(value) is not dict or len(value) < least:
            raise Fault("an object" if not least else "an object that is not empty", value)
        for key, one in value.items():
            _checked(text, key, key)
            _checked(shape, one, key)

    return check


def record(required: Mapping[str, Shape], optional: Mapping[str, Shape] | None = None) -> Shape:
    """Return the shape of an object with some names, and others that may be missing."""
    every = {**required, **(optional or {})}

    def check(value: Any) -> None:
        if type(value) is not dict:
            raise Fault("an object", value)
        for key in required:
            if key not in value:
                raise Fault(f"`{key}`", None).within(key)
        for key, one in value.items():
            if key not in every:
                raise Fault(f"one of {_listed(every)}", key)
            _checked(every[key], one, key)

    return check


def fields_of(kind: type, own: Mapping[str, Shape] | None = None) -> Mapping[str, Shape]:
    """Return the shapes of the fields of a dataclass by their types, or their ``own``."""
    mine = own or {}
    return {f.name: mine.get(f.name) or _BY_TYPE[str(f.type)] for f in fields(kind)}


_BY_TYPE: Mapping[str, Shape] = {
    "str": text,
    "str | None": maybe(text),
    "bool": flag,
    "bool | None": maybe(flag),
    "int": integer,
    "int | None": maybe(integer),
    "float | None": maybe(number),
    "tuple[str, ...]": list_of(text),
    "tuple[str, ...] | None": maybe(list_of(text)),
}


def _checked(shape: Shape, value: Any, key: str | int) -> None:
    try:
        shape(value)
    except Fault as fault:
        raise fault.within(key) from None


def _listed(names_: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names_)


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
