"""What must hold of difficulty bins for any corpus, compared with plain loops in oracle_bins."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
import oracle_bins

LABELS = ("A", "B", "C")
FORMS = ("x", "y", "z", "(", ")", "NF", "1")


@st.composite
def tagged(draw, most=5, gaps=True):
    """Return sentences of (form, gold, answers by system), None for no label."""
    label = st.sampled_from([*LABELS, None] if gaps else LABELS)
    systems = [f"s{k}" for k in range(draw(st.integers(1, most)))]
    lengths = draw(st.lists(st.integers(1, 5), min_size=1, max_size=5))

    def token():
        gold = draw(label)
        right = draw(st.lists(st.booleans(), min_size=len(systems), max_size=len(systems)))
        answers = {s: gold if ok else draw(label) for s, ok in zip(systems, right, strict=True)}
        return draw(st.sampled_from(FORMS)), gold, answers

    return [[token() for _ in range(n)] for n in lengths], systems


def corpus(sentences, systems):
    """Return the corpus of some sentences, through data frames."""
    rows = [(k, form, gold, answers) for k, s in enumerate(sentences) for form, gold, answers in s]

    def frame(labels):
        return pl.DataFrame(
            {
                "sentence": [row[0] for row in rows],
                "form": [row[1] for row in rows],
                "label": [label or "O" for label in labels],
            }
        )

    gold = frame([row[2] for row in rows])
    layers = {name: frame([row[3][name] for row in rows]) for name in systems}
    return coleval.load(gold, layers, task="tag", outside="O")


def flat(sentences):
    return [token for sentence in sentences for token in sentence]


def counted(report):
    """Return the three count tables as plain dicts, zeros left out."""
    bins = dict(report.tables["bins"].select("bin", "items").iter_rows())
    tps = {(b, s): n for b, s, n in report.tables["tps"].select("bin", "system", "tp").iter_rows()}
    invented = dict(report.tables["spurious"].iter_rows())
    return tuple({k: n for k, n in table.items() if n} for table in (bins, tps, invented))


def plain(counts):
    return tuple({k: n for k, n in table.items() if n} for table in counts)


@given(tagged())
def test_all_counts_are_those_of_plain_loops(made):
    sentences, systems = made
    items = [(gold, answers) for _, gold, answers in flat(sentences)]
    report = corpus(sentences, systems).bins()
    assert counted(report) == plain(oracle_bins.tables(items, systems))
    gold = sum(label is not None for label, _ in items)
    for row in report.tables["systems"].to_dicts():
        solved = sum(label is not None and said[row["system"]] == label for label, said in items)
        assert (row["tp"], row["recall"]) == (solved, solved / gold if gold else None)


@given(tagged(), st.data())
def test_bins_of_some_systems_are_those_of_plain_loops(made, data):
    sentences, systems = made
    judges = data.draw(st.lists(st.sampled_from(systems), min_size=1, unique=True))
    items = [(gold, answers) for _, gold, answers in flat(sentences)]
    report = corpus(sentences, systems).bins(bins_from=",".join(judges))
    assert counted(report) == plain(oracle_bins.tables(items, systems, judges))
    rows = report.table("spurious_systems").select("bin", "system", "spurious").iter_rows()
    spurious = {(bin_, system): n for bin_, system, n in rows if n}
    assert spurious == oracle_bins.spurious_systems(items, systems, judges)


@given(tagged())
def test_the_columns_of_the_item_table_are_those_of_plain_loops(made):
    sentences, systems = made
    frame = corpus(sentences, systems).items
    for row, (_, gold, answers) in zip(frame.to_dicts(), flat(sentences), strict=True):
        assert row["difficulty"] == oracle_bins.difficulty(gold, answers)
        assert row["spurious"] == oracle_bins.spurious(gold, answers)


@given(tagged(), st.randoms())
def test_the_order_of_systems_changes_nothing(made, random):
    sentences, systems = made
    other = random.sample(systems, len(systems))
    mine, theirs = corpus(sentences, systems).bins(), corpus(sentences, other).bins()
    for name, table in mine.tables.items():
        assert table.equals(theirs.tables[name]), name


@given(tagged())
def test_words_are_those_of_plain_loops_and_sorted_by_spread(made):
    sentences, systems = made
    words = corpus(sentences, systems).bins(words_top=100).tables["words"]
    found = {(f, b): n for f, b, n in words.select("form", "bin", "n").iter_rows() if n}
    assert found == dict(oracle_bins.words(flat(sentences)))
    spreads = words["spread"].to_list()
    assert spreads == sorted(spreads, reverse=True)


@given(tagged())
def test_hapaxes_and_ambiguous_forms_are_those_of_plain_loops(made):
    sentences, systems = made
    tokens = flat(sentences)
    if all(gold is None for _, gold, _ in tokens):
        return
    profile = corpus(sentences, systems).bins(profile=True).tables["profile"]
    gold = [form for form, label, _ in tokens if label is not None]
    every = {r["property"]: r["value"] for r in profile.filter(pl.col("bin").is_null()).to_dicts()}
    hapax = oracle_bins.hapaxes(tokens)
    assert every["hapax"] == pytest.approx(sum(f in hapax for f in gold) / len(gold))
    if any(label is None for _, label, _ in tokens):
        known = oracle_bins.ambiguous(tokens)
        assert every["ambiguous"] == pytest.approx(sum(f in known for f in gold) / len(gold))


@pytest.mark.parametrize("systems", [1, 2, 7, 255, 256, 300])
def test_any_number_of_systems_is_counted(systems):
    random = np.random.default_rng(systems)
    gold = random.integers(0, 2, 60).astype(str).tolist()
    names = [f"s{k}" for k in range(systems)]
    answers = {n: random.integers(0, 2, 60).astype(str).tolist() for n in names}
    answers[names[0]] = gold
    ids = list(map(str, range(60)))
    frames = {n: pl.DataFrame({"id": ids, "label": labels}) for n, labels in answers.items()}
    corpus = coleval.load(pl.DataFrame({"id": ids, "label": gold}), frames, task="label")
    rows = [(g, {n: answers[n][k] for n in names}) for k, g in enumerate(gold)]
    bins, tps, _ = counted(corpus.bins())
    assert (bins, tps) == plain(oracle_bins.tables(rows, names))[:2]
