"""Where the strings of lists are placed, against every place and every choice tried out."""

from __future__ import annotations

import random

import pytest

import oracle_entities as oracle
from coleval.loading.align.placing import STATUSES, Listed, SearchedText, occurrences, placed

WORDS = ["a", "b", "A", "ab", "aB", "-", "b-a", "a b", "ba"]
POLICIES = ("first", "all", "best", "worst")
CASES = 300


def text_of_tokens(tokens):
    text = " ".join(tokens)
    starts, ends = oracle.token_boundaries(tokens)
    every = range(len(text) + 1)
    return SearchedText(text, bytes(k in starts for k in every), bytes(k in ends for k in every))


def drawn(rng):
    """Return a text of tokens or words, with entries and gold spans, at random."""
    tokens = [rng.choice(WORDS) for _ in range(rng.randint(1, 6))]
    text = " ".join(tokens)
    if rng.random() < 0.5:
        searched = text_of_tokens(tokens)
        starts, ends = oracle.token_boundaries(tokens)

        def allowed(start, end):
            return start in starts and end in ends
    else:
        searched = SearchedText(text)

        def allowed(start, end):
            return oracle.is_boundary(text, start) and oracle.is_boundary(text, end)

    def string():
        pick = " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 2)))
        return rng.choice([pick, pick, pick.replace(" ", ""), pick.upper(), "", " " + pick, "z"])

    entries = [(string(), rng.choice("XY")) for _ in range(rng.randint(0, 5))]
    spans = [(s, e) for s in range(len(text)) for e in range(s + 1, len(text) + 1) if allowed(s, e)]
    gold = {(*rng.choice(spans), rng.choice("XY")) for _ in range(rng.randint(0, 4)) if spans}
    return searched, allowed, entries, gold, rng.random() < 0.3


def compare(rng):
    """Compare one random case with the plain loops; raise where they differ."""
    searched, allowed, entries, gold, fold = drawn(rng)
    listed = Listed(searched, [s.strip() for s, _ in entries], [y for _, y in entries], gold)
    found = occurrences(listed, fold=fold)
    plain = [oracle.places_of(searched.text, s, allowed, fold=fold) for s, _ in entries]
    assert [(STATUSES[how], at) for how, at in zip(found.how, found.places, strict=True)] == plain
    got = {
        policy: placed([listed], [found], policy) for policy in ("first", "all", "best", "worst")
    }
    labelled = {
        policy: [(entries[e][1], (s, t)) for e, s, t in zip(p.entry, p.start, p.end, strict=True)]
        for policy, p in got.items()
    }
    every = oracle.choices(entries, plain)
    scores = [oracle.agreement(taken, gold) for taken in every]
    for policy in ("first", "best", "worst"):
        assert len(set(labelled[policy])) == len(labelled[policy]) == len(every[0])
        assert all(
            at in plain[e][1]
            for e, at in zip(
                got[policy].entry, zip(got[policy].start, got[policy].end, strict=True), strict=True
            )
        )
        repeated = sum(STATUSES[k] == "repeated" for k in got[policy].status)
        assert repeated == sum(bool(at) for _, at in plain) - len(every[0])
    assert oracle.agreement(labelled["best"], gold) == max(scores)
    assert oracle.agreement(labelled["worst"], gold) == min(scores)
    first = oracle.first_places(entries, plain)
    assert labelled["first"] == [(entries[k][1], at) for k, at in sorted(first.items())]
    assert set(labelled["all"]) == {
        (label, at) for (_, label), (_, places) in zip(entries, plain, strict=True) for at in places
    }
    assert len(set(labelled["all"])) == len(labelled["all"])


@pytest.mark.parametrize("seed", range(3))
def test_places_are_those_of_plain_loops(seed):
    rng = random.Random(seed)
    for _ in range(CASES // 3):
        compare(rng)
