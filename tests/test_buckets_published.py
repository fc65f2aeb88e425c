"""Published breakdowns: InterpretEval's own output, and CoNLL# and W-NUT 2017 by metadata."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import re
import subprocess
from functools import cache
from pathlib import Path

import polars as pl
import pytest

import coleval

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
# oDen is what it is in their files only with the words of their embeddings: see ``vocabulary``.
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
def vocabulary(tmp_path_factory):
    """Return what gives the words that the published oDen knows, from a copy of their repository.

    They are neither training's nor all the data's: words of the embeddings, it seems, kept in
    ``preComputed/*_oDen.pkl`` alone. COLEVAL_INTERPRETEVAL names a git directory of theirs.
    """
    place = os.environ.get("COLEVAL_INTERPRETEVAL", "")
    if not place or not Path(place).is_dir():
        pytest.skip("COLEVAL_INTERPRETEVAL names no git directory of neulab/InterpretEval")

    @cache
    def vocabulary(corpus):
        file = f"HEAD:interpretEval/data/ner/preComputed/{corpus}_oDen.pkl"
        raw = subprocess.run(["git", "-C", place, "show", file], check=True, capture_output=True)
        words = Strings(io.BytesIO(raw.stdout)).load()
        path = tmp_path_factory.mktemp("words") / f"{corpus}.txt"
        path.write_text("\n".join(words) + "\n", encoding="utf-8")
        return str(path)

    return vocabulary


class Strings(pickle.Unpickler):
    """Reads lists of strings, and nothing that runs."""

    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"{module}.{name} is not wanted")


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("corpus", CORPORA)
def test_the_density_of_unknown_words_needs_their_vocabulary(
    report, expected, vocabulary, corpus, name
):
    want = rows_of(expected(corpus)["break-down performance"], name)["oDen"]
    told = report(corpus, "interpreteval", vocabulary(corpus))
    assert scores_of(told, "oDen", name) == pytest.approx(want, abs=1e-12)


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


SHARP = {
    "luke_sharp": "luke/sharp/sharp",
    "xlm_flert_sharp": "xlm_flert/sharp/sharp",
    "xlm_flert_03": "xlm_flert/03/03",
    "asp_sharp": "asp/sharp/asp_sharp",
}
DOMAINS = ("SPORTS", "ECONOMY", "WORLD EVENTS")
KINDS = ("TEXT ARTICLE", "DATA REPORT", "HYBRID")


GOLDS = {"xlm_flert_03": "conll_03", "asp_sharp": "conll_sharp_asp_order_"}


@pytest.fixture(scope="module")
def sharp(data):
    """Return what gives the corpus of one output, with domain and format of every token.

    Tags are those of gold/ and outputs/, which were scored; the CSV beside them, which has the
    metadata, was corrected by hand in a few places.
    """

    @cache
    def sharp(name):
        raw = gzip.decompress(data(f"conll_sharp/output_csvs/{name}_outputs.csv.gz").read_bytes())
        table = pl.read_csv(io.BytesIO(raw), infer_schema=False, truncate_ragged_lines=True)
        form = pl.col(table.columns[1])
        metadata = table.filter(form.is_not_null(), form != "-DOCSTART-")
        gold = tagged(data(f"conll_sharp/gold/{GOLDS.get(name, 'conll_sharp')}.txt"), "gold")
        system = tagged(data(f"conll_sharp/outputs/{name}.txt"), name)
        tokens = gold.with_columns(system[name], *metadata.select("domain", "format"))
        columns = f"form=form,gold=gold,system={name},sentence=sentence"
        return coleval.load(tokens, task="span", columns=f"{columns},domain=domain,format=format")

    return sharp


def tagged(path, name):
    """Return sentence, form and tag of a file of ``token tag`` lines."""
    lines = pl.DataFrame({"line": path.read_text(encoding="utf-8").split("\n")})
    blank = pl.col("line").str.strip_chars() == ""
    parts = pl.col("line").str.strip_chars().str.split(" ").list
    rows = lines.with_columns(
        sentence=blank.cum_sum(), form=parts.first(), **{name: parts.last()}
    ).filter(~blank, pl.col("form") != "-DOCSTART-")
    return rows.select("sentence", "form", name)


def published(data, name, *parts):
    """Return label → (precision, recall, F1, gold, predicted, right) of a published file."""
    ending = "".join(f"_{part.lower().replace(' ', '_')}" for part in parts)
    text = data(f"conll_sharp/evals/{SHARP[name]}{ending}.txt").read_text(encoding="utf-8")
    lines = re.findall(r"^\| ([A-Z]+) +\|(.*)\|$", text.split("\n\n")[0], re.MULTILINE)
    return {label: tuple(float(n) for n in rest.split("|")) for label, rest in lines}


def told(rows, by):
    """Return bucket → the same six numbers, equal to what two decimals can say of them."""
    return {
        row[by]: pytest.approx(
            (
                *(100 * row[score] for score in ("precision", "recall", "f1")),
                *(row[n] for n in ("gold", "predicted", "tp")),
            ),
            abs=0.005001,
            rel=0,
        )
        for row in rows.to_dicts()
    }


@pytest.mark.parametrize("attribute", ["domain", "format"])
@pytest.mark.parametrize("name", SHARP)
def test_scores_by_metadata_are_the_published_ones(data, sharp, name, attribute):
    rows = sharp(name).buckets(attributes=attribute).tables["buckets"]
    every = DOMAINS if attribute == "domain" else KINDS
    assert told(rows, "bucket") == {part: published(data, name, part)["ALL"] for part in every}


@pytest.mark.parametrize("attribute", ["domain", "format"])
@pytest.mark.parametrize("name", SHARP)
def test_labels_by_metadata_are_the_published_ones(data, sharp, name, attribute):
    report = sharp(name).buckets(attributes=attribute, cross=(attribute, "label"))
    for part in DOMAINS if attribute == "domain" else KINDS:
        want = published(data, name, part)
        rows = report.tables["crossed"].filter(bucket=part)
        assert told(rows, "by_bucket") == {k: v for k, v in want.items() if k != "ALL"}


@pytest.mark.parametrize("name", SHARP)
def test_domain_by_format_is_the_published_square(data, sharp, name):
    report = sharp(name).buckets(attributes="domain", cross=("domain", "format"))
    for domain in DOMAINS:
        rows = report.tables["crossed"].filter(bucket=domain)
        ours = told(rows, "by_bucket")
        assert ours == {kind: published(data, name, domain, kind)["ALL"] for kind in ours}


def test_labels_of_wnut17_are_those_of_conlleval(data):
    folder = data("wnut17/submissions")
    systems = {path.stem: str(path) for path in sorted(folder.iterdir())}
    gold = data("wnut17/gold/emerging.test.annotated")
    report = coleval.load(str(gold), systems, profile="conlleval").buckets(attributes="label")
    ours = {
        (row["system"], row["bucket"]): (
            *(round(100 * row[score], 6) for score in ("precision", "recall", "f1")),
            row["predicted"],
        )
        for row in report.tables["buckets"].to_dicts()
    }
    peers = pl.read_csv(data("wnut17/expected_peer_scores.tsv"), separator="\t")
    rows = peers.filter(pl.col("scorer") == "conlleval.pl", pl.col("type") != "ALL").to_dicts()
    want = {
        (row["system"], row["type"]): (
            *(row[score] for score in ("precision", "recall", "f1")), row["predicted"],
        )
        for row in rows
    }  # fmt: skip
    assert len(want) == 30
    assert {key: ours[key] for key in want} == want
