"""``corpus.json``: what a store holds, how it was read, and where every column is."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coleval.corpus.corpus import Corpus, Entry, Origin
from coleval.corpus.options import Reading, Scoring
from coleval.corpus.problems import Problem
from coleval.corpus.selection import Selection
from coleval.errors import DataError
from coleval.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FILE = "corpus.json"
# 2 has layers and options that 1 did not know; 1 is read as it was.
_VERSION, _READABLE = 2, (1, 2)
# What stores of all versions call `empty_is_answer`.
_STORED_NAME = "everything"


@dataclass(frozen=True, slots=True)
class Unit:
    """One item table: its labels, its base files with their rows, the file of each system."""

    labels: tuple[str, ...]
    empty_is_answer: bool
    group: str
    group_count: int
    parts: tuple[tuple[str, int], ...]
    columns: Mapping[str, str]

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
    try:
        text = (store / file).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise DataError(
            "is not a coleval store",
            where=str(store),
            remedy=f"make one: coleval load GOLD SYSTEM… -o {store}",
        ) from None
    except ValueError as error:
        raise _damaged(error, str(store / file)) from None
    return manifest_of(text, str(store), file)


def _damaged(error: ValueError, where: str) -> DataError:
    return DataError(f"is damaged ({error})", where=where, remedy="load it again with --fresh")


def manifest_of(text: str, store: str, file: str = FILE) -> Manifest:
    """Return the manifest that a text is; raise if it is none, or of another version."""
    try:
        data = json.loads(text)
    except ValueError as error:
        raise _damaged(error, f"{store}/{file}") from None
    if data.get("store") not in _READABLE:
        raise DataError(
            f"was written by coleval {data.get('coleval')} and cannot be read by {__version__}",
            where=store,
            remedy="load it again with --fresh",
        )
    return _manifest(data)


def write_manifest(store: Path, manifest: Manifest, file: str = FILE) -> None:
    """Put a manifest in place in one step."""
    data = {"store": _VERSION, **asdict(manifest)}
    for unit in (*data["units"].values(), *data["layers"].values()):
        unit[_STORED_NAME] = unit.pop("empty_is_answer")
    if manifest.grid is None:
        del data["grid"]
    write_json(store, data, file)


def write_json(store: Path, data: Mapping[str, Any], file: str = FILE) -> None:
    """Put some data in place in one step."""
    partial = store / f".{file}.{os.getpid()}"
    text = json.dumps(data, ensure_ascii=False, indent=1 if file == FILE else None)
    try:
        partial.write_text(text + "\n", encoding="utf-8")
        partial.replace(store / file)
    finally:
        partial.unlink(missing_ok=True)


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


def _manifest(data: Mapping[str, Any]) -> Manifest:
    return Manifest(
        data["task"],
        data["profile"],
        _reading(data["reading"]),
        Scoring(**{k: _tuple(v) for k, v in data["scoring"].items()}),
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
    )  # fmt: skip


def _unit(data: Mapping[str, Any]) -> Unit:
    parts = tuple((file, n) for file, n in data["parts"])
    own = {"labels": tuple(data["labels"]), "parts": parts, "empty_is_answer": data[_STORED_NAME]}
    return Unit(**{k: v for k, v in data.items() if k != _STORED_NAME} | own)


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
