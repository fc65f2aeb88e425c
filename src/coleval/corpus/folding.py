"""What labels are compared by: without case, and of stacked tags the set that they are."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from coleval.corpus.schemes import OUTSIDE, parse_tag

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.options import Reading


def label_fold(reading: Reading) -> Callable[[str], str] | None:
    """Return what labels of tokens are compared by, None where they are as they are written."""
    if reading.task_kind.spans_of_tags:
        outside = frozenset(reading.outside or OUTSIDE)
        return partial(compared_tag, outside=outside, fold=reading.fold, suffix=reading.suffix)
    return str.casefold if reading.fold and reading.task_kind.tagged_text else None


def option_fold(corpus: Corpus, unit: str) -> Callable[[str], str]:
    """Return what a label that an option names is compared by, as those of a unit's items are."""
    if corpus.task_kind.spans_of_tags and unit == "token":
        return label_fold(corpus.reading) or str
    return str.casefold if corpus.reading.fold and corpus.task_kind.own_labels else str


def compared_tag(
    tag: str, *, outside: Collection[str] = OUTSIDE, fold: bool = False, suffix: bool = False
) -> str:
    """Return a tag as it is compared: stacked ones in alphabetical order of their types.

    Tags of one type keep their order, for it says which spans they continue; a part that is
    outside is none of the set, unless there is no other.
    """
    parts = tag.split("|")
    if len(parts) > 1:
        tags = [part for part in parts if part not in outside]
        parts = sorted(tags or parts, key=partial(_by_type, fold=fold, suffix=suffix))
    return fold_tag("|".join(parts), suffix=suffix) if fold else "|".join(parts)


def _by_type(tag: str, *, fold: bool, suffix: bool) -> tuple[bool, str]:
    parsed = parse_tag(tag, suffix=suffix)
    kind = tag if parsed is None else parsed[1]
    return parsed is None, kind.casefold() if fold else kind


def fold_tag(tag: str, *, suffix: bool = False) -> str:
    """Return a tag with its types in lower case; letters that mean positions stay as they are."""
    return "|".join(_folded(part, suffix=suffix) for part in tag.split("|"))


def _folded(tag: str, *, suffix: bool) -> str:
    parsed = parse_tag(tag, suffix=suffix)
    if parsed is None:
        return tag.casefold()
    letter, kind = parsed
    if tag == letter:
        return tag
    return f"{kind.casefold()}-{letter}" if suffix else f"{letter}-{kind.casefold()}"
