"""The columns that several tables have: one header and one number of digits wherever they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.declare.tables import Column

if TYPE_CHECKING:
    from collections.abc import Mapping


def _best_high(name: str, title: str) -> Column:
    return Column(name, f"{title} %", "ratio", "high")


_KNOWN = (
    Column("system", "system", "text"),
    _best_high("precision", "P"),
    _best_high("recall", "R"),
    _best_high("f1", "F1"),
    _best_high("accuracy", "accuracy"),
    _best_high("macro_precision", "macro\nP"),
    _best_high("macro_recall", "macro\nR"),
    _best_high("macro_f1", "macro\nF1"),
    _best_high("weighted_precision", "weighted\nP"),
    _best_high("weighted_recall", "weighted\nR"),
    _best_high("weighted_f1", "weighted\nF1"),
    _best_high("samples_precision", "samples\nP"),
    _best_high("samples_recall", "samples\nR"),
    _best_high("samples_f1", "samples\nF1"),
    _best_high("samples_jaccard", "samples\nJaccard"),
    Column("hamming_loss", "Hamming\nloss %", "ratio", "low"),
    *(
        Column(f"{name}_{end}", f"\n{end} %", "ratio")
        for name in ("accuracy", "f1")
        for end in ("low", "high")
    ),
    Column("tp", "TP"),
    Column("fp", "FP"),
    Column("fn", "FN"),
    Column("sha256", "sha256", "digest"),
    Column("about", "about", "prose"),
    Column("applies_to", "applies to", "text"),
)

VOCABULARY: Mapping[str, Column] = {column.name: column for column in _KNOWN}

SENTENCES_RIGHT = Column("sentences_correct", "sentences\nright %", "share", "high", "sentences")
CORRECT_OF_ITEMS = Column("correct", "correct/items", "pair", whole="items")


def columns(names: str) -> tuple[Column, ...]:
    """Return the columns named; unknown ones are counts."""
    return tuple(VOCABULARY.get(name) or Column(name, name) for name in names.split())
