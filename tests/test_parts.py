"""A store counted in parts: the same tables as counted whole, however it is cut."""

from __future__ import annotations

import random

import pytest

import coleval
from conftest import sampled
from grids import made, save
from parts_compared import CALLS, differences, in_parts, outcome


def task_of(folder, task, seed, policy="wrong"):
    shared = made(random.Random(seed), task, missing=0.2)
    store = folder / "store"
    coleval.load(*shared.write(folder), task=task, missing=policy).save(store)
    return store


@pytest.mark.parametrize(
    ("task", "seed", "rows"),
    [
        ("span", 2, 1), ("coref", 6, 1),
        *(pytest.param(*case, marks=pytest.mark.nightly)
          for case in [("tag", 1, 12), ("dep", 3, 12), ("label", 5, 8)]),
    ],
)  # fmt: skip
def test_every_analysis_of_a_store_in_parts_is_that_of_the_whole(tmp_path, task, seed, rows):
    store = task_of(tmp_path, task, seed)
    whole, parts = (one.with_options(missing="wrong") for one in (
        coleval.open(store), in_parts(store, rows)))  # fmt: skip
    found = {
        f"{call} {options}": differences(outcome(whole, call, options),
                                         outcome(parts, call, options))
        for call, options in CALLS
    }  # fmt: skip
    assert {name: differ for name, differ in found.items() if differ} == {}


def test_systems_without_answers_are_left_out_of_parts_too(tmp_path):
    store = task_of(tmp_path, "label", 7, "leave-out")
    whole, parts = (one.with_options(missing="leave-out") for one in (
        coleval.open(store), in_parts(store, 3)))  # fmt: skip
    for call in ("score", "bins", "compare"):
        assert differences(outcome(whole, call, {}), outcome(parts, call, {})) == []


MORE = [
    ("tag", "bins", {"words_top": 3}), ("span", "score", {"intervals": True, "replicates": 100}),
    ("tag", "compare", {"test": "mcnemar"}), ("span", "compare", {"metric": "fair_f1"}),
    ("span", "compare", {"metric": "macro_f1", "test": "wilcoxon"}),
    ("tag", "compare", {"unit_of_resampling": "item"}), ("dep", "changes", {"metric": "uas"}),
    ("dep", "bins", {"metric": "blex"}), ("span", "changes", {"pair": ("s0", "s1")}),
    ("span", "errors", {"pair": ("s0", "s1")}), ("span", "errors", {"where": "difficulty < 1"}),
    ("span", "errors", {"taxonomy": "hipe"}), ("tag", "oracle", {"by": ["form"]}),
    ("span", "score", {"labels": "L"}), ("span", "buckets", {"attributes": "label,x=length(form)"}),
    ("coref", "changes", {"unit": "nominal", "antecedent": "first"}),
    ("coref", "score", {"key": "all", "singletons": "drop"}),
    ("coref", "score", {"intervals": True, "replicates": 50}),
    ("coref", "score", {"intervals": True, "unit_of_resampling": "dataset", "replicates": 50}),
    ("dep", "score", {"intervals": True, "replicates": 50}),
]  # fmt: skip


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    return {
        task: task_of(tmp_path_factory.mktemp(task), task, seed)
        for task, seed in (("tag", 11), ("span", 12), ("dep", 13), ("coref", 14))
    }


@pytest.mark.parametrize(("task", "call", "options"), sampled(MORE, 3))
def test_options_that_take_other_ways_count_the_same_in_parts(stores, task, call, options):
    whole, parts = (one.with_options(missing="wrong") for one in (
        coleval.open(stores[task]), in_parts(stores[task], 6)))  # fmt: skip
    assert differences(outcome(whole, call, options), outcome(parts, call, options)) == []


REFUSED = [
    ("score", {"where": "item < 5"}, "`item` looks at all items together"),
    ("score", {"by": "sentence"}, "`sentence` looks at all items together"),
    ("score", {"where": "count(*) over () > 1"}, "`over` looks at all items together"),
    ("bins", {"items": True}, "the corpus is counted in parts"),
    ("bins", {"profile_bins": True}, "the corpus is counted in parts"),
    ("changes", {"items": True}, "the corpus is counted in parts"),
    ("pivot", {"find": "s0"}, "the corpus is counted in parts"),
    ("buckets", {"attributes": "hapax"}, "`hapax` looks at all items together"),
    ("buckets", {"intervals": True}, "the corpus is counted in parts"),
]


@pytest.mark.parametrize(("call", "options", "told"), REFUSED)
def test_what_cannot_be_added_up_says_so_and_what_to_do(stores, call, options, told):
    parts = in_parts(stores["tag"], 6).with_options(missing="wrong")
    found = outcome(parts, call, options)
    assert isinstance(found, str)
    assert told in found
    assert "engine" in found


def one_file(folder, rng, sentences, names=("a", "b")):
    """Write one gold file and its systems; every fifth sentence begins a document."""
    tags = ["O", "B-P", "I-P", "B-L"]
    text = [[(rng.choice("xyz"), rng.choice(tags)) for _ in range(rng.randint(1, 6))]
            for _ in range(sentences)]  # fmt: skip

    def lines(good):
        return "\n".join(
            ("-DOCSTART-\tO\n\n" if k % 5 == 0 else "")
            + "".join(f"{f}\t{t if rng.random() < good else rng.choice(tags)}\n" for f, t in one)
            for k, one in enumerate(text)
        )

    gold = save(folder / "gold.conll", lines(1.0))
    return gold, {name: save(folder / f"{name}.conll", lines(0.7)) for name in names}


@pytest.mark.parametrize("task", ["tag", "span"])
def test_one_large_file_is_cut_where_row_groups_end(tmp_path, monkeypatch, task):
    monkeypatch.setattr("coleval.store.tables.ROWS", 30)
    gold, systems = one_file(tmp_path, random.Random(4), 80)
    store = coleval.load(gold, systems, task=task).save(tmp_path / "store")
    parts = in_parts(store, 30)
    assert len(parts.spread.parts) >= 5
    for call in ("score", "bins", "changes", "compare", "oracle"):
        whole = outcome(coleval.open(store), call, {})
        assert differences(whole, outcome(parts, call, {})) == []


def test_systems_that_were_added_later_are_in_the_parts(tmp_path, monkeypatch):
    monkeypatch.setattr("coleval.store.tables.ROWS", 30)
    gold, systems = one_file(tmp_path, random.Random(5), 60, ("a", "b", "c"))
    store = coleval.load(gold, {"a": systems["a"]}, task="span").save(tmp_path / "store")
    from coleval.store.growing import add
    from coleval.store.manifest import read_manifest

    later = {name: systems[name] for name in "bc"}
    add(store, read_manifest(store), coleval.load(gold, later, task="span"))
    for call in ("score", "bins", "errors", "changes"):
        whole = outcome(coleval.open(store), call, {})
        assert differences(whole, outcome(in_parts(store, 30), call, {})) == []


def test_a_matrix_is_cut_between_any_rows(tmp_path):
    rng = random.Random(6)
    rows = "".join(f"{rng.randint(0, 1)}\t{rng.randint(0, 1)}\n" for _ in range(50))
    matrix = save(tmp_path / "m.tsv", "a\tb\n" + rows)
    store = coleval.load(matrix, task="matrix").save(tmp_path / "store")
    for call in ("score", "bins", "oracle", "compare"):
        whole = outcome(coleval.open(store), call, {})
        assert differences(whole, outcome(in_parts(store, 10), call, {})) == []


def test_a_file_that_changes_while_it_is_counted_is_refused(stores, tmp_path):
    import shutil

    store = shutil.copytree(stores["tag"], tmp_path / "store")
    parts = in_parts(store, 6).with_options(missing="wrong")
    column = next(store.glob("item/token/*.parquet"))
    column.write_bytes(column.read_bytes() + b" ")
    with pytest.raises(coleval.ColevalError, match="has changed since the count began"):
        parts.score()
    column.unlink()
    with pytest.raises(coleval.ColevalError, match="cannot be read here"):
        in_parts_again(parts).score()


def in_parts_again(corpus):
    """Return a corpus that has counted nothing yet."""
    return corpus.with_options(undefined="0")


def sets_of_labels(folder, rng, datasets=4):
    """Write instances with sets of labels; a label is of one dataset, and some have none."""
    for k in range(datasets):
        labels = ["A", "B", f"only{k}"] if k else []
        ids = [f"{k}-{at}" for at in range(rng.randint(1, 6))]

        def lines(share, ids=ids, labels=labels):
            rows = (f"{i}\t{'|'.join(x for x in labels if rng.random() < share)}\n" for i in ids)
            return "id\tlabel\n" + "".join(rows)

        save(folder / "gold" / f"d{k}.tsv", lines(0.4))
        for name in "ab":
            save(folder / "runs" / name / f"d{k}.tsv", lines(0.3))
    return f"{folder}/gold/{{dataset}}.tsv", f"{folder}/runs/{{system}}/{{dataset}}.tsv"


def test_labels_that_only_some_parts_have_are_those_of_all_of_them(tmp_path):
    sources = sets_of_labels(tmp_path, random.Random(8))
    store = coleval.load(*sources, task="label", separator="|").save(tmp_path / "store")
    for call, options in (("score", {}), ("score", {"where": "difficulty < 1"}), ("bins", {})):
        whole = outcome(coleval.open(store), call, options)
        assert differences(whole, outcome(in_parts(store, 1), call, options)) == []


def test_a_corpus_in_parts_introduces_itself_without_looking_at_items(stores):
    text = repr(in_parts(stores["tag"], 6))
    assert "counted apart" in text
    assert "datasets" in text


def test_spans_over_sentences_are_not_cut_within_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr("coleval.store.tables.ROWS", 30)
    gold, systems = one_file(tmp_path, random.Random(4), 60)
    corpus = coleval.load(gold, systems, task="span", within="corpus")
    store = corpus.save(tmp_path / "store")
    parts = in_parts(store, 1)
    assert len(parts.spread.parts) == 1
    whole = outcome(coleval.open(store), "errors", {})
    assert differences(whole, outcome(parts, "errors", {})) == []


def test_training_data_go_to_the_parts(stores, tmp_path):
    train = tmp_path / "train.conll"
    train.write_text("a\tB-P\nb\tI-P\nc\tO\n\nd\tB-L\na\tO\n", encoding="utf-8")
    whole, parts = (one.with_options(missing="wrong") for one in (
        coleval.open(stores["span"]), in_parts(stores["span"], 6)))  # fmt: skip
    options = {"train": str(train), "attributes": "eCon,tFre,oDen,eFre"}
    expected = outcome(whole, "buckets", options)
    assert not isinstance(expected, str)
    assert differences(expected, outcome(parts, "buckets", options)) == []
