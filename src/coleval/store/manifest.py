"""``corpus.json``: what a store holds, checked when it is read.

The last thing in it is the checksum of all that is before: what was changed by a disk, a transfer
or a hand is noticed even where it still makes sense.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints
from zlib import crc32

import polars as pl

from coleval.corpus.corpus import Entry, Origin
from coleval.corpus.options import Reading, Scoring  # noqa: TC001  - fields are of these types
from coleval.corpus.places import Places
from coleval.corpus.problems import Problem
from coleval.corpus.tasks import TASKS
from coleval.errors import ColevalError, DataError
from coleval.version import __version__

FILE = "corpus.json"
# 7 is the first with one table a unit and gold file; what was written before is loaded again.
VERSION = 7
_INSIDE = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)*")
_REMEDY = "load it again with --fresh"
_SUM = b'"sum"'


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A Parquet file of the store: its path there, its rows, its size and checksum."""

    path: str
    rows: int
    size: int
    crc: int

    def __post_init__(self) -> None:
        """Raise if the path is not one of a file below the store."""
        if not _INSIDE.fullmatch(self.path):
            raise ValueError(f"`{self.path}` is no file of the store")


@dataclass(frozen=True, slots=True)
class StoredTable:
    """The items of one unit in one cell, and the distinct rows of answers if they are fewer."""

    item: StoredFile
    groups: int
    empty_is_answer: bool
    pattern: StoredFile | None = None


@dataclass(frozen=True, slots=True)
class StoredCell:
    """One gold file with the runs on it.

    The ``entries`` of a grid are made when they are asked for (``entry_of``); those of a single
    gold file are the manifest's own.
    """

    dataset: str
    part: str
    tables: Mapping[str, StoredTable]
    entries: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UnitLayout:
    """What the tables of a unit or layer have in common: labels, columns and their types.

    Labels are ``coded`` (an Enum of them all), or texts where there are too many for that.
    ``context`` are the names of its columns; ``names`` has the categories of those that are text in
    Parquet and dictionaries in memory, none if they are those that occur.
    """

    labels: tuple[str, ...]
    coded: bool
    group: str
    context: tuple[str, ...]
    names: Mapping[str, tuple[str, ...]]
    layer: bool = False

    @property
    def kind(self) -> pl.Enum:
        """Return the labels as a type, by whose places answers are coded."""
        return pl.Enum(self.labels)

    @property
    def late_form(self) -> bool:
        """Return whether texts, which cost most, are read when somebody looks at them.

        Only where they stand behind all other columns do they keep their place when left out.
        """
        return self.context[-1:] == ("form",)


@dataclass(frozen=True, slots=True)
class StoredTraining:
    """What systems were trained on: the file it was counted of, and the tables of counts."""

    path: str
    sha256: str
    tables: Mapping[str, StoredFile]


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything about a store but the tables themselves; ``load`` counts the loads into it.

    ``columns`` are the names that systems have in Parquet: no two differ in case alone.
    """

    task: str
    profile: str
    reading: Reading
    scoring: Scoring
    gold: Entry
    systems: tuple[Entry, ...]
    columns: Mapping[str, str]
    units: Mapping[str, UnitLayout]
    cells: tuple[StoredCell, ...]
    grid: bool
    run: StoredFile
    training: StoredTraining | None = None
    load: int = 1
    coleval: str = __version__

    @property
    def files(self) -> dict[str, StoredFile]:
        """Return all files of the store by their paths."""
        tables = [table for cell in self.cells for table in cell.tables.values()]
        training = self.training.tables.values() if self.training else ()
        every = [*(t.item for t in tables), *(t.pattern for t in tables if t.pattern), self.run]
        return {file.path: file for file in (*every, *training)}

    def layout(self, name: str, cells: tuple[int, ...] | None = None) -> list[StoredTable]:
        """Return the tables of a unit, of all cells or of some."""
        chosen = self.cells if cells is None else [self.cells[at] for at in cells]
        return [cell.tables[name] for cell in chosen if name in cell.tables]


def read_manifest(store: Path) -> Manifest:
    """Return what a store says of itself; raise if the directory is none, or of another version."""
    try:
        raw = (store / FILE).read_bytes()
    except FileNotFoundError:
        raise DataError(
            "is not a coleval store",
            where=str(store),
            remedy=f"make one: coleval load GOLD SYSTEM… -o {store}",
        ) from None
    except OSError as error:
        raise damaged(store / FILE, str(error)) from None
    return manifest_of(raw, store)


def manifest_of(raw: bytes, store: Path) -> Manifest:
    """Return the manifest that was read from a store; raise if it is none, or cannot be read."""
    path = store / FILE
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise damaged(path, str(error)) from None
    if not isinstance(data, dict) or type(data.get("store")) is not int:
        raise damaged(path, "it does not say which version of a store it is")
    if data.pop("store") != VERSION:
        raise _other_version(store, data)
    if data.pop("sum", None) != crc32(raw[: raw.rfind(_SUM)]):
        raise damaged(path, "its checksum is not that of its contents: it was changed")
    try:
        manifest = _built(Manifest, data, "")
        return _checked(_with_paths(manifest, lambda text: _absolute(text, store)))
    except _UnknownKey as unknown:
        raise _other_version(store, {**data, "key": str(unknown)}) from None
    except (ValueError, TypeError) as error:
        raise damaged(path, str(error)) from None
    except ColevalError as error:
        raise damaged(path, error.problem) from None


def manifest_bytes(manifest: Manifest, store: Path) -> bytes:
    """Return what is written of a manifest, for a store at a path."""
    data = asdict(_with_paths(manifest, lambda text: _relative(text, store)))
    text = json.dumps({"store": VERSION, **data}, ensure_ascii=False)
    head = f"{text[:-1]},\n ".encode()
    return head + _SUM + f": {crc32(head)}\n}}\n".encode()


def damaged(path: Path, why: str) -> DataError:
    """Return the error for a file that is not what was written."""
    return DataError(f"is damaged ({why})", where=str(path), remedy=_REMEDY)


def _other_version(store: Path, data: Mapping[str, Any]) -> DataError:
    writer = f"coleval {data.get('coleval', 'of another version')}"
    if "key" in data:
        why = f"was written by a newer coleval ({writer}), which says `{data['key']}` of it"
    else:
        why = f"was written by {writer}"
    return DataError(f"{why} and cannot be read by {__version__}", where=str(store), remedy=_REMEDY)


def _checked(manifest: Manifest) -> Manifest:
    """Return a manifest whose parts agree with each other."""
    manifest.reading.checked()
    manifest.scoring.checked()
    task = TASKS.get(manifest.task)
    if task is None:
        raise ValueError(f"no task is called `{manifest.task}`")
    if (task.source_unit or task.units[0]) not in manifest.units or not manifest.cells:
        raise ValueError("the items of the task are not there")
    systems = [entry.name for entry in manifest.systems]
    if sorted(manifest.columns) != sorted({*systems}) or len({*systems}) < len(systems):
        raise ValueError("systems and their columns are not the same")
    return manifest


# -- paths -----------------------------------------------------------------------------------------
# Files that lie with the store under a folder of their own are named from the store: both may be
# moved together. Whatever else is absolute, or no path.
def _relative(text: str, store: Path) -> str:
    here = os.path.abspath(store)  # noqa: PTH100  - a link stays a link
    if not os.path.isabs(text) or os.path.splitdrive(text)[0] != os.path.splitdrive(here)[0]:  # noqa: PTH117
        return text
    common = os.path.commonpath([text, here])
    if common == os.path.dirname(common):  # noqa: PTH120
        return text
    path = Path(os.path.relpath(text, here)).as_posix()
    return path if path.startswith("../") else text


def _absolute(text: str, store: Path) -> str:
    return os.path.normpath(store.absolute() / text) if text.startswith("../") else text


def _with_paths(manifest: Manifest, change: Any) -> Manifest:
    """Return a manifest with other paths of gold, systems and training data."""

    def entry(one: Entry) -> Entry:
        return replace(one, origin=replace(one.origin, path=change(one.origin.path)))

    def raw(one: Mapping[str, Any]) -> Any:
        return {**one, "origin": {**one["origin"], "path": change(one["origin"]["path"])}}

    cells = (
        replace(cell, entries={name: raw(one) for name, one in cell.entries.items()})
        for cell in manifest.cells
    )
    training = manifest.training
    return replace(
        manifest,
        gold=entry(manifest.gold),
        systems=tuple(map(entry, manifest.systems)),
        cells=tuple(cells),
        training=training and replace(training, path=change(training.path)),
    )


def entry_of(data: Any) -> Entry:
    """Return what was stored of gold or a system in one cell."""
    return _built(Entry, data, "entry")


# -- values of JSON as values of their types -------------------------------------------------------
class _UnknownKey(Exception):  # noqa: N818  - it is raised as an error of data
    """A key that no field has: a later version knows it."""


@cache
def _types(kind: type) -> Mapping[str, Any]:
    names = {"Problem": Problem, "Places": Places, "Mapping": Mapping, "Origin": Origin}
    return get_type_hints(kind, localns=names)


def _built(kind: Any, value: Any, where: str) -> Any:  # noqa: PLR0911  - one of each kind
    """Return a value of JSON as one of a type; raise for the first that is none, with its place."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        return value
    if is_dataclass(kind) and isinstance(value, dict):
        return _record(kind, value, where)
    if origin in (Union, UnionType):
        if type(value) in inner or (value is None and type(None) in inner):
            return value
        (first, *_) = [one for one in inner if one is not type(None)]
        return _built(first, value, where)
    if origin is tuple and type(value) in (list, tuple):
        if inner == (str, Ellipsis) and {*map(type, value)} <= {str}:
            return tuple(value)
        kinds = inner[:1] * len(value) if inner[-1] is Ellipsis else inner
        if len(kinds) == len(value):
            return tuple(
                _built(k, one, f"{where}[{at}]")
                for at, (k, one) in enumerate(zip(kinds, value, strict=True))
            )
    if origin is Mapping and type(value) is dict:
        return {key: _built(inner[1], one, f"{where}.{key}") for key, one in value.items()}
    if type(value) is kind or (kind is float and type(value) is int):
        return value
    found = json.dumps(value, ensure_ascii=False)
    expected = getattr(kind, "__name__", str(kind))
    raise ValueError(f"at {where or 'its top'}: {expected} is expected, not {found[:40]}")


def _record(kind: Any, value: dict[str, Any], where: str) -> Any:
    types = _types(kind)
    for key in value:
        if key not in types:
            raise _UnknownKey(f"{where}.{key}".lstrip("."))
    for one in fields(kind):
        if one.name not in value and one.default is one.default_factory is MISSING:
            raise ValueError(f"at {where or 'its top'}: `{one.name}` is expected")
    given = {k: _built(types[k], v, f"{where}.{k}".lstrip(".")) for k, v in value.items()}
    return kind(**given)
