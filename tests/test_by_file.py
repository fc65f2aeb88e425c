"""A filter by dataset or part alone reads no other files, and gives what filtering items gives."""

from __future__ import annotations

from random import Random

import pytest
from polars.testing import assert_frame_equal

import coleval
from coleval.analyses.by_file import of_files_named
from coleval.errors import DataError
from coleval.store import opening as store_opening
from conftest import sampled
from grids import made

CONDITIONS = ["dataset = 'd0'", "dataset in ('d0', 'd1') and not (part = 'p0')", "part like 'p0%'"]
COMMANDS = [
    ("score", {}), ("changes", {}), ("oracle", {}), ("agree", {}), ("confusion", {}),
]  # fmt: skip


@pytest.fixture(scope="module", params=["span", "tag", "dep"])
def task(request, tmp_path_factory) -> tuple[coleval.Corpus, str]:
    """Return a task as it was read, and the store of it."""
    folder = tmp_path_factory.mktemp("task")
    whole = made(Random(11), request.param)
    corpus = coleval.load(*whole.write(folder), task=request.param)
    corpus.save(folder / "store")
    return corpus, str(folder / "store")


@pytest.mark.parametrize("opened", [False, True], ids=["files", "store"])
@pytest.mark.parametrize("where", CONDITIONS)
@pytest.mark.parametrize(("command", "options"), sampled(COMMANDS, 2))
def test_files_alone_have_the_numbers_of_their_items(task, opened, command, options, where):
    corpus = coleval.open(task[1]) if opened else task[0]
    apart = getattr(corpus, command)(where=where, missing="wrong", **options)
    # The number of an item is nothing that a file has.
    items = f"({where}) and item >= 0"
    whole = getattr(corpus, command)(where=items, missing="wrong", **options)
    for name, table in whole.tables.items():
        # How much was run is said of what is looked at.
        if name != "status":
            sides = (t.drop("coverage", strict=False) for t in (apart.tables[name], table))
            assert_frame_equal(*sides, check_exact=False, rel_tol=1e-12)


def test_a_run_that_is_missing_elsewhere_is_not_missed(task):
    corpus = task[0]
    name, cell = next(iter(corpus.grid.missing(corpus.systems)))
    there = next(c for c in corpus.grid.cells if name in c.entries)
    with pytest.raises(DataError, match="missing"):
        corpus.score(systems=[name])
    place = f"dataset = '{there.dataset}' and part = '{there.part}'"
    assert len(corpus.score(systems=[name], where=place)["overall"])
    with pytest.raises(DataError, match="missing"):
        corpus.score(systems=[name], where=f"{place} or part = '{cell.part}'")


def test_filters_of_files_choose_files(task):
    asked = task[0].scored_by({"where": CONDITIONS[0]})
    found = of_files_named(asked)
    assert {cell.dataset for cell in found.grid.cells} == {"d0"}
    assert 0 < len(found.at()) < len(asked.at())


@pytest.mark.parametrize(
    "where",
    ["dataset = 'd0' and difficulty > 0", "random() < 2", "dataset = 'nowhere'", "true",
     "sentence = 0", "dataset = ", "(select true)", "datasets = 'd0'", "dataset = 'd0' -- and"],
)  # fmt: skip
def test_other_filters_are_of_items(task, where):
    asked = task[0].scored_by({"where": where})
    assert of_files_named(asked) is asked


def test_only_rows_of_the_dataset_are_read_from_a_store(task, monkeypatch):
    read, own = [], store_opening.local_reader

    def reader(store, files, columns, low=0, rows=None):
        read.extend(file.path for file in files)
        return own(store, files, columns, low, rows)

    monkeypatch.setattr(store_opening, "local_reader", reader)
    coleval.open(task[1]).score(where="dataset = 'd0'", missing="wrong")
    assert read
    assert all("-d0" in path for path in read)
