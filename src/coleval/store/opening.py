"""Opening a store: its columns back as codes, in the order of the text."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus import Corpus
from coleval.errors import DataError
from coleval.items import Items, Later
from coleval.store.columns import codes_of
from coleval.store.manifest import Manifest, Unit, read_manifest
from coleval.store.training import stored_training
from coleval.tasks.coref import CHAINS, coref_units

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.coding import Codes

_ORDER = ("document", "sentence", "start", "end", "tokens", "instance", "label")


def open_store(path: str | Path) -> Corpus:
    """Return the corpus of a store; its columns are read when they are asked for."""
    store = Path(path)
    return corpus_of(store, read_manifest(store))


def corpus_of(store: Path, manifest: Manifest) -> Corpus:
    """Return the corpus that a manifest describes."""
    units = Later({n: partial(read_unit, store, n, unit) for n, unit in manifest.units.items()})
    return Corpus(
        manifest.task,
        manifest.reading,
        manifest.gold,
        manifest.systems,
        coref_units(lambda: units[CHAINS]) if manifest.task == "coref" else units,
        manifest.scoring,
        manifest.profile,
        stored_training(store),
    )


def read_unit(store: Path, name: str, unit: Unit) -> Items:
    """Return the items of a unit; those that came with later systems are sorted in."""
    files = [*(file for file, _ in unit.parts), *unit.columns.values()]
    frames = _frames(store, files)
    parts = frames[: len(unit.parts)]
    context = pl.concat([part.drop("gold") for part in parts]) if len(parts) > 1 else parts[0]
    answers = dict(zip(unit.columns, frames[len(unit.parts) :], strict=True))
    codes = {n: codes_of(f.to_series(), unit.labels, unit.rows) for n, f in answers.items()}
    golds = [codes_of(part["gold"], unit.labels, len(part)) for part in parts]
    gold = np.concatenate(golds) if len(golds) > 1 else golds[0]
    items = Items(
        name, context.drop("gold", strict=False), unit.labels, gold, codes,
        everything=unit.everything, group=unit.group, group_count=unit.group_count,
    )  # fmt: skip
    return _sorted(items) if len(unit.parts) > 1 else items


def _frames(store: Path, files: list[str]) -> list[pl.DataFrame]:
    try:
        return pl.collect_all([pl.scan_parquet(store / file) for file in files])
    except (FileNotFoundError, pl.exceptions.PolarsError) as error:
        gone = next((file for file in files if not (store / file).is_file()), None)
        raise DataError(
            f"`{gone}` is missing" if gone else f"is damaged ({str(error).splitlines()[0]})",
            where=str(store),
            remedy="load it again with --fresh",
        ) from None


def _sorted(items: Items) -> Items:
    """Return the items in the order of the text, without those that nobody answers any more."""
    there = _there(items.gold, list(items.answers.values()))
    kept = items.where(there)
    order = kept.context.select(
        pl.arg_sort_by(*(c for c in _ORDER if c in items.context.columns))
    ).to_series()
    whole = kept.where(order.to_numpy().astype(np.intp))
    return Items(
        whole.unit, whole.context, whole.labels, whole.gold, whole.answers,
        everything=whole.everything, group=whole.group, group_count=items.group_count,
    )  # fmt: skip


def _there(gold: Codes, answers: list[Codes]) -> NDArray[np.bool_]:
    there = gold != 0
    for codes in answers:
        there |= codes != 0
    return there
