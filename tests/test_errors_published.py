"""Numbers that others printed: FairEval's result files, nervaluate, HIPE-scorer."""

from __future__ import annotations

import csv
import json
import re
from functools import cache
from typing import TYPE_CHECKING

import pytest

import coleval
from conftest import DATA

if TYPE_CHECKING:
    from pathlib import Path

WEIGHTS = (
    "LE = 0.5 FP + 0.5 FN, BES = 0.5 TP + 0.5 FN, BEL = 0.5 TP + 0.5 FP, "
    "BEO = 0.5 TP + 0.25 FP + 0.25 FN, LBE = 0.5 FP + 0.5 FN"
)
FILES = {"ner": "ner_spans", "chunks": "chunk_spans", "topofields": "topofield_spans"}
RATIOS = {"Prec": "precision", "Rec": "recall", "F1": "f1"}


def table(path):
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def percent(value):
    """The reference prints undefined as 0."""
    return f"{100 * (value or 0):04.2f}"


# ---------------------------------------------------------------------------------------- FairEval


@cache
def faireval(folder: Path, task: str):
    name = f"{FILES[task]}.csv"
    corpus = coleval.load(folder / "target" / name, {"ortmann": folder / "system" / name})
    return corpus.errors(weights=WEIGHTS).tables


def blocks(path):
    """The tables of a result file by their titles, a list of cells a row, the header first."""
    found: dict[str, list[list[str]]] = {}
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("### "):
            rows = found.setdefault(line.removeprefix("### ").rstrip(":"), [])
        elif line:
            rows.append(line.split("\t"))
    return found


@pytest.mark.parametrize("method", ["traditional", "fair", "weighted"])
@pytest.mark.parametrize("task", FILES)
def test_every_count_and_percentage_of_faireval(data, task, method):
    folder = data("faireval")
    header, *rows = blocks(folder / f"expected/eval_{task}.csv")[f"{method.title()} evaluation"]
    found = faireval(folder, task)
    lines = {r["label"]: r for r in found["labels"].to_dicts() if r["method"] == method}
    lines["overall"] = next(r for r in found["overall"].to_dicts() if r["method"] == method)
    assert {row[0] for row in rows} == set(lines)
    for row in rows:
        mine = lines[row[0]]
        for name, cell in zip(header[1:], row[1:], strict=True):
            if name in RATIOS:
                assert percent(mine[RATIOS[name]]) == cell, (row[0], name)
            else:
                assert mine[name.lower()] == int(cell), (row[0], name)


def test_faireval_s_three_files_are_side_by_side_as_datasets(data):
    """Span files have no tokens, which grids asked for to settle the task."""
    folder = data("faireval")
    paths = (str(folder / side / "{dataset}.csv") for side in ("target", "system"))
    table = coleval.load(next(paths), {"A": next(paths)}).errors(by="dataset").table("by")
    for task, name in FILES.items():
        _, *rows = blocks(folder / f"expected/eval_{task}.csv")["Fair evaluation"]
        expected = next(row for row in rows if row[0] == "overall")
        (mine,) = table.filter(by=name, method="fair").to_dicts()
        assert [percent(mine[ratio]) for ratio in RATIOS.values()] == expected[-3:]


@pytest.mark.parametrize("task", FILES)
def test_every_cell_of_faireval_s_confusion_matrices(data, task):
    folder = data("faireval")
    header, *rows = blocks(folder / f"expected/eval_{task}.csv")["Confusion matrix"]
    expected = {
        (row[0], answer): int(n)
        for row in rows
        for answer, n in zip(header[1:], row[1:], strict=True)
        if n != "0"
    }
    mine = {
        (r["gold"] or "_", r["answer"] or "_"): r["n"]
        for r in faireval(folder, task)["confusion"].to_dicts()
    }
    assert mine == expected


@pytest.mark.parametrize("task", FILES)
def test_every_line_of_faireval_s_label_statistics(data, task):
    folder = data("faireval")
    _, *rows = blocks(folder / f"expected/eval_{task}.csv")["Target data stats"]
    mine = [
        [r["label"], str(r["n"]), percent(r["share"])]
        for r in faireval(folder, task)["statistics"].to_dicts()
    ]
    assert sorted(mine) == sorted(rows)


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("ner", ("90.42", "87.23", "88.80")),
        ("chunks", ("97.86", "97.86", "97.86")),
        ("topofields", ("94.78", "95.92", "95.35")),
    ],
)
def test_the_figures_of_the_poster(data, task, expected):
    rows = faireval(data("faireval"), task)["overall"].to_dicts()
    fair = next(row for row in rows if row["method"] == "fair")
    assert tuple(percent(fair[name]) for name in RATIOS.values()) == expected


# -------------------------------------------------------------------------------------- nervaluate

MODES = ("strict", "partial", "ent_type", "exact")
WNUT = ("arcada", "drexel_cci", "flytxt", "sjtu_adapt", "uh_ritual")
SHARP = {
    "xlm_flert_03": ("conll_03", "expected_peer_scores_03"),
    "xlm_flert_sharp": ("conll_sharp", "expected_peer_scores_sharp"),
    "luke_sharp": ("conll_sharp", "expected_peer_scores_sharp"),
}
COUNTS = ("cor", "inc", "par", "mis", "spu")


def modes(gold, path):
    report = coleval.load(gold, {"run": path}, profile="nervaluate").errors()
    return {row["method"]: row for row in report.table("overall").to_dicts()}


def as_nervaluate_has_it(found, expected, system):
    rows = [r for r in expected if r["system"] == system and "nervaluate" in r["scorer"]]
    assert {row["scorer"].split("/")[1] for row in rows} == set(MODES)
    for row in rows:
        mine = found[row["scorer"].split("/")[1]]
        counts = [int(n) for n in re.findall(r"=(\d+)", row["correct_or_counts"])]
        assert [mine[name] for name in COUNTS] == counts, row
        assert (mine["possible"], mine["actual"]) == (int(row["reference"]), int(row["predicted"]))
        for name in RATIOS.values():
            assert f"{100 * mine[name]:.6f}" == row[name], row


@pytest.mark.parametrize("system", WNUT)
def test_nervaluate_s_counts_on_wnut17(data, system):
    folder = data("wnut17")
    (path,) = (folder / "submissions").glob(f"{system}*")
    found = modes(folder / "gold/emerging.test.annotated", path)
    as_nervaluate_has_it(found, table(folder / "expected_peer_scores.tsv"), system)


@pytest.mark.parametrize("system", SHARP)
def test_nervaluate_s_counts_on_conll_sharp(data, system):
    folder = data("conll_sharp")
    gold, expected = SHARP[system]
    found = modes(folder / f"gold/{gold}.txt", folder / f"outputs/{system}.txt")
    as_nervaluate_has_it(found, table(folder / f"{expected}.tsv"), system)


# -------------------------------------------------------------------------------------------- HIPE

MICRO = re.compile(r"(NE-[A-Z-]+)-micro-(strict|fuzzy)-TIME-ALL-LED-ALL")
RUNS = sorted(p.stem for p in (DATA / "hipe2022/evaluations").glob("*_nerc_*.tsv")) or ["none"]


@pytest.mark.parametrize("run", RUNS)
def test_hipe_s_counts_of_every_run_column_and_label(data, run):
    """Strict and fuzzy, coarse and fine, literal and metonymic, nested: all labels, all counts.

    ``score`` counts the labels of strict alike: a wrong span under gold's label.
    """
    folder = data("hipe2022")
    rows = [
        row for row in table(folder / f"evaluations/{run}.tsv") if MICRO.match(row["Evaluation"])
    ]
    response = run.removesuffix("_nerc_coarse").removesuffix("_nerc_fine")
    corpus, language = run.split("_")[2:4]
    gold = folder / f"gold/HIPE-2022-v2.1-{corpus}-test-{language}.tsv"
    found = {}
    for column in {MICRO.match(row["Evaluation"])[1] for row in rows}:
        loaded = coleval.load(
            gold,
            {"run": folder / f"responses/{response}.tsv"},
            profile="hipe-strict",
            columns=f"gold={column},system={column}",
        )
        tables = loaded.errors().tables
        for row in (*tables["overall"].to_dicts(), *tables["labels"].to_dicts()):
            found[column, row["method"], row.get("label", "ALL")] = row
        for row in loaded.score().table("labels").to_dicts():
            strict = found[column, "strict", row["label"]]
            assert [row[n] for n in ("tp", "fp", "fn")] == [strict[n] for n in ("tp", "fp", "fn")]
    assert len(rows) > 3
    for row in rows:
        column, regime = MICRO.match(row["Evaluation"]).groups()
        label = row["Label"]
        mine = found[column, regime, label if label == "ALL" else label.casefold()]
        assert [mine[n.lower()] for n in ("TP", "FP", "FN")] == [
            int(row[n]) for n in ("TP", "FP", "FN")
        ], (row["Evaluation"], label)


CASES = {
    "unittest-ner-1-pred.tsv.ner-coarse-lit_ref_results.json": "NE-COARSE-LIT",
    "unittest-ner-2-pred.tsv.coarse-lit_ref_results.json": "NE-COARSE-LIT",
    "unittest-ner-2-IOBES-pred.tsv.coarse-lit_ref_results.json": "NE-COARSE-LIT",
    "unittest-ner-2-pred.tsv.fine-lit_ref_results.json": "NE-FINE-LIT",
    "unittest-ner-2-pred.tsv.nested_ref_results.json": "NE-NESTED",
    "unittest-ner-lit-coarse-3-pred.tsv.ref_results.json": "NE-COARSE-LIT",
    "unittest-ner-lit-coarse-4-pred.tsv.ref_results.json": "NE-COARSE-LIT",
    "unittest-pred_bundle3_de_2020.ref_results_nerc_fine.json": "NE-FINE-LIT",
}


@pytest.mark.parametrize("case", CASES)
def test_the_cases_of_hipe_scorer_itself(peer, case):
    folder = peer("HIPE-scorer/hipe_evaluation/tests/data")
    expected = json.loads((folder / case).read_text("utf-8"))
    predicted = case.split(".tsv")[0].split(".ref")[0] + ".tsv"
    loaded = coleval.load(
        folder / predicted.replace("pred", "true"),
        {"run": folder / predicted},
        profile="hipe-fuzzy",
        columns=f"gold={CASES[case]},system={CASES[case]}",
    )
    # HIPE-scorer drops labels that gold has not, unless it is given a tag set, as for all but one.
    named = "bundle3" not in case
    labels = () if named else loaded.items["gold"].drop_nulls().unique().to_list()
    found = {
        name: loaded.errors(taxonomy=name, labels=labels).tables for name in ("hipe", "nervaluate")
    }
    rows = {
        (kind, row.get("label", "all").upper(), row["method"]): row
        for kind, tables in found.items()
        for row in (*tables["overall"].to_dicts(), *tables["labels"].to_dicts())
    }
    for label, schemas in expected.items():
        for schema, numbers in schemas.items():
            mine = rows["nervaluate", label, schema]
            names = ("correct", "incorrect", "partial", "missed", "spurious")
            assert [mine[n] for n in COUNTS] == [numbers[n] for n in names], (label, schema)
            for name, theirs in (("precision", "P"), ("recall", "R"), ("f1", "F1")):
                assert mine[name] == pytest.approx(numbers[f"{theirs}_micro"]), (label, schema)
        for regime, schema in (("strict", "strict"), ("fuzzy", "ent_type")):
            mine = rows["hipe", label, regime]
            assert [mine[n] for n in ("tp", "fp", "fn")] == [
                schemas[schema][n] for n in ("TP", "FP", "FN")
            ], (label, regime)
