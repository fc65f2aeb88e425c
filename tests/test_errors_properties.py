"""Span errors against plain loops, on spans that nest, cross, repeat and have holes."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
import oracle_errors as oracle

LABELS = ("A", "B", "C")
COUNTED = ("tp", "le", "bes", "bel", "beo", "lbe", "fn", "fp")


@st.composite
def spans(draw):
    begin = draw(st.integers(1, 9))
    end = begin + draw(st.integers(0, 6))
    inner = range(begin + 1, end)
    holes = (
        draw(st.sets(st.sampled_from(inner), max_size=2)) if inner and draw(st.booleans()) else ()
    )
    return draw(st.sampled_from(LABELS)), begin, end, frozenset(range(begin, end + 1)) - set(holes)


LAYER = st.lists(spans(), max_size=7)
corpora = st.lists(st.lists(LAYER, min_size=2, max_size=2), min_size=1, max_size=3)


def text(sentences):
    blocks = []
    for sentence in sentences:
        lines = [
            f"{label}\t{begin}\t{end}\t{', '.join(map(str, sorted(tokens)))}"
            for label, begin, end, tokens in sentence
        ]
        blocks.append("\n".join(lines or ["NONE\t999\t999\t999"]))
    return "\n\n".join(blocks) + "\n"


def loaded(gold, systems, **options):
    with TemporaryDirectory() as folder:
        paths = {}
        for name, sentences in {"gold": gold, **systems}.items():
            paths[name] = Path(folder) / f"{name}.csv"
            paths[name].write_text(text(sentences), "utf-8")
        return coleval.load(paths.pop("gold"), paths, **options)


def rows(report, table, **wanted):
    found = report.table(table).to_dicts()
    return [r for r in found if all(r[k] == v for k, v in wanted.items())]


def expected(corpus, rule, *, multiset=False):
    """The oracle's errors of all sentences; without ``multiset`` an equal span counts once."""
    errors = []
    for gold, system in corpus:
        once = (
            (gold, system)
            if multiset
            else (sorted(set(s), key=oracle.reading_order) for s in (gold, system))
        )
        errors += rule(*once)
    return errors


def counts_of(row):
    return Counter({kind: row[kind] for kind in COUNTED if row[kind]})


def confusion_of(report, system="s"):
    return {(r["gold"], r["answer"]): r["n"] for r in rows(report, "confusion", system=system)}


def check_totals(report):
    """Hold the total of every method against the sums over its labels."""
    for whole in report.table("overall").to_dicts():
        parts = rows(report, "labels", method=whole["method"], system=whole["system"])
        for name, value in whole.items():
            if isinstance(value, int):
                assert sum(part[name] for part in parts) == value, name


@pytest.mark.parametrize("focus", ["target", "system"])
@pytest.mark.parametrize("multiset", [False, True])
@given(corpus=st.lists(st.lists(LAYER, min_size=3, max_size=3), min_size=1, max_size=3))
def test_fair_errors_are_those_of_the_plain_loop(focus, multiset, corpus):
    gold, one, other = [[s[k] for s in corpus] for k in range(3)]
    systems = {"s": one, "o": other}
    report = loaded(gold, systems, multiset=multiset).errors(focus=focus)
    check_totals(report)
    for name, system in systems.items():
        traditional = [Counter(), Counter(), Counter()]
        for sides in zip(gold, system, strict=True):
            once = sides if multiset else [sorted(set(side)) for side in sides]
            for total, part in zip(traditional, oracle.traditional(*once), strict=True):
                total.update(part)
        for row in rows(report, "labels", method="traditional", system=name):
            assert [row[n] for n in ("tp", "fp", "fn")] == [n[row["label"]] for n in traditional]
        errors = expected(zip(gold, system, strict=True), oracle.fair, multiset=multiset)
        (whole,) = rows(report, "overall", method="fair", system=name)
        assert counts_of(whole) == Counter(kind for kind, _, _ in errors)
        mine = {
            (row["label"], kind): row[kind]
            for row in rows(report, "labels", method="fair", system=name)
            for kind in COUNTED
            if row[kind]
        }
        assert mine == oracle.by_label(errors, focus)
        assert confusion_of(report, name) == oracle.confusion(errors)


@pytest.mark.parametrize(("taxonomy", "labels"), [("nervaluate", True), ("hipe", False)])
@given(corpus=corpora)
def test_other_taxonomies_are_those_of_the_plain_loop(taxonomy, labels, corpus):
    gold, system = [[s[k] for s in corpus] for k in (0, 1)]
    report = loaded(gold, {"s": system}).errors(taxonomy=taxonomy)
    check_totals(report)
    errors = expected(corpus, lambda g, s: oracle.one_to_one(g, s, labels=labels))
    n = Counter(kind for kind, _, _ in errors)
    assert confusion_of(report) == oracle.confusion(errors)
    boundary = n["bes"] + n["bel"] + n["beo"]
    if taxonomy == "hipe":
        (fuzzy,) = rows(report, "overall", method="fuzzy")
        assert fuzzy["tp"] == n["tp"] + boundary
        assert fuzzy["fp"] == n["le"] + n["lbe"] + n["fp"]
        return
    (partial,) = rows(report, "overall", method="partial")
    found = [partial[name] for name in ("cor", "inc", "par", "mis", "spu")]
    assert found == [n["tp"] + n["le"], 0, boundary + n["lbe"], n["fn"], n["fp"]]


@pytest.mark.parametrize("taxonomy", ["fair", "nervaluate", "hipe"])
@given(corpus=corpora, seed=st.integers(0, 99))
def test_the_order_of_the_input_never_matters(taxonomy, corpus, seed):
    gold, system = [[list(s[k]) for s in corpus] for k in (0, 1)]
    before = loaded(gold, {"s": system}).errors(taxonomy=taxonomy, items=True)
    mixed = random.Random(seed)
    for sentence in (*gold, *system):
        mixed.shuffle(sentence)
    after = loaded(gold, {"s": system}).errors(taxonomy=taxonomy, items=True)
    for name in ("overall", "labels", "confusion", "profile", "statistics"):
        assert after.table(name).equals(before.table(name)), name
    place = ("error", "sentence", "gold", "gold_start", "answer", "answer_start", "answer_end")
    assert sorted(map(str, after.table("items").select(place).rows())) == sorted(
        map(str, before.table("items").select(place).rows())
    )
