"""Tags without types: B M E S of characters are words, as for Chinese; B I O spans of one kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.corpus.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

# The scheme such tags are read by, and the one that nobody has to ask for.
SCHEME, USUAL = "bmes", "iob2"
# A text without words of two characters, or without one of a single, is none to be sure of.
_NEEDED, _POSSIBLE = frozenset("BES"), frozenset("BMES")


def looks_segmented(labels: Iterable[str], outside: frozenset[str]) -> bool:
    """Tell whether labels are those of word segmentation: B, E, S and perhaps M, nothing else."""
    return _NEEDED <= frozenset(labels) - outside <= _POSSIBLE


def spans_note(path: str, tags: Iterable[str]) -> Problem:
    """Return the note that says that letters alone are read as spans."""
    return Problem(
        path, None, "tags without types",
        f"the tags {' '.join(sorted(tags))} have no types and are read as spans of one type, `_`",
        "--task tag compares the tags themselves",
        fatal=False,
    )  # fmt: skip


def words_note(path: str) -> Problem:
    """Return the note that says how such tags were read, and what F measures."""
    return Problem(
        path, None, "word segmentation",
        "the tags B M E S have no types and are read as words (--scheme bmes): precision, recall "
        "and F1 count words, which are right if both of their boundaries are",
        "--task tag compares the tags themselves",
        fatal=False,
    )  # fmt: skip
