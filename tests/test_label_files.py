"""Columns of labels whose Parquet is made here: any program reads what was written."""

from __future__ import annotations

from random import Random

import duckdb
import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest

from coleval.store.label_files import write_labels

NAMES = ("a", 'b "q"', "Ünï", "gold")


def labels_of(number: int) -> list[str]:
    return [f"B-{k}" if k % 3 else f"é\n{k},\t" for k in range(number)]


def written(path, codes, labels, groups):
    schema = pl.DataFrame(schema=dict.fromkeys(codes, pl.Enum(labels))).to_arrow().schema
    write_labels(path, codes, schema, labels, groups)
    texts = np.array([None, *labels], dtype=object)
    return {name: texts[own].tolist() for name, own in codes.items()}


def case(random: Random):
    number = random.choice([1, 2, 25, 255, 256, 257, 3000])
    rows = random.choice([0, 1, 7, 8, 9, 64, 1000])
    share = random.choice([0, 0.1, 0.9, 1])
    kind = np.uint8 if number < 256 else np.uint16
    codes = {
        name: np.array(
            [random.randint(1, number) if random.random() < share else 0 for _ in range(rows)], kind
        )
        for name in NAMES[: random.randint(1, 4)]
    }
    inner = {random.randint(0, rows) for _ in range(random.randint(0, 3))}
    return codes, labels_of(number), sorted({0, rows, *inner}) if rows else [0, 0]


@pytest.mark.parametrize("seed", range(25))
def test_polars_arrow_and_duckdb_read_what_was_written(tmp_path, seed):
    codes, labels, groups = case(Random(seed))
    path = tmp_path / "x" / "labels.parquet"
    wanted = written(path, codes, labels, groups)
    frame = pl.read_parquet(path)
    assert dict(frame.schema) == dict.fromkeys(codes, pl.Enum(labels))
    assert frame.cast(pl.String).to_dict(as_series=False) == wanted
    table = pq.read_table(path)
    assert {name: table[name].to_pylist() for name in codes} == wanted
    with duckdb.connect() as con:
        found = con.sql(f"from read_parquet('{path}')")
        assert {*map(str, found.types)} == {"VARCHAR"}
        assert found.fetchall() == list(zip(*wanted.values(), strict=True))


def test_row_groups_are_those_asked_for_and_some_are_read_alone(tmp_path):
    codes = {"a": np.array([0, 1, 2, 0, 2, 1, 0], np.uint8)}
    wanted = written(tmp_path / "a.parquet", codes, ["x", "y"], [0, 3, 4, 7])["a"]
    file = pq.ParquetFile(tmp_path / "a.parquet")
    sizes = [file.metadata.row_group(k).num_rows for k in range(file.num_row_groups)]
    assert sizes == [3, 1, 3]
    assert file.read_row_group(2)["a"].to_pylist() == wanted[4:]
    some = pl.scan_parquet(tmp_path / "a.parquet").slice(2, 3).collect()["a"]
    assert some.to_list() == wanted[2:5]


def test_what_the_file_says_of_its_size_is_true(tmp_path):
    codes = {name: np.arange(5000, dtype=np.uint16) % 300 for name in NAMES}
    path = tmp_path / "a.parquet"
    written(path, codes, labels_of(300), [0, 2000, 5000])
    about = pq.read_metadata(path)
    chunks = [about.row_group(k).column(at) for k in range(2) for at in range(len(NAMES))]
    begins = [chunk.dictionary_page_offset for chunk in chunks]
    ends = [chunk.dictionary_page_offset + chunk.total_compressed_size for chunk in chunks]
    assert begins == [4, *ends[:-1]]
    assert ends[-1] + about.serialized_size + 8 == path.stat().st_size
    assert [chunk.num_values for chunk in chunks] == [2000] * 4 + [3000] * 4
