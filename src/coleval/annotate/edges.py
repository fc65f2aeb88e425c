"""Buckets as JSON, so that another run, another corpus or another year is cut in the same way."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coleval.annotate.buckets import Bucket, Buckets
from coleval.corpus.output import write_whole, written
from coleval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable

_VERSION = 1
_KINDS = ("ranges", "points", "names")


def save_edges(path: str | Path, made: Iterable[Buckets]) -> None:
    """Write the buckets of some attributes."""
    plain = {buckets.attribute: _plain(buckets) for buckets in made}
    text = json.dumps({"edges": _VERSION, "attributes": plain}, ensure_ascii=False, indent=1)
    with written(path, option="--save-edges"):
        write_whole(Path(path), f"{text}\n".encode())


def load_edges(path: str | Path) -> dict[str, Buckets]:
    """Return the buckets of a file by attribute; raise if it holds none."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        if data["edges"] != _VERSION:
            raise _unfit(path, f"has version {data['edges']}, not {_VERSION}")
        return {name: _buckets(name, part) for name, part in data["attributes"].items()}
    except FileNotFoundError:
        raise _unfit(path, "does not exist") from None
    except OSError as error:
        raise _unfit(path, f"cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _unfit(path, f"has no bucket edges ({type(error).__name__}: {error})") from None


def _unfit(path: str | Path, problem: str) -> DataError:
    return DataError(problem, where=str(path), remedy="write one with --save-edges FILE")


def _plain(buckets: Buckets) -> dict[str, Any]:
    each = [{k: _number(v) for k, v in asdict(bucket).items()} for bucket in buckets.each]
    return {"kind": buckets.kind, "narrow": buckets.narrow, "buckets": each}


def _number(value: object) -> object:
    """Return infinities as text: JSON has none."""
    return str(value) if isinstance(value, float) and math.isinf(value) else value


def _buckets(name: str, data: dict[str, Any]) -> Buckets:
    if data["kind"] not in _KINDS:
        raise ValueError(f"`{data['kind']}` is not a kind of bucket")
    return Buckets(name, tuple(map(_bucket, data["buckets"])), data["kind"], bool(data["narrow"]))


def _bucket(data: dict[str, Any]) -> Bucket:
    low, high = (None if data[k] is None else float(data[k]) for k in ("low", "high"))
    if low is not None and high is not None and not low <= high:
        raise ValueError(f"`{data['name']}` is from {low} to {high}")
    return Bucket(str(data["name"]), low, high, bool(data["closed"]))
