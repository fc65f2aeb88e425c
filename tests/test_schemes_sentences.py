"""Tags to spans, sentence by sentence: what one sentence holds changes no other one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coleval.corpus.schemes import REPAIRS
from test_schemes import SCHEMES, TAG, decoded

POLICIES = sorted(set(REPAIRS) - {"error"})
STACK = st.lists(TAG, min_size=2, max_size=3).map("|".join)
TEXT = st.lists(st.lists(st.one_of(TAG, TAG, TAG, STACK), min_size=1, max_size=6), min_size=2,
                max_size=4)  # fmt: skip


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("repair", POLICIES)
@given(text=TEXT)
def test_a_sentence_is_read_as_if_it_were_the_whole_file(scheme, repair, text):
    expected, repairs = [], 0
    for number, sentence in enumerate(text):
        here, broken = decoded([sentence], scheme, repair)
        expected += [(number, *span[1:]) for span in here]
        repairs += broken
    found, all_repairs = decoded(text, scheme, repair)
    assert (sorted(found), all_repairs) == (sorted(expected), repairs)


def test_extend_is_the_same_with_stacked_tags_in_another_sentence():
    alone = decoded([["B-PER", "I-LOC"]], repair="extend")
    beside, _ = decoded([["B-PER", "I-LOC"], ["B-A|B-B"]], repair="extend")
    assert alone == ([(0, 0, 2, "PER")], 1)
    assert beside[:1] == alone[0]


def test_extend_is_the_same_with_stacked_tags_behind_a_gap():
    found, _ = decoded([["B-PER", "I-LOC", "O", "B-A|B-B"]], repair="extend")
    assert found[0] == (0, 0, 2, "PER")
