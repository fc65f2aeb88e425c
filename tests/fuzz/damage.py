"""Stores that were damaged: an error that says where, or the same numbers as before."""

from __future__ import annotations

import json
import shutil
from functools import cache
from typing import TYPE_CHECKING, Any
from zlib import crc32

import coleval
from coleval.errors import ColevalError
from coleval.store.validating import validate_store
from fuzz.killing import LOADS, said_by, stage
from fuzz.model import Harness
from fuzz.mutations import VALUES, mutated

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

_SUM = b'"sum"'
# Stores as loads leave them: of one gold, of a whole task, with training data, grown.
_KINDS = ("replacing", "new dataset", "fresh", "changed run")


def _answers(store: Path, memory: str | None, engine: str) -> Any:
    corpus = coleval.open(store, memory=memory).with_options(engine=engine, missing="wrong")
    corpus = corpus.chosen(sorted(corpus.systems))
    tables = (corpus.score(), corpus.confusion(), corpus.score(unit="token"), corpus.bins())
    return [table.rows() for report in tables for table in report.tables.values()]


@cache
def _expected(name: str) -> Any:
    return _answers(stage(name).folder / "st", None, "kernels")


def _files(store: Path) -> list[Path]:
    return sorted(path for path in store.rglob("*") if path.suffix in (".json", ".parquet"))


def _bytes(random: Random, store: Path) -> None:
    """Change a file: a bit, its end, some bytes, all of it."""
    path = random.choice(_files(store))
    data, kind = path.read_bytes(), random.randrange(5)
    at = random.randrange(len(data))
    if kind == 0:
        data = data[:at] + bytes([data[at] ^ (1 << random.randrange(8))]) + data[at + 1 :]
    elif kind == 1:
        data = data[:at]
    elif kind == 2:
        data = data[:at] + random.randbytes(random.randint(1, 40)) + data[at + 20 :]
    elif kind == 3:
        data = random.choice((b"", b"\0" * len(data), b"PAR1", data * 2))
    else:
        path.unlink()
        return
    path.write_bytes(data)


def _swapped(random: Random, store: Path) -> None:
    """Put one file in place of another, as a copy that went wrong would."""
    kind = random.choice((".parquet", ".parquet", ".json"))
    one, other = random.choices([path for path in _files(store) if path.suffix == kind], k=2)
    one.write_bytes(other.read_bytes())


def _damaged(random: Random, folder: Path) -> None:
    name = random.choice(_KINDS)
    store = folder / "st"
    shutil.copytree(stage(name).folder / "st", store)
    random.choice((_bytes, _bytes, _swapped))(random, store)
    memory, engine = random.choice((None, "8GB")), random.choice(("kernels", "sql"))
    try:
        found = _answers(store, memory, engine)
    except ColevalError as error:
        _check_place(error, store)
        return
    assert found == _expected(name), "believed though it is damaged"


def _check_place(error: ColevalError, store: Path) -> None:
    assert str(store) in str(error), f"an error without a place: {error}"
    assert error.remedy, f"an error without a remedy: {error}"


def _manifest(random: Random, folder: Path) -> None:
    """Change what a store says of itself, as a hand would that knows of checksums."""
    name = random.choice(_KINDS)
    store = folder / "st"
    shutil.copytree(stage(name).folder / "st", store)
    path = random.choice([path for path in _files(store) if path.suffix == ".json"])
    raw = path.read_bytes()
    data = json.loads(raw)
    del data["sum"]
    if random.random() < 0.3:
        path.write_bytes(mutated(random, json.dumps(data).encode()))
    else:
        _put(random, data)
        head = f"{json.dumps(data)[:-1]}, ".encode()
        path.write_bytes(head + _SUM + b": %d}" % crc32(head))
    try:
        said_by(store)
        validate_store(store, lambda _: None)
    except ColevalError as error:
        assert error.problem, "an error that says nothing"  # noqa: PT017


def _put(random: Random, data: Any) -> None:
    """Put another value somewhere in some JSON, take one out, or double it."""
    places = [(data, key) for key in data]
    for place, key in places:
        below = place[key]
        keys = below if isinstance(below, dict) else range(len(below) if type(below) is list else 0)
        places += [(below, one) for one in keys]
    place, key = random.choice(places)
    kind = random.random()
    if kind < 0.7:
        place[key] = random.choice(VALUES)
    elif kind < 0.85:
        del place[key]
    elif isinstance(place, list):
        place.append(place[key])
    else:
        place[random.choice(("x", "", "a", "count"))] = place[key]


HARNESSES = (
    Harness("damage", "stores with a file that was changed, swapped or lost", _damaged, in_ci=25,
            seconds=60),
    Harness("manifest", "stores that say something else of themselves", _manifest, in_ci=25,
            seconds=60),
)  # fmt: skip
assert set(_KINDS) <= set(LOADS)
