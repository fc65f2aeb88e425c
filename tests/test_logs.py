"""Logs of evaluation programs: what becomes gold, answers, scores, statuses and context."""

from __future__ import annotations

import gzip
import json

import polars as pl
import pytest

import coleval
from coleval.cli.main import main
from coleval.errors import ColevalError, DataError, UsageError
from logs_written import (
    every_eval,
    helm_run,
    helm_state,
    helm_stats,
    inspect_json,
    inspect_zip,
    lines,
    lm_eval,
    sample,
    zipped,
)

ARC = [sample(1, "A", "C", "A"), sample(2, "B", "I", "A"), sample(3, "A", "I", "B")]
LETTERS = {"A": "red", "B": "blue"}


def column(corpus, name):
    found = corpus.items[name]
    return (found.cast(pl.String) if found.dtype == pl.Enum else found).to_list()


@pytest.mark.parametrize("method", [0, 8, 93])
def test_a_zip_is_read_however_its_members_are_compressed(write, method):
    corpus = coleval.load(write("a.eval", inspect_zip(ARC, method=method)))
    assert corpus.task == "label"
    assert column(corpus, "gold") == ["A", "B", "A"]
    assert column(corpus, "m/one") == ["A", "A", "B"]
    assert column(corpus, "score_m/one") == [1, 0, 0]
    assert column(corpus, "subject") == ["law"] * 3


def test_a_document_and_a_zip_of_the_same_log_are_the_same(write):
    one = coleval.load(write("a.json", inspect_json(ARC))).items
    assert one.equals(coleval.load(write("a.eval", inspect_zip(ARC))).items)


def test_a_zip_without_a_header_is_of_the_system_of_its_file_name(write):
    assert coleval.load(write("crf.eval", inspect_zip(ARC, head=False))).systems == ("crf",)


def test_what_inspect_says_of_samples_becomes_their_status(write):
    refused = {"choices": [{"stop_reason": "content_filter"}], "completion": ""}
    log = inspect_json(
        [
            sample(1, "A", "C", "A"),
            sample(2, "A", "N", None),
            sample(3, "A", float("nan"), "what?"),
            sample(4, "A", "I", "B", error={"message": "timeout"}),
            sample(5, "A", "I", None, output=refused),
            sample(6, "A", None, None),
        ],
        ids=[*range(1, 8)],
    )
    corpus = coleval.load(write("a.json", log))
    assert column(corpus, "status_m/one") == [
        "ok", "empty", "unparsed", "failed", "refused", "empty", "not run",
    ]  # fmt: skip
    overall = corpus.score(missing="wrong")["overall"]
    assert overall.select("correct", "items").row(0) == (1, 7)
    assert overall["coverage"][0] == pytest.approx(1 / 7)


@pytest.mark.parametrize(
    ("value", "score"),
    [("C", 1), ("P", 0.5), ("I", 0), (0.25, 0.25), (True, 1), ("yes", 1), ("0.5", 0.5)],
)
def test_scores_are_numbers_as_inspect_makes_them(write, value, score):
    corpus = coleval.load(write("a.json", inspect_json([sample(1, "A", value, "x")])),
                          threshold=0.5)  # fmt: skip
    assert column(corpus, "score_m/one") == [score]
    assert column(corpus, "m/one") == ["1" if score >= 0.5 else "0"]


def test_scores_that_labels_contradict_make_a_matrix(write):
    # The scorer accepts what is not the target to the letter.
    log = inspect_json([sample(1, "Paris", "C", "In Paris"), sample(2, "Rome", "I", "Bonn")])
    corpus = coleval.load(write("a.json", log))
    assert corpus.task == "matrix"
    assert column(corpus, "m/one") == ["1", "0"]
    assert column(corpus, "answer_m/one") == ["In Paris", "Bonn"]
    assert column(corpus, "target") == ["Paris", "Rome"]


def test_a_score_on_a_scale_asks_for_a_threshold(write):
    path = write("a.json", inspect_json([sample(1, "x", 0.2, "y"), sample(2, "x", 0.9, "y")]))
    with pytest.raises(UsageError, match=r"a\.json samples\[0\]: the scores go from 0\.2 to 0\.9"):
        coleval.load(path)
    assert column(coleval.load(path, threshold=0.5), "m/one") == ["0", "1"]


def test_one_of_several_scorers_is_chosen_by_name(write):
    scores = {"exact": {"value": "I"}, "judge": {"value": {"fluent": 1, "right": 0.5}}}
    path = write("a.json", inspect_json([sample(1, "x", None, "y", scores=scores)]))
    chosen = coleval.load(path, score="judge.fluent,judge.right", task="matrix", threshold=1)
    assert column(chosen, "score_m/one") == [1]
    assert column(chosen, "judge.right_m/one") == [0.5]
    with pytest.raises(UsageError, match=r"no score is called `exat`.*\n.*`exact`"):
        coleval.load(path, score="exat")


def test_the_score_that_is_chosen_says_what_became_of_a_sample(write):
    scores = {"exact": {"value": float("nan")}, "judge": {"value": "I", "answer": "B"}}
    path = write("a.json", inspect_json([sample(1, "A", None, "", scores=scores), ARC[0] | {
        "scores": {"exact": {"value": "C"}, "judge": {"value": "N"}}, "id": 2}]))  # fmt: skip
    by_judge = coleval.load(path, score="judge", task="matrix")
    assert column(by_judge, "status_m/one") == ["ok", "empty"]
    assert column(coleval.load(path, task="matrix"), "status_m/one") == ["empty", "ok"]


def test_epochs_need_a_policy(write):
    samples = [sample(1, "A", v, a, epoch=e) for e, v, a in [(1, "I", "B"), (2, "C", "A")]]
    path = write("a.eval", inspect_zip([*samples, sample(2, "B", "C", "B")]))
    with pytest.raises(DataError, match=r"1_epoch_2\.json: `m/one` answers `1` more than once"):
        coleval.load(path)
    answers = {p: column(coleval.load(path, epochs=p), "m/one") for p in ("first", "any", "all")}
    assert answers == {"first": ["B", "B"], "any": ["A", "B"], "all": ["B", "B"]}
    mean = coleval.load(path, epochs="mean", threshold=0.5)
    assert column(mean, "score_m/one") == [0.5, 1]
    assert column(mean, "m/one") == ["1", "1"]


def test_the_harness_is_read_with_its_results(write):
    date = "2026-01-21T03-44-18.458309"
    records = [lm_eval(0, "7", " 7 ", 1.0), lm_eval(1, "8", "7", 0.0), lm_eval(2, "7", " ", 0.0),
               lm_eval(3, "7", "[invalid]", 0.0)]  # fmt: skip
    write(f"results_{date}.json", json.dumps({"model_name": "org/model"}))
    corpus = coleval.load(write(f"samples_sums_{date}.jsonl", lines(records)))
    assert corpus.systems == ("org/model",)
    assert column(corpus, "org/model") == ["7", "7", None, None]
    assert column(corpus, "status_org/model") == ["ok", "ok", "empty", "unparsed"]
    assert column(corpus, "level") == ["easy"] * 4


def test_choices_of_the_harness_are_answered_by_the_likeliest(write):
    resps = [["-3.5", "False"], ["-1.25", "True"], ["-9", "False"]]
    records = [lm_eval(0, "1", None, 1.0, metric="acc", filtered_resps=resps),
               lm_eval(1, "0", None, 0.0, metric="acc", filtered_resps=resps)]  # fmt: skip
    corpus = coleval.load(write("samples_arc.jsonl", lines(records)))
    assert column(corpus, "gold") == ["1", "0"]
    assert column(corpus, "samples_arc") == ["1", "1"]


def test_several_filters_of_the_harness_need_a_choice(write):
    records = [lm_eval(0, "7", "7", 1.0, filter="strict"), lm_eval(0, "7", "", 0.0, filter="last")]
    path = write("samples_a.jsonl", lines(records))
    with pytest.raises(UsageError, match=r"2 filters: strict, last\n.*exact_match:strict"):
        coleval.load(path)
    assert column(coleval.load(path, score="exact_match:last", task="matrix"),
                  "status_samples_a") == ["empty"]  # fmt: skip


def test_helm_is_read_with_its_folder(tmp_path):
    states = [helm_state("id1", "red", " A", LETTERS), helm_state("id2", "blue", " A", LETTERS),
              helm_state("id3", "red", " A red", LETTERS),
              helm_state("id4", "red", "", LETTERS, success=False)]  # fmt: skip
    stats = [helm_stats(f"id{n + 1}", exact_match=m) for n, m in enumerate([1, 0, 0, 0])]
    corpus = coleval.load(helm_run(tmp_path / "run", states, stats))
    assert corpus.systems == ("org/one",)
    assert column(corpus, "gold") == ["A", "B", "A", "A"]
    assert column(corpus, "org/one") == ["A", "A", None, None]
    assert column(corpus, "status_org/one") == ["ok", "ok", "unparsed", "failed"]
    assert column(corpus, "subject") == ["law"] * 4


def test_another_score_of_helm_is_chosen_with_a_threshold(tmp_path):
    states = [helm_state("id1", "His niece", "A niece"), helm_state("id2", "Bread", "Stone")]
    stats = [helm_stats("id1", exact_match=0, rouge_l=0.5), helm_stats("id2", exact_match=0,
             rouge_l=0.1)]  # fmt: skip
    path = helm_run(tmp_path / "run", states, stats)
    corpus = coleval.load(path, score="rouge_l", threshold=0.3)
    assert column(corpus, "org/one") == ["1", "0"]


def test_runs_of_helm_in_folders_of_one_name_are_told_apart_by_their_models(tmp_path):
    for model in ("a/x", "b/y"):
        states = [helm_state("id1", "red", "A", LETTERS)]
        helm_run(tmp_path / model, states, [helm_stats("id1", exact_match=1)], model)
    corpus = coleval.load(str(tmp_path / "*" / "*" / "per_instance_stats.json").replace(
        "*/*", "a/x"), str(tmp_path / "b/y/per_instance_stats.json"))  # fmt: skip
    assert corpus.systems == ("a/x", "b/y")


def test_every_eval_ever_says_what_is_right(write):
    records = [every_eval("q1", ["4"], "4", right=True), every_eval("q2", ["4"], "5", right=False),
               every_eval("q3", ["5"], "4", right=False, error="timeout")]  # fmt: skip
    corpus = coleval.load(write("x_samples.jsonl", lines(records)))
    assert column(corpus, "org/one") == ["4", "5", None]
    assert column(corpus, "status_org/one") == ["ok", "ok", "failed"]
    assert column(corpus, "subject") == ["maths"] * 3


def test_several_accepted_answers_are_judged_by_the_score(write):
    records = [every_eval("q1", ["4", "four"], "four", right=True)]
    corpus = coleval.load(write("x_samples.jsonl", lines(records)))
    assert (corpus.task, column(corpus, "target")) == ("matrix", ["4 | four"])


def test_logs_of_several_programs_meet_by_their_tasks_and_ids(write):
    inspected = write("a.json", inspect_json(ARC[:2], model="one", task="bench"))
    other = [every_eval(n, [t], "A", right=t == "A", model="two") for n, t in [("1", "A"),
             ("2", "B")]]  # fmt: skip
    corpus = coleval.load(inspected, [write("b_samples.jsonl", lines(other))])
    assert corpus.systems == ("one", "two")
    assert len(corpus.items) == 2


def test_several_tasks_are_a_column(write):
    logs = [write(f"{t}.json", inspect_json(ARC, task=t)) for t in ("arc", "law")]
    corpus = coleval.load(logs[0], logs[1:])
    assert column(corpus, "task") == ["arc"] * 3 + ["law"] * 3


def test_one_system_in_two_files_is_an_error_unless_it_is_named(write):
    first, second = (str(write(name, inspect_json(ARC))) for name in ("a.json", "b.json"))
    with pytest.raises(DataError, match=r"two runs of `m/one`.*\n.*one2=.*b\.json"):
        coleval.load(first, [second])
    assert coleval.load(first, {"again": second}).systems == ("m/one", "again")


@pytest.mark.parametrize(("policy", "gold"), [("first", ["A", "B"]), ("majority", ["C", "B"])])
def test_gold_that_differs_is_settled_by_a_policy(write, capsys, policy, gold):
    logs = [str(write(f"{n}.json", inspect_json([sample(1, t, "I", "B"), sample(2, "B", "C", "B")],
            model=n))) for n, t in [("a", "A"), ("b", "C"), ("c", "C")]]  # fmt: skip
    with pytest.raises(DataError, match=r"b\.json samples\[0\]: gold of `1` is `C`, but `A` in "):
        coleval.load(logs[0], logs[1:])
    corpus = coleval.load(logs[0], logs[1:], conflicting=policy, task="label")
    assert column(corpus, "gold") == gold
    assert f"settled by --conflicting {policy}" in "".join(corpus.warnings)
    assert main(["validate", *logs]) == 1
    assert "gold of `1` is `C`" in " ".join(capsys.readouterr().out.split())


def test_validate_lists_what_systems_lack_and_what_nobody_expects(write, capsys):
    gold = write("gold.csv", "id,gold,genre\n1,A,x\n2,B,y\n")
    long = write("long.csv", "system,id,answer\na,1,A\na,2,B\nb,1,B\nb,9,A\n")
    assert main(["validate", str(gold), str(long)]) == 1
    told = " ".join(capsys.readouterr().out.split())
    assert "long.csv:5 error: unexpected 1 id is not in gold: `9`, answered by `b`" in told
    assert "`b` was not run on 1 of 2 instances: `2`" in told


def test_a_long_table_takes_gold_from_a_table_of_its_own(write):
    gold = write("gold.csv", "id,gold,genre\n2,B,y\n1,A,x\n")
    long = write("long.csv", "system,id,answer,status\na,1,A,ok\na,2,,refused\nb,2,B,\n")
    corpus = coleval.load(gold, [long])
    assert column(corpus, "id") == ["2", "1"]
    assert column(corpus, "genre") == ["y", "x"]
    assert column(corpus, "status_a") == ["refused", "ok"]
    assert column(corpus, "status_b") == ["ok", "not run"]


def test_columns_of_a_long_table_are_chosen(write):
    text = "question,model,answer_key,prediction,topic\nq1,a,X,X,t\nq1,b,X,Y,t\n"
    corpus = coleval.load(write("x.csv", text), columns="id=question,system=model,"
                          "gold=answer_key,answer=prediction")  # fmt: skip
    assert corpus.systems == ("a", "b")
    assert column(corpus, "topic") == ["t"]
    assert column(corpus, "b") == ["Y"]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet", "arrow"])
def test_a_long_table_is_read_whatever_it_is_written_in(tmp_path, suffix):
    frame = pl.DataFrame({"system": ["a", "b"], "id": ["1", "1"], "score": [0.25, 1.0]})
    path = tmp_path / f"x.{suffix}"
    {
        "csv": frame.write_csv,
        "tsv": lambda p: frame.write_csv(p, separator="\t"),
        "jsonl": frame.write_ndjson,
        "parquet": frame.write_parquet,
        "arrow": frame.write_ipc,
    }[suffix](path)
    of_file = coleval.load(path, threshold=0.5)
    assert column(of_file, "a") == ["0"]
    assert column(coleval.load(frame, threshold=0.5), "score_a") == [0.25]


def test_facts_that_differ_between_systems_are_columns_of_each(write):
    text = "system,id,score,seconds,topic\na,1,1,0.5,t\nb,1,0,0.7,t\n"
    corpus = coleval.load(write("x.csv", text))
    assert column(corpus, "topic") == ["t"]
    assert (column(corpus, "seconds_a"), column(corpus, "seconds_b")) == ([0.5], [0.7])


def test_a_column_of_statuses_is_named_for_tables_of_one_system(write):
    gold = write("gold.csv", "id,gold\n1,A\n2,B\n3,A\n")
    system = write("s.csv", "id,answer,what\n1,A,ok\n2,B,Refused\n")
    corpus = coleval.load(gold, {"s": system}, status="what", missing="wrong")
    assert column(corpus, "status_s") == ["ok", "refused", "not run"]
    assert corpus.score()["overall"].select("correct", "items").row(0) == (1, 3)
    write("s.csv", "id,answer,what\n1,A,ok\n2,B,Refsed\n")
    with pytest.raises(UsageError, match=r"s\.csv:3: no status is called `Refsed`"):
        coleval.load(gold, {"s": system}, status="what")


def test_item_scores_go_to_means_pivots_and_buckets(write):
    text = "system,id,score,topic\n" + "".join(
        f"{s},{i},{(i % 4) / 4 + 0.1 * (s == 'a')},{'xy'[i % 2]}\n" for s in "ab" for i in range(8)
    )
    corpus = coleval.load(write("x.csv", text), threshold=0.5)
    means = corpus.measure(means="score_*")
    assert means["means"]["mean"].to_list() == pytest.approx([0.475, 0.375])
    assert means["mean_pairs"]["p"][0] < 0.05
    assert corpus.bins()["bins"]["items"].to_list() == [4, 0, 4]
    assert corpus.pivot(rows="topic", cols="score_a > 0.5")["pivot"]["n"].sum() == 8
    assert len(corpus.buckets(attributes=["topic"])["buckets"]) == 4


def test_a_store_of_logs_keeps_scores_and_statuses(write, tmp_path, capsys):
    logs = [str(write(f"{m}.eval", inspect_zip(ARC[:n], model=m))) for m, n in [("a", 3), ("b", 2)]]
    store = str(tmp_path / "store")
    assert main(["load", *logs, "-o", store, "--quiet"]) == 0
    here = coleval.load(logs[0], logs[1:])
    there = coleval.open(store)
    assert there.items.equals(here.items)
    assert there.score(missing="wrong")["status"].equals(here.score(missing="wrong")["status"])
    more = str(write("c.eval", inspect_zip(ARC, model="c")))
    assert main(["load", *logs, more, "-o", store, "--quiet"]) == 0
    assert coleval.open(store).systems == ("a", "b", "c")
    assert main(["load", more, "-o", store, "--quiet"]) == 2
    assert "lack 2 of its 3 systems: a, b" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("name", ["a.eval", "samples_a.jsonl", "long.csv"])
def test_compressed_logs_are_read(write, name):
    plain = {
        "a.eval": inspect_zip(ARC),
        "samples_a.jsonl": lines([lm_eval(0, "A", "A", 1.0)]).encode(),
        "long.csv": b"system,id,score\na,1,1\n",
    }[name]
    packed = coleval.load(write(f"packed/{name}.gz", gzip.compress(plain)))
    assert packed.items.equals(coleval.load(write(name, plain)).items)


def test_a_template_of_logs_needs_no_gold(write, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    for system, n in [("a", 3), ("b", 2)]:
        write(f"runs/{system}/arc.json", inspect_json(ARC[:n]))
    write("runs/a/law.json", inspect_json(ARC))
    corpus = coleval.load("runs/{system}/{dataset}.json")
    assert corpus.systems == ("a", "b")
    assert column(corpus, "dataset") == ["arc"] * 3 + ["law"] * 3
    assert column(corpus, "status_b") == ["ok", "ok", "not run", None, None, None]
    counts = corpus.score(missing="wrong")["status"]
    assert counts.rows() == [("a", "ok", 6, 1.0), ("b", "ok", 2, 1 / 3), ("b", "not run", 4, 2 / 3)]
    assert main(["load", "runs/{system}/{dataset}.json", "-o", "s", "--quiet"]) == 0
    assert coleval.open("s").score(missing="wrong")["status"].equals(counts)
    assert main(["validate", "runs/{system}/{dataset}.json"]) == 1
    told = " ".join(capsys.readouterr().out.split())
    assert "`b` has no run on 1 of 2 gold files: law" in told
    assert "`a` has no run" not in told


BAD = {
    "no samples": ("a.eval", zipped({"header.json": "{}"}), "holds no samples"),
    "an empty zip": ("a.eval", zipped({}), "holds no samples"),
    "a zip cut off": ("a.eval", inspect_zip(ARC)[:200], "the zip is damaged"),
    "a broken sample": ("a.eval", zipped({"samples/1.json": '{"id": 1,'}),
                        r"a\.eval samples/1\.json:1: is not JSON"),
    "a list for a score": ("a.json", inspect_json([sample(1, "A", [1], "A")]),
                           r"samples\[0\]: `scores.choice.value` is a list of 1"),
    "an object for a target": ("a.json", inspect_json([sample(1, {"x": 1}, "C", "A")]),
                               r"samples\[0\]: `target` is an object where text is due"),
    "a list for an id": ("a.json", inspect_json([sample([1], "A", "C", "A")]),
                         r"`id` is a list of 1 where text is due"),
    "no id": ("samples_a.jsonl", '{"doc_id": null, "doc": {}, "target": "A"}\n', "has no `doc_id`"),
    "a broken line": ("samples_a.jsonl", '{"doc_id": 1, "doc": {}}\n{"doc_id":\n',
                      r"samples_a\.jsonl:2: is not JSON: expecting value at column 11"),
    "a line that is a list": ("samples_a.jsonl", '{"doc_id": 1, "doc": {}}\n[1]\n',
                              r"samples_a\.jsonl:2: `the record` is a list of 1"),
    "half a character": ("samples_a.jsonl", lines([lm_eval(1, "A", "\ud800", 1.0)]),
                         r"samples_a\.jsonl:1: holds half a character"),
    "a word for is_correct": ("x_samples.jsonl", lines([every_eval("1", ["A"], "A", right="x",
                              score=1)]), r"`evaluation.is_correct` is text"),
    "stats that are no list": ("per_instance_stats.json", '[{"instance_id": "1", "stats": 3}]',
                               r"per_instance_stats\.json \[0\]: `stats` is a number"),
    "a word for a score": ("a.csv", "system,id,score\na,1,0.5\na,2,good\n",
                           r"a\.csv:3: `good` in column `score` is not a number"),
    "a word for right": ("a.csv", "system,id,correct\na,1,maybe\n",
                         r"a\.csv:2: `maybe` in column `correct` is neither right nor wrong"),
    "a row without a system": ("a.csv", "system,id,score\na,1,1\n,2,1\n",
                               r"a\.csv:3: column `system` is empty"),
    "the same row twice": ("a.csv", "system,id,score\na,1,1\na,1,0\n",
                           r"a\.csv:3: `a` answers `1` more than once, first in .*a\.csv:2"),
    "an epoch twice": ("a.csv", "system,id,score,epoch\na,1,1,1\na,1,0,1\n",
                       r"a\.csv:3: .* more than once"),
    "a word for an epoch": ("a.csv", "system,id,score,epoch\na,1,1,x\n",
                            r"a\.csv:2: `x` in column `epoch` is not a whole number"),
    "a system called gold": ("a.csv", "system,id,score\ngold,1,1\n", "cannot be called `gold`"),
    "only a header": ("a.csv", "system,id,score\n", "holds no rows"),
    "no score and no gold": ("a.csv", "system,id,answer\na,1,x\n", "nothing says what gold is"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_logs_give_an_error_that_says_which_record(write, case):
    name, data, message = BAD[case]
    with pytest.raises(ColevalError, match=message):
        coleval.load(write(name, data))


@pytest.mark.parametrize("options", [
    {"columns": "id=x"}, {"status": "x"}, {"threshold": float("nan")}, {"epochs": "some"},
    {"conflicting": "last"}, {"task": "label", "epochs": "mean"}, {"score": "x"},
])  # fmt: skip
def test_options_that_do_not_fit_a_log_are_refused(write, options):
    with pytest.raises(UsageError):
        coleval.load(write("a.json", inspect_json(ARC)), **options)


def test_a_list_where_text_is_due_is_an_error_that_says_the_row():
    frame = pl.DataFrame({"system": ["a"], "id": ["1"], "gold": ["A"], "answer": [["A", "B"]]})
    with pytest.raises(DataError, match="<gold> row 1: column `answer` holds a list"):
        coleval.load(frame)


def test_a_long_table_is_known_in_a_stream_of_arrow_too(tmp_path):
    rows = {"system": ["a", "a", "b", "b"], "id": ["1", "2"] * 2, "gold": ["X", "Y"] * 2,
            "answer": ["X", "Y", "X", "X"]}  # fmt: skip
    path = tmp_path / "long.arrows"
    pl.DataFrame(rows).write_ipc_stream(path)
    corpus = coleval.load(str(path))
    assert corpus.systems == ("a", "b")
    assert corpus.score().table("overall").sort("system")["tp"].to_list() == [2, 1]
