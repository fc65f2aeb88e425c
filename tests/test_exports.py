"""Scores as other places read them: each form has what its readers require, and our numbers."""

from __future__ import annotations

import json
import math

import pytest
import yaml

import coleval
from coleval.cli.main import main
from coleval.errors import UsageError

GOLD = "Ann\tB-PER\nsees\tO\nRome\tB-LOC\n\nUlm\tB-LOC\n"
# What version 0.3.0 of the schema of every_eval_ever requires, by the objects that have it.
REQUIRED = {
    (): {"schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata", "model_info",
         "eval_library", "evaluation_results"},
    ("source_metadata",): {"source_type", "source_organization_name", "evaluator_relationship"},
    ("eval_library",): {"name", "version"},
    ("model_info",): {"name", "id", "additional_details"},
    ("model_info", "additional_details"): {"deployment_type", "model_availability"},
}  # fmt: skip
OF_RESULT = {"evaluation_name", "source_data", "metric_config", "score_details"}


@pytest.fixture
def scored(write):
    """Return the scores of two systems on two datasets."""
    gold = {name: write(f"{name}.gold", GOLD) for name in ("x", "y")}
    good = {name: write(f"{name}.a", GOLD) for name in gold}
    poor = {name: write(f"{name}.b", GOLD.replace("B-PER", "O")) for name in gold}
    return coleval.load(gold, {"a": good, "org/b": poor}).score(by="dataset")


def test_records_of_every_eval_ever_have_all_that_its_schema_requires(scored, tmp_path):
    path = tmp_path / "scores.jsonl"
    scored.save(path, form="every-eval-ever")
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [record["model_info"]["id"] for record in records] == ["a", "org/b"]
    for record in records:
        for keys, required in REQUIRED.items():
            part = record
            for key in keys:
                part = part[key]
            assert required <= part.keys()
        assert REQUIRED[()] == record.keys()
        assert record["eval_library"]["additional_details"]["signature"] == scored.signature
        for result in record["evaluation_results"]:
            assert result.keys() >= OF_RESULT
            config = result["metric_config"]
            assert (config["min_score"], config["max_score"]) == (0, 1)
            assert config["lower_is_better"] is False
    values = {r["evaluation_result_id"]: r["score_details"]["score"]
              for r in records[1]["evaluation_results"]}  # fmt: skip
    assert math.isclose(values["all/f1"], 0.8)
    assert math.isclose(values["x/f1"], 0.8)


def test_yaml_of_the_hub_is_read_by_yaml_and_has_the_required_keys(scored, tmp_path):
    scored.save(f"{tmp_path}/", form="hf-eval-results")
    assert {path.name for path in tmp_path.iterdir() if path.suffix == ".yaml"} == {
        "a.yaml", "org_b.yaml",
    }  # fmt: skip
    entries = yaml.safe_load((tmp_path / "org_b.yaml").read_text(encoding="utf-8"))
    by_name = {(e["dataset"]["id"], e["dataset"]["task_id"]): e for e in entries}
    assert math.isclose(by_name["all", "f1"]["value"], 0.8)
    assert by_name["all", "f1"]["notes"].startswith("coleval:")
    assert isinstance(by_name["y", "f1"]["date"], str)


def test_scores_json_has_the_scores_by_name_with_signature_and_gold(write, tmp_path, capsys):
    gold, run = write("gold", GOLD), write("a", GOLD.replace("B-PER", "O"))
    assert main(["score", str(gold), str(run), "--as", "scores", "--quiet"]) == 0
    one = json.loads(capsys.readouterr().out)
    assert math.isclose(one["f1"], 0.8)
    assert f"|gold:{one['gold']}|" in one["signature"]
    assert main(["score", str(gold), str(run), f"b={gold}", "--as", "scores", "--quiet"]) == 0
    two = json.loads(capsys.readouterr().out)
    assert two["systems"]["b"]["f1"] == 1.0


def test_other_reports_have_no_such_form(write):
    gold, run = write("gold", GOLD), write("a", GOLD)
    with pytest.raises(UsageError, match="holds the scores of systems"):
        coleval.load(gold, {"a": run}).bins().save("x", form="scores")
