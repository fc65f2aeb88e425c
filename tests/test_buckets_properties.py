"""What must hold of buckets for any corpus, compared with plain loops in oracle_buckets."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
import oracle_buckets as oracle

LABELS = ("A", "B", "C")
WORDS = ("x", "X", "y", "zz", "New")
SYSTEMS = ("s0", "s1")


@st.composite
def sentences(draw, layers=("", *SYSTEMS), most=4):
    """Return sentences of (words, spans by layer); spans of a layer do not overlap."""

    def sentence():
        words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6))
        return words, {layer: draw(spans(len(words))) for layer in layers}

    return [sentence() for _ in range(draw(st.integers(1, most)))]


@st.composite
def spans(draw, n):
    found, at = [], 0
    while at < n:
        size = draw(st.integers(0, 3))
        if size and at + size <= n:
            found.append((at, at + size, draw(st.sampled_from(LABELS))))
        at += max(size, 1)
    return found


def tags(words, layer):
    out = ["O"] * len(words)
    for start, end, label in layer:
        out[start:end] = [f"B-{label}"] + [f"I-{label}"] * (end - start - 1)
    return out


def frame(corpus, layer):
    rows = [
        (k, word, tag)
        for k, (words, layers) in enumerate(corpus)
        for word, tag in zip(words, tags(words, layers[layer]), strict=True)
    ]
    schema = {"sentence": pl.Int64, "form": pl.String, "label": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


def loaded(corpus, training=None, systems=SYSTEMS):
    gold = frame(corpus, "")
    found = coleval.load(gold, {name: frame(corpus, name) for name in systems}, task="span")
    return found.trained(frame(training, "")) if training else found


def counted(report, attribute):
    rows = report.tables["buckets"].filter(attribute=attribute)
    outside = {"(below)": "outside", "(above)": "outside", "(null)": "null", "(other)": "outside"}
    order = [b for b in rows["bucket"].unique(maintain_order=True) if b not in outside]
    place = {bucket: k for k, bucket in enumerate(order)} | outside
    gold, predicted, tp = Counter(), Counter(), Counter()
    for row in rows.to_dicts():
        key = row["system"], place[row["bucket"]]
        if row["system"] == SYSTEMS[0]:
            gold[key[1]] += row["gold"]
        predicted[key] += row["predicted"]
        tp[key] += row["tp"]
    return tuple(Counter({k: n for k, n in c.items() if n}) for c in (gold, predicted, tp))


def positive(counters):
    return tuple(Counter({k: n for k, n in c.items() if n}) for c in counters)


NUMBERS = {
    "eLen": None,
    "sLen": (4, ()),
    "eDen": (4, ()),
    "oDen": (3, (0,)),
    "eFre": (3, (0,)),
    "position": (4, ()),
    "characters": (4, ()),
}


@pytest.mark.parametrize("name", NUMBERS)
@given(corpus=sentences(), training=sentences(layers=("",)))
def test_buckets_of_numbers_are_those_of_the_oracle(name, corpus, training):
    value = oracle.attributes(corpus, training)[name]
    values = [value(w, layers[""], s) for w, layers in corpus for s in layers[""]]
    cut = NUMBERS[name]
    ranges = (
        [(1, 1, True), (2, 2, True), (3, 3, True), (3, float("inf"), True)]
        if cut is None
        else oracle.quantiles(values, *cut)
    )
    want = oracle.counts(corpus, value, lambda v: oracle.place(ranges, v), SYSTEMS)
    report = loaded(corpus, training).buckets(attributes=name)
    assert counted(report, name) == positive(want)


@given(corpus=sentences(), training=sentences(layers=("",)))
def test_shares_of_frequency_are_those_of_the_oracle(corpus, training):
    share = oracle.attributes(corpus, training)["eFre_share"]
    found = loaded(corpus, training)
    gold = [share(words, layers[""], span) for words, layers in corpus for span in layers[""]]
    items = found.sql('select "eFre_share" x from item where gold is not null order by item')
    assert items["x"].to_list() == gold
    # A share is the count by a constant: as many items in as many buckets.
    for name in ("eFre", "tFre"):
        tables = [found.buckets(attributes=a)["buckets"] for a in (name, f"{name}_share")]
        counts = [table.select("system", "gold", "predicted", "tp", "f1") for table in tables]
        if any(layers[""] for _, layers in training) or name == "tFre":
            assert counts[0].equals(counts[1])


@given(corpus=sentences(), training=sentences(layers=("",)))
def test_consistency_is_that_of_the_oracle(corpus, training):
    value = oracle.attributes(corpus, training)["eCon"]
    ranges = [(0, 0, True), (0, 0.5, False), (0.5, 1, False), (1, 1, True)]
    want = oracle.counts(corpus, value, lambda v: oracle.place(ranges, v), SYSTEMS)
    report = loaded(corpus, training).buckets(attributes="eCon")
    assert counted(report, "eCon") == positive(want)


@given(corpus=sentences(), training=sentences(layers=("",)))
def test_nothing_is_lost_between_buckets(corpus, training):
    found = loaded(corpus, training)
    rows = found.buckets(attributes=["all"]).tables["buckets"]
    sums = rows.group_by("system", "attribute").agg(pl.col("tp", "predicted", "gold").sum())
    tokens = {"tCon", "tFre", "tFre_share"}
    score = {row["system"]: row for row in found.score().tables["overall"].to_dicts()}
    for row in sums.to_dicts():
        if row["attribute"] not in tokens:
            whole = score[row["system"]]
            assert (row["tp"], row["predicted"] - row["tp"], row["gold"] - row["tp"]) == (
                whole["tp"], whole["fp"], whole["fn"],
            )  # fmt: skip
        else:
            layers = [layers[""] for _, layers in corpus]
            assert row["gold"] == sum(end - start for layer in layers for start, end, _ in layer)


@given(corpus=sentences(), training=sentences(layers=("",)))
def test_buckets_do_not_depend_on_systems_nor_scores_on_their_order(corpus, training):
    def table(systems):
        return loaded(corpus, training, systems).buckets(attributes="default").tables["buckets"]

    def edges(rows):
        inside = rows.filter(~pl.col("bucket").str.starts_with("("))
        return inside.select("attribute", "bucket", "low", "high", "gold").unique().sort(pl.all())

    rows = table(SYSTEMS)
    assert rows.equals(table(SYSTEMS[::-1]))
    assert edges(rows).equals(edges(table(SYSTEMS[:1])))


@given(corpus=sentences(), training=sentences(layers=("",)))
def test_renaming_labels_changes_nothing_but_names(corpus, training):
    def renamed(one):
        return [
            (
                words,
                {layer: [(a, b, NEW[y]) for a, b, y in spans] for layer, spans in layers.items()},
            )
            for words, layers in one
        ]

    ask = {"attributes": "default"}
    ours = loaded(corpus, training).buckets(**ask).tables["buckets"]
    theirs = loaded(renamed(corpus), renamed(training)).buckets(**ask).tables["buckets"]
    back = {new: old for old, new in NEW.items()}
    label = pl.col("attribute") == "label"
    theirs = theirs.with_columns(
        pl.when(label).then(pl.col("bucket").replace(back)).otherwise("bucket").alias("bucket")
    )
    order = ["attribute", "bucket", "system"]
    assert ours.sort(order).equals(theirs.sort(order))


NEW = {"A": "zebra", "B": "ant", "C": "moose"}


@given(corpus=sentences())
def test_counts_add_up_over_corpora(corpus):
    ask = {"attributes": ["eLen", "position"], "buckets": {"position": "interval 1,2,9"}}
    keys = ["attribute", "bucket", "system"]

    def counts(part):
        rows = loaded(part).buckets(**ask).tables["buckets"]
        return rows.group_by(keys).agg(pl.col("tp", "predicted", "gold").sum())

    parts = [counts(part) for part in (corpus[:1], corpus[1:]) if part]
    summed = pl.concat(parts).group_by(keys).agg(pl.col("tp", "predicted", "gold").sum())
    there = pl.sum_horizontal("predicted", "gold") > 0
    assert summed.filter(there).sort(keys).equals(counts(corpus).filter(there).sort(keys))


@given(st.lists(st.floats(0, 1).map(lambda v: round(v, 2)), min_size=2, max_size=6))
def test_the_correlation_with_the_order_is_that_of_the_oracle(values):
    from coleval.statistics.breakdown import spearman

    want = oracle.spearman(values)
    assert spearman(values) == (None if want is None else pytest.approx(want))
