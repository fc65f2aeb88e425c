"""A pair means the same in every method, however it is written."""

from __future__ import annotations

import random

import pytest

import coleval
from coleval.analyses.pairing import named_pairs
from coleval.errors import UsageError

ONE = ("a", "b")
TWO = [("a", "b"), ("c", "b")]
METHODS = {"changes": "summary", "bins": "pairs", "errors": "comparison", "buckets": "comparison"}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder, draw = tmp_path_factory.mktemp("pairs"), random.Random(1)
    for name in ("gold", "a", "b", "c"):
        rows = [f"w{k % 7} {draw.choice(('O', 'B-A', 'B-B'))}\n" for k in range(60)]
        text = "".join(row + ("\n" if k % 6 == 5 else "") for k, row in enumerate(rows))
        (folder / f"{name}.conll").write_text(text, encoding="utf-8")
    return coleval.load(folder / "gold.conll", {n: folder / f"{n}.conll" for n in "abc"})


def told(corpus, method, **options):
    report = getattr(corpus, method)(**options)
    return report[METHODS[method]]


@pytest.mark.parametrize("method", METHODS)
def test_one_pair_may_be_written_in_every_way(corpus, method):
    first = told(corpus, method, pair=ONE)
    assert set(zip(first["before"], first["after"], strict=True)) == {ONE}
    for given in ({"pair": list(ONE)}, {"pair": [ONE]}, {"pairs": [ONE]}, {"pairs": ONE}):
        assert told(corpus, method, **given).equals(first)


@pytest.mark.parametrize("method", METHODS)
def test_several_pairs_may_be_written_in_every_way(corpus, method):
    first = told(corpus, method, pairs=TWO)
    assert set(zip(first["before"], first["after"], strict=True)) == set(TWO)
    for given in ({"pair": TWO}, {"pair": ONE, "pairs": TWO[1:]}, {"pairs": map(list, TWO)}):
        assert told(corpus, method, **given).equals(first)


def test_pairs_of_changes_may_be_given_one_after_another(corpus):
    assert corpus.changes(*TWO)["summary"].equals(told(corpus, "changes", pairs=TWO))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("wrong", ["ab", ("a",), ("a", "b", "c"), [("a", "b"), "cb"], [(1, 2)]])
def test_what_is_no_pair_is_an_error(corpus, method, wrong):
    with pytest.raises(UsageError, match=r"pair=: .* is not a pair of names\n.*pair=\(.A., .B.\)"):
        told(corpus, method, pair=wrong)


@pytest.mark.parametrize("method", METHODS)
def test_a_system_of_a_pair_that_is_not_there_is_named(corpus, method):
    with pytest.raises(UsageError, match="pair=: no system is called `x`"):
        told(corpus, method, pair=("a", "x"))


def test_nothing_given_is_no_pair():
    assert named_pairs((), [], None) == ()
