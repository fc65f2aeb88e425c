"""``_`` is outside of spans as ``O`` is: FairEval's files of tags have either."""

from __future__ import annotations

import pytest

import coleval

GOLD = "Anna NE B-PER\nsees V {0}\nPaul NE B-PER\nSmith NE I-PER\n\nin P {0}\nBonn NE B-LOC\n"
SYSTEM = "Anna NE B-PER\nsees V {0}\nPaul NE B-PER\nSmith NE {0}\n\nin P {0}\nBonn NE B-ORG\n"


def loaded(write, gold, system, **options):
    paths = [str(write(name, text)) for name, text in (("g", gold), ("s", system))]
    return coleval.load(paths[0], {"s": paths[1]}, **options)


@pytest.mark.parametrize("task", [None, "span"])
@pytest.mark.parametrize("gold", ["O", "_"])
@pytest.mark.parametrize("system", ["O", "_"])
def test_an_underscore_is_outside_in_gold_and_systems(write, gold, system, task):
    corpus = loaded(write, GOLD.format(gold), SYSTEM.format(system), task=task)
    row = corpus.score()["overall"].row(0, named=True)
    assert corpus.task == "span"
    # By hand: of three spans each, only Anna is right.
    assert [row[n] for n in ("tp", "fp", "fn")] == [1, 2, 2]
    assert [w for w in corpus.score().warnings if "gold never has `ORG`" not in w] == []
    tokens = corpus.score(unit="token")["overall"].row(0, named=True)
    # Of four gold tags Anna and Paul are right, Smith is missed, Bonn has another label.
    assert [tokens[n] for n in ("tp", "fp", "fn")] == [2, 1, 2]


def test_gold_without_any_span_may_be_all_underscores(write):
    corpus = loaded(write, "a P _\nb P _\n", "a P B-X\nb P _\n", task="span")
    row = corpus.score()["overall"].row(0, named=True)
    assert [row[n] for n in ("tp", "fp", "fn")] == [0, 1, 0]


def test_an_underscore_in_a_stack_is_none_of_the_set(write):
    corpus = loaded(write, "a P B-X|_\nb P _\n", "a P B-X\nb P O\n", task="span")
    assert corpus.score(unit="token")["overall"]["f1"].item() == 1.0


def test_labels_without_positions_keep_the_underscore(write):
    corpus = loaded(write, "a NOUN\nb _\n", "a NOUN\nb VERB\n")
    assert corpus.task == "tag"
    assert corpus.items["gold"].to_list() == ["NOUN", "_"]
    blank = loaded(write, "a _\nb _\n", "a _\nb VERB\n")
    assert (blank.task, blank.items["gold"].to_list()) == ("tag", ["_", "_"])


def test_what_the_user_says_is_outside_is_all_there_is(write):
    with pytest.raises(coleval.ColevalError, match="`_` on `sees`"):
        loaded(write, GOLD.format("_"), SYSTEM.format("_"), task="span", outside="O")
