"""What a number says that it counts is counted again: as many items, for every table and task."""

from __future__ import annotations

import random
from itertools import chain
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import coleval
from coleval.analyses.registry import ANALYSES
from coleval.cli.main import main
from coleval.demo import generate, write
from coleval.query.database import Database
from coleval.query.expressions import items_holding
from coleval.query.quoting import filled
from coleval.render.figures import plots
from coleval.render.sheet import PAGE, Sheet
from coleval.render.views import declared, views
from grids import made

if TYPE_CHECKING:
    from pathlib import Path

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report

HOSTILE = '<script>"x"\'s {label}'
SYSTEMS = ["A", "b", "B", HOSTILE]
LABELS = ["PER", "LOC", "it's {n}"]
METHODS = {
    "score": "score", "bins": "bins", "confusion": "confusion", "changes": "changes",
    "oracle": "oracle", "items": "item_statistics", "errors": "errors",
}  # fmt: skip
FEWEST = {"tag": 22, "span": 30, "label": 22}


def random_corpus(task: str, folder: Path, seed: int) -> Corpus:
    """Return a small task with four systems, one with a hostile name, two alike but for case."""
    draw = random.Random(seed)
    values = LABELS if task == "label" else ["O"] * 4 + [f"{b}-{x}" for b in "BI" for x in LABELS]
    gold = [draw.choice(values) for _ in range(84)]
    answers = {
        name: [draw.choice(values) if draw.random() < 0.2 + 0.1 * k else tag for tag in gold]
        for k, name in enumerate(SYSTEMS)
    }
    if task == "label":
        # Of some instances a system says nothing.
        answers["A"][:3] = [None] * 3
        frame = pl.DataFrame({"id": [f"q{k}" for k in range(84)], "gold": gold, **answers})
        frame.write_csv(folder / "all.csv")
        return coleval.load(folder / "all.csv", columns={"id": "id", "gold": "gold"})
    for name, tags in {"gold": gold, **answers}.items():
        lines = [f"w{k}\t{tag}" + "\n" * (k % 7 == 6) for k, tag in enumerate(tags)]
        place = SYSTEMS.index(name) if name in SYSTEMS else "gold"
        (folder / f"{place}.conll").write_text("\n".join(lines) + "\n")
    files = {name: str(folder / f"{k}.conll") for k, name in enumerate(SYSTEMS)}
    return coleval.load(str(folder / "gold.conll"), files, task=task)


def miscounted(report: Report) -> tuple[list[Any], set[tuple[str, str, str]]]:
    """Return the numbers that count other items than they say, and the columns that say it."""
    items = report.items
    assert items is not None
    wide = items._wide
    wrong, seen = [], set()
    database = Database({"item": wide})
    for name in report.tables:
        frame = report.table(name)
        command, _, own = name.rpartition(".")
        table = declared(command or report.command, own, frame)
        numbers: list[tuple[str, int, str]] = [
            (f"{plot.title}: {mark.name}", int(mark.value), items.condition(mark.counts))
            for plot in plots(report, name)
            for mark in plot.marks
            if mark.counts and mark.value and plot.figure.value.kind == "count"
        ]
        drawn = len(numbers)
        shown = [
            (f"{name}: {cell.text}", int(cell.text.replace(",", "")), items.condition(cell.counts))
            for view in views(report, name, PAGE)
            if isinstance(view, Sheet)
            for cell in chain(*view.rows)
            if cell.counts and cell.text.replace(",", "").isdigit()
        ]
        numbers += shown
        numbers += [
            (column, row[column], filled(number.condition, number.row, wide.columns))
            for row in frame.iter_rows(named=True)
            for column in table.counts
            if (number := table.counted(column, row)) and isinstance(row[column], int)
        ]
        if not numbers:
            continue
        told = numbers[drawn + len(shown) :]
        seen |= {(command or report.command, own, column) for column, _, _ in told}
        seen |= {(command or report.command, own, "chart")} if drawn else set()
        seen |= {(command or report.command, own, "cells")} if shown else set()
        # One condition by the door that users take, all of them in one query.
        _, n, condition = numbers[0]
        assert len(items_holding(wide, condition)) == n
        sums = ", ".join(f"count(*) filter ({c}) as n{k}" for k, (*_, c) in enumerate(numbers))
        counts = database.frame(f"select {sums} from item").row(0)
        wrong += [(name, *one, n) for one, n in zip(numbers, counts, strict=True) if one[1] != n]
    return wrong, seen


@pytest.mark.parametrize("task", ["tag", "span", "label"])
def test_every_number_counts_the_items_it_says(task: str, tmp_path: Path) -> None:
    corpus = random_corpus(task, tmp_path, seed=1)
    every: set[tuple[str, str, str]] = set()
    for name, method in METHODS.items():
        if name == "errors" and task != "span":
            continue
        wrong, seen = miscounted(getattr(corpus, method)())
        assert wrong == []
        every |= seen
    assert len(every) >= FEWEST[task]
    named = [("changes", "summary"), ("confusion", "confusion"), ("bins", "tps")]
    assert {(*name, "cells") for name in named} <= every


@pytest.mark.parametrize(
    "options",
    [{"labels": ["PER"]}, {"exclude": ["LOC"]}, {"where": "gold = 'PER' or difficulty = 1"},
     {"systems": ["b", "B"]}],
    ids=["labels", "exclude", "where", "systems"],
)  # fmt: skip
@pytest.mark.parametrize("task", ["tag", "span"])
def test_they_do_so_whatever_is_counted(task: str, options: dict[str, Any], tmp_path: Path) -> None:
    if task == "tag":
        options = {
            k: [f"B-{v[0]}"] if k in ("labels", "exclude") else v for k, v in options.items()
        }
    corpus = random_corpus(task, tmp_path, seed=2).with_options(**options)
    for method in ("score", "bins", "confusion", "changes"):
        wrong, seen = miscounted(getattr(corpus, method)())
        assert wrong == []
        assert seen


def test_instances_without_an_answer_are_missed_or_lead_nowhere(tmp_path: Path) -> None:
    gold = {"id": [f"q{k}" for k in range(30)], "gold": ["x", "y", "z"] * 10}
    pl.DataFrame(gold).write_csv(tmp_path / "gold.tsv", separator="\t")
    files = {}
    for k, name in enumerate(SYSTEMS):
        own = pl.DataFrame({"id": gold["id"], "answer": ["x", "y"] * 15}).slice(k, 28 - k)
        own.write_csv(tmp_path / f"{k}.tsv", separator="\t")
        files[name] = str(tmp_path / f"{k}.tsv")
    corpus = coleval.load(str(tmp_path / "gold.tsv"), files, task="label")
    for method in ("score", "bins", "confusion"):
        wrong, seen = miscounted(getattr(corpus.with_options(missing="wrong"), method)())
        assert wrong == []
        assert seen
    assert corpus.score(missing="leave-out").items is None


def test_every_analysis_that_declares_what_it_counts_is_tested() -> None:
    declaring = {name for name, one in ANALYSES.items() if any(t.counts for t in one.tables)}
    assert declaring == set(METHODS)


def test_what_is_no_count_of_these_items_leads_nowhere(tmp_path: Path) -> None:
    corpus = random_corpus("span", tmp_path, seed=3)
    assert corpus.score().items is not None
    assert corpus.errors(taxonomy="nervaluate").items is None


@pytest.mark.parametrize("task", ["tag", "span"])
def test_of_several_datasets_they_count_where_all_systems_have_run(
    task: str, tmp_path: Path
) -> None:
    gold, systems = made(random.Random(7), task, missing=0).write(tmp_path / "all")
    corpus = coleval.load(gold, systems)
    for method in ("score", "bins", "confusion", "changes", "oracle"):
        wrong, seen = miscounted(getattr(corpus, method)())
        assert wrong == []
        assert seen
    gold, systems = made(random.Random(7), task, missing=0.4).write(tmp_path / "some")
    for missing in ("leave-out", "wrong"):
        assert coleval.load(gold, systems).score(missing=missing).items is None


@pytest.mark.parametrize("systems", [2, 4])
def test_a_label_that_is_called_as_no_label_is_misleads_nowhere(
    systems: int, tmp_path: Path
) -> None:
    draw = random.Random(5)
    answers = {name: [draw.choice(["_", "x", None]) for _ in range(40)] for name in SYSTEMS}
    columns = {"gold": ["_", "x"] * 20} | dict(list(answers.items())[:systems])
    frame = pl.DataFrame({"id": [f"q{k}" for k in range(40)], **columns})
    frame.write_csv(tmp_path / "all.csv")
    corpus = coleval.load(tmp_path / "all.csv", columns={"id": "id", "gold": "gold"})
    wrong, seen = miscounted(corpus.confusion())
    assert wrong == []
    assert seen


@pytest.mark.parametrize(
    ("argv", "has_items"),
    [
        (["report", "--replicates", "50"], True),
        (["report", "--replicates", "50", "--no-items"], False),
        # A leaderboard is for others to see, and gold is not.
        (["score"], False),
        (["confusion"], True),
        (["confusion", "--no-items"], False),
    ],
)
def test_gold_is_in_a_page_only_where_it_may_be(
    argv: list[str], has_items: bool, tmp_path: Path
) -> None:
    gold, *systems = write(generate(tokens=600, systems=3, seed=2), tmp_path)
    command, *options = argv
    page = tmp_path / "page.html"
    sources = [str(gold), *map(str, systems)]
    assert main([command, *sources, *options, "-o", str(page), "--quiet"]) == 0
    assert ("data-items=" in page.read_text(encoding="utf-8")) is has_items
