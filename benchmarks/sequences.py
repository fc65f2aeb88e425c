"""Sequences in one Parquet file beside the same corpus as text: a file a system, and columns.

    python benchmarks/sequences.py                          # 2M tokens × 24 systems
    python benchmarks/sequences.py --tokens 20000           # does the harness still run?

Each is loaded whole. All scores of the three are compared before a time is told.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

import coleval
from generate import files
from measure import Target, corpus, in_turn, main

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from pathlib import Path


def targets(asked: argparse.Namespace) -> list[Target]:
    """Return how much longer text takes than lists of integers, and than lists of text."""
    directory = corpus(asked)
    gold, systems = files(directory)
    text = coleval.load(gold, systems, task="span")
    made = {kind: _parquet(text, directory / f"{kind}.parquet", kind) for kind in ("codes", "text")}
    columns = _columns(directory / "columns.tsv", gold, systems)
    sides = {
        "files": lambda: coleval.load(gold, systems, task="span"),
        "columns": lambda: coleval.load(columns, task="span", merged=True),
        "codes": lambda: coleval.load(made["codes"], task="span"),
        "text": lambda: coleval.load(made["text"], task="span"),
    }
    _compare(text, sides)
    seconds = in_turn(asked.rounds, sides)
    return [
        _target("text columns ÷ sequences of integers", "columns", "codes", seconds, 3),
        _target("text columns ÷ sequences of text", "columns", "text", seconds, 3),
        _target("text, a file a system ÷ sequences of integers", "files", "codes", seconds),
    ]


def _target(
    name: str, other: str, ours: str, seconds: dict[str, list[float]], bound: float | None = None
) -> Target:
    theirs, own = min(seconds[other]), min(seconds[ours])
    return Target(name, own, theirs, theirs / own, bound, at_least=True,
                  how="load(…) whole, spans decoded; all scores equal",
                  samples={k: seconds[k] for k in (ours, other)})  # fmt: skip


def _parquet(loaded: Any, path: Path, kind: str) -> Path:
    """Write gold and all systems as lists, of integers with names in the schema or of text."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    tokens = loaded.at("token")
    sentence = tokens.context["sentence"].to_numpy()
    ends = np.flatnonzero(np.diff(sentence, append=sentence[-1] + 1)) + 1
    offsets = pa.array(np.concatenate([[0], ends]).astype(np.int32))
    names = ["O", *tokens.labels]
    lists = {"tokens": pa.array(tokens.form().to_numpy(), pa.string())}
    for name, codes in {"gold": tokens.gold, **tokens.answers}.items():
        lists[name] = pa.array(codes.astype(np.int64))
        if kind == "text":
            lists[name] = pa.array(names).take(lists[name])
    label = {"feature": {"names": names, "_type": "ClassLabel"}, "_type": "List"}
    info = {"info": {"features": dict.fromkeys((n for n in lists if n != "tokens"), label)}}
    table = pa.table({n: pa.ListArray.from_arrays(offsets, v) for n, v in lists.items()})
    documents = tokens.context["document"].cast(str).to_numpy()[ends - 1]
    table = table.append_column("document", pa.array(documents))
    meta = {"huggingface": json.dumps(info)} if kind == "codes" else {}
    pq.write_table(table.replace_schema_metadata(meta), path)
    return path


def _columns(path: Path, gold: Path, systems: dict[str, Path]) -> Path:
    """Write gold and all systems side by side, as text."""
    opened = [p.open(encoding="utf-8") for p in (gold, *systems.values())]
    try:
        with path.open("w", encoding="utf-8") as out:
            out.write("\t".join(["token", "gold", *systems]) + "\n")
            out.writelines(map(_side_by_side, zip(*opened, strict=True)))
    finally:
        for file in opened:
            file.close()
    return path


def _side_by_side(lines: tuple[str, ...]) -> str:
    if "\t" not in lines[0]:
        return lines[0]
    labels = (line.rstrip("\n").rpartition("\t")[2] for line in lines[1:])
    return "\t".join([lines[0].rstrip("\n"), *labels]) + "\n"


def _compare(text: Any, sides: dict[str, Callable[[], Any]]) -> None:
    """Leave if a table of scores is not that of the text."""
    expected = text.score()
    for name, side in sides.items():
        found = side().score()
        for table in ("overall", "labels"):
            if not found.table(table).equals(expected.table(table)):
                sys.exit(f"benchmarks: {name} has other scores than the text")


if __name__ == "__main__":
    main(__doc__, targets)
