"""Made-up coreference in CoNLL-2012: a mention to every 8 tokens, in chains of 1 to 100.

One mention in five lies inside another. The response misses mentions and has some of its own, ends
some elsewhere, puts some into wrong chains, and splits and merges chains. All documents are drawn
at once, and written some at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

SENTENCE = 20
_STEP = 10  # tokens from one outer mention to the next, which fits between
_OUTER = 6  # words of an outer mention, at most
_BLOCK = 500_000  # tokens that are written at a time


def written(directory: Path, tokens: int, documents: int, *, seed: int = 0) -> tuple[Path, Path]:
    """Return a file of gold and one of a system, made if they are not there."""
    folder = directory / f"coref2012-{tokens}x{documents}" / (f"seed{seed}" if seed else "")
    gold, system = folder / "gold.conll", folder / "run.conll"
    if not system.exists():
        folder.mkdir(parents=True, exist_ok=True)
        partial = system.with_suffix(".part")
        _write((gold, partial), tokens // documents, documents, np.random.default_rng(seed))
        partial.rename(system)
    return gold, system


def _write(paths: tuple[Path, Path], size: int, documents: int, draw: np.random.Generator) -> None:
    begin, end, document = _mentions(size, documents, draw)
    chain = _chains(document, documents, draw)
    n = len(begin)
    heard = draw.random(n)
    response = _misread(chain, document, begin, size, draw)
    inner = np.append(begin[1:] <= end[:-1], np.False_)
    moved = np.where((draw.random(n) < 0.06) & (end > begin) & ~inner, end - 1, end)
    # What starts inside the same outer mention and now ends with it would be a second of its kind.
    for path, keep, last, name in ((paths[0], heard > 0.05, end, chain),
                                   (paths[1], heard < 0.92, moved, response)):  # fmt: skip
        fields = _fields(begin[keep], last[keep], name[keep], size * documents)
        _lines(path, fields, size, documents)


def _mentions(
    size: int, documents: int, draw: np.random.Generator
) -> tuple[Numbers, Numbers, Numbers]:
    """Return first and last token of each mention, outer before inner, and its document."""
    total = size * documents
    begin = np.arange(0, total, _STEP) + draw.integers(0, _STEP - _OUTER + 1, -(-total // _STEP))
    end = begin + np.minimum(draw.geometric(0.45, len(begin)), _OUTER) - 1
    own = begin // size
    # A mention is in one sentence of one document.
    place = begin - own * size
    limit = own * size + np.minimum((place // SENTENCE + 1) * SENTENCE, size) - 1
    end = np.minimum(end, limit)
    inside = (begin < total) & (end >= begin)
    begin, end = begin[inside], end[inside]
    wide = np.flatnonzero((end > begin) & (draw.random(len(begin)) < 0.45))
    low = begin[wide] + draw.integers(0, 2, len(wide))
    high = np.where(low > begin[wide], end[wide], np.maximum(low, end[wide] - 1))
    first, last = np.append(begin, low), np.append(end, high)
    order = np.lexsort((-last, first))
    return first[order], last[order], first[order] // size


def _chains(document: Numbers, documents: int, draw: np.random.Generator) -> Numbers:
    """Return the chain of each mention: as many as fit the document, of sizes like 1 ÷ k."""
    n = np.bincount(document, minlength=documents)
    known = np.maximum(1, (n * draw.uniform(0.02, 0.6, documents)).astype(np.int64))
    return np.exp(draw.random(len(document)) * np.log(known[document] + 1)).astype(np.int64)


def _misread(
    chain: Numbers, document: Numbers, begin: Numbers, size: int, draw: np.random.Generator
) -> Numbers:
    """Return the chains of the response: some mentions elsewhere, some chains split or merged."""
    most = int(chain.max()) + 1
    kind = draw.random((int(document.max()) + 1, most))[document, chain]
    found = np.where(kind < 0.1, np.maximum(chain // 2, 1), chain)
    late = (begin % size) * 2 > size
    found = np.where((kind > 0.85) & late, found + most, found)
    stray = draw.random(len(chain)) < 0.12
    other = np.roll(found, 1)
    return np.where(stray & (document == np.roll(document, 1)), other, found) + 1000


def _fields(begin: Numbers, end: Numbers, chain: Numbers, total: int) -> pl.Series:
    """Return the last column of every token."""
    one = begin == end
    opened = pl.DataFrame({"at": begin, "rank": np.arange(len(begin)), "chain": chain, "one": one})
    opened = opened.with_columns(
        piece=pl.when("one").then(pl.format("({})", "chain")).otherwise(pl.format("({}", "chain"))
    )
    some = np.flatnonzero(~one)
    closed = pl.DataFrame({"at": end[some], "rank": -some + 2 * len(begin), "chain": chain[some]})
    closed = closed.with_columns(piece=pl.format("{})", "chain"))
    pieces = pl.concat([opened.select("at", "rank", "piece"), closed.select("at", "rank", "piece")])
    joined = (
        pieces.sort("at", "rank")
        .group_by("at", maintain_order=True)
        .agg(pl.col("piece").str.join("|"))
    )
    nothing = pl.repeat("-", total, eager=True)
    return nothing.scatter(joined["at"], joined["piece"])


def _lines(path: Path, fields: pl.Series, size: int, documents: int) -> None:
    step = max(1, _BLOCK // size)
    with path.open("wb") as file:
        for first in range(0, documents, step):
            count = min(step, documents - first)
            file.write(_text(fields[first * size : (first + count) * size], first, size))


def _text(fields: pl.Series, first: int, size: int) -> bytes:
    """Return the lines of some whole documents."""
    place = np.arange(len(fields)) % size
    number = np.arange(len(fields)) // size + first
    name = pl.Series("number", number).cast(pl.String).str.zfill(5)
    word = (np.arange(len(fields)) * 7919 + first * size) % 9973
    frame = pl.DataFrame({"name": name, "at": place % SENTENCE, "word": word, "field": fields,
                          "place": place, "tag": word % len(_TAGS)})  # fmt: skip
    tags = pl.Series("pos", _TAGS).gather(frame["tag"])
    line = pl.format("made/up/{}\t0\t{}\tword{}\t{}\t(S(NP*)\t-\t-\t-\tSpeaker1\t*\t{}",
                     "name", "at", "word", "pos", "field")  # fmt: skip
    ends = (pl.col("at") == SENTENCE - 1) | (pl.col("place") == size - 1)
    head = pl.format("#begin document (made/up/{}); part 000\n", "name")
    texts = frame.with_columns(tags).select(
        pl.concat_str(
            pl.when(pl.col("place") == 0).then(head).otherwise(pl.lit("")),
            line,
            pl.when(ends).then(pl.lit("\n")).otherwise(pl.lit("")),
            pl.when(pl.col("place") == size - 1)
            .then(pl.lit("\n#end document"))
            .otherwise(pl.lit("")),
        )
    )
    return ("\n".join(texts.to_series().to_list()) + "\n").encode()


_TAGS = ("NN", "NNP", "PRP", "DT", "VBD", "IN", "JJ", "NNS", "PRP$", "RB", ".")
