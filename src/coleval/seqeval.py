"""A drop-in for seqeval 1.2: its functions, averages, dicts, text and warnings, over arrays.

``from coleval.seqeval import classification_report, f1_score, IOB2`` is all that a training loop
changes. By default spans are those of conlleval, whatever the scheme; with ``mode="strict"`` those
that a scheme allows. For many systems, tests and errors there is ``coleval.score``.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from itertools import chain
from operator import eq
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Tags = Sequence[Sequence[str]]

# The letters that rules name; any other is the last one.
_LETTERS = "OIBESLU."
_OTHER = len(_LETTERS)
_ALL = _LETTERS + "*"
# The letters of tags that belong to a span, those too that no scheme has.
_INSIDE = "IBESLU*"
_SAME, _CHANGED, _EITHER = "=", "!", "=!"
_AVERAGES = (None, "micro", "macro", "weighted")


class UndefinedMetricWarning(UserWarning):
    """A score is 0/0 and set to 0; that of scikit-learn stands in its place where it is loaded."""


def _table(*rules: tuple[str, str, str]) -> NDArray[np.bool_]:
    """Return for (type kept, letter before, letter) whether a rule applies.

    A rule names letters before, letters, and whether the type is the same or changes.
    """
    table = np.zeros((2, _OTHER + 1, _OTHER + 1), np.bool_)
    for before, after, types in rules:
        rows = [_ALL.index(letter) for letter in before]
        columns = [_ALL.index(letter) for letter in after]
        for same in types:
            table[np.ix_([int(same == _SAME)], rows, columns)] = True
    return table


@dataclass(frozen=True, slots=True)
class StrictScheme:
    """A scheme: its letters, and between which tags a span starts, goes on and may end."""

    name: str
    letters: str
    starts: NDArray[np.bool_]
    inside: NDArray[np.bool_]
    ends: NDArray[np.bool_]


IOB1 = StrictScheme(
    "IOB1",
    "IOB",
    _table(("OB", "I", _EITHER), ("I", "I", _CHANGED), ("IB", "B", _SAME)),
    _table(("BI", "I", _SAME)),
    _table(
        ("I", "OB", _EITHER), ("I", "I", _CHANGED), ("B", "O", _EITHER), ("B", "I", _CHANGED),
        ("B", "B", _SAME),
    ),
)  # fmt: skip
IOB2 = StrictScheme(
    "IOB2",
    "IOB",
    _table((_ALL, "B", _EITHER)),
    _table(("BI", "I", _SAME)),
    _table(("IB", "OB", _EITHER), ("IB", "I", _CHANGED)),
)
IOE1 = StrictScheme(
    "IOE1",
    "IOE",
    _table(("OE", "I", _EITHER), ("I", "I", _CHANGED), ("E", "E", _SAME)),
    _table(("I", "IE", _SAME)),
    _table(("I", "IE", _CHANGED), ("I", "O", _EITHER), ("E", "IE", _SAME)),
)
IOE2 = StrictScheme(
    "IOE2",
    "IOE",
    _table(("OE", "IE", _EITHER), ("I", "IE", _CHANGED)),
    _table(("I", "IE", _SAME)),
    _table(("E", _ALL, _EITHER)),
)
IOBES = StrictScheme(
    "IOBES",
    "IOBES",
    _table((_ALL, "BS", _EITHER)),
    _table(("BI", "IE", _SAME)),
    _table(("ES", _ALL, _EITHER)),
)
BILOU = StrictScheme(
    "BILOU",
    "IOBUL",
    _table((_ALL, "BU", _EITHER)),
    _table(("BI", "IL", _SAME)),
    _table(("LU", _ALL, _EITHER)),
)
SCHEMES = {scheme.name: scheme for scheme in (IOB1, IOB2, IOE1, IOE2, IOBES, BILOU)}
# What conlleval does with any letters: where a span starts, and behind which tag one ends.
_STARTS = _table((_ALL, "BS", _EITHER), ("OES", "IE", _EITHER), (_ALL, _INSIDE, _CHANGED))
_ENDS = _table(("ES", _ALL, _EITHER), ("BI", "BSO", _EITHER), (_INSIDE, _ALL, _CHANGED))


def _joined(sentences: Iterable[Sequence[str]]) -> list[str]:
    """Return the tags of all sentences in one list, an O behind each sentence."""
    return list(chain.from_iterable(chain(sentence, ("O",)) for sentence in sentences))


@dataclass(frozen=True, slots=True)
class _TagTypes:
    """Every distinct tag: its code, its letter, and its type as a number among ``names``."""

    code: dict[str, int]
    letter: NDArray[np.intp]
    kind: NDArray[np.intp]
    names: list[str]

    @classmethod
    def of(cls, tags: Iterable[str], scheme: StrictScheme | None, *, suffix: bool) -> _TagTypes:
        distinct = list(dict.fromkeys(tags))
        letters = [tag[-1:] if suffix else tag[:1] for tag in distinct]
        kinds = [_type_of(tag, suffix=suffix, strict=scheme is not None) for tag in distinct]
        for tag, letter in zip(distinct, letters, strict=True):
            if scheme is None:
                _warn_of_odd(tag, suffix=suffix)
            elif not letter or letter not in scheme.letters:
                allowed = "|".join(scheme.letters)
                raise ValueError(f"Invalid token is found: {tag}. Allowed prefixes are: {allowed}.")
        names = sorted(set(kinds))
        place = {name: at for at, name in enumerate(names)}
        return cls(
            {tag: at for at, tag in enumerate(distinct)},
            np.array([_LETTERS.index(x) if x and x in _LETTERS else _OTHER for x in letters], int),
            np.array([place[kind] for kind in kinds], int),
            names,
        )

    def spans(self, tags: list[str], scheme: StrictScheme | None) -> NDArray[np.int64]:
        """Return type, first and last tag of every span, a row each, in the order of their ends."""
        codes = np.fromiter(map(self.code.__getitem__, tags), np.intp, len(tags))
        letter, kind = self.letter[codes], self.kind[codes]
        # Before the first tag there is an O, of a type that is like no other.
        steps = (
            np.append(False, kind[1:] == kind[:-1])[: len(kind)].astype(np.intp),
            np.append(0, letter[:-1])[: len(kind)],
            letter,
        )
        if scheme is None:
            end = np.flatnonzero(_ENDS[steps])
            starts = np.flatnonzero(_STARTS[steps])
            first = np.append(0, starts)[np.searchsorted(starts, end, side="left")]
        else:
            first = np.flatnonzero(scheme.starts[steps])
            outside = np.flatnonzero(~scheme.inside[steps])
            run = np.searchsorted(outside, first, side="right")
            # What starts within a run of tags that goes on already starts nothing (IOB1: B, I).
            end = outside[run]
            complete = scheme.ends[steps][end] & (np.diff(run, prepend=-1) != 0)
            first, end = first[complete], end[complete]
        rows = (kind[end - 1] if scheme is None else kind[first], first, end - 1)
        return np.stack(rows).astype(np.int64)


def _type_of(tag: str, *, suffix: bool, strict: bool) -> str:
    if strict:
        return (tag[:-1] if suffix else tag[1:]).strip("-") or "_"
    if suffix:
        return tag[:-1].rsplit("-", maxsplit=1)[0] or "_"
    return tag[1:].split("-", maxsplit=1)[-1] or "_"


def _warn_of_odd(tag: str, *, suffix: bool) -> None:
    letter, hyphen = (tag[-1:], tag[-2:-1]) if suffix else (tag[:1], tag[1:2])
    if tag not in ("O", "B", "I", "E", "S") and (hyphen != "-" or letter not in "BIES"):
        warnings.warn(f"{tag} seems not to be NE tag.", UserWarning, stacklevel=2)


def get_entities(seq: Sequence[Any], suffix: bool = False) -> list[tuple[str, int, int]]:
    """Return (type, first tag, last tag) of the spans of a sentence, or of sentences in a row."""
    nested = any(isinstance(part, list) for part in seq)
    tags = _joined(seq if nested else [seq])
    types = _TagTypes.of(tags, None, suffix=suffix)
    kind, first, last = types.spans(tags, None).tolist()
    return [(types.names[k], a, b) for k, a, b in zip(kind, first, last, strict=True)]


def auto_detect(sequences: Tags, suffix: bool = False) -> StrictScheme:
    """Return the one scheme of IOB2, IOE2, IOBES and BILOU that such letters can be of."""
    tags = dict.fromkeys(chain.from_iterable(sequences))
    letters = {tag[-1:] if suffix else tag[:1] for tag in tags}
    for scheme, needed in ((IOB2, {"B"}), (IOE2, {"E"}), (IOBES, {"B", "E"}), (BILOU, {"B", "L"})):
        if needed <= letters <= set(scheme.letters) or letters == set(scheme.letters) & {"S", "U"}:
            return scheme
    raise ValueError(f"This scheme is not supported: {letters}")


def check_consistent_length(y_true: Tags, y_pred: Tags) -> None:
    """Raise if one side is no list of lists, or has other sentences or lengths than the other."""
    sides = (y_true, y_pred)
    if {type(sentence) for side in sides for sentence in side} != {list}:
        raise TypeError("Found input variables without list of list.")
    lengths = [[len(sentence) for sentence in side] for side in sides]
    if lengths[0] != lengths[1]:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples:\n"
            f"{lengths[0]}\n{lengths[1]}"
        )


@dataclass(frozen=True, slots=True)
class _SpanCounts:
    """Spans of each type: those of both sides, of the prediction and of the truth."""

    names: list[str]
    shared: NDArray[np.int64]
    predicted: NDArray[np.int64]
    true: NDArray[np.int64]

    @classmethod
    def of(
        cls, y_true: Tags, y_pred: Tags, scheme: StrictScheme | None, *, suffix: bool
    ) -> _SpanCounts:
        check_consistent_length(y_true, y_pred)
        sides = _joined(y_true), _joined(y_pred)
        types = _TagTypes.of(chain(*sides), scheme, suffix=suffix)
        true, predicted = (types.spans(side, scheme) for side in sides)
        size = len(types.names)
        # A span is one number: where it starts and ends, and its type.
        a, b = ((first * len(sides[0]) + last) * size + k for k, first, last in (true, predicted))
        shared = np.intersect1d(a, b, assume_unique=True) % size
        counts = [np.bincount(k, minlength=size) for k in (shared, predicted[0], true[0])]
        there = np.flatnonzero(counts[1] + counts[2])
        return cls([types.names[k] for k in there], *(count[there] for count in counts))

    def summed(self) -> _SpanCounts:
        """Return the counts of all types together."""
        parts = (self.shared, self.predicted, self.true)
        return _SpanCounts(["micro avg"], *(part.sum(keepdims=True) for part in parts))


def _prf(
    counts: _SpanCounts,
    average: str | None,
    zero_division: Any = "warn",
    warn_for: Sequence[str] = ("precision", "recall", "f-score"),
    beta: float = 1.0,
) -> tuple[Any, Any, Any, Any]:
    """Return precision, recall, F and support as seqeval does, with its warnings."""
    if beta < 0:
        raise ValueError("beta should be >=0 in the F-beta score")
    if average not in _AVERAGES:
        raise ValueError(f"average has to be one of {_AVERAGES}")
    if average == "micro":
        counts = counts.summed()
    undefined = 1.0 if zero_division not in ("warn", 0) else 0.0
    warned = tuple(warn_for) if zero_division == "warn" else ()
    scores: list[NDArray[np.float64]] = []
    for metric, below, what in (
        ("precision", counts.predicted, "predicted"), ("recall", counts.true, "true"),
    ):  # fmt: skip
        scores.append(np.where(below == 0, undefined, counts.shared / np.maximum(below, 1)))
        if metric in warned and (below == 0).any():
            subject = f"{metric.title()} and F-score are" if "f-score" in warned else ""
            _warn_undefined(subject or f"{metric.title()} is", what, len(below))
    if warned == ("f-score",) and (counts.predicted + counts.true == 0).any():
        _warn_undefined("F-score is", "true nor predicted", len(counts.true))
    precision, recall = scores
    f_score = recall
    if not np.isposinf(beta):
        sums = beta**2 * precision + recall
        f_score = (1 + beta**2) * precision * recall / np.where(sums == 0, 1, sums)
    support = counts.true
    if average is None:
        return precision, recall, f_score, support
    if average == "weighted" and not support.sum():
        alone = undefined if not counts.predicted.sum() else 0.0
        return alone, undefined, alone, 0
    weights = support if average == "weighted" else None
    means = (np.average(score, weights=weights) for score in (precision, recall, f_score))
    return (*means, support.sum())


def _warn_undefined(subject: str, what: str, size: int) -> None:
    loaded = sys.modules.get("sklearn.exceptions")
    category = getattr(loaded, "UndefinedMetricWarning", UndefinedMetricWarning)
    place = "due to" if size == 1 else "in labels with"
    message = (
        f"{subject} ill-defined and being set to 0.0 {place} no {what} samples. "
        "Use `zero_division` parameter to control this behavior."
    )
    warnings.warn(message, category, stacklevel=4)


def _strict(mode: str | None, scheme: Any) -> StrictScheme | None:
    """Return the scheme of strict mode; without one seqeval's scores are lenient."""
    if mode != "strict" or not scheme:
        return None
    # Its own classes may be given too, which are called like ours.
    name = scheme if isinstance(scheme, str) else getattr(scheme, "__name__", "")
    return scheme if isinstance(scheme, StrictScheme) else SCHEMES[name]


def precision_recall_fscore_support(  # noqa: PLR0913  - seqeval's signature
    y_true: Tags,
    y_pred: Tags,
    *,
    average: str | None = None,
    warn_for: Sequence[str] = ("precision", "recall", "f-score"),
    beta: float = 1.0,
    sample_weight: Any = None,  # noqa: ARG001  - seqeval has it, and does nothing with it
    zero_division: Any = "warn",
    suffix: bool = False,
    mode: str | None = None,
    scheme: Any = None,
) -> tuple[Any, Any, Any, Any]:
    """Return precision, recall, F-score and support: an array by type, or an average."""
    counts = _SpanCounts.of(y_true, y_pred, _strict(mode, scheme), suffix=suffix)
    return _prf(counts, average, zero_division, warn_for, beta)


def precision_score(
    y_true: Tags, y_pred: Tags, *, average: str | None = "micro", **options: Any
) -> Any:
    """Return the precision of spans; options as of ``precision_recall_fscore_support``."""
    return precision_recall_fscore_support(
        y_true, y_pred, average=average, warn_for=("precision",), **options
    )[0]


def recall_score(
    y_true: Tags, y_pred: Tags, *, average: str | None = "micro", **options: Any
) -> Any:
    """Return the recall of spans; options as of ``precision_recall_fscore_support``."""
    return precision_recall_fscore_support(
        y_true, y_pred, average=average, warn_for=("recall",), **options
    )[1]


def f1_score(y_true: Tags, y_pred: Tags, *, average: str | None = "micro", **options: Any) -> Any:
    """Return the F1 of spans; options as of ``precision_recall_fscore_support``."""
    return precision_recall_fscore_support(
        y_true, y_pred, average=average, warn_for=("f-score",), **options
    )[2]


def accuracy_score(y_true: Sequence[Any], y_pred: Sequence[Any]) -> float:
    """Return the share of tags that are equal."""
    true, predicted = _flat(y_true, y_pred)
    return sum(map(eq, true, predicted)) / len(true)


def performance_measure(y_true: Sequence[Any], y_pred: Sequence[Any]) -> dict[str, int]:
    """Return TP, FP, FN and TN of tags, where O is the negative class."""
    pairs = list(zip(*_flat(y_true, y_pred), strict=False))
    return {
        "TP": sum(true == tag != "O" for true, tag in pairs),
        "FP": sum(true != tag != "O" for true, tag in pairs),
        "FN": sum(true != "O" and tag == "O" for true, tag in pairs),
        "TN": sum(true == tag == "O" for true, tag in pairs),
    }


def _flat(*sides: Sequence[Any]) -> list[list[str]]:
    if any(isinstance(sentence, list) for sentence in sides[0]):
        return [list(chain.from_iterable(side)) for side in sides]
    return [list(side) for side in sides]


def classification_report(  # noqa: PLR0913, PLR0917  - seqeval's signature
    y_true: Tags,
    y_pred: Tags,
    digits: int = 2,
    suffix: bool = False,
    output_dict: bool = False,
    mode: str | None = None,
    sample_weight: Any = None,  # noqa: ARG001
    zero_division: Any = "warn",
    scheme: Any = None,
) -> Any:
    """Return scores by type and three averages: a text, or with ``output_dict`` a dict."""
    scheme = _strict(mode, scheme) or auto_detect(y_true, suffix) if mode == "strict" else None
    counts = _SpanCounts.of(y_true, y_pred, scheme, suffix=suffix)
    by_type = zip(*_prf(counts, None, zero_division), strict=True)
    rows = dict(zip(counts.names, by_type, strict=True))
    for average in _AVERAGES[1:]:
        rows[f"{average} avg"] = _prf(counts, average, zero_division)
    if output_dict:
        names = ("precision", "recall", "f1-score", "support")
        return {name: dict(zip(names, row, strict=True)) for name, row in rows.items()}
    width = max(digits, *map(len, (*counts.names, "weighted avg")))
    lines = [f"{'':>{width}}  {'precision':>9} {'recall':>9} {'f1-score':>9} {'support':>9}", ""]
    for at, (name, (*scores, support)) in enumerate(rows.items()):
        if at == len(counts.names):
            lines.append("")
        numbers = " ".join(f"{score:>9.{digits}f}" for score in scores)
        lines.append(f"{name:>{width}}  {numbers} {support:>9}")
    return "\n".join([*lines, ""])
