"""Attributes of words in trees: gold's tree tells of gold, a system's own tree of its answers."""

from __future__ import annotations

import gzip
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
import oracle_trees as oracle
from coleval.analyses.buckets.cuts import Breakdown
from coleval.analyses.buckets.spec import Options
from coleval.analyses.buckets.tables import plan
from coleval.annotate.attributes.tree_layers import TreeLayers
from coleval.annotate.trees import NOWHERE, ROOT, arities, depths, projectivity
from coleval.corpus.items import Items
from coleval.counts.buckets import bucket_units, differences


def conllu(sentences):
    """Return sentences of (head, relation) as CoNLL-U; the k-th word is called wk."""
    return "\n".join(
        "".join(f"{k}\tw{k}\t_\tX\t_\t_\t{h}\t{r}\t_\t_\n" for k, (h, r) in enumerate(words, 1))
        for words in sentences
    )


def loaded(folder, *layers, **options):
    paths = [folder / f"{name}.conllu" for name in ("gold", "a", "b")[: len(layers)]]
    for path, sentences in zip(paths, layers, strict=True):
        path.write_text(conllu(sentences), encoding="utf-8")
    return coleval.load(str(paths[0]), [str(path) for path in paths[1:]], task="dep", **options)


def sentence(*heads):
    return [(head, "x") for head in heads]


def told(corpus, name, layer=""):
    """Return the values of an attribute in one layer, a word after the other."""
    cut = Breakdown(corpus, plan(Options(attributes=[name])), {}).cut(name)
    items = cut.facts.items
    codes = items.answers[layer] if layer else items.gold
    return cut.values.column(codes, layer).to_list()


# "A hearing is scheduled on the issue today": Kübler, McDonald & Nivre 2009, figure 1.2.
HEARING = sentence(2, 3, 0, 3, 2, 7, 5, 4)


def test_the_hearing_of_the_textbook_has_two_arcs_that_are_not_projective(tmp_path):
    corpus = loaded(tmp_path, [HEARING], [HEARING])
    arcs = told(corpus, "projectivity")
    assert [k for k, arc in enumerate(arcs, 1) if arc == "non-projective"] == [5, 8]
    assert told(corpus, "arc_length") == [1, 1, 0, 1, 3, 1, 2, 4]
    assert told(corpus, "depth") == [3, 2, 1, 2, 3, 5, 4, 3]
    assert told(corpus, "arity") == [0, 2, 2, 1, 1, 0, 1, 0]
    sides = "right right root left left right left left"
    assert told(corpus, "direction") == sides.split()


def test_an_arc_that_is_crossed_is_projective_if_its_head_dominates_what_it_spans(tmp_path):
    # 4 hangs on 1 and 2 on 4: only the arc from 4 to 2 spans a stranger, 3.
    corpus = loaded(tmp_path, [sentence(0, 4, 1, 1)], [sentence(0, 4, 1, 1)])
    assert told(corpus, "projectivity") == ["projective", "non-projective", *["projective"] * 2]


def test_a_cycle_has_no_depth_and_several_roots_have_depth_1(tmp_path):
    corpus = loaded(tmp_path, [sentence(0, 1, 1, 1, 1)], [sentence(2, 1, 0, 0, 2)])
    assert told(corpus, "depth", "a") == [None, None, 1, 1, None]
    assert told(corpus, "arity", "a") == [1, 2, 0, 0, 0]
    rows = corpus.buckets(attributes="depth").table("buckets")
    by = {row["bucket"]: (row["gold"], row["predicted"]) for row in rows.to_dicts()}
    assert by["(null)"] == (0, 3)


def test_a_word_that_is_its_own_head_has_no_length_and_no_direction(tmp_path):
    corpus = loaded(tmp_path, [sentence(0, 1)], [sentence(0, 2)])
    for name in ("arc_length", "direction", "depth", "projectivity"):
        assert told(corpus, name, "a")[1] is None


forests = st.integers(1, 9).flatmap(
    lambda n: st.lists(st.one_of(st.none(), st.integers(0, n)), min_size=n, max_size=n)
)
trees = st.lists(st.integers(0, 99), min_size=1, max_size=12).flatmap(
    lambda seeds: st.permutations(range(1, len(seeds) + 1)).map(
        lambda order: shuffled([0, *(s % k + 1 for k, s in enumerate(seeds[1:], 1))], order)
    )
)


def shuffled(heads, order):
    """Return a tree with its words in another order."""
    out = [0] * len(heads)
    for word, head in enumerate(heads):
        out[order[word] - 1] = order[head - 1] if head else 0
    return out


@given(st.lists(st.one_of(forests, trees), max_size=4))
def test_the_arithmetic_of_trees_is_that_of_plain_loops(sentences):
    head, number = [], []
    for k, heads in enumerate(sentences):
        first = len(head)
        head += [NOWHERE if h is None else first + h - 1 if h else ROOT for h in heads]
        number += [k] * len(heads)
    flat = np.array(head, np.int32)
    deep = depths(flat)
    words = [(heads, w) for heads in sentences for w in range(1, len(heads) + 1)]
    assert deep.tolist() == [oracle.depth(*word) or 0 for word in words]
    assert arities(flat).tolist() == [oracle.arity(*word) for word in words]
    names = {0: "projective", 1: "non-projective", -1: None}
    arcs = projectivity(flat, deep, np.array(number, np.int64))
    assert [names[arc] for arc in arcs.tolist()] == [oracle.projectivity(*word) for word in words]


def test_a_chain_through_a_whole_sentence_is_as_deep_as_it_is_long():
    head = np.arange(-1, 4999, dtype=np.int32)
    assert depths(head).tolist() == list(range(1, 5001))
    assert not projectivity(head, depths(head), np.zeros(5000, np.int64)).any()


answer = st.tuples(st.integers(0, 5), st.sampled_from("xy"))
layered = st.lists(
    st.integers(5, 6).flatmap(
        lambda n: st.tuples(*(st.lists(answer, min_size=n, max_size=n) for _ in range(3)))
    ),
    min_size=1,
    max_size=3,
)


EVERY = "interval 8,99 apart 0,1,2,3,4,5,6,7,8"


@given(layered)
@pytest.mark.parametrize("name", oracle.ATTRIBUTES)
def test_buckets_of_trees_are_those_of_plain_loops(tmp_path_factory, name, corpus):
    gold, a, b = zip(*corpus, strict=True)
    found = counted(loaded(tmp_path_factory.mktemp("trees"), gold, a, b), name)
    for system, theirs in (("a", a), ("b", b)):
        assert found[system] == folded(oracle.counts(gold, theirs, name), name)


def counted(corpus, name):
    """Return system → bucket → (gold, predicted, tp, tp_predicted), a bucket a value."""
    cutting = "discrete" if name in ("direction", "projectivity") else EVERY
    report = corpus.buckets(attributes=name, buckets={name: cutting}, punct=True)
    out = {}
    for row in report.table("buckets").to_dicts():
        numbers = tuple(row[k] for k in ("gold", "predicted", "tp", "tp_predicted"))
        if any(numbers):
            out.setdefault(row["system"], {})[row["bucket"]] = numbers
    return out


def folded(counts, name):
    """Return counts by the names of buckets; names that gold has not share one."""
    out = {}
    for value, row in counts.items():
        strange = name in ("direction", "projectivity") and not row[0]
        bucket = "(null)" if value is None else "(other)" if strange else str(value)
        out[bucket] = tuple(map(sum, zip(out.get(bucket, (0,) * 4), row, strict=True)))
    return out


def test_recall_is_by_golds_tree_and_precision_by_the_systems_own(tmp_path):
    # The system hangs 2 on 1, which is wrong, and so 3, which is right, is one deeper.
    corpus = loaded(tmp_path, [sentence(0, 0, 2)], [sentence(0, 1, 2)])
    rows = corpus.buckets(attributes="depth", punct=True).table("buckets").to_dicts()
    keys = ("gold", "tp", "recall", "predicted", "tp_predicted", "precision", "f1")
    by = {row["bucket"]: tuple(row[k] for k in keys) for row in rows if row["gold"]}
    assert by == {"1": (2, 1, 1 / 2, 1, 1, 1.0, 2 / 3), "2": (1, 1, 1.0, 1, 0, 0.0, 1 / 2)}
    deep = next(row for row in rows if row["bucket"] == "3")
    assert (deep["recall"], deep["precision"]) == (None, 1.0)


def test_the_attributes_that_are_told_of_trees_by_default(tmp_path):
    report = loaded(tmp_path, [HEARING], [HEARING]).buckets()
    assert report.table("attributes")["attribute"].to_list() == [
        "arc_length", "direction", "depth", "arity", "projectivity", "base_relation", "upos",
        "sLen",
    ]  # fmt: skip
    assert report.warnings == ()


def test_columns_without_parts_of_speech_are_told_without_them_and_with_a_note(write):
    path = str(write("gold.tsv", "The\t2\tdet\ndog\t0\troot\n"))
    columns = "form=1,head=2,deprel=3"
    report = coleval.load(
        path, {"s": path}, task="dep", format="columns", columns=columns
    ).buckets()
    assert "upos" not in report.table("attributes")["attribute"].to_list()
    assert sum("upos" in line for line in report.warnings) == 1


def test_a_tree_is_whole_though_punctuation_is_not_scored(tmp_path):
    # w3 hangs on a comma, which is left out of the score, not out of the way to the root.
    words = [(0, "root"), (1, "punct"), (2, "x")]
    corpus = loaded(tmp_path, [words], [words]).with_options(punct=False)
    assert told(corpus, "depth") == [1, 3]
    assert told(corpus, "arity") == [1, 0]
    rows = corpus.buckets(attributes="depth").table("buckets")
    assert rows["gold"].sum() == 2


def test_what_the_metric_does_not_compare_still_tells_where_an_answer_stands(tmp_path):
    corpus = loaded(tmp_path, [[(0, "root"), (1, "obj:x")]], [[(0, "root"), (1, "nsubj")]])
    for metric, tp in (("uas", 1), ("ls", 0)):
        rows = corpus.buckets(attributes="base_relation", metric=metric).table("buckets").to_dicts()
        (obj,) = (row for row in rows if row["bucket"] == "obj")
        (other,) = (row for row in rows if row["bucket"] == "(other)")
        assert (obj["gold"], obj["predicted"], obj["tp"]) == (1, 0, tp)
        assert (other["gold"], other["predicted"], other["tp_predicted"]) == (0, 1, tp)
    lengths = corpus.buckets(attributes="arc_length", metric="ls").table("buckets").to_dicts()
    assert {row["bucket"]: row["tp"] for row in lengths if row["gold"]} == {"0": 1, "1": 0}


def test_a_relation_is_told_with_its_subtype_and_without(tmp_path):
    words = [(0, "root"), (1, "nmod:poss")]
    corpus = loaded(tmp_path, [words], [words])
    assert told(corpus, "relation") == ["root", "nmod:poss"]
    assert told(corpus, "base_relation") == ["root", "nmod"]


def test_parts_of_speech_are_golds_for_gold_and_the_systems_own_for_its_answers(write):
    gold = write(
        "gold.conllu", "1\tw\t_\tNOUN\t_\t_\t0\troot\t_\t_\n2\tv\t_\tVERB\t_\t_\t1\tx\t_\t_\n"
    )
    a = write("a.conllu", gold.read_text().replace("VERB", "NOUN"))
    corpus = coleval.load(str(gold), [str(a)], task="dep")
    assert told(corpus, "upos") == ["NOUN", "VERB"]
    assert told(corpus, "upos", "a") == ["NOUN", "NOUN"]
    keys = ("bucket", "gold", "tp", "predicted", "tp_predicted")
    rows = corpus.buckets(attributes="upos").table("buckets").select(keys).rows()
    assert rows == [("NOUN", 1, 1, 2, 2), ("VERB", 1, 1, 0, 0)]


def aligned():
    """Return the items of two sentences: gold's are three words and two, a system has one more.

    Its heads are a word of gold, one of the next sentence, one that gold has not, and too far.
    """
    labels = ("x@0", "x@1", "x@1+1", "x@2-1", "x@7", "x@?the_2", "y@2")
    place = {"sentence": [0, 0, 0, 0, 1, 1], "position": [0, 1, None, 2, 0, 1]}
    gold = ["x@0", "x@1", None, "y@2", "x@0", "x@1"]
    answers = {
        "a": ["x@1+1", "x@1", "y@2", "y@2", "x@2-1", "x@1"],
        "b": ["x@0", "x@?the_2", "x@0", "x@7", None, "x@1"],
    }
    codes = {
        name: np.array([labels.index(label) + 1 if label else 0 for label in layer], np.uint8)
        for name, layer in {"gold": gold, **answers}.items()
    }
    context = pl.DataFrame(place, schema={"sentence": pl.UInt32, "position": pl.UInt32})
    return Items("word", context, labels, codes.pop("gold"), codes, empty_is_answer=True)


def test_heads_that_gold_has_not_are_nowhere_and_words_that_gold_has_not_are_in_no_tree():
    trees = TreeLayers(aligned())
    assert trees.place.tolist() == [0, 1, 3, 4, 5]
    assert trees.head("").tolist() == [ROOT, 0, 1, ROOT, 3]
    assert trees.head("a").tolist() == [NOWHERE, 0, 1, NOWHERE, 3]
    assert trees.head("b").tolist() == [ROOT, NOWHERE, NOWHERE, NOWHERE, 3]
    assert trees.depth("").tolist() == [1, 2, 3, 1, 2]
    assert trees.depth("a").tolist() == [0, 0, 0, 0, 0]
    assert trees.depth("b").tolist() == [1, 0, 0, 0, 0]


def test_answers_without_a_place_in_golds_tree_have_a_bucket_that_is_seen(tmp_path):
    words = sentence(0, 1)
    corpus = replace(loaded(tmp_path, [words], [words], [words]), units={"word": aligned()})
    for name in ("arc_length", "depth", "arity", "direction", "projectivity"):
        rows = corpus.buckets(attributes=name, punct=True).table("buckets")
        sums = rows.group_by("system").agg(pl.col("gold", "predicted", "tp", "tp_predicted").sum())
        assert sorted(sums.rows()) == [("a", 5, 6, 3, 3), ("b", 5, 5, 2, 2)], name
    (row,) = corpus.buckets(attributes="arc_length", punct=True).table("buckets").filter(
        bucket="(null)", system="a"
    ).to_dicts()  # fmt: skip
    assert (row["gold"], row["predicted"]) == (0, 3)


@given(layered)
def test_buckets_of_two_attributes_add_up_to_those_of_one(tmp_path_factory, corpus):
    gold, a, _ = zip(*corpus, strict=True)
    tables = loaded(tmp_path_factory.mktemp("trees"), gold, a).buckets(
        attributes="depth", cross=("depth", "direction")
    ).tables  # fmt: skip
    numbers = pl.col("gold", "predicted", "tp", "tp_predicted").sum()
    crossed = tables["crossed"].group_by("bucket").agg(numbers)
    alone = tables["buckets"].group_by("bucket").agg(numbers)
    there = pl.col("gold") + pl.col("predicted") > 0
    assert crossed.sort("bucket").equals(alone.filter(there).sort("bucket"))


@given(layered)
def test_counts_by_sentence_add_up_to_those_of_the_corpus(tmp_path_factory, corpus):
    gold, a, b = zip(*corpus, strict=True)
    loaded_ = loaded(tmp_path_factory.mktemp("trees"), gold, a, b)
    cut = Breakdown(loaded_, plan(Options(attributes=["depth"])), {}).cut("depth")
    unit = cut.facts.sentence.astype(np.intp)
    for k in range(cut.placed.n):
        held = bucket_units(differences(cut.facts.items), cut.placed, k, unit, len(corpus))
        assert held.gold.sum() == cut.counts.gold[k]
        for name in ("predicted", "tp", "right"):
            assert (
                getattr(held, name).sum(axis=1).tolist() == getattr(cut.counts, name)[:, k].tolist()
            )


@pytest.mark.parametrize("by", ["f1", "precision", "recall"])
def test_where_all_sentences_are_alike_an_interval_is_no_wider_than_its_score(tmp_path, by):
    # Two roots and two words below: a bucket with one word a sentence has Wilson's interval.
    corpus = loaded(tmp_path, [sentence(0, 0, 1, 2)] * 6, [sentence(0, 0, 2, 2)] * 6)
    rows = corpus.buckets(attributes="depth", by=by, intervals=True, replicates=64)
    for row in rows.table("buckets").to_dicts():
        assert row[f"{by}_low"] == row[by] == row[f"{by}_high"]


def test_every_attribute_of_trees_can_be_asked_for_and_looked_for(tmp_path):
    corpus = loaded(tmp_path, [HEARING] * 40, [[*HEARING[:7], (1, "y")]] * 40)
    frame = corpus.sql("select arc_length, bucket_arc_length, depth, arity, base_relation, "
                       "projectivity from item where sentence = 0 order by position")  # fmt: skip
    assert frame.row(4) == (3, "3–6", 3, 1, "x", "non-projective")
    found = corpus.pivot(find="a", attributes="arc_length").table("slices")
    assert "arc_length" in set(found["attribute"])
    shown = corpus.show(where="depth = 5").table("items")
    assert set(shown["position"]) == {5}
    cells = corpus.pivot(rows="projectivity", cols="direction").table("pivot").to_dicts()
    assert {(c["row"], c["column"]): c["n"] for c in cells}["non-projective", "left"] == 80


def test_the_published_parsers_of_gum_are_counted_as_plain_loops_count_them(data):
    folder = data("compareval-en_gum")
    paths = [folder / f"systems/{name}.conllu.gz" for name in ("HIT-SCIR-18", "conll18-baseline")]
    corpus = coleval.load(str(folder / "gold.conllu"), [str(path) for path in paths], task="dep")
    gold = trees_of(folder / "gold.conllu")
    for path in paths:
        name = path.name.partition(".")[0]
        for attribute in oracle.ATTRIBUTES:
            want = oracle.counts(gold, trees_of(path), attribute)
            rows = corpus.buckets(
                attributes=attribute, punct=True, subtypes=True,
                buckets={} if attribute in ("direction", "projectivity")
                else {attribute: f"interval 90,99 apart {','.join(map(str, range(91)))}"},
            ).table("buckets").filter(system=name).to_dicts()  # fmt: skip
            got = {
                r["bucket"]: (r["gold"], r["predicted"], r["tp"], r["tp_predicted"])
                for r in rows
                if r["gold"] or r["predicted"]
            }
            assert got == {str(value): row for value, row in want.items()}


def trees_of(path):
    """Return the sentences of a CoNLL-U file as (head, relation) of every word."""
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    blocks = (block.splitlines() for block in text.split("\n\n"))
    rows = [[line.split("\t") for line in block if line[:1].isdigit()] for block in blocks]
    return [
        [(int(row[6]), row[7].lower()) for row in block if row[0].isdigit()]
        for block in rows
        if block
    ]
