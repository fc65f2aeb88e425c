"""``buckets --over``: means and tests over groups, each broken down as if it were alone."""

from __future__ import annotations

import random
from statistics import mean, stdev

import polars as pl
import pytest

import coleval
from coleval.cli.main import main
from coleval.errors import UsageError
from conftest import seeds

WORDS = ("a", "B", "cc", "Dd", "e")


def text(rng: random.Random, sentences: int, keep: float | None = None, gold=None):
    rows = []
    for at in range(sentences):
        row = []
        size = len(gold[at]) if gold else rng.randint(4, 9)
        tag = "O"
        for k in range(size):
            if gold and rng.random() < (keep or 0):
                tag = gold[at][k]
            else:
                tag = rng.choice(("O", "O", "B-X", "B-Y", f"I{tag[1:]}" if tag != "O" else "B-X"))
            row.append(tag)
        rows.append(row)
    return rows


def written(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ["\n".join(f"{WORDS[k % 5]}\t{t}" for k, t in enumerate(row)) for row in rows]
    path.write_text("\n\n".join(lines) + "\n")


def grid(folder, seed: int, datasets: int = 7, systems: int = 2):
    rng = random.Random(seed)
    for d in range(datasets):
        gold = text(rng, rng.randint(6, 14))
        written(folder / f"d{d}" / "gold.conll", gold)
        written(folder / f"d{d}" / "train.conll", text(rng, 8))
        for s in range(systems):
            written(folder / f"d{d}" / f"s{s}.run", text(rng, len(gold), 0.3 + 0.5 * s, gold))
    return str(folder / "{dataset}" / "gold.conll"), str(folder / "{dataset}" / "{system}.run")


@pytest.mark.parametrize("seed", seeds(2, 6))
def test_every_group_is_broken_down_as_if_it_were_alone(tmp_path, seed):
    gold, runs = grid(tmp_path, seed, datasets=3)
    whole = coleval.load(gold, runs)
    report = whole.buckets(over="dataset", attributes="eLen,label,sLen")
    for name in ("d0", "d1", "d2"):
        systems = {f"s{s}": tmp_path / name / f"s{s}.run" for s in range(2)}
        alone = coleval.load(tmp_path / name / "gold.conll", systems)
        own = alone.buckets(attributes="eLen,label,sLen")
        for table in ("buckets", "systems", "self_diagnosis"):
            part = report[table].filter(pl.col("corpus") == name).drop("corpus")
            assert part.equals(own[table]), table


@pytest.mark.parametrize("seed", seeds(2, 6))
def test_averages_are_those_of_plain_loops(tmp_path, seed):
    gold, runs = grid(tmp_path, seed)
    report = coleval.load(gold, runs).buckets(over="dataset", attributes="eLen,label,sLen")
    for row in report["averages"].iter_rows(named=True):
        theirs = report["systems"].filter(
            (pl.col("system") == row["system"]) & (pl.col("attribute") == row["attribute"])
        )
        known = theirs[row["measure"]].drop_nulls().to_list()
        assert row["corpora"] == len(known)
        if known:
            assert row["mean"] == pytest.approx(mean(known), abs=1e-12)
        if len(known) > 1:
            assert row["sd"] == pytest.approx(stdev(known), abs=1e-12)


def scores(report, system: str, attribute: str) -> dict[str, list[float | None]]:
    found: dict[str, list[float | None]] = {}
    frame = report["buckets"].filter(
        (pl.col("system") == system) & (pl.col("attribute") == attribute)
        & ~pl.col("bucket").str.starts_with("(")
    )  # fmt: skip
    for row in frame.iter_rows(named=True):
        found.setdefault(row["corpus"], []).append(row["f1"])
    return found


@pytest.mark.parametrize("seed", seeds(3, 8))
def test_tests_are_those_of_scipy(tmp_path, seed):
    from scipy.stats import friedmanchisquare, wilcoxon

    gold, runs = grid(tmp_path, seed, datasets=9)
    report = coleval.load(gold, runs).buckets(
        over="dataset", attributes="eLen,sLen", buckets="eLen=interval 1,2,9", pair=("s0", "s1")
    )
    done = 0
    for row in report["tests"].filter(pl.col("p").is_not_null()).iter_rows(named=True):
        attribute, _, bucket = row["attribute"].partition(": ")
        if row["test"] == "Friedman over corpora":
            cells = scores(report, row["systems"], attribute)
            most = max(map(len, cells.values()))
            blocks = [one for one in cells.values() if len(one) == most]
            kept = [k for k in range(most) if all(one[k] is not None for one in blocks)]
            columns = [[one[k] for one in blocks] for k in kept]
            statistic, _ = friedmanchisquare(*columns)
            assert row["n"] == len(blocks)
            assert row["statistic"] == pytest.approx(statistic, abs=1e-9)
            done += 1
        if row["test"] == "Wilcoxon in a bucket":
            a, b = (scores(report, name, attribute) for name in ("s0", "s1"))
            most = max(map(len, a.values()))
            at = int(bucket) - 1
            gaps = [b[c][at] - a[c][at] for c in a if len(a[c]) == most
                    and a[c][at] is not None and b[c][at] is not None]  # fmt: skip
            there = [round(gap, 12) for gap in gaps if abs(gap) > 1e-12]
            if len(set(map(abs, there))) == len(there):
                assert row["p"] == pytest.approx(wilcoxon(there).pvalue, abs=1e-9)
                done += 1
    assert done


def test_zeta_is_scaled_by_its_largest_value(tmp_path):
    gold, runs = grid(tmp_path, 1)
    table = coleval.load(gold, runs).buckets(over="dataset", attributes="sLen")["attributes"]
    largest = max(table["zeta"])
    assert table["zeta_scaled"].to_list() == pytest.approx([z / largest for z in table["zeta"]])


def test_each_dataset_may_have_its_own_training_data(tmp_path):
    gold, runs = grid(tmp_path, 2, datasets=2)
    whole = coleval.load(gold, runs)
    train = str(tmp_path / "{dataset}" / "train.conll")
    report = whole.buckets(over="dataset", attributes="eCon,eFre", train=train)
    for name in ("d0", "d1"):
        systems = {f"s{s}": tmp_path / name / f"s{s}.run" for s in range(2)}
        alone = coleval.load(tmp_path / name / "gold.conll", systems)
        own = alone.buckets(attributes="eCon,eFre", train=tmp_path / name / "train.conll")
        part = report["buckets"].filter(pl.col("corpus") == name).drop("corpus")
        assert part.equals(own["buckets"])
    with pytest.raises(UsageError, match="datasets are together"):
        whole.buckets(attributes="eCon", train=train)


def test_the_screen_has_means_with_deviations(tmp_path, capsys):
    gold, runs = grid(tmp_path, 3)
    assert main(["buckets", gold, runs, "--over", "dataset", "--attributes", "eLen"]) == 0
    shown = capsys.readouterr().out
    assert "mean ± standard deviation over corpora" in shown
    assert " ± " in shown
