"""What is written of a store at the same time is what would be written one after the other."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest

import coleval
from coleval.cli.main import main
from coleval.demo import generate, write


@pytest.fixture(params=["span", "tag", "dep"])
def task(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch) -> list[str]:
    """The files of a made-up task in the current directory, one of a system with an odd name."""
    monkeypatch.chdir(tmp_path)
    paths = write(generate(tokens=600, systems=3, task=request.param), tmp_path)
    files = [path.name for path in paths]
    suffix = Path(files[-1]).suffix
    odd = Path(f'o"d [d]*{suffix}')
    odd.write_bytes(Path(files[-1]).read_bytes())
    gold = next(name for name in files if name.startswith("gold"))
    return [gold, *(name for name in files if name != gold), odd.name, "--task", request.param]


def test_files_hashed_while_they_are_read_have_their_own_hashes(task):
    assert main(["load", *task, "-o", "store", "--quiet"]) == 0
    said = json.loads(Path("store/corpus.json").read_text(encoding="utf-8"))
    for entry in (said["gold"], *said["systems"]):
        origin = entry["origin"]
        assert origin["sha256"] == sha256(Path("store", origin["path"]).read_bytes()).hexdigest()
    gold, *systems = task[: task.index("--task")]
    coleval.load(gold, systems, task=task[-1]).save("other")
    other = json.loads(Path("other/corpus.json").read_text(encoding="utf-8"))
    for one in (said, other):
        del one["sum"], one["run"]
    assert other == said


def test_row_groups_say_where_their_items_are_and_nothing_of_labels_and_names(task):
    assert main(["load", *task, "-o", "store", "--quiet"]) == 0
    known = {path.parent.name: known_of(path) for path in Path("store/item").rglob("*.parquet")}
    for unit, (found, schema) in known.items():
        assert found == {n for n, kind in schema.items() if kind.is_numeric()}, unit
        assert "item_id" in found
    assert all({"sentence"} <= known[unit][0] for unit in ("token", "word") if unit in known)


def known_of(table: Path) -> tuple[set[str], dict[str, pl.DataType]]:
    """Return the columns of which row groups say the least and the largest value, and all."""
    group = pq.read_metadata(table).row_group(0)
    columns = [group.column(k) for k in range(group.num_columns)]
    found = {column.path_in_schema for column in columns if column.statistics is not None}
    return found, dict(pl.read_parquet_schema(table))
