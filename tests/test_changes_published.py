"""Every count that the ComparEval scripts print for real taggers and parsers (Tuggener 2017)."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import pytest

import coleval

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = "compareval-en_gum"
PAIRS = (
    ("HIT-SCIR-18", "Stanford-18"),
    ("UDPipe-Future", "TurkuNLP-18"),
    ("conll18-baseline", "LATTICE-18"),
)
TASKS = {"pos": "tag", "dep": "dep"}
KINDS = {"corrections": "correction", "new errors": "new error", "changed errors": "changed error"}


@cache
def load(folder: Path, task: str):
    systems = {p.name.removesuffix(".conllu.gz"): p for p in sorted(folder.glob("systems/*.gz"))}
    profile = "compareval" if task == "dep" else ""
    return coleval.load(folder / "gold.conllu", systems, task=task, profile=profile)


@pytest.fixture(params=["pos", "dep"])
def printed(request, data):
    """The corpus of a task and what gives a printed file of it."""
    folder = data(FOLDER)
    kind = request.param
    return load(folder, TASKS[kind]), lambda name: (
        folder / "expected" / f"{kind}.{name}"
    ).read_text()


def bracketed(text):
    """Return all pairs of counts in brackets of a line."""
    return [tuple(map(int, found)) for found in re.findall(r"\((\d+)/(\d+)\)", text)]


def block(lines, title):
    """Return the lines below a title up to the next blank one."""
    start = next(k for k, line in enumerate(lines) if line.startswith(title))
    rest = lines[start + 1 :]
    return rest[: rest.index("")] if "" in rest else rest


def rows_of(table, **wanted):
    return [r for r in table.to_dicts() if all(r[k] == v for k, v in wanted.items())]


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_summary_counts_are_the_printed_ones(printed, pair):
    corpus, text = printed
    lines = text(f"compare.{pair[0]}.{pair[1]}.txt").splitlines()
    counts = [found for line in lines[:12] for found in bracketed(line)]
    (right_a, items), (right_b, _), (different, _), *kinds = counts
    (row,) = corpus.changes(pair).table("summary").to_dicts()
    assert (row["items"], row["correct_before"], row["correct_after"]) == (items, right_a, right_b)
    assert row["different"] == different
    assert [row["corrections"], row["new_errors"], row["changed_errors"]] == [n for n, _ in kinds]
    assert row["diff"] == different / items


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_every_transition_has_the_printed_count_and_shares(printed, pair):
    corpus, text = printed
    lines = text(f"compare.{pair[0]}.{pair[1]}.txt").splitlines()
    table = corpus.changes(pair).table("changes")
    for title, kind in KINDS.items():
        expected = {}
        for line in block(lines, f"{title}:"):
            shares = [float(x) for x in re.findall(r"([\d.]+) %", line)]
            (n, _), _ = bracketed(line)
            expected[tuple(re.split(r"\s{1,}[\d.]+ %", line)[0].strip().split(" -> "))] = (
                n,
                shares,
            )
        found = {}
        for row in rows_of(table, kind=kind):
            path = (row["label_before"], row["label_after"])
            gold = (row["gold"],) if kind == "changed error" else ()
            assert kind == "changed error" or row["gold"] is None
            found[gold + path] = (row["n"], [row["share_of_kind"], row["share_of_changes"]])
        assert {k: n for k, (n, _) in found.items()} == {k: n for k, (n, _) in expected.items()}
        for key, (_, shares) in found.items():
            assert [100 * s for s in shares] == pytest.approx(expected[key][1], abs=0.00501)
        assert [r["n"] for r in rows_of(table, kind=kind)] == sorted(
            (n for n, _ in expected.values()), reverse=True
        )


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_accuracy_differences_by_label_are_the_printed_ones_largest_first(printed, pair):
    corpus, text = printed
    lines = text(f"compare.{pair[0]}.{pair[1]}.txt").splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("Accuracy differences"))
    expected = {}
    for line in lines[start + 1 :]:
        if line.strip():
            delta, before, after, label, items, *_ = line.split()
            expected[label] = (int(items), *map(float, (before, after, delta)))
    table = corpus.changes(pair).table("labels")
    found = {row["label"]: row for row in table.to_dicts()}
    assert set(found) == set(expected)
    for label, (items, before, after, delta) in expected.items():
        row = found[label]
        assert row["items"] == items
        shown = [100 * row[name] for name in ("accuracy_before", "accuracy_after", "delta")]
        assert shown == pytest.approx([before, after, delta], abs=0.00501)
    sizes = [abs(row["delta"]) for row in table.to_dicts()]
    assert sizes == sorted(sizes, reverse=True)


def eval_file(text):
    lines = text.splitlines()
    ((correct, items),) = bracketed(lines[0])
    ((whole, sentences),) = bracketed(lines[2])
    labels = {}
    for line in lines[5:]:
        if not line.strip():
            break
        labels[line.split()[0]] = bracketed(line)[0]
    at = next(k for k, line in enumerate(lines) if line.startswith("Errors"))
    errors = {}
    for line in filter(str.strip, lines[at + 1 :]):
        gold, _, answer = line.split()[:3]
        errors[gold, answer] = bracketed(line)[0][0]
    return correct, items, whole, sentences, labels, errors


@pytest.mark.parametrize(
    "name",
    ["LAS.LATTICE-18", "LAS.Stanford-18", "LS.LATTICE-18", "UAS.LATTICE-18", "UAS.Stanford-18"],
)
def test_attachment_by_relation_and_sentences_are_the_printed_ones(data, name):
    folder = data(FOLDER)
    metric, system = name.split(".")
    text = (folder / "expected" / f"dep.eval.{name}.txt").read_text()
    correct, items, whole, sentences, labels, errors = eval_file(text)
    corpus = load(folder, "dep")
    report = corpus.score(metric=metric.lower())
    (row,) = rows_of(report.table("overall"), system=system, metric=metric)
    assert (row["correct"], row["gold"]) == (correct, items)
    assert (row["sentences_correct"], row["sentences"]) == (whole, sentences)
    assert row["recall"] == row["aligned_accuracy"] == correct / items
    found = {
        r["label"]: (r["tp"], r["support"]) for r in rows_of(report.table("labels"), system=system)
    }
    assert {k: v for k, v in found.items() if v[1]} == labels
    confusion = rows_of(corpus.confusion(metric=metric.lower()).table("confusion"), system=system)
    assert {(r["gold"], r["answer"]): r["errors"] for r in confusion if r["errors"]} == errors


@pytest.mark.parametrize("system", ["LATTICE-18", "Stanford-18"])
def test_tagging_by_label_and_sentences_are_the_printed_ones(data, system):
    folder = data(FOLDER)
    text = (folder / "expected" / f"pos.eval.{system}.txt").read_text()
    correct, items, whole, sentences, labels, errors = eval_file(text)
    corpus = load(folder, "tag")
    (row,) = rows_of(corpus.score().table("overall"), system=system)
    assert (row["correct"], row["items"]) == (correct, items)
    assert (row["sentences_correct"], row["sentences"]) == (whole, sentences)
    found = {
        r["label"]: (r["tp"], r["support"])
        for r in rows_of(corpus.score().table("labels"), system=system)
    }
    assert {k: v for k, v in found.items() if v[1]} == labels
    confusion = rows_of(corpus.confusion().table("confusion"), system=system)
    assert {
        (r["gold"], r["answer"]): r["n"] for r in confusion if r["gold"] != r["answer"]
    } == errors


def test_upper_bounds_over_24_systems_are_the_printed_ones(printed):
    corpus, text = printed
    lines = text("upper_bound.all.txt").splitlines()
    ((reached, items),) = bracketed(lines[0])
    report = corpus.oracle()
    (row,) = report.table("overall").to_dicts()
    assert (row["oracle_correct"], row["items"]) == (reached, items)
    for line in lines:
        if line.startswith("Correctly labeled sentences"):
            assert (row["sentences_correct"], row["sentences"]) == bracketed(line)[0]
    at = next(k for k, line in enumerate(lines) if line.startswith("Accuracy per"))
    expected = {ln.split()[0]: bracketed(ln)[0] for ln in lines[at + 1 :] if ln.strip()}
    found = {
        r["label"]: (r["oracle_correct"], r["items"]) for r in report.table("labels").to_dicts()
    }
    assert found == expected


def test_all_276_pairs_are_each_what_the_pair_alone_is(printed):
    corpus, _ = printed
    every = corpus.changes()
    assert len(every.table("summary")) == 276
    for pair in PAIRS:
        before, after = sorted(pair, key=corpus.systems.index)
        for name in ("summary", "changes", "labels"):
            alone = corpus.changes((before, after)).table(name).to_dicts()
            assert rows_of(every.table(name), before=before, after=after) == alone
