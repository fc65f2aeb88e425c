"""Random shared tasks: every number by group is that of the files of the group alone.

The numbers of a group are those of a corpus of one gold file with one system, a way of reading that
plain loops check elsewhere; means, ranks and what is missing are worked out here in loops.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random

import pytest

import coleval
from conftest import seeds
from grids import SUFFIX, Made, made, save

CASES = seeds(1, 8)
TASKS = ("tag", "span", "dep", "label", "coref")
HEADLINE = {"tag": "accuracy", "span": "f1", "dep": "f1", "label": "accuracy", "coref": "f1"}
# Of the whole corpus, not of the counts: how the texts are cut, what is said of files.
APART = ("by", "ran", "coverage", "repairs")
Place = tuple[str, str]


def joined(texts, task: str) -> str:
    return ("\n" if task in ("tag", "span") else "").join(texts)


def alone(case: Made, places: list[Place], system: str, policy: str, folder: Path):
    """Return the rows of one system on some places as one file, None if it is left out there."""
    texts = case.runs[system]
    if policy == "leave-out":
        places = [place for place in places if texts[place] is not None]
        if not places:
            return None
    if case.task == "dep":
        return trees(case, places, texts, folder)
    runs = [case.blank[place] if texts[place] is None else texts[place] for place in places]
    gold = [case.gold[place] for place in places]
    if case.task == "label" and policy == "leave-out":
        asked = {line.split("\t")[0] for run in runs for line in run.splitlines()}
        gold = ["".join(f"{line}\n" for line in text.splitlines() if line.split("\t")[0] in asked)
                for text in gold]  # fmt: skip
    suffix = SUFFIX[case.task]
    gold_file = save(folder / f"gold.{suffix}", joined(gold, case.task))
    file = save(folder / f"{system}.{suffix}", joined(runs, case.task))
    if case.task == "label" and not "".join(runs).strip():
        n = sum(len(text.splitlines()) for text in gold)
        return [{"items": n, "correct": 0, "accuracy": 0.0}]
    corpus = coleval.load(gold_file, {system: file}, task=case.task, missing="wrong")
    return corpus.score()["overall"].to_dicts()


def trees(case: Made, places: list[Place], texts, folder: Path) -> list[dict]:
    """Return the rows of the sums over files; words of gold without a run count as missed."""
    sums: dict[str, list[int]] = {}
    for place in places:
        gold = save(folder / "gold.conllu", case.gold[place])
        run = save(folder / "run.conllu", texts[place] or case.gold[place])
        for row in coleval.load(gold, {"s": run}, task="dep").score()["overall"].to_dicts():
            part = sums.setdefault(row["metric"], [0, 0, 0])
            there = texts[place] is not None
            for at, count in enumerate(("gold", "correct", "predicted")):
                part[at] += row[count] if there or count == "gold" else 0
    return [
        {"metric": name, "gold": gold, "correct": correct, "predicted": predicted,
         "precision": ratio(correct, predicted), "recall": ratio(correct, gold),
         "f1": ratio(2 * correct, gold + predicted)}
        for name, (gold, correct, predicted) in sums.items()
    ]  # fmt: skip


def ratio(part: int, of: int) -> float | None:
    return part / of if of else None


def same(row: dict, expected: dict) -> bool:
    """Tell whether the columns of an expected row are those of a row."""
    return all(
        row[name] == pytest.approx(value, abs=1e-12) if isinstance(value, float) else
        row[name] == value
        for name, value in expected.items() if name not in APART
    )  # fmt: skip


def rows_of(table, **where) -> list[dict]:
    return [row for row in table.to_dicts() if all(row[k] == v for k, v in where.items())]


@pytest.mark.parametrize("policy", ["wrong", "leave-out"])
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("seed", CASES)
def test_numbers_by_dataset_are_those_of_its_files_alone(task, seed, policy):
    case = made(Random(f"{task}{seed}"), task)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus = coleval.load(*case.write(folder), task=task)
        report = corpus.score(by="dataset", missing=policy)
        check_groups(case, report, policy, folder)
        check_pooled(case, report, policy, folder)
        check_ranking(case, report, policy, applicable(case, folder))
        if policy == "wrong":
            check_compared(corpus, report, task)


def check_groups(case: Made, report, policy: str, folder: Path) -> None:
    for dataset in case.datasets:
        for system in case.runs:
            expected = alone(case, case.places(dataset), system, policy, folder)
            rows = rows_of(report["by"], by=dataset, system=system)
            compare(case, rows, expected, policy, f"{dataset} {system}")


def check_pooled(case: Made, report, policy: str, folder: Path) -> None:
    for system in case.runs:
        expected = alone(case, list(case.gold), system, policy, folder)
        rows = rows_of(report["overall"], system=system)
        compare(case, rows, expected, policy, f"pooled {system}")


def compare(case: Made, rows, expected, policy: str, what: str) -> None:
    if expected is None:
        assert rows == [], what
        return
    for one in expected:
        [row] = [row for row in rows if row.get("metric") == one.get("metric")]
        if case.task == "tag" and policy == "wrong":
            # The file that stands for a run that is not there has a label, `?`, that is missed.
            wanted = {k: one[k] for k in ("items", "correct", "accuracy")}
        else:
            wanted = one
        wrong = {k: (row[k], v) for k, v in wanted.items() if not same(row, {k: v})}
        assert not wrong, f"{what}: {wrong}"


def applicable(case: Made, folder: Path) -> set[tuple]:
    """Return each metric with the datasets where gold has what it needs: its own score is there."""
    name = HEADLINE[case.task]
    if case.task == "matrix":
        return {(name, dataset) for dataset in case.datasets}
    gold = case.write(folder)[0]
    rows = coleval.load(gold, {"itself": gold}, task=case.task).score(by="dataset")["by"].to_dicts()
    return {(r.get("metric", name), r["by"]) for r in rows if r[name] is not None}


def check_ranking(case: Made, report, policy: str, needed: set[tuple]) -> None:
    """Macro, pooled, groups, missing, not_applicable, best_in and rank in loops over cells."""
    name = HEADLINE[case.task]
    scores: dict[tuple, dict] = {}
    for row in report["by"].to_dicts():
        scores.setdefault((row.get("metric", name), row["by"]), {})[row["system"]] = row[name]
    pooled = {
        (row.get("metric", name), row["system"]): row[name] for row in report["overall"].to_dicts()
    }
    macros: dict[str, list] = {}
    for row in report["ranking"].to_dicts():
        metric, system = row["metric"], row["system"]
        there = [d for d in case.datasets if (metric, d) in needed]
        gone = [d for d in there if all(case.runs[system][p] is None for p in case.places(d))]
        cells = {d: scores.get((metric, d), {}).get(system) for d in there}
        if policy == "wrong":
            cells = {d: 0.0 if d in gone else cell or 0.0 for d, cell in cells.items()}
        entering = {d: cell for d, cell in cells.items() if cell is not None}
        macro = sum(entering.values()) / len(entering) if entering else None
        assert row["macro"] == pytest.approx(macro, abs=1e-12)
        counts = len(entering), len(gone), len(case.datasets) - len(there)
        assert (row["groups"], row["missing"], row["not_applicable"]) == counts
        best = {d: max(v or 0.0 for v in scores[metric, d].values()) for d in entering}
        assert (row["best_in"] or "") == ", ".join(d for d in best if entering[d] == best[d])
        assert row["pooled"] == pytest.approx(pooled[metric, system], abs=1e-12)
        macros.setdefault(metric, []).append((row["rank"], row["macro"]))
    for ranks in macros.values():
        for rank, macro in ranks:
            if macro is not None:
                assert rank == 1 + sum(v is not None and v > macro + 1e-12 for _, v in ranks)


def check_compared(corpus, report, task: str) -> None:
    """Means over groups are the same where they are tested."""
    metric = {"dep": "LAS", "coref": "conll"}.get(task, HEADLINE[task])
    own = corpus.compare(by="dataset", missing="wrong", replicates=100)["ranks"]
    means = {row["system"]: row["macro"] for row in rows_of(report["ranking"], metric=metric)}
    for row in own.to_dicts():
        # Fractions of chains are added up by unit in parts of 2^-24.
        near = 1e-7 if task == "coref" else 1e-12
        assert row["value"] == pytest.approx(means[row["system"]], abs=near)


ANALYSES = {
    "tag": ("score", "bins", "changes", "oracle", "agree", "confusion"),
    "span": ("score", "bins", "changes", "oracle", "agree", "confusion", "errors"),
    "dep": ("score", "bins", "changes", "oracle", "agree", "confusion"),
    "label": ("score", "bins", "changes", "oracle", "agree", "confusion"),
    "coref": ("score", "bins", "changes", "oracle"),
}


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("seed", CASES)
def test_a_whole_task_is_its_files_one_after_the_other(task, seed):
    case = made(Random(f"whole{task}{seed}"), task, missing=0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        grid = coleval.load(*case.write(folder), task=task, missing="wrong")
        suffix = SUFFIX[task]
        gold = save(folder / f"gold.{suffix}", joined(case.gold.values(), task))
        files = {
            system: save(folder / f"{system}.{suffix}", joined(texts.values(), task))
            for system, texts in case.runs.items()
        }
        whole = coleval.load(gold, files, task=task, missing="wrong")
        for analysis in ANALYSES[task]:
            if len(case.runs) == 1 and analysis in ("changes", "agree", "oracle"):
                continue
            ours, theirs = getattr(grid, analysis)(), getattr(whole, analysis)()
            for table, frame in theirs.tables.items():
                assert ours[table].equals(frame), f"{analysis} {table}"
