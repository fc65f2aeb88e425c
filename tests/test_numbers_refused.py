"""Numbers that no score can be made with are refused with a message, never with a traceback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import coleval
from coleval.errors import UsageError
from coleval.statistics.classic import f_beta
from coleval.statistics.fair import parsed, shown

Write = Callable[[str, str], Path]
GOLD = "a\tB-PER\nb\tO\n\nc\tB-LOC\nd\tI-LOC\n"
SAID = "a\tB-PER\nb\tO\n\nc\tB-LOC\nd\tO\n"


@pytest.fixture
def corpus(write: Write) -> coleval.Corpus:
    files = {"one": write("one.conll", SAID), "two": write("two.conll", GOLD)}
    return coleval.load(write("gold.conll", GOLD), files, task="span")


@pytest.mark.parametrize(
    "weights",
    [
        "TP = 0",
        "TP = FP",
        "TP = 0, FP = 0, FN = 0, LE = 0, BE = 0, LBE = 0",
        "TP = -1 TP",
        "TP = nan TP",
        "TP = inf TP",
        "TP = ",
        "= 1 TP",
        f"TP = {'9' * 400} TP",
    ],
)
def test_weights_that_score_nothing_are_refused(corpus: coleval.Corpus, weights: str) -> None:
    with pytest.raises(UsageError) as caught:
        corpus.errors(weights=weights)
    assert caught.value.where.startswith("--weights")
    assert caught.value.remedy


def test_a_side_that_no_error_counts_on_is_perfect(corpus: coleval.Corpus) -> None:
    free = "FP = 0, LE = 1 FN, BE = 1 FN, LBE = 1 FN"
    overall = corpus.errors(weights=free).table("overall")
    (row,) = overall.filter(overall["system"] == "one", overall["method"] == "weighted").to_dicts()
    assert (row["precision"], row["recall"]) == (1.0, 0.5)


@pytest.mark.parametrize("weight", ["0.3333333333333333", "1000000", "0.00001", "123456.789", "1"])
def test_weights_come_back_from_the_signature_with_all_their_digits(weight: str) -> None:
    text = f"TP = {weight} TP, BE = {weight} FN"
    assert parsed(shown(parsed(text)) or "TP = 1 TP") == parsed(text)


@pytest.mark.parametrize("beta", [float("inf"), float("nan"), 0.0, -1.0])
def test_a_beta_that_weighs_nothing_is_refused(corpus: coleval.Corpus, beta: float) -> None:
    with pytest.raises(UsageError, match="is not a finite number above 0"):
        corpus.measure(beta=beta)


def test_a_huge_beta_is_recall_and_a_tiny_one_precision() -> None:
    assert f_beta(1, 1, 3, 1e300) == pytest.approx(1 / 4)
    assert f_beta(1, 1, 3, 1e-300) == pytest.approx(1 / 2)
    assert f_beta(1, 1, 3, 2.0) == pytest.approx(5 / (5 + 4 * 3 + 1))
