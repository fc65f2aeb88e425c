"""Tokens of trees are the system's own however it is aligned; their spaces do not count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval


def conllu(*sentences):
    """Return sentences of tokens, each one the words it holds; ``("ab", "a", "b")`` are two."""
    return "\n".join("".join(_lines(sentence)) for sentence in sentences)


def _lines(sentence):
    number = 0
    for token, *words in sentence:
        if words:
            yield f"{number + 1}-{number + len(words)}\t{token}" + "\t_" * 8 + "\n"
        for form in words or [token]:
            number += 1
            head, relation = (number - 1, "obj") if number > 1 else (0, "root")
            yield f"{number}\t{form}\t{form}\tX\tx\t_\t{head}\t{relation}\t_\t_\n"


@pytest.fixture
def counts(write):
    """What gives correct, predicted and gold counts of a metric."""

    def counts(gold, *systems, metric="Tokens"):
        paths = [write(f"{k}.conllu", text) for k, text in enumerate((gold, *systems))]
        corpus = coleval.load(paths[0], paths[1:], task="dep", profile="ud2018")
        rows = corpus.score().table("overall").filter(metric=metric).sort("system").to_dicts()
        found = [tuple(row[k] for k in ("correct", "predicted", "gold")) for row in rows]
        return found if len(systems) > 1 else found[0]

    return counts


PLAIN = conllu([("a",), ("b",), ("c",)], [("d",)])
JOINED = conllu([("xy", "x", "y"), ("c",)], [("d",)])


def test_systems_that_rewrote_words_are_counted_by_their_own_tokens(counts):
    assert counts(PLAIN, JOINED) == (2, 3, 4)
    assert counts(JOINED, PLAIN) == (2, 4, 3)
    assert counts(PLAIN, JOINED, metric="Words") == (4, 4, 4)


def test_tokens_of_one_word_are_no_tokens_of_many_wherever_they_begin(counts):
    gold = conllu([("abc", "a", "b", "c"), ("d",)])
    systems = (
        conllu([("a",), ("yz", "b", "c"), ("d",)]),
        conllu([("xy", "a", "b"), ("zd", "c", "d")]),
        conllu([("xyz", "a", "b", "c"), ("q", "d")]),
    )
    assert counts(gold, *systems) == [(1, 3, 2), (0, 2, 2), (2, 2, 2)]


def test_a_sentence_that_begins_inside_a_token_of_gold_is_none_of_gold(counts):
    gold = conllu([(form,) for form in "abcdeabcde"], [("fg", "f", "g")], [("h",)])
    # The first string is not gold's, or characters would be what aligns the two.
    system = gold.replace("\ta\t", "\tA\t", 1).replace("1-2\tfg" + "\t_" * 8 + "\n", "")
    system = system.replace("2\tg\tg\tX\tx\t_\t1\tobj", "\n1\tg\tg\tX\tx\t_\t0\troot")
    assert counts(gold, system, metric="Sentences") == (2, 4, 3)
    assert counts(gold, system) == (11, 13, 12)


def test_a_word_that_is_a_token_is_matched_without_its_spaces(counts):
    """Within `ab c`, gold's token `a b` is the word `ab`, as conll18_ud_eval.py takes it."""
    gold = conllu([("a b",), ("c",)])
    assert counts(gold, conllu([("abc", "ab", "c")]), metric="Words") == (2, 2, 2)
    assert counts(gold, conllu([("abc", "a b", "c")]), metric="Words") == (1, 2, 2)


def test_a_word_that_a_token_holds_keeps_its_spaces(counts):
    gold = conllu([("abc", "a b", "c")])
    assert counts(gold, conllu([("abc", "ab", "c")]), metric="Words") == (1, 2, 2)
    assert counts(gold, conllu([("ab c", "A B", "c")]), metric="Words") == (2, 2, 2)


cuts = st.lists(st.integers(1, 3), min_size=1, max_size=6)


@given(cuts, cuts, cuts)
def test_by_position_tokens_are_the_stretches_of_words_that_both_have(
    tmp_path_factory, first, second, third
):
    """Words are numbered; a token is the set of those it holds."""
    sizes = [fitted(sizes, sum(first)) for sizes in (first, second, third)]
    folder = tmp_path_factory.mktemp("cut")
    paths = []
    for name, size in zip("gst", sizes, strict=True):
        paths.append(folder / f"{name}.conllu")
        tokens = [(name * n, *["a"] * n) if n > 1 else ("a",) for n in size]
        paths[-1].write_text(conllu(tokens), encoding="utf-8")
    table = coleval.load(paths[0], paths[1:], task="dep").score().table("overall")
    gold, *systems = ({tuple(words) for words in held(size)} for size in sizes)
    for name, own in zip("st", systems, strict=True):
        (row,) = table.filter(system=name, metric="Tokens").to_dicts()
        found = tuple(row[k] for k in ("correct", "predicted", "gold"))
        assert found == (len(gold & own), len(own), len(gold))


def fitted(sizes, total):
    """Return sizes that sum up to a total: some of these, then ones."""
    out = []
    for size in sizes:
        if sum(out) + size <= total:
            out.append(size)
    return out + [1] * (total - sum(out))


def held(sizes):
    first = 0
    for size in sizes:
        yield range(first, first + size)
        first += size
