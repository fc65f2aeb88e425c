"""A mention in two chains under ``--duplicate-mentions first``: beside a plain loop."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
from coleval.errors import DataError

TOKENS = 6
MENTIONS = [(a, b) for a in range(TOKENS) for b in range(a, min(a + 3, TOKENS))]
documents = st.lists(
    st.sets(st.sampled_from(MENTIONS), min_size=1, max_size=4), min_size=1, max_size=4
)


def kept(chains):
    """Return each mention's chain: the one whose mentions, in reading order, come first."""
    ranked = sorted(chains, key=sorted)
    return {m: k for k, chain in reversed(list(enumerate(ranked))) for m in chain}


def conll(chains, shuffle):
    """Return a document whose lines hold the brackets in a random order."""
    lines = ["#begin document (d); part 000"]
    for token in range(TOKENS):
        found = []
        for number, chain in enumerate(chains):
            # What opened last closes first: mentions of one chain that cross are left as JSON.
            found += [f"({number})" for m in chain if m == (token, token)]
            found += [f"({number}" for m in chain if m[0] == token != m[1]]
            found += [f"{number})" for m in chain if m[1] == token != m[0]]
        shuffle.shuffle(found)
        lines.append(f"w{token} {'|'.join(found) or '-'}")
    return "\n".join([*lines, "#end document", ""])


def clusters(chains, shuffle):
    chains = [list(map(list, chain)) for chain in chains]
    for chain in chains:
        shuffle.shuffle(chain)
    shuffle.shuffle(chains)
    return json.dumps({"id": "d", "tokens": list("abcdef"), "clusters": chains}) + "\n"


@pytest.fixture(scope="module")
def partition(tmp_path_factory):
    path = tmp_path_factory.mktemp("duplicates") / "file"

    def partition(text, **options):
        path.write_text(text)
        corpus = coleval.load(str(path), {"s": str(path)}, task="coref",
                              duplicate_mentions="first", **options)  # fmt: skip
        items = corpus.units["cluster"]
        table = items.context.select("start", "end").rows()
        return {(a, b - 1): int(k) for (a, b), k in zip(table, items.gold, strict=True)}

    return partition


def same(found, expected):
    """Tell whether two ways of numbering chains put the same mentions together."""
    pairs = {(found[m], expected[m]) for m in expected}
    return found.keys() == expected.keys() and (
        len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
    )


def crossing(chain):
    """Tell whether brackets of a chain can be read in more than one way."""
    return any(a[0] <= b[0] <= a[1] for a in chain for b in chain if a != b)


@given(documents, st.randoms(use_true_random=False))
def test_the_chain_that_appears_first_keeps_the_mention(partition, chains, shuffle):
    assert same(partition(clusters(chains, shuffle)), kept(chains))


@given(documents, st.randoms(use_true_random=False))
def test_the_order_of_brackets_on_a_line_does_not_matter(partition, chains, shuffle):
    chains = [chain for chain in chains if not crossing(chain)]
    if chains:
        assert same(partition(conll(chains, shuffle)), kept(chains))


def test_the_bracket_that_comes_first_on_the_line_does_not_decide(partition):
    lines = ["(2)", "(1)", "(1)|(2)", "(1)"]
    text = (
        "#begin document (d); part 000\n" + "\n".join(f"w {b}" for b in lines) + "\n#end document\n"
    )
    found = partition(text)
    assert found[2, 2] == found[0, 0] != found[1, 1]


def test_of_chains_that_begin_together_the_one_that_goes_on_first_keeps_the_mention(partition):
    text = json.dumps({"id": "d", "tokens": list("abcd"),
                       "clusters": [[[0, 0], [3, 3]], [[0, 0], [2, 2]]]})  # fmt: skip
    found = partition(text)
    assert found[0, 0] == found[2, 2] != found[3, 3]


def test_mentions_that_are_too_short_to_be_read_do_not_decide(partition):
    text = json.dumps({"id": "d", "tokens": list("abcdef"),
                       "clusters": [[[0, 0], [2, 3], [4, 5]], [[0, 1], [2, 3]]]})  # fmt: skip
    found = partition(text, min_words=2)
    assert found[2, 3] == found[0, 1] != found[4, 5]


def test_the_refusal_says_what_first_would_keep(tmp_path):
    path = tmp_path / "file"
    chains = [[[0, 0], [2, 2]], [[1, 1], [2, 2]]]
    path.write_text(json.dumps({"id": "d", "tokens": list("abc"), "clusters": chains}))
    with pytest.raises(DataError, match="appears first in the document"):
        coleval.load(str(path), {"s": str(path)}, task="coref")
