"""Published logs and accuracies: what other programs report must come out of their records."""

from __future__ import annotations

import json

import polars as pl
import pytest

import coleval
from coleval.errors import DataError

LOGS = "instance-logs"
# The systems that answered all questions, and none by an answer that nobody could parse.
POLICIES = ("wrong", "left_out")


@pytest.fixture(scope="module")
def mmlu(data, tmp_path_factory):
    """Return the corpus of all runs in one long table, its path, what is expected, path of gold."""
    folder = data("mmlu-pro")
    runs = []
    for path in sorted((folder / "runs").glob("*.tsv.gz")):
        run = pl.read_csv(path, separator="\t", infer_schema=False)
        # An answer that is empty is one that the run's program did not find.
        status = pl.when(pl.col("answer").fill_null("") == "").then(pl.lit("unparsed"))
        runs.append(run.with_columns(model=pl.lit(path.name.removesuffix(".tsv.gz")),
                                     status=status.otherwise(pl.lit("ok"))))  # fmt: skip
    gold = pl.read_csv(folder / "gold.tsv", separator="\t", infer_schema=False)
    long = pl.concat(runs).join(gold.rename({"answer": "gold"}), on="id", how="left")
    path = tmp_path_factory.mktemp("mmlu") / "long.csv"
    long.write_csv(path)
    expected = pl.read_csv(folder / "expected.tsv", separator="\t")
    return coleval.load(path), path, expected, folder / "gold.tsv"


@pytest.mark.parametrize("missing", ["wrong", "leave-out"])
def test_accuracies_under_both_policies_are_those_published(mmlu, missing):
    corpus, _, expected, _ = mmlu
    found = corpus.score(by="category", missing=missing)
    name = missing.replace("-", "_").replace("leave", "left")
    for table, column, wanted in [
        ("overall", "accuracy", f"accuracy_{name}"),
        ("ranking", "macro", f"macro_category_{name}"),
    ]:
        both = expected.join(found[table], on="system")
        assert len(both) == len(expected) == 24
        assert both[column].to_list() == pytest.approx(both[wanted].to_list(), abs=1e-12)
    counts = found["status"].pivot("status", index="system", values="n").fill_null(0)
    both = expected.join(counts, on="system")
    assert both["unparsed_right"].to_list() == both["unparsed"].to_list()
    assert both["not run"].to_list() == both["absent"].to_list()


def test_gold_of_a_table_and_a_long_table_without_it_give_the_same(mmlu, tmp_path):
    corpus, path, _, gold = mmlu
    bare = tmp_path / "bare.parquet"
    pl.read_csv(path, infer_schema=False).drop("gold", "category").write_parquet(bare)
    apart = coleval.load(gold, [bare]).score(missing="wrong")["overall"]
    assert apart.equals(corpus.score(missing="wrong")["overall"])


def test_leaving_unparsed_answers_out_lifts_a_run_by_places(mmlu):
    corpus, _, expected, _ = mmlu
    complete = expected.filter(pl.col("absent") == 0)["system"].to_list()
    chosen = corpus.chosen(complete)
    places = [
        chosen.score(missing=policy)["overall"]["system"].to_list().index("Qwen1.5-72B-Chat") + 1
        for policy in ("wrong", "leave-out")
    ]
    assert places == [6, 2]


def test_a_wide_table_and_its_long_form_give_the_same_scores(data):
    path = data("hatecheck/hatecheck_predictions.csv")
    wide = pl.read_csv(path, infer_schema=False)
    systems = [name for name in wide.columns if name.startswith("pred_")]
    long = wide.unpivot(systems, index=["case_id", "functionality", "label_gold"],
                        variable_name="system", value_name="answer")  # fmt: skip
    corpus = coleval.load(long)
    assert corpus.score()["overall"].equals(coleval.load(path).score()["overall"])
    rounded = corpus.score()["overall"].select("system", pl.col("accuracy").round(4))
    assert sorted(rounded["accuracy"]) == [0.3323, 0.6019, 0.6317, 0.7664]


def test_a_shared_task_as_one_long_table(data):
    folder = data("semeval2018-t12")
    names = sorted(p for p in (folder / "submissions").glob("*.txt"))
    whole = coleval.load(folder / "truth.txt", names, task="label")
    frame = whole.items.select("id", "gold", *whole.systems).cast(pl.String)
    long = frame.unpivot(list(whole.systems), index=["id", "gold"], variable_name="system",
                         value_name="answer").sample(fraction=1, shuffle=True, seed=1)  # fmt: skip
    wanted = whole.score()["overall"].drop("repairs")
    assert coleval.load(long).score()["overall"].drop("repairs").equals(wanted)


@pytest.mark.parametrize(("name", "scorer"), [
    ("data_arc_qwen", "choice"), ("data_arc_sonnet", "choice"),
    ("data_pubmedqa_gpt4o_mini", "choice"),
])  # fmt: skip
def test_accuracies_of_inspect_are_those_of_its_results(peer, name, scorer):
    path = peer(f"{LOGS}/inspect/{name}.json")
    results = json.loads(path.read_text())["results"]["scores"]
    wanted = next(one["metrics"]["accuracy"]["value"] for one in results if one["name"] == scorer)
    assert coleval.load(path).score()["overall"]["accuracy"][0] == pytest.approx(wanted)


def test_what_inspect_could_not_run_has_failed(peer):
    corpus = coleval.load(peer(f"{LOGS}/inspect/data_cvebench_empty_choices.json"))
    assert corpus.score()["status"]["status"].to_list() == ["failed"]


def test_an_inspect_log_without_samples_is_refused(peer):
    with pytest.raises(DataError, match="holds no samples"):
        coleval.load(peer(f"{LOGS}/inspect/data_with_llm_scoring.json"))


@pytest.mark.parametrize("run", [
    "commonsense-dataset=hellaswag,method=multiple_choice_joint,model=eleutherai_pythia-1b-v0",
    "mmlu-subject=philosophy,method=multiple_choice_joint,model=openai_gpt2",
    "narrative_qa-model=openai_gpt2",
])  # fmt: skip
def test_means_of_helm_are_those_of_its_instances(peer, run):
    folder = peer(f"{LOGS}/helm/{run}")
    stats = json.loads((folder / "stats.json").read_text())
    # HELM averages the splits apart.
    mine = [s for s in stats if s["name"]["name"] == "exact_match"
            and "perturbation" not in s["name"] and s["count"]]  # fmt: skip
    corpus = coleval.load(folder / "per_instance_stats.json", task="matrix")
    spec = json.loads((folder / "run_spec.json").read_text())
    assert corpus.systems == (spec["adapter_spec"]["model"],)
    for one in mine:
        of_split = corpus.with_options(where=f"split = '{one['name']['split']}'")
        assert of_split.score()["overall"]["accuracy"][0] == pytest.approx(one["mean"])


def test_the_harness_names_its_model_in_the_results(peer):
    path = next(peer(f"{LOGS}/lm_eval").glob("samples_*.jsonl"))
    corpus = coleval.load(path)
    results = json.loads(next(path.parent.glob("results_*.json")).read_text())
    assert corpus.systems == (results["model_name"],)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    right = sum(line["exact_match"] for line in lines)
    assert corpus.score()["overall"].select("correct", "items").row(0) == (right, len(lines))
    assert "level" in corpus.items.columns


def test_an_instance_of_every_eval_ever(peer):
    folder = peer(f"{LOGS}/skill_reference_conversion/data")
    corpus = coleval.load(next(folder.rglob("*_samples.jsonl")))
    assert corpus.items.select("id", "gold", "demo-org/demo-model").row(0) == (
        "demo_0001",
        "4",
        "4",
    )
