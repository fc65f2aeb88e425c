"""The CoNLL 2018 evaluation: every value of 73 runs, the program's own cases, and its traps."""

from __future__ import annotations

import csv
import re

import pytest

import coleval

RATIOS = ("precision", "recall", "f1")
CASES = (
    ("gold", "sys1", "sys1-expected.results"),
    ("gold", "sys2", "sys2-expected.results"),
    ("gold", "sys-space", "sys-space-expected.results"),
    ("case-gold", "case-sys", "case-expected.results"),
)


def overall(corpus) -> dict[tuple[str, str], dict]:
    rows = corpus.score().table("overall").to_dicts()
    return {(row["system"], row["metric"]): row for row in rows}


@pytest.mark.parametrize(("treebank", "runs"), [("en_gum", 25), ("fr_spoken", 25), ("pcm_nsc", 23)])
def test_every_value_of_every_run_is_that_of_the_official_program(data, treebank, runs):
    folder = data(f"conll18-ud/{treebank}")
    systems = {p.name.removesuffix(".conllu.gz"): p for p in folder.glob("systems/*.gz")}
    found = overall(coleval.load(folder / "gold.conllu", systems, task="dep"))
    with (folder / "expected_conll18_ud_eval.tsv").open(encoding="utf-8") as lines:
        expected = list(csv.DictReader(lines, delimiter="\t"))
    assert len(expected) == runs * 13
    for row in expected:
        ours = found[row["system"], row["metric"]]
        counts = [ours[name] for name in ("correct", "gold", "predicted")]
        assert counts == [int(row[name]) for name in ("correct", "gold_total", "system_total")]
        for name in RATIOS:
            assert ours[name] == pytest.approx(float(row[name]), abs=5.1e-7), row
        if row["aligned_accuracy"]:
            assert ours["aligned"] == int(row["aligned_total"])
            assert ours["aligned_accuracy"] == pytest.approx(
                float(row["aligned_accuracy"]), abs=5.1e-7
            )


def table(text: str) -> dict[str, list[str]]:
    rows = (re.split(r"\s*\|\s*", line.strip()) for line in text.splitlines()[2:] if "|" in line)
    return {row[0]: [cell for cell in row[1:] if cell] for row in rows}


@pytest.mark.parametrize(("gold", "system", "expected"), CASES)
def test_the_official_program_s_own_cases(peer, gold, system, expected):
    folder = peer("conll18_ud_eval") / "evaluation_script/tests"
    corpus = coleval.load(
        folder / f"{gold}.conllu", {"run": folder / f"{system}.conllu"}, task="dep"
    )
    found = overall(corpus)
    wanted = table((folder / expected).read_text(encoding="utf-8"))
    assert len(wanted) >= 7
    for metric, cells in wanted.items():
        row = found["run", metric]
        shares = [row[name] for name in (*RATIOS, "aligned_accuracy")]
        assert [f"{100 * s:.2f}" for s in shares if s is not None] == cells, metric


def test_function_words_below_a_word_count_once_each(peer):
    folder = peer("conll18_ud_eval") / "evaluation_script/tests"
    found = overall(
        coleval.load(folder / "func-gold.conllu", {"run": folder / "func-sys.conllu"}, task="dep")
    )
    wanted = table((folder / "func-expected.counts").read_text(encoding="utf-8"))
    assert len(wanted) == 13
    for metric, cells in wanted.items():
        row = found["run", metric]
        counts = [row["correct"], row["gold"], row["predicted"]]
        assert counts == [int(cell) for cell in cells[:3]], metric


def test_the_profile_counts_the_same_in_every_analysis(data):
    folder = data("conll18-ud/en_gum")
    names = ("LATTICE-18", "SLT-Interactions")
    systems = {name: folder / f"systems/{name}.conllu.gz" for name in names}
    corpus = coleval.load(folder / "gold.conllu", systems, profile="ud2018")
    right = {name: overall(corpus)[name, "LAS"]["correct"] for name in names}
    tps = corpus.bins().table("systems").select("system", "tp").rows()
    changes = corpus.changes(names).table("summary").to_dicts()[0]
    oracle = corpus.oracle().table("overall").to_dicts()[0]
    assert dict(tps) == right
    assert oracle["items"] == 13191
    assert changes["corrections"] - changes["new_errors"] == right[names[1]] - right[names[0]]


def test_systems_that_are_the_same_file_tie_in_everything(data):
    folder = data("conll18-ud/pcm_nsc")
    names = ("LeisureX", "UniMelb", "conll18-baseline")
    systems = {name: folder / f"systems/{name}.conllu.gz" for name in names}
    found = overall(coleval.load(folder / "gold.conllu", systems, task="dep"))
    metrics = {metric for _, metric in found}
    for metric in metrics:
        assert len({found[name, metric]["correct"] for name in names}) == 1
