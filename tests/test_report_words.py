"""A report goes by one metric, names it and its n, and keeps the warnings of its chapters."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import coleval
from coleval.analyses.compare.figures import ranked
from coleval.errors import UsageError
from coleval.render.console import render

Write = Callable[[str, str], Path]


def findings(report: coleval.Report) -> dict[str, str]:
    rows = report.table("story").select("chapter", "finding").rows()
    return {chapter: finding for chapter, finding in rows if finding is not None}


def questions(report: coleval.Report) -> dict[str, str]:
    return dict(report.table("story").select("chapter", "question").rows())


def tags(write: Write, gold: str, **systems: str) -> coleval.Corpus:
    def text(letters: str) -> str:
        return "".join(f"w{at}\t{tag}\n\n" for at, tag in enumerate(letters.split()))

    files = {name: write(f"{name}.tsv", text(letters)) for name, letters in systems.items()}
    return coleval.load(write("gold.tsv", text(gold)), files, task="tag")


@pytest.fixture(scope="module")
def coref(data: Callable[[str], Path]) -> coleval.Corpus:
    folder = data("cdcr-event-coref/ecbp/within_doc")
    return coleval.load(
        str(folder / "gold.conll"), [str(p) for p in sorted((folder / "systems").glob("*"))[:4]]
    )


@pytest.mark.parametrize(
    ("chosen", "metric", "name"),
    [({}, "conll", "CoNLL F1"), ({"metric": "lea"}, "lea", "LEA F1"),
     ({"metric": "arcs_any"}, "arcs_any", "ARCS F1 (any antecedent)")],
)  # fmt: skip
def test_coreference_is_ranked_and_tested_by_one_named_metric(
    coref: coleval.Corpus, chosen: dict[str, Any], metric: str, name: str
) -> None:
    report = coref.report(replicates=50, **chosen)
    said = findings(report)
    assert f"{name} " in said["score"]
    assert f"by {name} " in said["compare"]
    assert "gold mentions)" in said["score"]
    overall = report.table("score.overall")
    own = overall.filter(overall["metric"] == metric)
    for table, prefix in (
        ("score.overall", "overall  systems, best first by "),
        ("compare.ranks", "ranks  "),
    ):
        assert render(report, table).startswith(f"{prefix}{name}")
    board = coref.score(leaderboard=True, replicates=50, **chosen)
    assert render(board, "leaderboard").startswith(f"leaderboard  {name} %, 95 % intervals")
    assert board.table("leaderboard")["system"].to_list() == own["system"].to_list()
    ranks = report.table("compare.ranks")
    assert own["system"].to_list() == ranks["system"].to_list()
    assert own["f1"].to_list() == pytest.approx(ranks["value"].to_list())


def test_a_metric_that_a_task_has_not_is_an_error_that_names_those_it_has(
    coref: coleval.Corpus,
) -> None:
    with pytest.raises(UsageError, match="no metric is called `las`"):
        coref.score(metric="las")


def test_trees_are_told_by_the_metric_that_was_chosen(data: Callable[[str], Path]) -> None:
    folder = data("compareval-en_gum")
    systems = [str(path) for path in sorted((folder / "systems").glob("[HLU]*"))]
    corpus = coleval.load(str(folder / "gold.conllu"), systems, task="dep")
    report = corpus.report(metric="uas", replicates=50)
    said = findings(report)
    overall = report.table("score.overall")
    best = overall.filter(overall["metric"] == "UAS").row(0, named=True)
    start = f"{best['system']} ranks first with UAS {100 * best['f1']:.2f}, "
    assert said["score"].startswith(start)
    assert "by UAS" in said["compare"]


def test_systems_that_no_test_sets_apart_lead_the_findings_together(write: Write) -> None:
    gold = "A B " * 30
    near, far_off = gold.replace("A", "B", 1), gold.replace("A", "C")
    corpus = tags(write, gold, one=gold, two=near, three=far_off)
    said = findings(corpus.report())
    assert said["score"] == (
        "one, two are tied for first with accuracy 100.00 to 98.33: no difference from one is "
        "significant (n = 60 tokens)."
    )
    assert "not significantly different from two" in said["compare"]


def test_the_band_of_ties_holds_nothing_that_a_mark_calls_worse(write: Write) -> None:
    gold = "A B " * 30
    names = [gold.replace("A", "C", wrong) for wrong in (0, 4, 8, 12)]
    corpus = tags(write, gold, **{f"s{k}": answers for k, answers in enumerate(names)})
    rows = ranked(corpus.compare()).select("system", "tied", "band", "group").rows()
    assert ("s3", False, None, 1) in rows
    assert all((band == "tied") == tied for _, tied, band, _ in rows)


def test_columns_of_a_table_are_attributes_of_its_rows(write: Write) -> None:
    """MMLU-Pro: no attribute was said to have two buckets, above gaps of 24 points."""
    lines = [f"q{k},{'ab'[k % 2]},{'math' if k < 40 else 'law'}" for k in range(80)]
    table = write("gold.csv", "\n".join(["id,answer,category", *lines]))
    wrong = [f"q{k},{'ab'[k % 2] if k < 40 or k % 4 else 'c'}" for k in range(80)]
    answers = write("one.csv", "\n".join(["id,answer", *wrong]))
    said = findings(coleval.load(table, {"one": answers}, task="label").report())
    assert said["buckets"].startswith("Mean accuracy falls 25.0 points from category math (n = 40)")
    bare = write("bare.csv", "\n".join(["id,answer", *(f"q{k},b" for k in range(80))]))
    bare = coleval.load(bare, {"one": answers}, task="label")
    assert findings(bare.report())["buckets"] == (
        "No attribute is available but gold's own answers."
    )


def test_every_finding_is_a_sentence(write: Write) -> None:
    corpus = tags(write, "A B A B A", one="A B A B B", two="A A A B B", three="B A B A B")
    said = findings(corpus.report(replicates=50))
    assert {text[-1] for text in said.values()} == {"."}
    assert said["score"] == (
        "one ranks first with accuracy 80.00, 20.00 points ahead of two (n = 5 tokens)."
    )
    assert said["bins"] == "All systems solve 0 of 5 items (0.0 %); none solves 1 (20.0 %)."
    assert said["oracle"] == (
        "At least one system is right on 80.0 %; the best (one) on 80.0 %; "
        "a majority vote on 60.0 % (n = 5 items)."
    )
    assert said["changes"].startswith(
        "From two to one, accuracy rises 20.00 points (60.00 → 80.00)"
    )


def test_systems_with_one_score_share_the_first_rank(write: Write) -> None:
    corpus = tags(write, "A B A B", one="A B A A", two="A B B B")
    said = findings(corpus.report(replicates=50))
    assert said["score"] == "one, two share the first rank with accuracy 75.00 (n = 4 tokens)."


def test_a_system_significantly_worse_than_the_best_is_not_called_the_same(write: Write) -> None:
    # a > c is significant; a > b is not, nor b > c: all three are one group of ties.
    said = {"a": "A" * 140 + "B" * 60, "b": "B" * 70 + "A" * 130, "c": "A" * 110 + "B" * 90}
    systems = {name: " ".join(tags_) for name, tags_ in said.items()}
    corpus = tags(write, " ".join("A" * 200), **systems)
    assert corpus.compare(replicates=500).table("ranks")["group"].to_list() == [1, 1, 1]
    text = findings(corpus.report(replicates=500))["compare"]
    assert text == (
        "a ranks 1–2 of 3 by accuracy (95 %, n = 200 sentences); "
        "not significantly different from b."
    )


@pytest.mark.parametrize(
    ("names", "baseline", "question"),
    [
        (("one", "two"), "", "Changes from the runner-up"),
        (("one", "two"), "two", "Changes from the baseline, two"),
        (("one", "my-baseline"), "", "Changes from my-baseline"),
        (("my-baseline", "two"), "", "Changes from the runner-up"),
        (("one", "two"), "one", "Changes from the runner-up"),
    ],
)
def test_a_baseline_is_spoken_of_only_where_one_was_named(
    write: Write, names: tuple[str, str], baseline: str, question: str
) -> None:
    corpus = tags(write, "A B A B", **{names[0]: "A B A B", names[1]: "A B B B"})
    report = corpus.report(baseline=baseline, replicates=50)
    assert questions(report)["changes"] == question
    assert ("baseline:" in report.signature) == bool(baseline)


def test_a_report_keeps_the_warnings_and_the_statistics_of_its_chapters(write: Write) -> None:
    corpus = tags(write, "A B A B", one="A B A B", two="A B B B")
    report = corpus.report(replicates=20, seed=7)
    compare = corpus.compare(replicates=20, seed=7)
    assert set(compare.warnings) <= set(report.warnings)
    assert compare.warnings
    for part in ("test:mcnemar/20", "seed:7", "correct:holm", "resample:sentence"):
        assert f"|{part}|" in report.signature


def test_an_attribute_of_a_handful_of_items_is_not_what_matters(write: Write) -> None:
    # One token of 41 is alone in its sentence and wrong; half of the upper-case ones are wrong.
    rows = [("w", "A", "A")] * 20 + [("W", "A", "A"), ("W", "A", "B")] * 10
    text = ["".join(f"{form}\t{tags[k]}\n" for form, *tags in rows) for k in (0, 1)]
    gold, said = text[0] + "\nx\tA\n", text[1] + "\nx\tB\n"
    corpus = coleval.load(write("gold.tsv", gold), {"s": write("s.tsv", said)}, task="tag")
    chosen = {"attributes": ("sLen", "case=form = upper(form)"), "buckets": {"sLen": "discrete 3"}}
    table = corpus.buckets(**chosen).table("attributes")
    by_name = {row["attribute"]: row for row in table.to_dicts()}
    assert abs(by_name["sLen"]["gap"]) > abs(by_name["case"]["gap"])
    assert by_name["sLen"]["spread"] < by_name["case"]["spread"]
    fall = by_name["case"]
    assert (fall["from_n"], fall["to_n"]) == (21, 20)


def test_the_head_of_a_page_counts_all_mentions_of_gold(coref: coleval.Corpus) -> None:
    """Those that have an antecedent, 377, were called gold's mentions."""
    about = coref.score().about
    assert about is not None
    assert dict(about.facts)["gold"] == "1,780 mentions"
