"""Scores by metadata and by label that others printed: CoNLL# and W-NUT 2017."""

from __future__ import annotations

import gzip
import io
import re
from functools import cache

import polars as pl
import pytest

import coleval

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
