"""Coreference on random corpora: beside plain loops, and what must not change a number."""

from __future__ import annotations

import json
import random
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
import oracle_coref as plain
from coleval.errors import UsageError
from coleval.statistics.draws import keys_of_names, poisson, streams

MENTIONS = [(0, 0), (0, 2), (1, 1), (1, 2), (3, 3), (4, 6), (5, 5), (7, 7)]
layers = st.dictionaries(st.sampled_from(MENTIONS), st.integers(0, 3), max_size=7)
corpora = st.lists(st.tuples(layers, layers), min_size=1, max_size=3)
EXACT = {name: getattr(plain, name) for name in ("muc", "b3", "lea", "ceafm", "ceafe")}
FIELDS = ("recall_num", "recall_den", "precision_num", "precision_den")


def lines(documents, side, *, shuffle=None):
    """Return one layer of some documents as JSON lines; ``shuffle`` mixes what has no order."""
    out = []
    for number, document in enumerate(documents):
        clusters = [sorted(map(list, c)) for c in plain.chains(document[side])]
        if shuffle is not None:
            shuffle.shuffle(clusters)
            for cluster in clusters:
                shuffle.shuffle(cluster)
        out.append(json.dumps({"id": f"d{number}", "tokens": list("abcdefgh"),
                               "clusters": clusters}))  # fmt: skip
    if shuffle is not None:
        shuffle.shuffle(out)
    return "\n".join(out) + "\n"


@pytest.fixture(scope="module")
def load(tmp_path_factory):
    root = tmp_path_factory.mktemp("coref")

    def load(gold, **systems):
        for name, text in {"gold": gold, **systems}.items():
            (root / f"{name}.jsonl").write_text(text)
        paths = {name: str(root / f"{name}.jsonl") for name in systems}
        return coleval.load(str(root / "gold.jsonl"), paths, task="coref")

    return load


def rows(corpus, **scoring):
    table = corpus.score(**scoring).tables["overall"]
    return {(row["system"], row["metric"]): row for row in table.to_dicts()}


@given(corpora, st.booleans())
def test_every_fraction_is_that_of_plain_loops(load, documents, keep):
    corpus = load(lines(documents, 0), s=lines(documents, 1), key=lines(documents, 0))
    found = rows(corpus, singletons="keep" if keep else "drop")
    loops = {**EXACT, "arcs_any": arcs, "mentions": mentions}
    for name, pairs in (("s", documents), ("key", [(key, key) for key, _ in documents])):
        for metric, loop in loops.items():
            wanted = [float(value) for value in loop(pairs, singletons=keep)]
            got = [found[name, metric][field] for field in FIELDS]
            assert got == pytest.approx(wanted, abs=1e-12), metric
            got = [found[name, metric][r] for r in ("recall", "precision", "f1")]
            assert got == pytest.approx(ratios(loop(pairs, singletons=keep)), abs=1e-12)
        blanc = [None if v is None else float(v) for v in plain.blanc(pairs, singletons=keep)]
        got = [found[name, "blanc"][r] for r in ("recall", "precision", "f1")]
        assert got == (blanc if None in blanc else pytest.approx(blanc, abs=1e-12))


def mentions(documents, *, singletons):
    """Return how many mentions key and response share, and how many each has, as a metric does."""
    shared = ours = theirs = 0
    for document in documents:
        key, said = ({m for c in plain.chains(layer) if singletons or len(c) > 1 for m in c}
                     for layer in document)  # fmt: skip
        shared, ours, theirs = shared + len(key & said), ours + len(key), theirs + len(said)
    return shared, ours, shared, theirs


@given(corpora)
def test_every_class_is_that_of_plain_loops(load, documents):
    corpus = load(lines(documents, 0), s=lines(documents, 1))
    several = {m for m in MENTIONS if m[1] > m[0]}
    for criterion in ("any", "nominal"):
        frame = corpus.at(criterion).frame()
        for row in frame.to_dicts():
            key, response = documents[int(row["document"][1:])]
            mention = (row["start"], row["end"] - 1)
            if criterion == "any":
                wanted = plain.any_class(mention, key, response)
            else:
                wanted = plain.nominal_class(mention, key, response, several)
            assert row["s"] == wanted
            assert (row["gold"] == "tp") == (wanted in ("tp", "wl", "fn"))


@given(corpora, st.integers(0, 99))
def test_the_order_of_documents_chains_and_mentions_changes_nothing(load, documents, seed):
    mixed = random.Random(seed)
    one = rows(load(lines(documents, 0), s=lines(documents, 1)))
    other = rows(load(lines(documents, 0, shuffle=mixed), s=lines(documents, 1, shuffle=mixed)))
    assert one == other


@given(st.lists(st.tuples(layers, layers, layers), min_size=1, max_size=2))
def test_changes_add_up(load, documents):
    first, second = ([(d[0], d[at]) for d in documents] for at in (1, 2))
    corpus = load(lines(first, 0), a=lines(first, 1), b=lines(second, 1))
    tables = corpus.changes(("a", "b")).tables
    row = tables["summary"].to_dicts()[0]
    kinds = ("corrections", "new_errors", "changed_errors")
    assert row["different"] == sum(row[kind] for kind in kinds) == tables["changes"]["n"].sum()
    classes = {r["system"]: r for r in corpus.score().tables["classes"].to_dicts()
               if r["criterion"] == "any"}  # fmt: skip
    for side, system in (("before", "a"), ("after", "b")):
        spurious = row["items"] - sum(classes[system][c] for c in ("tp", "wl", "fn", "fp"))
        assert row[f"correct_{side}"] == classes[system]["tp"] + spurious


def test_the_plain_loops_know_the_first_case_of_the_reference_scorer():
    key = {"a": 0, "b": 1, "c": 1, "d": 2, "e": 2, "f": 2}
    documents = [(key, {"a": 0, "d": 2, "e": 2})]
    assert plain.muc(documents) == (1, 3, 1, 1)
    assert plain.b3(documents) == (Fraction(7, 3), 6, 3, 3)
    assert plain.ceafe(documents) == (Fraction(9, 5), 3, Fraction(9, 5), 2)


def redrawn(documents, weights, keep):
    """Return all ratios of documents, each as often as its weight says, by plain loops."""
    loops = {**EXACT, "arcs_any": arcs}
    found = {}
    for metric, loop in loops.items():
        each = [[n * v for v in loop([d], singletons=keep)]
                for d, n in zip(documents, weights, strict=True)]  # fmt: skip
        found[metric] = ratios([sum(four[k] for four in each) for k in range(4)])
    drawn = [d for d, n in zip(documents, weights, strict=True) for _ in range(n)]
    found["blanc"] = [None if v is None else float(v) for v in plain.blanc(drawn, singletons=keep)]
    three = [found[m][2] for m in ("muc", "b3", "ceafe")]
    found["conll"] = [None, None, None if None in three else sum(three) / 3]
    return found


def arcs(documents, *, singletons):
    del singletons
    classes = [plain.any_class(m, key, said) for key, said in documents for m in {*key, *said}]
    tp, fp, fn, wl = (classes.count(c) for c in ("tp", "fp", "fn", "wl"))
    return tp, tp + wl + fn, tp, tp + wl + fp


def ratios(four):
    recall, precision = (four[k] / four[k + 1] if four[k + 1] else None for k in (0, 2))
    if recall is None and precision is None:
        return [None, None, None]
    both = (recall or 0) + (precision or 0)
    f1 = 2 * (recall or 0) * (precision or 0) / both if both else 0.0
    return [None if v is None else float(v) for v in (recall, precision, f1)]


@given(st.lists(st.tuples(layers, layers), min_size=2, max_size=5), st.booleans())
def test_intervals_are_those_of_documents_drawn_again_by_plain_loops(load, documents, keep):
    corpus = load(lines(documents, 0), s=lines(documents, 1))
    options = {"singletons": "keep" if keep else "drop", "seed": 3, "replicates": 20}
    # At so small an alpha an interval reaches from the least to the greatest replicate.
    found = rows(corpus, intervals=True, alpha=1e-12, **options)
    start = streams(keys_of_names(f"d{k}" for k in range(len(documents))), 3)
    drawn = [redrawn(documents, n, keep) for n in poisson(start, 0)[:, :20].T.tolist()]
    alone = [redrawn([d], [1], keep) for d in documents]
    for metric, k in ((m, k) for m in alone[0] for k in range(3)):
        name = ("recall", "precision", "f1")[k]
        got = [found["s", metric][f"{name}_{end}"] for end in ("low", "high")]
        values = [one[metric][k] for one in drawn if one[metric][k] is not None]
        informed = sum(one[metric][k] is not None for one in alone)
        if found["s", metric][name] is None or informed < 2:
            assert got == [None, None]
        else:
            assert got == pytest.approx([min(values), max(values)], abs=1e-6), metric


def test_intervals_of_one_document_are_undefined_and_said_to_be(load):
    documents = [({(0, 0): 1, (3, 3): 1}, {(0, 0): 1, (3, 3): 1})]
    report = load(lines(documents, 0), s=lines(documents, 1)).score(intervals=True)
    assert report.table("overall")["f1_low"].null_count() == len(report.table("overall"))
    assert "1 document to resample: there are no intervals" in report.warnings


def test_units_that_chains_reach_over_are_refused(load):
    documents = [({(0, 0): 1, (3, 3): 1}, {(0, 0): 1, (3, 3): 1})] * 2
    corpus = load(lines(documents, 0), s=lines(documents, 1))
    with pytest.raises(UsageError, match="chains reach over them"):
        corpus.score(intervals=True, unit_of_resampling="start")


def told(mention, chain, places):
    """Return what is told of a mention by its chain in one layer, None without an antecedent."""
    before = [m for m in chain if m < mention and m in places]
    return {"mention_length": mention[1] - mention[0] + 1, "chain_size": len(chain),
            "antecedent_distance": mention[0] - before[-1][0] if before else None}  # fmt: skip


@given(corpora, st.sampled_from(["any", "nominal"]))
def test_buckets_of_mentions_are_those_of_a_plain_loop(load, documents, unit):
    several = {m for m in MENTIONS if m[1] > m[0]}
    counts = Counter()
    for key, said in documents:
        for mention in {*key, *said}:
            if unit == "any":
                found = plain.any_class(mention, key, said)
            else:
                found = plain.nominal_class(mention, key, said, several)
            for side, layer, classes in (("gold", key, ("tp", "wl", "fn")),
                                         ("predicted", said, ("tp", "wl", "fp"))):  # fmt: skip
                if found in classes:
                    chain = sorted(m for m in layer if layer[m] == layer[mention])
                    values = told(mention, chain, MENTIONS if unit == "any" else several)
                    for name, value in values.items():
                        counts[name, str(value), side] += 1
                        counts[name, str(value), f"{side} tp"] += found == "tp"
    names = ("mention_length", "chain_size", "antecedent_distance")
    corpus = load(lines(documents, 0), s=lines(documents, 1))
    table = corpus.buckets(unit=unit, attributes=names, buckets=dict.fromkeys(names, "discrete"))
    # Values that gold does not have are in no bucket: edges come from gold alone.
    inside = {(name, value) for name, value, side in counts if side == "gold"}
    rows = [r for r in table["buckets"].to_dicts() if (r["attribute"], r["bucket"]) in inside]
    assert {(r["attribute"], r["bucket"]) for r in rows} == inside
    for row in rows:
        four = [counts[row["attribute"], row["bucket"], side]
                for side in ("gold tp", "gold", "predicted tp", "predicted")]  # fmt: skip
        assert [row[n] for n in ("tp", "gold", "tp_predicted", "predicted")] == four
        assert [row["recall"], row["precision"]] == ratios(four)[:2]
        # As in trees, where an answer may be right in another bucket than gold's.
        assert row["f1"] == (four[0] + four[2]) / (four[1] + four[3])
