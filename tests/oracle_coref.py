"""Coreference again, in plain loops over sets: what the vectorised code is compared with.

A document is two dicts, key and response, from mention to the name of its chain. Mentions are
pairs (start, end), sorted as text is.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import combinations, permutations


def chains(layer: dict, *, singletons: bool = True) -> list[set]:
    found = defaultdict(set)
    for mention, chain in layer.items():
        found[chain].add(mention)
    return [c for c in found.values() if singletons or len(c) > 1]


def sides(documents, singletons):
    for key, response in documents:
        yield chains(key, singletons=singletons), chains(response, singletons=singletons)


def muc(documents, *, singletons=True):
    def one(key, response):
        above = below = 0
        for chain in key:
            parts = sum(bool(chain & other) for other in response)
            alone = len(chain - set().union(*response))
            above += len(chain) - parts - alone
            below += len(chain) - 1
        return above, below

    return both(documents, one, singletons)


def b3(documents, *, singletons=True):
    def one(key, response):
        above = sum(
            Fraction(len(chain & other), len(chain))
            for chain in key for mention in chain for other in response if mention in other
        )  # fmt: skip
        return above, sum(map(len, key))

    return both(documents, one, singletons)


def lea(documents, *, singletons=True):
    def links(chain):
        return Fraction(len(chain) * (len(chain) - 1), 2)

    def one(key, response):
        above = Fraction(0)
        for chain in key:
            if len(chain) == 1:
                above += any(chain == other for other in response)
            else:
                shared = sum(links(chain & other) for other in response)
                above += len(chain) * shared / links(chain)
        return above, sum(map(len, key))

    return both(documents, one, singletons)


def ceaf(documents, similar, size, *, singletons=True):
    """Try every assignment."""
    total, key_size, response_size = Fraction(0), 0, 0
    for key, response in sides(documents, singletons):
        few, many = sorted((key, response), key=len)
        total += max(
            (sum(similar(a, b) for a, b in zip(few, chosen, strict=True))
             for chosen in permutations(many, len(few))),
            default=0,
        )  # fmt: skip
        key_size += size(key)
        response_size += size(response)
    return total, key_size, total, response_size


def ceafm(documents, *, singletons=True):
    return ceaf(documents, lambda a, b: Fraction(len(a & b)), lambda s: sum(map(len, s)),
                singletons=singletons)  # fmt: skip


def ceafe(documents, *, singletons=True):
    return ceaf(documents, lambda a, b: Fraction(2 * len(a & b), len(a) + len(b)), len,
                singletons=singletons)  # fmt: skip


def blanc(documents, *, singletons=True):
    """Return recall, precision and F1, None where the key has no pair of mentions."""
    counts = dict.fromkeys(("ck", "cr", "cb", "nk", "nr", "nb"), 0)
    for key, response in sides(documents, singletons):
        k, r = ({m: n for n, c in enumerate(side) for m in c} for side in (key, response))
        for mentions, of, name in ((k, k, "k"), (r, r, "r")):
            for a, b in combinations(sorted(mentions), 2):
                counts[("c" if of[a] == of[b] else "n") + name] += 1
        for a, b in combinations(sorted(set(k) & set(r)), 2):
            counts["cb"] += k[a] == k[b] and r[a] == r[b]
            counts["nb"] += k[a] != k[b] and r[a] != r[b]
    parts = []
    for kind in "cn":
        both_, key, response = (counts[kind + side] for side in "bkr")
        if key:
            recall = Fraction(both_, key)
            precision = Fraction(both_, response) if response else Fraction(0)
            f1 = 2 * recall * precision / (recall + precision) if both_ else Fraction(0)
            parts.append((recall, precision, f1))
    return [sum(p) / len(parts) for p in zip(*parts, strict=True)] if parts else [None] * 3


def both(documents, one, singletons):
    """Return recall's and precision's fractions, summed over documents before they are divided."""
    sums = [0, 0, 0, 0]
    for key, response in sides(documents, singletons):
        for at, value in enumerate((*one(key, response), *one(response, key))):
            sums[at] += value
    return tuple(sums)


def any_class(mention, key, response):
    """Return the class of a mention by any antecedent, one mention after the other."""

    def before(layer):
        chain = layer.get(mention)
        return (
            {m for m in layer if m < mention and layer[m] == chain} if mention in layer else set()
        )

    there, said = before(key), before(response)
    if there and said:
        return "tp" if there & said else "wl"
    return "fn" if there else "fp" if said else None


def nominal_class(mention, key, response, nominal, which=max):
    """Return the class by the closest nominal antecedent, by the first if ``which`` is ``min``."""

    def antecedent(layer):
        if mention not in layer:
            return None
        found = [m for m in layer if m < mention and layer[m] == layer[mention] and m in nominal]
        return which(found, default=None)

    there, said = antecedent(key), antecedent(response)
    if there is not None and said is not None:
        return "tp" if key.get(said) == key[mention] else "wl"
    return "fn" if there is not None else "fp" if said is not None else None


def program_class(mention, key, response, nominal):
    """Return the class by the rules of ComparEval's program: by the first nominal antecedent.

    Of what has antecedents in the key, but no nominal one, it counts nothing.
    """
    chain = key.get(mention)
    before = {m for m in key if mention in key and m < mention and key[m] == chain}
    if before and not before & nominal:
        return None
    return nominal_class(mention, key, response, nominal, which=min)


def program_totals(documents, kinds, pronouns):
    """Return how many mentions change, and how many nouns and pronouns there are to change.

    A document is key, before and after; ``kinds`` say of a mention whether it is a noun, or its
    tag. Of words with other tags the changes count, but they are not in the total.
    """
    nominal = {m for m, kind in kinds.items() if kind == "noun"}
    changed = total = 0
    for key, before, after in documents:
        for mention in set(key) | set(before) | set(after):
            one, two = (program_class(mention, key, x, nominal) for x in (before, after))
            changed += one != two
            if one or two:
                total += kinds[mention] == "noun" or kinds[mention] in pronouns
    return changed, total
