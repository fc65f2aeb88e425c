"""``report`` over several datasets: the grid first, then chapters with their range over them."""

from __future__ import annotations

import random
import re

import pytest

import coleval

NAMES = ("an", "be", "cy", "do", "el", "fi", "go", "hi", "odd")


def text(rows) -> str:
    return "\n\n".join("\n".join(f"w{k}\t{t}" for k, t in enumerate(row)) for row in rows) + "\n"


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    """Return a task of nine datasets, of which one is much harder and one lacks a run."""
    folder, rng = tmp_path_factory.mktemp("task"), random.Random(4)
    for name in NAMES:
        (folder / name).mkdir()
        gold = [[rng.choice("AB") for _ in range(6)] for _ in range(12)]
        (folder / name / "gold.tsv").write_text(text(gold))
        for system, good in (("best", 0.9), ("second", 0.8), ("third", 0.7)):
            keep = 0.05 if name == "odd" else good
            if (system, name) == ("third", "go"):
                continue
            other = {"A": "B", "B": "A"}
            rows = [[t if rng.random() < keep else other[t] for t in row] for row in gold]
            (folder / name / f"{system}.run").write_text(text(rows))
    return coleval.load(str(folder / "{dataset}/gold.tsv"), str(folder / "{dataset}/{system}.run"),
                        task="tag", missing="wrong")  # fmt: skip


@pytest.fixture(scope="module")
def report(task):
    return task.report(replicates=100)


def findings(report) -> dict[str, str]:
    frame = report["story"]
    return dict(zip(frame["chapter"], frame["finding"], strict=True))


def test_the_grid_comes_first(report):
    assert list(report)[:4] == ["story", "score.ranking", "score.by", "score.overall"]
    assert report["score.by"]["by"].n_unique() == len(NAMES)


def test_the_first_finding_ranks_by_the_mean_and_names_who_is_first_where(report, task):
    said = findings(report)["score"]
    ranking = task.score(by="dataset")["ranking"]
    assert f"best ranks first with a mean accuracy of {100 * ranking['macro'][0]:.2f}" in said
    assert "over 9 datasets" in said
    assert f"all items together: {100 * ranking['pooled'][0]:.2f}" in said
    for system, names in ranking.select("system", "best_in").drop_nulls().iter_rows():
        assert f"{system} in {len(names.split(', '))} (" in said
    assert "Not run on some datasets: third 1." in said


def test_the_comparison_is_of_means_over_datasets(report, task):
    assert "accuracy (mean over dataset)" in findings(report)["compare"]
    ranks = report["compare.ranks"]
    ranking = task.score(by="dataset")["ranking"]
    macro = dict(ranking.select("system", "macro").iter_rows())
    assert dict(ranks.select("system", "value").iter_rows()) == pytest.approx(macro)


def test_ranges_are_those_of_the_datasets_and_the_odd_one_is_named(report, task):
    said = findings(report)["bins"]
    shares = {}
    for name in NAMES:
        bins = task.with_options(where=f"dataset = '{name}'").bins()["bins"]
        shares[name] = bins["items"][0] / bins["items"].sum()
    low, high = min(shares, key=shares.get), max(shares, key=shares.get)
    found = re.search(r"goes from ([\d.]+) % \((\w+)\) to ([\d.]+) % \((\w+)\)", said)
    assert found
    assert float(found[1]) == pytest.approx(100 * shares[low], abs=0.06)
    assert found[4] == high == "odd"
    assert float(found[3]) == pytest.approx(100 * shares[high], abs=0.06)
    assert "unlike the rest: odd." in said


def test_groups_that_a_filter_leaves_empty_are_not_there(task):
    two = task.with_options(where="dataset in ('an', 'odd')")
    report = two.report(replicates=20)
    assert set(report["score.by"]["by"]) == {"an", "odd"}
    assert set(report["score.ranking"]["groups"]) == {2}


def test_any_column_groups_a_report(task):
    report = task.report(by="sentence % 2", replicates=20)
    assert set(report["score.by"]["by"]) == {"0", "1"}
    assert "over 2 groups" in findings(report)["score"]
