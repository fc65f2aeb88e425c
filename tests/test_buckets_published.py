"""Published breakdowns: InterpretEval's own output."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import polars as pl
import pytest

import coleval
from coleval.analyses.buckets.spec import Options
from coleval.analyses.buckets.tables import plan

RUNS = {
    "conll03": {
        "Flair": "connl03_CflairWglove_lstmCrf_9303.txt",
        "ELMo": "connl03_CelmoWglove_lstmCrf_9222.txt",
    },
    "wnut16": {
        "Flair": "wnut16_CflairWglove_lstmCrf_27707443_4596.txt",
        "ELMo": "wnut16_CelmoWglove_lstmCrf_29275447_4533.txt",
    },
}
OUTSIDE = ("(below)", "(above)", "(other)", "(null)")
CORPORA, SYSTEMS = list(RUNS), ("Flair", "ELMo")
# The published oDen follows from a list of words of their own: see ``vocabulary``.
FROM_TRAINING = ("eCon", "tCon", "eFre", "tFre", "eLen", "sLen", "eDen", "label")


@pytest.fixture(scope="module")
def report(data):
    """Return what gives the report of a corpus, under a profile or none."""

    @cache
    def report(corpus, profile="", vocabulary=""):
        folder = data(f"interpreteval/{corpus}")
        first, *others = (folder / "results" / file for file in RUNS[corpus].values())
        loaded = coleval.load(
            str(first),
            {"ELMo": str(others[0])},
            merged=True,
            columns="form=1,gold=2,system=3",
            profile=profile,
        )
        return loaded.buckets(
            train=str(folder / "data" / "train.txt"),
            vocabulary=vocabulary,
            pair=("ELMo", loaded.systems[0]),
        )

    return report


@pytest.fixture(scope="module")
def expected(data):
    """Return what gives the parts of a published file by their headings."""

    @cache
    def expected(corpus):
        path = data(f"interpreteval/expected/{corpus}-Flair-ELMo-5Lresults.txt")
        parts = re.split(r"^# (.*?) *\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        return dict(zip(parts[1::2], parts[2::2], strict=True))

    return expected


def rows_of(text, name):
    """Return attribute → numbers of one system's block, bucket numbers left out."""
    block = next(b for b in text.strip().split("\n\n") if b.startswith(name))
    lines = (line.split("\t") for line in block.split("\n")[1:] if line.strip())
    told = {a.replace("tag", "label"): v.split() for a, v in lines}
    return {a: [float(part.partition(":")[2] or part) for part in v] for a, v in told.items()}


def places_of(text, name):
    """Return attribute → the bucket numbers named."""
    block = next(b for b in text.strip().split("\n\n") if b.startswith(name))
    lines = (line.split("\t") for line in block.split("\n")[1:] if line.strip())
    return {
        a.replace("tag", "label"): [int(p.partition(":")[0]) for p in v.split() if ":" in p]
        for a, v in lines
    }


def system_of(report, name):
    return (
        "ELMo"
        if name == "ELMo"
        else next(s for s in report.tables["self_diagnosis"]["system"] if s != "ELMo")
    )


def buckets_of(report, attribute):
    """Return the names of regular buckets in the program's order: labels by name."""
    own = report.tables["buckets"].filter(attribute=attribute)["bucket"].unique(maintain_order=True)
    names = [name for name in own if name not in OUTSIDE]
    return sorted(names) if attribute == "label" else names


def scores_of(report, attribute, name):
    rows = report.tables["buckets"].filter(attribute=attribute, system=system_of(report, name))
    found = dict(rows.select("bucket", "f1").iter_rows())
    return [found[bucket] for bucket in buckets_of(report, attribute)]


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("corpus", CORPORA)
def test_entity_length_comes_out_without_a_profile(report, expected, corpus, name):
    want = rows_of(expected(corpus)["break-down performance"], name)["eLen"]
    assert scores_of(report(corpus), "eLen", name) == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("corpus", CORPORA)
def test_labels_come_out_without_a_profile(report, expected, corpus, name):
    # The file has the six most frequent labels; without a profile there is a bucket for each.
    want = rows_of(expected(corpus)["break-down performance"], name)["label"]
    six = buckets_of(report(corpus, "interpreteval"), "label")
    rows = (
        report(corpus)
        .tables["buckets"]
        .filter(attribute="label", system=system_of(report(corpus), name))
    )
    ours = dict(rows.select("bucket", "f1").iter_rows())
    assert [ours[label] for label in six] == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("corpus", CORPORA)
def test_sentence_length_comes_out_without_a_profile_but_for_its_lowest_bucket(
    report, expected, corpus, name
):
    want = rows_of(expected(corpus)["break-down performance"], name)["sLen"]
    ours = scores_of(report(corpus), "sLen", name)
    assert ours[1:] == pytest.approx(want[1:], abs=1e-12)


@pytest.mark.parametrize("attribute", FROM_TRAINING)
@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("corpus", CORPORA)
def test_the_profile_gives_the_published_scores(report, expected, corpus, name, attribute):
    want = rows_of(expected(corpus)["break-down performance"], name)[attribute]
    ours = scores_of(report(corpus, "interpreteval"), attribute, name)
    assert ours == pytest.approx(want, abs=1e-12)


@pytest.fixture(scope="module")
def vocabulary(data):
    """Return what gives the file of words that the published oDen knows, of their repository.

    They are neither training's nor all the data's: words of embeddings, it seems.
    """
    return lambda corpus: str(data(f"interpreteval/{corpus}/oDen_vocabulary.txt"))


@pytest.mark.parametrize(("corpus", "words"), [("conll03", 26475), ("wnut16", 15946)])
def test_a_word_of_the_vocabulary_is_a_line(vocabulary, corpus, words):
    lines = Path(vocabulary(corpus)).read_bytes().removesuffix(b"\n").split(b"\n")
    known = plan(Options(vocabulary=vocabulary(corpus))).vocabulary
    assert (len(lines), len(known)) == (words, words)
    assert known == {line.decode() for line in lines}


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("corpus", CORPORA)
def test_the_density_of_unknown_words_needs_their_vocabulary(
    report, expected, vocabulary, corpus, name
):
    want = rows_of(expected(corpus)["break-down performance"], name)["oDen"]
    told = report(corpus, "interpreteval", vocabulary(corpus))
    assert scores_of(told, "oDen", name) == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize(("corpus", "cells"), [("conll03", 72), ("wnut16", 76)])
def test_every_cell_of_the_published_break_down(report, expected, vocabulary, corpus, cells):
    told = report(corpus, "interpreteval", vocabulary(corpus))
    want, ours = {}, {}
    for name in SYSTEMS:
        rows = rows_of(expected(corpus)["break-down performance"], name)
        want |= {(name, a, k): score for a, v in rows.items() for k, score in enumerate(v)}
        scores = {a: scores_of(told, a, name) for a in rows}
        ours |= {(name, a, k): score for a, v in scores.items() for k, score in enumerate(v)}
    assert len(want) == cells
    assert ours == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize("attribute", FROM_TRAINING)
@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("corpus", CORPORA)
def test_the_published_self_diagnosis(report, expected, corpus, name, attribute):
    told = report(corpus, "interpreteval")
    worst, best, gap = rows_of(expected(corpus)["self-diagnosis"], name)[attribute]
    places = places_of(expected(corpus)["self-diagnosis"], name)[attribute]
    row = told.tables["self_diagnosis"].row(
        by_predicate=(pl.col("attribute") == attribute)
        & (pl.col("system") == system_of(told, name)),
        named=True,
    )
    names = buckets_of(told, attribute)
    assert [names.index(row["worst_bucket"]), names.index(row["best_bucket"])] == places
    assert [row["worst_f1"], row["best_f1"], row["gap"]] == pytest.approx(
        [worst, best, gap], abs=1e-12
    )


@pytest.mark.parametrize("corpus", CORPORA)
def test_the_diagnoses_of_unknown_words_with_their_vocabulary(report, expected, vocabulary, corpus):
    told = report(corpus, "interpreteval", vocabulary(corpus))
    names = buckets_of(told, "oDen")
    is_it = pl.col("attribute") == "oDen"
    for name in SYSTEMS:
        text = expected(corpus)["self-diagnosis"]
        mine = pl.col("system") == system_of(told, name)
        row = told.tables["self_diagnosis"].row(by_predicate=is_it & mine, named=True)
        ours = [names.index(row["worst_bucket"]), names.index(row["best_bucket"])]
        assert ours == places_of(text, name)["oDen"]
        assert row["gap"] == pytest.approx(rows_of(text, name)["oDen"][-1], abs=1e-12)
    text = expected(corpus)["aided-diagnosis line-chart"]
    row = told.tables["comparison"].row(by_predicate=is_it, named=True)
    assert [row["worst_delta"], row["best_delta"]] == pytest.approx(
        rows_of(text, "Flair_ELMo")["oDen"], abs=1e-12
    )
    found = dict(told.tables["differences"].filter(is_it).select("bucket", "relative").iter_rows())
    assert [found[bucket] for bucket in names] == pytest.approx(
        rows_of(expected(corpus)["aided-diagnosis heatmap"], "Flair_ELMo")["oDen"], abs=1e-12
    )


@pytest.mark.parametrize("attribute", FROM_TRAINING)
@pytest.mark.parametrize("corpus", CORPORA)
def test_the_published_comparative_diagnosis(report, expected, corpus, attribute):
    told = report(corpus, "interpreteval")
    text = expected(corpus)["aided-diagnosis line-chart"]
    row = told.tables["comparison"].row(by_predicate=pl.col("attribute") == attribute, named=True)
    names = buckets_of(told, attribute)
    ours = [names.index(row["worst_bucket"]), names.index(row["best_bucket"])]
    want = places_of(text, "Flair_ELMo")[attribute]
    # Labels stand by frequency here, so the first bucket, which stands for nowhere, is another.
    if row["worst_delta"] == 0.0:
        ours[0] = 0
    assert ours == want
    assert [row["worst_delta"], row["best_delta"]] == pytest.approx(
        rows_of(text, "Flair_ELMo")[attribute], abs=1e-12
    )


@pytest.mark.parametrize("attribute", FROM_TRAINING)
@pytest.mark.parametrize("corpus", CORPORA)
def test_the_published_heat_map_of_relative_differences(report, expected, corpus, attribute):
    told = report(corpus, "interpreteval")
    rows = told.tables["differences"].filter(attribute=attribute)
    found = dict(rows.select("bucket", "relative").iter_rows())
    ours = [found[bucket] for bucket in buckets_of(told, attribute)]
    want = rows_of(expected(corpus)["aided-diagnosis heatmap"], "Flair_ELMo")[attribute]
    assert ours == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize("corpus", CORPORA)
def test_the_heat_map_in_points_is_that_of_the_published_relative_differences(
    report, expected, vocabulary, corpus
):
    told = report(corpus, "interpreteval", vocabulary(corpus))
    before = {
        (row["attribute"], row["bucket"]): row["f1"]
        for row in told["buckets"].filter(system="ELMo").to_dicts()
    }
    ours = {
        (row["attribute"], row["bucket"]): row["delta"] / before[row["attribute"], row["bucket"]]
        for row in told["heat_map"].to_dicts()
    }
    rows = rows_of(expected(corpus)["aided-diagnosis heatmap"], "Flair_ELMo")
    want = {
        (name, bucket): cell
        for name, cells in rows.items()
        for bucket, cell in zip(buckets_of(told, name), cells, strict=True)
    }
    assert ours == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize(
    ("corpus", "name", "f1"),
    [("conll03", "Flair", 93.03), ("conll03", "ELMo", 92.22), ("wnut16", "Flair", 45.96),
     ("wnut16", "ELMo", 45.33)],
)  # fmt: skip
def test_the_published_holistic_f1(data, corpus, name, f1):
    path = data(f"interpreteval/{corpus}/results/{RUNS[corpus][name]}")
    loaded = coleval.load(
        str(path), merged=True, columns="form=1,gold=2,system=3", profile="conlleval"
    )
    assert round(100 * loaded.score().tables["overall"]["f1"][0], 2) == f1
