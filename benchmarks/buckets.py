"""Five attributes for many systems at once, against each system by itself with numpy.

    python benchmarks/buckets.py                                # 2M tokens × 24 systems
    python benchmarks/buckets.py --tokens 20000 --systems 3     # does the harness still run?

Spans and training counts are given to both sides. The other side is what one writes for one
system: look up the values of its spans, cut them, count. Answers are compared first.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from generate import files
from loaded import anew, generated
from measure import Target, corpus, faster, in_turn, least, main
from spans import extraction

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    import numpy as np

    from coleval.corpus.corpus import Corpus

FIVE = ("eLen", "sLen", "eDen", "eFre", "eCon")
ONE_MORE = "eDen"


def targets(asked: argparse.Namespace) -> list[Target]:
    """Return the figures, once all counts are known to be the same."""
    corpus_ = _loaded(asked)
    plain = Plain(corpus_)
    _compare(corpus_, plain)
    return _figures(in_turn(asked.rounds, _sides(corpus_, plain)))


def _loaded(asked: argparse.Namespace) -> Corpus:
    """Return a generated corpus with the training data of another, its spans made."""
    train, _ = files(corpus(asked, tokens=max(1000, asked.tokens // 10), systems=1, seed=1))
    found = generated(asked).trained(str(train))
    for table in ("span", "token"):
        found.training.tables[table]  # type: ignore[union-attr]
    return found


class Plain:
    """The plainest fast numpy: arrays of one layer's spans, values by look-up, cuts, counts."""

    def __init__(self, corpus: Corpus) -> None:
        """Lay out what is given: the text as codes, every layer's spans, the training counts."""
        import numpy as np

        from coleval.analyses.buckets.cuts import Breakdown
        from coleval.analyses.buckets.plan import plan
        from coleval.analyses.buckets.spec import Options

        items = corpus.at("span")
        text = corpus.at("token")
        sentence = text.context["sentence"].to_numpy().astype(np.int64)
        self.first = np.flatnonzero(np.diff(sentence, prepend=-1))
        self.size = np.diff(np.append(self.first, len(sentence)))
        form = text.form().cast(str).str.to_lowercase()  # type: ignore[union-attr]
        words = form.unique(maintain_order=True)
        self.code = {word: k for k, word in enumerate(words.to_list())}
        self.word = np.array([self.code[w] for w in form.to_list()], np.uint64)
        self.labels = items.labels
        self.layers = {
            name: self._spans(items, codes)
            for name, codes in {"": items.gold, **items.answers}.items()
        }
        self._train(corpus)
        found = Breakdown(corpus, plan(Options(attributes=list(FIVE))), {})
        self.cuts = {name: found.cut(name).buckets for name in FIVE}  # type: ignore[union-attr]

    def _spans(self, items: Any, codes: np.ndarray) -> tuple[np.ndarray, ...]:
        import numpy as np

        rows = np.flatnonzero(codes)
        sentence, start, end = (
            items.context[c].to_numpy()[rows].astype(np.int64) for c in ("sentence", "start", "end")
        )
        return sentence, self.first[sentence] + start, end - start, codes[rows].astype(np.int64)

    def _train(self, corpus: Corpus) -> None:
        """Keep the training counts under the hash that spans of the text have."""
        import numpy as np

        frame = corpus.training.strings("span")  # type: ignore[union-attr]
        rows = [
            (row["string"].split(" "), row["label"], row["n"])
            for row in frame.to_dicts()
            if all(word in self.code for word in row["string"].split(" "))
        ]
        words = np.array([self.code[w] for parts, _, _ in rows for w in parts], np.uint64)
        size = np.array([len(parts) for parts, _, _ in rows], np.int64)
        key = hashed(words, np.cumsum(size) - size, size)
        label = np.array([self._label(name) for _, name, _ in rows], np.int64)
        n = np.array([n for *_, n in rows], np.int64)
        self.key, at = np.unique(key, return_inverse=True)
        table = np.zeros((len(self.key), len(self.labels) + 2))
        np.add.at(table, (at, label), n)
        self.total = table.sum(axis=1)
        self.share = table / self.total[:, None]

    def _label(self, name: str) -> int:
        return self.labels.index(name) + 1 if name in self.labels else len(self.labels) + 1

    def values(self, name: str, layer: str) -> np.ndarray:
        """Return an attribute of the spans of one layer."""
        import numpy as np

        sentence, low, length, label = self.layers[layer]
        if name == "eLen":
            return length
        if name == "sLen":
            return self.size[sentence]
        if name == "eDen":
            gold = self.layers[""]
            inside = np.bincount(gold[0], weights=gold[2], minlength=len(self.size))
            return (inside / self.size)[sentence]
        key = hashed(self.word, low, length)
        at = np.minimum(np.searchsorted(self.key, key), len(self.key) - 1)
        known = self.key[at] == key
        found = self.total[at] if name == "eFre" else self.share[at, label]
        return np.where(known, found, 0.0)

    def counted(self, name: str, system: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return gold, predicted and right spans by bucket, for one attribute and system."""
        import numpy as np

        n = len(self.cuts[name]) + 3
        gold = cut(self.cuts[name], self.values(name, ""))
        predicted = cut(self.cuts[name], self.values(name, system))
        (_, low, size, label), (_, slow, ssize, slabel) = self.layers[""], self.layers[system]
        ends, kinds = np.zeros((2, len(self.word)), np.int64)
        ends[low], kinds[low] = size, label
        right = (ends[slow] == ssize) & (kinds[slow] == slabel)
        return tuple(np.bincount(b, minlength=n) for b in (gold, predicted, predicted[right]))  # type: ignore[return-value]


def hashed(words: np.ndarray, low: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Return a 64-bit hash of every span of some words."""
    import numpy as np

    out = size.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for k in range(int(size.max(initial=0))):
        rows = np.flatnonzero(size > k)
        mixed = (out[rows] ^ (words[low[rows] + k] + np.uint64(1))) * np.uint64(0xBF58476D1CE4E5B9)
        out[rows] = mixed ^ (mixed >> np.uint64(29))
    return out


def cut(buckets: Any, values: np.ndarray) -> np.ndarray:
    """Return the bucket of every value: points by comparison, ranges by binary search."""
    import numpy as np

    n = len(buckets)
    ranges = [(k, b) for k, b in enumerate(buckets.each) if b.low != b.high]
    highs = np.array([b.high for _, b in ranges])
    place = np.searchsorted(highs, values)
    number = np.array([*(k for k, _ in ranges), n + 1])
    out = number[place]
    low = ranges[0][1] if ranges else None
    if low is not None:
        out[values < low.low if low.closed else values <= low.low] = n
    for k, b in enumerate(buckets.each):
        if b.low == b.high:
            out[values == b.high] = k
    return out


def _compare(corpus: Corpus, plain: Plain) -> None:
    """Count both ways and leave if a single number differs."""
    table = corpus.buckets(attributes=list(FIVE)).tables["buckets"]
    for name in FIVE:
        for system in corpus.systems:
            gold, predicted, tp = plain.counted(name, system)
            ours = table.filter(attribute=name, system=system)
            names = [*(b.name for b in plain.cuts[name].each), *plain.cuts[name].outside]
            rows = {r["bucket"]: (r["gold"], r["predicted"], r["tp"]) for r in ours.to_dicts()}
            theirs = {
                b: t
                for b, *t in zip(names, gold, predicted, tp, strict=True)
                if b in rows or any(t)
            }
            if rows != {b: tuple(map(int, t)) for b, t in theirs.items()}:
                sys.exit(f"benchmarks: {name} of {system} differs\n{rows}\n{theirs}")


def _sides(corpus: Corpus, plain: Plain) -> dict[str, Callable[[], object]]:
    from coleval.analyses.buckets.cuts import Breakdown
    from coleval.analyses.buckets.plan import plan
    from coleval.analyses.buckets.spec import Options

    def made(names: tuple[str, ...]) -> Breakdown:
        return Breakdown(anew(corpus), plan(Options(attributes=list(names))), {})

    def every(names: tuple[str, ...]) -> list[Any]:
        return [plain.counted(a, s) for s in corpus.systems for a in names]

    warm = made(FIVE)
    warm.cuts()
    return {
        "ours": lambda: made(FIVE).cuts(),
        "plain": lambda: every(FIVE),
        "more": lambda: warm.cut(ONE_MORE),
        "plain more": lambda: every((ONE_MORE,)),
        "consistency": lambda: warm.cut("eCon"),
        "plain consistency": lambda: every(("eCon",)),
        "tables": lambda: anew(corpus).buckets(attributes=list(FIVE)),
        "extraction": extraction(corpus),
    }


def _figures(seconds: dict[str, list[float]]) -> list[Target]:
    return [
        faster("five attributes, all systems", seconds, "ours", "plain", 2, stretch=4, row=14,
               how="numpy for each system by itself ÷ ours, spans given to both"),
        least(f"one more: {ONE_MORE} ÷ span extraction", seconds, "more", "extraction", 0.3,
              stretch=0.1, row=14, how="÷ decoding the tags of gold and all systems to spans"),
        faster(f"one more: {ONE_MORE}", seconds, "more", "plain more", 8),
        faster("one more: eCon, which depends on labels", seconds, "consistency",
               "plain consistency", 8),
        faster("five, with tables, tests and diagnoses", seconds, "tables", "plain"),
    ]  # fmt: skip


if __name__ == "__main__":
    main(__doc__, targets)
