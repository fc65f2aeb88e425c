"""Labels without case: whole labels in lower case, of tags only their types."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from coleval.schemes import parse_tag

if TYPE_CHECKING:
    from collections.abc import Callable

    from coleval.options import Reading


def label_fold(reading: Reading, task: str) -> Callable[[str], str] | None:
    """Return what labels of tokens are compared by, None where case makes a difference."""
    if not reading.fold or task not in ("span", "tag"):
        return None
    return partial(fold_tag, suffix=reading.suffix) if task == "span" else str.casefold


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
