"""The lower end of the interval of a share is Clopper and Pearson's."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from coleval.statistics.tails import COUNTABLE, lower_end


@pytest.mark.parametrize("drawn", [1, 9, 40, 1000])
def test_at_the_lower_end_so_many_or_more_are_found_once_in_forty_times(drawn):
    found = np.arange(min(COUNTABLE, drawn + 1))
    ends = lower_end(found, np.full(len(found), drawn))
    assert ends[0] == 0
    for n, share in zip(found[1:].tolist(), ends[1:].tolist(), strict=True):
        fewer = sum(comb(drawn, k) * share**k * (1 - share) ** (drawn - k) for k in range(n))
        assert 1 - fewer == pytest.approx(0.025)
