"""Small exact tests of counts and statistics, each of a place where a changed line went unnoticed.

Found by changing the code line by line; plain loops over random items say what is right.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations, permutations
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from coleval.analyses.changes.tables import boundaries
from coleval.corpus.items import Items
from coleval.corpus.schemes import _chunks, _first_illegal
from coleval.counts import active_rows as active_kernel
from coleval.counts import ballots, chains, units
from coleval.counts.buckets import Differences, Placed, crossed
from coleval.counts.chains import Chains, chain_counts
from coleval.counts.coref_classes import closest, ordered
from coleval.counts.groups import wrong_groups
from coleval.counts.pairs import (
    CHANGED_ERROR,
    CORRECTION,
    NEW_ERROR,
    flips,
    pair_counts,
    transitions,
)
from coleval.counts.patterns import patterns
from coleval.counts.raters import raters_of
from coleval.counts.responses import bins_of, responses
from coleval.counts.systems import confusion_counts, label_counts, votes
from coleval.errors import DataError
from coleval.loading.align import characters, position
from coleval.loading.align import ids as by_id
from coleval.loading.align.offsets import _extent, _nowhere
from coleval.loading.align.rows import JoinedRows
from coleval.loading.readers.model import Multiwords, TableFile, TokenFile
from coleval.statistics import (
    blocks,
    breakdown,
    classic,
    combination,
    exchanges,
    fair,
    paired,
    prf,
    response,
)
from coleval.statistics.change import _side as shares_of
from coleval.statistics.change import differences, summary

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


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("judging", [False, True])
def test_patterns_are_the_distinct_rows_with_how_many_items_share_each(
    seed, engine, judging, in_blocks
):
    items = table(seed)
    if judging:
        items = replace(items, judges={"j": items.answers["s0"][::-1].copy()})
    shown = items.renamed(["z", "a", "z"])
    found = patterns(items, shown, engine=engine).grouped
    judges = list(items.judges.values()) if judging else []
    layers = [
        items.gold, *items.answers.values(), *judges, shown.gold, *shown.answers.values()
    ]  # fmt: skip
    rows = Counter(zip(*(codes.tolist() for codes in layers), strict=True))
    assert dict(zip(map(tuple, found.codes.T.tolist()), found.n.tolist(), strict=True)) == rows
    assert (found.n[: found.single] == 1).all()
    assert (found.n[found.single :] > 1).all()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("empty", [True, False])
def test_flips_firsts_and_votes_are_those_of_plain_loops(seed, empty, in_blocks):
    items = table(seed, empty_is_answer=empty)
    there = [at for at in range(len(items)) if empty or items.gold[at]]
    right = [[bool(c[at] == items.gold[at]) for c in items.answers.values()] for at in there]
    for row in flips(patterns(items)):
        k = row["earlier"]
        kept = [one for one in right if all(one[:k])]
        assert row["held"] == len(kept)
        assert row["flips"] == sum(not one[k] for one in kept)
        assert row["firsts"] == sum(one[k] and not any(one[:k]) for one in right)
    counted = votes(patterns(items), (0, 1, 2))
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
    counts = pair_counts(patterns(items))
    for a, one in enumerate(layers):
        for b, other in enumerate(layers):
            absent = sum((gold == 0) & (one == 0) & (other == 0))
            assert counts.absent[a, b] == (0 if empty else absent)
            assert counts.both[a, b] == sum((one == gold) & (other == gold))
            assert counts.different[a, b] == sum(one != other)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("empty", "missing"), [(True, False), (False, False), (False, True)])
def test_two_raters_are_counted_over_blocks_and_without_what_both_leave_out(
    seed, empty, missing, in_blocks
):
    items = table(seed, empty_is_answer=empty)
    layers = {"gold": items.gold, **items.answers}
    met = []
    raters = raters_of(patterns(items), len(items.labels), missing=missing, covered=empty)
    for rater in raters.pairs():
        for at, other in enumerate(rater.others):
            met.append((rater.a, other))
            said = list(zip(layers[rater.a].tolist(), layers[other].tolist(), strict=True))
            if missing:
                said = [(x, y) for x, y in said if x and y]
            elif not empty:
                said = [(x, y) for x, y in said if x or y]
            assert rater.items[at] == len(said)
            assert rater.agreed[at] == sum(x == y for x, y in said)
            for side, counts in enumerate((rater.first, rater.second)):
                expected = [sum(two[side] == k for two in said) for k in range(4)]
                assert counts[at].tolist() == expected
    assert met == list(combinations(layers, 2))


@pytest.mark.parametrize("seed", SEEDS)
def test_counts_by_label_of_shown_labels_are_not_remembered_as_those_of_the_items(seed):
    items = table(seed)
    shown = items.renamed(["z", "a", "z"])
    patterns(items, shown)
    for one, size in ((shown, 2), (items, 3)):
        counted = label_counts(patterns(items, one), size).items.tolist()
        assert counted == np.bincount(one.gold, minlength=size + 1).tolist()
    assert patterns(items, items) is patterns(items)


@pytest.mark.parametrize("seed", SEEDS)
def test_kinds_of_changes_are_those_of_the_items_where_labels_shown_are_coarser(seed):
    items = table(seed, labels=("a", "b", "c", "d"))
    shown = items.renamed(["z", "a", "z", "y"])
    for one in (items, shown):
        (found,) = transitions(patterns(items, one), len(one.labels), [(0, 2)])
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
def test_confusion_counts_however_many_labels_there_are(seed):
    items = table(seed, n=12, labels=tuple("abcdefgh"))
    name = [None, *items.labels]
    said = Counter(
        (s, name[g], name[a])
        for s, codes in items.answers.items()
        for g, a in zip(items.gold.tolist(), codes.tolist(), strict=True)
        if g or a
    )
    rows = confusion_counts(patterns(items), items.labels).rows()
    assert {row[:3]: row[3] for row in rows} == dict(said)
    assert wrong_groups(items) == {
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
        right, said = (part.tolist() for part in units.agreed_answered(items, whole, label))
        for codes, met, row in zip(items.answers.values(), right, said, strict=True):
            kept = [[at for at in s if (codes[at] == label if label else codes[at])] for s in rows]
            assert row == [len(one) for one in kept]
            assert met == [sum(codes[at] == gold[at] for at in one) for one in kept]


@pytest.mark.parametrize("seed", range(20))
def test_the_best_pairing_is_the_best_of_all(seed):
    rng = np.random.default_rng(seed)
    n = rng.integers(0, 4, (rng.integers(2, 5), rng.integers(2, 5)))
    row, column = np.nonzero(n)
    short, long = sorted(n.shape)
    wide = n if n.shape[0] == short else n.T
    best = max(sum(wide[k, to[k]] for k in range(short)) for to in permutations(range(long), short))
    chosen = chains.best(row, column, n[row, column].astype(float))
    assert len(set(row[chosen])) == len(set(column[chosen])) == len(chosen)
    assert n[row, column][chosen].sum() == best


def test_chains_of_two_and_three_share_links_of_which_none_are_of_singletons():
    side = Chains(np.array([0, 0, 0, 1, 1, 1]), np.array([3, 3]), np.array([0, 0]))
    assert chain_counts(side, side).key.lea == {2: 12}


def test_the_closest_nominal_mention_is_found_in_the_first_chain_too():
    chain = np.array([0, 1, 0, 0, -1, 1, -1])
    nominal = np.array([True, True, False, True, True, False, True])
    assert closest(ordered(chain), nominal).tolist() == [-1, -1, 0, 0, -1, 1, -1]


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


def test_of_spans_of_one_label_the_one_that_shares_most_is_matched():
    frame = pl.DataFrame({"sentence": [0] * 3, "start": [0, 4, 0], "end": [5, 6, 3]})
    codes = {"s": [1, 0, 0], "t": [0, 1, 1]}
    answers = {name: np.array(row, np.uint8) for name, row in codes.items()}
    items = Items("span", frame, LABELS, np.array([0, 1, 0], np.uint8), answers)
    (found,) = boundaries(items, 0, 1).rows(named=True)
    assert (found["change"], found["n"], found["corrected"]) == ("shorter", 1, 0)


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
        counts, np.array([[0, 1]]), np.array([[0, 2]]), moves, np.array([0]), among, None
    )
    assert (one.tolist(), other.tolist()) == ([[5.0, 1.0]], [[1.0, 5.0]])


def test_an_extended_span_breaks_at_its_first_illegal_chunk_or_else_at_its_second():
    at = [np.array(one) for one in ([0, 3], [2, 5], [0, 1, 2, 3, 4])]
    legal = np.array([True, True, False, True, True])
    assert _first_illegal(*at, legal).tolist() == [2, 4]


@pytest.mark.parametrize("seed", SEEDS)
def test_responses_have_the_bins_of_a_plain_loop(seed, in_blocks):
    items = table(seed)
    found = bins_of(responses(patterns(items)))
    right = np.array([codes == items.gold for codes in items.answers.values()])
    there = items.gold != 0
    solved = np.bincount(right[:, there].sum(axis=0), minlength=4).tolist()
    assert found[0].tolist() == solved
    assert found[1].sum(axis=1).tolist() == right[:, there].sum(axis=1).tolist()


def tokens(*sentences, path="gold.txt", ids=None, bare=False):
    """Return a file with a token a line and an empty line behind each sentence."""
    forms = [word for one in sentences for word in one.split()]
    number = [k for k, one in enumerate(sentences) for _ in one.split()]
    line = [at + k + 1 for at, k in enumerate(number)]
    return TokenFile(
        path,
        pl.Series("form", forms, dtype=pl.String),
        np.array(number, np.int32),
        np.array(line, np.uint32),
        {"system": pl.Series("system", [f.upper() for f in forms], dtype=pl.String)},
        ids=None if ids is None else pl.Series("id", ids, dtype=pl.String),
        bare=bare,
    )


def test_a_file_is_of_another_text_if_more_than_half_of_its_tokens_are():
    gold = tokens("a b", "c d")
    (half,) = position.by_position(gold, tokens("a x", "c y", path="s")).problems
    assert (half.kind, half.fatal, half.n, half.line) == ("token strings", False, 2, 2)
    (most,) = position.by_position(gold, tokens("a x", "y z", path="s")).problems
    assert (most.kind, most.fatal, most.line) == ("other text", True, 2)
    assert "3 of 4 tokens" in most.problem
    assert "`x` where gold.txt:2 has `b`" in most.problem


@pytest.mark.parametrize(
    ("theirs", "line", "said"),
    [
        ("c d f g", 6, "`f` against `e` (gold.txt:6)"),
        ("c x e g", 7, "`g` against `f` (gold.txt:7)"),
        # What is lost or added at the end has no token beside it: the first that differs is named.
        ("c d x f", 6, "`x` against `e` (gold.txt:6)"),
        ("c x e f g h", 5, "`x` against `d` (gold.txt:5)"),
        ("c d e", 6, "against `f` (gold.txt:7)"),
        ("c d q e f g", 6, "`q` against `e` (gold.txt:6)"),
    ],
)
def test_a_lost_or_added_token_is_named_where_it_is(theirs, line, said):
    found = position.by_position(
        tokens("a b", "c d e f g"), tokens("a b", theirs, path="s")
    ).problems
    (problem,) = found
    assert (problem.kind, problem.file, problem.line) == ("token count", "s", line)
    assert (
        f"sentence 2 has {len(theirs.split())} tokens, gold has 5 (gold.txt:4)" in problem.problem
    )
    assert said in problem.problem


def test_tokens_are_lost_in_two_sentences_each_with_its_own_number_in_either_file():
    found = position.by_position(tokens("a b", "c d e"), tokens("a", "c e", path="s")).problems
    assert [(problem.file, problem.line) for problem in found] == [("s", 3), ("s", 4)]
    assert "is `e` against `d` (gold.txt:5)" in found[1].problem


def test_sentences_with_ids_are_brought_to_golds_order_and_tags_get_its_tokens():
    gold = tokens("a b", "c", "d e f", ids=["x", "y", "z"])
    same = tokens("a b", "c", "d e f", path="s", ids=["x", "y", "z"])
    assert position.paired(gold, same) is same
    found = position.paired(gold, tokens("p q r", "s t", "u", path="s", ids=["z", "x", "y"]))
    assert found.form.to_list() == ["s", "t", "u", "p", "q", "r"]
    assert found.columns["system"].to_list() == ["S", "T", "U", "P", "Q", "R"]
    assert found.sentence.tolist() == [0, 0, 1, 2, 2, 2]
    assert found.line.tolist() == [5, 6, 8, 1, 2, 3]
    assert found.ids.to_list() == ["x", "y", "z"]
    bare = position.paired(gold, tokens("N N", "V", "N V N", path="s", bare=True))
    assert (bare.form.to_list(), bare.bare) == (list("abcdef"), False)
    assert bare.columns["system"].to_list() == ["N", "N", "V", "N", "V", "N"]


@pytest.mark.parametrize(
    ("system", "said"),
    [
        (("a b", "c"), r"s: lacks 1 of gold's 3 ids: z"),
        (("a b", "c", "d e f", "g"), r"s:10: 1 id is not in gold: w"),
        (("a b", "c", "d e f", "g", "h"), r"s:10: 2 ids are not in gold: w, v"),
    ],
)
def test_ids_of_one_side_alone_are_refused(system, said):
    gold = tokens("a b", "c", "d e f", ids=["x", "y", "z"])
    ids = ["x", "y", "z", "w", "v"][: len(system)]
    with pytest.raises(DataError) as told:
        position.paired(gold, tokens(*system, path="s", ids=ids))
    assert said in str(told.value).replace("`", "")


@pytest.mark.parametrize(
    ("system", "said"),
    [
        (("N", "V", "N V N"), "1 tag for the 2 tokens of gold's sentence at gold.txt:1"),
        (("N N", "V", "N V"), "2 tags for the 3 tokens of gold's sentence at gold.txt:6"),
        (("N N", "V"), "it has 2 sentences, gold 3"),
    ],
)
def test_tags_without_tokens_are_as_many_as_golds_tokens(system, said):
    with pytest.raises(DataError) as told:
        position.paired(tokens("a b", "c", "d e f"), tokens(*system, path="s", bare=True))
    assert said in str(told.value)


def test_words_in_other_tokens_are_told_from_words_in_the_same():
    plain = tokens("a b c")
    multi = Multiwords(pl.Series(["ab"]), np.array([0]), np.array([2]))
    one, other = (replace(tokens("a b c"), multiwords=multi) for _ in range(2))
    assert characters.first_words(one).tolist() == [0, 2, 3]
    assert characters.same_tokens(one, one)
    assert characters.same_tokens(one, other)
    assert characters.same_tokens(plain, tokens("a b c"))
    assert not characters.same_tokens(one, plain)
    assert not characters.same_tokens(plain, one)


def test_rows_that_only_systems_have_have_no_line():
    extra = pl.DataFrame({"form": ["x"], "sentence": [0]})
    rows = JoinedRows(np.array([0, 2, 3]), {}, np.array([0, 3, 1, 2]), extra)
    found = rows.table(tokens("a b", "c"))
    assert found.form.to_list() == ["a", "x", "b", "c"]
    assert found.sentence.tolist() == [0, 0, 0, 1]
    assert found.line.tolist() == [1, 0, 2, 4]
    assert found.context["not_in_gold"].to_list() == [False, True, False, False]


def test_stretches_of_shared_characters_reach_from_their_first_to_behind_their_last():
    low, high = np.array([0, 1, 3, 1]), np.array([2, 3, 3, 1])
    start, end = _extent(np.array([2, 3, 7]), low, high)
    assert (start.tolist(), end.tolist()) == ([2, 3, 8, 3], [4, 8, 8, 3])
    none = np.array([0])
    assert [side.tolist() for side in _extent(np.empty(0, np.int64), none, none)] == [[0], [0]]
    assert len(_nowhere(()).start) == len(_nowhere(()).pieces.span) == 0


def rows(*ids, path="gold.csv", n=0):
    """Return a table of answers by id, or of so many without."""
    column = pl.Series(["x"] * (n or len(ids)))
    line = np.arange(2, 2 + len(column), dtype=np.uint32)
    return TableFile(path, pl.Series(ids) if ids else None, {"system": column}, line=line)


def test_answers_are_paired_by_id_and_ids_that_gold_lacks_are_refused():
    gold = rows("a", "b", "c")
    system = rows("c", "a", path="s.csv")
    found = by_id.rows_of(gold, system)
    assert found.to_list() == [1, None, 0]
    lacking = by_id.absent_of(gold, system, found)
    assert (lacking.file, lacking.line, lacking.kind, lacking.n) == ("s.csv", None, "missing", 1)
    assert by_id.absent_of(gold, gold, by_id.rows_of(gold, gold)) is None
    with pytest.raises(DataError, match=r"s.csv:3.*1 id is not in gold.*lacks 2 of gold's 3"):
        by_id.rows_of(gold, rows("c", "y", path="s.csv"))
    with pytest.raises(DataError, match=r"s.csv:2.*2 ids are not in gold"):
        by_id.rows_of(gold, rows("z", "a", "y", path="s.csv"))
    with pytest.raises(DataError, match=r"s.csv.*has 2 rows, gold has 3 \(gold.csv\)"):
        by_id.rows_of(gold, rows(n=2, path="s.csv"))
    assert by_id.rows_of(gold, rows(n=3, path="s.csv")).to_list() == [0, 1, 2]


def test_hipes_regimes_count_a_wrong_span_as_false_alarm_and_miss():
    names = ("tp", "le", "bes", "bel", "beo", "lbe", "fn", "fp")
    counts = pl.DataFrame({name: [2**k] for k, name in enumerate(names)})
    for regime, right in (("strict", 1), ("fuzzy", 1 + 4 + 8 + 16)):
        found = fair.hipe(counts, regime, None).row(0, named=True)
        tp, fp, fn = right, 63 + 128 - right, 63 + 64 - right
        assert (found["tp"], found["fp"], found["fn"]) == (tp, fp, fn)
        assert found["f1"] == 2 * tp / (2 * tp + fp + fn)


def test_p_of_tau_of_seven_tied_rows_is_the_share_of_all_orders():
    a, b = np.array([0, 1, 1, 2, 3, 4, 5]), np.array([0, 0, 1, 2, 4, 3, 5])

    def more(order):
        pairs = [(i, j) for i in range(7) for j in range(i) if a[i] != a[j]]
        signs = [(1 if a[i] > a[j] else -1) * ((b[order[i]] > b[order[j]]) * 1
                 - (b[order[i]] < b[order[j]])) for i, j in pairs]  # fmt: skip
        return abs(sum(signs))

    a, b = a.tolist(), b.tolist()
    seen = more(range(7))
    share = np.mean([more(order) >= seen for order in permutations(range(7))])
    assert classic._kendall(np.array(a), np.array(b))[1] == pytest.approx(share)


def test_pairs_without_any_error_come_before_pairs_that_err_on_the_same_items():
    rows = [("s", "t", 2, 2, 1), ("s", "u", 0, 0, 0), ("t", "u", 1, 2, 2), ("u", "v", 2, 2, 0)]
    counts = pl.DataFrame(
        [{"a": a, "b": b, "both": both, "either": either, "different": different, "items": 4,
          "correct_a": 2, "correct_b": 2, "correct_both": 2, "correct_either": 2, "findable": 4}
         for a, b, both, either, different in rows]
    )  # fmt: skip
    found = combination.overlaps(counts)
    order = [("u", "v", 1.0), ("s", "u", None), ("s", "t", 1.0), ("t", "u", 0.5)]
    assert found.select("a", "b", "jaccard").rows() == order
    assert found["share"].to_list() == [0.5, 0.0, 0.5, 0.25]
    assert found["correct_share"].to_list() == [0.5] * 4


def test_the_spread_of_buckets_weighs_what_is_known_of_them_by_size():
    values, sizes = [0.5, None, 1.0, 0.0], [2, 9, 1, 1]
    assert breakdown.spread(values, sizes) == pytest.approx((0.5 / 4) ** 0.5)
    assert breakdown.spread([None], [3]) is None
    # 1 × 1 × 1² is less than 8 × 8 × 0.5².
    assert breakdown.steepest([0.2, 0.7, 1.2], [8, 8, 1]) == (1, 0)
    assert breakdown.steepest([0.0, None, 1.0, 0.5], [1, 9, 1, 1]) == (2, 0)
    assert breakdown.steepest([0.5, 0.5, None], [1, 1, 1]) is None


def test_between_equal_votes_the_better_system_wins():
    gold = np.array([1, 1, 1, 1], np.uint8)
    answers = {"s": [2, 1, 1, 3], "t": [3, 3, 1, 1], "u": [1, 1, 1, 3]}
    layers = {name: np.array(codes, np.uint8) for name, codes in answers.items()}
    items = Items("token", pl.DataFrame(), LABELS, gold, layers, empty_is_answer=True)
    found = ballots.ballots(items, 1.0)
    winner, n = found.winners(empty=True)
    assert found.rows.tolist() == [0, 1, 3]
    assert (winner.tolist(), n.tolist()) == ([2, 3, 3], [1, 1, 2])


def test_a_chunk_directly_after_one_of_another_type_is_not_after_its_like():
    token, position_ = np.arange(5, dtype=np.int32), np.array([1, 1, 2, 1, 1], np.uint8)
    kind, level = np.array([0, 1, 1, 1, 1], np.int32), np.zeros(5, np.int64)
    breaks = np.array([False, False, False, True, False])
    found = _chunks(token, position_, kind, level, breaks, extend=False)
    assert found.first.tolist() == [0, 1, 3, 4]
    assert found.after_same.tolist() == [False, False, False, True]


@pytest.mark.parametrize("seed", SEEDS)
def test_layers_agree_where_all_of_their_parts_do_and_words_are_there(seed):
    one, other, third = (table(at) for at in (seed, seed + 50, seed + 90))
    present = {name: (np.arange(40) % 3).astype(np.uint8) for name in one.systems}
    for layers in ((one,), (one, other), (one, other, third)):
        for name, found in active_kernel.agreed_words(
            layers, replace(one, answers=present)
        ).items():
            there = [at for at in range(40) if one.gold[at]]
            same = [at for at in there if all(p.gold[at] == p.answers[name][at] for p in layers)]
            met = [at for at in there if present[name][at]]
            said = sum(one.answers[name] != 0)
            assert found == active_kernel.Agreed(len(there), said, len(same), len(met))
            assert active_kernel.agreed_words(layers, None)[name].aligned == len(same)


@pytest.mark.parametrize("seed", SEEDS)
def test_differences_are_numbered_among_all_items(seed, in_blocks):
    items = table(seed)
    missed, wrong = [], []
    for part in Differences(items, None):
        missed += part.missed.item[part.missed.of(1)].tolist()
        wrong += part.wrong.item[part.wrong.of(1)].tolist()
    differ = [at for at in range(40) if items.gold[at] != items.answers["s1"][at]]
    assert missed == [at for at in differ if items.gold[at]]
    assert wrong == [at for at in differ if items.answers["s1"][at]]


def test_a_singleton_is_found_only_if_it_is_one_on_both_sides():
    key = Chains(np.array([0, 1, 1]), np.array([1, 2]), np.array([0, 0]))
    response = Chains(np.array([0, 0, 1]), np.array([2, 1]), np.array([0, 0]))
    assert chain_counts(key, response).key.lea == {1: 0}
    assert chain_counts(key, key).key.lea == {1: 3}


def test_a_system_without_any_label_has_sums_of_nothing():
    labels = pl.DataFrame({"system": ["s"], "tp": [3], "fp": [1], "fn": [2]})
    none, one = (prf.micro(labels, ["t", "s"]).row(at, named=True) for at in range(2))
    assert (none["tp"], none["fp"], none["fn"], none["f1"]) == (0, 0, 0, None)
    assert (one["tp"], one["precision"], one["recall"], one["f1"]) == (3, 3 / 4, 3 / 5, 6 / 9)


@pytest.mark.parametrize("seed", SEEDS)
def test_discrimination_is_the_correlation_with_the_rest_however_many_items_all_solve(seed):
    rng = np.random.default_rng(seed)
    right = np.array([[1, 1, 0, 0, 1], [0, 1, 1, 0, 1], [1, 0, 1, 1, 1], [0, 0, 0, 1, 1]]) == 1
    n = rng.integers(1, 9, 5)
    totals = response.totals_of(right, n)
    expected = [np.corrcoef(own, totals - own)[0, 1] for own in right.T[:4].astype(int)]
    for easy in (int(n[4]), 10**10):
        n[4] = easy
        found = response.discriminations(right, n)
        assert found[:4].tolist() == pytest.approx(expected, abs=1e-9)
        assert np.isnan(found[4])
    assert not len(response.discriminations(np.zeros((0, 0), np.bool_), np.zeros(0, np.int64)))


def test_one_fold_has_a_difference_and_no_test():
    found = blocks.corrected_t(np.array([np.nan, 0.25]), 1.0)
    assert (found.n, found.delta) == (1, 0.25)
    assert np.isnan(found.p)


def test_the_units_that_differ_are_known_from_block_to_block_if_they_are_few(monkeypatch):
    prints = np.array([np.zeros(30), np.arange(30) % 3, np.arange(30) % 5 == 1])
    monkeypatch.setattr(exchanges, "_UNITS", 4)
    monkeypatch.setattr(
        exchanges, "part", lambda _, low, high: SimpleNamespace(n=None, at=slice(low, high))
    )
    monkeypatch.setattr(exchanges, "_fingerprints", lambda some: prints[:, some.at])
    measure = SimpleNamespace(classes=[lambda: SimpleNamespace(above=prints)])
    found = exchanges.differing_units(measure, np.array([[0, 1], [0, 2]]))
    assert found.n.tolist() == [20, 6]
    assert found.n[0] > exchanges.ENUMERABLE
    assert found.places[1, :6].tolist() == [1, 6, 11, 16, 21, 26]


def test_a_summary_of_changes_has_the_differences_of_both_sides():
    counts = pl.DataFrame(
        {"before": ["s"], "after": ["t"], "place_before": [0], "place_after": [1], "items": [8],
         "different": [2], "corrections": [3], "new_errors": [1], "changed_errors": [0]}
    )  # fmt: skip
    totals = pl.DataFrame(
        {"place": [0, 1], "correct": [4, 6], "tp": [2, 3], "proposed": [3, 1],
         "sentences_correct": [1, 2]}
    )  # fmt: skip
    (found,) = summary(counts, totals, gold=5, sentences=3).rows(named=True)
    said = {"accuracy_before": 0.5, "accuracy_after": 0.75, "delta": 0.25, "f1_before": 0.5,
            "f1_after": 1.0, "f1_delta": 0.5, "net": 2, "diff": 0.25, "sentences": 3,
            "sentences_before": 1, "sentences_after": 2}  # fmt: skip
    assert {name: found[name] for name in said} == said
