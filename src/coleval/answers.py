"""``coleval.score``: the scores of answers that are in memory, without files or frames.

What is given says what it is: labels, tags by sentence (names or numbers, ``-100`` where nothing is
to count, scores of classes as models return them), or spans by sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl

from coleval.analyses.errors.library import place_of
from coleval.corpus.corpus import Origin
from coleval.corpus.options import Reading
from coleval.corpus.signature import with_hashes
from coleval.errors import DataError, UsageError, warn_python
from coleval.loading.loading import inputs_of, load_inputs, reading_of
from coleval.loading.readers.model import SpanFile
from coleval.loading.tasks.span_files import span_corpus

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report

# The number that stands for no tag: padding, and parts of words but the first.
IGNORED = -100
GOLD, SYSTEM = "gold", "predicted"


def score(y_true: Any, y_pred: Any, *, names: Any = None, **options: Any) -> Report:
    """Return the scores of one system, or of several by name, as ``Corpus.score`` does.

    ``y_true`` and ``y_pred`` are lists, arrays, tensors or Series: a label for each instance; a
    list of tags for each sentence; or a list of spans ``(label, start, end)`` for each sentence,
    ``end`` being the first token after it. Where the true tag is -100 nothing is counted, and an
    array with one more axis has a score for each class. Several systems are a mapping of names to
    answers. Options are those of ``load`` and of ``score``.

    names: what numbers stand for: a list of names, or a mapping of numbers to names
    """
    given = y_pred if isinstance(y_pred, Mapping) else {SYSTEM: y_pred}
    if GOLD in given:
        raise UsageError(
            f"a system cannot be called `{GOLD}`", where="score()", remedy="give it another name"
        )
    sides = {name: _listed(side) for name, side in {GOLD: y_true, **given}.items()}
    _check_lengths(sides)
    reading = {name: value for name, value in options.items() if hasattr(Reading, name)}
    corpus = _corpus(sides, names, reading)
    warn_python(corpus.warnings, 3)
    return corpus.score(**{k: v for k, v in options.items() if k not in reading})


def assert_no_regression(
    corpus: Corpus, before: str, after: str, *, gate: str = "worse=0.05"
) -> None:
    """Raise an ``AssertionError`` if a system became worse than limits allow, for tests of runs.

    By default one fails that is significantly worse by the paired test of ``compare``.

    gate: limits as of ``changes``: ``"worse=0.05,max_drop=0.5pp,max_new_errors=20"``
    """
    verdicts = corpus.changes(pair=(before, after), gate=gate)["gate"].filter(~pl.col("holds"))
    if verdicts.height:
        raise AssertionError(f"{before} → {after}: {' '.join(verdicts['verdict'])}")


def _listed(side: Any) -> list[Any]:
    """Return answers as lists; of scores of classes, the number of the best one."""
    for method in ("detach", "cpu", "to_numpy"):
        side = getattr(side, method)() if hasattr(side, method) else side
    if isinstance(side, np.ndarray):
        scores = side.ndim == 3 or (side.ndim == 2 and side.dtype.kind == "f")
        return cast("list[Any]", (side.argmax(axis=-1) if scores else side).tolist())
    return [each.tolist() if isinstance(each, np.ndarray) else each for each in side]


def _check_lengths(sides: Mapping[str, list[Any]]) -> None:
    gold = sides[GOLD]
    for name, side in sides.items():
        if len(side) != len(gold):
            raise DataError(
                f"has a length of {len(side):,}, the true answers one of {len(gold):,}",
                where=name,
                remedy="give an answer for each instance or sentence, in the same order",
            )


def _corpus(sides: Mapping[str, list[Any]], names: Any, reading: dict[str, Any]) -> Corpus:
    sentences = [row for side in sides.values() for row in side if _is_list(row)]
    if not sentences:
        labels = {name: _named(side, names) for name, side in sides.items()}
        return _of_frame(labels, {"task": "label", **reading})
    if any(_is_list(part) for row in sentences for part in row):
        return _of_spans(sides, reading)
    return _of_frame(_tag_columns(sides, names), reading)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _named(row: Sequence[Any], names: Any) -> list[str | None]:
    """Return answers as text, numbers by their names."""
    try:
        return [
            value if isinstance(value, str) or value is None
            else str(value) if names is None else names[value]
            for value in row
        ]  # fmt: skip
    except (KeyError, IndexError) as error:
        raise DataError(
            f"a number has no name: {error}",
            where="names=",
            remedy="name each class, in the order of their numbers",
        ) from None


def _tag_columns(sides: Mapping[str, list[Any]], names: Any) -> dict[str, list[Any]]:
    """Return a list of tags for each sentence and side, without tags that are to be ignored."""
    columns: dict[str, list[Any]] = {name: [] for name in ("tokens", *sides)}
    for at, rows in enumerate(zip(*sides.values(), strict=True)):
        gold = rows[0]
        for name, row in zip(sides, rows, strict=True):
            if len(row) != len(gold):
                raise DataError(
                    f"has a length of {len(row):,}, the true tags one of {len(gold):,}",
                    where=f"{name}, sentence {at}",
                    remedy="give a tag for each token; the true tag -100 leaves one out",
                )
        kept = [k for k, tag in enumerate(gold) if tag != IGNORED]
        columns["tokens"].append([str(k) for k in kept])
        for name, row in zip(sides, rows, strict=True):
            columns[name].append(_named([row[k] for k in kept], names))
    return columns


def _of_frame(columns: Mapping[str, Any], reading: dict[str, Any]) -> Corpus:
    systems = [name for name in columns if name not in (GOLD, "tokens")]
    chosen = {"columns": {"gold": GOLD, "system": systems}, **reading}
    frame = pl.DataFrame(columns, strict=False)
    return load_inputs(inputs_of(frame, None, reading_of(chosen)), chosen)


def _of_spans(sides: Mapping[str, list[Any]], reading: dict[str, Any]) -> Corpus:
    files = {"" if name == GOLD else name: _span_file(name, side) for name, side in sides.items()}
    origins = {name: Origin(file.path) for name, file in files.items()}
    return with_hashes(span_corpus(reading_of(reading), files, origins))


def _span_file(name: str, side: list[Any]) -> SpanFile:
    """Return the spans of all sentences, each with its tokens if it has holes."""
    rows = [
        (at, *place_of(span, f"{name}, sentence {at}"))
        for at, sentence in enumerate(side)
        for span in sentence
    ]
    spans = pl.DataFrame(
        {
            "sentence": [at for at, *_ in rows],
            "start": [begin for _, begin, *_ in rows],
            "end": [end - 1 for _, _, end, *_ in rows],
            "label": [label for *_, label in rows],
            "tokens": [_holed(begin, end, mask) for _, begin, end, mask, _ in rows],
        },
        schema=dict.fromkeys(("sentence", "start", "end"), pl.Int32)
        | {"label": pl.String, "tokens": pl.List(pl.Int32)},
    )
    line, form = pl.int_range(pl.len(), dtype=pl.UInt32), pl.lit(None, pl.String)
    return SpanFile(f"<{name}>", spans.with_columns(line=line, form=form), len(side))


def _holed(begin: int, end: int, mask: int) -> list[int] | None:
    """Return the tokens of a span with holes, None for one without."""
    tokens = [token for token in range(begin, end) if mask >> token & 1]
    return None if len(tokens) == end - begin else tokens
