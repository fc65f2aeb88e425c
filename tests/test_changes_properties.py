"""Changes and upper bounds of random small corpora, against plain loops and against themselves."""

from __future__ import annotations

import tempfile
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
import oracle
import oracle_changes as plain

SUMMARY = ("items", "different", "corrections", "new_errors", "changed_errors",
           "correct_before", "correct_after")  # fmt: skip

SHARED = ("correct_a", "correct_b", "correct_both", "correct_either")

LABELS = st.sampled_from(["NN", "NE", "VB", "ß", "_x"])
TAGS = st.one_of(
    st.just("O"), st.builds("{}-{}".format, st.sampled_from("BI"), st.sampled_from(["PER", "LOC"]))
)
TREES = st.tuples(st.integers(0, 3), st.sampled_from(["nsubj", "obj", "Obj:x", "punct"]))


@st.composite
def corpora(draw, answers, systems=3):
    """Return gold's answers by sentence, and those of each system, often gold's own."""
    lengths = draw(st.lists(st.integers(3, 6), min_size=1, max_size=4))

    def layer(base=None):
        return [
            [
                base[k][at] if base is not None and draw(st.booleans()) else draw(answers)
                for at in range(n)
            ]
            for k, n in enumerate(lengths)
        ]

    gold = layer()
    return gold, {f"s{k}": layer(gold) for k in range(systems)}


def tagged(sentences):
    return "\n".join("".join(f"w {label}\n" for label in s) for s in sentences)


def trees(sentences):
    return "\n".join(
        "".join(f"{k}\tw\t_\tX\t_\t_\t{head}\t{rel}\t_\t_\n" for k, (head, rel) in enumerate(s, 1))
        for s in sentences
    )


def load(gold, systems, write=tagged, **options):
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder, name) for name in ("gold", *systems)}
        for name, layer in {"gold": gold, **systems}.items():
            paths[name].write_text(write(layer), encoding="utf-8")
        return coleval.load(paths["gold"], {n: paths[n] for n in systems}, **options)


def items_of(sentences):
    return {(k, at): x for k, s in enumerate(sentences) for at, x in enumerate(s)}


def spans_of(sentences):
    layer = [[("w", tag) for tag in s] for s in sentences]
    return {span[:3]: span[3] for span in oracle.corpus_spans(layer)[0]}


def words_of(sentences, gold, part):
    """Return the words that gold does not call punct; ``part`` is what is compared of them."""
    truth = items_of(gold)
    return {
        item: part((head, rel.lower()))
        for item, (head, rel) in items_of(sentences).items()
        if truth[item][1] != "punct"
    }


def tag_case(draw):
    gold, systems = draw(corpora(LABELS))
    return (
        load(gold, systems, task="tag"),
        items_of(gold),
        {n: items_of(s) for n, s in systems.items()},
        plain.same,
    )


def span_case(draw):
    gold, systems = draw(corpora(TAGS))
    return (
        load(gold, systems, task="span"),
        spans_of(gold),
        {n: spans_of(s) for n, s in systems.items()},
        plain.same,
    )


def dep_case(draw):
    gold, systems = draw(corpora(TREES))
    corpus = load(gold, systems, trees, task="dep", format="conllu")
    answers = {n: words_of(s, gold, plain.same) for n, s in {"": gold, **systems}.items()}
    return corpus, answers.pop(""), answers, lambda answer: answer and answer[1]


def grouped(report):
    """Return value: (items, right by anyone, right by each system)."""
    own = {}
    for row in report.table("by_systems").to_dicts():
        own.setdefault(row["by"], {})[row["system"]] = row["correct"]
    rows = report.table("by").select("by", "items", "oracle_correct").rows()
    return {value: (items, anyone, own[value]) for value, items, anyone in rows}


CASES = pytest.mark.parametrize("case", [tag_case, span_case, dep_case])


@CASES
@given(data=st.data())
def test_changes_are_those_of_the_plain_loop(case, data):
    corpus, gold, systems, show = case(data.draw)
    # In both directions: what corrects one way is a new error the other way.
    report = corpus.changes(list(permutations(systems, 2)))
    for row in report.table("summary").to_dicts():
        before, after = row["before"], row["after"]
        summary, cells, labels = plain.compare(gold, systems[before], systems[after], show)
        assert {name: row[name] for name in SUMMARY} == summary
        assert row["diff"] == (
            summary["different"] / summary["items"] if summary["items"] else None
        )
        if case is span_case:
            assert row["f1_before"] == plain.f1(gold, systems[before])
            assert row["f1_after"] == plain.f1(gold, systems[after])
        mine = [
            r
            for r in report.table("changes").to_dicts()
            if (r["before"], r["after"]) == (before, after)
        ]
        assert {
            (r["kind"], r["gold"], r["label_before"], r["label_after"]): r["n"] for r in mine
        } == cells
        own = [
            r
            for r in report.table("labels").to_dicts()
            if (r["before"], r["after"]) == (before, after)
        ]
        assert {
            r["label"]: (r["items"], r["correct_before"], r["correct_after"]) for r in own
        } == labels
    flips = corpus.changes().table("flips").to_dicts()
    held = {r["system"]: (r["held"], r["flips"]) for r in flips}
    assert held == plain.flips(gold, systems)


@CASES
@given(data=st.data())
def test_upper_bounds_and_votes_are_those_of_the_plain_loop(case, data):
    corpus, gold, systems, _ = case(data.draw)
    report = corpus.oracle(by="sentence")
    assert grouped(report) == plain.by_group(gold, systems, lambda item: str(item[0]))
    (row,) = report.table("overall").to_dicts()
    reached, best, alone = plain.bound(gold, systems)
    assert (row["items"], row["oracle_correct"], row["best_correct"]) == (len(gold), reached, best)
    assert row["best_system"] == plain.ranking(gold, systems)[0]
    assert {r["system"]: r["alone"] for r in report.table("leave_one_out").to_dicts()} == alone
    assert report.table("votes")["items"].to_list() == plain.votes(gold, systems)
    chosen = plain.majority(gold, systems)
    assert row["majority_correct"] == len(plain.right(gold, chosen))
    if case is span_case:
        invented = sum(x is not None for i, x in chosen.items() if i not in gold)
        assert row["majority_invented"] == invented
    rungs = [(r["system"], r["correct"]) for r in report.table("ladder").to_dicts()]
    assert rungs == plain.ladder(gold, systems)
    (alone,) = corpus.chosen("s1").oracle().table("overall").to_dicts()
    assert alone["oracle_correct"] == alone["best_correct"] == alone["majority_correct"]
    overlap = {
        (r["a"], r["b"]): (r["both"], r["either"], r["identical"])
        for r in report.table("overlap").to_dicts()
    }
    assert overlap == plain.overlaps(gold, systems)
    pairs = report.table("overlap").to_dicts()
    shared = {(r["a"], r["b"]): tuple(r[name] for name in SHARED) for r in pairs}
    assert shared == plain.correct_overlaps(gold, systems)
    for row in pairs:
        assert row["correct_share"] == (row["correct_both"] / len(gold) if gold else None)


@pytest.mark.parametrize("metric", ["las", "uas", "ls"])
@given(data=st.data())
def test_a_metric_compares_its_part_of_the_answer(metric, data):
    gold, systems = data.draw(corpora(TREES, systems=2))
    part = {"las": plain.same, "uas": lambda a: a[0], "ls": lambda a: a[1]}[metric]
    corpus = load(gold, systems, trees, task="dep", format="conllu", profile="compareval")
    truth, a, b = (words_of(s, gold, part) for s in (gold, systems["s0"], systems["s1"]))
    summary, *_ = plain.compare(truth, a, b)
    report = corpus.changes(metric=metric)
    (row,) = report.table("summary").to_dicts()
    assert {name: row[name] for name in SUMMARY} == summary
    assert report.table("changes")["n"].sum() == summary["different"]
    (bound,) = corpus.oracle(metric=metric).table("overall").to_dicts()
    assert bound["oracle_correct"] == plain.bound(truth, {"a": a, "b": b})[0]
    right = {
        r["metric"]: r["correct"]
        for r in corpus.score().table("overall").to_dicts()
        if r["system"] == "s0"
    }
    assert right[metric.upper()] == summary["correct_before"]


@CASES
@given(data=st.data())
def test_what_is_listed_is_what_is_counted(case, data):
    corpus, *_ = case(data.draw)
    report = corpus.changes(("s0", "s1"), items=True)
    items = report.table("items")
    counts = {r["kind"]: r["len"] for r in items.group_by("kind").len().to_dicts()}
    (row,) = report.table("summary").to_dicts()
    expected = {"correction": row["corrections"], "new error": row["new_errors"],
                "changed error": row["changed_errors"]}  # fmt: skip
    assert counts == {kind: n for kind, n in expected.items() if n}
    for cell in report.table("changes").to_dicts()[:3]:
        asked = {side: cell[side] or "_" for side in ("label_before", "label_after")}
        listed = corpus.changes(("s0", "s1"), kind=cell["kind"], **asked).table("items")
        same = [
            r for r in report.table("changes").to_dicts()
            if all(r[k] == cell[k] for k in ("kind", "label_before", "label_after"))
        ]  # fmt: skip
        assert len(listed) == sum(r["n"] for r in same)
