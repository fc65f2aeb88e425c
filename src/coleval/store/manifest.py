"""The JSON files of a store: ``corpus.json``, checks when they are read, checksums."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.corpus.corpus import Corpus, Entry, Origin
from coleval.corpus.options import Reading, Scoring
from coleval.corpus.problems import Problem
from coleval.corpus.selection import Selection
from coleval.errors import ColevalError, DataError
from coleval.store.json_files import checked, damaged, loaded, write_json
from coleval.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FILE = "corpus.json"
# 2 has layers and options that 1 did not know, 4 has checksums, 6 hashes of answers; those before
# are read as they were.
_VERSION, _READABLE = 6, (1, 2, 4, 6)
# What stores of all versions call `empty_is_answer`.
_STORED_NAME = "everything"


@dataclass(frozen=True, slots=True)
class Unit:
    """One item table: its labels, its base files with their rows, the file of each system.

    ``sums`` are the size and the checksum of every file, none in older stores.
    """

    labels: tuple[str, ...]
    empty_is_answer: bool
    group: str
    group_count: int
    parts: tuple[tuple[str, int], ...]
    columns: Mapping[str, str]
    sums: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def kind(self) -> pl.Enum:
        """Return the labels as a type, by whose places answers are coded."""
        return pl.Enum(self.labels)

    @property
    def rows(self) -> int:
        """Return the number of items."""
        return sum(n for _, n in self.parts)


@dataclass(frozen=True, slots=True)
class StoredGrid:
    """The cells of a grid, which systems lack which of them, and the sizes of every table.

    Where they came from is in a file of its own, ``entries``, which few commands read.
    """

    cells: Sequence[tuple[str, str]]
    missing: Sequence[tuple[int, str]]
    sizes: Mapping[str, Sequence[tuple[int, int, bool]]]
    entries: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything about a store but the columns themselves."""

    task: str
    profile: str
    reading: Reading
    scoring: Scoring
    gold: Entry
    systems: tuple[Entry, ...]
    units: Mapping[str, Unit]
    files: int = 0
    coleval: str = field(default=__version__)
    layers: Mapping[str, Unit] = field(default_factory=dict)
    grid: StoredGrid | None = None


def read_manifest(store: Path, file: str = FILE) -> Manifest:
    """Return a store's manifest; raise if the directory is none, or of another version."""
    path = store / file
    try:
        raw, data = loaded(path)
    except FileNotFoundError:
        raise DataError(
            "is not a coleval store",
            where=str(store),
            remedy=f"make one: coleval load GOLD SYSTEM… -o {store}",
        ) from None
    return _readable(path, raw, data)


def manifest_of(raw: bytes, path: Path) -> Manifest:
    """Return the manifest that was read from a path; raise if it is none, or cannot be read."""
    try:
        return _readable(path, raw, json.loads(raw))
    except (ValueError, RecursionError) as error:
        raise damaged(path, str(error)) from None


def _readable(path: Path, raw: bytes, data: Any) -> Manifest:
    version = data.get("store") if isinstance(data, dict) else None
    if type(version) is int and version not in _READABLE:
        raise DataError(
            f"was written by coleval {data.get('coleval')} and cannot be read by {__version__}",
            where=str(path.parent),
            remedy="load it again with --fresh",
        )
    # Imported now: few commands open a store.
    from coleval.store.schema import check_manifest

    return _manifest(path, checked(path, raw, data, check_manifest))


def write_manifest(store: Path, manifest: Manifest, file: str = FILE) -> None:
    """Put a manifest in place in one step."""
    data = {"store": _VERSION, **asdict(manifest)}
    for unit in (*data["units"].values(), *data["layers"].values()):
        unit[_STORED_NAME] = unit.pop("empty_is_answer")
    if manifest.grid is None:
        del data["grid"]
    write_json(store, data, file, indent=1 if file == FILE else None)


def of_corpus(
    corpus: Corpus,
    units: Mapping[str, Unit],
    layers: Mapping[str, Unit],
    grid: StoredGrid | None = None,
) -> Manifest:
    """Return the manifest of a corpus whose columns are where ``units`` and ``layers`` say."""
    # Base files are numbered like columns; 0 is the first base even where no system has run.
    files = max(len(corpus.entries), 1)
    return Manifest(
        corpus.task, corpus.profile, corpus.reading, corpus.scoring, corpus.gold, corpus.entries,
        units, files, layers=layers, grid=grid,
    )  # fmt: skip


def hashed(entry: Entry) -> Entry:
    """Return an entry whose origin has the hash of its file, if the file is still there."""
    path = Path(entry.origin.path)
    if entry.origin.sha256 or not path.is_file():
        return entry
    # Imported now: opening a store needs no readers.
    from coleval.loading.sources import sha256_of

    digest = sha256_of(path)
    return replace(entry, origin=replace(entry.origin, sha256=digest))


def unchanged(origin: Origin) -> bool:
    """Tell whether a file is still as it was: by size and time, else by its hash."""
    path = Path(origin.path)
    if not path.is_file() or not origin.size:
        return False
    state = path.stat()
    if (state.st_size, state.st_mtime_ns) == (origin.size, origin.mtime_ns):
        return True
    same = hashed(Entry("", Origin(origin.path)))
    return state.st_size == origin.size and same.origin.sha256 == origin.sha256


def _manifest(path: Path, data: Mapping[str, Any]) -> Manifest:
    try:
        reading = _reading(data["reading"]).checked()
        scoring = Scoring(**{k: _tuple(v) for k, v in data["scoring"].items()}).checked()
    except ColevalError as error:
        raise damaged(path, error.problem) from None
    return Manifest(
        data["task"],
        data["profile"],
        reading,
        scoring,
        entry_of(data["gold"]),
        tuple(entry_of(entry) for entry in data["systems"]),
        {name: _unit(unit) for name, unit in data["units"].items()},
        data["files"],
        data["coleval"],
        {name: _unit(unit) for name, unit in data.get("layers", {}).items()},
        StoredGrid(**data["grid"]) if "grid" in data else None,
    )


def _reading(data: Mapping[str, Any]) -> Reading:
    given = {k: _tuple(v) for k, v in data.items()}
    columns = data["columns"]
    given["columns"] = Selection(columns["picks"], tuple(columns["systems"]))
    return Reading(**given)


def entry_of(data: Mapping[str, Any]) -> Entry:
    """Return what was stored of gold or a system."""
    notes = tuple(Problem(**note) for note in data["notes"])
    absent = data.get("absent")
    return Entry(
        data["name"], Origin(**data["origin"]), data["repairs"], notes,
        None if absent is None else Problem(**absent),
        _tuple(data.get("overlap")),
        tuple((status, n) for status, n in data.get("places", ())),
        data.get("answers", ""),
    )  # fmt: skip


def _unit(data: Mapping[str, Any]) -> Unit:
    parts = tuple((file, n) for file, n in data["parts"])
    own = {"labels": tuple(data["labels"]), "parts": parts, "empty_is_answer": data[_STORED_NAME]}
    own["sums"] = {file: (size, value) for file, (size, value) in data.get("sums", {}).items()}
    return Unit(**{k: v for k, v in data.items() if k != _STORED_NAME} | own)


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
