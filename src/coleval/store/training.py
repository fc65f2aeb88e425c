"""Training data in a store: what was counted of them, in a folder of Parquet beside the units."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.corpus.lazy import LazyMapping
from coleval.corpus.training import TABLES, Training
from coleval.errors import DataError
from coleval.store.columns import write_parts
from coleval.store.json_files import check, read_json, sum_of, write_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FOLDER = "training"
_FILE = "training.json"


def store_training(store: Path, training: Training) -> None:
    """Write the tables of some training data."""
    folder = store / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name in TABLES:
        write_parts(folder / f"{name}.parquet", [training.tables[name].to_arrow()])
    files = [f"{name}.parquet" for name in TABLES]
    origin = {
        "path": training.path,
        "sha256": training.sha256,
        "sums": {file: sum_of(folder / file) for file in files},
    }
    write_json(folder, origin, _FILE, indent=None)


def stored_training(store: Path) -> Training | None:
    """Return the training data of a store, None if it has none; tables are read when needed."""
    folder = store / FOLDER
    if not (folder / _FILE).is_file():
        return None
    from coleval.store.schema import check_training

    origin = read_json(folder / _FILE, check_training)
    tables = LazyMapping({n: partial(_read, folder, f"{n}.parquet", origin) for n in TABLES})
    return Training(origin["path"], origin["sha256"], tables)


def _read(folder: Path, file: str, origin: Mapping[str, Any]) -> pl.DataFrame:
    path = folder / file
    sums = {name: (size, value) for name, (size, value) in origin.get("sums", {}).items()}
    check(folder, sums, [file])
    try:
        return pl.read_parquet(path)
    except (FileNotFoundError, pl.exceptions.PolarsError) as error:
        raise DataError(
            f"cannot be read ({str(error).splitlines()[0]})",
            where=str(path),
            remedy="load the store again with --fresh",
        ) from None
