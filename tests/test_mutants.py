"""Small exact tests of kernels and statistics, each of a place where a changed line went unnoticed.

Found by ``tests.fuzz.mutate``; plain loops over random items say what is right.
"""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import polars as pl
import pytest

from coleval.corpus.items import Items
from coleval.corpus.schemes import _first_illegal
from coleval.kernels import assignment, ballots, confusion, units
from coleval.kernels import patterns as pattern_kernel
from coleval.kernels import agreement as agreement_kernel
from coleval.kernels.active_rows import ActiveBlocks, active_rows
from coleval.kernels.boundaries import boundaries
from coleval.kernels.buckets import Placed, crossed
from coleval.kernels.chains import Chains, _side, overlaps
from coleval.kernels.combining import label_counts, votes
from coleval.kernels.coref_classes import _closest
from coleval.kernels.flips import flips
from coleval.kernels.pairs import pair_counts
from coleval.kernels.transitions import CHANGED_ERROR, CORRECTION, NEW_ERROR, transitions
from coleval.statistics import exchanges, paired, prf
from coleval.statistics.change import _side as shares_of
from coleval.statistics.change import differences

LABELS = ("a", "b", "c")
SEEDS = range(6)


def table(seed, n=40, systems=3, *, empty_is_answer=False, labels=LABELS, **context):
    """Return random items, most of them right, in sentences of four."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, len(labels) + 1, n).astype(np.uint8)
    answers = {}
    for at in range(systems):
        wrong = rng.random(n) < 0.4
        other = rng.integers(0, len(labels) + 1, n).astype(np.uint8)
        answers[f"s{at}"] = np.where(wrong, other, gold)
    sentence = {"sentence": np.arange(n, dtype=np.uint32) // 4}
    frame = pl.DataFrame({**sentence, **context})
    return Items("token", frame, labels, gold, answers, empty_is_answer, group_count=-(-n // 4))


@pytest.fixture
def in_blocks(monkeypatch):
    """Let items come in three blocks, as from the disk."""

    def blocks(items):
        n = len(items)
        for low, high in ((0, n // 3), (n // 3, n // 2), (n // 2, n)):
            yield items.between(low, high)

    monkeypatch.setattr(Items, "blocks", blocks)


def both(items):
    """Yield what is active in all items at once, and in blocks of them."""
    yield active_rows(items)
    yield ActiveBlocks(items)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("empty", [True, False])
def test_active_rows_are_those_that_somebody_has_wrong(seed, empty, in_blocks):
    items = table(seed, empty_is_answer=empty)
    layers = [items.gold, *items.answers.values()]
    active = [at for at in range(len(items)) if len({int(c[at]) for c in layers}) > 1]
    nowhere = [at for at in range(len(items)) if not any(c[at] for c in layers)]
    for found in both(items):
        parts = list(found)
        assert [int(r) + p.span.start for p in parts for r in p.rows] == active
        assert [p.size for p in parts] == [p.span.stop - p.span.start for p in parts]
        assert sum(p.agreed for p in parts) == len(items) - len(active)
        assert sum(p.agreed_empty for p in parts) == (0 if empty else len(nowhere))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("empty", [True, False])
def test_flips_firsts_and_votes_are_those_of_plain_loops(seed, empty, in_blocks):
    items = table(seed, empty_is_answer=empty)
    there = [at for at in range(len(items)) if empty or items.gold[at]]
    right = [[bool(c[at] == items.gold[at]) for c in items.answers.values()] for at in there]
    for found in both(items):
        for row in flips(items, found):
            k = row["earlier"]
            kept = [one for one in right if all(one[:k])]
            assert row["held"] == len(kept)
            assert row["flips"] == sum(not one[k] for one in kept)
            assert row["firsts"] == sum(one[k] and not any(one[:k]) for one in right)
    for found in both(items):
        counted = votes(items, (0, 1, 2), found)
        assert counted.items.tolist() == [sum(sum(o) == k for o in right) for k in range(4)]
        alone = [sum(o[s] and sum(o) == 1 for o in right) for s in range(3)]
        assert counted.alone.tolist() == alone
        invented = sum(_winner(items, at) != 0 for at in range(len(items)) if not items.gold[at])
        assert counted.invented == (0 if empty else invented)


def _winner(items, at):
    said = [int(codes[at]) for codes in items.answers.values()]
    return max(said, key=lambda code: (said.count(code), -said.index(code)))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("empty", [True, False])
def test_pairs_count_what_neither_gold_nor_the_two_have(seed, empty, in_blocks):
    items = table(seed, empty_is_answer=empty)
    gold, layers = items.gold, list(items.answers.values())
    for found in both(items):
        counts = pair_counts(items, found)
        for a, one in enumerate(layers):
            for b, other in enumerate(layers):
                absent = sum((gold == 0) & (one == 0) & (other == 0))
                assert counts.absent[a, b] == (0 if empty else absent)
                assert counts.both[a, b] == sum((one == gold) & (other == gold))
                assert counts.different[a, b] == sum(one != other)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("empty", "missing"), [(True, False), (False, False), (False, True)])
def test_two_raters_are_counted_over_blocks_and_without_what_both_leave_out(
    seed, empty, missing, in_blocks, monkeypatch
):
    items = table(seed, empty_is_answer=empty)
    monkeypatch.setattr(agreement_kernel, "active_rows", ActiveBlocks)
    layers = {"gold": items.gold, **items.answers}
    for pair in agreement_kernel.pairs(agreement_kernel.ratings(items, missing=missing)):
        said = list(zip(layers[pair.a].tolist(), layers[pair.b].tolist(), strict=True))
        if missing:
            said = [(x, y) for x, y in said if x and y]
        elif not empty:
            said = [(x, y) for x, y in said if x or y]
        assert pair.items == len(said)
        assert pair.agreed == sum(x == y for x, y in said)
        for side, counts in enumerate((pair.first, pair.second)):
            assert counts.tolist() == [sum(two[side] == k for two in said) for k in range(4)]


@pytest.mark.parametrize("seed", SEEDS)
def test_counts_by_label_of_shown_labels_are_not_remembered_as_those_of_the_items(seed):
    items = table(seed)
    shown = items.renamed(["z", "a", "z"])
    label_counts(items, shown)
    assert label_counts(items, shown).items.tolist() == np.bincount(shown.gold, minlength=3).tolist()
    assert label_counts(items, items).items.tolist() == np.bincount(items.gold, minlength=4).tolist()
    assert label_counts(items, items) is label_counts(items, items)


@pytest.mark.parametrize("seed", SEEDS)
def test_kinds_of_changes_are_those_of_the_items_where_labels_shown_are_coarser(seed):
    items = table(seed, labels=("a", "b", "c", "d"))
    shown = items.renamed(["z", "a", "z", "y"])
    for one in (items, shown):
        (found,) = transitions(items, one, [(0, 2)])
        said = Counter()
        for at in range(len(items)):
            before, after = (int(items.answers[s][at]) for s in ("s0", "s2"))
            if before != after:
                gold = int(items.gold[at])
                kind = NEW_ERROR if before == gold else CHANGED_ERROR
                kind = CORRECTION if after == gold else kind
                label = int(one.gold[at]) if kind == CHANGED_ERROR else 0
                said[kind, label, int(one.answers["s0"][at]), int(one.answers["s2"][at])] += 1
        cells = zip(found.kind, found.gold, found.before, found.after, strict=True)
        got = dict(zip([tuple(map(int, c)) for c in cells], found.n.tolist(), strict=True))
        assert got == dict(said)


@pytest.mark.parametrize("seed", SEEDS)
def test_ballots_rank_by_right_answers_and_tell_places_from_codes(seed):
    items = table(seed)
    found = ballots.ballots(items, 0.9)
    right = [int(sum(codes == items.gold)) for codes in items.answers.values()]
    assert list(found.order) == sorted(range(3), key=lambda s: -right[s])
    said = Counter()
    for place, row in enumerate(found.rows.tolist()):
        for codes in items.answers.values():
            if codes[row] and codes[row] != items.gold[row]:
                said[place, int(codes[row])] += 1
    place, code, n = (np.asarray(part).tolist() for part in ballots.proposals(found))
    assert dict(zip(zip(place, code, strict=True), n, strict=True)) == dict(said)
    gold, given, hits = ballots.answer_counts(items)
    for at, codes in enumerate(items.answers.values()):
        for label in range(4):
            assert gold[label] == sum(items.gold == label)
            assert given[at, label] == sum(codes == label)
            assert hits[at, label] == sum((codes == label) & (items.gold == label))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("dense", [1, 1 << 20])
def test_confusion_counts_however_many_labels_there_are(seed, dense, monkeypatch):
    monkeypatch.setattr(confusion, "_DENSE", dense)
    items = table(seed, n=12, labels=tuple("abcdefgh"))
    name = [None, *items.labels]
    said = Counter(
        (s, name[g], name[a])
        for s, codes in items.answers.items()
        for g, a in zip(items.gold.tolist(), codes.tolist(), strict=True)
        if g or a
    )
    rows = confusion.confusion_counts(items).rows()
    assert {row[:3]: row[3] for row in rows} == dict(said)
    assert confusion.wrong_groups(items) == {
        s: len({at // 4 for at in range(12) if codes[at] != items.gold[at]})
        for s, codes in items.answers.items()
    }


def test_units_are_sentences_columns_forms_or_items():
    ids = [f"d{at}" for at in range(8)]
    part = ["x", "y"] * 4
    items = table(1, n=8, part=part, id=ids, form=list("ppqqrrss"))
    assert units.units_of(items, "sentence").of.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert len(units.units_of(items, "part")) == 2
    assert units.units_of(items, "part").of.tolist() == [0, 1] * 4
    assert len(units.units_of(items, "form")) == 4
    single = units.units_of(items, "item")
    assert single.key.tolist() == units.keys_of_names(ids).tolist()
    for other in (["d0"] * 8, [None, *ids[1:]]):
        again = units.units_of(table(1, n=8, id=other), "item")
        assert again.key.tolist() == units.keys_of_numbers(np.arange(8)).tolist()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("empty", [True, False])
def test_units_count_items_and_answers(seed, empty):
    items = table(seed, empty_is_answer=empty)
    whole = units.units_of(items, "sentence")
    rows = [range(low, low + 4) for low in range(0, len(items), 4)]
    gold = items.gold
    size = units.size_of(items, whole, empty_is_answer=empty)
    assert size.tolist() == [[sum(bool(empty or gold[at]) for at in some) for some in rows]]
    assert units.expected(items, whole).tolist() == [[sum(gold[at] != 0 for at in s) for s in rows]]
    for label in (0, 1, 2):
        said = units.answered(items, whole, label).tolist()
        for codes, row in zip(items.answers.values(), said, strict=True):
            kept = [[c for c in codes[list(s)] if (c == label if label else c)] for s in rows]
            assert row == [len(one) for one in kept]


@pytest.mark.parametrize("seed", range(20))
def test_the_best_pairing_is_the_best_of_all(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    n = rng.integers(0, 4, (rng.integers(2, 5), rng.integers(2, 5)))
    row, column = np.nonzero(n)
    parts = assignment.components(row, column)
    short, long = sorted(n.shape)
    wide = n if n.shape[0] == short else n.T
    best = max(sum(wide[k, to[k]] for k in range(short)) for to in permutations(range(long), short))
    for dense in (0, 90_000):
        monkeypatch.setattr(assignment, "_DENSE", dense)
        chosen = assignment.best(parts, n[row, column].astype(float))
        assert len(set(row[chosen])) == len(set(column[chosen])) == len(chosen)
        assert n[row, column][chosen].sum() == best
        sizes = n.sum(axis=1)[row], n.sum(axis=0)[column]
        shared = assignment.Overlaps(row, column, n[row, column], *sizes)
        assert assignment.best_pairs(shared)[0].sum() == best


def test_chains_of_two_and_three_share_links_of_which_none_are_of_singletons():
    side = Chains(np.array([0, 0, 0, 1, 1, 1]), np.array([3, 3]), np.array([0, 0]))
    shared = overlaps(side, side)
    assert _side(side, shared.key, shared).lea == {1: 0, 2: 12}


def test_the_closest_nominal_mention_is_found_in_the_first_chain_too():
    chain = np.array([0, 1, 0, 0, -1, 1, -1])
    nominal = np.array([True, True, False, True, True, False, True])
    assert _closest(chain, nominal).tolist() == [-1, -1, 0, 0, -1, 1, -1]


def test_spans_that_change_are_matched_by_label_before_length():
    """The first span shares more with another label's, but goes to one of its own, not to the last.

    That one was there before.
    """
    frame = pl.DataFrame({"sentence": [0] * 4, "start": [0, 0, 4, 0], "end": [5, 4, 5, 2]})
    codes = {"s": [1, 0, 0, 1], "t": [0, 2, 1, 1]}
    answers = {name: np.array(row, np.uint8) for name, row in codes.items()}
    items = Items("span", frame, LABELS, np.array([0, 0, 1, 3], np.uint8), answers)
    assert boundaries(items, 0, 1).rows(named=True) == [
        {"change": "shorter", "label_before": "a", "label_after": "a",
         "n": 1, "corrected": 1, "broken": 0}
    ]  # fmt: skip


def test_two_attributes_crossed_have_the_answers_own_buckets_of_both():
    codes = np.array([2, 2, 0], np.uint8)
    sides = []
    for gold, own in (([0, 1, 1], [0, 1, 1]), ([1, 0, 1], [1, 1, 0])):
        rows = {"s": np.array(own)}
        answer = np.arange(2, dtype=np.uint8)
        sides.append(Placed(2, np.array(gold, np.uint8), answer, None, rows, agree=True))
    found = crossed(*sides, {"s": codes})
    assert found.gold.tolist() == [1, 2, 3]
    assert found.at(np.arange(3), codes, "s").tolist() == [1, 3, 2]


def test_ratios_of_labels_are_those_of_the_definitions():
    cells = pl.DataFrame(
        {"system": ["s"] * 4, "gold": ["a", "a", None, "b"], "answer": ["a", "b", "a", None],
         "n": [3, 2, 4, 1]}
    )  # fmt: skip
    labels = prf.label_counts(cells, ["s", "t"])
    assert labels.columns == ["system", "label", "tp", "fp", "fn", "support"]
    assert labels.filter(pl.col("system") == "s").rows() == [
        ("s", "a", 3, 4, 2, 5), ("s", "b", 0, 2, 1, 1)
    ]  # fmt: skip
    found = prf.ratios(labels).row(0, named=True)
    assert (found["precision"], found["recall"], found["f1"]) == (3 / 7, 3 / 5, 6 / 12)
    given = {"empty_is_answer": False, "share": True, "zero_division": None}
    assert prf.accuracy(cells, ["s", "t"], **given).rows() == [("s", 6, 3, 0.5), ("t", 0, 0, None)]


def test_accuracy_before_and_after_a_change():
    counts = pl.DataFrame({"pair": [0], "label": ["a"], "items": [4], "correct_before": [1],
                           "correct_after": [3]})  # fmt: skip
    names = pl.DataFrame({"pair": [0], "before": ["s"], "after": ["t"]})
    (found,) = differences(counts, names, None).rows(named=True)
    assert (found["accuracy_before"], found["accuracy_after"], found["delta"]) == (0.25, 0.75, 0.5)


def test_shares_of_one_side_of_a_change():
    counts = pl.DataFrame({"items": [4], "correct_before": [1], "tp_before": [2],
                           "proposed_before": [3]})  # fmt: skip
    assert counts.select(*shares_of("before", 5, None)).row(0) == (0.25, 0.5)


def test_p_over_few_units_and_ranks_are_those_of_scipy():
    from scipy import stats

    p = np.array([0.01, 0.4, 1.0])
    z = stats.norm.ppf(p / 2)
    expected = 2 * stats.t.cdf(np.sqrt(4 / 5) * z, 4)
    assert paired.widened_p(p, 5) == pytest.approx(expected)
    scores = np.array([[0.1, 0.5, 0.9, 0.4], [0.3, 0.1, 0.2, 0.4]])
    found, effect = paired.wilcoxon(scores, np.array([[0, 1]]))
    # Ranks 1 (down), 2 and 3 (up): 5 of 6 go up.
    assert effect.tolist() == [pytest.approx(2 * 5 / 6 - 1)]
    assert found.tolist() == [pytest.approx(stats.wilcoxon([-0.2, 0.4, 0.7]).pvalue)]


def test_exchanges_of_a_stratum_move_its_own_units_only():
    counts = np.array([[5, 1, 2], [1, 4, 7]])
    moves = np.array([[0.0, 1.0], [1.0, 1.0]])
    among = np.array([[True, False]])
    one, other = exchanges._exchanged(
        counts, np.array([[0, 1]]), np.array([[0, 2]]), moves, np.array([0]), among
    )
    assert (one.tolist(), other.tolist()) == ([[5.0, 1.0]], [[1.0, 5.0]])


def test_an_extended_span_breaks_at_its_first_illegal_chunk_or_else_at_its_second():
    at = [np.array(one) for one in ([0, 3], [2, 5], [0, 1, 2, 3, 4])]
    legal = np.array([True, True, False, True, True])
    assert _first_illegal(*at, legal).tolist() == [2, 4]


@pytest.mark.parametrize("seed", SEEDS)
def test_patterns_of_parts_are_those_of_the_whole(seed, monkeypatch):
    items = table(seed)
    whole = pattern_kernel.bins_of(pattern_kernel.patterns(items))
    monkeypatch.setattr(pattern_kernel, "_ROWS", 7)
    parts = pattern_kernel.bins_of(pattern_kernel.patterns(items))
    right = np.array([codes == items.gold for codes in items.answers.values()])
    there = items.gold != 0
    solved = np.bincount(right[:, there].sum(axis=0), minlength=4).tolist()
    assert [found[0].tolist() for found in (whole, parts)] == [solved, solved]
    assert whole[1].tolist() == parts[1].tolist()
