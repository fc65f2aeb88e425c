"""FairEval as a library: span errors of lists, the relation of two spans, scores from counts."""

from __future__ import annotations

import doctest
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
import oracle_errors as oracle
from coleval.errors import DataError, UsageError
from coleval.statistics.fair import BOUNDARY
from test_errors_properties import COUNTED, corpora, loaded, rows
from test_errors_published import FILES, RATIOS, WEIGHTS, blocks, percent

PAGE = Path(__file__).parents[1] / "docs" / "errors.md"

# Life in New York , said Ms Ada Byron of Lovelace : 4 gold spans and 5 of the system.
GOLD = [[("LOC", 2, 4), ("PER", 6, 9), ("LOC", 10, 11)], [], [("ORG", 0, 4)]]
SYSTEM = [
    [("LOC", 2, 4), ("PER", 7, 9), ("ORG", 10, 11)],
    [("PER", 0, 1)],
    [("ORG", 0, 2), ("ORG", 2, 4)],
]


def error(kind, gold, system, sentence):
    return coleval.SpanError(kind, gold, system, sentence)


def test_errors_by_hand():
    assert coleval.span_errors(GOLD, SYSTEM, right=True) == [
        error("tp", ("LOC", 2, 4), ("LOC", 2, 4), 0),
        error("bes", ("PER", 6, 9), ("PER", 7, 9), 0),
        error("le", ("LOC", 10, 11), ("ORG", 10, 11), 0),
        error("fp", None, ("PER", 0, 1), 1),
        # One gold span cut in two is two errors.
        error("bes", ("ORG", 0, 4), ("ORG", 0, 2), 2),
        error("bes", ("ORG", 0, 4), ("ORG", 2, 4), 2),
    ]
    kinds = [each.kind for each in coleval.span_errors(GOLD, SYSTEM)]
    assert kinds == ["bes", "le", "fp", "bes", "bes"]


def test_a_list_of_tokens_may_have_holes_and_any_order():
    holes = [[("A", [5, 2, 3])]]
    kinds = sorted(each.kind for each in coleval.span_errors(holes, [[("A", 2, 6)]], right=True))
    # Extents of one label that differ in their holes alone are missed and spurious.
    assert kinds == ["fn", "fp"]
    assert coleval.span_errors([[("A", (4, 3, 2))]], [[("A", 2, 5)]]) == []
    (found,) = coleval.span_errors(holes, [[("A", 2, 4)]])
    assert found == error("bes", ("A", [5, 2, 3]), ("A", 2, 4), 0)


def test_a_span_given_twice_counts_once_unless_asked_otherwise():
    twice = [[("A", 0, 1), ("A", [0])]]
    assert coleval.span_errors(twice, [[("A", 0, 1)]]) == []
    (missed,) = coleval.span_errors(twice, [[("A", 0, 1)]], multiset=True)
    assert (missed.kind, missed.system) == ("fn", None)


def test_dummies_are_no_spans():
    assert coleval.span_errors([[("NONE", 999, 1000)]], [[("EMPTY", 999, 1000)]], right=True) == []


def listed(span):
    label, _, _, tokens = span
    return label, sorted(tokens)


def place_of(span):
    """Return label, begin and end of a span of the library, both ends inside, and its tokens."""
    if span is None:
        return None
    label, tokens = span
    return label, min(tokens), max(tokens), frozenset(tokens)


@pytest.mark.parametrize("multiset", [False, True])
@given(corpus=corpora)
def test_errors_of_lists_are_those_of_the_plain_loop(multiset, corpus):
    gold, system = [[[listed(span) for span in s[k]] for s in corpus] for k in (0, 1)]
    mine = Counter(
        (each.kind, place_of(each.gold), place_of(each.system))
        for each in coleval.span_errors(gold, system, right=True, multiset=multiset)
    )
    want = Counter()
    for sides in corpus:
        once = sides if multiset else [sorted(set(s), key=oracle.reading_order) for s in sides]
        want.update(oracle.fair(*once))
    assert mine == want


@pytest.mark.parametrize("multiset", [False, True])
@given(corpus=corpora)
def test_errors_of_lists_are_those_of_a_corpus(multiset, corpus):
    gold, system = [[s[k] for s in corpus] for k in (0, 1)]
    report = loaded(gold, {"s": system}, multiset=multiset).errors(items=True, weights=WEIGHTS)
    lists = [[[listed(span) for span in sentence] for sentence in side] for side in (gold, system)]
    errors = coleval.span_errors(*lists, right=True, multiset=multiset)
    mine = Counter(
        (each.kind, each.sentence, *_extent(each.gold), *_extent(each.system))
        for each in errors
        if each.kind != "tp"
    )
    columns = ("error", "sentence", "gold", "gold_start", "gold_end", "answer", "answer_start",
               "answer_end")  # fmt: skip
    assert mine == Counter(report["items"].select(columns).rows())
    counts = Counter(each.kind for each in errors)
    for method, weights in (("fair", ""), ("weighted", WEIGHTS)):
        (row,) = rows(report, "overall", method=method)
        assert coleval.fair_scores(counts, weights=weights) == tuple(
            row[name] for name in RATIOS.values()
        )
        known = {name: row[name] for name in (*COUNTED, "be")}
        assert coleval.fair_scores(known) == coleval.fair_scores(counts)


def _extent(span):
    return (None,) * 3 if span is None else (span[0], min(span[1]), max(span[1]) + 1)


def read(path):
    """The spans of a FairEval file by sentence, read by a plain loop."""
    parts = path.read_text("utf-8").strip().split("\n\n")
    sentences = [[line.split("\t") for line in part.split("\n") if line] for part in parts]
    return [[(row[0], [int(t) for t in row[3].split(",")]) for row in s] for s in sentences]


@pytest.mark.parametrize("task", FILES)
def test_the_library_gives_faireval_s_published_numbers(data, task):
    folder = data("faireval")
    gold, system = (read(folder / side / f"{FILES[task]}.csv") for side in ("target", "system"))
    counts = Counter(each.kind for each in coleval.span_errors(gold, system, right=True))
    published = blocks(folder / f"expected/eval_{task}.csv")
    for method, weights in (("Fair", ""), ("Weighted", WEIGHTS)):
        header, *lines = published[f"{method} evaluation"]
        cells = dict(next(zip(header, line, strict=True) for line in lines if line[0] == "overall"))
        scores = coleval.fair_scores(counts, weights=weights)._asdict()
        assert {name: percent(scores[RATIOS[name]]) for name in RATIOS} == {
            name: cells[name] for name in RATIOS
        }
        be = {"be": sum(counts[kind] for kind in BOUNDARY)}
        kinds = {name: int(n) for name, n in cells.items() if name not in ("Label", *RATIOS)}
        assert kinds == {name: (counts | be)[name.lower()] for name in kinds}
        assert coleval.fair_scores(kinds, weights=weights)._asdict() == scores


@pytest.mark.parametrize(
    ("span", "relation"),
    [
        # The figure in FairEval's documentation: span 1 is tokens 3 to 6.
        ((3, 7), "equal"), ((4, 8), "crossing"), ((2, 6), "crossing"), ((4, 6), "smaller"),
        ((3, 5), "smaller"), ((2, 8), "bigger"), ((2, 7), "bigger"), ((1, 2), "apart"),
        # Ends are outside: spans that touch have no token in common.
        ((1, 3), "apart"), ((7, 9), "apart"), ((3, 4), "smaller"), ((3, 9), "bigger"),
    ],
)  # fmt: skip
def test_the_relation_of_two_spans(span, relation):
    assert coleval.overlap(("A", 3, 7), ("B", *span)) == relation
    assert coleval.overlap(("A", [3, 4, 5, 6]), ("A", list(range(*span)))) == relation


@given(
    st.tuples(st.integers(0, 8), st.integers(1, 5)), st.tuples(st.integers(0, 8), st.integers(1, 5))
)
def test_the_relation_is_that_of_the_sets_of_tokens(a, b):
    first, second = (range(begin, begin + size) for begin, size in (a, b))
    ours, theirs = set(first), set(second)
    want = (
        "equal" if ours == theirs
        else "apart" if not ours & theirs
        else "smaller" if theirs < ours
        else "bigger" if ours < theirs
        else "crossing"
    )  # fmt: skip
    assert coleval.overlap(("A", list(ours)), ("B", list(theirs))) == want
    mirrored = {"smaller": "bigger", "bigger": "smaller"}
    assert coleval.overlap(("B", list(theirs)), ("A", list(ours))) == mirrored.get(want, want)


def test_scores_by_hand():
    # 6 right, 2 wrong boundaries, 1 wrong label, 1 missed, 2 spurious:
    # precision 6 / (6 + 1.5 + 2), recall 6 / (6 + 1.5 + 1).
    counts = {"tp": 6, "bes": 2, "le": 1, "fn": 1, "fp": 2}
    precision, recall = 6 / 9.5, 6 / 8.5
    f1 = 2 * precision * recall / (precision + recall)
    assert coleval.fair_scores(counts) == pytest.approx((precision, recall, f1))
    assert coleval.fair_scores({"TP": 1, "FP": 1, "FN": 3}) == pytest.approx((1 / 2, 1 / 4, 1 / 3))
    # A span that is too small is half right and half missed.
    halved = coleval.fair_scores(counts, weights="BES = 0.5 TP + 0.5 FN")
    assert halved == pytest.approx((7 / 9.5, 7 / 9.5, 7 / 9.5))
    assert coleval.fair_scores({}) == (None, None, None)
    assert coleval.fair_scores({"fn": 2}) == (None, 0, 0)


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        (
            [("A", 0, 1, {0})],
            r"gold, sentence 1, span 0: \('A', 0, 1, \{0\}\) is not a span\n  write",
        ),
        ([("A", 2, 2)], "span from 2 to 2 has no token"),
        ([("A", -1, 2)], "-1 is not a token number: the first token is 0"),
        ([("A", 0.5, 2)], "0.5 is not a token number"),
        ([("A", [])], "list of tokens is empty"),
        ([("A", "12")], "'12' is not a list of tokens"),
        ([(1, 2, 3)], "1 is not a label"),
        (["ABC"], "'ABC' is not a span"),
    ],
)
def test_what_is_no_span_is_named_with_its_place(gold, message):
    with pytest.raises(DataError, match=message):
        coleval.span_errors([[], gold], [[], []])


def test_sentences_have_to_be_as_many():
    with pytest.raises(DataError, match="gold has 2 sentences, the system has 1"):
        coleval.span_errors([[], []], [[]])


@pytest.mark.parametrize(
    ("counts", "weights", "message"),
    [
        ({"bess": 1}, "", "did you mean `bes`"),
        ({"tp": -1}, "", "counts, tp: -1 is not a count"),
        ({"tp": 0.5}, "", "0.5 is not a count"),
        ({"tp": 1, "be": 2, "bes": 1}, "", "not the sum of bes, bel and beo"),
        ({"tp": 1, "be": 2}, "BES = TP", "no single weight"),
        ({"tp": 1}, "BEX = TP", "weights=, character 1"),
    ],
)
def test_counts_and_weights_that_cannot_be_are_refused(counts, weights, message):
    with pytest.raises(UsageError, match=message):
        coleval.fair_scores(counts, weights=weights)


def test_the_session_on_the_page_is_real():
    text = PAGE.read_text("utf-8").partition("```pycon\n")[2].partition("```")[0]
    session = doctest.DocTestParser().get_doctest(text, {}, "errors.md", str(PAGE), 0)
    assert len(session.examples) > 3
    assert doctest.DocTestRunner().run(session).failed == 0
