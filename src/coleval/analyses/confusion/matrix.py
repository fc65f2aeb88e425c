"""Gold × answer of one system: as many labels as fit, all others summed, so that rows add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from coleval.render.fitting import fits
from coleval.render.listing import shortened_heads
from coleval.render.sheet import PAGE, Cell, Head, Sheet
from coleval.render.visible import visible

NAME = "confusion"
NOTHING = "_"
LABELS, LABELS_OF_PAGE = 24, 60

Counts = Mapping[tuple[str, str], int]
_NOTHING_NOTE = (
    f"{NOTHING} no label: row {NOTHING} holds spurious answers, column {NOTHING} missed ones"
)


def matrix(system: str, counts: Counts, width: int) -> Sheet:
    """Return the largest matrix that fits, the labels with the most confusions first to stay."""
    labels = _by_confusions(counts)
    most = LABELS if width < PAGE else LABELS_OF_PAGE
    for k in range(min(most, len(labels)), 1, -1):
        sheet = _drawn(system, counts, labels, k)
        if fits(sheet, width):
            return sheet
    return _drawn(system, counts, labels, 1)


def _by_confusions(counts: Counts) -> list[str]:
    """Return all labels, the most confused first; nothing (`_`) is never left out."""
    confused: Counter[str] = Counter()
    for (gold, answer), n in counts.items():
        confused[gold] += n * (gold != answer)
        confused[answer] += n * (gold != answer)
    return sorted(confused, key=lambda label: (label != NOTHING, -confused[label], label))


def _drawn(system: str, counts: Counts, labels: Sequence[str], k: int) -> Sheet:
    """Return the matrix of the first ``k`` labels and, if there are more, of the others."""
    shown, others = _in_order(counts, labels[:k]), len(labels) - k
    names = [*map(visible, shown), *([f"other ({others})"] if others > 0 else [])]
    folded = _folded(counts, shown)
    rows = (_row(folded, at, len(names), diagonal=at < len(shown)) for at in range(len(names)))
    heads = (
        Head("gold ↓ predicted →", right=False, elastic=True),
        *shortened_heads(names, 10),
    )
    nothing = (_NOTHING_NOTE,) if NOTHING in shown else ()
    more = (f"all {len(labels)} labels: --as csv --table {NAME}",) if others > 0 else ()
    return Sheet(
        NAME,
        f"gold label × predicted label · {visible(system)}",
        (*heads, Head("all")),
        tuple((Cell(name), *row) for name, row in zip(names, rows, strict=True)),
        (*nothing, *more),
    )


def _in_order(counts: Counts, labels: Sequence[str]) -> list[str]:
    """Return the labels by their frequency in gold, nothing last."""
    gold: Counter[str] = Counter()
    for (label, _), n in counts.items():
        gold[label] += n
    return sorted(labels, key=lambda label: (label == NOTHING, -gold[label], label))


def _folded(counts: Counts, shown: Sequence[str]) -> Counter[tuple[int, int]]:
    """Return the counts by place in ``shown``, everything else in the place after it."""
    places = {label: at for at, label in enumerate(shown)}
    folded: Counter[tuple[int, int]] = Counter()
    for (gold, answer), n in counts.items():
        folded[places.get(gold, len(shown)), places.get(answer, len(shown))] += n
    return folded


def _row(
    folded: Mapping[tuple[int, int], int], row: int, size: int, *, diagonal: bool
) -> list[Cell]:
    """Return one gold label's cells; errors are tinted by their share of all its errors."""
    values = [folded[row, column] for column in range(size)]
    wrong = sum(values) - values[row]
    shares = [n / wrong if n and diagonal and at != row else None for at, n in enumerate(values)]
    cells = [
        Cell(f"{n:,}" if n else "·", shade=share, dim=share is None)
        for n, share in zip(values, shares, strict=True)
    ]
    return [*cells, Cell(f"{sum(values):,}", dim=True)]
