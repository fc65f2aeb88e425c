"""Scores of coreference that others published, and the answers of their scorers."""

from __future__ import annotations

import json

import pytest

import coleval
from coleval.declare.counting import CHAIN_METRICS

NAMES = {"bcub": "b3", "b_cubed": "b3", "ceaf_m": "ceafm", "ceaf_e": "ceafe"}
RATIOS = ("recall", "precision", "f1")


def scores(gold, systems, *, options=(), **scoring):
    corpus = coleval.load(str(gold), systems, task="coref", **dict(options))
    rows = corpus.score(**scoring).tables["overall"].to_dicts()
    return {(row["system"], row["metric"]): row for row in rows}


def differing(root, cases, expected, limit):
    """Return (values seen, those that are further than ``limit`` from what is expected)."""
    seen, wrong = 0, []
    for name, case in cases.items():
        key, response, wanted = expected(case)
        found = scores(root / key, {"s": str(root / response)},
                       options={"duplicate_mentions": "first"})  # fmt: skip
        for metric, values in wanted.items():
            row = found["s", NAMES.get(metric, metric)]
            seen += 1
            got = [row[ratio] or 0.0 for ratio in RATIOS]
            if any(abs(a - b) > limit for a, b in zip(got, values, strict=True)):
                wrong.append((name, metric, got, values))
    return seen, wrong


def test_all_91_values_of_the_reference_scorer(peer):
    root = peer("reference-coreference-scorers")
    cases = json.loads((root / "expected.json").read_text())

    def expected(case):
        wanted = case["expected_recall_precision_f1"]
        return case["key"], case["response"], {m: v["value"] for m, v in wanted.items()}

    seen, wrong = differing(root / "test", cases, expected, 6e-6)
    assert (seen, wrong) == (91, [])


def test_the_exact_fractions_of_scorch(peer):
    root = peer("scorch/tests/fixtures/conll")
    cases = json.loads((root / "conll.json").read_text())

    def expected(case):
        wanted = {
            metric: [eval(str(v), {"__builtins__": {}}) for v in values]  # noqa: S307 - fractions
            for metric, values in case["expected_metrics"].items()
        }
        return case["key_file"], case["response_file"], wanted

    seen, wrong = differing(root, cases, expected, 1e-15)
    assert (seen, wrong) == (91, [])


@pytest.mark.parametrize("corpus", ["ecbp", "fcc"])
@pytest.mark.parametrize("scope", ["cross_doc", "within_doc"])
def test_event_coreference_to_six_digits(data, corpus, scope):
    root = data(f"cdcr-event-coref/{corpus}/{scope}")
    systems = sorted(root.glob("systems/*.conll"))
    found = scores(root / "gold.conll", [str(p) for p in systems])
    wrong, seen = [], 0
    for path in systems:
        for line in (root / "scores" / f"{path.stem}.txt").read_text().splitlines()[2:]:
            metric, *values = line.split()
            row = found[path.stem, NAMES.get(metric, metric)]
            for ratio, value in zip(("f1", "precision", "recall"), values, strict=True):
                seen += 1
                if value != "nan" and abs(row[ratio] - float(value)) > 5.1e-7:
                    wrong.append((path.stem, metric, ratio, row[ratio], value))
    assert wrong == []
    assert seen == 15 * len(systems)


@pytest.mark.parametrize("corpus", ["ecbp", "fcc"])
def test_event_coreference_as_scorch_scores_it(data, corpus):
    root = data("cdcr-event-coref")
    lines = (root / "expected_scorch_cross_doc.tsv").read_text().splitlines()
    rows = [line.split("\t") for line in lines[1:] if line.startswith(corpus)]
    place = root / corpus / "cross_doc"
    found = scores(place / "gold.conll", [str(p) for p in place.glob("systems/*.conll")])
    assert rows
    for _, system, metric, *values in rows:
        row = found[system, NAMES.get(metric, metric)]
        assert [row[r] for r in RATIOS] == pytest.approx([float(v) for v in values], abs=1e-8)


def test_intervals_of_event_coreference_are_those_that_systems_are_compared_by(data):
    root = data("cdcr-event-coref/ecbp/within_doc")
    systems = [str(root / f"systems/{name}.conll") for name in ("lemma", "clustering-seed0")]
    corpus = coleval.load(str(root / "gold.conll"), systems, task="coref")
    rows = corpus.score(intervals=True, replicates=300).table("overall").to_dicts()
    for metric in CHAIN_METRICS[:-1]:
        ranks = corpus.compare(metric=metric, replicates=300).table("ranks").to_dicts()
        ends = {r["system"]: (r["f1_low"], r["f1_high"]) for r in rows if r["metric"] == metric}
        for row in ranks:
            assert ends[row["system"]] == pytest.approx((row["low"], row["high"]), abs=1e-12)
    for row in (row for row in rows if row["f1"] is not None):
        assert row["f1_low"] <= row["f1"] <= row["f1_high"], row["metric"]


KNACK = """
corea keep mentions 50.00 58.82 54.05 | muc 50.00 38.46 43.48 | b3 40.00 32.63 35.94
corea keep ceafe 18.36 45.90 26.23 | ceafm 40.00 47.06 43.24 | lea 25.00 25.49 25.24
dutch keep mentions 70.00 87.50 77.78 | muc 70.00 77.78 73.68 | b3 60.00 80.21 68.65
dutch keep ceafe 60.09 85.84 70.70 | ceafm 70.00 87.50 77.78 | lea 55.00 75.00 63.46
corea drop mentions 53.33 47.06 50.00 | muc 50.00 38.46 43.48 | b3 40.00 30.32 34.50
corea drop ceafe 35.38 44.23 39.32 | ceafm 53.33 47.06 50.00 | lea 33.33 25.49 28.89
dutch drop mentions 80.00 85.71 82.76 | muc 70.00 77.78 73.68 | b3 66.67 77.38 71.63
dutch drop ceafe 80.18 80.18 80.18 | ceafm 80.00 85.71 82.76 | lea 60.00 71.43 65.22
"""


@pytest.mark.parametrize("singletons", ["keep", "drop"])
def test_dutch_with_and_without_singletons(data, singletons):
    root = data("dutch-knack")
    files = {"corea": "coreawebservice", "dutch": "dutchcoref"}
    systems = {name: str(root / f"knack_file7.{file}.conll") for name, file in files.items()}
    found = scores(root / "knack_file7.gold.conll", systems, singletons=singletons)
    for line in KNACK.strip().splitlines():
        system, kept, rest = line.split(" ", 2)
        for cell in rest.split(" | ") if kept == singletons else ():
            metric, *values = cell.split()
            row = found[system, metric]
            assert [f"{100 * row[r]:.2f}" for r in RATIOS] == values, (system, metric)
    conll = {"keep": ("35.22", "71.01"), "drop": ("39.10", "75.16")}[singletons]
    assert tuple(f"{100 * found[s, 'conll']['f1']:.2f}" for s in files) == conll
