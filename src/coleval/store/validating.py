"""``coleval validate STORE``: every file of a store is read to its end and held against its sum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.corpus.corpus import Origin
from coleval.corpus.problems import Problem
from coleval.errors import ColevalError
from coleval.loading.validating import Checked, report_of
from coleval.store.json_files import check, files_of
from coleval.store.manifest import read_manifest
from coleval.store.placing import live
from coleval.store.reading import schema_of
from coleval.store.segments import segments_of
from coleval.store.training import FOLDER, stored_training

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from coleval.corpus.report import Report
    from coleval.store.manifest import Manifest, Unit

_REMEDY = "load the store again with --fresh"


def validate_store(path: Path, progress: Callable[[str], None]) -> Report:
    """Return what is wrong with the files of a store, and which systems it concerns."""
    store = live(path)
    folders = [(s.folder, read_manifest(store / s.folder, s.manifest)) for s in segments_of(store)]
    folders = folders or [("", read_manifest(store))]
    wrong: dict[str, list[Problem]] = {"": _of_training(store)}
    for folder, manifest in folders:
        progress(folder or path.name)
        for name, problem in _of_files(store / folder, manifest):
            wrong.setdefault(name, []).append(problem)
    origins = {entry.name: entry.origin for _, manifest in folders for entry in manifest.systems}
    checked = [
        Checked(name or "store", origin.path, tuple(wrong.get(name, ())))
        for name, origin in {"": Origin(str(path)), **origins}.items()
    ]
    return report_of(checked, folders[0][1].reading)


def _of_files(folder: Path, manifest: Manifest) -> Iterator[tuple[str, Problem]]:
    """Yield what is wrong with files, with the system of each, none for what all share."""
    for unit in (*manifest.units.values(), *manifest.layers.values()):
        for file in files_of(unit):
            if (why := _wrong(folder, unit, file)) is not None:
                of = [name for name, own in unit.columns.items() if own == file]
                problem = Problem(str(folder / file), None, "store", why, _REMEDY)
                yield of[0] if len(of) == 1 else "", problem


def _wrong(folder: Path, unit: Unit, file: str) -> str | None:
    try:
        check(folder, unit.sums, [file])
        schema_of(folder, file)
    except ColevalError as error:
        return error.problem
    return None


def _of_training(store: Path) -> list[Problem]:
    try:
        training = stored_training(store)
        for table in () if training is None else training.tables:
            training.tables[table]  # type: ignore[union-attr]
    except ColevalError as error:
        return [Problem(str(store / FOLDER), None, "store", error.problem, _REMEDY)]
    return []
