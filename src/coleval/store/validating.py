"""``coleval validate STORE``: every file of a store is read to its end and held against its sum."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.corpus.problems import Problem
from coleval.errors import ColevalError
from coleval.loading.checking import Checked
from coleval.loading.templates import Place
from coleval.loading.validating import report_of
from coleval.store.files import OpenStore
from coleval.store.manifest import read_manifest
from coleval.store.tables import schema_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from coleval.corpus.report import Report
    from coleval.store.manifest import StoredFile

_REMEDY = "load the store again with --fresh"


def validate_store(path: Path, progress: Callable[[str], None]) -> Report:
    """Return what is wrong with the files of a store; all of its systems share them."""
    progress(path.name)
    store, manifest = OpenStore(path), read_manifest(path)
    problems = [
        Problem(str(path / name), None, "store", why, _REMEDY)
        for name, file in manifest.files.items()
        if (why := _wrong(store, file)) is not None
    ]
    systems = [Checked(entry.name, entry.origin.path, ()) for entry in manifest.systems]
    checked = [Checked("store", str(path), tuple(problems)), *systems]
    return report_of([(Place(), one) for one in checked], manifest.reading)


def _wrong(store: OpenStore, file: StoredFile) -> str | None:
    try:
        (path,) = store.checked([file])
        schema_of(path)
    except ColevalError as error:
        return error.problem
    except pl.exceptions.PolarsError as error:
        return f"is damaged ({str(error).splitlines()[0]})"
    return None
