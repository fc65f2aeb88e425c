"""Random CorefUD files beside plain loops: what is matched, and what is counted of it."""

from __future__ import annotations

import random
from itertools import combinations, permutations

import pytest

import coleval
import oracle_coref as plain
from coleval.loading.tasks import mention_sets

HEADER = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n"
RELATIONS = ("a", "b")


def nodes(rng, size):
    """Return the IDs of a sentence of some words: some have an empty node behind them."""
    return [
        node for word in range(size + 1)
        for node in ([(word, 0)] if word else []) + [(word, 1)] * (rng.random() < 0.3)
    ]  # fmt: skip


def edges(rng, size):
    heads = rng.sample(range(size + 1), rng.randint(1, 2))
    return frozenset((head, rng.choice(RELATIONS)) for head in heads)


def layer(rng, ids, deps):
    """Return mentions: chain by (places, head), at most one with holes in each chain."""
    found, holes = {}, set()
    for _ in range(rng.randint(0, 6)):
        low = rng.randrange(len(ids))
        words = ids[low : low + rng.choice([1, 1, 2, 3, 4])]
        chain = rng.randrange(3)
        if len(words) > 2 and chain not in holes and rng.random() < 0.3:
            holes.add(chain)
            words = [words[0], *words[2:]]
        # Of two that cross, brackets of one name could not tell which of them closes.
        crossing = any(
            c == chain and (w[0] < words[0] <= w[-1] < words[-1]
                            or words[0] < w[0] <= words[-1] < w[-1])
            for (w, _), c in found.items()
        )  # fmt: skip
        if not crossing and tuple(words) not in {w for w, _ in found}:
            found[tuple(words), rng.choice(words)] = chain
    return {"ids": ids, "deps": deps, "chains": found}


def written(side):
    """Return a sentence with its mentions as CorefUD."""
    ids = side["ids"]
    opens, closes = ({node: [] for node in ids} for _ in range(2))
    for (words, head), chain in side["chains"].items():
        at = [ids.index(word) for word in words]
        cuts = [k for k in range(1, len(at)) if at[k] != at[k - 1] + 1]
        parts = [at[a:b] for a, b in zip([0, *cuts], [*cuts, len(at)], strict=True)]
        for k, part in enumerate(parts, start=1):
            name = f"e{chain}" + (f"[{k}/{len(parts)}]" if len(parts) > 1 else "")
            start = f"({name}-x-{words.index(head) + 1}-"
            if len(part) == 1:
                opens[ids[part[0]]].append((0, f"{start})"))
            else:
                opens[ids[part[0]]].append((-len(part), start))
                closes[ids[part[-1]]].append((len(part), f"{name})"))
    lines = []
    for word, empty in ids:
        text = "".join(t for _, t in sorted(closes[word, empty]) + sorted(opens[word, empty]))
        deps = "|".join(f"{h}:{r}" for h, r in sorted(side["deps"].get((word, empty), ())))
        name = f"{word}.{empty}" if empty else str(word)
        lines.append("\t".join([name, "w", "_", "_", "_", "_", "_" if empty else "0", "_",
                                deps or "_", f"Entity={text}" if text else "_"]))  # fmt: skip
    return "\n".join(lines) + "\n\n"


def case(rng):
    size = rng.randint(1, 5)
    sides = []
    for _ in range(2):
        ids = nodes(rng, size)
        deps = {node: edges(rng, size) for node in ids if node[1]}
        sides.append(layer(rng, ids, deps))
    return sides


def f1(one, other):
    both = len(one & other)
    return 2 * both / (len(one) + len(other)) if both else 0


def zero_score(key, k, response, r):
    """Return how alike two zeros are, 0 for mentions that are none."""
    if not (k[1][1] and r[1][1]):
        return 0
    own, other = key["deps"][k[1]], response["deps"][r[1]]
    return 10 * f1(own, other) + f1({h for h, _ in own}, {h for h, _ in other})


def score(match, k, r):
    """Return how alike two mentions are that are not the same."""
    words, other = set(k[0]), set(r[0])
    shared = len(words & other) / len(words)
    if match == "head":
        return shared if k[1] == r[1] else 0
    return shared if match == "partial" and k[1] in other and other <= words else 0


def best(scores):
    """Return the largest sum of scores of pairs that have nothing in common."""
    keys, responses = ({pair[side] for pair in scores} for side in (0, 1))
    few, many = sorted((sorted(keys), sorted(responses)), key=len)
    turned = few != sorted(keys)
    sums = [0]
    for n in range(1, len(few) + 1):
        for some in combinations(few, n):
            for others in permutations(many, n):
                pairs = zip(others, some, strict=True) if turned else zip(some, others, strict=True)
                sums.append(sum(scores.get(pair, 0) for pair in pairs))
    return max(sums)


def check(key, response, match, zeros, pairs):
    """Hold pairs against the rules, step by step."""
    own, other = list(key["chains"]), list(response["chains"])
    assert len({k for k, _ in pairs}) == len({r for _, r in pairs}) == len(pairs)
    left = {(k, r) for k in own for r in other}
    if zeros == "dependent":
        scores = {(k, r): zero_score(key, k, response, r) for k, r in left}
        scores = {pair: value for pair, value in scores.items() if value}
        first = [pair for pair in pairs if pair in scores]
        left = step(left, first, scores)
        pairs = [pair for pair in pairs if pair not in first]
    same = [(k, r) for k, r in left if k[0] == r[0] and (match != "head" or k[1] == r[1])]
    assert set(same) <= set(pairs)
    left = {(k, r) for k, r in left if all(k != a and r != b for a, b in same)}
    scores = {(k, r): value for k, r in left if (value := score(match, k, r))}
    step(left, [pair for pair in pairs if pair not in same], scores)


def step(left, pairs, scores):
    assert sum(scores[pair] for pair in pairs) == pytest.approx(best(scores))
    return {(k, r) for k, r in left if all(k != a and r != b for a, b in pairs)}


@pytest.mark.parametrize("zeros", ["dependent", "linear"])
@pytest.mark.parametrize("match", ["exact", "head", "partial"])
def test_the_best_pairs_are_matched_and_counted(tmp_path, monkeypatch, match, zeros):
    rng = random.Random(f"{match} {zeros}")
    matched = []

    def partners(*sides, **how):
        matched.append(found := original(*sides, **how))
        return found

    original = mention_sets.partners
    monkeypatch.setattr(mention_sets, "partners", partners)
    paths = [tmp_path / f"{name}.conllu" for name in ("gold", "system")]
    for _ in range(15):
        key, response = sides = case(rng)
        for path, side in zip(paths, sides, strict=True):
            path.write_text(HEADER + written(side))
        corpus = coleval.load(str(paths[0]), {"s": str(paths[1])}, task="coref",
                              mention_match=match, zero_match=zeros)  # fmt: skip
        own, other = (in_text_order(side, match) for side in sides)
        found = matched.pop() if matched else []
        pairs = [(own[k], other[r]) for r, k in enumerate(found) if k >= 0]
        check(key, response, match, zeros, pairs)
        counted(corpus, key, response, pairs)


def in_text_order(side, match):
    """Return mentions as they are numbered: by first word, last word, size, words and head."""

    def rank(mention):
        words, head = mention
        at = [100 * word + empty for word, empty in words]
        plain_words = all(not e for _, e in words) and at[-1] - at[0] == 100 * (len(at) - 1)
        spelled = "" if plain_words else ",".join(str(1024 * w + e) for w, e in words)
        return at[0], at[-1], len(at), spelled, head if match == "head" else ()

    return sorted(side["chains"], key=rank)


def counted(corpus, key, response, pairs):
    """Hold the scores against plain loops over mentions that have the names of their partners."""
    names = {r: k for k, r in pairs}
    other = {names.get(r, ("s", r)): chain for r, chain in response["chains"].items()}
    rows = {r["metric"]: r for r in corpus.score().tables["overall"].to_dicts()}
    for metric in ("muc", "b3", "ceafm", "lea"):
        wanted = [float(v) for v in getattr(plain, metric)([(key["chains"], other)])]
        fields = ("recall_num", "recall_den", "precision_num", "precision_den")
        assert [rows[metric][f] for f in fields] == pytest.approx(wanted), metric
