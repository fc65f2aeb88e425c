"""Whole shared tasks with published or independently computed numbers, read by templates."""

from __future__ import annotations

import csv
import json
from functools import cache

import pytest

import coleval

CONLLU = ("{root}/{{dataset}}/gold.conllu*", "{root}/{{dataset}}/systems/{{system}}.conllu*")
HIPE = (
    "{root}/gold/HIPE-2022-v2.1-{{dataset}}-test-{{part}}.tsv",
    "{root}/responses/{{team}}_{{bundle}}_{{dataset}}_{{part}}_{{run}}.tsv",
)


def read(templates, root, **options) -> coleval.Corpus:
    return coleval.load(*(text.format(root=root) for text in templates), **options)


def table(path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@cache
def conll18(root) -> coleval.Corpus:
    return read(CONLLU, root, task="dep")


@cache
def mmlu_pro(root) -> coleval.Corpus:
    return coleval.load(root / "gold.tsv", [str(root / "runs/*.gz")])


@pytest.mark.parametrize("policy", ["wrong", "leave-out"])
def test_the_macro_ranking_of_conll_2018_is_that_of_the_official_script(data, policy):
    root = data("conll18-ud")
    expected = table(root / "ranking_macro.tsv")
    column = f"macro_f1_missing_{policy.replace('leave-out', 'left_out')}"
    found = conll18(root).score(by="dataset", missing=policy)["ranking"]
    rows = {(row["metric"], row["system"]): row for row in found.to_dicts()}
    assert len(expected) == 8 * 26
    for one in expected:
        row = rows[one["metric"], one["system"]]
        assert row["macro"] == pytest.approx(float(one[column]), abs=1e-12), one
        assert row["missing"] == int(one["missing"])
        better = [o for o in expected if o["metric"] == one["metric"]
                  and float(o[column]) > float(one[column]) + 1e-12]  # fmt: skip
        assert row["rank"] == 1 + len(better)


def test_every_cell_of_conll_2018_is_that_of_the_official_script(data):
    root = data("conll18-ud")
    found = conll18(root).score(by="dataset", missing="leave-out")["by"]
    rows = {(row["by"], row["system"], row["metric"]): row for row in found.to_dicts()}
    checked = 0
    for file in sorted(root.glob("*/expected_conll18_ud_eval.tsv")):
        for one in table(file):
            row = rows[file.parent.name, one["system"], one["metric"]]
            for name in ("correct", "gold", "predicted"):
                source = next((k for k in one if k.startswith(name)), None)
                if source:
                    assert row[name] == int(one[source]), (file, one)
            checked += 1
    assert checked > 3000


def test_every_ranking_of_hipe_2022_is_the_published_one(data):
    """Two runs that the published rankings leave out are beside theirs."""
    root = data("hipe2022")
    corpus = read(HIPE, root, profile="hipe-strict")
    found = corpus.score(by=["dataset", "part"], missing="leave-out")["by"]
    checked = 0
    for file in sorted((root / "rankings").glob("*-coarse-micro-strict-all.tsv")):
        _, dataset, part, *_ = file.stem.split("-")
        rows = [row for row in found.to_dicts() if row["by"] == f"{dataset} · {part}"]
        ours = {row["system"]: row for row in rows if row.get("ran") is not False}
        theirs = {
            f"{team}_{bundle}_{run}": row
            for row in table(file)
            if row["Evaluation"].endswith("TIME-ALL-LED-ALL") and row["Label"] == "ALL"
            for team, bundle, _, _, run in [row["System"].split("_")]
        }
        assert theirs.keys() <= ours.keys()
        for name in theirs:
            row = ours[name]
            counts = [int(theirs[name][column]) for column in ("TP", "FP", "FN")]
            assert [row["tp"], row["fp"], row["fn"]] == counts, (file, name)
            assert round(row["f1"], 3) == pytest.approx(float(theirs[name]["F1"]), abs=1e-9)
            checked += 1
    assert checked == 29


@pytest.mark.parametrize(
    ("policy", "column"),
    [("wrong", "wrong"), ("leave-out", "left_out")],
)
def test_mmlu_pro_by_category_is_as_counted_by_a_plain_script(data, policy, column):
    root = data("mmlu-pro")
    report = mmlu_pro(root).score(by="category", missing=policy)
    overall = {row["system"]: row for row in report["overall"].to_dicts()}
    ranking = {row["system"]: row for row in report["ranking"].to_dicts()}
    expected = table(root / "expected.tsv")
    assert len(expected) == 24
    for one in expected:
        row = overall[one["system"]]
        assert row["correct"] == int(one["correct"])
        assert row["accuracy"] == pytest.approx(float(one[f"accuracy_{column}"]), abs=1e-12)
        macro = float(one[f"macro_category_{column}"])
        assert ranking[one["system"]]["macro"] == pytest.approx(macro, abs=1e-12)


def test_the_status_of_answers_of_mmlu_pro_is_as_counted_by_a_plain_script(data):
    root = data("mmlu-pro")
    status = mmlu_pro(root).score(missing="wrong")["status"]
    found = {(row["system"], row["status"]): row["n"] for row in status.to_dicts()}
    for one in table(root / "expected.tsv"):
        assert found.get((one["system"], "empty"), 0) == int(one["unparsed"])
        assert found.get((one["system"], "not run"), 0) == int(one["absent"])


def test_eleven_novels_are_each_scored_as_conlleval_scores_them(data):
    root = data("novels-ner/files")
    tools = ("booknlpoutput", "stanfordout", "ixa-conllout")
    corpus = coleval.load(
        f"{root}/{{dataset}}.gs", {tool: f"{root}/{{dataset}}.{tool}" for tool in tools},
        scheme="io", task="span", profile="conlleval",
    )  # fmt: skip
    rows = corpus.score(by="dataset")["by"].to_dicts()
    found = {(row["by"], row["system"]): row for row in rows}
    expected = [
        one for one in table(data("novels-ner/expected_conlleval.tsv"))
        if one["type"] == "OVERALL" and one["system"] in tools
    ]  # fmt: skip
    assert len(expected) == 33
    for one in expected:
        row = found[one["novel"], one["system"]]
        for name in ("precision", "recall", "f1"):
            assert 100 * row[name] == pytest.approx(float(one[name]), abs=5e-7), (one, name)


# The organisers' tokens of this document are not those of its gold.
OTHER_TOKENS = "protocol_538"


def protocols(root) -> list[str]:
    return [
        f"{root}/gold/conll/{{part}}.conll", f"{root}/systems/{{system}}/conll/{{part}}.conll"
    ]  # fmt: skip


def test_the_one_protocol_with_other_tokens_is_named(data, capsys):
    from coleval.cli.main import main

    root = data("wnut2020-protocols")
    assert main(["validate", *protocols(root), "--as", "json"]) == 1
    problems = [p for p in json.loads(capsys.readouterr().out)["tables"]["problems"] if p["fatal"]]
    assert {p["file"].rpartition("/")[2] for p in problems} == {f"{OTHER_TOKENS}.conll"}


def test_protocols_are_parts_that_add_up_to_all_of_them(data, tmp_path):
    """A file a document: counts over documents are those of the whole."""
    root = data("wnut2020-protocols")
    for folder in ("gold/conll", "systems/baseline_crf/conll"):
        (tmp_path / folder).mkdir(parents=True)
        for file in (root / folder).glob("*.conll"):
            if file.stem != OTHER_TOKENS:
                (tmp_path / folder / file.name).symlink_to(file)
    report = coleval.load(*protocols(tmp_path)).score(by="document", missing="wrong")
    whole, by = report["overall"].row(0, named=True), report["by"]
    assert len(by) == 122
    assert whole["tp"] > 1000
    for name in ("tp", "fp", "fn"):
        assert by[name].sum() == whole[name]
